package trace

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
)

const maxFactor = 10_000

// spread is how many seconds behind its original a copy can arrive: enough that copies are
// no batch, too little to change what an autoscaler sees.
const spread = 1.0

// Scale returns t with its rate multiplied by factor, while the pattern over time and the
// lengths stay. Below 1 each request is kept with that probability. Above 1 each is repeated,
// and the fraction decides by chance on one copy more; the copies follow their original
// within a second. The prefixes stay as they are, though what shared them may be gone.
func Scale(t Trace, factor float64) Trace {
	return scaled{trace: t, factor: factor}
}

type scaled struct {
	trace  Trace
	factor float64
}

func (s scaled) Open(seed uint64) (Reader, error) {
	if !(s.factor > 0 && s.factor <= maxFactor) { // NaN too
		return nil, fmt.Errorf("factor of the rate must be above 0 and at most %d, got %v", maxFactor, s.factor)
	}
	r, err := s.trace.Open(seed)
	if err != nil {
		return nil, err
	}
	return &scaledReader{Reader: r, factor: s.factor, random: newRandom(seed, streamScale)}, nil
}

type scaledReader struct {
	Reader

	factor float64
	random *rand.Rand
	// copies wait for their arrival. They are only returned once the originals have come
	// as far: next is the first that was not returned.
	copies arrivals
	next   Request
	err    error // what comes instead of next
	primed bool
}

func (r *scaledReader) Next() (Request, error) {
	if !r.primed {
		r.primed = true
		r.advance()
	}
	if len(r.copies) > 0 && (r.copies[0].At <= r.next.At || errors.Is(r.err, io.EOF)) {
		return r.copies.pop(), nil
	}
	q, err := r.next, r.err
	if err == nil {
		r.advance()
	}
	return q, err
}

// advance goes to the next original that is kept and plans its copies.
func (r *scaledReader) advance() {
	for {
		r.next, r.err = r.Reader.Next()
		if r.err != nil {
			r.next = Request{}
			return
		}
		if n := r.times(); n > 0 {
			r.plan(n - 1)
			return
		}
	}
}

// times returns how often the next request arrives.
func (r *scaledReader) times() int {
	whole, fraction := math.Modf(r.factor)
	if fraction > 0 && r.random.Float64() < fraction {
		whole++
	}
	return int(whole)
}

func (r *scaledReader) plan(copies int) {
	for range copies {
		q := r.next
		q.At += spread * r.random.Float64()
		r.copies.push(q)
	}
}

// arrivals is a heap: no request arrives before the one at half its index. The heap of the
// standard library would allocate for each request.
type arrivals []Request

func (a *arrivals) push(q Request) {
	h := append(*a, q)
	i := len(h) - 1
	for i > 0 && h[(i-1)/2].At > q.At {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = q
	*a = h
}

func (a *arrivals) pop() Request {
	h := *a
	first, q := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	for i := 0; len(h) > 0; {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].At < h[child].At {
			child++
		}
		if child >= len(h) || h[child].At >= q.At {
			h[i] = q
			break
		}
		h[i] = h[child]
		i = child
	}
	*a = h
	return first
}
