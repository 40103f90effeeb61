package score

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// tiny is a problem of ten slots in which up to two replicas are of use.
func tiny(t *testing.T, seed uint64) *problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	run := sim.DefaultRun()
	run.Replica.KnownColdStart = 9 * time.Second
	run.Replica.MaxNumSeqs = 4
	run.Horizon = 50 * time.Second
	run.Initial = int(seed % 2)
	middle := 3 + 3*rng.Float64()
	requests := trace.Generator{
		Rate:   trace.Steps(trace.Point{At: 0, Rate: 1}, trace.Point{At: 20, Rate: middle}, trace.Point{At: 36, Rate: 1}),
		Prompt: trace.Uniform(200, 3000), Output: trace.Uniform(20, 150), End: 50,
	}
	slice, err := trace.ReadAll(requests, seed)
	if err != nil {
		t.Fatal(err)
	}
	p, err := newProblem(run, slice, 2)
	if err != nil {
		t.Fatal(err)
	}
	p.setGrid(5 * time.Second)
	return p
}

// all calls visit for every schedule of p.
func all(p *problem, visit func(*schedule)) {
	levels := make([]int, p.slots-1)
	for {
		s := schedule{initial: p.run.Initial}
		level := s.initial
		for k, n := range levels {
			s.add(k+1, n-level)
			level = n
		}
		visit(&s)
		k := 0
		for ; k < len(levels) && levels[k] == p.most; k++ {
			levels[k] = 0
		}
		if k == len(levels) {
			return
		}
		levels[k]++
	}
}

func TestTheFloorOfTinyTracesIsTheOptimum(t *testing.T) {
	if testing.Short() {
		t.Skip("searches for a long time under the race detector")
	}
	found, worst := 0, 0.0
	const problems = 8
	for seed := range uint64(problems) {
		p := tiny(t, seed)
		w := newWindow(p)
		var outcomes []outcome
		least := math.MaxInt
		all(p, func(s *schedule) {
			o := w.replay(s, 0, p.end)
			outcomes = append(outcomes, o)
			least = min(least, o.misses)
		})
		// Some more than can not be avoided.
		p.allowed = least + 4
		best := math.Inf(1)
		for _, o := range outcomes {
			if o.misses <= p.allowed {
				best = min(best, o.cost)
			}
		}
		f, err := p.solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := f.ReplicaMinutes * 60
		if got < best-1e-6 || f.Misses > p.allowed {
			t.Errorf("seed %d: got %v replica-seconds with %d misses, want no less than %v with %d", seed, got, f.Misses, best, p.allowed)
		}
		if f.LowerBound*60 > best+1e-6 {
			t.Errorf("seed %d: got a bound of %v, want no more than %v", seed, f.LowerBound*60, best)
		}
		worst = max(worst, got/best-1)
		if got < best*1.0001 {
			found++
		}
		t.Logf("seed %d: bound %.1f, optimum %.1f, found %.1f", seed, f.LowerBound*60, best, got)
	}
	if found < problems*3/4 || worst > 0.05 {
		t.Errorf("got %d of %d optima and %.1f %% above at worst, want three quarters and at most 5 %%", found, problems, 100*worst)
	}
}

// anything returns a schedule that changes so often.
func anything(p *problem, rng *rand.Rand, times int) schedule {
	s := schedule{initial: p.run.Initial}
	slots := make([]int, times)
	for i := range slots {
		slots[i] = 1 + rng.IntN(p.slots-1)
	}
	slices.Sort(slots)
	level := s.initial
	for _, k := range slots {
		n := rng.IntN(p.most + 1)
		s.add(k, n-level)
		level = n
	}
	return s
}

func ramp(t *testing.T, seed uint64) *problem {
	t.Helper()
	run := sim.DefaultRun()
	run.Replica.KnownColdStart = 20 * time.Second
	run.Replica.MaxNumSeqs = 16
	run.Horizon = 300 * time.Second
	run.Seed = seed
	p, err := newProblem(run, trace.Generator{
		Rate:   trace.Steps(trace.Point{At: 0, Rate: 2}, trace.Point{At: 100, Rate: 18}, trace.Point{At: 220, Rate: 1}),
		Prompt: trace.Uniform(200, 2500), Output: trace.Uniform(20, 500), End: 300,
	}, 5)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNoScheduleIsBelowTheBound(t *testing.T) {
	if testing.Short() {
		t.Skip("searches for a long time under the race detector")
	}
	nearest := math.Inf(1)
	for seed := range uint64(12) {
		p := ramp(t, seed)
		rng := rand.New(rand.NewPCG(seed, 1))
		plan, w := newPlan(p), newWindow(p)
		for range 3 {
			// Good ones, for all kinds of prices.
			s := plan.schedule(math.Exp(8*rng.Float64()-3), 0.9+0.4*rng.Float64())
			o := w.replay(&s, 0, p.end)
			p.allowed = o.misses
			bound, err := lowerBound(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if bound*60 > o.cost {
				t.Errorf("seed %d: got a bound of %v, above the %v replica-seconds of %v", seed, bound*60, o.cost, s)
			}
			if bound > 0 {
				nearest = min(nearest, o.cost/(bound*60))
			}
		}
	}
	if nearest > 1.5 {
		t.Errorf("got costs of %.2f times the bound and more, want it to be near somewhere", nearest)
	}
	t.Logf("nearest %.3f", nearest)
}

func TestAWindowOfEverythingIsTheSimulation(t *testing.T) {
	p := ramp(t, 1)
	w := newWindow(p)
	rng := rand.New(rand.NewPCG(7, 7))
	for range 30 {
		s := anything(p, rng, rng.IntN(12))
		want, err := p.simulate(t.Context(), &s)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.replay(&s, 0, p.end); got.misses != want.misses || math.Abs(got.cost-want.cost) > 1e-6 {
			t.Fatalf("got %v, want %v for %v", got, want, s.orders(p))
		}
	}
}

func TestPatches(t *testing.T) {
	p := ramp(t, 1)
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		a, b := anything(p, rng, 6), anything(p, rng, 6)
		got := a
		for _, d := range a.differences(&b, p.slots) {
			got = got.patched(d)
		}
		if !slices.Equal(levels(p, &got), levels(p, &b)) {
			t.Fatalf("got %v from the differences of %v, want %v", got, a, b)
		}
		from, to := 1+rng.IntN(p.slots-1), 1+rng.IntN(p.slots)
		more := a.patched(a.more(p, from, to, 1))
		want := levels(p, &a)
		for k := min(from, to); k < max(from, to); k++ {
			if from < to {
				want[k]++
			} else {
				want[k]--
			}
		}
		if got := levels(p, &more); !slices.Equal(got, want) {
			t.Fatalf("got %v with one more from %d to %d, want %v", got, from, to, want)
		}
	}
}

// levels returns the replicas asked for in each slot.
func levels(p *problem, s *schedule) []int {
	list := make([]int, p.slots)
	level, next := s.initial, 0
	for k := range list {
		for ; next < len(s.changes) && s.changes[next].slot <= k; next++ {
			level += s.changes[next].by
		}
		list[k] = level
	}
	return list
}

func TestEqualProblemsHaveEqualFloors(t *testing.T) {
	var floors [2]ClairvoyantFloor
	for i := range floors {
		p := ramp(t, 5)
		p.allowed = 20
		f, err := p.solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		floors[i] = f
	}
	if !reflect.DeepEqual(floors[0], floors[1]) {
		t.Errorf("got %+v, want %+v again", floors[1], floors[0])
	}
}
