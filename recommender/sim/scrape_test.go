package sim

import (
	"math"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/trace"
)

// Between 31 and 55 seconds ten requests run. Who decides on reads of every half minute
// that are at least ten seconds old sees them late, and for too long.
func TestDecisionsSeeOldReads(t *testing.T) {
	var requests trace.Slice
	for range 10 {
		requests = append(requests, trace.Request{At: 31, Prompt: 10, Output: 3000})
	}
	type seen struct {
		at      float64 // of the evidence; NaN without any
		running float64
	}
	look := func(scrape, age time.Duration) map[float64]seen {
		r := DefaultRun()
		r.Scrape, r.Age, r.Horizon = scrape, age, 121*time.Second
		got := map[float64]seen{}
		replay(t, r, requests, keep, func(k *Tick) {
			s := seen{math.NaN(), k.Observation.Running.Value}
			if k.Observation.Running.Known() {
				s.at = k.Observation.Running.At.Sub(r.Start).Seconds()
			}
			got[k.At] = s
		})
		return got
	}
	direct := look(0, 0)
	for at, want := range map[float64]seen{15: {15, 0}, 30: {30, 0}, 45: {45, 10}, 60: {60, 0}} {
		if direct[at] != want {
			t.Errorf("without a scrape interval at %v: got %v, want %v", at, direct[at], want)
		}
	}
	late := look(50*time.Second, 10*time.Second)
	for at, want := range map[float64]seen{
		60:  {50, 10}, // long since over
		75:  {50, 10},
		105: {50, 10}, // the read at 100 is too fresh
		120: {100, 0},
	} {
		if late[at] != want {
			t.Errorf("with old reads at %v: got %v, want %v", at, late[at], want)
		}
	}
	if s := late[45]; !math.IsNaN(s.at) {
		t.Errorf("before the first read: got %v, want nothing", s)
	}
}

func TestRatesAreThoseOfTheWindow(t *testing.T) {
	var requests trace.Slice
	for i := range 600 {
		requests = append(requests, trace.Request{At: float64(i) / 2, Prompt: 300, Output: 50})
	}
	r := DefaultRun()
	r.Horizon = 600 * time.Second
	r.Percentiles = []float64{0.95}
	replay(t, r, requests, keep, func(k *Tick) {
		o := &k.Observation
		switch k.At {
		case 15:
			if o.Arrivals.Known() {
				t.Errorf("after one read: got %v arrivals per second, want nothing", o.Arrivals.Value)
			}
		case 300:
			near(t, "arrivals", o.Arrivals.Value, 2, 0.02)
			near(t, "completions", o.Completions.Value, 2, 0.02)
			near(t, "prompt tokens", o.PromptTokens.Value, 600, 0.02)
			near(t, "output tokens", o.OutputTokens.Value, 100, 0.02)
			near(t, "TTFT p95", o.TTFT[0].Value, 0.02, 0.05) // 300 tokens take 12 ms, the bucket ends at 20
			if o.SLOMiss.Value != 0 || o.SLOBound.Value != 1 {
				t.Errorf("got %v over %v s, want 0 over 1, the bound below 2", o.SLOMiss.Value, o.SLOBound.Value)
			}
		case 360:
			near(t, "arrivals while they end", o.Arrivals.Value, 1, 0.02)
		case 585:
			if o.Arrivals.Value != 0 || o.OutputTokens.Value != 0 || !o.TTFT[0].Known() {
				t.Errorf("after the end: got %v, %v, %v, want 0, 0 and a latency still in its window", o.Arrivals.Value, o.OutputTokens.Value, o.TTFT[0])
			}
		}
	})
}

// A read is of its own instant: the cache and the token counters do not stop at the last
// event of a replica.
func TestReadsAreExactBetweenEvents(t *testing.T) {
	f := counting(1, Engine{})
	r := DefaultReplica()
	f.Arrive(trace.Request{At: 0, Prompt: 1000, Output: 4000})
	f.Advance(10)
	s := f.scrape(10, &r)
	near(t, "seconds for the tokens so far", writing(1000, 1, s.outputs), 10-1000*readToken, 1e-9)
	near(t, "cache", s.usage, (1000+s.outputs)/float64(r.KVCapacityTokens()), 1e-9)
}

func TestNothingReadyIsNotNoLoad(t *testing.T) {
	r := DefaultRun()
	r.Initial, r.Horizon = 0, 40*time.Second
	replay(t, r, trace.Slice{{At: 1, Prompt: 10, Output: 10}}, keep, func(k *Tick) {
		o := &k.Observation
		if o.Running.Known() || o.Waiting.Known() || o.CPU.Known() || o.KVCacheUsage.Known() {
			t.Errorf("at %v: got numbers of replicas that are not there: %+v", k.At, o)
		}
		if !o.Held.Known() || o.Held.Value != 1 || o.Ready.Value != 0 || !o.Ready.Known() {
			t.Errorf("at %v: got %v held, %v ready, want 1 and 0", k.At, o.Held, o.Ready)
		}
	})
}
