package score

import (
	"context"
	"math"
	"slices"
)

// lowerBound returns replica-minutes that every schedule needs which misses no more than
// p.allowed requests. It leaves out so many of the rules that a dynamic program finds the
// cheapest schedule of what is left:
//
//   - Work (see [work]) is a fluid, and n replicas do n seconds of it in a second, on
//     whatever is there. In the simulator they do no more, and often less.
//   - Requests that miss need not be served. Each of them takes no more work away than the
//     heaviest one of its slot.
//   - Requests that do not miss have their first token within the objective. So what is
//     undone of them at any time is no more than all of those that came within the
//     objective before, and what is left of those in the batches (see floor_undone.go).
//   - Within a slot all replicas count that served at any time in it. In return a start
//     costs two slots less than a cold start, and so does an initial replica one slot.
//   - No more than twice as many replicas as may be asked for serve at once: as many again
//     that drain.
//   - Each miss costs the same. Any price gives a lower bound, and the best is taken.
func lowerBound(ctx context.Context, p *problem) (float64, error) {
	if p.run.Step > 0 {
		return math.NaN(), nil
	}
	b := newBound(p)
	if len(p.requests) == 0 || b.allowed < 0 {
		return 0, nil
	}
	low, high := b.bracket()
	// The bound is concave in the price: a golden section finds the top.
	const golden = 0.6180339887498949
	left, right := high-golden*(high-low), low+golden*(high-low)
	atLeft, atRight := b.at(math.Exp(left)), b.at(math.Exp(right))
	best := max(atLeft, atRight, 0)
	for range priceSteps {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if atLeft > atRight {
			high, right, atRight = right, left, atLeft
			left = high - golden*(high-low)
			atLeft = b.at(math.Exp(left))
		} else {
			low, left, atLeft = left, right, atRight
			right = low + golden*(high-low)
			atRight = b.at(math.Exp(right))
		}
		best = max(best, atLeft, atRight)
	}
	return best / 60, nil
}

// priceSteps is how often the range of prices is narrowed.
const priceSteps = 10

// A bound is the relaxed problem.
type bound struct {
	*problem
	// slot, slots: those of the problem, or so many of them in one that the table is
	// small enough.
	slot    float64
	slots   int
	loads   []load
	arrive  []int // work of each slot, in units
	unit    float64
	done    int // units that a replica does in a slot
	allowed int // misses beside those of requests that nobody can serve
	serving int // replicas that can serve at once
	// undone is the most seconds of work that can be undone at the end of a slot in so
	// many replicas, if nothing misses.
	undone      table
	width       int // of the table of undone work
	start       float64
	first       int // slot in which a started replica can serve
	value, next []float64
}

func newBound(p *problem) *bound {
	var b *bound
	for _, r := range resolutions {
		b = newBoundOf(p, r.slots, r.units)
		if b.slots*(b.serving+1)*b.width <= mostCells {
			break
		}
	}
	b.value = make([]float64, (b.serving+1)*b.width)
	b.next = make([]float64, (b.serving+1)*b.width)
	return b
}

// resolutions are how many slots of the problem make one, and the units of work that a
// replica does in it, the finest first. mostCells bounds the time they take.
var resolutions = [...]struct{ slots, units int }{
	{1, 5}, {1, 2}, {2, 2}, {2, 1}, {3, 1}, {5, 1}, {8, 1}, {12, 1}, {20, 1},
}

const mostCells = 20_000_000

// newBoundOf returns the relaxed problem without its table.
func newBoundOf(p *problem, slots, units int) *bound {
	b := &bound{problem: p, slot: p.slot * float64(slots), done: units, allowed: p.allowed}
	b.slots = int(math.Ceil(b.end / b.slot))
	b.unit = b.slot / float64(units)
	b.loads = p.work.loads(p.requests, b.slot, b.slots)
	b.arrive = inUnits(b.loads, b.unit)
	served := 0.0
	for k := range b.loads {
		served += b.loads[k].count
	}
	b.allowed -= len(p.requests) - int(served)
	b.serving = b.enough()
	b.undone = b.mostUndone()
	b.width = int(slices.Max(b.undone.values)/b.unit) + 3
	cold := p.cold
	if p.run.ColdStart != nil {
		cold = 0 // Who knows.
	}
	b.start = max(cold-2*b.slot, 0)
	b.first = int(cold / b.slot)
	return b
}

// enough returns a number of replicas that leaves no work undone in any slot, or what
// is there with draining ones, if that is less. Beyond that number, more can not help.
func (b *bound) enough() int {
	n := (slices.Max(b.arrive)+b.done-1)/b.done + 1
	return max(min(n, 2*b.most), b.run.Initial)
}

// bracket returns logarithms of prices between which the best is sought: from next to
// nothing to more than any miss can save, in seconds of a replica.
func (b *bound) bracket() (low, high float64) {
	return math.Log(1e-3), math.Log(float64(b.most)*b.end + b.cold)
}

// at returns the bound for that price of a miss, in seconds.
func (b *bound) at(price float64) float64 {
	clear(b.next)
	for k := b.slots - 1; k >= 0; k-- {
		b.serve(k, price)
		b.decide(k)
		b.value, b.next = b.next, b.value
	}
	initial := min(b.run.Initial, b.serving)
	return b.next[initial*b.width] - price*float64(b.allowed) - float64(b.run.Initial)*b.slot
}

// serve turns what comes after slot k into what it and the slot cost, by the replicas
// that serve in it and the work that is undone at its beginning.
func (b *bound) serve(k int, price float64) {
	seconds := min(b.slot, b.end-float64(k)*b.slot)
	drop := math.Inf(1)
	if b.loads[k].heaviest > 0 {
		drop = price * b.unit / b.loads[k].heaviest
	}
	for n := range b.serving + 1 {
		after := b.next[n*b.width : (n+1)*b.width]
		// Work and misses are each rounded off by less than a unit.
		limit := int(b.undone.at(k, n)/b.unit) + 2
		for u := range after {
			if u > limit {
				after[u] = math.Inf(1)
			}
			if u > 0 {
				after[u] = min(after[u], after[u-1]+drop)
			}
		}
		value := b.value[n*b.width : (n+1)*b.width]
		for u := range value {
			left := max(u+b.arrive[k]-n*b.done, 0)
			beyond := max(left-b.width+1, 0)
			value[u] = float64(n)*seconds + after[left-beyond]
			if beyond > 0 {
				value[u] += drop * float64(beyond)
			}
		}
	}
}

// decide lets the replicas change at the beginning of slot k.
func (b *bound) decide(k int) {
	if k >= b.first {
		for n := b.serving - 1; n >= 0; n-- {
			value, more := b.value[n*b.width:(n+1)*b.width], b.value[(n+1)*b.width:]
			for u := range value {
				value[u] = min(value[u], more[u]+b.start)
			}
		}
	}
	for n := 1; n <= b.serving; n++ {
		value, fewer := b.value[n*b.width:(n+1)*b.width], b.value[(n-1)*b.width:]
		for u := range value {
			value[u] = min(value[u], fewer[u])
		}
	}
}
