package sim

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/trace"
)

// A world is a run, its requests and its decisions, all of them drawn from a source of
// numbers between 0 and n-1.
type world struct {
	run      Run
	requests trace.Slice
	replicas []int // asked for, decision by decision; -1 is not known
}

func newWorld(pick func(n int) int) *world {
	w := &world{run: DefaultRun()}
	r := &w.run
	if pick(2) == 0 {
		r.Replica = small()
	}
	r.Replica.MaxNumSeqs = 1 + pick(8)*pick(8)
	r.Replica.KnownColdStart = time.Duration(1+pick(120)) * time.Second
	r.Initial = pick(4)
	if pick(2) == 0 {
		r.GPUs = r.Initial + pick(3)
	}
	r.Engine = Engine{
		ChunkTokens: pick(3) * 300, PrefixCache: float64(pick(3)) / 2,
		Preemption: pick(2) == 0, MaxQueue: pick(3) * 4,
	}
	r.Scrape = time.Duration(pick(3)*7) * time.Second
	r.Age = time.Duration(pick(3)*4) * time.Second
	r.Horizon = time.Duration(pick(5)*pick(120)) * time.Second
	if pick(2) == 0 {
		r.Step, r.Carry = time.Duration(1+pick(4))*250*time.Millisecond, pick(2) == 0
		r.Interval = time.Duration(1+pick(5)) * 3 * time.Second
	}
	r.Seed = uint64(pick(1000))
	w.traffic(pick)
	for range 5 + pick(20) {
		w.replicas = append(w.replicas, pick(8)-1)
	}
	w.replicas = append(w.replicas, 1+pick(3)) // or what is held would never be served
	return w
}

func (w *world) traffic(pick func(n int) int) {
	at := 0.0
	for range pick(300) {
		if pick(3) > 0 { // else at the same time as the one before
			at += float64(1+pick(1000)) / 700
		}
		prompt := int32(pick(3000))
		w.requests = append(w.requests, trace.Request{
			At: at, Prompt: prompt, Output: int32(1 + pick(900)), Prefix: int32(pick(int(prompt) + 1)),
		})
	}
}

// scale returns the decisions anew.
func (w *world) scale() Scaler {
	i := 0
	return func(recommender.Observation) recommender.Decision {
		n := w.replicas[min(i, len(w.replicas)-1)]
		i++
		return recommender.Decision{Known: n >= 0, Desired: int32(max(n, 0))}
	}
}

// check runs the world, with all that replay checks, and looks at every decision.
func (w *world) check(tb testing.TB) Result {
	tb.Helper()
	peak := 0
	got := replay(tb, w.run, w.requests, w.scale(), func(k *Tick) {
		exist := k.Ready + k.Starting + k.Draining
		peak = max(peak, exist)
		if k.Current != k.Ready+k.Starting+k.Pending {
			tb.Errorf("at %v: got %d replicas asked for, want the %d ready, %d starting and %d pending", k.At, k.Current, k.Ready, k.Starting, k.Pending)
		}
		if w.run.GPUs > 0 && (exist > w.run.GPUs || k.Pending > 0 && exist < w.run.GPUs) {
			tb.Errorf("at %v: got %d replicas and %d pending with %d GPUs", k.At, exist, k.Pending, w.run.GPUs)
		}
		if k.Ready > 0 && k.Held > 0 {
			tb.Errorf("at %v: got %v held while %d are ready", k.At, k.Held, k.Ready)
		}
	})
	if got.Peak < peak {
		tb.Errorf("got a peak of %d, want the %d that were seen", got.Peak, peak)
	}
	if w.run.Horizon == 0 && got.Served+got.Rejected != got.Requests {
		tb.Errorf("got %d served and %d rejected of %d, want all of them in the end", got.Served, got.Rejected, got.Requests)
	}
	if most := float64(got.Peak) * got.Seconds; got.ReplicaSeconds > most*(1+1e-9) {
		tb.Errorf("got %v replica-seconds, want at most %v", got.ReplicaSeconds, most)
	}
	return got
}

func TestNothingIsLostInRandomWorlds(t *testing.T) {
	total := Result{}
	for seed := range uint64(1000) {
		w := newWorld(rand.New(rand.NewPCG(seed, 1)).IntN)
		r := w.check(t)
		if t.Failed() {
			t.Fatalf("seed %d: %+v of %d requests asking for %v", seed, w.run, len(w.requests), w.replicas)
		}
		total.Served += r.Served
		total.Rejected += r.Rejected
		total.Preemptions += r.Preemptions
		total.Events += r.Events
	}
	if total.Served < 10000 || total.Rejected < 1000 || total.Preemptions < 100 || total.Events < 1000 {
		t.Errorf("got %+v, want worlds in which more happens", total)
	}
}

// Equal runs give equal results, on whatever memory of an earlier run, and beside others.
func TestResultsDependOnNothingElse(t *testing.T) {
	const worlds = 40
	var want [worlds]string
	for seed := range worlds {
		w := newWorld(rand.New(rand.NewPCG(uint64(seed), 2)).IntN)
		want[seed] = fmt.Sprintf("%+v", w.check(t))
	}
	for _, threads := range []int{1, 4} {
		t.Run(fmt.Sprint(threads, " threads"), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
			var wg sync.WaitGroup
			for seed := range worlds {
				wg.Go(func() {
					w := newWorld(rand.New(rand.NewPCG(uint64(seed), 2)).IntN)
					if got := fmt.Sprintf("%+v", w.check(t)); got != want[seed] {
						t.Errorf("world %d: got %s, want %s", seed, got, want[seed])
					}
				})
			}
			wg.Wait()
		})
	}
}

// FuzzRun draws a world from bytes.
func FuzzRun(f *testing.F) {
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 3))
		data := make([]byte, 200+400*seed)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		newWorld(func(n int) int {
			if len(data) < 2 {
				return 0
			}
			v := int(binary.LittleEndian.Uint16(data))
			data = data[2:]
			return v % n
		}).check(t)
	})
}
