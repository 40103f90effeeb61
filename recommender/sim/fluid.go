package sim

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// A Fluid is a toy world without requests of their own: each second so many arrive,
// wait in one queue, and flow out at what the ready replicas serve. It shows what the
// time to provision does to policies that react, to a warm pool and to a schedule.
// Start from [DefaultFluid]. All times are in whole seconds.
//
// Its policy is not that of package recommender, on purpose: this is the demo of a
// lesson, traffic included, and gives the lesson's figures to the last digit. It has no
// maximum of replicas, so that a backlog orders far more than the burst needs.
type Fluid struct {
	// Seconds is how long it runs. Base is the requests per second outside of Bursts.
	Seconds int
	Base    float64
	Bursts  []FluidBurst
	// Seed of the arrivals.
	Seed uint32

	// Capacity is the requests per second that a replica serves, Target those that it
	// should have to.
	Capacity, Target float64
	// Objective is the longest wait and service, in seconds, that is not a miss.
	Objective float64
	// Provision is how long a replica takes from the order to ready.
	Provision int
	// Interval is the time between decisions, and over which they see arrivals.
	Interval int
	// DrainOver is how long a decision gives the backlog to go away, in seconds.
	DrainOver float64

	Policies []FluidPolicy
}

// A FluidBurst is a time of more traffic: [Start, End), in requests per second.
type FluidBurst struct {
	Start, End int
	Rate       float64
}

// A FluidPolicy is what a row of the table tries.
type FluidPolicy struct {
	Name string
	// Min is the least replicas, and those at the start.
	Min int
	// Cooldown is the least time between two falls.
	Cooldown int
	// Scheduled policies know the bursts, and order for each in time to have it ready a
	// decision ahead.
	Scheduled bool
}

// fluidNever is a cooldown longer than any run.
const fluidNever = 1_000_000_000

// DefaultFluid returns the lesson's world: 30 requests per second, a burst of two
// minutes, and one that is shorter than a replica takes to be ready.
func DefaultFluid() Fluid {
	return Fluid{
		Seconds: 1000, Base: 30, Seed: 11,
		Bursts:   []FluidBurst{{300, 420, 150}, {700, 760, 100}},
		Capacity: 10, Target: 7, Objective: 2, Provision: 90, Interval: 10, DrainOver: 30,
		Policies: []FluidPolicy{
			{Name: "reactive, min=4, no cooldown", Min: 4},
			{Name: "reactive, min=4, cooldown 120s", Min: 4, Cooldown: 120},
			{Name: "reactive + warm pool min=9", Min: 9, Cooldown: 120},
			{Name: "reactive + warm pool min=12", Min: 12, Cooldown: 120},
			{Name: "scheduled pre-scale, min=4", Min: 4, Cooldown: 120, Scheduled: true},
			{Name: "static peak (15 replicas always)", Min: 15, Cooldown: fluidNever},
		},
	}
}

// A FluidResult is what became of a policy.
type FluidResult struct {
	Policy FluidPolicy
	// Requests that arrived, and those of them that missed the objective.
	Requests, Misses int
	// MaxQueue is the longest queue at the end of any second.
	MaxQueue int
	// ReplicaSeconds counts replicas from the order on.
	ReplicaSeconds int
	Events         []FluidEvent
}

// MissRatio returns the fraction of the requests that missed the objective; none of none is 0.
func (r *FluidResult) MissRatio() float64 { return float64(r.Misses) / float64(max(r.Requests, 1)) }

// A FluidEvent is a change. A rise counts the replicas on order, a fall only those that
// are ready: it cancels no order.
type FluidEvent struct{ At, From, To int }

// The largest Fluid, so that counts stay far from the end of an int.
const (
	fluidLongest = 100_000   // seconds
	fluidMost    = 1_000_000 // requests per second, or replicas
)

// Validate returns every mistake in f, joined.
func (f *Fluid) Validate() error {
	var m fluidMistakes
	m.within("seconds", float64(f.Seconds), 1, fluidLongest)
	m.within("base", f.Base, 0, fluidMost)
	for i, b := range f.Bursts {
		m.within(fmt.Sprintf("bursts[%d].start", i), float64(b.Start), 0, fluidLongest)
		m.within(fmt.Sprintf("bursts[%d].end", i), float64(b.End), float64(b.Start), fluidLongest)
		m.within(fmt.Sprintf("bursts[%d].rate", i), b.Rate, 0, fluidMost)
	}
	m.within("capacity", f.Capacity, 0.1, fluidMost)
	m.within("target", f.Target, 0.1, fluidMost)
	m.within("objective", f.Objective, 0, fluidLongest)
	m.within("provision", float64(f.Provision), 0, fluidLongest)
	m.within("interval", float64(f.Interval), 1, fluidLongest)
	m.within("drain_over", f.DrainOver, 1, fluidLongest)
	for i, p := range f.Policies {
		m.within(fmt.Sprintf("policies[%d].min", i), float64(p.Min), 0, fluidMost)
		m.within(fmt.Sprintf("policies[%d].cooldown", i), float64(p.Cooldown), 0, fluidNever)
	}
	return errors.Join(m...)
}

type fluidMistakes []error

// within notes a value outside of its bounds, NaN too.
func (m *fluidMistakes) within(name string, v, least, most float64) {
	if !(v >= least && v <= most) {
		*m = append(*m, fmt.Errorf("%s: must be %v to %.0f, got %v", name, least, most, v))
	}
}

// rate returns the requests per second that are offered at t.
func (f *Fluid) rate(t int) float64 {
	for _, b := range f.Bursts {
		if b.Start <= t && t < b.End {
			return b.Rate
		}
	}
	return f.Base
}

// WriteTable runs every policy on the same arrivals and writes one line for each, under
// one about the world.
func (f *Fluid) WriteTable(w io.Writer) error {
	if err := f.Validate(); err != nil {
		return err
	}
	peak, total := f.Base, 0
	for _, b := range f.Bursts {
		peak = max(peak, b.Rate)
	}
	for _, n := range f.Arrivals() {
		total += n
	}
	_, err := fmt.Fprintf(w, "requests total = %d, peak offered = %g req/s, one replica = %g req/s, provision = %ds\n",
		total, peak, f.Capacity, f.Provision)
	for _, r := range f.Run() {
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%-34s SLO-miss %5.1f%%  max queue %5d  replica-s %6d  scale events %3d\n",
			r.Policy.Name, 100*r.MissRatio(), r.MaxQueue, r.ReplicaSeconds, len(r.Events))
	}
	return err
}

// Run runs every policy on the same arrivals. f must be valid.
func (f *Fluid) Run() []FluidResult {
	arrivals := f.Arrivals()
	results := make([]FluidResult, len(f.Policies))
	for i, p := range f.Policies {
		r := fluidRun{
			f: f, arrivals: arrivals, ready: p.Min, fell: -fluidNever,
			result: FluidResult{Policy: p},
		}
		for t := range arrivals {
			r.join(t)
			if t > 0 && t%f.Interval == 0 {
				r.decide(t)
			}
			r.serve(arrivals[t])
		}
		results[i] = r.result
	}
	return results
}

// A fluidRun is one policy on its way through the seconds.
type fluidRun struct {
	f        *Fluid
	arrivals []int
	ready    int
	orders   []fluidOrder // in the order in which they become ready
	queue    int
	fell     int // when the last fall was
	result   FluidResult
}

// A fluidOrder is replicas that become ready.
type fluidOrder struct{ at, replicas int }

// join makes the orders ready that are due.
func (r *fluidRun) join(t int) {
	for len(r.orders) > 0 && r.orders[0].at <= t {
		r.ready += r.orders[0].replicas
		r.orders = r.orders[1:]
	}
}

// have counts the replicas that are ready or on order.
func (r *fluidRun) have() int {
	n := r.ready
	for _, order := range r.orders {
		n += order.replicas
	}
	return n
}

func (r *fluidRun) decide(t int) {
	want, have := r.want(t), r.have()
	switch {
	case want > have:
		r.orders = append(r.orders, fluidOrder{t + r.f.Provision, want - have})
		r.result.Events = append(r.result.Events, FluidEvent{t, have, want})
	case want < r.ready && t-r.fell >= r.result.Policy.Cooldown:
		r.result.Events = append(r.result.Events, FluidEvent{t, r.ready, want})
		r.ready, r.fell = want, t
	}
}

// want returns the replicas for the arrivals of the last interval and a share of the
// backlog, or for a burst that is known to come.
func (r *fluidRun) want(t int) int {
	f, sum := r.f, 0
	for _, n := range r.arrivals[t-f.Interval : t] {
		sum += n
	}
	want := math.Ceil((float64(sum)/float64(f.Interval) + float64(r.queue)/f.DrainOver) / f.Target)
	if r.result.Policy.Scheduled {
		for _, b := range f.Bursts {
			if b.Start-f.Provision-f.Interval <= t && t < b.End {
				want = max(want, math.Ceil(b.Rate/f.Target))
			}
		}
	}
	return max(int(want), r.result.Policy.Min)
}

// serve lets one second's requests in and out. All of them wait as long as the queue
// that they meet takes.
func (r *fluidRun) serve(arrivals int) {
	const unserved = 99 // seconds, where no replica is ready
	capacity, wait := float64(r.ready)*r.f.Capacity, float64(unserved)
	if capacity > 0 {
		wait = float64(r.queue) / capacity
	}
	r.result.Requests += arrivals
	if wait+1/r.f.Capacity > r.f.Objective {
		r.result.Misses += arrivals
	}
	r.queue += arrivals
	r.queue -= int(min(float64(r.queue), capacity))
	r.result.MaxQueue = max(r.result.MaxQueue, r.queue)
	r.result.ReplicaSeconds += r.have()
}
