package sim

import (
	"math"
	"slices"

	"github.com/infscale/infscale/recommender/trace"
)

// A Fleet is the replicas of one workload with what is in front of them: a load
// balancer that sends each request to the ready replica with the fewest outstanding
// ones, and an activator that holds requests while none is ready. It knows no clock and
// no policy: callers move it with [Fleet.Advance], [Fleet.Arrive] and [Fleet.Resize],
// with times in seconds that never go back.
type Fleet struct {
	m     model
	tally tally
	// coldStart gives the seconds that the next new replica takes.
	coldStart func() float64
	// gpus is the most replicas that can exist, draining ones too; 0 is no limit.
	gpus int
	// fixed says that servers move in fixed steps, and not from event to event.
	fixed bool

	ready, draining []*server
	// starting replicas are in the order of their creation, pending ones have no GPU yet.
	starting []start
	pending  int
	// held requests wait for a ready replica.
	held queue
	// nextReady is when the next starting replica is ready, +Inf if none starts.
	nextReady float64

	arrived, peak int
	// came is the times at which requests arrived, together.
	came float64
	// billed is the replica-seconds until billedUntil, draining replicas aside; those are
	// billed when they are gone.
	billed, billedUntil float64
	// gonePrompted and goneGenerated are tokens of replicas that are gone.
	gonePrompted, goneGenerated float64
	idle                        []*server // to be used again
}

// A start is a replica on its way.
type start struct{ since, ready float64 }

// Current is the replicas asked for: ready, starting and pending ones.
func (f *Fleet) Current() int { return len(f.ready) + len(f.starting) + f.pending }

// exist is the replicas that have a GPU.
func (f *Fleet) exist() int { return len(f.ready) + len(f.starting) + len(f.draining) }

// begin makes n replicas ready at the start.
func (f *Fleet) begin(n int) {
	for range n {
		f.ready = append(f.ready, f.newServer(0))
	}
	f.peak = n
}

// Arrive sends a request into the fleet at its time.
func (f *Fleet) Arrive(q trace.Request) {
	if f.nextReady <= q.At && !f.fixed {
		f.becomeReadyUntil(q.At)
	}
	r := request{
		at: q.At, index: int32(f.arrived),
		size: size{prompt: q.Prompt, output: q.Output, prefix: q.Prefix},
	}
	f.arrived++
	f.came += q.At
	switch {
	case r.tokens() > f.m.capacity:
		f.tally.reject(&r) // No replica could ever hold it.
	case len(f.ready) > 0:
		f.dispatch(r, r.at)
	case f.m.engine.MaxQueue > 0 && f.held.len() >= f.m.engine.MaxQueue:
		f.tally.reject(&r)
	default:
		f.held.push(r)
	}
}

// dispatch sends a request to the ready replica with the fewest outstanding ones, the
// oldest of several.
func (f *Fleet) dispatch(r request, t float64) {
	// The number of requests and the place of a replica as one integer order them
	// without a branch that nobody could predict.
	const placeBits = 32
	fewest := math.MaxInt
	for i, s := range f.ready {
		if s.next <= t {
			s.advance(t)
		}
		fewest = min(fewest, s.load<<placeBits|i)
	}
	to := f.ready[fewest&(1<<placeBits-1)]
	switch {
	case f.m.engine.MaxQueue > 0 && to.waiting() >= f.m.engine.MaxQueue:
		f.tally.reject(&r)
	case f.fixed:
		to.enqueue(r)
	default:
		to.submit(r, t)
	}
}

// Advance lets time pass until t: what is done is done, and what has started is ready.
func (f *Fleet) Advance(t float64) {
	f.becomeReadyUntil(t)
	for _, s := range f.ready {
		s.advance(t)
		s.settle(t)
	}
	f.drain(t)
}

// step lets dt seconds pass from now in one fixed step.
func (f *Fleet) step(now, dt float64, carry bool) {
	for _, s := range f.ready {
		s.serve(now, dt, carry)
	}
	for _, s := range f.draining {
		s.serve(now, dt, carry)
	}
	f.drain(now + dt)
}

// becomeReadyUntil makes what has started ready, each at its time.
func (f *Fleet) becomeReadyUntil(t float64) {
	for f.nextReady <= t {
		f.becomeReady(f.nextReady)
	}
}

// becomeReady makes the replicas that are ready at t serve, and sends them what was held.
func (f *Fleet) becomeReady(t float64) {
	f.nextReady = math.Inf(1)
	left := f.starting[:0]
	for _, s := range f.starting {
		if s.ready <= t {
			f.ready = append(f.ready, f.newServer(t))
			continue
		}
		left = append(left, s)
		f.nextReady = min(f.nextReady, s.ready)
	}
	f.starting = left
	for f.held.len() > 0 && len(f.ready) > 0 {
		f.dispatch(f.held.pop(), t)
	}
}

// newServer returns an empty replica at time t.
func (f *Fleet) newServer(t float64) *server {
	if last := len(f.idle) - 1; last >= 0 {
		s := f.idle[last]
		f.idle = f.idle[:last]
		s.reset(t)
		return s
	}
	return newServer(&f.m, &f.tally, t)
}

// drain moves draining replicas to t. Those that are empty are gone.
func (f *Fleet) drain(t float64) {
	left := f.draining[:0]
	for _, s := range f.draining {
		s.advance(t)
		if s.load > 0 {
			if !f.fixed {
				s.settle(t)
			}
			left = append(left, s)
			continue
		}
		f.gone(s, max(s.now, s.since))
	}
	f.draining = left
}

// gone bills a drained replica until t, and gives its GPU to one that is pending.
func (f *Fleet) gone(s *server, t float64) {
	f.billed += t - s.since
	f.gonePrompted += s.prompted
	f.goneGenerated += s.generated
	f.idle = append(f.idle, s)
	if f.pending > 0 {
		f.pending--
		f.bill(max(t, f.billedUntil))
		f.create(max(t, f.billedUntil))
	}
}

// Resize makes n the replicas asked for at time t, to which the fleet was advanced. What
// is added is ready after a cold start; what is taken away is starting replicas first, the
// youngest of them first, then the least loaded ready ones, which drain.
func (f *Fleet) Resize(n int, t float64) {
	f.bill(t)
	for range n - f.Current() {
		if f.gpus > 0 && f.exist() >= f.gpus {
			f.pending++
			continue
		}
		f.create(t)
	}
	for range f.Current() - n {
		f.remove(t)
	}
	if !f.fixed {
		f.drain(t) // what is empty is gone at once
	}
	f.peak = max(f.peak, f.exist())
}

// create starts a replica.
func (f *Fleet) create(t float64) {
	s := start{since: t, ready: t + f.coldStart()}
	f.starting = append(f.starting, s)
	f.nextReady = min(f.nextReady, s.ready)
}

// nextGPU is when a draining replica may give its GPU to a pending one, +Inf if none does.
func (f *Fleet) nextGPU() float64 {
	next := math.Inf(1)
	if f.pending > 0 {
		for _, s := range f.draining {
			next = min(next, s.next)
		}
	}
	return next
}

// remove takes one replica away.
func (f *Fleet) remove(t float64) {
	switch last := len(f.starting) - 1; {
	case f.pending > 0:
		f.pending--
	case last >= 0:
		f.starting = f.starting[:last]
		f.nextReady = math.Inf(1)
		for _, s := range f.starting {
			f.nextReady = min(f.nextReady, s.ready)
		}
	default:
		least := 0
		for i, s := range f.ready {
			if s.load < f.ready[least].load {
				least = i
			}
		}
		s := f.ready[least]
		f.ready = slices.Delete(f.ready, least, least+1)
		s.since = t
		f.draining = append(f.draining, s)
	}
}

// bill adds what the replicas cost until t.
func (f *Fleet) bill(t float64) {
	f.billed += float64(len(f.ready)+len(f.starting)) * (t - f.billedUntil)
	f.billedUntil = t
}

// ReplicaSeconds is what the fleet costs until t: starting, ready and draining replicas
// alike. The fleet was advanced to t.
func (f *Fleet) ReplicaSeconds(t float64) float64 {
	f.bill(t)
	for _, s := range f.draining {
		f.billed += t - s.since
		s.since = t
	}
	return f.billed
}

// outstanding is the requests that are not gone.
func (f *Fleet) outstanding() int {
	n := f.held.len()
	for _, s := range f.ready {
		n += s.load
	}
	for _, s := range f.draining {
		n += s.load
	}
	return n
}
