package score

import (
	"math"
	"slices"
)

// A plan finds schedules in a fluid model of the fleet, by a dynamic program over slots,
// ready replicas, and work that is undone. Unlike the model of the bound this one tries to
// be right: work is served in the order in which it came, that of requests which miss too,
// and requests miss that find more undone than the replicas can put off. A started replica
// costs a cold start.
type plan struct {
	*problem
	slot    float64 // seconds of a slot of the plan
	merged  int     // slots of the problem that make one
	slots   int
	loads   []load
	arrive  []int
	unit    float64
	putOff  float64 // units that a replica can have before it and yet answer in time
	serving int
	width   int
	start   float64
	first   int

	value, next []float64
	choice      []uint16 // replicas that serve, by slot, replicas before, and work
}

const (
	planUnits = 4          // that a replica does in a slot
	planWidth = 32         // units of undone work for each replica that are told apart, at least
	planCells = 12_000_000 // of the table, at most
)

// newPlan merges slots until the table is small enough.
func newPlan(p *problem) *plan {
	for merged := 1; ; merged++ {
		l := newPlanOf(p, merged)
		cells := (l.serving + 1) * l.width
		if l.slots*cells > planCells && l.slots > 1 {
			continue
		}
		l.value, l.next = make([]float64, cells), make([]float64, cells)
		l.choice = make([]uint16, l.slots*cells)
		return l
	}
}

// newPlanOf returns the plan without its table.
func newPlanOf(p *problem, merged int) *plan {
	l := &plan{problem: p, merged: merged, slot: p.slot * float64(merged), start: p.cold}
	l.slots = (p.slots + merged - 1) / merged
	l.unit = l.slot / planUnits
	writing := l.spread()
	// Half of the decoding of a full batch is undone on average.
	l.putOff = (p.run.TTFT.Seconds() + p.work.places*writing/2) / l.unit
	l.serving = l.enough()
	l.width = l.serving * max(planWidth, 2*int(l.putOff))
	l.first = int(math.Ceil((p.cold + p.slot) / l.slot))
	return l
}

// enough returns a number of replicas that is more than a slot ever needs.
func (l *plan) enough() int {
	n := 1
	for k := range l.loads {
		n = max(n, 1+int(min(slices.Max(factors[:])*l.loads[k].work/l.slot, math.MaxUint16-1)))
	}
	n = min(n, l.most)
	if l.run.GPUs > 0 {
		n = min(n, l.run.GPUs)
	}
	return max(n, l.run.Initial)
}

// spread fills in the loads: reading at the time of the arrival, and writing over the time
// that it takes at the pace of half a batch, since nobody can write faster. It returns the
// mean seconds of writing.
func (l *plan) spread() (mean float64) {
	l.loads = make([]load, l.slots)
	pace := l.pace()
	n := 0.0
	for i := range l.requests {
		q := &l.requests[i]
		if l.work.refused(q) {
			continue
		}
		n++
		first := min(int(q.At/l.slot), l.slots-1)
		l.loads[first].count++
		l.loads[first].work += l.work.reading(q)
		writing := l.work.writing(q)
		mean += (writing - mean) / n
		took := max(float64(q.Output)*pace, 1e-9)
		for at := q.At; at < q.At+took; {
			k := int(at / l.slot)
			until := min(float64(k+1)*l.slot, q.At+took)
			if k >= l.slots || until <= at {
				break
			}
			l.loads[k].work += writing * (until - at) / took
			at = until
		}
	}
	return mean
}

// pace returns the seconds of a decode step of a batch that is half full of mean requests.
func (l *plan) pace() float64 {
	tokens := 0.0
	for i := range l.requests {
		tokens += (float64(l.requests[i].Prompt) + float64(l.requests[i].Output)/2) / float64(len(l.requests))
	}
	return l.work.step + l.work.stepToken*min(tokens*l.work.places, l.work.cache)/2
}

// schedule returns the cheapest schedule of the model, where a miss costs price seconds of
// a replica, and all work is so many times as much: the fluid has no chance in it.
func (l *plan) schedule(price, factor float64) schedule {
	l.arrive = inUnits(l.loads, l.unit/factor)
	clear(l.next)
	for k := l.slots - 1; k >= 0; k-- {
		l.serve(k, price)
		l.decide(k)
	}
	ready := make([]int, 0, l.slots*l.merged)
	n, undone := l.run.Initial, 0
	for k := range l.slots {
		n = int(l.choice[(k*(l.serving+1)+n)*l.width+undone])
		undone = min(max(undone+l.arrive[k]-n*planUnits, 0), l.width-1)
		for range l.merged {
			ready = append(ready, n)
		}
	}
	return l.newSchedule(ready[:l.problem.slots])
}

// serve fills in what slot k and all that come after cost.
func (l *plan) serve(k int, price float64) {
	price *= l.loads[k].count
	for n := range l.serving + 1 {
		cost := float64(n) * l.slot
		value, next := l.value[n*l.width:(n+1)*l.width], l.next[n*l.width:(n+1)*l.width]
		flow, limit := l.arrive[k]-n*planUnits, float64(n)*l.putOff
		for u := range value {
			value[u] = cost + next[min(max(u+flow, 0), l.width-1)]
			if high := float64(u + max(flow, 0)); n == 0 || high > limit {
				value[u] += price * late(float64(u+min(flow, 0)), high, limit)
			}
		}
	}
}

// late returns the part of a slot in which the undone work, which moves from one value to
// the other, is above the limit.
func late(low, high, limit float64) float64 {
	if low >= limit {
		return 1
	}
	return (high - limit) / (high - low)
}

// decide chooses the replicas that serve in slot k.
func (l *plan) decide(k int) {
	choice := l.choice[k*(l.serving+1)*l.width:]
	for u := range l.width {
		fewer, from := math.Inf(1), 0
		for n := range l.serving + 1 {
			if v := l.value[n*l.width+u]; v < fewer {
				fewer, from = v, n
			}
			l.next[n*l.width+u], choice[n*l.width+u] = fewer, uint16(from)
		}
		if k < l.first {
			continue
		}
		more, from := math.Inf(1), l.serving
		for n := l.serving; n >= 0; n-- {
			if more += l.start; more < l.next[n*l.width+u] {
				l.next[n*l.width+u], choice[n*l.width+u] = more, uint16(from)
			}
			if v := l.value[n*l.width+u]; v < more {
				more, from = v, n
			}
		}
	}
}
