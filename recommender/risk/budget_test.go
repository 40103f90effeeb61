package risk

import (
	"math"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
)

// steadyFor is a quarter of an hour of about rate requests per second on some replicas.
func steadyFor(rate, replicas float64) (*Tracker, recommender.Observation) {
	var t Tracker
	var o recommender.Observation
	for i := range 60 {
		at := time.Unix(1_700_000_000, 0).Add(time.Duration(i) * 15 * time.Second)
		is := func(v float64) recommender.Quantity { return recommender.Exactly(v, at, int32(replicas)) }
		x := rate * (1 + 0.05*float64(i%5-2))
		o = recommender.Observation{
			Time: at, Current: is(replicas), Ready: is(replicas), Reporting: is(replicas),
			Running: is(x * 1.6), Waiting: is(0), Held: is(0), KVCacheUsage: is(0.05),
			Arrivals: is(x), Completions: is(x), PromptTokens: is(x * 1000), OutputTokens: is(x * 200),
		}
		t.Observe(&o)
	}
	return &t, o
}

// With thousands of workloads the budget of each is small. Then the risk is coarse, but an
// alert must not fire by that.
func TestASmallBudgetLeansNeitherWay(t *testing.T) {
	r := sim.DefaultReplica()
	p := recommender.DefaultPolicy()
	p.SLO, p.ColdStart = recommender.SLO{TTFT: 2 * time.Second, Objective: 0.99}, 180*time.Second
	for _, c := range []struct{ rate, replicas float64 }{{9, 2}, {9, 3}, {9, 6}, {20, 3}, {20, 6}, {50, 3}, {50, 6}} {
		tracker, o := steadyFor(c.rate, c.replicas)
		risk := func(budget int) float64 {
			var e Estimator
			d := recommender.Decision{Known: true, Desired: int32(c.replicas)}
			w := Workload{Name: "chat", Policy: &p, Replica: &r, Interval: 15 * time.Second, Budget: budget}
			return e.Estimate(tracker, &w, &o, &d).Desired
		}
		want := risk(200_000)
		for _, budget := range []int{1, 200, 500, 1000, 2000, DefaultBudget} {
			if got := risk(budget); math.Abs(got-want) > 0.07 {
				t.Errorf("%v requests per second on %v replicas with a budget of %d: got %.3f, want about %.3f", c.rate, c.replicas, budget, got, want)
			}
		}
	}
}
