package hpa

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// queue is an HPA that wants one replica for every 4 waiting requests.
func queue(b *Behaviour) *Spec {
	return &Spec{
		Min: 1, Max: 50, Behaviour: b, Flags: DefaultFlags(),
		Metrics: []Metric{{Kind: ExternalAverage, Name: "waiting", Target: 4_000}},
	}
}

func defaultBehaviour() *Behaviour {
	b := DefaultBehaviour(DefaultFlags())
	return &b
}

func observe(replicas int32, values ...int64) *Observation {
	o := &Observation{Replicas: replicas, Status: replicas}
	for _, v := range values {
		o.Values = append(o.Values, []int64{v})
	}
	return o
}

// An HPA without spec.behavior is not one with every default spelled out. Here 40
// requests wait once, someone lowers the 10 replicas to 2 by hand, and 8 requests
// go on waiting, which 2 replicas can serve.
func ExampleSpec() {
	for _, spec := range []*Spec{queue(nil), queue(defaultBehaviour())} {
		state := new(State)
		fmt.Print(state.Reconcile(at(0), spec, observe(10, 40_000)).Desired)
		replicas := int32(2)
		for s := 15.0; s <= 45; s += 15 {
			replicas = state.Reconcile(at(s), spec, observe(replicas, 8_000)).Desired
			fmt.Print(" ", replicas)
		}
		fmt.Println()
	}
	// Output:
	// 10 4 8 10
	// 10 2 2 2
}

func ExampleState_Reconcile() {
	spec, state := queue(defaultBehaviour()), new(State)
	d := state.Reconcile(at(0), spec, observe(2, 40_000))
	fmt.Println(d.Desired, d.Raw, d.Reason(spec))
	for _, c := range d.Conditions.All() {
		fmt.Println(c)
	}
	// Output:
	// 6 10 external metric waiting(nil) above target
	// AbleToScale:True:SucceededRescale
	// ScalingActive:True:ValidMetricFound
	// ScalingLimited:True:ScaleUpLimit
	// ScaledToZero:False:NotScaledToZero
}

// step is one reconcile of a timeline. The scale follows the decision unless replicas
// is set.
type step struct {
	at       float64
	replicas int32
	waiting  int64 // milli; below zero: no answer
	desired  int32
}

func TestTimelines(t *testing.T) {
	slow := defaultBehaviour()
	slow.Up.Policies = []Policy{{Pods, 5, 15 * time.Second}}
	slow.Down.Window = 0
	slow.Down.Policies = []Policy{{Pods, 2, 600 * time.Second}}
	for name, c := range map[string]struct {
		spec  *Spec
		steps []step
	}{
		"behaviour: the first sight holds the count for less than the window": {queue(defaultBehaviour()), []step{
			{0, 8, 4_000, 8}, {299.999, 0, 4_000, 8}, {300, 0, 4_000, 1},
		}},
		"legacy: the first sight holds the count for the whole window": {queue(nil), []step{
			{0, 8, 4_000, 8}, {300, 0, 4_000, 8}, {300.001, 0, 4_000, 1},
		}},
		"behaviour: at most double or four more in a period": {queue(defaultBehaviour()), []step{
			{0, 1, 160_000, 5}, {14.999, 0, 160_000, 5}, {15, 0, 160_000, 10}, {30, 0, 160_000, 20}, {45, 0, 160_000, 40},
		}},
		"legacy: at most double or four in a reconcile, however close": {queue(nil), []step{
			{0, 1, 160_000, 4}, {1, 0, 160_000, 8}, {2, 0, 160_000, 16}, {3, 0, 160_000, 32}, {4, 0, 160_000, 40},
		}},
		"no answer holds, and is not remembered": {queue(defaultBehaviour()), []step{
			{0, 8, 32_000, 8}, {15, 0, -1, 8}, {300, 0, 4_000, 1},
		}},
		// The +5 of second 0 is older than the 15 s of its own direction when the +5 of
		// second 30 is stored, and loses its slot to it, though the fall at second 60
		// looks back 600 s: 11 - 5 - 2 is 4, not 1.
		"a stale event loses its slot": {queue(slow), []step{
			{0, 1, 24_000, 6}, {30, 0, 44_000, 11}, {60, 0, 4_000, 4},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var state State
			var replicas int32
			for _, s := range c.steps {
				if s.replicas != 0 {
					replicas = s.replicas
				}
				o := observe(replicas, s.waiting)
				if s.waiting < 0 {
					o.Values[0] = nil
				}
				if replicas = state.Reconcile(at(s.at), c.spec, o).Desired; replicas != s.desired {
					t.Fatalf("at %v: got %d, want %d", s.at, replicas, s.desired)
				}
			}
		})
	}
}

// A proposal below zero, which an object's average value can make, counts as zero.
func TestNegativeProposal(t *testing.T) {
	for name, b := range map[string]*Behaviour{"legacy": nil, "behaviour": defaultBehaviour()} {
		spec := queue(b)
		spec.Min, spec.Metrics[0].Kind = 0, ObjectAverage
		var state State
		state.Reconcile(at(0), spec, observe(2, -8_000))
		d := state.Reconcile(at(301), spec, observe(2, -8_000))
		if d.Raw != -2 || d.Desired != 0 || d.Conditions.Is(ScalingLimited) {
			t.Errorf("%s: got raw %d, desired %d, limited %v, want -2, 0, false",
				name, d.Raw, d.Desired, d.Conditions.Is(ScalingLimited))
		}
	}
}

func TestZero(t *testing.T) {
	fast := func() *Spec {
		b := defaultBehaviour()
		b.Down.Window = 0
		spec := queue(b)
		spec.Min = 0
		return spec
	}
	for name, c := range map[string]struct {
		edit   func(*Spec) // before the first tick
		then   func(*Spec) // at zero
		found  bool        // at zero, instead of taken there by this HPA
		load   int64
		want   int32
		reason string
	}{
		"it wakes from its own zero":               {load: 8_000, want: 2, reason: "external metric waiting(nil) above target"},
		"it sleeps on without load":                {load: 0, want: 0},
		"a zero found is for ever":                 {found: true, load: 8_000, want: 0},
		"a raised minimum wakes without load":      {then: func(s *Spec) { s.Min = 3 }, load: 0, want: 3, reason: "Current number of replicas below Spec.MinReplicas"},
		"a raised minimum is above a smaller load": {then: func(s *Spec) { s.Min = 3 }, load: 8_000, want: 3, reason: "external metric waiting(nil) above target"},
		"a zero found stays below a minimum":       {found: true, then: func(s *Spec) { s.Min = 3 }, load: 8_000, want: 0},
		"without the gate nobody wakes":            {edit: func(s *Spec) { s.Flags.ScaleToZero = false }, load: 8_000, want: 0},
		"percent policies alone do not wake": {
			edit: func(s *Spec) { s.Behaviour.Up.Policies = []Policy{{Percent, 900, 15 * time.Second}} }, load: 8_000, want: 0,
		},
		"they do while the fall to zero is an event": {
			edit: func(s *Spec) { s.Behaviour.Up.Policies = []Policy{{Percent, 900, minute}} }, load: 8_000, want: 2,
			reason: "external metric waiting(nil) above target",
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec, state := fast(), new(State)
			if c.edit != nil {
				c.edit(spec)
			}
			if !c.found {
				if d := state.Reconcile(at(0), spec, observe(2, 0)); d.Desired != 0 {
					t.Fatalf("on the way to zero: got %d, want 0", d.Desired)
				}
			}
			if c.then != nil {
				c.then(spec)
			}
			d := state.Reconcile(at(15), spec, observe(0, c.load))
			if d.Desired != c.want || d.Reason(spec) != c.reason {
				t.Errorf("got %d %q, want %d %q", d.Desired, d.Reason(spec), c.want, c.reason)
			}
		})
	}
}

func TestTwoStatesOfOneHistoryAgree(t *testing.T) {
	spec := queue(defaultBehaviour())
	var first, other State
	for i := range 200 {
		o := observe(int32(1+i%7), int64(i*i%50)*1_000)
		a, b := first.Reconcile(at(float64(i*15)), spec, o), other.Reconcile(at(float64(i*15)), spec, o)
		if a != b {
			t.Fatalf("tick %d: got %+v and %+v, want the same", i, a, b)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	spec, state := queue(defaultBehaviour()), new(State)
	for i := range 30 { // enough that slots are used again
		state.Reconcile(at(float64(i*60)), spec, observe(int32(1+i%3), int64(i%5)*8_000))
	}
	before := state.Clone()
	if !reflect.DeepEqual(before, state) {
		t.Errorf("got %+v, want %+v", before, state)
	}
	clone := state.Clone()
	for i := range 30 {
		clone.Reconcile(at(float64((30+i)*60)), spec, observe(int32(1+i%4), int64(i%7)*8_000))
	}
	if !reflect.DeepEqual(before, state) {
		t.Errorf("got a state changed through its clone: %+v, want %+v", state, before)
	}
}

func TestConditions(t *testing.T) {
	var c Conditions
	text := func() string {
		var s []string
		for _, c := range c.All() {
			s = append(s, c.String())
		}
		return strings.Join(s, " ")
	}
	c.set(AbleToScale, true, SucceededGetScale)
	c.set(ScaledToZero, true, ReasonScaledToZero)
	c.set(ScalingActive, false, ScalingDisabled)
	c.set(AbleToScale, true, ReadyForNewScale)
	if got, want := text(), "AbleToScale:True:ReadyForNewScale ScaledToZero:True:ScaledToZero ScalingActive:False:ScalingDisabled"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !c.Is(ScaledToZero) || c.Is(ScalingActive) || c.Is(ScalingLimited) {
		t.Errorf("got ScaledToZero %v, ScalingActive %v, ScalingLimited %v, want true, false, false",
			c.Is(ScaledToZero), c.Is(ScalingActive), c.Is(ScalingLimited))
	}
	c.remove(ScaledToZero)
	c.set(ScaledToZero, false, ReasonNotScaledToZero) // comes back at the end
	if got, want := text(), "AbleToScale:True:ReadyForNewScale ScalingActive:False:ScalingDisabled ScaledToZero:False:NotScaledToZero"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// steady brings a state to where its slots are full and nothing moves.
func steady(spec *Spec, o *Observation) (*State, time.Time) {
	state, now := new(State), at(0)
	for range 100 {
		now = now.Add(15 * time.Second)
		state.Reconcile(now, spec, o)
	}
	return state, now
}

func TestSteadyReconcileDoesNotAllocate(t *testing.T) {
	for name, spec := range map[string]*Spec{"legacy": queue(nil), "behaviour": queue(defaultBehaviour())} {
		o := observe(10, 40_000)
		state, now := steady(spec, o)
		if n := testing.AllocsPerRun(100, func() {
			now = now.Add(15 * time.Second)
			state.Reconcile(now, spec, o)
		}); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", name, n)
		}
	}
}

func BenchmarkReconcile(b *testing.B) {
	for name, spec := range map[string]*Spec{"legacy": queue(nil), "behaviour": queue(defaultBehaviour())} {
		b.Run(name, func(b *testing.B) {
			o := observe(10, 40_000)
			state, now := steady(spec, o)
			b.ReportAllocs()
			for b.Loop() {
				now = now.Add(15 * time.Second)
				state.Reconcile(now, spec, o)
			}
		})
	}
}
