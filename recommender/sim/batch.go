package sim

import "math"

// A request is one request inside a fleet. It has few enough fields to be passed in
// registers.
type request struct {
	at float64 // when it arrived at the fleet
	size
	index   int32 // in the trace, or placed
	started bool  // its first token is out: it was preempted since
}

// A size is the tokens of a request.
type size struct {
	prompt int32 // to read
	output int32 // to write after the first
	prefix int32 // of the prompt, that others share
}

// placed is the index of a request that was there at the start. It is served like any
// other and not counted.
const placed = -1

// tokens is the cache that a request takes in the end.
func (r size) tokens() float64 { return float64(int64(r.prompt) + int64(r.output)) }

// whole returns tokens as a whole number, rounded up.
func whole(tokens float64) int32 {
	if !(tokens > 0) {
		return 0
	}
	return int32(math.Ceil(min(tokens, math.MaxInt32)))
}

// A batch is the sequences that a server decodes. All advance by the same tokens, so
// that one number orders them for good: they are a heap, the next to be done first.
type batch struct {
	heap []sequence
	// requests are those of the sequences, free the places that none has.
	requests []request
	free     []int32
}

// A sequence is small, because a heap moves its elements.
type sequence struct {
	end      float64 // how many tokens the batch has advanced when it is done
	place    int32   // of its request
	admitted int32   // in which order
}

func (b *batch) len() int { return len(b.heap) }

// first returns the end of the sequence that is done next.
func (b *batch) first() float64 { return b.heap[0].end }

// push adds a request that ends when the batch has advanced so far.
func (b *batch) push(r request, end float64, admitted int32) {
	var place int32
	if last := len(b.free) - 1; last >= 0 {
		place, b.free = b.free[last], b.free[:last]
		b.requests[place] = r
	} else {
		place = int32(len(b.requests))
		b.requests = append(b.requests, r)
	}
	b.heap = append(b.heap, sequence{})
	b.rise(len(b.heap)-1, sequence{end: end, place: place, admitted: admitted})
}

// pop removes the sequence that is done first. The request is valid until the next push.
func (b *batch) pop() *request {
	place := b.heap[0].place
	b.remove(0)
	return &b.requests[place]
}

// popYoungest removes the sequence that was admitted last, and returns its end too.
func (b *batch) popYoungest() (*request, float64) {
	found := 0
	for i := range b.heap {
		if b.heap[i].admitted > b.heap[found].admitted {
			found = i
		}
	}
	s := b.heap[found]
	b.remove(found)
	return &b.requests[s.place], s.end
}

// remove takes the sequence at i out of the heap, and frees its place.
func (b *batch) remove(i int) {
	b.free = append(b.free, b.heap[i].place)
	last := len(b.heap) - 1
	moved := b.heap[last]
	b.heap = b.heap[:last]
	if i < last {
		b.rise(b.hollow(i), moved)
	}
}

// hollow moves the gap at i down to a leaf, and returns where it is then. What comes from
// the end of the heap belongs near there.
func (b *batch) hollow(i int) int {
	h := b.heap
	for child := 2*i + 1; child < len(h); child = 2*i + 1 {
		if right := child + 1; right < len(h) && h[right].end < h[child].end {
			child = right
		}
		h[i] = h[child]
		i = child
	}
	return i
}

// rise puts s into the gap at i or above.
func (b *batch) rise(i int, s sequence) {
	h := b.heap
	for i > 0 {
		parent := (i - 1) / 2
		if h[parent].end <= s.end {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = s
}

// clear empties the batch and keeps its memory.
func (b *batch) clear() {
	b.heap, b.requests, b.free = b.heap[:0], b.requests[:0], b.free[:0]
}

// each calls visit for every request in the batch, as one that has started.
func (b *batch) each(visit func(*request)) {
	for i := range b.heap {
		r := b.requests[b.heap[i].place]
		r.started = true
		visit(&r)
	}
}
