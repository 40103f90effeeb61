package risk

import (
	"math"
	"time"

	"github.com/infscale/infscale/recommender/sim"
)

// How much must have been seen before a replica is fitted to it.
const (
	fitTicks  = 16
	fitSpread = 0.15 // the least coefficient of variation of the running requests
)

// readTokens is how many tokens of a prompt an engine reads in the time of one decode step
// of an empty batch, at least. Arithmetic bounds the one and memory the other: cards that
// serve models do 87 (A100) to 230 (L4), and this is less than all of them.
const readTokens = 64

// defaultSlots is the batch of an engine that nobody configured and that never was full.
const defaultSlots = 256

// fit returns a replica whose decode steps take as long as those that were seen: a + b for
// each running request, found by least squares. Where the batches hardly varied, or the
// numbers are none that an engine can have, it is false: two unknowns cannot be told apart
// from one point, and a guess would be taken for knowledge.
func (t *Tracker) fit(l lengths, window time.Duration, slots int) (sim.Replica, bool) {
	empty, each, ok := t.decodeStep(window)
	if !ok {
		return sim.Replica{}, false
	}
	context := l.context()
	r := sim.DefaultReplica()
	r.Parameters, r.BytesPerParameter = empty, 1
	r.Bandwidth, r.BandwidthEfficiency = 1, 1
	r.FLOPS, r.MFU = 2*readTokens, 1
	r.Layers, r.KVHeads, r.HeadDim, r.KVBytes = 1, 1, 1, max(each/context/2, 1e-15)
	r.MaxNumSeqs = t.slots(slots)
	r.MemoryUtilization, r.ReserveBytes = 1, 0
	r.MemoryBytes = empty + t.capacity(context, r.MaxNumSeqs)*r.KVBytesPerToken()
	return r, r.Validate() == nil
}

// decodeStep returns the seconds of a decode step of an empty batch, and how much each
// running request adds.
func (t *Tracker) decodeStep(window time.Duration) (empty, each float64, ok bool) {
	// Reading prompts stalls decoding. How long it takes follows from the step that is
	// being looked for, so it is looked for again.
	for range 4 {
		var ok bool
		if empty, each, ok = t.line(window, empty/readTokens); !ok {
			return 0, 0, false
		}
	}
	return empty, each, true
}

// line fits seconds per step against running requests per replica, where a token of a
// prompt takes read seconds.
func (t *Tracker) line(window time.Duration, read float64) (a, b float64, ok bool) {
	var n, sx, sy, sxx, sxy float64
	for i := range t.ticks {
		k := &t.ticks[i]
		running, ready := t.means(i, window)
		x := running / ready
		if !(x >= 0.5 && k.outputs > 0) {
			continue
		}
		// Every running request gets one token per step.
		busy := 1 - min(orZero(k.prompts)/ready*read, 0.9)
		y := busy * running / k.outputs
		n++
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if n < fitTicks {
		return 0, 0, false
	}
	variance := sxx/n - sx/n*sx/n
	if variance < fitSpread*fitSpread*sx/n*sx/n {
		return 0, 0, false
	}
	b = (sxy/n - sx/n*sy/n) / variance
	a = (sy - b*sx) / n
	return a, b, a > 0 && b > 0 && !math.IsInf(a+b, 0)
}

// means are of the running requests and of the ready replicas over the window before tick
// i, which the rates of tokens are of; NaN where one is not known.
func (t *Tracker) means(i int, window time.Duration) (running, ready float64) {
	n := 0.0
	for j := i; j >= 0 && t.ticks[i].at-t.ticks[j].at <= int64(window); j-- {
		running += t.ticks[j].running
		ready += t.ticks[j].ready
		n++
	}
	return running / n, ready / n
}

// slots is how many requests a replica runs at once: what is configured, else what it ran
// at most while others waited.
func (t *Tracker) slots(configured int) int {
	if configured > 0 {
		return configured
	}
	most := 0.0
	for i := range t.ticks {
		k := &t.ticks[i]
		if k.ready > 0 && k.waiting > 2*k.ready && k.running > 0 {
			most = max(most, k.running/k.ready)
		}
	}
	if most < 1 {
		return defaultSlots
	}
	return int(math.Ceil(most))
}

// capacity is the tokens that a cache holds: what was in it by how full it was. Where that
// was never enough to tell, the slots bound the batch.
func (t *Tracker) capacity(context float64, slots int) float64 {
	const enough = 0.05
	var running, usage float64
	for i := range t.ticks {
		k := &t.ticks[i]
		if k.ready > 0 && k.running > 0 && k.usage >= enough {
			running += k.running / k.ready
			usage += k.usage
		}
	}
	if usage == 0 {
		return 8 * context * float64(slots)
	}
	return max(context*running/usage, 2*context)
}
