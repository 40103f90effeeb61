package sim

import "math"

// The pace of a batch. A decode step takes the longer the more tokens its sequences have,
// and they get one each with every step: the k-th step from now takes a + b x k seconds.
// So x steps take x (a + b x / 2), and how many fit into a time is the root of that.

// pace returns the seconds of the next step, and by how much each step is longer than
// the one before, for n sequences.
func (s *server) pace(n float64) (first, growth float64) {
	first = s.m.step + s.m.stepToken*s.context
	if s.reading {
		first += s.m.chunk * s.m.read
	}
	return first, s.m.stepToken * n
}

// steps returns how many tokens each of n sequences gets in dt seconds.
func (s *server) steps(dt, n float64) float64 {
	a, b := s.pace(n)
	return 2 * dt / (a + math.Sqrt(a*a+2*b*dt))
}

// stands reports whether a batch of n sequences stands still, or there is none, while a
// prompt is read.
func (s *server) stands(n float64) bool { return s.reading && (n == 0 || s.m.chunk == 0) }

// plan finds out what happens next.
func (s *server) plan() {
	n := float64(s.batch.len())
	switch {
	case s.stands(n):
		s.next, s.event = s.now+s.unread*s.m.read, wasRead
		return
	case n == 0:
		s.next, s.event = math.Inf(1), nothing
		return
	}
	x := max(s.batch.first()-s.advanced, 0)
	s.event = wasDone
	if s.reading && s.unread < x*s.m.chunk {
		x, s.event = s.unread/s.m.chunk, wasRead
	}
	if s.m.engine.Preemption && n > 1 {
		if room := (s.m.capacity - s.used()) / n; room < x {
			x, s.event = max(room, 0), cacheFull
		}
	}
	a, b := s.pace(n)
	s.next = s.now + x*(a+b*x/2)
}

// settle brings the fields up to time t, which is not beyond the next event.
func (s *server) settle(t float64) {
	n := float64(s.batch.len())
	switch {
	case s.stands(n):
		s.stand(t, n)
	case n == 0:
		s.now = t
	default:
		s.write(t, s.steps(t-s.now, n))
	}
}

// stand lets only the prompt be read until time t.
func (s *server) stand(t, n float64) {
	dt := t - s.now
	s.now = t
	s.unread -= dt * s.m.readRate
	if n > 0 {
		s.stall += dt
		s.stood = n
	}
}

// write lets every sequence write x tokens until time t.
func (s *server) write(t, x float64) {
	dt := t - s.now
	s.now = t
	if x <= 0 {
		return
	}
	if s.reading {
		s.unread = max(s.unread-x*s.m.chunk, 0)
	}
	n := float64(s.batch.len())
	s.gaps(n, x, dt/x)
	s.advanced += x
	s.context += n * x
	s.generated += n * x
}

// gaps notes the time between tokens: n sequences got x tokens each, one in step
// seconds, but those that stood still got the first of them later.
func (s *server) gaps(n, x, step float64) {
	if s.stall == 0 {
		s.tally.gap(step, n*x)
		return
	}
	if s.part += x; s.part < 1 {
		return
	}
	stood := min(s.stood, n)
	s.tally.gap(step+s.stall, stood)
	s.tally.gap(step, n*s.part-stood)
	s.stall, s.part = 0, 0
}
