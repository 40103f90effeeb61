package risk

import (
	"math"
	"slices"
	"testing"

	"github.com/infscale/infscale/recommender"
)

func TestANewReplicaHasNoQueue(t *testing.T) {
	const batch = 64
	var tracker Tracker
	observe := func(second int, ready, running, waiting float64) {
		o := known(second, ready, ready)
		o.Running, o.Waiting = recommender.Exactly(running, o.Time, 1), recommender.Exactly(waiting, o.Time, 1)
		o.Completions = recommender.Exactly(2, o.Time, 1)
		tracker.Observe(&o)
	}
	observe(0, 1, 64, 200)
	observe(15, 2, 70, 180)
	var e Estimator
	got := e.cohortsOf(&tracker, batch)
	// The old one has finished 30 of its 264; the rest of the 250 are in the new one.
	want := []cohort{{1, 16}, {1, 234}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCohortsKeepTheTotals(t *testing.T) {
	var tracker Tracker
	for i, x := range []struct{ ready, running, waiting float64 }{
		{1, 64, 500}, {3, 100, 450}, {5, 200, 300}, {4, 256, 10}, {4, 30, 0}, {0, 0, 0}, {2, 12, 1},
	} {
		o := known(15*i, x.ready, x.ready)
		o.Running, o.Waiting = recommender.Exactly(x.running, o.Time, 1), recommender.Exactly(x.waiting, o.Time, 1)
		tracker.Observe(&o)
		var e Estimator
		replicas, requests := 0, 0.0
		for _, c := range e.cohortsOf(&tracker, 64) {
			replicas += c.replicas
			requests += float64(c.replicas) * c.outstanding
		}
		if replicas != int(x.ready) || math.Abs(requests-x.running-x.waiting) > 1e-6 {
			t.Errorf("tick %d: got %d replicas with %v requests, want %v with %v", i, replicas, requests, x.ready, x.running+x.waiting)
		}
	}
}
