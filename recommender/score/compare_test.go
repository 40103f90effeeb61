package score_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/score"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// queue is a policy on running and waiting requests.
func queue(target float64) recommender.Policy {
	p := recommender.DefaultPolicy()
	p.Max, p.Held = 8, true
	p.Signals = []recommender.Signal{{Metric: recommender.Queue, Target: target}}
	return p
}

// comparison is three policies on two draws of the default trace.
func comparison() score.Comparison {
	c := score.Comparison{
		Trace: trace.Default(), Seeds: []uint64{0, 1}, Run: sim.DefaultRun(), Floors: 2, MissBudget: 0.01,
		Candidates: []score.Candidate{
			{Name: "eager", Policy: queue(12)}, {Name: "usual", Policy: queue(24)}, {Name: "late", Policy: queue(48)},
		},
	}
	c.Run.Horizon = 1500 * time.Second
	return c
}

// long skips a test that searches for floors, which is slow under the race detector.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("searches for a long time")
	}
}

func do(t *testing.T, c *score.Comparison) *score.Report {
	t.Helper()
	r, err := c.Do(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTheOutcomeDoesNotDependOnTheProcessors(t *testing.T) {
	c := comparison()
	c.Floors = 0
	want := do(t, &c)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got := do(t, &c); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v on one processor, want %+v", got, want)
	}
}

func TestOutcomesAreInOrderAndPaired(t *testing.T) {
	c := comparison()
	c.Floors = 0
	r := do(t, &c)
	if len(r.Outcomes) != 6 || len(r.Floors) != 0 {
		t.Fatalf("got %d outcomes and %d floors, want 6 and none", len(r.Outcomes), len(r.Floors))
	}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if o.Seed != i/3 || o.Candidate != i%3 {
			t.Errorf("outcome %d: got candidate %d of seed %d, want %d of %d", i, o.Candidate, o.Seed, i%3, i/3)
		}
		if first := &r.Outcomes[o.Seed*3]; o.Requests != first.Requests {
			t.Errorf("%s: got %d requests, want the %d that the first policy met", c.Candidates[o.Candidate].Name, o.Requests, first.Requests)
		}
	}
	if a, b := r.Outcomes[0].Requests, r.Outcomes[3].Requests; a != 15549 || a == b {
		t.Errorf("got %d and %d requests, want 15549 and another number", a, b)
	}
}

func TestNoPolicyBeatsTheFloors(t *testing.T) {
	long(t)
	c := comparison()
	r := do(t, &c)
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		f := &r.Floors[o.Seed]
		name := c.Candidates[o.Candidate].Name
		if o.Unavoidable > o.Misses || o.Unavoidable > f.Causal.Misses {
			t.Errorf("%s: got %d of %d misses unavoidable, want at most the %d of the floor", name, o.Unavoidable, o.Misses, f.Causal.Misses)
		}
		if o.MissRatio() <= c.MissBudget && o.ReplicaMinutes() < f.Clairvoyant.ReplicaMinutes {
			t.Errorf("%s: got %.1f replica-minutes at %.2f %%, below the floor of %.1f", name,
				o.ReplicaMinutes(), 100*o.MissRatio(), f.Clairvoyant.ReplicaMinutes)
		}
	}
	for i := range r.Floors {
		if f := &r.Floors[i].Clairvoyant; !(f.LowerBound > 0 && f.LowerBound <= f.ReplicaMinutes) || f.MissRatio > c.MissBudget {
			t.Errorf("seed %d: got %.1f replica-minutes at %.2f %%, bounded by %.1f, want them in order and at most 1 %%",
				c.Seeds[i], f.ReplicaMinutes, 100*f.MissRatio, f.LowerBound)
		}
	}
}

func TestAPolicyStartsWithItsMinimum(t *testing.T) {
	c := comparison()
	c.Floors = 0
	c.Seeds = c.Seeds[:1]
	c.Candidates[1].Policy.Min = 3
	c.Candidates[2].Policy.Min = 0
	var first [3]int
	c.Watch = func(candidate, _ int, k *sim.Tick) {
		if k.At == 15 {
			first[candidate] = k.Ready
		}
	}
	do(t, &c)
	if want := [3]int{1, 3, 1}; first != want {
		t.Errorf("got %v replicas at the first decision, want %v", first, want)
	}
}

func TestProgressCountsEveryReplay(t *testing.T) {
	long(t)
	c := comparison()
	var calls, highest atomic.Int64
	c.Progress = func(done, total int) {
		calls.Add(1)
		if done == total {
			highest.Store(int64(total))
		}
	}
	do(t, &c)
	if calls.Load() != 8 || highest.Load() != 8 {
		t.Errorf("got %d calls up to %d, want 8 up to 8: 6 replays and 2 floors", calls.Load(), highest.Load())
	}
}

// broken is a trace that fails at its third request.
type broken struct{ err error }

func (b broken) Open(uint64) (trace.Reader, error) { return &brokenReader{err: b.err}, nil }

type brokenReader struct {
	n   int
	err error
}

func (r *brokenReader) Next() (trace.Request, error) {
	if r.n++; r.n > 2 {
		return trace.Request{}, r.err
	}
	return trace.Request{At: float64(r.n), Prompt: 1, Output: 1}, nil
}

func (*brokenReader) Close() error { return nil }

func TestATraceThatCannotBeReadIsAnError(t *testing.T) {
	for _, floors := range []int{0, 1} {
		c := comparison()
		c.Floors = floors
		c.Trace = broken{io.ErrUnexpectedEOF}
		if _, err := c.Do(t.Context()); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d floors: got error %v, want the one of the trace", floors, err)
		}
	}
}

func TestAComparisonCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := comparison()
	if _, err := c.Do(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that it was cancelled", err)
	}
}

func TestPercentilesOfAPolicyAreObserved(t *testing.T) {
	c := comparison()
	c.Floors = 0
	p := queue(24)
	p.Signals = []recommender.Signal{
		{Metric: recommender.TTFT, Target: 1, Percentile: 0.95}, {Metric: recommender.TTFT, Target: 3, Percentile: 0.99},
	}
	c.Candidates, c.Seeds = []score.Candidate{{Name: "ttft", Policy: p}}, c.Seeds[:1]
	seen := 0
	c.Watch = func(_, _ int, k *sim.Tick) {
		for _, q := range k.Observation.TTFT {
			if q.Known() {
				seen++
			}
		}
	}
	if r := do(t, &c); seen < 100 || r.Outcomes[0].Peak < 2 {
		t.Errorf("got %d known percentiles and a peak of %d, want a hundred and a policy that acts on them", seen, r.Outcomes[0].Peak)
	}
}
