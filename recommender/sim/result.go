package sim

// A Result is what one run gave and cost.
type Result struct {
	// Requests that arrived. Answered ones got their first token, Served their last.
	Requests, Answered, Served int
	// Misses are requests whose first token came after the objective, never, or that
	// were Rejected.
	Misses, Rejected int
	// Preemptions of requests that had begun.
	Preemptions int
	// TTFT is the time to the first token in seconds, of those that got one.
	TTFT Quantiles
	// ITLp95 is the 95th percentile of the seconds between two tokens of a request.
	ITLp95 float64
	// ReplicaSeconds of starting, ready and draining replicas.
	ReplicaSeconds float64
	// Peak is the most replicas that existed at once.
	Peak int
	// Events are changes of the replicas asked for, Flaps those that undo one of less
	// than five minutes before.
	Events, Flaps int
	// Seconds that were simulated.
	Seconds float64
	// InFlightSeconds is the requests in the fleet, integrated over time, and
	// SojournSeconds the time that each of them spent there, summed over requests:
	// by Little's law they are equal, unless one was lost or served twice.
	InFlightSeconds, SojournSeconds float64
}

// Quantiles are three of a distribution, by the nearest rank, NaN without values.
type Quantiles struct{ P50, P95, P99 float64 }

// MissRatio is the fraction of requests that missed their objective; 0 without requests.
func (r *Result) MissRatio() float64 {
	if r.Requests == 0 {
		return 0
	}
	return float64(r.Misses) / float64(r.Requests)
}

// ReplicaMinutes is the cost in minutes of one replica.
func (r *Result) ReplicaMinutes() float64 { return r.ReplicaSeconds / 60 }

// result sums the run up. What has no first token at the end has missed.
func (x *runner) result() Result {
	y := &x.fleet.tally
	r := Result{
		Requests: x.fleet.arrived, Answered: y.answered, Served: y.served, Rejected: y.rejected,
		Preemptions: y.preemptions,
		TTFT:        Quantiles{y.times.ttft.quantile(0.5), y.times.ttft.quantile(0.95), y.times.ttft.quantile(0.99)},
		ITLp95:      y.times.itl.quantile(0.95),
		Peak:        x.fleet.peak, Events: x.moves.events, Flaps: x.moves.flaps, Seconds: x.now,
	}
	unanswered := 0
	gone := y.served + y.rejected
	r.InFlightSeconds = (float64(x.fleet.arrived)*x.now - x.fleet.came) - (float64(gone)*x.now - y.left)
	r.SojournSeconds = y.sojourn
	x.fleet.each(func(q *request) {
		r.SojournSeconds += x.now - q.at
		if !q.started {
			unanswered++
			y.miss(q)
		}
	})
	r.Misses = y.late + y.rejected + unanswered
	r.ReplicaSeconds = x.fleet.ReplicaSeconds(x.now)
	return r
}

// each calls visit for every request that is still here. One in a batch has started.
func (f *Fleet) each(visit func(*request)) {
	f.held.each(visit)
	for _, list := range [...][]*server{f.ready, f.draining} {
		for _, s := range list {
			s.queue.each(visit)
			if s.reading {
				visit(&s.read)
			}
			s.batch.each(visit)
		}
	}
}

// moves counts changes of the replicas asked for.
type moves struct {
	events, flaps int
	at            float64
	up            bool
}

// flapWithin is how many seconds after a change its undoing is a flap.
const flapWithin = 300

func (m *moves) note(t float64, from, to int) {
	if from == to {
		return
	}
	up := to > from
	if m.events > 0 && up != m.up && t-m.at < flapWithin {
		m.flaps++
	}
	m.events, m.at, m.up = m.events+1, t, up
}
