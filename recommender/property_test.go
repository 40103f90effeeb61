package recommender

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// rounds returns how often a property is tried: a tenth with -short.
func rounds(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// randomRules returns random rules of one direction.
func randomRules(rng *rand.Rand, period time.Duration) hpa.Rules {
	r := hpa.Rules{Window: time.Duration(rng.IntN(5)) * 30 * time.Second}
	r.Select = []hpa.Select{hpa.Max, hpa.Min, hpa.Max, hpa.Disabled}[rng.IntN(4)]
	for range 1 + rng.IntN(2) {
		kind := []hpa.PolicyType{hpa.Pods, hpa.Percent}[rng.IntN(2)]
		r.Policies = append(r.Policies, hpa.Policy{Type: kind, Value: 1 + rng.Int32N(100), Period: period})
	}
	return r
}

// TestDecideIsTheHPA compares Decide without extensions, and a follower that
// writes at once, with the behaviour path of the HPA. All periods are equal, since
// with unequal ones the controller's event slots forget what is still in a period. A
// scenario ends where answers were missing for a whole window: the HPA forgets it then.
func TestDecideIsTheHPA(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	ticks := 0
	for i := range rounds(3000) {
		ticks += compareHPA(t, rng, i)
		if t.Failed() {
			t.Fatalf("scenario %d differs", i)
		}
	}
	t.Logf("%d ticks are equal", ticks)
}

// compareHPA runs one random scenario through both and returns its number of ticks.
func compareHPA(t *testing.T, rng *rand.Rand, scenario int) int {
	period := []time.Duration{15 * time.Second, time.Minute, 5 * time.Minute}[rng.IntN(3)]
	p := Policy{Min: 1 + rng.Int32N(3), HoldLimit: 1000 * time.Hour}
	p.Max = p.Min + rng.Int32N(40)
	p.ScaleUp, p.ScaleDown = randomRules(rng, period), randomRules(rng, period)
	p.Tolerance = Tolerance{Up: rng.Float64() / 4, Down: rng.Float64() / 4}
	spec := hpa.Spec{Min: p.Min, Max: p.Max, Behaviour: &hpa.Behaviour{
		Up:   hpa.Direction{Rules: p.ScaleUp, Tolerance: p.Tolerance.Up},
		Down: hpa.Direction{Rules: p.ScaleDown, Tolerance: p.Tolerance.Down},
	}}
	for i := range 1 + rng.IntN(3) {
		target := float64(1+rng.IntN(8000)) / 1000
		p.Signals = append(p.Signals, Signal{Metric: Query, Name: strconv.Itoa(i), Target: target})
		spec.Metrics = append(spec.Metrics, hpa.Metric{Kind: hpa.ExternalAverage, Target: milli(target)})
	}
	var (
		s       State
		state   hpa.State
		current = p.Min + rng.Int32N(p.Max-p.Min+1)
		now     = start
		load    = rng.Float64() * 50
	)
	const n = 60
	for k := range n {
		o := Observation{Time: now, Current: Exactly(float64(current), now, 0)}
		ho := hpa.Observation{Replicas: current, Status: current}
		load = max(0, load+rng.NormFloat64()*5)
		if rng.IntN(10) == 0 {
			load = rng.Float64() * 100
		}
		for _, signal := range p.Signals {
			q, values := randomAnswer(rng, load*(1+rng.Float64()/10), now)
			o.Queries = append(o.Queries, Answer{Name: signal.Name, Quantity: q})
			ho.Values = append(ho.Values, values)
		}
		if w := p.ScaleDown.Window; w > 0 && s.Proposed.Before(s.Time) && !s.Proposed.After(now.Add(-w)) {
			return k
		}
		var d Decision
		d, s = Decide(p, s, o)
		want := state.Reconcile(now, &spec, &ho)
		if d.Desired != want.Desired {
			t.Errorf("scenario %d tick %d current %d: got %d, want %d\n%+v", scenario, k, current, d.Desired, want.Desired, d.Steps())
			return k
		}
		current = want.Desired
		now = now.Add([]time.Duration{15, 15, 15, 30, 1, 90}[rng.IntN(6)] * time.Second)
	}
	return n
}

// randomAnswer returns a value both ways, or now and then no answer.
func randomAnswer(rng *rand.Rand, v float64, now time.Time) (Quantity, []int64) {
	if rng.IntN(12) == 0 {
		return Missing(Failed), nil
	}
	v = math.Round(v*1000) / 1000
	return Exactly(v, now, 0), []int64{milli(v)}
}

// extremes are numbers that break careless arithmetic.
var extremes = []float64{0, -1, 1e-9, 0.4, 1, 3, 99, 1e6, 1e18, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}

// randomQuantity returns any quantity, sane or not.
func randomQuantity(rng *rand.Rand, now time.Time) Quantity {
	v := rng.Float64() * 60
	if rng.IntN(4) == 0 {
		v = extremes[rng.IntN(len(extremes))]
	}
	q := Quantity{Value: v, At: now, Replicas: rng.Int32N(6) - 1, Evidence: Known, LowerBound: rng.IntN(8) == 0}
	if rng.IntN(5) == 0 {
		q.Evidence = Evidence(rng.IntN(int(Known) + 3))
	}
	return q
}

// randomObservation returns any observation, sane or not.
func randomObservation(rng *rand.Rand, now time.Time) Observation {
	q := func() Quantity { return randomQuantity(rng, now) }
	o := Observation{
		Time: now, Current: q(), Ready: q(), Reporting: q(), Running: q(), Waiting: q(), Held: q(),
		KVCacheUsage: q(), KVCacheUsageMax: q(), TTFT: []Percentile{{P: 0.95, Quantity: q()}}, SLOMiss: q(),
		OutputTokens: q(), PromptTokens: q(), Arrivals: q(), Completions: q(), CPU: q(),
		Queries: []Answer{{Name: "a", Quantity: q()}, {Name: "b", Quantity: q()}}, ColdStart: []Percentile{{P: 0.95, Quantity: q()}},
	}
	if rng.IntN(4) > 0 {
		o.Current = Exactly(float64(rng.IntN(12)), now, 0)
		o.Ready, o.Reporting = o.Current, o.Current
	}
	return o
}

// Schedules of a few minutes.
var everySeven, everyFive = must(ParseCron("*/7 * * * *")), must(ParseCron("*/5 * * * *"))

func must(c Cron, err error) Cron {
	if err != nil {
		panic(err)
	}
	return c
}

// randomPolicy returns a policy with every extension, wild targets included.
func randomPolicy(rng *rand.Rand) Policy {
	p := DefaultPolicy()
	p.Min = rng.Int32N(3)
	p.Max = max(1, p.Min) + rng.Int32N(20)
	p.Held = p.Min == 0 || rng.IntN(2) == 0
	p.Lookahead = time.Duration(rng.IntN(2)) * 90 * time.Second
	p.LookaheadColdStart = rng.IntN(3) == 0
	p.ColdStart = time.Minute
	p.MaxNumSeqs = rng.Int32N(20)
	p.Gate = Gate{BatchFill: float64(rng.IntN(2)) * 0.4, For: time.Duration(rng.IntN(3)) * time.Minute}
	p.ScaleUp, p.ScaleDown = randomRules(rng, time.Minute), randomRules(rng, 30*time.Second)
	if rng.IntN(4) == 0 {
		p.Schedules = []Schedule{{Start: everySeven, End: everyFive, Min: rng.Int32N(p.Max + 1)}}
	}
	for _, m := range Metrics {
		if rng.IntN(4) == 0 && len(p.Signals) < MaxSignals {
			target := []float64{4, 0.85, 1e-9, 1e300, 0.7}[rng.IntN(5)]
			p.Signals = append(p.Signals, Signal{Metric: m, Name: "a", Type: []QueryType{Total, Ratio}[rng.IntN(2)], Target: target, Percentile: 0.95, Optional: rng.IntN(4) == 0})
		}
	}
	return p
}

// same compares explanations as JSON, where equal pointers do not matter.
func same(a, b Explanation) bool { return reflect.DeepEqual(a, b) }

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v of %+v", err, v)
	}
	return b
}

func TestDecideInvariants(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range rounds(400) {
		walk(t, rng, 40)
	}
}

// TestMoreLoadNeverAsksForFewer holds for one signal and one state.
func TestMoreLoadNeverAsksForFewer(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range rounds(300) {
		p := queue(atMost(50), func(p *Policy) { p.Lookahead = time.Duration(rng.IntN(2)) * time.Minute })
		var s State
		for i := range 10 {
			k := tick{at: time.Duration(i) * 15 * time.Second, current: 1 + rng.IntN(20), see: demand(rng.Float64() * 100)}
			_, s = Decide(p, s, k.observe())
		}
		current, last := 1+rng.IntN(20), int32(0)
		for _, load := range []float64{0, 1, 3, 7, 20, 80, 1e6, 1e300} {
			k := tick{at: 3 * time.Minute, current: current, see: demand(load)}
			d, _ := Decide(p, s, k.observe())
			if d.Desired < last {
				t.Fatalf("load %g at current %d asks for %d, less load asked for %d", load, current, d.Desired, last)
			}
			last = d.Desired
		}
		if last != 50 && last < int32(current) {
			t.Fatalf("load 1e300 at current %d asks for %d", current, last)
		}
	}
}

// TestLagDoesNotOscillate gives a steady load to followers that apply what was
// desired some ticks ago: desired moves one way and then stays.
func TestLagDoesNotOscillate(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for range rounds(400) {
		lag, load := rng.IntN(5), rng.Float64()*120
		p := queue(atMost(40))
		p.ScaleUp, p.ScaleDown = randomRules(rng, time.Minute), randomRules(rng, 30*time.Second)
		p.ScaleUp.Window = 0
		asked := slices.Repeat([]int32{1 + rng.Int32N(30)}, lag+1)
		var s State
		ups, downs := 0, 0
		for i := range 60 {
			k := tick{at: time.Duration(i) * 15 * time.Second, current: int(asked[i]), see: demand(load)}
			var d Decision
			d, s = Decide(p, s, k.observe())
			switch last := asked[len(asked)-1]; {
			case d.Desired > last:
				ups++
			case d.Desired < last:
				downs++
			}
			asked = append(asked, d.Desired)
		}
		if ups > 0 && downs > 0 {
			t.Fatalf("lag of %d ticks, load %g: %v", lag, load, asked)
		}
	}
}

// TestStateSurvivesJSON checks that a state read back decides as the one written.
func TestStateSurvivesJSON(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range rounds(100) {
		p := randomPolicy(rng)
		var live, read State
		now := start
		for range 30 {
			o := randomObservation(rng, now)
			var a, b Decision
			a, live = Decide(p, live, o)
			b, read = Decide(p, read, o)
			if !same(a.Explain(), b.Explain()) {
				t.Fatalf("got %s, want %s", mustJSON(t, b.Explain()), mustJSON(t, a.Explain()))
			}
			var back State
			if err := json.Unmarshal(mustJSON(t, read), &back); err != nil {
				t.Fatal(err)
			}
			read = back
			now = now.Add(15 * time.Second)
		}
	}
}

// TestReplayRebuildsTheState folds Decide over the settled history of the replay
// span only, and must go on as the state that has seen everything.
func TestReplayRebuildsTheState(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const interval = 15 * time.Second
	for range rounds(60) {
		p := queue(fromZero, func(p *Policy) { p.Lookahead = time.Minute; p.ScaleDown.Window = 2 * time.Minute })
		var whole State
		var history []Observation
		current, load := 1, 4.0
		replay := int(p.Replay()/interval) + 1
		for i := range replay + 80 {
			load = max(0, load+rng.NormFloat64())
			k := tick{at: time.Duration(i) * interval, current: current, see: held(0, demand(load))}
			o := k.observe()
			history = append(history, o)
			var d Decision
			d, whole = Decide(p, whole, o)
			current = int(d.Desired)
			if i <= replay {
				continue
			}
			var part State
			var e Decision
			for _, o := range history[len(history)-replay-1:] {
				e, part = Decide(p, part, o)
			}
			if !same(e.Explain(), d.Explain()) {
				t.Fatalf("replayed: %s, never stopped: %s", e.Headline(), d.Headline())
			}
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	p := queue(atMost(20))
	p.Signals = append(p.Signals, Signal{Metric: KVCacheUsage, Target: 0.85})
	k := tick{current: 5, see: func(o *Observation) { demand(20)(o); o.KVCacheUsage = known(o, 0.5) }}
	o := k.observe()
	var s State
	b.ReportAllocs()
	for b.Loop() {
		_, s = Decide(p, s, o)
		o.Time = o.Time.Add(15 * time.Second)
	}
}
