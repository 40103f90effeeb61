package score

import (
	"math"

	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// work tells what a request costs a replica at least, in seconds: the time in which its
// prompt is read, and its share of each decode step. A step takes so long for the weights,
// and so long for each token in the cache. The latter is the request's own; of the former
// its share is one of the places of the batch at least, or the part of the cache that it
// holds: either adds up to no more than the step over all that run.
type work struct {
	run             *sim.Run
	read            float64 // seconds for a token of a prompt
	step, stepToken float64
	places, cache   float64
	// byCache says that the share is that of the cache.
	byCache bool
}

func newWork(run *sim.Run) work {
	r := &run.Replica
	return work{
		run: run, read: 1 / r.PrefillTokensPerSecond(),
		step: r.DecodeStep(0), stepToken: r.DecodeStep(1) - r.DecodeStep(0),
		places: float64(r.MaxNumSeqs), cache: float64(r.KVCapacityTokens()),
	}
}

// choose takes the share that makes the requests the more work.
func (w *work) choose(requests trace.Slice) {
	var sum [2]float64
	for i, byCache := range [...]bool{false, true} {
		w.byCache = byCache
		for j := range requests {
			sum[i] += w.writing(&requests[j])
		}
	}
	w.byCache = sum[1] > sum[0]
}

// reading returns the seconds in which the prompt is read. All of its prefix that can be
// in a cache is.
func (w *work) reading(q *trace.Request) float64 {
	prompt := float64(q.Prompt)
	if w.run.Engine.PrefixCache > 0 {
		prompt = max(prompt-w.run.Engine.PrefixCache*float64(q.Prefix), 1)
	}
	return prompt * w.read
}

// writing returns the seconds of decode steps that are the request's.
func (w *work) writing(q *trace.Request) float64 { return w.rest(q, 0) }

// rest returns the seconds that are left of it after so many tokens.
func (w *work) rest(q *trace.Request, tokens float64) float64 {
	prompt, output := float64(q.Prompt), float64(q.Output)
	tokens = min(max(tokens, 0), output)
	share := 1 / w.places
	if w.byCache {
		share = w.reserved(q) / w.cache
	}
	left := output - tokens
	return left*w.step*share + w.stepToken*left*(prompt+(output+tokens)/2)
}

// reserved returns the tokens of the cache that a running request holds at least.
func (w *work) reserved(q *trace.Request) float64 {
	if w.run.Engine.Preemption {
		return float64(q.Prompt)
	}
	return float64(q.Prompt) + float64(q.Output)
}

// refused says that the request fits in no replica.
func (w *work) refused(q *trace.Request) bool {
	return float64(q.Prompt)+float64(q.Output) > w.cache
}

// A load is the requests that arrive within a slot.
type load struct {
	// work is their seconds, heaviest the most of one of them, count how many they are.
	work, heaviest, count float64
}

// loads returns the load of each of so many slots of that many seconds.
func (w *work) loads(requests trace.Slice, slot float64, slots int) []load {
	list := make([]load, slots)
	for i := range requests {
		q := &requests[i]
		if w.refused(q) {
			continue
		}
		l := &list[min(int(q.At/slot), slots-1)]
		seconds := w.reading(q) + w.writing(q)
		l.work += seconds
		l.heaviest = max(l.heaviest, seconds)
		l.count++
	}
	return list
}

// inUnits returns the work of each load in multiples of unit. What is rounded off is carried
// on, so that all work until a slot is less than one unit more.
func inUnits(list []load, unit float64) []int {
	whole := make([]int, len(list))
	sum, done := 0.0, 0
	for k := range list {
		sum += list[k].work / unit
		whole[k] = int(math.Floor(sum)) - done
		done += whole[k]
	}
	return whole
}
