package recommender

import (
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// start is an instant without meaning.
var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// none marks a number that is unknown in a tick.
const none = -1

// A tick is one observation and what must come of it.
type tick struct {
	at      time.Duration
	current int
	see     func(*Observation)
	want    int // desired; none means no recommendation
	reason  Reason
	invalid bool
}

// known is a quantity observed at o's time by every ready replica.
func known(o *Observation, v float64) Quantity {
	return Quantity{Value: v, At: o.Time, Replicas: int32(o.Ready.Value), Evidence: Known}
}

// demand observes n requests in flight, all running.
func demand(n float64) func(*Observation) {
	return func(o *Observation) { o.Running, o.Waiting = known(o, n), known(o, 0) }
}

// held observes n requests held in front, and silent pods if there are none ready.
func held(n float64, more ...func(*Observation)) func(*Observation) {
	return func(o *Observation) {
		o.Held = Exactly(n, o.Time, 0)
		for _, f := range more {
			f(o)
		}
	}
}

// loading observes replicas of which none is ready.
func loading(o *Observation) { o.Ready, o.Reporting = Exactly(0, o.Time, 0), Exactly(0, o.Time, 0) }

// unheard observes that only n ready replicas were heard.
func unheard(n float64, more func(*Observation)) func(*Observation) {
	return func(o *Observation) { more(o); o.Reporting = Exactly(n, o.Time, 0) }
}

// failed observes that no query was answered, not even for the current count.
func failed(o *Observation) {
	f := Missing(Failed)
	*o = Observation{Time: o.Time, Current: f, Ready: f, Reporting: f, Running: f, Waiting: f, Held: f}
}

// uncounted observes held requests, and no replicas at all, as without kube-state-metrics.
func uncounted(n float64) func(*Observation) {
	return func(o *Observation) {
		*o = Observation{Time: o.Time, Held: Exactly(n, o.Time, 0)}
	}
}

// broken observes signals whose queries failed, with the replicas known.
func broken(o *Observation) { o.Running, o.Waiting = Missing(Failed), Missing(Failed) }

// unmatched observes signals whose series nobody ever had.
func unmatched(o *Observation) { o.Running, o.Waiting = Missing(NeverMatched), Missing(NeverMatched) }

// ttft observes a percentile of v seconds, or no request at all.
func ttft(v float64) func(*Observation) {
	return func(o *Observation) {
		q := known(o, v)
		if v == 0 {
			q = Missing(Unobserved)
		}
		o.TTFT = []Percentile{{P: 0.95, Quantity: q}}
	}
}

// silent observes nothing at all of the pods.
func silent(*Observation) {}

// observe returns the observation of a tick.
func (k *tick) observe() Observation {
	o := Observation{Time: start.Add(k.at)}
	if k.current != none {
		n := Exactly(float64(k.current), o.Time, 0)
		o.Current, o.Ready, o.Reporting = n, n, n
	}
	k.see(&o)
	return o
}

// queue returns the policy that most cases use: 4 requests per replica, 1 to 8 replicas.
func queue(edit ...func(*Policy)) Policy {
	p := DefaultPolicy()
	p.Max, p.ColdStart = 8, 90*time.Second
	p.Signals = []Signal{{Metric: Queue, Target: 4}}
	for _, f := range edit {
		f(&p)
	}
	return p
}

// fromZero allows zero, with a source of held requests.
func fromZero(p *Policy) { p.Min, p.Held = 0, true }

// atMost sets the maximum.
func atMost(n int32) func(*Policy) { return func(p *Policy) { p.Max = n } }

// target sets the target of the first signal.
func target(v float64) func(*Policy) { return func(p *Policy) { p.Signals[0].Target = v } }

// timeline runs ticks through Decide.
func timeline(t *testing.T, p Policy, s State, ticks []tick) {
	t.Helper()
	for _, k := range ticks {
		var d Decision
		d, s = Decide(p, s, k.observe())
		got := none
		if d.Known {
			got = int(d.Desired)
		}
		if got != k.want || d.Reason != k.reason || d.Valid == k.invalid {
			e := d.Explain()
			t.Errorf("at %v: got %d, %s, valid %v, want %d, %s, valid %v\n%s", k.at, got, d.Reason, d.Valid, k.want, k.reason, !k.invalid, e.Text())
		}
	}
}

func TestDecideTimelines(t *testing.T) {
	const m, s = time.Minute, time.Second
	kv := func(p *Policy) {
		p.Signals = append(p.Signals, Signal{Metric: KVCacheUsage, Target: 0.85})
	}
	kvFails := func(n float64) func(*Observation) {
		return func(o *Observation) { demand(n)(o); o.KVCacheUsage = Missing(Failed) }
	}
	for name, test := range map[string]struct {
		policy Policy
		ticks  []tick
	}{
		"load inside the tolerance keeps the count": {queue(target(2), atMost(40)), []tick{
			{0, 19, demand(40), 19, ReasonTolerance, false},
			{15 * s, 19, demand(42), 21, ReasonMetric, false},
		}},
		"exactly on target is no change": {queue(), []tick{{0, 5, demand(20), 5, ReasonTolerance, false}}},
		"2.1 over 0.7 is 3":              {queue(target(0.7)), []tick{{0, 1, demand(2.1), 3, ReasonMetric, false}}},
		"growth is not multiplied while replicas load": {queue(atMost(32)), []tick{
			{0, 2, demand(32), 6, ReasonRateLimited, false},
			{15 * s, 6, demand(32), 8, ReasonMetric, false},
			{30 * s, 8, demand(32), 8, ReasonTolerance, false},
			{45 * s, 8, demand(32), 8, ReasonTolerance, false},
		}},
		"a start without memory holds the count for one down window": {queue(), []tick{
			{0, 7, demand(2), 7, ReasonStabilised, false},
			{150 * s, 7, demand(2), 7, ReasonStabilised, false},
			{285 * s, 7, demand(2), 7, ReasonStabilised, false},
			{299 * s, 7, demand(2), 7, ReasonStabilised, false},
			{300 * s, 7, demand(2), 1, ReasonMetric, false}, // age equal to the window does not count
		}},
		"an idle workload stays at its minimum": {queue(), []tick{
			{0, 1, demand(0), 1, ReasonStabilised, false},
			{5 * m, 1, demand(0), 1, ReasonMinReplicas, false},
			{6 * m, 1, demand(0), 1, ReasonMinReplicas, false},
		}},
		"more than max is clamped and shown": {queue(), []tick{{0, 8, demand(80), 8, ReasonMaxReplicas, false}}},
		"a failed query holds, then withdraws after the hold limit": {queue(), []tick{
			{0, 6, demand(24), 6, ReasonTolerance, false},
			{15 * s, 6, broken, 6, ReasonQueryError, true},
			{10 * m, 6, broken, 6, ReasonQueryError, true}, // exactly the limit still holds
			{10*m + s, 6, broken, none, ReasonQueryError, true},
			{20 * m, 6, broken, none, ReasonQueryError, true},
			{20*m + 15*s, 6, demand(24), 6, ReasonTolerance, false},
		}},
		"a dead Prometheus hides the current count too": {queue(), []tick{
			{0, 5, demand(20), 5, ReasonTolerance, false},
			{15 * s, none, failed, 5, ReasonQueryError, true},
			{10 * m, none, failed, 5, ReasonQueryError, true},
			{10*m + s, none, failed, none, ReasonQueryError, true},
			{11 * m, 5, demand(20), 5, ReasonTolerance, false},
		}},
		"nothing is recommended before anything is known": {queue(), []tick{
			{0, none, silent, none, ReasonNoData, true},
			{15 * s, none, failed, none, ReasonQueryError, true},
			{30 * s, 2, demand(8), 2, ReasonTolerance, false},
		}},
		"an empty answer is not zero": {queue(), []tick{
			{0, 6, demand(23), 6, ReasonTolerance, false},
			{15 * s, 6, silent, 6, ReasonNoData, true},
			{6 * m, 6, silent, 6, ReasonNoData, true},
		}},
		"evidence is held at what was last asked for": {queue(), []tick{
			{0, 3, demand(28), 7, ReasonMetric, false},
			{15 * s, 3, silent, 7, ReasonNoData, true}, // the follower lags
		}},
		"an unheard replica lets nothing fall and something rise": {queue(), []tick{
			{0, 5, demand(20), 5, ReasonTolerance, false},
			{10 * m, 5, unheard(4, demand(4)), 5, ReasonPartialData, true},
			{11 * m, 5, unheard(4, demand(28)), 7, ReasonPartialData, true},
			{12 * m, 7, demand(4), 7, ReasonStabilised, false},
		}},
		"a missing required signal lets nothing fall and something rise": {queue(kv), []tick{
			{0, 5, kvFails(4), 5, ReasonPartialData, true},
			{10 * m, 5, kvFails(4), 5, ReasonPartialData, true},
			{20 * m, 5, kvFails(4), 5, ReasonPartialData, true}, // partial evidence never withdraws
			{20*m + 15*s, 5, kvFails(40), 8, ReasonPartialData, true},
		}},
		"a missing optional signal is nothing": {queue(kv, func(p *Policy) { p.Signals[1].Optional = true }), []tick{
			{0, 5, kvFails(4), 5, ReasonStabilised, false},
			{5 * m, 5, kvFails(4), 1, ReasonMetric, false},
		}},
		"not a number is invalid": {queue(), []tick{
			{0, 4, func(o *Observation) { demand(0)(o); o.Running.Value = -7 }, 4, ReasonPartialData, true},
			{15 * s, 4, func(o *Observation) { o.Running, o.Waiting = Missing(Invalid), Missing(Invalid) }, 4, ReasonInvalidData, true},
		}},
		"stale is not zero": {queue(), []tick{
			{0, 4, func(o *Observation) { o.Running, o.Waiting = Missing(Stale), Missing(Stale) }, 4, ReasonStaleData, true},
		}},
		"a selector that never matched says so": {queue(), []tick{
			{0, 4, unmatched, none, ReasonNeverMatched, true},
			{15 * s, none, failed, none, ReasonQueryError, true}, // and nothing to hold meanwhile
			{30 * s, 4, unmatched, none, ReasonNeverMatched, true},
			{45 * s, 4, broken, 4, ReasonQueryError, true}, // a query that fails says nothing of names
			{60 * s, 4, demand(4), 4, ReasonStabilised, false},
		}},
		"what was heard once is held, whatever the server has forgotten": {queue(), []tick{
			{0, 4, demand(16), 4, ReasonTolerance, false},
			{15 * s, 4, unmatched, 4, ReasonNeverMatched, true},
			{10 * m, 4, unmatched, 4, ReasonNeverMatched, true},
			{10*m + s, 4, unmatched, none, ReasonNeverMatched, true},
		}},
		"one signal of two that never matched is no misspelt workload": {queue(kv), []tick{
			{0, 4, func(o *Observation) { unmatched(o); o.KVCacheUsage = Missing(Failed) }, 4, ReasonNeverMatched, true},
		}},
		"held requests wake a workload, more of them more replicas": {queue(fromZero), []tick{
			{0, 0, held(0), 0, ReasonMetric, false},
			{15 * s, 0, held(1), 1, ReasonActivateFromZero, false},
			{30 * s, 0, held(12), 3, ReasonActivateFromZero, false},
			{45 * s, 1, held(12, loading), 3, ReasonMetric, false}, // the consumer always wakes to 1 first
			{60 * s, 3, held(12, loading), 3, ReasonTolerance, false},
		}},
		"an unknown held source at zero wakes nothing": {queue(fromZero), []tick{
			{0, 0, silent, 0, ReasonPartialData, true},
			{20 * m, 0, silent, 0, ReasonPartialData, true},
		}},
		"held requests wake a workload of which nobody says the count": {queue(fromZero), []tick{
			{0, 0, held(0), 0, ReasonMetric, false},
			{15 * s, none, uncounted(0), 0, ReasonNoData, true},
			{30 * s, none, uncounted(12), 1, ReasonNoData, true},
			{45 * s, none, uncounted(0), 1, ReasonNoData, true}, // nobody says that it has woken
			{60 * s, 0, held(0), 1, ReasonZeroCooldown, false},
			{75 * s, 0, held(12), 3, ReasonActivateFromZero, false},
		}},
		"but not more than there were, and not after the hold limit": {queue(fromZero), []tick{
			{0, 2, held(0, demand(6)), 2, ReasonMetric, false},
			{15 * s, none, uncounted(12), 2, ReasonNoData, true},
			{10 * m, none, uncounted(12), 2, ReasonNoData, true},
			{10*m + s, none, uncounted(12), none, ReasonNoData, true},
		}},
		"that nothing was measured is whole only if every ready replica was heard": {queue(func(p *Policy) {
			p.Signals = []Signal{{Metric: TTFT, Percentile: 0.95, Target: 2}}
		}), []tick{
			{0, 4, func(o *Observation) { demand(0)(o); ttft(0)(o) }, 4, ReasonMetric, false},
			{15 * s, 4, unheard(3, func(o *Observation) { demand(0)(o); ttft(0)(o) }), 4, ReasonPartialData, true},
		}},
		"zero is forgotten after the hold limit too": {queue(fromZero), []tick{
			{0, 0, held(0), 0, ReasonMetric, false},
			{10*m + s, none, uncounted(12), none, ReasonNoData, true},
		}},
		"zero waits for the cooldown after the last request": {queue(fromZero, func(p *Policy) { p.Cooldown = 15 * m }), []tick{
			{0, 0, held(1), 1, ReasonActivateFromZero, false},
			{15 * s, 1, held(0, demand(1)), 1, ReasonMetric, false},
			{14 * m, 1, held(0, demand(1)), 1, ReasonMetric, false},
			{15 * m, 1, held(0, demand(0)), 1, ReasonZeroCooldown, false},
			{29*m - s, 1, held(0, demand(0)), 1, ReasonZeroCooldown, false},
			{29 * m, 1, held(0, demand(0)), 0, ReasonIdleToZero, false},
			{30 * m, 0, held(0), 0, ReasonMetric, false},
		}},
		"the gap between two waking signals is not idleness": {queue(fromZero), []tick{
			{0, 0, held(1), 1, ReasonActivateFromZero, false},
			{75 * s, 1, held(1, loading), 1, ReasonMetric, false},
			{90 * s, 1, held(0, loading), 1, ReasonZeroCooldown, false},
			{120 * s, 1, held(0, demand(1)), 1, ReasonMetric, false},
			{135 * s, 1, held(0, demand(0)), 1, ReasonZeroCooldown, false},
			{419 * s, 1, held(0, demand(0)), 1, ReasonZeroCooldown, false},
			{420 * s, 1, held(0, demand(0)), 0, ReasonIdleToZero, false},
		}},
		"replicas that load without a held source are not idle": {queue(), []tick{
			{0, 3, loading, 3, ReasonNoData, true},
			{9 * m, 3, loading, 3, ReasonNoData, true},
		}},
		"replicas that never become ready go back to zero when nobody waits": {queue(fromZero), []tick{
			{0, 0, held(12), 3, ReasonActivateFromZero, false},
			{15 * s, 3, held(12, loading), 3, ReasonTolerance, false},
			{30 * s, 3, held(0, loading), 3, ReasonStabilised, false},
			{389 * s, 3, held(0, loading), 1, ReasonZeroCooldown, false},
			{390 * s, 1, held(0, loading), 0, ReasonIdleToZero, false},
		}},
		"a client that gives up does not take back the wake": {queue(fromZero), []tick{
			{0, 0, held(1), 1, ReasonActivateFromZero, false},
			{15 * s, 0, held(0), 1, ReasonZeroCooldown, false},
			{389 * s, 0, held(0), 1, ReasonZeroCooldown, false},
			{390 * s, 0, held(0), 0, ReasonMetric, false}, // wake, cold start, cooldown
		}},
		"unknown time is not idle time": {queue(fromZero), []tick{
			{0, 2, held(0, demand(0)), 2, ReasonStabilised, false},
			{4 * m, 2, held(0, broken), 2, ReasonPartialData, true},
			{8 * m, 2, held(0, demand(0)), 2, ReasonStabilised, false},
			{9*m - s, 2, held(0, demand(0)), 2, ReasonStabilised, false},
			{9 * m, 2, held(0, demand(0)), 0, ReasonIdleToZero, false},
		}},
		"idle goes to zero from any count, past the window": {queue(fromZero, func(p *Policy) { p.Cooldown = 2 * m }), []tick{
			{0, 5, held(0, demand(20)), 5, ReasonTolerance, false},
			{1 * m, 5, held(0, demand(0)), 5, ReasonStabilised, false},
			{2 * m, 5, held(0, demand(0)), 0, ReasonIdleToZero, false},
		}},
		"disabled scale-down never goes to zero": {queue(fromZero, func(p *Policy) { p.ScaleDown.Select = hpa.Disabled }), []tick{
			{0, 2, held(0, demand(0)), 2, ReasonStabilised, false},
			{10 * m, 2, held(0, demand(0)), 2, ReasonRateLimited, false},
		}},
		"a follower that lags a tick is not counted twice": {queue(atMost(40)), []tick{
			{0, 2, demand(80), 6, ReasonRateLimited, false},
			{15 * s, 2, demand(80), 6, ReasonRateLimited, false},
			{30 * s, 6, demand(80), 12, ReasonRateLimited, false},
		}},
		"a dip while the follower lags does not take back a rise": {queue(atMost(40)), []tick{
			{0, 2, demand(24), 6, ReasonMetric, false},
			{15 * s, 2, demand(8), 6, ReasonStabilised, false},
			{30 * s, 6, demand(8), 6, ReasonStabilised, false},
			{301 * s, 6, demand(8), 2, ReasonMetric, false},
			{316 * s, 6, demand(8), 2, ReasonMetric, false},
		}},
		"a limited fall is not taken back while the follower lags": {queue(func(p *Policy) {
			p.ScaleDown.Window, p.ScaleDown.Policies = 0, []hpa.Policy{{Type: hpa.Pods, Value: 2, Period: 20 * s}}
		}), []tick{
			{0, 8, demand(4), 6, ReasonRateLimited, false},
			{15 * s, 8, demand(4), 6, ReasonRateLimited, false},
			{30 * s, 7, demand(4), 6, ReasonRateLimited, false},
			{45 * s, 6, demand(4), 5, ReasonRateLimited, false}, // one of the two was used at 30 s
		}},
		"what was held is not forgotten when even the current count is unknown": {queue(), []tick{
			{0, 5, demand(20), 5, ReasonTolerance, false},
			{10 * m, 5, demand(2), 1, ReasonMetric, false},
			{10*m + 15*s, 3, broken, 3, ReasonQueryError, true},
			{10*m + 30*s, none, failed, 3, ReasonQueryError, true},
			{11 * m, 3, demand(2), 1, ReasonMetric, false},
		}},
		"a count that may be too small lets nothing fall": {queue(), []tick{
			{0, 4, demand(16), 4, ReasonTolerance, false},
			{10 * m, 2, func(o *Observation) { demand(2)(o); o.Current.LowerBound = true }, 4, ReasonPartialData, true},
		}},
		"a part of the pod list is not the silence of loading replicas": {queue(fromZero), []tick{
			{0, 2, held(0, loading, func(o *Observation) { o.Ready.LowerBound = true }), 2, ReasonPartialData, true},
			{30 * m, 2, held(0, loading, func(o *Observation) { o.Ready.LowerBound = true }), 2, ReasonPartialData, true},
		}},
		"an absurd count is no count": {queue(), []tick{
			{0, 2, demand(8), 2, ReasonTolerance, false},
			{15 * s, 2, func(o *Observation) { demand(8)(o); o.Current.Value = 1e300 }, 2, ReasonInvalidData, true},
		}},
		"failed queries are not the silence of loading replicas": {queue(fromZero), []tick{
			{0, 2, held(0, loading, broken), 2, ReasonPartialData, true},
			{9 * m, 2, held(0, loading, broken), 2, ReasonPartialData, true},
			{20 * m, 2, held(0, loading, broken), 2, ReasonPartialData, true},
		}},
		"a recommendation older than the hold limit does not come back": {queue(), []tick{
			{0, 8, demand(32), 8, ReasonTolerance, false},
			{60 * m, none, failed, none, ReasonQueryError, true},
			{61 * m, 2, unheard(1, demand(4)), 2, ReasonPartialData, true},
			{62 * m, 2, demand(8), 2, ReasonTolerance, false},
		}},
		"a start while replicas load grants a cold start": {queue(fromZero, func(p *Policy) { p.ColdStart = 20 * m }), []tick{
			{0, 1, held(0, loading), 1, ReasonZeroCooldown, false},
			{24 * m, 1, held(0, loading), 1, ReasonZeroCooldown, false},
			{25 * m, 1, held(0, loading), 0, ReasonIdleToZero, false},
		}},
		"an optional signal lowers nothing while a ready replica is unheard": {queue(func(p *Policy) { p.Signals[0].Optional = true }), []tick{
			{0, 4, unheard(1, demand(1)), 4, ReasonPartialData, true},
			{6 * m, 4, unheard(1, demand(1)), 4, ReasonPartialData, true},
			{7 * m, 4, broken, 4, ReasonQueryError, true},
		}},
		"a latency without requests keeps what was asked for": {queue(func(p *Policy) {
			p.Signals = []Signal{{Metric: TTFT, Target: 2, Percentile: 0.95}}
		}), []tick{
			{0, 2, ttft(6), 6, ReasonMetric, false},
			{15 * s, 2, ttft(0), 6, ReasonMetric, false},
			{10 * m, 6, ttft(0), 6, ReasonMetric, false},
			{11 * m, 6, ttft(6), 8, ReasonMaxReplicas, false},
		}},
		"several signals, the largest wins": {queue(kv), []tick{
			{0, 4, func(o *Observation) { demand(16)(o); o.KVCacheUsage = known(o, 0.95) }, 5, ReasonMetric, false},
			{15 * s, 4, func(o *Observation) { demand(28)(o); o.KVCacheUsage = known(o, 0.5) }, 7, ReasonMetric, false},
		}},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, test.policy, State{}, test.ticks) })
	}
}

func TestGateLookaheadAndSuspect(t *testing.T) {
	const m, s = time.Minute, time.Second
	gated := queue(func(p *Policy) {
		p.MaxNumSeqs, p.Gate = 10, Gate{BatchFill: 0.4, For: 10 * m}
		p.ScaleDown.Window = 0
	})
	timeline(t, gated, State{}, []tick{
		{0, 4, demand(4), 4, ReasonScaleDownGate, false},
		{10*m - s, 4, demand(4), 4, ReasonScaleDownGate, false},
		{10 * m, 4, demand(4), 1, ReasonMetric, false},
		{11 * m, 3, func(o *Observation) { o.Running, o.Waiting = known(o, 12), known(o, 0) }, 3, ReasonTolerance, false}, // fill 0.4 is not below
		{20 * m, 3, demand(3), 3, ReasonScaleDownGate, false},
		{21 * m, 3, demand(3), 1, ReasonMetric, false},
	})
	ahead := queue(atMost(40), func(p *Policy) { p.Lookahead = 90 * s })
	timeline(t, ahead, State{}, []tick{
		{0, 3, demand(10), 3, ReasonMetric, false},
		{15 * s, 3, demand(20), 7, ReasonRateLimited, false}, // 20 + 90 x 10/15 = 80 asks for 20
		{30 * s, 7, demand(10), 7, ReasonStabilised, false},  // a fall is never projected
	})
	pile := queue(fromZero, atMost(40), func(p *Policy) { p.Lookahead = 90 * s })
	timeline(t, pile, State{}, []tick{
		{0, 0, held(0), 0, ReasonMetric, false},
		{15 * s, 0, held(12), 3, ReasonActivateFromZero, false}, // what piles up at zero is not growth
		{30 * s, 3, held(20, loading), 5, ReasonMetric, false},
	})
	stuck := func(o *Observation) {
		o.Running, o.Waiting = known(o, 1), known(o, 14)
		o.OutputTokens, o.Completions = known(o, 0), known(o, 0)
	}
	more := func(o *Observation) { stuck(o); o.Waiting.Value = 40 }
	partly := func(o *Observation) { stuck(o); o.OutputTokens.LowerBound = true }
	uncounted := func(o *Observation) { stuck(o); o.Completions = Missing(Absent) }
	timeline(t, queue(), State{}, []tick{
		{0, 4, partly, 4, ReasonTolerance, false},
		{11 * m, 4, func(o *Observation) { partly(o); o.Waiting.Value = 30 }, 8, ReasonMetric, false}, // a lower bound of 0 is no proof
	})
	timeline(t, queue(), State{}, []tick{
		{0, 4, uncounted, 4, ReasonTolerance, false}, // llama.cpp counts no completions
		{10 * m, 4, func(o *Observation) { uncounted(o); o.Waiting.Value = 30 }, 4, ReasonSuspectSignal, true},
	})
	timeline(t, queue(), State{}, []tick{
		{0, 1, stuck, 4, ReasonMetric, false},
		{15 * s, 4, stuck, 4, ReasonTolerance, false},
		{10*m - s, 3, stuck, 4, ReasonMetric, false},
		{10 * m, 3, stuck, 4, ReasonSuspectSignal, true}, // what was asked for stays
		{10*m + 15*s, 4, more, 4, ReasonSuspectSignal, true},
		{60 * m, 4, stuck, 4, ReasonSuspectSignal, true},
		{61 * m, 3, func(o *Observation) { stuck(o); o.OutputTokens.Value = 5 }, 4, ReasonMetric, false},
	})
}

func TestSchedules(t *testing.T) {
	madrid, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	on, err1 := ParseCron("30 8 * * 1-5")
	off, err2 := ParseCron("0 19 * * 1-5")
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	p := queue(func(p *Policy) {
		p.Schedules = []Schedule{{Start: on, End: off, Location: madrid, Min: 6}}
		p.ScaleDown.Window = 0
	})
	at := func(h, m int) time.Duration { return time.Date(2026, 3, 2, h, m, 0, 0, madrid).Sub(start) }
	timeline(t, p, State{}, []tick{
		{at(8, 29), 1, demand(4), 1, ReasonTolerance, false},
		{at(8, 30), 1, demand(4), 6, ReasonSchedule, false}, // not rate limited
		{at(9, 0), 6, demand(32), 8, ReasonMetric, false},
		{at(18, 59), 6, demand(4), 6, ReasonSchedule, false},
		{at(19, 0), 6, demand(4), 1, ReasonMetric, false}, // ends at once
	})
	p.Max = 40
	p.Schedules[0].Min = 30
	timeline(t, p, State{}, []tick{
		{at(18, 59), 2, demand(4), 30, ReasonSchedule, false},
		{at(19, 0), 2, demand(160), 6, ReasonRateLimited, false}, // a floor is no licence to jump
	})
}

func TestQuietState(t *testing.T) {
	drop := func(edit func(*Policy)) Policy {
		return queue(func(p *Policy) { p.ScaleDown.Policies = nil }, edit)
	}
	for name, test := range map[string]struct {
		policy Policy
		tick   tick
	}{
		"one pod down": {drop(func(p *Policy) {
			p.ScaleDown.Policies = []hpa.Policy{{Type: hpa.Pods, Value: 1, Period: 15 * time.Second}}
		}), tick{0, 8, demand(8), 7, ReasonRateLimited, false}},
		"half down": {drop(func(p *Policy) {
			p.ScaleDown.Policies = []hpa.Policy{{Type: hpa.Percent, Value: 50, Period: 15 * time.Second}}
		}), tick{0, 8, demand(8), 4, ReasonRateLimited, false}},
		"the larger drop of both": {drop(func(p *Policy) {
			p.ScaleDown.Policies = []hpa.Policy{{Type: hpa.Pods, Value: 1, Period: 15 * time.Second}, {Type: hpa.Percent, Value: 50, Period: 15 * time.Second}}
		}), tick{0, 8, demand(8), 4, ReasonRateLimited, false}},
		"idle for ever":            {queue(fromZero), tick{0, 1, held(0, demand(0)), 0, ReasonIdleToZero, false}},
		"no sample keeps":          {queue(), tick{0, 3, silent, 3, ReasonNoData, true}},
		"five held at zero want 2": {queue(fromZero), tick{0, 0, held(5), 2, ReasonActivateFromZero, false}},
		"12 in flight want 3":      {queue(), tick{0, 1, demand(12), 3, ReasonMetric, false}},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, test.policy, Quiet(start.Add(-time.Second)), []tick{test.tick}) })
	}
}
