package risk

import (
	"math"
	"slices"

	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// simulate lets the traffic of the p-th quantile arrive at every number of replicas. The
// number of the node, with the seed, chooses what is random beyond that.
func (e *Estimator) simulate(s *situation, p float64, number int) node {
	e.source.Seed(s.seed, mix(uint64(number)))
	y := node{p: p}
	e.drawStarts(s)
	e.place(s)
	y.weight = e.drawRequests(s, p)
	current := e.thin.replicas(s, s.current)
	first := 0 // of those that take nothing away
	for first < len(e.runs) && e.runs[first].replicas < current {
		first++
	}
	if first > 0 {
		e.base.CopyFrom(e.trunk)
	}
	e.simulateMore(s, &y, first, current)
	for i := first - 1; i >= 0; i-- {
		n := e.runs[i].replicas
		// Fewer replicas miss no less, and when all is missed there is nothing left to learn.
		if above := y.missed[i+1]; n == e.runs[i+1].replicas || above >= certain {
			y.missed[i] = above
			continue
		}
		e.branch.CopyFrom(e.base)
		e.branch.Resize(n, 0)
		e.arrive(e.branch, 0, math.Inf(1))
		y.missed[i] = e.missed(s, e.branch)
	}
	return y
}

// certain is the fraction of misses from which on it is one.
const certain = 0.98

// simulateMore simulates the numbers of replicas from the one at place first on, which is
// the current one. Until new replicas are ready, what happens is the same for all.
func (e *Estimator) simulateMore(s *situation, y *node, first, current int) {
	arrived := e.arrive(e.trunk, 0, e.cold)
	last := len(e.runs) - 1
	for i := last; i > first; i-- {
		if n := e.runs[i].replicas; i < last && n == e.runs[i+1].replicas {
			y.missed[i] = y.missed[i+1]
			continue
		}
		e.branch.CopyFrom(e.trunk)
		for range e.runs[i].replicas - current {
			e.branch.AddStarting(e.cold)
		}
		e.branch.Advance(e.cold)
		e.arrive(e.branch, arrived, math.Inf(1))
		y.missed[i] = e.missed(s, e.branch)
	}
	e.arrive(e.trunk, arrived, math.Inf(1))
	y.missed[first] = e.missed(s, e.trunk)
}

// arrive sends the requests into f that arrive before a time, from the one with that
// number on, and returns how many have arrived. What starts is ready before a request that
// comes at the same time.
func (e *Estimator) arrive(f *sim.Fleet, from int, before float64) int {
	starts := e.starts
	for i := from; i < len(e.requests); i++ {
		q := e.requests[i]
		if q.At >= before {
			f.Advance(before)
			e.spent += i - from
			return i
		}
		for len(starts) > 0 && starts[0] <= q.At {
			f.Advance(starts[0])
			starts = starts[1:]
		}
		f.Arrive(q)
	}
	e.spent += len(e.requests) - from
	return len(e.requests)
}

// missed is the fraction of the requests that miss the objective. It is known once the
// last of them has waited for that long.
func (e *Estimator) missed(s *situation, f *sim.Fleet) float64 {
	until := s.horizon + s.objective.Seconds()
	f.Advance(until)
	return float64(f.Missed(until)) / float64(len(e.requests))
}

// drawStarts draws when the starting replicas are ready, and how long new ones take. All
// replicas of a workload have the same image and the same weights: they are slow together.
func (e *Estimator) drawStarts(s *situation) {
	u := e.random.Float64()
	e.cold = s.cold.after(0, u)
	e.starts = e.starts[:0]
	n := e.thin.replicas(s, s.current) - e.thin.ready
	for i := range n {
		age := s.ages[i*len(s.ages)/n]
		e.starts = append(e.starts, s.cold.after(age, u))
	}
	slices.Sort(e.starts)
}

// drawRequests draws the requests that arrive within the horizon, at least one, and
// returns the probability that there is one.
func (e *Estimator) drawRequests(s *situation, p float64) float64 {
	if s.forecast.again {
		e.repeat(s, p)
	} else {
		e.walk(s, studentT(p))
	}
	expected := total(e.course).count
	scale := e.thin.share / e.thin.merge
	e.requests = e.requests[:0]
	// The first gap is drawn from those that end within the horizon.
	gap := -math.Log1p(e.random.Float64() * math.Expm1(-expected*scale))
	start := 0.0
	for _, b := range e.course {
		mass := b.count * scale
		left := mass
		for gap < left && len(e.requests) < e.longest {
			left -= gap
			e.request(s, start+(1-left/mass)*b.seconds)
			gap = e.gap()
		}
		gap -= left
		start += b.seconds
	}
	if len(e.requests) == 0 { // by rounding
		e.request(s, s.horizon/2)
	}
	if s.forecast.again {
		return 1 // The blocks are chosen by it.
	}
	return -math.Expm1(-expected)
}

// request adds one that arrives at a second, with lengths drawn.
func (e *Estimator) request(s *situation, at float64) {
	most := 0.9 * float64(s.replica.KVCapacityTokens()) / e.thin.merge
	e.requests = append(e.requests, trace.Request{
		At:     at,
		Prompt: tokens(s.lengths.prompt*spread.draw(e.random), most*0.9),
		Output: tokens(s.lengths.output*spread.draw(e.random), most*0.1),
	})
}

// walk draws a course of the traffic: the requests expected in the parts of the horizon,
// where the rate goes z times its spread away from the middle.
func (e *Estimator) walk(s *situation, z float64) {
	f := &s.forecast
	parts := max(int(math.Ceil(s.horizon/f.slot)), 8)
	seconds := s.horizon / float64(parts)
	noise := math.Sqrt(math.Log1p(f.noise))
	e.course = e.course[:0]
	for i := range parts {
		rate := f.at((float64(i)+0.5)*seconds, z)
		if noise > 0 {
			rate *= math.Exp(noise*e.random.NormFloat64() - noise*noise/2)
		}
		e.course = append(e.course, bin{seconds: seconds, count: rate * seconds})
	}
}

// gap draws the requests expected between two arrivals, 1 on average. One that stands for
// several comes as evenly as they do together: after a gamma variable of that shape, by the
// approximation of Wilson and Hilferty.
func (e *Estimator) gap() float64 {
	if e.thin.merge == 1 {
		return e.random.ExpFloat64()
	}
	v := 1 / (9 * e.thin.merge)
	root := max(1-v+math.Sqrt(v)*e.random.NormFloat64(), 0)
	return root * root * root
}

// tokens makes a whole number of a length, from 1 to most.
func tokens(length, most float64) int32 {
	return int32(max(1, min(length, most, 1<<30)))
}
