package sim

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/trace"
)

// long is a request that takes about 28 seconds alone.
func long(at float64) trace.Request { return trace.Request{At: at, Prompt: 1000, Output: 4000} }

// waitingIn returns the requests that wait in a server.
func waitingIn(s *server) (list []int32) {
	s.queue.each(func(r *request) { list = append(list, r.index) })
	return list
}

func TestRequestsGoToTheLeastLoaded(t *testing.T) {
	f := counting(3, Engine{})
	for i := range 7 {
		f.Arrive(long(float64(i)))
	}
	var loads []int
	for _, s := range f.ready {
		loads = append(loads, s.load)
	}
	if want := []int{3, 2, 2}; !slices.Equal(loads, want) {
		t.Errorf("got loads of %v, want %v: the first of equals is chosen", loads, want)
	}
}

// A queue never moves to a new replica.
func TestAQueueStaysWhereItIs(t *testing.T) {
	f := counting(1, Engine{})
	for range 30 { // of which the cache holds 18
		f.Arrive(trace.Request{At: 1, Prompt: 1000, Output: 20000})
	}
	f.Advance(10)
	before := waitingIn(f.ready[0])
	f.Resize(2, 10)
	f.Advance(102)
	if len(f.ready) != 2 {
		t.Fatalf("got %d ready, want 2", len(f.ready))
	}
	after := waitingIn(f.ready[0])
	if len(before) != 12 || len(after) == 0 || !slices.Equal(after, before[len(before)-len(after):]) {
		t.Errorf("got %v waiting, want what is left of %v", after, before)
	}
	if f.ready[1].load != 0 {
		t.Errorf("got %d requests in the new replica, want none of the old ones", f.ready[1].load)
	}
	f.Arrive(long(103))
	if f.ready[1].load != 1 {
		t.Errorf("got %d requests in the new replica, want the new one", f.ready[1].load)
	}
}

func TestAnAddedReplicaServesAfterItsColdStart(t *testing.T) {
	f := counting(0, Engine{})
	f.Arrive(trace.Request{At: 5, Prompt: 24750, Output: 10})
	f.Resize(1, 15)
	f.Advance(15 + 91 - 1e-9)
	if len(f.ready) != 0 || f.held.len() != 1 {
		t.Errorf("before its cold start is over: got %d ready and %d held, want 0 and 1", len(f.ready), f.held.len())
	}
	f.Arrive(trace.Request{At: 200, Prompt: 24750, Output: 10})
	f.Advance(300)
	// Who is held from zero sees the rest of one cold start.
	near(t, "TTFT of the held one", f.tally.times.ttft.values[0], 15+91-5+1, 1e-9)
	near(t, "TTFT of a later one", f.tally.times.ttft.values[1], 1, 1e-9)
}

func TestWhatIsTakenAwayFirst(t *testing.T) {
	f := counting(2, Engine{})
	f.Arrive(long(1))
	f.Arrive(long(2))
	f.Arrive(long(3)) // the first replica has two
	f.Advance(5)
	f.Resize(3, 5)
	f.Advance(6)
	f.Resize(4, 6)
	f.Advance(7)
	f.Resize(3, 7)
	if len(f.starting) != 1 || f.starting[0].since != 5 {
		t.Errorf("got %+v starting, want the one from second 5: the youngest goes first", f.starting)
	}
	busiest := f.ready[0]
	f.Resize(1, 7)
	if len(f.starting) != 0 || len(f.ready) != 1 || len(f.draining) != 1 || f.ready[0] != busiest {
		t.Errorf("got %d starting, %d ready, %d draining, want the busiest left and the other draining", len(f.starting), len(f.ready), len(f.draining))
	}
	leaving := f.draining[0]
	f.Arrive(long(8))
	if leaving.load != 1 || f.ready[0].load != 3 {
		t.Errorf("got %d and %d requests, want none new in the draining replica", leaving.load, f.ready[0].load)
	}
	f.Advance(200)
	if len(f.draining) != 0 || f.tally.served != 4 {
		t.Errorf("got %d draining and %d served, want it gone after everything was served", len(f.draining), f.tally.served)
	}
}

func TestDrainingReplicasCostUntilTheyAreEmpty(t *testing.T) {
	f := counting(1, Engine{})
	f.Arrive(trace.Request{At: 10, Prompt: 1000, Output: 4000})
	f.Advance(20)
	f.Resize(0, 20)
	f.Advance(100)
	near(t, "replica-seconds", f.ReplicaSeconds(100), 10+1000*readToken+writing(1000, 1, 4000), 1e-9)
}

// Added and cancelled after 30 seconds: half a replica-minute.
func TestACancelledReplicaCostsWhatItStarted(t *testing.T) {
	f := counting(0, Engine{})
	f.Advance(10)
	f.Resize(1, 10)
	f.Advance(40)
	f.Resize(0, 40)
	f.Advance(1000)
	if got := f.ReplicaSeconds(1000); got != 30 {
		t.Errorf("got %v replica-seconds, want 30", got)
	}
	if f.peak != 1 || len(f.ready) != 0 {
		t.Errorf("got a peak of %d and %d ready, want 1 and 0", f.peak, len(f.ready))
	}
}

// A replica that has no GPU waits for one that drains, and begins to start the moment it
// is gone.
func TestPendingReplicasWaitForAGPU(t *testing.T) {
	f := counting(2, Engine{})
	f.gpus = 2
	f.Arrive(long(1))
	f.Arrive(long(1))
	f.Advance(15)
	f.Resize(1, 15)
	f.Advance(20)
	f.Resize(3, 20)
	if f.pending != 2 || f.Current() != 3 || f.exist() != 2 {
		t.Fatalf("got %d pending of %d, %d exist, want 2 of 3 and 2", f.pending, f.Current(), f.exist())
	}
	empty := 1 + 1000*readToken + writing(1000, 1, 4000)
	near(t, "the next GPU", f.nextGPU(), empty, 1e-9)
	f.Advance(f.nextGPU())
	if f.pending != 1 || len(f.starting) != 1 || f.exist() != 2 {
		t.Fatalf("got %d pending, %d starting, %d exist, want 1, 1 and 2", f.pending, len(f.starting), f.exist())
	}
	near(t, "ready", f.starting[0].ready, empty+91, 1e-9)
	f.Resize(2, 40)
	if f.pending != 0 || len(f.starting) != 1 {
		t.Errorf("got %d pending, %d starting, want the pending one cancelled first", f.pending, len(f.starting))
	}
}

func TestNeverMoreReplicasThanGPUs(t *testing.T) {
	for _, step := range []time.Duration{0, seed000Step} {
		r := DefaultRun()
		r.GPUs, r.Initial, r.Step = 3, 3, step
		var requests trace.Slice
		for i := range 600 {
			requests = append(requests, long(float64(i)/4))
		}
		pending := 0
		got := replay(t, r, requests, script(r.Start, map[float64]int{30: 1, 60: 6, 300: 2, 330: 5}), func(k *Tick) {
			pending = max(pending, k.Pending)
			if n := k.Ready + k.Starting + k.Draining; n > 3 {
				t.Errorf("step %v: got %d replicas at %v, want at most 3", step, n, k.At)
			}
		})
		if got.Peak != 3 || pending < 3 {
			t.Errorf("step %v: got a peak of %d and %d pending, want 3 and at least 3", step, got.Peak, pending)
		}
	}
}

func TestColdStartsHaveASpread(t *testing.T) {
	r := DefaultRun()
	r.Interval = time.Second
	r.Initial = 0
	r.Horizon = 700 * time.Second
	phases := DefaultColdStart()
	r.ColdStart = phases.Sample
	times := func(seed uint64) (list []float64) {
		r.Seed = seed
		ready := 0
		replay(t, r, trace.Slice{}, script(r.Start, map[float64]int{1: 20}), func(k *Tick) {
			for ; ready < k.Ready; ready++ {
				list = append(list, k.At-1)
			}
		})
		return list
	}
	one := times(1)
	low, high := phases.Low().Seconds(), phases.High().Seconds()
	if len(one) != 20 || one[0] < low || one[19] > high+1 || one[19]-one[0] < 60 {
		t.Errorf("got %v, want 20 cold starts spread between %v and %v s", one, low, high)
	}
	if !slices.Equal(one, times(1)) {
		t.Error("the same seed gave other cold starts")
	}
	if slices.Equal(one, times(2)) {
		t.Error("another seed gave the same cold starts")
	}
}

// What is billed is the integral of the replicas that exist, sampled here every 10 ms.
func TestCostIsTheIntegralOfReplicas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := counting(2, Engine{})
	const dt = 0.01
	integral, ends := 0.0, 0
	for i := range 60000 {
		now := float64(i) * dt
		if rng.IntN(40) == 0 {
			f.Arrive(trace.Request{At: now, Prompt: 1 + rng.Int32N(2000), Output: 1 + rng.Int32N(2000)})
		}
		f.Advance(now)
		if i%1500 == 0 {
			f.Resize(rng.IntN(6), now)
			ends += 6
		}
		integral += dt * float64(f.exist())
	}
	got := f.ReplicaSeconds(60000 * dt)
	// Each drain ends somewhere within a sample.
	if want := integral; got > want || got < want-dt*float64(ends) {
		t.Errorf("got %v replica-seconds, want %v less at most %v", got, want, dt*float64(ends))
	}
}

func TestFlapsAreChangesThatAreUndone(t *testing.T) {
	r := DefaultRun()
	r.Horizon = 1200 * time.Second
	got := replay(t, r, trace.Slice{}, script(r.Start, map[float64]int{
		15:  3, // up
		30:  4, // up again
		60:  2, // down: a flap
		90:  3, // and up: another
		405: 2, // down, 315 s later: no flap
	}), nil)
	if got.Events != 5 || got.Flaps != 2 {
		t.Errorf("got %d events and %d flaps, want 5 and 2", got.Events, got.Flaps)
	}
}

// A scaler that never comes back from zero does not keep a run going for ever.
func TestARunWithoutAHorizonEnds(t *testing.T) {
	r := DefaultRun()
	r.Initial = 0
	got := replay(t, r, trace.Slice{{At: 1, Prompt: 10, Output: 10}}, keep, nil)
	if got.Misses != 1 || got.Seconds > 2*patience {
		t.Errorf("got %d misses after %v s, want the one held request, and an end", got.Misses, got.Seconds)
	}
	r.Initial = 1
	got = replay(t, r, trace.Slice{{At: 1, Prompt: 10, Output: 10}}, keep, nil)
	if got.Served != 1 || got.Seconds != 15 {
		t.Errorf("got %d served after %v s, want 1 and an end at the first decision after", got.Served, got.Seconds)
	}
}
