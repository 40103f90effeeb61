package sim

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/trace"
)

// replay runs a trace and checks what must hold in every run: see sound. All tests of
// runs go through here.
func replay(tb testing.TB, r Run, t trace.Trace, scale Scaler, watch func(*Tick)) Result {
	tb.Helper()
	if err := r.Validate(); err != nil {
		tb.Fatal(err)
	}
	requests, err := t.Open(r.Seed)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = requests.Close() }()
	missed := map[int]bool{}
	r.Missed = func(i int) {
		if missed[i] {
			tb.Errorf("request %d missed twice", i)
		}
		missed[i] = true
	}
	x := newRunner(&r, scale, watch)
	defer x.leave()
	seen := &ledger{Reader: requests}
	if err := x.replay(tb.Context(), seen); err != nil {
		tb.Fatal(err)
	}
	got := x.result()
	if len(missed) != got.Misses {
		tb.Errorf("misses told: got %d, want the %d of the result", len(missed), got.Misses)
	}
	sound(tb, x, seen, &got)
	return got
}

// A ledger notes the tokens of the requests that go through it.
type ledger struct {
	trace.Reader

	output []int32
}

func (l *ledger) Next() (trace.Request, error) {
	q, err := l.Reader.Next()
	if err == nil {
		l.output = append(l.output, q.Output)
	}
	return q, err
}

// sound checks that no request was lost or served twice, that tokens are conserved, that
// Little's law holds, and that every number is one.
func sound(tb testing.TB, x *runner, seen *ledger, r *Result) {
	tb.Helper()
	here := map[int32]bool{}
	left := 0.0 // tokens still to be written
	x.fleet.each(func(q *request) {
		if here[q.index] {
			tb.Errorf("request %d is in two places", q.index)
		}
		here[q.index] = true
		left += float64(q.output)
	})
	if r.Served+r.Rejected+len(here) != r.Requests {
		tb.Errorf("requests: got %d served, %d rejected and %d here, want %d in all", r.Served, r.Rejected, len(here), r.Requests)
	}
	if len(here) != x.fleet.outstanding() {
		tb.Errorf("load: got %d, want the %d that are here", x.fleet.outstanding(), len(here))
	}
	// Both sums lose digits where many requests are subtracted from each other.
	noise := 1e-12 * (1 + float64(r.Requests)*r.Seconds)
	if math.Abs(r.InFlightSeconds-r.SojournSeconds) > noise+1e-9*r.SojournSeconds {
		tb.Errorf("Little's law: got %v request-seconds in flight, want the %v that requests were here", r.InFlightSeconds, r.SojournSeconds)
	}
	if r.Misses < r.Rejected || r.Misses > r.Requests || r.Answered < r.Served {
		tb.Errorf("counts do not fit together: %+v", *r)
	}
	finite(tb, r)
	if r.Rejected == 0 {
		conserved(tb, x, seen.output[:r.Requests], left)
	}
}

// conserved checks that the tokens written are those of the requests, where left of those
// that are still here were to be written when they joined the batch or queue.
func conserved(tb testing.TB, x *runner, outputs []int32, left float64) {
	tb.Helper()
	want := -left
	for _, n := range outputs {
		want += float64(n)
	}
	got := x.fleet.goneGenerated
	for _, list := range [][]*server{x.fleet.ready, x.fleet.draining} {
		for _, s := range list {
			got += s.generated
			for i := range s.batch.heap {
				q := s.batch.heap[i]
				want += float64(s.batch.requests[q.place].output) - (q.end - s.advanced)
			}
		}
	}
	if math.Abs(got-want) > 1e-6*(1+want) {
		tb.Errorf("tokens written: got %v, want %v", got, want)
	}
}

func finite(tb testing.TB, r *Result) {
	tb.Helper()
	values := []float64{r.ReplicaSeconds, r.Seconds, r.InFlightSeconds, r.SojournSeconds, r.MissRatio()}
	if r.Answered > 0 {
		values = append(values, r.TTFT.P50, r.TTFT.P95, r.TTFT.P99)
	}
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) || v < -1e-9 {
			tb.Errorf("got a number that is none: %+v", *r)
			return
		}
	}
}

// keep is a scaler that changes nothing.
func keep(recommender.Observation) recommender.Decision { return recommender.Decision{} }

// script is a scaler that asks for what is written down for a time in seconds, the latest
// before now, and for nothing before the first.
func script(start time.Time, replicas map[float64]int) Scaler {
	return func(o recommender.Observation) recommender.Decision {
		now, latest := o.Time.Sub(start).Seconds(), math.Inf(-1)
		d := recommender.Decision{}
		for at, n := range replicas {
			if at <= now && at > latest {
				latest = at
				d.Known, d.Desired = true, int32(n)
			}
		}
		return d
	}
}

// policy reads a policy such as queue:24,lookahead=90. It is a small part of what the
// package config reads, which these tests may not depend on.
func policy(tb testing.TB, text string) recommender.Policy {
	tb.Helper()
	p := recommender.DefaultPolicy()
	p.Max, p.Held = 8, true
	signal, rest, _ := strings.Cut(text, ",")
	metric, target, _ := strings.Cut(signal, ":")
	if metric == "kv" {
		metric = "kv_cache_usage"
	}
	p.Signals = []recommender.Signal{{Metric: recommender.Metric(metric), Target: number(tb, target)}}
	for item := range strings.FieldsFuncSeq(rest, func(c rune) bool { return c == ',' }) {
		key, value, _ := strings.Cut(item, "=")
		seconds := time.Duration(number(tb, value)) * time.Second
		switch key {
		case "lookahead":
			p.Lookahead = seconds
		case "min":
			p.Min = int32(number(tb, value))
		case "cooldown":
			p.Cooldown = seconds
		case "down":
			p.ScaleDown.Window = seconds
		case "up":
			p.ScaleUp.Window = seconds
		default:
			tb.Fatalf("unknown key %q", key)
		}
	}
	return p
}

func number(tb testing.TB, text string) float64 {
	tb.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// follow is the run of a policy: seconds long, in steps, or from event to event if step is 0.
func follow(tb testing.TB, text string, seconds int, step time.Duration) (Run, Scaler) {
	tb.Helper()
	p := policy(tb, text)
	r := DefaultRun()
	r.Initial = max(1, int(p.Min))
	r.Horizon = time.Duration(seconds) * time.Second
	r.Step = step
	return r, Follow(p, r.Start)
}

// row formats a result as the tables do.
func row(r *Result) string {
	return fmt.Sprintf("%d %.1f%% %.2fs %.2fs %.1f %d %d",
		r.Misses, 100*r.MissRatio(), r.TTFT.P50, r.TTFT.P95, r.ReplicaMinutes(), r.Peak, r.Events)
}

// defaultTrace returns the requests of the trace that comes with the program.
func defaultTrace(tb testing.TB) trace.Slice {
	tb.Helper()
	s, err := trace.ReadAll(trace.Default(), 0)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// seed000Step is the fixed step of the published tables.
const seed000Step = 250 * time.Millisecond
