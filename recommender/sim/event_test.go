package sim

import (
	"math"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/trace"
)

// counting returns a fleet of n ready default replicas that keeps its distributions.
func counting(n int, e Engine) *Fleet {
	r := DefaultReplica()
	f := &Fleet{tally: tally{times: new(times)}}
	f.Reset()
	f.Use(&r, e, 2*time.Second)
	f.AddReady(n)
	return f
}

// Seconds of the default replica: those of a token of a prompt, of a decode step, and of
// a decode step for each token of context.
const (
	readToken = 1 / 24750.0
	stepBase  = 16e9 / (3350e9 * 0.7)
	stepToken = 131072 / (3350e9 * 0.7)
)

// writing is how long n requests of context tokens together take for x tokens each.
func writing(context, n, x float64) float64 {
	return x * (stepBase + stepToken*(context+n*x/2))
}

func TestASingleRequestTakesItsClosedForm(t *testing.T) {
	f := counting(1, Engine{})
	f.Arrive(trace.Request{At: 0.3, Prompt: 1000, Output: 200})
	f.Advance(60)
	near(t, "time to the first token", f.tally.times.ttft.values[0], 1000*readToken, 1e-9)
	near(t, "time to the last token", f.tally.sojourn, 1000*readToken+writing(1000, 1, 200), 1e-9)
}

// The prompt of the second request stalls the first, then both decode together.
func TestAPromptStallsTheBatch(t *testing.T) {
	f := counting(1, Engine{})
	const second = 0.5
	f.Arrive(trace.Request{At: 0, Prompt: 1000, Output: 200})
	f.Arrive(trace.Request{At: second, Prompt: 24750, Output: 200})
	f.Advance(60)
	near(t, "time to the first token", f.tally.times.ttft.values[1], 1, 1e-9)

	// The first writes alone until the second comes, x tokens in what is left of it.
	alone := second - 1000*readToken
	a := stepBase + stepToken*1000
	x := (math.Sqrt(a*a+2*stepToken*alone) - a) / stepToken
	together := writing(1000+x+24750, 2, 200-x)
	firstDone := second + 1 + together
	rest := writing(24750+200-x, 1, x)
	near(t, "both sojourns", f.tally.sojourn, firstDone+(firstDone+rest-second), 1e-9)
}

// With chunks the batch goes on while a prompt is read, in longer steps.
func TestChunkedPrefillDoesNotStall(t *testing.T) {
	const chunk, second = 512, 0.5
	requests := trace.Slice{{At: 0, Prompt: 1000, Output: 500}, {At: second, Prompt: 5120, Output: 10}}
	run := func(e Engine) *Fleet {
		f := counting(1, e)
		for _, q := range requests {
			f.Arrive(q)
		}
		f.Advance(60)
		return f
	}
	stalled, chunked := run(Engine{}), run(Engine{ChunkTokens: chunk})
	near(t, "an empty server reads at full speed", chunked.tally.times.ttft.values[0], 1000*readToken, 1e-9)

	alone := second - 1000*readToken
	a := stepBase + stepToken*1000
	x := (math.Sqrt(a*a+2*stepToken*alone) - a) / stepToken
	want := writing(1000+x, 1, 5120.0/chunk) + 5120*readToken
	near(t, "a chunked prompt takes its steps", chunked.tally.times.ttft.values[1], want, 1e-9)
	near(t, "a stalling prompt takes only itself", stalled.tally.times.ttft.values[1], 5120*readToken, 1e-9)

	longest := func(f *Fleet) float64 { return f.tally.times.itl.quantile(1) }
	near(t, "the longest gap of a stalled batch", longest(stalled), 5120*readToken+stepBase, 0.05)
	near(t, "the longest gap of a chunked batch", longest(chunked), chunk*readToken+stepBase, 0.05)
}

func TestACachedPrefixIsNotReadAgain(t *testing.T) {
	requests := trace.Slice{
		{At: 0, Prompt: 1000, Output: 1, Prefix: 800},
		{At: 10, Prompt: 1000, Output: 1, Prefix: 800},
		{At: 20, Prompt: 1000, Output: 1, Prefix: 1000},
		{At: 30, Prompt: 1000, Output: 1},
	}
	for _, c := range []struct {
		name  string
		cache float64
		want  [4]float64 // tokens read
	}{
		{"without a cache", 0, [4]float64{1000, 1000, 1000, 1000}},
		{"with a cache", 1, [4]float64{1000, 200, 1, 1000}}, // the last token is always read
		{"with a cache that finds half", 0.5, [4]float64{1000, 600, 500, 1000}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := counting(1, Engine{PrefixCache: c.cache})
			for _, q := range requests {
				f.Arrive(q)
			}
			f.Advance(60)
			for i, want := range c.want {
				near(t, "tokens read", f.tally.times.ttft.values[i]/readToken, want, 1e-9)
			}
		})
	}
}

// small is a replica whose cache holds 10,000 tokens.
func small() Replica {
	r := DefaultReplica()
	r.ReserveBytes = r.MemoryBytes*r.MemoryUtilization - r.WeightBytes() - 10000.5*r.KVBytesPerToken()
	return r
}

func TestPreemptionServesEverything(t *testing.T) {
	var requests trace.Slice
	for i := range 200 {
		requests = append(requests, trace.Request{At: float64(i) * 0.2, Prompt: 500, Output: 900})
	}
	// One that needs the whole cache to itself.
	requests = append(requests, trace.Request{At: 40, Prompt: 5000, Output: 5000})
	r := DefaultRun()
	r.Replica = small()
	reserved := replay(t, r, requests, keep, nil)
	r.Engine.Preemption = true
	got := replay(t, r, requests, keep, nil)
	if got.Served != len(requests) || got.Preemptions == 0 {
		t.Errorf("got %d served after %d preemptions, want all %d and some", got.Served, got.Preemptions, len(requests))
	}
	if got.Preemptions > 50*len(requests) {
		t.Errorf("got %d preemptions of %d requests, want no thrashing", got.Preemptions, len(requests))
	}
	if got.TTFT.P50 >= reserved.TTFT.P50 {
		t.Errorf("median TTFT: got %v with preemption, want less than the %v of reserving all", got.TTFT.P50, reserved.TTFT.P50)
	}
	if reserved.Preemptions != 0 || reserved.Served != len(requests) {
		t.Errorf("reserving: got %d served and %d preemptions, want %d and none", reserved.Served, reserved.Preemptions, len(requests))
	}
}

// What was preempted is read again before anything that came later, and answered once.
func TestThePreemptedGoFirst(t *testing.T) {
	f := counting(1, Engine{Preemption: true})
	r := small()
	f.m.capacity = float64(r.KVCapacityTokens())
	for range 8 {
		f.Arrive(trace.Request{At: 0, Prompt: 1300, Output: 3000})
	}
	for f.tally.preemptions == 0 {
		f.Advance(f.ready[0].next)
	}
	s := f.ready[0]
	if first := s.queue.first(); s.waiting() != 2 || !first.started || first.index != 6 {
		t.Errorf("got request %d first of %d, want the preempted 6 of 2", first.index, s.waiting())
	}
	if wrote := s.queue.first().prompt - 1300; wrote <= 0 || wrote+s.queue.first().output != 3000 {
		t.Errorf("got %d tokens to read again and %d to write, want 3000 together", wrote, s.queue.first().output)
	}
	f.Advance(1e6)
	if f.tally.answered != 8 || f.tally.served != 8 {
		t.Errorf("got %d answered and %d served, want each of 8 once", f.tally.answered, f.tally.served)
	}
}

// A small request does not overtake a large one that waits for cache.
func TestNobodyOvertakes(t *testing.T) {
	f := counting(1, Engine{})
	r := small()
	f.m.capacity = float64(r.KVCapacityTokens())
	f.Arrive(trace.Request{At: 0, Prompt: 5000, Output: 2000})
	f.Arrive(trace.Request{At: 1, Prompt: 5000, Output: 2000}) // does not fit beside the first
	f.Arrive(trace.Request{At: 2, Prompt: 100, Output: 100})   // would
	f.Advance(3)
	if f.ready[0].running() != 1 || f.ready[0].waiting() != 2 {
		t.Errorf("got %d running and %d waiting, want 1 and 2", f.ready[0].running(), f.ready[0].waiting())
	}
}

func TestTheCacheLimitsTheBatch(t *testing.T) {
	r := DefaultRun()
	r.Replica = small()
	var requests trace.Slice
	for range 10 {
		requests = append(requests, trace.Request{At: 1, Prompt: 4000, Output: 900})
	}
	// The cache holds two of them.
	most := 0.0
	got := replay(t, r, requests, keep, func(k *Tick) { most = max(most, k.Running) })
	if got.Served != 10 || most != 2 {
		t.Errorf("got %d served, at most %v at once, want 10 and 2", got.Served, most)
	}
	if r.Replica.KVCapacityTokens() != 10000 {
		t.Errorf("got a cache of %d tokens, want 10000", r.Replica.KVCapacityTokens())
	}
}

func TestWhatCanNeverFitIsRefused(t *testing.T) {
	r := DefaultRun()
	r.Replica = small()
	got := replay(t, r, trace.Slice{
		{At: 1, Prompt: 9000, Output: 1000}, {At: 2, Prompt: 9000, Output: 1001},
	}, keep, nil)
	if got.Served != 1 || got.Rejected != 1 || got.Misses != 1 {
		t.Errorf("got %d served, %d rejected, %d misses, want 1 of each", got.Served, got.Rejected, got.Misses)
	}
}

func TestAFullQueueRefuses(t *testing.T) {
	burst := func(n int) (s trace.Slice) {
		for range n {
			s = append(s, trace.Request{At: 1, Prompt: 1000, Output: 100})
		}
		return s
	}
	for _, c := range []struct {
		name             string
		initial          int
		requests, served int
	}{
		{"one is read and three wait", 1, 10, 4},
		{"each replica has its own queue", 2, 10, 8},
		{"three are held where nothing is ready", 0, 10, 3},
		{"a short burst finds room", 1, 4, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := DefaultRun()
			r.Engine.MaxQueue = 3
			r.Initial = c.initial
			got := replay(t, r, burst(c.requests), script(r.Start, map[float64]int{15: max(c.initial, 1)}), nil)
			if got.Served != c.served || got.Rejected != c.requests-c.served || got.Misses < got.Rejected {
				t.Errorf("got %d served, %d rejected, %d misses, want %d served", got.Served, got.Rejected, got.Misses, c.served)
			}
		})
	}
}

// A request misses when its first token comes late, when it was refused, or when it never
// gets one before the end.
func TestThreeWaysToMiss(t *testing.T) {
	for _, c := range []struct {
		name     string
		requests trace.Slice
		queue    int
		want     int
	}{
		{"in time", trace.Slice{{At: 1, Prompt: 49500, Output: 10}}, 0, 0},
		{"late", trace.Slice{{At: 1, Prompt: 49501, Output: 10}}, 0, 1},
		{"refused", trace.Slice{{At: 1, Prompt: 10, Output: 10}, {At: 1, Prompt: 10, Output: 10}, {At: 1, Prompt: 10, Output: 10}}, 1, 1},
		{"never answered", trace.Slice{{At: 29.9, Prompt: 24750, Output: 10}}, 0, 1},
		{"after the end", trace.Slice{{At: 30, Prompt: 10, Output: 10}}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, step := range []time.Duration{0, seed000Step} {
				r := DefaultRun()
				r.Horizon, r.Step, r.Engine.MaxQueue = 30*time.Second, step, c.queue
				if step > 0 && (c.name == "never answered" || c.name == "refused") {
					continue // a step reads to its end what it begins, and begins after all have come
				}
				if got := replay(t, r, c.requests, keep, nil); got.Misses != c.want {
					t.Errorf("step %v: got %d misses, want %d", step, got.Misses, c.want)
				}
			}
		})
	}
}
