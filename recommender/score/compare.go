package score

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// A Candidate is a policy under a name.
type Candidate struct {
	Name   string
	Policy recommender.Policy
}

// A Comparison replays a trace under several policies.
type Comparison struct {
	Trace      trace.Trace
	Candidates []Candidate
	// Seeds choose what is random, in the trace and in the fleet: one replay of every
	// policy for each.
	Seeds []uint64
	// Run is the fleet. Its Initial is not used: every policy starts with Initial
	// replicas, or where that is nil with its minimum, but at least one.
	Run     sim.Run
	Initial *int
	// Floors is how many of the seeds get floors, which take a second or more each.
	// MissBudget is the fraction of the requests that the clairvoyant may miss.
	Floors     int
	MissBudget float64
	// Watch is called for every tick of every replay, in the order of time within one,
	// at once for several. It may be nil.
	Watch func(candidate, seed int, t *sim.Tick)
	// Progress is called after each replay, at once for several. It may be nil.
	Progress func(done, total int)
}

// A Report is the outcome of a comparison.
type Report struct {
	// Outcomes are in the order of seeds, and of candidates within one.
	Outcomes []Outcome
	// Floors are what no policy can beat, for the first seeds.
	Floors []Floor
}

// Floor is what no policy can beat on a seed; nil where it was left out.
func (r *Report) Floor(seed int) *Floor {
	if seed >= len(r.Floors) {
		return nil
	}
	return &r.Floors[seed]
}

// An Outcome is what one policy made of one seed.
type Outcome struct {
	// Candidate and Seed are places in the lists of the comparison.
	Candidate, Seed int
	sim.Result
	// Unavoidable is the misses that no policy could have avoided; 0 without a floor.
	Unavoidable int
}

// A Floor is what no policy can beat on one seed of a trace.
type Floor struct {
	Clairvoyant ClairvoyantFloor
	Causal      CausalFloor
}

// Do replays the trace. The result does not depend on how many processors there are.
func (c *Comparison) Do(ctx context.Context) (*Report, error) {
	r := &Report{Outcomes: make([]Outcome, len(c.Seeds)*len(c.Candidates))}
	var done atomic.Int64
	r.Floors = make([]Floor, min(c.Floors, len(c.Seeds)))
	total := len(r.Outcomes) + len(r.Floors)
	finished := func() {
		if n := done.Add(1); c.Progress != nil {
			c.Progress(int(n), total)
		}
	}
	err := parallel(ctx, len(r.Floors), func(seed int) error {
		defer finished()
		floor, err := c.floor(ctx, c.Seeds[seed])
		r.Floors[seed] = floor
		return err
	})
	if err != nil {
		return nil, err
	}
	err = parallel(ctx, len(r.Outcomes), func(i int) error {
		defer finished()
		o, err := c.replay(ctx, r, i%len(c.Candidates), i/len(c.Candidates))
		r.Outcomes[i] = o
		return err
	})
	if err != nil {
		return nil, err
	}
	for i := range r.Outcomes {
		if f := r.Floor(r.Outcomes[i].Seed); f != nil {
			f.Clairvoyant.lower(&r.Outcomes[i].Result)
		}
	}
	return r, nil
}

// lower makes a policy's own run the floor, if it was cheaper than the schedule found and
// missed no more than that may.
func (f *ClairvoyantFloor) lower(r *sim.Result) {
	if r.Misses <= f.Allowed && r.ReplicaMinutes() < f.ReplicaMinutes {
		f.ReplicaMinutes, f.Misses, f.MissRatio = r.ReplicaMinutes(), r.Misses, r.MissRatio()
		f.Schedule = nil
	}
}

// most is the largest maximum of any policy.
func (c *Comparison) most() int {
	most := 1
	for i := range c.Candidates {
		most = max(most, int(c.Candidates[i].Policy.Max))
	}
	return most
}

// run returns the fleet for a policy that starts with its least replicas.
func (c *Comparison) run(seed uint64, least int32) sim.Run {
	run := c.Run
	run.Seed = seed
	run.Initial = max(int(least), 1)
	if c.Initial != nil {
		run.Initial = *c.Initial
	}
	return run
}

// floor returns what no policy can beat. The fleet of the floors starts with as many
// replicas as the smallest of the policies.
func (c *Comparison) floor(ctx context.Context, seed uint64) (Floor, error) {
	least := int32(math.MaxInt32)
	for i := range c.Candidates {
		least = min(least, c.Candidates[i].Policy.Min)
	}
	run := c.run(seed, least)
	causal, err := Causal(ctx, run, c.Trace, c.most())
	if err != nil || causal.Requests == 0 {
		return Floor{Causal: causal}, err
	}
	clairvoyant, err := Clairvoyant(ctx, run, c.Trace, c.most(), c.MissBudget)
	return Floor{Clairvoyant: clairvoyant, Causal: causal}, err
}

// replay replays one seed under one policy.
func (c *Comparison) replay(ctx context.Context, r *Report, candidate, seed int) (o Outcome, err error) {
	k := &c.Candidates[candidate]
	o.Candidate, o.Seed = candidate, seed
	run := c.run(c.Seeds[seed], k.Policy.Min)
	run.Percentiles = percentiles(&k.Policy)
	if f := r.Floor(seed); f != nil {
		run.Missed = func(index int) {
			if f.Causal.Missed(index) {
				o.Unavoidable++
			}
		}
	}
	reader, err := c.Trace.Open(c.Seeds[seed])
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	var watch func(*sim.Tick)
	if c.Watch != nil {
		watch = func(t *sim.Tick) { c.Watch(candidate, seed, t) }
	}
	o.Result, err = run.Do(ctx, reader, sim.Follow(k.Policy, run.Start), watch)
	return o, err
}

// percentiles returns those of the time to the first token that p decides on.
func percentiles(p *recommender.Policy) []float64 {
	var list []float64
	for i := range p.Signals {
		if s := &p.Signals[i]; s.Metric == recommender.TTFT && !slices.Contains(list, s.Percentile) {
			list = append(list, s.Percentile)
		}
	}
	return list
}

// parallel calls do for 0 to n-1, as many at once as there are processors. It returns
// the error of the lowest number.
func parallel(ctx context.Context, n int, do func(i int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if errs[i] = ctx.Err(); errs[i] == nil {
					errs[i] = do(i)
				}
			}
		})
	}
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
