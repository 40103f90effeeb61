package sim

import (
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/trace"
)

// A runner is a run under way.
type runner struct {
	*Run
	scale Scaler
	watch func(*Tick)
	fleet *Fleet
	lens  lens
	reads scrapes
	// last is the read at the tick before.
	last scrape

	age, reach float64
	horizon    float64 // +Inf if there is none
	// ticks and scraped count decisions and reads so far; the next ones are due at
	// nextTick and nextScrape.
	ticks, scraped       int64
	nextTick, nextScrape float64
	now                  float64
	next                 trace.Request // of the trace; valid unless ended
	ended                bool
	// alive is when a tick last saw that requests had been served.
	alive float64
	moves moves
}

func newRunner(r *Run, scale Scaler, watch func(*Tick)) *runner {
	rng := rand.New(rand.NewPCG(r.Seed, 0x636f6c64))
	fleet := fleets.Get().(*Fleet)
	fleet.gpus, fleet.fixed = r.GPUs, r.Step > 0
	fleet.tally.missed = r.Missed
	fleet.Reset()
	fleet.Use(&r.Replica, r.Engine, r.TTFT)
	if r.ColdStart != nil {
		fleet.coldStart = func() float64 { return r.ColdStart(rng).Seconds() }
	}
	fleet.begin(r.Initial)
	x := &runner{
		Run: r, scale: scale, watch: watch, fleet: fleet,
		age: r.Age.Seconds(), horizon: math.Inf(1),
		nextTick: r.Interval.Seconds(), nextScrape: math.Inf(1),
	}
	if r.Horizon > 0 {
		x.horizon = r.Horizon.Seconds()
	}
	if r.Scrape > 0 {
		x.nextScrape = r.Scrape.Seconds()
	}
	x.lens = lens{
		start: r.Start, objective: r.TTFT.Seconds(), percentiles: r.Percentiles,
		rateWindow: r.RateWindow.Seconds(), latencyWindow: r.LatencyWindow.Seconds(),
	}
	x.reach = max(x.lens.rateWindow, x.lens.latencyWindow) + x.age + r.Interval.Seconds()
	return x
}

// fleets are those of earlier runs, whose memory is used again.
var fleets = sync.Pool{New: func() any { return &Fleet{tally: tally{times: new(times)}} }}

// leave gives the fleet back.
func (x *runner) leave() {
	x.fleet.tally.missed, x.fleet.coldStart = nil, nil
	fleets.Put(x.fleet)
	x.fleet = nil
}

// replay lets the whole trace happen.
func (x *runner) replay(ctx context.Context, t trace.Reader) error {
	if err := x.pull(t); err != nil {
		return err
	}
	if x.Step > 0 {
		return x.steps(ctx, t)
	}
	return x.events(ctx, t)
}

// pull reads the next request of the trace that is before the horizon.
func (x *runner) pull(t trace.Reader) error {
	q, err := t.Next()
	if err == nil && q.At < x.horizon {
		x.next = q
		return nil
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	x.ended = true
	x.next.At = math.Inf(1)
	return nil
}

// events moves from event to event.
func (x *runner) events(ctx context.Context, t trace.Reader) error {
	for {
		control := min(x.nextScrape, x.nextTick, x.horizon, x.fleet.nextGPU())
		for x.next.At <= control && !x.ended {
			x.fleet.Arrive(x.next)
			if err := x.pull(t); err != nil {
				return err
			}
		}
		x.now = control
		x.fleet.Advance(control)
		if over, err := x.control(ctx); over || err != nil {
			return err
		}
	}
}

// control does what is due now: a read, a decision, the end. Times are multiples of
// durations, so that they do not drift.
func (x *runner) control(ctx context.Context) (over bool, err error) {
	if x.now >= x.nextScrape {
		x.scraped++
		x.nextScrape = (time.Duration(x.scraped+1) * x.Scrape).Seconds()
		x.reads.add(x.fleet.scrape(x.now, &x.Replica), x.reach)
	}
	if x.now >= x.horizon {
		return true, nil
	}
	if x.now < x.nextTick {
		return false, nil
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	x.ticks++
	x.nextTick = (time.Duration(x.ticks+1) * x.Interval).Seconds()
	if x.ended && math.IsInf(x.horizon, 1) && x.still() {
		return true, nil
	}
	x.tick()
	return false, nil
}

// patience is how many seconds a run without a horizon goes on while nothing is served:
// its scaler may never add a replica again.
const patience = 24 * 3600

// still reports whether there is nothing left to wait for.
func (x *runner) still() bool {
	if float64(x.fleet.tally.served) != x.last.served {
		x.alive = x.now
	}
	return x.fleet.outstanding() == 0 || x.now-x.alive > patience
}

// steps moves in fixed steps: what arrives within a step is dispatched at its
// beginning, then decisions are made, then the replicas serve.
func (x *runner) steps(ctx context.Context, t trace.Reader) error {
	for i := time.Duration(0); ; i++ {
		x.now = min((i * x.Step).Seconds(), x.horizon)
		until := min(((i + 1) * x.Step).Seconds(), x.horizon)
		x.fleet.becomeReadyUntil(x.now)
		for !x.ended && x.next.At < until {
			x.fleet.Arrive(x.next)
			if err := x.pull(t); err != nil {
				return err
			}
		}
		if over, err := x.control(ctx); over || err != nil {
			return err
		}
		x.fleet.step(x.now, until-x.now, x.Carry)
	}
}

// tick makes one decision and applies it.
func (x *runner) tick() {
	now := x.fleet.scrape(x.now, &x.Replica)
	if x.Scrape == 0 {
		x.reads.add(now, x.reach)
	}
	o := x.lens.observe(x.reads, x.now, x.age)
	d := x.scale(o)
	desired := now.current
	if d.Known {
		desired = max(int(d.Desired), 0)
	}
	x.moves.note(x.now, now.current, desired)
	if x.watch != nil {
		x.watch(x.describe(&now, o, d, desired))
	}
	x.last = now
	if desired != now.current {
		x.fleet.Resize(desired, x.now)
	}
}

// describe returns the tick for those who watch.
func (x *runner) describe(s *scrape, o recommender.Observation, d recommender.Decision, desired int) *Tick {
	w := s.ttft.since(&x.last.ttft)
	return &Tick{
		At: x.now, Observation: o, Decision: d,
		Ready: s.ready, Starting: s.starting, Draining: s.draining, Pending: s.pending,
		Running: s.running, Waiting: s.waiting, Held: s.held,
		Current: s.current, Desired: desired, Arrived: s.arrived - x.last.arrived,
		TTFTp50: w.quantile(0.5), TTFTp95: w.quantile(0.95),
	}
}
