package score

import (
	"math"
	"slices"

	"github.com/infscale/infscale/recommender/trace"
)

// A table has a value for each slot and number of replicas.
type table struct {
	columns int
	values  []float64
}

func (t *table) at(slot, replicas int) float64 { return t.values[slot*t.columns+replicas] }

// mostUndone returns how many seconds of work can be undone at the end of each slot if no
// request misses: all of those that came within the objective before, and of the others,
// which are in the batches, what is left to write of as many as there are places for.
//
// How much that is at most follows from the age of a request. Its first token came within
// the objective. Since then its replica has written, or read the prompts of requests that
// came later; so the time that has passed, without the reading of all that came later, went
// into steps of its batch, and no step is longer than that of a full cache. Requests that
// miss may be read too, and then less is written: but then the replica has also done that
// much less of the work that is counted.
func (b *bound) mostUndone() table {
	t := table{b.serving + 1, make([]float64, 0, b.slots*(b.serving+1))}
	recent := b.recently()
	batches := b.work.batches(b.requests, b.serving)
	var l leftovers
	next, read := 0, 0.0
	for k := range b.slots {
		end := min(float64(k+1)*b.slot, b.end)
		for ; next < len(b.requests) && (b.requests[next].At < end || k == b.slots-1); next++ {
			q := &b.requests[next]
			if !b.work.refused(q) {
				read += b.work.reading(q)
				l.list = append(l.list, leftover{q, q.At + b.run.TTFT.Seconds() - read, b.work.writing(q)})
			}
		}
		l.age(&b.work, end-read)
		sums := l.largest(b.serving, int(b.work.places))
		for n, most := range batches {
			t.values = append(t.values, recent[k]+min(most, sums[n]))
		}
	}
	return t
}

// A leftover is what one request may have left to write.
type leftover struct {
	*trace.Request
	// since is when it has begun to write at the latest, on a clock that stands still
	// while anything is read.
	since float64
	// left is the seconds of work that are left at most.
	left float64
}

// leftovers are those of the requests that may be in a batch.
type leftovers struct {
	list []leftover
	sums []float64
	left []float64
}

// age lets time pass until now on the clock of since.
func (l *leftovers) age(w *work, now float64) {
	kept := l.list[:0]
	longest := w.step + w.stepToken*w.cache
	for _, o := range l.list {
		o.left = min(o.left, w.rest(o.Request, (now-o.since)/longest))
		if o.left > 0 {
			kept = append(kept, o)
		}
	}
	l.list = kept
}

// tooMany is how many leftovers are not worth the time to sort them.
const tooMany = 1000

// largest returns the largest leftovers together, for each number of replicas with that
// many places each.
func (l *leftovers) largest(replicas, places int) []float64 {
	l.sums, l.left = append(l.sums[:0], 0), l.left[:0]
	if len(l.list) > tooMany {
		for range replicas {
			l.sums = append(l.sums, math.Inf(1))
		}
		return l.sums
	}
	for i := range l.list {
		l.left = append(l.left, l.list[i].left)
	}
	slices.Sort(l.left)
	sum, i := 0.0, len(l.left)
	for n := range replicas {
		for ; i > max(len(l.left)-(n+1)*places, 0); i-- {
			sum += l.left[i-1]
		}
		l.sums = append(l.sums, sum)
	}
	return l.sums
}

// batches returns the most seconds of decoding that can be left in each number of
// replicas, at any time: that of the heaviest requests that fill the places of their
// batches, or the caches filled with those that are the heaviest for their size.
func (w *work) batches(requests trace.Slice, replicas int) []float64 {
	writing := make([]float64, 0, len(requests))
	densest := 0.0
	for i := range requests {
		q := &requests[i]
		if w.refused(q) {
			continue
		}
		d := w.writing(q)
		writing = append(writing, d)
		densest = max(densest, d/max(w.reserved(q), 1))
	}
	if w.run.Engine.Preemption {
		densest = math.Inf(1) // What was preempted is in no cache.
	}
	slices.Sort(writing)
	slices.Reverse(writing)
	list := make([]float64, 1, replicas+1)
	sum, i := 0.0, 0
	for n := 1; n <= replicas; n++ {
		for ; i < min(n*int(w.places), len(writing)); i++ {
			sum += writing[i]
		}
		list = append(list, min(sum, float64(n)*w.cache*densest))
	}
	return list
}

// recently returns the work of the slots within the objective of the end of each.
func (b *bound) recently() []float64 {
	back := int(math.Ceil(b.run.TTFT.Seconds() / b.slot))
	list := make([]float64, b.slots)
	sum := 0.0
	for k := range list {
		sum += b.loads[k].work
		if k > back {
			sum -= b.loads[k-back-1].work
		}
		list[k] = sum
	}
	return list
}
