package trace_test

import (
	"errors"
	"io"
	"runtime"
	"strconv"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

const million = 1_000_000

// A rowSource is the text of a million rows, made as it is read.
type rowSource struct {
	rows    int
	pending []byte
	buffer  []byte
}

func newRowSource(rows int) *rowSource {
	return &rowSource{rows: rows, pending: []byte(header)}
}

func (s *rowSource) Read(p []byte) (int, error) {
	if len(s.pending) == 0 {
		if s.rows == 0 {
			return 0, io.EOF
		}
		b := strconv.AppendFloat(s.buffer[:0], float64(million-s.rows)/1000, 'f', 3, 64)
		b = append(b, ",1024,"...)
		b = strconv.AppendInt(b, int64(1+s.rows%500), 10)
		s.buffer = append(b, '\n')
		s.pending = s.buffer
		s.rows--
	}
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	return n, nil
}

// drain reads a trace to its end and returns its requests.
func drain(t testing.TB, r trace.Reader) int {
	t.Helper()
	n := 0
	for {
		_, err := r.Next()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
}

// Reading and generating need as much memory for a million requests as for one.
func TestStreamsNeedNoMemoryPerRequest(t *testing.T) {
	if testing.Short() {
		t.Skip("reads millions of requests")
	}
	generated := trace.Generator{
		Rate: trace.Diurnal(1000, 900, 300, 0), Arrivals: trace.Gamma(2),
		Prompt: trace.LogNormal(1000, 1), Output: trace.Uniform(100, 300), End: 1000,
	}
	open := func(tr trace.Trace) func() trace.Reader {
		return func() trace.Reader {
			r, err := tr.Open(1)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
	}
	tests := map[string]func() trace.Reader{
		"CSV":                     func() trace.Reader { return trace.NewCSV("x.csv", newRowSource(million)) },
		"generator":               open(generated),
		"scaled down":             open(trace.Scale(generated, 0.95)),
		"scaled up in a window":   open(trace.Window(trace.Scale(generated, 2.5), 0, 500)),
		"a schedule that repeats": open(trace.Generator{Rate: trace.Schedule(900, 1, trace.Span{From: 0.5, To: 0.6, Rate: 2000}), Prompt: trace.Fixed(1), Output: trace.Fixed(1), End: 1000}),
	}
	for name, open := range tests {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			n := drain(t, open())
			runtime.ReadMemStats(&after)
			allocated, objects := after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
			if n < 900_000 || allocated > 1<<20 || objects > 200 {
				t.Errorf("got %d bytes in %d objects for %d requests, want at most a megabyte in 200", allocated, objects, n)
			}
		})
	}
}

func BenchmarkCSV(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		benchmark(b, func() trace.Reader { return trace.NewCSV("x.csv", newRowSource(100_000)) })
	})
	b.Run("gzip", func(b *testing.B) { benchmarkTrace(b, trace.Default(), 0) })
}

func BenchmarkGenerator(b *testing.B) {
	for name, tr := range map[string]trace.Trace{
		"poisson":   parsed(b, "poisson:rate=100,end=1000"),
		"gamma":     parsed(b, "gamma:rate=100,cv=3,end=1000"),
		"steps":     trace.Default(),
		"ramp":      trace.Ramp(),
		"diurnal":   parsed(b, "diurnal:mean=100,amplitude=80,period=500,end=1000"),
		"lognormal": parsed(b, "poisson:rate=100,end=1000,prompt=lognormal:1000:2,output=lognormal:200:1"),
		"scaled":    trace.Scale(trace.Ramp(), 2.5),
	} {
		b.Run(name, func(b *testing.B) { benchmarkTrace(b, tr, 1) })
	}
}

func parsed(t testing.TB, text string) trace.Trace {
	t.Helper()
	tr, err := trace.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func benchmarkTrace(b *testing.B, tr trace.Trace, seed uint64) {
	b.Helper()
	benchmark(b, func() trace.Reader {
		r, err := tr.Open(seed)
		if err != nil {
			b.Fatal(err)
		}
		return r
	})
}

func benchmark(b *testing.B, open func() trace.Reader) {
	b.Helper()
	b.ReportAllocs()
	requests := 0
	for b.Loop() {
		requests += drain(b, open())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(requests), "ns/request")
}
