package sim

// A queue is requests in the order of their arrival, in a ring. A preempted one goes first.
type queue struct {
	ring  []request // its length is a power of two, or 0
	head  int
	count int
}

func (q *queue) len() int { return q.count }

// at returns the request in place i.
func (q *queue) at(i int) *request { return &q.ring[(q.head+i)&(len(q.ring)-1)] }

// first returns the request that is next.
func (q *queue) first() *request { return &q.ring[q.head] }

// push adds a request at the end.
func (q *queue) push(r request) {
	if q.count == len(q.ring) {
		q.grow()
	}
	q.count++
	*q.at(q.count - 1) = r
}

// pop removes the first request.
func (q *queue) pop() request {
	r := *q.first()
	q.head = (q.head + 1) & (len(q.ring) - 1)
	q.count--
	return r
}

// pushFirst adds a request at the front.
func (q *queue) pushFirst(r request) {
	if q.count == len(q.ring) {
		q.grow()
	}
	q.head = (q.head - 1) & (len(q.ring) - 1)
	q.count++
	*q.first() = r
}

// grow makes room for twice as many.
func (q *queue) grow() {
	const least = 16
	ring := make([]request, max(least, 2*len(q.ring)))
	n := copy(ring, q.ring[q.head:])
	copy(ring[n:], q.ring[:q.head])
	q.ring, q.head = ring, 0
}

// clear empties the queue and keeps its memory.
func (q *queue) clear() { q.head, q.count = 0, 0 }

// each calls visit for every request in the queue.
func (q *queue) each(visit func(*request)) {
	for i := range q.count {
		visit(q.at(i))
	}
}
