package risk

import (
	"math"
	"time"

	"github.com/infscale/infscale/recommender"
)

// Memory is how far back a tracker looks. Whoever replays that much history has the same
// tracker as one that was there all along.
const Memory = 15 * time.Minute

// mostTicks bounds the memory where intervals are short.
const mostTicks = 256

// A Tracker is what was observed of one workload lately. The zero Tracker knows nothing.
type Tracker struct {
	// ticks are the latest observations, the oldest first.
	ticks []tick
}

// A tick is what an observation says, NaN where it says nothing.
type tick struct {
	at                               int64 // nanoseconds since 1970
	current, ready, reporting        float64
	running, waiting, held           float64
	arrivals, completions            float64 // per second
	prompts, outputs                 float64 // tokens per second
	usage                            float64 // of the cache, 0 to 1
	countsAreLower, arrivalsAreLower bool
}

// Observe adds an observation. One that is not newer than the last is ignored.
func (t *Tracker) Observe(o *recommender.Observation) {
	k := newTick(o)
	if n := len(t.ticks); n > 0 && k.at <= t.ticks[n-1].at {
		return
	}
	t.forget(k.at - int64(Memory))
	t.ticks = append(t.ticks, k)
}

// forget drops what was before a time, and makes room for one tick more.
func (t *Tracker) forget(before int64) {
	first := max(0, len(t.ticks)-mostTicks+1)
	for first < len(t.ticks) && t.ticks[first].at < before {
		first++
	}
	if first > 0 {
		t.ticks = t.ticks[:copy(t.ticks, t.ticks[first:])]
	}
}

// latest returns the last tick, nil if there is none.
func (t *Tracker) latest() *tick {
	if len(t.ticks) == 0 {
		return nil
	}
	return &t.ticks[len(t.ticks)-1]
}

func newTick(o *recommender.Observation) tick {
	k := tick{
		at:      o.Time.UnixNano(),
		current: value(o.Current), ready: value(o.Ready), reporting: value(o.Reporting),
		running: value(o.Running), waiting: value(o.Waiting), held: value(o.Held),
		arrivals: value(o.Arrivals), completions: value(o.Completions),
		prompts: value(o.PromptTokens), outputs: value(o.OutputTokens),
		usage:            value(o.KVCacheUsage),
		countsAreLower:   o.Running.LowerBound || o.Waiting.LowerBound,
		arrivalsAreLower: o.Arrivals.LowerBound,
	}
	k.current, k.ready = replicas(k.current), replicas(k.ready)
	if k.current == 0 && math.IsNaN(k.ready) {
		k.ready = 0
	}
	if k.ready == 0 {
		// There is nobody who could have any, or whom any could reach.
		k.running, k.waiting, k.arrivals = 0, 0, orZero(k.arrivals)
	}
	return k
}

// value returns the number of a quantity, or NaN.
func value(q recommender.Quantity) float64 {
	if !q.Known() || math.IsInf(q.Value, 0) || q.Value < 0 {
		return math.NaN()
	}
	return q.Value
}

// replicas returns a number of replicas, or NaN if there cannot be as many.
func replicas(v float64) float64 {
	const most = 1 << 20
	if v > most {
		return math.NaN()
	}
	return math.Round(v)
}

// orZero is v, or 0 if it is not known.
func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
