package score_test

import (
	"math"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/score"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

func clairvoyant(t testing.TB, run sim.Run, requests trace.Trace, most int, miss float64) score.ClairvoyantFloor {
	t.Helper()
	f, err := score.Clairvoyant(t.Context(), run, requests, most, miss)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// serve follows the orders of a floor.
func serve(orders []score.Order, start time.Time) sim.Scaler {
	return func(o recommender.Observation) recommender.Decision {
		now, n := o.Time.Sub(start).Seconds(), 0
		for _, order := range orders {
			if order.At <= now+1e-6 {
				n = order.Replicas
			}
		}
		return recommender.Decision{Known: true, Desired: int32(n)}
	}
}

func TestTheFloorOfTheDefaultTrace(t *testing.T) {
	long(t)
	run := sim.DefaultRun()
	run.Horizon = 1500 * time.Second
	f := clairvoyant(t, run, trace.Default(), 8, 0.01)
	if !f.Reached || f.Requests != 15549 || f.Allowed != 155 || f.Misses > 155 {
		t.Errorf("got %d misses of %d with %d allowed, reached %v, want at most 155 of 15549, reached", f.Misses, f.Requests, f.Allowed, f.Reached)
	}
	// Figures in the documentation. They may get nearer to each other.
	if f.ReplicaMinutes > 31.7 || f.LowerBound < 28.3 || f.LowerBound > f.ReplicaMinutes {
		t.Errorf("got between %.2f and %.2f replica-minutes, want between 28.3 and 31.7", f.LowerBound, f.ReplicaMinutes)
	}

	// The schedule is what it says, in the simulator, a second at a time.
	run.Interval = time.Second
	reader, err := trace.Default().Open(0)
	if err != nil {
		t.Fatal(err)
	}
	r, err := run.Do(t.Context(), reader, serve(f.Schedule, run.Start), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Misses != f.Misses || math.Abs(r.ReplicaMinutes()-f.ReplicaMinutes) > 1e-9 {
		t.Errorf("got %d misses at %v replica-minutes from the schedule, want %d at %v", r.Misses, r.ReplicaMinutes(), f.Misses, f.ReplicaMinutes)
	}
}

func TestTheFloorIsEasyWhereOneCanSeeIt(t *testing.T) {
	// A request each second from 100 to 159, each of which takes 0.2 s.
	var minute trace.Slice
	for i := range 60 {
		minute = append(minute, trace.Request{At: 100 + float64(i), Prompt: 100, Output: 20})
	}
	tests := map[string]struct {
		initial int
		trace   trace.Slice
		miss    float64
		want    float64 // replica-seconds
	}{
		// Orders begin at the first second.
		"nothing to do costs nothing":                 {0, nil, 0, 0},
		"nothing to do with a replica costs a second": {1, nil, 0, 1},
		// Ordered for 102 (the objective is 2 s and the prompt is read in no time),
		// taken away at 158 with the last request in front of it.
		"a minute costs a cold start and a minute":  {0, minute, 0, 10 + 58},
		"half a minute if half of it may be missed": {0, minute, 0.5, 10 + 28},
		"nothing if all may be missed":              {0, minute, 1, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := clairvoyant(t, small(test.initial, 5*time.Minute), test.trace, 3, test.miss)
			if got := f.ReplicaMinutes * 60; got < test.want-2 || got > test.want+2 {
				t.Errorf("got %v replica-seconds by %v, want about %v", got, f.Schedule, test.want)
			}
			if f.LowerBound > f.ReplicaMinutes {
				t.Errorf("got a bound of %v above %v", f.LowerBound, f.ReplicaMinutes)
			}
		})
	}
}

func TestWhatNobodyReachesIsSaid(t *testing.T) {
	// Requests before anything can be ready.
	early := trace.Slice{{At: 0, Prompt: 100, Output: 10}, {At: 1, Prompt: 100, Output: 10}, {At: 60, Prompt: 100, Output: 10}}
	f := clairvoyant(t, small(0, 2*time.Minute), early, 3, 0)
	if f.Reached || f.Allowed != 2 || f.Misses > 2 {
		t.Errorf("got reached %v, %d misses of %d allowed, want not reached, at most 2 of 2", f.Reached, f.Misses, f.Allowed)
	}
	if f.LowerBound > f.ReplicaMinutes {
		t.Errorf("got a bound of %v above %v", f.LowerBound, f.ReplicaMinutes)
	}
}

func TestFloorsInOtherRuns(t *testing.T) {
	bursts := trace.Generator{
		Rate:   trace.Steps(trace.Point{At: 0, Rate: 2}, trace.Point{At: 60, Rate: 9}, trace.Point{At: 150, Rate: 1}),
		Prompt: trace.Uniform(500, 4000), Output: trace.Uniform(20, 400), End: 240,
	}
	tests := map[string]func(*sim.Run){
		"events":                func(*sim.Run) {},
		"chunks":                func(r *sim.Run) { r.Engine.ChunkTokens = 512 },
		"preemption":            func(r *sim.Run) { r.Engine.Preemption, r.Replica.ReserveBytes = true, 54e9 },
		"bounded queues":        func(r *sim.Run) { r.Engine.MaxQueue = 4 },
		"few GPUs":              func(r *sim.Run) { r.GPUs = 2 },
		"until all is served":   func(r *sim.Run) { r.Horizon = 0 },
		"begun from nothing":    func(r *sim.Run) { r.Initial = 0 },
		"begun with too many":   func(r *sim.Run) { r.Initial = 6 },
		"an interval of 7.001s": func(r *sim.Run) { r.Interval = 7001 * time.Millisecond },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := small(1, 240*time.Second)
			change(&run)
			f := clairvoyant(t, run, bursts, 4, 0.02)
			if !(f.LowerBound >= 0 && f.LowerBound <= f.ReplicaMinutes) || f.Misses > f.Allowed {
				t.Errorf("got %.2f to %.2f replica-minutes with %d misses of %d, want them in order",
					f.LowerBound, f.ReplicaMinutes, f.Misses, f.Allowed)
			}
		})
	}
}

func TestFixedStepsHaveNoKnownBound(t *testing.T) {
	run := small(1, time.Minute)
	run.Step = 250 * time.Millisecond
	f := clairvoyant(t, run, trace.Slice{{At: 30, Prompt: 1000, Output: 100}}, 2, 0)
	if !math.IsNaN(f.LowerBound) || !(f.ReplicaMinutes > 0) {
		t.Errorf("got a bound of %v for %v replica-minutes, want none for some", f.LowerBound, f.ReplicaMinutes)
	}
}

func TestNoPolicyIsBelowTheFloorOfItsMisses(t *testing.T) {
	long(t)
	requests := trace.Generator{
		Rate:   trace.Steps(trace.Point{At: 0, Rate: 2}, trace.Point{At: 100, Rate: 18}, trace.Point{At: 220, Rate: 1}),
		Prompt: trace.Uniform(200, 2500), Output: trace.Uniform(20, 500), End: 400,
	}
	for seed := range uint64(2) {
		for _, target := range []float64{4, 12, 30} {
			run := small(1, 400*time.Second)
			run.Replica.MaxNumSeqs, run.Seed = 16, seed
			reader, err := requests.Open(seed)
			if err != nil {
				t.Fatal(err)
			}
			p := queue(target)
			r, err := run.Do(t.Context(), reader, sim.Follow(p, run.Start), nil)
			if err != nil {
				t.Fatal(err)
			}
			f := clairvoyant(t, run, requests, int(p.Max), r.MissRatio()+1e-9)
			if f.ReplicaMinutes > r.ReplicaMinutes() || f.LowerBound > r.ReplicaMinutes() {
				t.Errorf("seed %d, queue %v: got a floor of %.2f (bound %.2f) replica-minutes at %d misses, above the policy's %.2f at %d",
					seed, target, f.ReplicaMinutes, f.LowerBound, f.Misses, r.ReplicaMinutes(), r.Misses)
			}
		}
	}
}

func BenchmarkClairvoyant(b *testing.B) {
	run := sim.DefaultRun()
	run.Horizon = 1500 * time.Second
	for b.Loop() {
		f := clairvoyant(b, run, trace.Default(), 8, 0.01)
		b.ReportMetric(f.ReplicaMinutes, "replica-min")
		b.ReportMetric(f.LowerBound, "bound-min")
	}
}
