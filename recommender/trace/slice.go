package trace

import (
	"errors"
	"io"
)

// A Slice is a trace held in memory. It ignores the seed.
type Slice []Request

// Open returns a reader at the first request.
func (s Slice) Open(uint64) (Reader, error) {
	return &sliceReader{rest: s}, nil
}

type sliceReader struct{ rest []Request }

func (r *sliceReader) Next() (Request, error) {
	if len(r.rest) == 0 {
		return Request{}, io.EOF
	}
	first := r.rest[0]
	r.rest = r.rest[1:]
	return first, nil
}

func (r *sliceReader) Close() error {
	r.rest = nil
	return nil
}

// ReadAll reads one replay of a trace into memory.
func ReadAll(t Trace, seed uint64) (s Slice, err error) {
	r, err := t.Open(seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for {
		q, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return s, nil
		case err != nil:
			return nil, err
		}
		s = append(s, q)
	}
}
