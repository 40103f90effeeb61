package sim

import (
	"math"
	"time"
)

// NewFleet returns an empty fleet for callers that say themselves what is in it and
// move it: [Fleet.Place] and the like at time 0, then Arrive and Advance. New replicas
// take the cold start of r. Requests placed are served like others and not counted.
func NewFleet(r *Replica, e Engine, ttft time.Duration) *Fleet {
	f := &Fleet{}
	f.Reset()
	f.Use(r, e, ttft)
	return f
}

// Reset empties the fleet, which keeps its memory, and sets its clock to 0.
func (f *Fleet) Reset() {
	f.idle = append(append(f.idle, f.ready...), f.draining...)
	f.held.clear()
	f.tally.reset()
	*f = Fleet{
		m: f.m, tally: f.tally, coldStart: f.coldStart, gpus: f.gpus, fixed: f.fixed,
		ready: f.ready[:0], draining: f.draining[:0], starting: f.starting[:0],
		held: f.held, nextReady: math.Inf(1), idle: f.idle,
	}
}

// AddReady adds n replicas that serve.
func (f *Fleet) AddReady(n int) { f.begin(n) }

// AddStarting adds a replica that is ready at a time.
func (f *Fleet) AddStarting(ready float64) {
	f.starting = append(f.starting, start{ready: ready})
	f.nextReady = min(f.nextReady, ready)
}

// Place adds a running request to a ready replica: its prompt is read, it has written
// some tokens, and some are left. Tokens are rounded up to whole ones.
func (f *Fleet) Place(replica int, prompt, written, left float64) {
	s := f.ready[replica]
	r := request{size: size{prompt: whole(prompt + written), output: whole(left)}, index: placed, started: true}
	s.load++
	s.admissions++
	s.reserved += f.m.needs(r.size)
	s.join(r)
}

// Queue adds a waiting request to a ready replica.
func (f *Fleet) Queue(replica int, prompt, output float64) {
	f.ready[replica].enqueue(waiting(prompt, output))
}

// Hold adds a request that waits in front of the replicas.
func (f *Fleet) Hold(prompt, output float64) {
	f.held.push(waiting(prompt, output))
}

// waiting returns a request that was there at the start and has no token yet.
func waiting(prompt, output float64) request {
	return request{size: size{prompt: whole(prompt), output: whole(output)}, index: placed}
}

// Open lets time begin, after everything is placed.
func (f *Fleet) Open() {
	for _, s := range f.ready {
		s.proceed()
	}
	for f.held.len() > 0 && len(f.ready) > 0 {
		f.dispatch(f.held.pop(), 0)
	}
}

// Missed returns how many of the requests that arrived have missed the objective at
// time t, to which the fleet was advanced: those that were refused, those whose first
// token came too late, and those that have waited too long already.
func (f *Fleet) Missed(t float64) int {
	n := f.tally.late + f.tally.rejected
	late := func(r *request) {
		if r.index != placed && !r.started && t-r.at > f.tally.objective {
			n++
		}
	}
	f.held.each(late)
	for _, list := range [...][]*server{f.ready, f.draining} {
		for _, s := range list {
			s.queue.each(late)
			if s.reading {
				late(&s.read)
			}
		}
	}
	return n
}
