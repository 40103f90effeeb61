package sim

// serve lets dt seconds pass from now in one fixed step: prompts are read while there
// is time left and a place, then all sequences decode at the pace of the step's
// beginning. A prompt may end after the step; carry says whether the next one is
// shorter by that much, or it was for free.
func (s *server) serve(now, dt float64, carry bool) {
	budget := dt
	if carry {
		budget -= s.debt
		s.debt = 0
	}
	before := s.batch.len()
	for budget > 0 && s.queue.len() > 0 && s.fits(s.queue.first().size) {
		s.admit(s.queue.pop())
		cost := s.unread * s.m.read
		s.now = max(now+dt-budget, s.read.at) + cost
		s.begin()
		budget -= cost
	}
	s.now = now + dt
	if budget > 0 {
		s.decode(budget, s.stall+dt-budget, before)
		s.stall = 0
		return
	}
	if carry {
		s.debt = -budget
	}
	if before > 0 {
		s.stall += dt
	}
}

// decode lets every sequence decode for budget seconds at one pace. The batch had
// before sequences when the step began, which have stood still for stalled seconds.
func (s *server) decode(budget, stalled float64, before int) {
	n := s.batch.len()
	if n == 0 {
		return
	}
	step := s.m.step + s.m.stepToken*s.context
	x := budget / step
	s.tally.gap(step, max(float64(n)*x-float64(before), 0))
	s.tally.gap(step+stalled, min(float64(n)*x, float64(before)))
	end, began := s.advanced+x, s.advanced
	start := s.now - budget
	for s.batch.len() > 0 && s.batch.first() <= end {
		need := s.batch.first() - began
		r := s.batch.pop()
		s.generated += need
		s.context -= r.tokens() - need
		s.leave(r.size)
		s.load--
		// A step decodes what came in the middle of it from its beginning.
		s.tally.done(r, max(start+need*step, r.at))
	}
	left := float64(s.batch.len())
	if left == 0 {
		return // leave has begun anew
	}
	s.advanced = end
	s.context += left * x
	s.generated += left * x
}
