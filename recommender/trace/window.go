package trace

import (
	"fmt"
	"io"
)

// Window returns the requests of t that arrive at second from or later and before second
// to, which may be infinite, as a trace that begins at from. It reads t no further than to.
// A window without requests is a trace without requests, not an error.
func Window(t Trace, from, to float64) Trace {
	return window{trace: t, from: from, to: to}
}

type window struct {
	trace    Trace
	from, to float64
}

func (w window) Open(seed uint64) (Reader, error) {
	// Written so that NaN is refused too.
	if !(w.from >= 0 && w.from <= maxSeconds) {
		return nil, fmt.Errorf("window must begin from 0 to %d seconds, got %v", maxSeconds, w.from)
	}
	if !(w.to > w.from) {
		return nil, fmt.Errorf("window must end after its beginning at %v seconds, got %v", w.from, w.to)
	}
	r, err := w.trace.Open(seed)
	if err != nil {
		return nil, err
	}
	return &windowReader{Reader: r, window: w}, nil
}

type windowReader struct {
	Reader
	window

	done bool
}

func (r *windowReader) Next() (Request, error) {
	for !r.done {
		q, err := r.Reader.Next()
		switch {
		case err != nil:
			return Request{}, err
		case q.At >= r.to:
			r.done = true
		case q.At >= r.from:
			q.At -= r.from
			return q, nil
		}
	}
	return Request{}, io.EOF
}
