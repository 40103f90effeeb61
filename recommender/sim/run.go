package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/trace"
)

// A Run is a fleet that is scaled while traffic goes through it. Start from
// [DefaultRun].
type Run struct {
	Replica Replica
	Engine  Engine
	// ColdStart returns how long the next new replica takes; nil is Replica.ColdStart.
	ColdStart func(*rand.Rand) time.Duration
	// Initial is how many replicas are ready at the start.
	Initial int
	// GPUs is the most replicas that can exist at once; 0 is no limit.
	GPUs int

	// Interval is the time between two decisions.
	Interval time.Duration
	// Scrape is the time between two reads of the fleet; 0 reads it at each decision.
	// Age is how old a read is at least when it is used.
	Scrape, Age time.Duration
	// RateWindow and LatencyWindow are those of counters and histograms.
	RateWindow, LatencyWindow time.Duration

	// Horizon is when the run ends; 0 is when everything is served.
	Horizon time.Duration
	// Step is the length of a fixed step; 0 moves from event to event. In fixed steps all
	// that arrives in one waits until the replicas serve, and a prompt that is read beyond
	// its end is read for free, unless Carry takes it off the next one.
	Step  time.Duration
	Carry bool

	// TTFT is the objective for the time to the first token.
	TTFT time.Duration
	// Start is the time at which the run begins, for schedules.
	Start time.Time
	// Seed chooses what is random.
	Seed uint64
	// Percentiles of the time to the first token that decisions are made on.
	Percentiles []float64
	// Missed is called with the number of each request of the trace that misses the
	// objective or is refused, if it is set.
	Missed func(index int)
}

// DefaultRun returns a run of the default replica with decisions every 15 seconds.
func DefaultRun() Run {
	return Run{
		Replica: DefaultReplica(), Initial: 1,
		Interval: 15 * time.Second, RateWindow: 2 * time.Minute, LatencyWindow: 5 * time.Minute,
		TTFT:  2 * time.Second,
		Start: time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC),
	}
}

// Beyond these a run takes all memory there is, or does not end.
const (
	mostReplicas = 10_000
	leastStep    = time.Millisecond
)

// Validate returns every mistake in r.
func (r *Run) Validate() error {
	errs := []error{r.Replica.Validate(), r.Engine.Validate()}
	positive := func(name string, d time.Duration) {
		if d <= 0 {
			errs = append(errs, fmt.Errorf("%s must be positive, got %v", name, d))
		}
	}
	positive("interval", r.Interval)
	positive("objective", r.TTFT)
	positive("rate window", r.RateWindow)
	positive("latency window", r.LatencyWindow)
	for _, d := range [...]struct {
		name string
		d    time.Duration
	}{{"scrape interval", r.Scrape}, {"age", r.Age}, {"horizon", r.Horizon}, {"step", r.Step}} {
		if d.d < 0 {
			errs = append(errs, fmt.Errorf("%s must not be negative, got %v", d.name, d.d))
		}
	}
	errs = append(errs, r.checkReplicas(), r.checkStep())
	return errors.Join(errs...)
}

// checkReplicas reports numbers of replicas that cannot be.
func (r *Run) checkReplicas() error {
	switch {
	case r.Initial < 0 || r.GPUs < 0:
		return fmt.Errorf("replicas must not be negative, got %d initial and %d GPUs", r.Initial, r.GPUs)
	case r.Initial > mostReplicas:
		return fmt.Errorf("initial replicas must be at most %d, got %d", mostReplicas, r.Initial)
	case r.GPUs > 0 && r.Initial > r.GPUs:
		return fmt.Errorf("initial replicas must have a GPU each, got %d and %d GPUs", r.Initial, r.GPUs)
	}
	return nil
}

// checkStep reports a fixed step that decisions do not fall on.
func (r *Run) checkStep() error {
	switch {
	case r.Step > 0 && r.Step < leastStep:
		return fmt.Errorf("the step must be at least %v, got %v", leastStep, r.Step)
	case r.Step > 0 && r.Interval%r.Step != 0:
		return fmt.Errorf("the interval %v must be a multiple of the step, got %v", r.Interval, r.Step)
	}
	return nil
}

// A Scaler decides on an observation. Where its decision is not known, nothing changes.
type Scaler func(recommender.Observation) recommender.Decision

// Follow returns the scaler that applies p, beginning at start after a quiet past.
func Follow(p recommender.Policy, start time.Time) Scaler {
	state := recommender.Quiet(start)
	return func(o recommender.Observation) recommender.Decision {
		d, next := recommender.Decide(p, state, o)
		state = next
		return d
	}
}

// A Tick is one decision and what there was when it was made.
type Tick struct {
	// At is seconds since the start.
	At float64
	// Observation and Decision are what the scaler saw and said.
	Observation recommender.Observation
	Decision    recommender.Decision
	// Ready, Starting, Draining and Pending replicas, before the decision.
	Ready, Starting, Draining, Pending int
	// Running, Waiting and Held requests.
	Running, Waiting, Held float64
	// Current is the replicas asked for before the decision, Desired those after it.
	Current, Desired int
	// Arrived is the requests since the tick before.
	Arrived float64
	// TTFTp50 and TTFTp95 are of the requests that got their first token since the tick
	// before, as read off the buckets of an engine; NaN if none did.
	TTFTp50, TTFTp95 float64
}

// Do replays t under the decisions of scale, and calls watch for every tick if it is not
// nil. Equal runs of equal traces give equal results.
func (r *Run) Do(ctx context.Context, t trace.Reader, scale Scaler, watch func(*Tick)) (Result, error) {
	if err := r.Validate(); err != nil {
		return Result{}, err
	}
	x := newRunner(r, scale, watch)
	defer x.leave()
	if err := x.replay(ctx, t); err != nil {
		return Result{}, err
	}
	return x.result(), nil
}
