// Package trace is requests over time: read from files, or generated.
//
// A [Trace] is replayed any number of times, each time as a stream, so that its length
// costs no memory.
package trace

// A Request is one request as a model server sees it.
type Request struct {
	// At is when it arrives, in seconds since the trace began.
	At float64
	// Prompt and Output are its tokens, read and written.
	Prompt, Output int32
	// Prefix is how many of the prompt's first tokens an earlier request began with too.
	Prefix int32
}

// A Trace is requests in the order of their arrival.
type Trace interface {
	// Open returns a reader at the first request. What is random in a trace follows
	// from the seed: equal seeds give equal requests.
	Open(seed uint64) (Reader, error)
}

// A Reader reads one replay of a trace.
type Reader interface {
	// Next returns the next request, or [io.EOF] behind the last.
	Next() (Request, error)
	// Close releases what the reader holds. It can be closed early.
	Close() error
}
