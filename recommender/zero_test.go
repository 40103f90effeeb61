package recommender

import (
	"math"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// Corners of zero that need more than a quiet workload.
func TestCornersOfZero(t *testing.T) {
	const m, s = time.Minute, time.Second
	with := func(edit func(*Policy)) Policy { return queue(fromZero, edit) }
	gone := held(0)
	queued := func(n float64) func(*Observation) {
		return func(o *Observation) { demand(0)(o); o.Waiting = known(o, n) }
	}
	for name, c := range map[string]struct {
		policy Policy
		ticks  []tick
	}{
		"traffic before somebody took the last replica counts": {queue(fromZero), []tick{
			{0, 1, held(0, demand(3)), 1, ReasonMetric, false},
			{10 * m, 1, held(0, demand(3)), 1, ReasonMetric, false},
			{10*m + 15*s, 0, gone, 1, ReasonZeroCooldown, false},
			{15*m - s, 0, gone, 1, ReasonZeroCooldown, false},
			{15 * m, 0, gone, 0, ReasonMetric, false},
		}},
		"traffic keeps a replica also without a cooldown": {with(func(p *Policy) { p.Cooldown = 0 }), []tick{
			{0, 1, held(0, demand(1)), 1, ReasonMetric, false},
			{15 * s, 1, held(0, demand(0)), 0, ReasonIdleToZero, false},
		}},
		"zero that somebody chose while nothing was known stays": {with(func(p *Policy) { p.Cooldown = 60 * m }), []tick{
			{0, 1, held(0, demand(3)), 1, ReasonMetric, false},
			{11 * m, 0, gone, 0, ReasonMetric, false},
		}},
		"a backlog wakes what it needs past the limits": {with(func(p *Policy) {
			p.ScaleUp = hpa.Rules{Window: m, Policies: []hpa.Policy{{Type: hpa.Pods, Value: 1, Period: m}}}
		}), []tick{
			{0, 0, held(0), 0, ReasonMetric, false},
			{15 * s, 0, held(20), 5, ReasonActivateFromZero, false},
		}},
		"a held request wakes one where no signal counts it": {with(func(p *Policy) {
			p.Signals = []Signal{{Metric: KVCacheUsage, Target: 0.85}}
		}), []tick{
			{0, 0, held(0), 0, ReasonMetric, false},
			{15 * s, 0, held(1), 1, ReasonActivateFromZero, false},
		}},
		"held requests without a source for them wake nobody": {queue(func(p *Policy) { p.Min = 0 }), []tick{
			{0, 0, held(9), 0, ReasonMetric, false},
		}},
		"the last replica, which somebody took from a quiet workload, does not come back": {with(func(p *Policy) { p.Cooldown = 30 * m }), []tick{
			{0, 1, held(0, demand(0)), 1, ReasonZeroCooldown, false},
			{6 * m, 0, gone, 0, ReasonMetric, false},
		}},
		"requests that only wait are traffic": {queue(fromZero), []tick{
			{0, 1, held(0, queued(1)), 1, ReasonMetric, false},
			{6 * m, 1, held(0, queued(1)), 1, ReasonMetric, false},
		}},
		"requests that only run are traffic": {queue(fromZero), []tick{
			{0, 1, held(0, demand(1)), 1, ReasonMetric, false},
			{6 * m, 1, held(0, demand(1)), 1, ReasonMetric, false},
		}},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, c.policy, State{}, c.ticks) })
	}
}

// The idle clock runs only while it is known in full that there is no request.
func TestWhatStopsTheIdleClock(t *testing.T) {
	bound := func(q Quantity) Quantity { q.LowerBound = true; return q }
	idle := held(0, demand(0))
	for name, c := range map[string]struct {
		change func(*Observation)
		want   int32 // when the cooldown is over if nothing stopped the clock
	}{
		"nothing":                         {func(*Observation) {}, 0},
		"replicas that load":              {func(o *Observation) { loading(o); o.Running, o.Waiting = Missing(Absent), Missing(Absent) }, 0},
		"a request that runs":             {func(o *Observation) { o.Running = known(o, 1) }, 1},
		"a request that waits":            {func(o *Observation) { o.Waiting = known(o, 1) }, 1},
		"a request that is held":          {func(o *Observation) { o.Held = known(o, 1) }, 1},
		"running requests not all known":  {func(o *Observation) { o.Running = bound(known(o, 0)) }, 1},
		"waiting requests not all known":  {func(o *Observation) { o.Waiting = bound(known(o, 0)) }, 1},
		"held requests not all known":     {func(o *Observation) { o.Held = bound(known(o, 0)) }, 1},
		"running requests not known":      {func(o *Observation) { o.Running = Missing(Failed) }, 1},
		"waiting requests not known":      {func(o *Observation) { o.Waiting = Missing(Stale) }, 1},
		"held requests not known":         {func(o *Observation) { o.Held = Missing(Absent) }, 1},
		"a ready replica that is unheard": {func(o *Observation) { o.Reporting = Exactly(0, o.Time, 0) }, 1},
		"no answer at all":                {failed, 1},
	} {
		var s State
		var d Decision
		for i, change := range []func(*Observation){func(*Observation) {}, c.change, func(*Observation) {}} {
			k := tick{at: time.Duration(i) * 150 * time.Second, current: 1, see: func(o *Observation) { idle(o); change(o) }}
			d, s = Decide(queue(fromZero), s, k.observe())
		}
		if d.Desired != c.want {
			t.Errorf("%s: got %s, want %d", name, d.Headline(), c.want)
		}
	}
}

// At zero, a number of held requests that is none wakes nobody.
func TestNonsenseWakesNobody(t *testing.T) {
	for _, v := range []float64{math.Inf(1), math.NaN(), -1} {
		var s State
		first := tick{current: 0, see: held(0)}
		_, s = Decide(queue(fromZero), s, first.observe())
		k := tick{at: 15 * time.Second, current: 0, see: func(o *Observation) {
			o.Held = Quantity{Value: v, At: o.Time, Evidence: Known}
		}}
		if d, _ := Decide(queue(fromZero), s, k.observe()); !d.Known || d.Desired != 0 || d.Valid {
			t.Errorf("%v held requests: got %s, valid %v, want 0, not valid", v, d.Headline(), d.Valid)
		}
	}
}
