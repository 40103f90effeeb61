package sim

import "math"

// A server is one replica that serves: a queue, a request whose prompt is being read,
// and a batch that is decoded. Between two events everything it does follows from a
// closed form, so it is only touched when something happens.
type server struct {
	// next is when something happens by itself, +Inf if nothing will, and now the time
	// for which the fields say how things stand.
	next, now float64
	event     event

	// load is the requests that are here.
	load int

	// reading says that a prompt is being read, of which unread tokens are left at now.
	reading bool
	unread  float64

	// advanced is how many tokens every sequence of the batch has got since the server
	// began, context the tokens of all of them, and reserved what admissions hold of
	// the cache.
	advanced, context, reserved float64
	admissions                  int32

	// stall is how long stood sequences of the batch have been standing still within
	// their present token, and part how much of that token is done.
	stall, stood, part float64

	// debt is the seconds that the latest fixed step has used of the next one.
	debt float64

	// prompted and generated count tokens.
	prompted, generated float64

	// since is when it began to drain.
	since float64

	m     *model
	tally *tally
	batch batch
	queue queue
	read  request // of the prompt that is being read
}

// An event is what happens next in a server.
type event uint8

const (
	nothing   event = iota
	wasRead         // a prompt is read to its end
	wasDone         // a sequence has its last token
	cacheFull       // the cache is full
)

func newServer(m *model, t *tally, now float64) *server {
	return &server{m: m, tally: t, now: now, next: math.Inf(1)}
}

// reset makes s an empty server at time now, which keeps its memory.
func (s *server) reset(now float64) {
	s.queue.clear()
	s.batch.clear()
	*s = server{m: s.m, tally: s.tally, queue: s.queue, batch: s.batch, now: now, next: math.Inf(1)}
}

// waiting and running count requests. One whose prompt is being read runs.
func (s *server) waiting() int { return s.queue.len() }

func (s *server) running() int {
	if s.reading {
		return s.batch.len() + 1
	}
	return s.batch.len()
}

// usage is the fraction of the cache that holds tokens, reserved room aside.
func (s *server) usage() float64 { return min(s.context/s.m.capacity, 1) }

// used returns the tokens of cache that are taken.
func (s *server) used() float64 {
	if !s.m.engine.Preemption {
		return s.reserved
	}
	if s.reading {
		return s.context + float64(s.read.prompt)
	}
	return s.context
}

// submit adds a request at time t, which is not before any event so far.
func (s *server) submit(r request, t float64) {
	s.load++
	if s.reading || s.queue.len() > 0 || !s.fits(r.size) {
		s.queue.push(r)
		return
	}
	s.settle(t)
	s.admit(r)
	s.plan()
}

// enqueue adds a request to those that wait.
func (s *server) enqueue(r request) {
	s.load++
	s.queue.push(r)
}

// advance lets everything happen that happens until t.
func (s *server) advance(t float64) {
	for s.next <= t {
		s.happen()
	}
}

// happen moves to the next event, and beyond it.
func (s *server) happen() {
	at := s.next
	switch s.event {
	case wasRead:
		s.settle(at)
		s.begin()
	case wasDone:
		s.write(at, s.batch.first()-s.advanced)
		s.finish()
	case cacheFull:
		s.write(at, (s.m.capacity-s.used())/float64(s.batch.len()))
		s.preempt()
	case nothing:
	}
	s.proceed()
}

// proceed begins to read the next prompt if it can, and finds out what happens next.
func (s *server) proceed() {
	if !s.reading && s.queue.len() > 0 && s.fits(s.queue.first().size) {
		s.admit(s.queue.pop())
	}
	s.plan()
}

// fits reports whether there is a slot and cache for a request.
func (s *server) fits(r size) bool {
	if s.batch.len() >= s.m.slots {
		return false
	}
	room := s.m.capacity - s.used()
	if s.m.engine.Preemption && s.batch.len() > 0 {
		// Otherwise one that was just preempted would be read again at once.
		room -= watermark * s.m.capacity
	}
	return s.m.needs(r) <= room
}

// watermark is the fraction of the cache that admissions leave free where requests can
// be preempted.
const watermark = 0.01

// admit begins to read the prompt of a request.
func (s *server) admit(r request) {
	s.read = r
	s.reading = true
	s.unread = s.m.unread(r.size, s.admissions > 0)
	s.prompted += s.unread
	s.reserved += s.m.needs(r.size)
	s.admissions++
}

// begin gives the request that was read its first token, and it joins the batch.
func (s *server) begin() {
	s.reading = false
	if !s.read.started {
		s.tally.first(&s.read, s.now)
	}
	s.join(s.read)
}

// join adds a request whose prompt was read to the batch.
func (s *server) join(r request) {
	s.context += float64(r.prompt)
	s.batch.push(r, s.advanced+float64(r.output), s.admissions)
}

// finish ends the sequence that is done.
func (s *server) finish() {
	s.advanced = s.batch.first()
	r := s.batch.pop()
	s.context -= r.tokens()
	s.leave(r.size)
	s.load--
	s.tally.done(r, s.now)
}

// leave gives back what a request has reserved. An empty server has no rounding errors.
func (s *server) leave(r size) {
	s.reserved -= s.m.needs(r)
	if s.batch.len() > 0 {
		return
	}
	s.context, s.advanced = 0, 0
	s.stall, s.part = 0, 0
	if !s.reading {
		s.reserved = 0
	}
}

// preempt sends the youngest request back to the queue. What it wrote so far has to be
// read again, and the token that it was writing is lost.
func (s *server) preempt() {
	youngest, end := s.batch.popYoungest()
	r := *youngest
	got := float64(r.output) - (end - s.advanced)
	s.context -= float64(r.prompt) + got
	s.leave(r.size)
	left := whole(end - s.advanced)
	wrote := r.output - left
	s.generated -= got - float64(wrote)
	r.prompt, r.output, r.started = r.prompt+wrote, left, true
	s.queue.pushFirst(r)
	s.tally.preemptions++
}
