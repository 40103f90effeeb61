package risk

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
)

// A scene is a workload that stands still for a quarter of an hour, and then is asked.
type scene struct {
	current, ready         float64
	running, waiting, held float64
	arrivals               float64
	// asked is how many seconds ago the last of the current replicas was asked for; 0 is
	// long ago.
	asked int
	// change may spoil the last observation.
	change func(*recommender.Observation)
}

func (x *scene) observation(second int) recommender.Observation {
	current := x.current
	if x.asked > 0 && second < -x.asked {
		current--
	}
	o := known(second, current, x.ready)
	q := func(v float64) recommender.Quantity { return recommender.Exactly(v, o.Time, int32(x.ready)) }
	o.Running, o.Waiting, o.Held = q(x.running), q(x.waiting), q(x.held)
	o.Arrivals, o.Completions = q(x.arrivals), q(x.arrivals)
	o.PromptTokens, o.OutputTokens = q(1000*x.arrivals), q(200*x.arrivals)
	return o
}

func (x *scene) observe() (*Tracker, recommender.Observation) {
	var t Tracker
	var o recommender.Observation
	for second := -900; second <= 0; second += 15 {
		o = x.observation(second)
		if second == 0 && x.change != nil {
			x.change(&o)
		}
		t.Observe(&o)
	}
	return &t, o
}

func workload() *Workload {
	p, r := recommender.DefaultPolicy(), sim.DefaultReplica()
	p.Max, p.SLO = 1000, recommender.SLO{TTFT: 2 * time.Second, Objective: 0.95}
	return &Workload{Name: "inference/chat", Policy: &p, Replica: &r, Interval: 15 * time.Second}
}

func (x *scene) estimate(w *Workload, desired int32) Estimate {
	t, o := x.observe()
	var e Estimator
	return e.Estimate(t, w, &o, &recommender.Decision{Known: true, Desired: desired})
}

func within(t *testing.T, what string, got, from, to float64) {
	t.Helper()
	if !(got >= from && got <= to) {
		t.Errorf("%s: got a risk of %.3f, want from %v to %v", what, got, from, to)
	}
}

func TestIdleReplicasCarryNoRisk(t *testing.T) {
	x := scene{current: 4, ready: 4, running: 20, arrivals: 10}
	y := x.estimate(workload(), 4)
	within(t, "current", y.Current, 0, 0.01)
	within(t, "one less", y.DesiredMinusOne, 0, 0.01)
	if want := 106 * time.Second; y.Horizon.Round(time.Second) != want {
		t.Errorf("got a horizon of %v, want a cold start of 91 s and an interval of 15 s", y.Horizon)
	}
}

// One replica does about 12 requests per second. With 40 the queue grows from the start,
// and more replicas help those that arrive after a cold start only.
func TestOverloadMissesUntilNewReplicasAreReady(t *testing.T) {
	x := scene{current: 1, ready: 1, running: 64, waiting: 500, arrivals: 40}
	w := workload()
	w.Horizon = 3 * time.Minute
	y := x.estimate(w, 6)
	within(t, "current", y.Current, 0.99, 1)
	// 91 of 180 seconds have no more than the old one.
	within(t, "six", y.Desired, 0.4, 0.65)
	w.Horizon = time.Minute
	y = x.estimate(w, 6)
	within(t, "six, before they are ready", y.Desired, 0.99, 1)
}

func TestAReplicaThatIsNearlyReadyHelpsMore(t *testing.T) {
	w := workload()
	late := scene{current: 2, ready: 1, running: 64, waiting: 60, arrivals: 17, asked: 15}
	soon := late
	soon.asked = 75
	a, b := late.estimate(w, 2).Current, soon.estimate(w, 2).Current
	if !(b < a-0.2) {
		t.Errorf("got a risk of %.3f with a replica that was asked for 75 s ago and %.3f with one of 15 s, want much less", b, a)
	}
}

func TestWithoutReplicasEverythingMisses(t *testing.T) {
	x := scene{}
	y := x.estimate(workload(), 0)
	within(t, "none", y.Current, 1, 1)
	within(t, "none desired", y.Desired, 1, 1)
	if !math.IsNaN(y.DesiredMinusOne) {
		t.Errorf("got %v for one less than none, want NaN", y.DesiredMinusOne)
	}
	// A request that arrives within the horizon meets a cold start nearly as long.
	within(t, "one", y.DesiredPlusOne, 0.75, 0.9)
	x = scene{current: 1, ready: 1}
	y = x.estimate(workload(), 0)
	within(t, "the last one", y.Current, 0, 0.01)
	within(t, "none instead of one", y.Desired, 1, 1)
}

func TestWithoutPodsThereAreNoSeriesAndTheRiskIsKnown(t *testing.T) {
	var tracker Tracker
	var o recommender.Observation
	for second := -900; second <= 0; second += 15 {
		at := start.Add(time.Duration(second) * time.Second)
		o = recommender.Observation{Time: at, Current: recommender.Exactly(0, at, 0)}
		tracker.Observe(&o)
	}
	var e Estimator
	y := e.Estimate(&tracker, workload(), &o, &recommender.Decision{Known: true})
	if !y.Known {
		t.Fatalf("got no risk because of %s", y.Reason)
	}
	within(t, "none", y.Current, 1, 1)
}

func TestHeldRequestsAreServedFirst(t *testing.T) {
	x := scene{current: 1, asked: 75, arrivals: 3}
	w := workload()
	few := x.estimate(w, 1).Current
	x.held = 600
	if many := x.estimate(w, 1).Current; !(many > few+0.3) {
		t.Errorf("got a risk of %.3f with 600 held and %.3f with none, want much more", many, few)
	}
}

func TestMoreReplicasCarryNoMoreRisk(t *testing.T) {
	for _, arrivals := range []float64{20, 40, 55, 70} {
		x := scene{current: 5, ready: 5, running: 5 * min(arrivals, 64), waiting: arrivals, arrivals: arrivals}
		w := workload()
		w.Horizon = 4 * time.Minute
		last := 1.0
		for n := int32(1); n <= 9; n++ {
			y := x.estimate(w, n)
			if !(y.DesiredMinusOne >= y.Desired && y.Desired >= y.DesiredPlusOne) {
				t.Errorf("%v per second, %d replicas: got %.3f, %.3f and %.3f, want no rise", arrivals, n, y.DesiredMinusOne, y.Desired, y.DesiredPlusOne)
			}
			if y.Desired > last+0.05 {
				t.Errorf("%v per second: got %.3f with %d replicas after %.3f with one less", arrivals, y.Desired, n, last)
			}
			last = y.Desired
		}
	}
}

func TestTheRiskIsTheSameEverywhere(t *testing.T) {
	x := scene{current: 4, ready: 4, running: 200, waiting: 20, arrivals: 44}
	w := workload()
	want := x.estimate(w, 5)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			tracker, o := x.observe()
			var e Estimator
			d := recommender.Decision{Known: true, Desired: 5}
			other := scene{current: 9, ready: 7, running: 300, waiting: 9, held: 4, arrivals: 80}
			for range 3 {
				u, p := other.observe()
				e.Estimate(u, workload(), &p, &d) // leaves its traces in e
				if got := e.Estimate(tracker, w, &o, &d); got != want {
					t.Errorf("got %v, want %v", got, want)
				}
			}
		})
	}
	wait.Wait()
	w.Name = "inference/other"
	if got := x.estimate(w, 5); got == want {
		t.Error("got the same noise for another workload")
	}
}

func TestARestartDoesNotChangeTheRisk(t *testing.T) {
	var live, restarted Tracker
	var o recommender.Observation
	for second := -7200; second <= 0; second += 15 {
		x := scene{current: 4, ready: float64(3 + second/300%2), running: 150, waiting: 3, arrivals: 40 + 10*math.Sin(float64(second)/500)}
		o = x.observation(second)
		live.Observe(&o)
		if second >= -int(Memory.Seconds()) {
			restarted.Observe(&o)
		}
	}
	var e Estimator
	d := recommender.Decision{Known: true, Desired: 4}
	a, b := e.Estimate(&live, workload(), &o, &d), e.Estimate(&restarted, workload(), &o, &d)
	if a != b {
		t.Errorf("got %v after a restart, want %v", b, a)
	}
}

func TestWhatIsMissingIsTheReason(t *testing.T) {
	missing := recommender.Missing(recommender.Absent)
	invalid := recommender.Quantity{Value: math.NaN(), Evidence: recommender.Known}
	for name, x := range map[string]struct {
		observation func(*recommender.Observation)
		workload    func(*Workload)
		want        Reason
	}{
		"no objective":         {workload: func(w *Workload) { w.Policy.SLO.TTFT = 0 }, want: NoObjective},
		"current unknown":      {observation: func(o *recommender.Observation) { o.Current = missing }, want: NoReplicas},
		"ready no number":      {observation: func(o *recommender.Observation) { o.Ready = invalid }, want: NoReplicas},
		"running unknown":      {observation: func(o *recommender.Observation) { o.Running = missing }, want: NoRequests},
		"waiting infinite":     {observation: func(o *recommender.Observation) { o.Waiting.Value = math.Inf(1) }, want: NoRequests},
		"waiting stale":        {observation: func(o *recommender.Observation) { o.Waiting = recommender.Missing(recommender.Stale) }, want: StaleData},
		"arrivals unknown":     {observation: func(o *recommender.Observation) { o.Arrivals = missing }, want: NoArrivals},
		"nothing to fit to":    {workload: func(w *Workload) { w.Replica = nil }, want: NoReplicaModel},
		"no cold start":        {workload: func(w *Workload) { w.Replica.ImagePull, w.Replica.WarmUp, w.Replica.LoadRate = 0, 0, math.Inf(1) }, want: NoColdStart},
		"another observation":  {observation: func(o *recommender.Observation) { o.Time = start.Add(-time.Hour) }, want: StaleData},
		"everything is known":  {want: None},
		"held does not matter": {observation: func(o *recommender.Observation) { o.Held = missing }, want: None},
	} {
		t.Run(name, func(t *testing.T) {
			s, w := scene{current: 2, ready: 2, running: 30, arrivals: 10, change: x.observation}, workload()
			if x.workload != nil {
				x.workload(w)
			}
			y := s.estimate(w, 2)
			if y.Reason != x.want || y.Known != (x.want == None) {
				t.Errorf("got known %v because of %q, want %q", y.Known, y.Reason, x.want)
			}
			if y.Known == math.IsNaN(y.Current) {
				t.Errorf("got a risk of %v, known %v", y.Current, y.Known)
			}
		})
	}
}

func TestTrafficWithoutTokensHasNoLengths(t *testing.T) {
	var tracker Tracker
	var o recommender.Observation
	for second := -900; second <= 0; second += 15 {
		o = known(second, 2, 2)
		o.PromptTokens, o.OutputTokens = recommender.Missing(recommender.Absent), recommender.Missing(recommender.Absent)
		tracker.Observe(&o)
	}
	var e Estimator
	if y := e.Estimate(&tracker, workload(), &o, &recommender.Decision{}); y.Reason != NoTokenLengths {
		t.Errorf("got %q, want %q", y.Reason, NoTokenLengths)
	}
}

func TestAnUnknownDecisionLeavesTheCurrentRisk(t *testing.T) {
	x := scene{current: 2, ready: 2, running: 30, arrivals: 10}
	tracker, o := x.observe()
	var e Estimator
	y := e.Estimate(tracker, workload(), &o, &recommender.Decision{})
	if !y.Known || math.IsNaN(y.Current) || !math.IsNaN(y.Desired) || !math.IsNaN(y.DesiredMinusOne) || !math.IsNaN(y.DesiredPlusOne) {
		t.Errorf("got %+v, want a risk of the current replicas alone", y)
	}
}

// Near the limit more uncertainty is more risk for those who were safe.
func TestLowerBoundsWidenTheRisk(t *testing.T) {
	x := scene{current: 4, ready: 4, running: 120, arrivals: 30}
	exact := x.estimate(workload(), 4).Current
	x.change = func(o *recommender.Observation) {
		o.Reporting.Value = 3
		o.Running.LowerBound, o.Waiting.LowerBound, o.Arrivals.LowerBound = true, true, true
	}
	if wide := x.estimate(workload(), 4).Current; !(wide > exact+0.02) {
		t.Errorf("got a risk of %.3f with a replica unheard and %.3f without, want more", wide, exact)
	}
}

func TestNoRiskIsNaN(t *testing.T) {
	for _, v := range []float64{0, 1e-300, 0.01, 1, 50, 1e6} {
		for _, n := range []float64{0, 1, 3, 1000} {
			x := scene{current: n, ready: math.Floor(n / 2), running: v, waiting: v, held: v, arrivals: v}
			w := workload()
			w.Budget = 500
			y := x.estimate(w, int32(n)+1)
			if !y.Known {
				if y.Reason != NoTokenLengths || v > 0.01 {
					t.Errorf("%v replicas, %v per second: got no risk because of %s", n, v, y.Reason)
				}
				continue
			}
			for _, risk := range []float64{y.Current, y.Desired, y.DesiredMinusOne, y.DesiredPlusOne} {
				if !(risk >= 0 && risk <= 1) {
					t.Errorf("%v replicas, %v per second: got a risk of %v (%s)", n, v, risk, y.Reason)
				}
			}
		}
	}
}

func TestTheBudgetBoundsTheWork(t *testing.T) {
	x := scene{current: 8, ready: 8, running: 400, waiting: 5, arrivals: 85}
	tracker, o := x.observe()
	exact, w := 0.0, workload()
	for _, budget := range []int{1_000_000, 20000, 7000, 2000} {
		w.Budget = budget
		var e Estimator
		y := e.Estimate(tracker, w, &o, &recommender.Decision{Known: true, Desired: 8})
		if e.spent > max(budget, 5000)*3/2 {
			t.Errorf("got %d requests simulated, want about %d at most, or three courses as coarse as they may be", e.spent, budget)
		}
		if exact == 0 {
			exact = y.Current
		}
		within(t, "budget", y.Current, exact-0.12, exact+0.12)
	}
}

func TestHundredsOfReplicasCostNoMore(t *testing.T) {
	few := scene{current: 8, ready: 8, running: 400, arrivals: 80}
	many := scene{current: 800, ready: 800, running: 40000, arrivals: 8000}
	tracker, o := many.observe()
	var e Estimator
	y := e.Estimate(tracker, workload(), &o, &recommender.Decision{Known: true, Desired: 800})
	if e.spent > DefaultBudget*3/2 {
		t.Errorf("got %d requests simulated, want about %d at most", e.spent, DefaultBudget)
	}
	want := few.estimate(workload(), 8).Current
	within(t, "a hundred times as many", y.Current, want-0.15, want+0.15)
}

func TestEstimatesAllocateNothing(t *testing.T) {
	x := scene{current: 8, ready: 8, running: 400, waiting: 5, arrivals: 85}
	tracker, o := x.observe()
	w, d := workload(), recommender.Decision{Known: true, Desired: 8}
	var e Estimator
	// The fleets' closures for the cold start are all that is made anew.
	if n := testing.AllocsPerRun(20, func() { e.Estimate(tracker, w, &o, &d) }); n > 3 {
		t.Errorf("got %v allocations, want at most 3", n)
	}
}
