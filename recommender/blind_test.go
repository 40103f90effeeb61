package recommender

import (
	"testing"
	"time"
)

// Ticks during which nothing at all is known, or the signals alone, and what they may and
// may not lead to afterwards.
func TestTimeInTheDark(t *testing.T) {
	const m, s = time.Minute, time.Second
	gate := func(p *Policy) {
		p.MaxNumSeqs, p.Gate = 4, Gate{BatchFill: 0.5, For: 2 * m}
		p.ScaleDown.Window = 0
	}
	stuck := func(o *Observation) {
		demand(4)(o)
		o.Waiting, o.OutputTokens, o.Completions = known(o, 4), known(o, 0), known(o, 0)
	}
	latency := func(p *Policy) {
		p.Signals = []Signal{{Metric: TTFT, Target: 1, Percentile: 0.95}, {Metric: KVCacheUsage, Target: 0.85}}
	}
	kvCache := func(v float64) func(*Observation) {
		return func(o *Observation) {
			o.KVCacheUsage = known(o, v)
			if len(o.TTFT) == 0 {
				ttft(0)(o)
			}
		}
	}
	noAnswer := func(o *Observation) {
		o.KVCacheUsage, o.TTFT = Missing(Failed), []Percentile{{P: 0.95, Quantity: Missing(Failed)}}
	}
	for name, c := range map[string]struct {
		policy Policy
		ticks  []tick
	}{
		"it is not idle": {queue(fromZero), []tick{
			{0, 1, held(0, demand(0)), 1, ReasonZeroCooldown, false},
			{4 * m, none, failed, 1, ReasonQueryError, true},
			{5 * m, 1, held(0, demand(0)), 1, ReasonZeroCooldown, false},
			{9*m - s, 1, held(0, demand(0)), 1, ReasonZeroCooldown, false},
			{9 * m, 1, held(0, demand(0)), 0, ReasonIdleToZero, false},
		}},
		"the batches are not empty": {queue(gate), []tick{
			{0, 4, demand(4), 4, ReasonScaleDownGate, false},
			{m, none, failed, 4, ReasonQueryError, true},
			{2 * m, 4, demand(4), 4, ReasonScaleDownGate, false},
			{3*m - s, 4, demand(4), 4, ReasonScaleDownGate, false},
			{3 * m, 4, demand(4), 1, ReasonMetric, false},
		}},
		"engines are not stuck": {queue(), []tick{
			{0, 2, stuck, 2, ReasonTolerance, false},
			{9 * m, none, failed, 2, ReasonQueryError, true},
			{11 * m, 2, stuck, 2, ReasonTolerance, false},
			{19*m - s, 2, stuck, 2, ReasonTolerance, false},
			{19 * m, 2, stuck, 2, ReasonSuspectSignal, true},
		}},
		"after it a fall waits out a whole window": {queue(), []tick{
			{0, 4, demand(16), 4, ReasonTolerance, false},
			{m, none, failed, 4, ReasonQueryError, true},
			{6 * m, 4, demand(4), 4, ReasonStabilised, false},
			{11*m - s, 4, demand(4), 4, ReasonStabilised, false},
			{11 * m, 4, demand(4), 1, ReasonMetric, false},
		}},
		"nor does one follow at once if only the signals were lacking": {queue(), []tick{
			{0, 4, demand(16), 4, ReasonTolerance, false},
			{m, 4, broken, 4, ReasonQueryError, true},
			{6 * m, 4, demand(4), 4, ReasonStabilised, false},
			{11*m - s, 4, demand(4), 4, ReasonStabilised, false},
			{11 * m, 4, demand(4), 1, ReasonMetric, false},
		}},
		"or if one replica was": {queue(), []tick{
			{0, 4, demand(16), 4, ReasonTolerance, false},
			{m, 4, unheard(3, demand(4)), 4, ReasonPartialData, true},
			{6 * m, 4, unheard(3, demand(4)), 4, ReasonPartialData, true},
			{7 * m, 4, demand(4), 4, ReasonStabilised, false},
			{12*m - s, 4, demand(4), 4, ReasonStabilised, false},
			{12 * m, 4, demand(4), 1, ReasonMetric, false},
		}},
		"but a rise does": {queue(func(p *Policy) { p.ScaleUp.Window = 2 * m }), []tick{
			{0, 4, demand(16), 4, ReasonTolerance, false},
			{m, 4, broken, 4, ReasonQueryError, true},
			{6 * m, 4, demand(32), 8, ReasonMetric, false},
		}},
		"what was asked for longer ago than the hold limit is forgotten": {queue(), []tick{
			{0, 2, demand(32), 6, ReasonRateLimited, false},
			{11 * m, 2, broken, none, ReasonQueryError, true},
			{12 * m, 2, demand(4), 2, ReasonStabilised, false},
		}},
		"a part of the evidence after it lets nothing fall": {queue(fromZero, latency), []tick{
			{0, 1, held(0, demand(0), kvCache(0.1)), 1, ReasonZeroCooldown, false},
			{m, 1, held(0, demand(0), noAnswer), 1, ReasonQueryError, true},
			{12 * m, 1, held(0, demand(0), noAnswer, kvCache(0.1)), 1, ReasonPartialData, true},
		}},
		"nor does it take back what someone else added": {queue(fromZero, latency), []tick{
			{0, 1, held(0, demand(0), kvCache(0.1)), 1, ReasonZeroCooldown, false},
			{6 * m, 2, held(0, demand(0), noAnswer, kvCache(0.1)), 2, ReasonPartialData, true},
		}},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, c.policy, State{}, c.ticks) })
	}
}

// A reload may lower the maximum while the current count is unknown.
func TestTheMaximumBoundsWhatIsHeldInTheDark(t *testing.T) {
	var s State
	first, dark := tick{current: 6, see: demand(24)}, tick{at: 15 * time.Second, current: none, see: failed}
	d, s := Decide(queue(), s, first.observe())
	if !d.Known || d.Desired != 6 {
		t.Fatalf("got %s, want 6", d.Headline())
	}
	d, _ = Decide(queue(atMost(4)), s, dark.observe())
	if !d.Known || d.Desired != 4 || d.Unbounded != 6 {
		t.Errorf("got %s, unbounded %d, want 4, unbounded 6", d.Headline(), d.Unbounded)
	}
}

// What is asked for while nothing is known is what is held, not a request of its own: when
// the current count moves meanwhile, nothing brings it back.
func TestNothingIsAskedForOnNothing(t *testing.T) {
	p := queue(func(p *Policy) { p.ScaleDown.Window = 0 })
	var s State
	var d Decision
	for _, k := range []struct {
		tick
		asked int32
	}{
		{tick{at: 0, current: 2, see: demand(8)}, 2},
		{tick{at: 15 * time.Second, current: 5, see: broken}, 2},
		{tick{at: 30 * time.Second, current: 5, see: unheard(3, demand(32))}, 8}, // a rise on a part of the evidence
		{tick{at: 45 * time.Second, current: 5, see: unheard(3, demand(4))}, 8},  // and a fall, which is not trusted
	} {
		if d, s = Decide(p, s, k.observe()); s.Asked != k.asked {
			t.Errorf("at %v: got %d asked for, want %d (%s)", k.at, s.Asked, k.asked, d.Headline())
		}
	}
}

// A held recommendation is as old as what it rests on, whether the signals are missing or
// the current count too.
func TestHeldRecommendationsKeepTheTimeOfTheirEvidence(t *testing.T) {
	var s State
	for _, k := range []struct {
		tick
		evidence time.Duration
	}{
		{tick{at: 0, current: 2, see: demand(8)}, 0},
		{tick{at: 15 * time.Second, current: 2, see: broken}, 0},
		{tick{at: 30 * time.Second, current: none, see: failed}, 0},
		{tick{at: 45 * time.Second, current: 2, see: demand(8)}, 45 * time.Second},
		{tick{at: 60 * time.Second, current: 2, see: broken}, 45 * time.Second},
	} {
		var d Decision
		if d, s = Decide(queue(), s, k.observe()); !d.Evidence.Equal(start.Add(k.evidence)) {
			t.Errorf("at %v: got evidence of %v, want of %v", k.at, d.Evidence.Sub(start), k.evidence)
		}
	}
}
