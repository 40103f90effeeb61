package score

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// An outcome is what a schedule costs and misses.
type outcome struct {
	cost   float64 // replica-seconds
	misses int
}

// simulate replays the whole trace in the simulator that policies are measured in.
func (p *problem) simulate(ctx context.Context, s *schedule) (o outcome, err error) {
	reader, err := p.requests.Open(p.run.Seed)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	slot, next, level := 0, 0, s.initial
	scale := func(recommender.Observation) recommender.Decision {
		slot++
		for ; next < len(s.changes) && s.changes[next].slot <= slot; next++ {
			level += s.changes[next].by
		}
		return recommender.Decision{Known: true, Desired: int32(level)}
	}
	r, err := p.run.Do(ctx, reader, scale, nil)
	return outcome{r.ReplicaSeconds, r.Misses}, err
}

// A window replays a part of the trace, to tell two schedules apart that are the same
// outside of it. Only differences mean something: what is in the fleet at the beginning
// is unknown, and is left out.
type window struct {
	*problem
	fleet *sim.Fleet
	// next is the number of the next change, level the replicas asked for.
	next, level int
	// starting is when replicas will be ready, in the order of their orders.
	starting []float64
	// replayed is how many requests were.
	replayed int
}

func newWindow(p *problem) *window {
	return &window{problem: p, fleet: sim.NewFleet(&p.run.Replica, p.run.Engine, p.run.TTFT)}
}

// replay returns what s costs and misses of the requests between two times.
func (w *window) replay(s *schedule, from, to float64) outcome {
	to = min(to, w.end)
	w.begin(s, from)
	requests := w.between(from, to)
	w.replayed += len(requests)
	for _, q := range requests {
		w.advance(s, q.At)
		w.fleet.Arrive(q)
	}
	w.advance(s, to)
	w.fleet.Advance(to)
	at := to
	if to == w.end {
		at = math.Inf(1) // What has no first token at the end has missed.
	}
	return outcome{w.fleet.ReplicaSeconds(to), w.fleet.Missed(at)}
}

// begin puts the replicas into the fleet that are there at time t.
func (w *window) begin(s *schedule, t float64) {
	w.fleet.Reset()
	ready := s.initial
	w.next, w.level, w.starting = 0, s.initial, w.starting[:0]
	became := func(t float64) {
		n := 0
		for n < len(w.starting) && w.starting[n] <= t {
			n++
		}
		ready += n
		w.starting = slices.Delete(w.starting, 0, n)
	}
	for ; w.next < len(s.changes) && w.at(s) < t; w.next++ {
		by := s.changes[w.next].by
		at := w.at(s)
		w.level += by
		became(at)
		switch last := len(w.starting) - 1; {
		case by > 0:
			w.starting = append(w.starting, at+w.cold)
		case last >= 0:
			w.starting = w.starting[:last]
		default:
			ready--
		}
	}
	became(t)
	w.fleet.AddReady(ready)
	for _, at := range w.starting {
		w.fleet.AddStarting(at)
	}
}

// at is when the next change of s is due.
func (w *window) at(s *schedule) float64 {
	if w.next == len(s.changes) {
		return math.Inf(1)
	}
	return float64(s.changes[w.next].slot) * w.slot
}

// advance lets everything happen that is due before time t.
func (w *window) advance(s *schedule, t float64) {
	for {
		due := w.at(s)
		switch {
		case len(w.starting) > 0 && w.starting[0] <= min(due, t):
			w.fleet.Advance(w.starting[0])
			w.starting = w.starting[1:]
		case due < t:
			w.fleet.Advance(due)
			w.order(s, due)
		default:
			return
		}
	}
}

// order places the orders that are due at time t.
func (w *window) order(s *schedule, t float64) {
	before := w.level
	for w.at(s) == t {
		w.level += s.changes[w.next].by
		w.next++
	}
	w.fleet.Resize(w.level, t)
	for range w.level - before {
		w.starting = append(w.starting, t+w.cold)
	}
	for range before - w.level {
		w.starting = w.starting[:max(len(w.starting)-1, 0)]
	}
}

// between returns the requests that arrive between two times.
func (w *window) between(from, to float64) trace.Slice {
	at := func(q trace.Request, t float64) int {
		if q.At < t {
			return -1
		}
		return 1
	}
	first, _ := slices.BinarySearchFunc(w.requests, from, at)
	last, _ := slices.BinarySearchFunc(w.requests, to, at)
	return w.requests[first:last]
}
