package risk

import (
	"math"

	"github.com/infscale/infscale/recommender/sim"
)

// place puts the requests that are there into the trunk.
func (e *Estimator) place(s *situation) {
	f := e.trunk
	f.Reset()
	f.AddReady(e.thin.ready)
	for _, at := range e.starts {
		f.AddStarting(at)
	}
	scale := e.thin.share / e.thin.merge
	e.loads = s.loads(e.loads[:0], e.thin)
	for i, l := range e.loads {
		for range e.whole(l.running) {
			e.placeOne(s, f, i)
		}
		for range e.whole(l.waiting) {
			f.Queue(i, e.prompt(s), s.lengths.output*spread.draw(e.random))
		}
	}
	for range e.whole(s.held * scale) {
		f.Hold(e.prompt(s), s.lengths.output*spread.draw(e.random))
	}
	f.Open()
}

// whole rounds up or down by chance, right on average.
func (e *Estimator) whole(v float64) int {
	const most = 1 << 16 // more wait for hours
	return int(min(math.Floor(v+e.random.Float64()), most))
}

// prompt draws one that fits into the cache.
func (e *Estimator) prompt(s *situation) float64 {
	return min(s.lengths.prompt*spread.draw(e.random), 0.8*float64(s.replica.KVCapacityTokens())/e.thin.merge)
}

// batch is how many requests run in a full replica. The cache is reserved for whole
// requests, and long ones are there for longer.
func (s *situation) batch() float64 {
	fit := float64(s.replica.KVCapacityTokens()) / (s.lengths.whole() * s.size)
	return max(min(float64(s.replica.MaxNumSeqs), fit), 1)
}

// A load is the requests of one simulated replica.
type load struct{ running, waiting float64 }

// loads appends the load of every ready replica in the simulation, such that all of them
// together are what was observed.
func (s *situation) loads(list []load, t thin) []load {
	batch := s.batch()
	each := 1.0
	if t.ready < s.ready {
		each = t.share
	}
	placed, quota := 0, 0.0
	var running, waiting float64
	for _, c := range s.cohorts {
		quota += float64(c.replicas) * each
		for ; placed < t.ready && float64(placed) < quota-1e-6; placed++ {
			l := load{running: min(c.outstanding, batch), waiting: max(c.outstanding-batch, 0)}
			list = append(list, l)
			running += l.running
			waiting += l.waiting
		}
	}
	n := float64(max(len(list), 1))
	for i := range list {
		list[i].running = share(list[i].running, running, n) * s.running * t.share / t.merge
		list[i].waiting = share(list[i].waiting, waiting, n) * s.waiting * t.share / t.merge
	}
	return list
}

// share is the part of one in n whose sum is all, an equal one of nothing.
func share(part, all, n float64) float64 {
	if all <= 0 {
		return 1 / n
	}
	return part / all
}

// placeOne puts a request somewhere into the middle of its output.
func (e *Estimator) placeOne(s *situation, f *sim.Fleet, replica int) {
	output := s.lengths.output * biased.draw(e.random) * s.size
	written := output * e.random.Float64()
	f.Place(replica, e.prompt(s)*s.size, written, max(output-written, 1))
}
