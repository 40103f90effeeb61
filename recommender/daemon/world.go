package daemon

import (
	"context"
	"fmt"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
)

// A world is everything that follows from one configuration. It does not change:
// a reload builds another.
type world struct {
	interval  time.Duration
	workloads []target
	source    source
	// rateWait is how long the rates of engines that are heard may have no value; 0
	// is for ever.
	rateWait time.Duration
	// rateWindow is the window of the rates that are read.
	rateWindow time.Duration
	// text is the configuration as it is shown, without secrets.
	text string
}

// A target is one workload as the daemon needs it.
type target struct {
	identity
	kind   string
	policy *recommender.Policy
	origin origin
	// replica is what one replica is; nil if the configuration does not say.
	replica *sim.Replica
}

// An origin is all that observations depend on. Those of two origins are not the past
// of one workload.
type origin struct {
	prometheus promapi.Config
	options    promapi.Options
	workload   promapi.Workload // without its policy
}

// An identity is what tells workloads apart.
type identity struct{ namespace, name string }

// String returns namespace and name as addresses have them.
func (id identity) String() string { return id.namespace + "/" + id.name }

// validate guards what the loop relies on.
func (w *world) validate() error {
	if w.interval <= 0 {
		return fmt.Errorf("interval: must be positive, got %s", w.interval)
	}
	seen := map[identity]bool{}
	for i := range w.workloads {
		id := w.workloads[i].identity
		if seen[id] {
			return fmt.Errorf("workloads[%d]: %s stands there twice", i, id)
		}
		seen[id] = true
	}
	return nil
}

// A result is what one evaluation read.
type result struct {
	slot time.Time
	live reading
	// past is what the instants before live left of every workload; nil if they were
	// not read.
	past *past
	// pastErr says why there is no past although it was asked for.
	pastErr error
	// took is how long live took, caughtUp how long the past did.
	took, caughtUp time.Duration
}

// read reads a slot and, if asked to, the past before it. That may take longer than a
// slot: then the result is for a later one, and the slots between are part of the past. A
// server that does not answer is not asked about the past.
func (w *world) read(ctx context.Context, slot time.Time, past bool, now func() time.Time) result {
	r := w.readSlot(ctx, slot)
	if !past || r.live.unanswered {
		return r
	}
	start := time.Now()
	next, live, replayed, err := w.readPast(ctx, slot, w.span(&r.live), now)
	took := time.Since(start)
	switch {
	case live != nil:
		// It is known with its past, which the slot alone was not: what was in flight before.
		r.slot, r.live = next, *live
	case next.After(slot):
		r = w.readSlot(ctx, next)
	}
	r.past, r.pastErr, r.caughtUp = replayed, err, took
	return r
}

// readSlot reads one instant.
func (w *world) readSlot(ctx context.Context, slot time.Time) result {
	ctx, cancel := context.WithTimeout(ctx, patience(w.interval))
	defer cancel()
	start := time.Now()
	live := w.source.observe(ctx, slot)
	return result{slot: slot, live: live, took: time.Since(start)}
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
