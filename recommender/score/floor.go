package score

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// A ClairvoyantFloor is what a schedule that knows the future needs.
type ClairvoyantFloor struct {
	// ReplicaMinutes is what the cheapest schedule found costs in the simulator: no
	// more is needed.
	ReplicaMinutes float64
	// LowerBound is replica-minutes that every schedule needs, found or not. The truth
	// is between the two. NaN where no bound is known: in fixed steps.
	LowerBound float64
	// Requests of the trace, Misses of the schedule, and the fraction that these are.
	Requests, Misses int
	MissRatio        float64
	// Allowed is how many requests may miss.
	Allowed int
	// Reached is false where even the largest fleet misses more than was asked for.
	// Allowed is then what that one misses.
	Reached bool
	// Schedule is the orders, by time; nil where a policy did better than any found.
	Schedule []Order
}

// An Order is replicas that are asked for from a time on, in seconds.
type Order struct {
	At       float64
	Replicas int
}

// Clairvoyant returns the least replica-minutes with which at most the fraction miss of
// the requests misses the objective, when the future is known: with the initial fleet, the
// cold starts and the bill of run, and between 0 and most replicas. Orders are placed on a
// grid that divides run.Interval, so that whatever a policy can order the schedule can too.
//
// A dynamic program over a fluid (see floor_plan.go) gives schedules, and a search that
// simulates every change it considers improves them. So ReplicaMinutes can be had, but a
// better schedule may exist; how much better it can be at most, LowerBound says (see
// floor_bound.go). A policy that does better than ReplicaMinutes with as few misses has found
// such a schedule: callers that have its run take the smaller one.
//
// All requests are held in memory, in 24 bytes each.
func Clairvoyant(ctx context.Context, run sim.Run, t trace.Trace, most int, miss float64) (ClairvoyantFloor, error) {
	if !(miss >= 0 && miss <= 1) {
		return ClairvoyantFloor{}, fmt.Errorf("misses must be a fraction between 0 and 1, got %v", miss)
	}
	if most < 1 {
		return ClairvoyantFloor{}, fmt.Errorf("replicas must be at least 1, got %d", most)
	}
	p, err := newProblem(run, t, most)
	if err != nil {
		return ClairvoyantFloor{}, err
	}
	p.allowed = int(miss * float64(len(p.requests)))
	return p.solve(ctx)
}

// solve finds a schedule and the bound.
func (p *problem) solve(ctx context.Context) (f ClairvoyantFloor, err error) {
	s := search{problem: p}
	if err := s.do(ctx); err != nil {
		return f, err
	}
	f = ClairvoyantFloor{
		ReplicaMinutes: s.best.cost / 60, Misses: s.best.misses,
		Requests: len(p.requests), Allowed: p.allowed, Reached: s.reached,
		Schedule: s.best.schedule.orders(p),
	}
	if f.Requests > 0 {
		f.MissRatio = float64(f.Misses) / float64(f.Requests)
	}
	f.LowerBound, err = lowerBound(ctx, p)
	return f, err
}

// A problem is what a schedule is sought for.
type problem struct {
	run      sim.Run
	requests trace.Slice
	most     int
	// allowed is how many requests may miss.
	allowed int
	// slot is the seconds of the grid, slots how many there are until end.
	slot, end float64
	slots     int
	// cold is the seconds of a cold start.
	cold float64
	work work
}

// newProblem reads the trace.
func newProblem(run sim.Run, t trace.Trace, most int) (*problem, error) {
	if err := run.Validate(); err != nil {
		return nil, err
	}
	requests, err := trace.ReadAll(t, run.Seed)
	if err != nil {
		return nil, err
	}
	p := &problem{run: run, requests: requests, most: most, cold: run.Replica.ColdStart().Seconds()}
	p.run.Missed, p.run.Percentiles = nil, nil
	if p.end = run.Horizon.Seconds(); p.end == 0 {
		p.end = run.TTFT.Seconds()
		if n := len(requests); n > 0 {
			p.end += requests[n-1].At
		}
	}
	for n := len(requests); n > 0 && requests[n-1].At >= p.end; n-- {
		p.requests = requests[:n-1]
	}
	p.run.Scrape, p.run.Age = 0, 0
	p.setGrid(grid(&run, p.end))
	p.work = newWork(&p.run)
	p.work.choose(p.requests)
	return p, nil
}

// setGrid lets orders be placed at multiples of d.
func (p *problem) setGrid(d time.Duration) {
	// Windows of counters are not looked at, and cost time.
	p.run.Interval, p.run.RateWindow, p.run.LatencyWindow = d, d, d
	p.slot = d.Seconds()
	p.slots = int(math.Ceil(p.end / p.slot))
}

// grid returns the time between two chances to order: the interval of run, or a part of it
// that is at least a second and such that there are not many more than mostSlots.
func grid(run *sim.Run, end float64) time.Duration {
	least := max(time.Second, time.Duration(end/mostSlots*float64(time.Second)))
	for parts := run.Interval / least; parts > 1; parts-- {
		part := run.Interval / parts
		if run.Interval%parts == 0 && (run.Step == 0 || part%run.Step == 0) {
			return part
		}
	}
	return run.Interval
}

// mostSlots bounds the time that long traces take.
const mostSlots = 20_000

// plain says that the simulation of a part of the trace agrees with that of the whole.
func (p *problem) plain() bool {
	return p.run.Step == 0 && p.run.ColdStart == nil && p.run.GPUs == 0 && p.run.Horizon > 0
}
