package risk

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// An Estimator makes estimates, one after the other, for any number of workloads. It keeps
// what it computes with, so that estimates allocate nothing; the zero Estimator is ready.
// Every goroutine needs its own. Its results do not depend on what it did before.
type Estimator struct {
	source rand.PCG
	random *rand.Rand

	now      situation
	slots    []bin // what arrived between the ticks
	bins     []bin // the same, merged
	logs     []float64
	blocks   []block
	cohorts  []cohort
	loads    []load
	course   []bin // the requests expected in the parts of the horizon
	nodes    []node
	runs     []run
	requests []trace.Request
	// starts are the seconds at which the starting replicas are ready, in order.
	starts []float64
	// cold is how long a new replica takes in this sample.
	cold float64
	// spent is how many requests were simulated, and longest how many one course may have.
	spent, longest int
	// even says that the nodes lie evenly.
	even bool

	thin thin
	// base is a workload as it was found, trunk is it with the replicas asked for, and
	// branch one with others.
	base, trunk, branch *sim.Fleet
}

// A run is one number of replicas to be simulated.
type run struct {
	asked    int // for the whole workload
	replicas int // of the share that is simulated
	risk     float64
}

// thin says how the simulation is made smaller than what it stands for.
type thin struct {
	// merge is how many requests one stands for: they are read and written together, in
	// one batch slot.
	merge float64
	// share is the fraction of the replicas that is simulated.
	share float64
	// ready replicas of the share.
	ready int
}

// What a thinned simulation keeps at least.
const (
	fewestSlots    = 6  // in a batch
	fewestReplicas = 12 // of a fleet
	mostReplicas   = 256
	wantedNodes    = 7 // courses of the traffic
	fewestNodes    = 3 // of them
)

// prepare chooses how thin the simulation has to be, and makes the fleets for it.
func (e *Estimator) prepare(s *situation, counts []int, budget int) {
	if e.random == nil {
		e.random = rand.New(&e.source)
	}
	e.spent, e.longest = 0, max(budget/2, 1)
	e.runs = e.runs[:0]
	for _, n := range counts {
		if n >= 0 && !slices.ContainsFunc(e.runs, func(r run) bool { return r.asked == n }) {
			e.runs = append(e.runs, run{asked: n})
		}
	}
	slices.SortFunc(e.runs, func(a, b run) int { return cmp.Compare(a.asked, b.asked) })
	e.thin = e.thinness(s, budget)
	// Cut short a course would end before new replicas are ready. Only one that is far above
	// the middle is, of which nearly all misses anyway.
	expected := s.horizon * s.forecast.at(s.horizon/2, 0.5) * e.thin.share / e.thin.merge
	e.longest = max(e.longest, int(min(4*expected, DefaultBudget)))
	for i := range e.runs {
		e.runs[i].replicas = e.thin.replicas(s, e.runs[i].asked)
	}
	e.equip(s)
}

// equip gives the fleets the thinned replica.
func (e *Estimator) equip(s *situation) {
	r := e.thin.replica(&s.replica)
	for _, f := range [...]**sim.Fleet{&e.base, &e.trunk, &e.branch} {
		if *f == nil {
			*f = sim.NewFleet(&r, s.engine, s.objective)
		}
		(*f).Reset()
		(*f).Use(&r, s.engine, s.objective)
	}
}

// thinness merges requests until the nodes wanted fit into the budget, as far as batches
// and the objective stay much larger than one merged request. Then it leaves replicas out,
// and at last it merges a little more for the fewest nodes. Beyond that it is over budget: a
// merged request that is read for most of the objective would miss by itself.
func (e *Estimator) thinness(s *situation, budget int) thin {
	t := thin{merge: 1, share: 1, ready: s.ready}
	largest := float64(max(s.current, e.runs[len(e.runs)-1].asked))
	over := s.horizon * s.forecast.at(s.horizon/2, 0.5) * e.sims(s) * wantedNodes / float64(budget)
	slots := float64(s.replica.MaxNumSeqs)
	read := s.lengths.prompt / s.replica.PrefillTokensPerSecond()
	if over > 1 {
		cache := float64(s.replica.KVCapacityTokens()) / (s.lengths.prompt + s.lengths.output)
		t.merge = max(1, math.Floor(min(over, slots/fewestSlots, cache/fewestSlots, s.objective.Seconds()/8/read)))
		over /= t.merge
	}
	if share := min(max(1/over, fewestReplicas/largest), mostReplicas/largest); share < 1 {
		t.share = share
		t.ready = int(math.Ceil(float64(s.ready) * share))
		if s.ready > 0 {
			t.share = float64(t.ready) / float64(s.ready)
		}
		over *= t.share
	}
	if over *= float64(fewestNodes) / wantedNodes; over > 1 {
		t.merge = max(t.merge, math.Floor(min(t.merge*over, slots/4, s.objective.Seconds()/5/read)))
	}
	return t
}

// sims is how many fleets are simulated from beginning to end, for a node that costs more
// than the one in the middle. Those that get new replicas share what happens before those
// are ready.
func (e *Estimator) sims(s *situation) float64 {
	const dearer = 1.3
	n := 1.0
	for _, r := range e.runs {
		switch {
		case r.asked < s.current:
			n++
		case r.asked > s.current:
			n += max(1-s.cold.median/s.horizon, 0)
		}
	}
	return n * dearer
}

// replicas is how many replicas of the share stand for n of the workload.
func (t *thin) replicas(s *situation, n int) int {
	if t.share == 1 {
		return n
	}
	return max(t.ready+int(math.Round(float64(n-s.ready)*t.share)), min(n, 1))
}

// replica is one that serves merged requests as r serves those that they stand for.
func (t *thin) replica(r *sim.Replica) sim.Replica {
	x := *r
	if t.merge > 1 {
		x.MaxNumSeqs = max(int(math.Round(float64(r.MaxNumSeqs)/t.merge)), 1)
		x.KVBytes *= t.merge
		x.FLOPS /= t.merge
	}
	return x
}
