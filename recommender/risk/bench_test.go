package risk

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
)

// BenchmarkEstimate is one workload and tick: eight replicas that are nearly busy with 30
// requests per second, and ten and a hundred times as much. Desired is one less, the same
// and one more than current in turn. The 99th percentile is of the wall clock.
func BenchmarkEstimate(b *testing.B) {
	for _, scale := range []float64{1, 10, 100} {
		b.Run(fmt.Sprintf("replicas=%v", 8*scale), func(b *testing.B) { benchmarkEstimate(b, scale) })
	}
}

func benchmarkEstimate(b *testing.B, scale float64) {
	p, r := recommender.DefaultPolicy(), sim.DefaultReplica()
	p.Max, p.SLO.TTFT = 10000, 2*time.Second
	w := Workload{Name: "chat", Policy: &p, Replica: &r, Interval: 15 * time.Second}
	random := rand.New(rand.NewPCG(1, 2))
	now := start
	var t Tracker
	next := func() recommender.Observation {
		now = now.Add(w.Interval)
		o := busy(now, scale, 1+0.02*random.NormFloat64())
		t.Observe(&o)
		return o
	}
	for range 60 {
		next()
	}
	var e Estimator
	var took []time.Duration
	samples, requests := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		o := next()
		d := recommender.Decision{Known: true, Desired: int32(8*scale) - 1 + int32(len(took)%3)}
		began := time.Now()
		y := e.Estimate(&t, &w, &o, &d)
		took = append(took, time.Since(began))
		if !y.Known {
			b.Fatalf("got no estimate: %s", y.Reason)
		}
		samples += y.Samples
		requests += e.spent
	}
	slices.Sort(took)
	n := float64(len(took))
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
	b.ReportMetric(float64(samples)/n, "samples/op")
	b.ReportMetric(float64(requests)/n, "requests/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(requests), "ns/request")
}

// busy is a workload with eight replicas, times scale, at 30 requests per second each of
// 1500 tokens to read and 800 to write: four fifths of what they can do.
func busy(now time.Time, scale, load float64) recommender.Observation {
	n := int32(8 * scale)
	q := func(v float64) recommender.Quantity { return recommender.Exactly(v*scale, now, n) }
	return recommender.Observation{
		Time: now, Current: q(8), Ready: q(8), Reporting: q(8),
		Running: q(360 * load), Waiting: q(0), Held: q(0),
		Arrivals: q(30 * load), Completions: q(30 * load),
		PromptTokens: q(30 * 1500 * load), OutputTokens: q(30 * 800 * load),
	}
}
