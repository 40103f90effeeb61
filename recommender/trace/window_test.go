package trace_test

import (
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

// at returns requests that arrive at those seconds, told apart by their prompts.
func at(seconds ...float64) trace.Slice {
	var s trace.Slice
	for i, second := range seconds {
		s = append(s, trace.Request{At: second, Prompt: int32(i + 1), Output: 1})
	}
	return s
}

func all(t testing.TB, tr trace.Trace, seed uint64) trace.Slice {
	t.Helper()
	s, err := trace.ReadAll(tr, seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A failing trace has its requests, then an error.
type failing struct {
	trace.Slice
	err error
}

func (f failing) Open(seed uint64) (trace.Reader, error) {
	r, err := f.Slice.Open(seed)
	return failingReader{r, f.err}, err
}

type failingReader struct {
	trace.Reader
	err error
}

func (f failingReader) Next() (trace.Request, error) {
	q, err := f.Reader.Next()
	if errors.Is(err, io.EOF) {
		err = f.err
	}
	return q, err
}

func TestWindow(t *testing.T) {
	inf := math.Inf(1)
	tests := map[string]struct {
		from, to float64
		// want maps prompts to arrivals in the window.
		want [][2]float64
	}{
		"all of it":                     {0, inf, [][2]float64{{1, 0}, {2, 10}, {3, 10}, {4, 25}, {5, 30}}},
		"from is in, to is out":         {10, 30, [][2]float64{{2, 0}, {3, 0}, {4, 15}}},
		"the last one needs more":       {30, 30.5, [][2]float64{{5, 0}}},
		"a window between requests":     {11, 24, nil},
		"a window behind the last":      {31, inf, nil},
		"it begins at from, not at one": {5, 11, [][2]float64{{2, 5}, {3, 5}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got [][2]float64
			for _, q := range all(t, trace.Window(at(0, 10, 10, 25, 30), test.from, test.to), 0) {
				got = append(got, [2]float64{float64(q.Prompt), q.At})
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestWindowReadsNoFurther(t *testing.T) {
	broken := errors.New("broken")
	tr := failing{at(0, 1, 2), broken}
	if got, err := trace.ReadAll(trace.Window(tr, 0, 2), 0); len(got) != 2 || err != nil {
		t.Errorf("got %v, %v, want 2 requests and no error of what comes later", got, err)
	}
	if _, err := trace.ReadAll(trace.Window(tr, 0, 3), 0); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestWindowErrors(t *testing.T) {
	nan := math.NaN()
	tests := map[string]struct{ from, to float64 }{
		"window must begin from 0 to 315360000 seconds, got -1":             {-1, 5},
		"window must begin from 0 to 315360000 seconds, got NaN":            {nan, 5},
		"window must begin from 0 to 315360000 seconds, got +Inf":           {math.Inf(1), math.Inf(1)},
		"window must end after its beginning at 5 seconds, got 5":           {5, 5},
		"window must end after its beginning at 5 seconds, got 4":           {5, 4},
		"window must end after its beginning at 5 seconds, got NaN":         {5, nan},
		"window must end after its beginning at 0 seconds, got -Inf":        {0, math.Inf(-1)},
		"window must begin from 0 to 315360000 seconds, got 3.15360001e+08": {315360001, math.Inf(1)},
	}
	for want, w := range tests {
		if _, err := trace.Window(at(0), w.from, w.to).Open(0); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestSliceIgnoresTheSeedAndEnds(t *testing.T) {
	s := at(0, 1, 2)
	if got := all(t, s, 7); !slices.Equal(got, s) {
		t.Errorf("got %v, want %v", got, s)
	}
	r, err := s.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v after Close, want %v", err, io.EOF)
	}
}

func TestReadAllReturnsErrors(t *testing.T) {
	broken := errors.New("broken")
	if got, err := trace.ReadAll(failing{at(0, 1), broken}, 0); !errors.Is(err, broken) || got != nil {
		t.Errorf("got %v, %v, want %v alone", got, err, broken)
	}
}
