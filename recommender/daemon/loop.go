package daemon

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/recommender/risk"
)

// A loop evaluates slot after slot. Its fields belong to the goroutine of run; what
// others read is published.
type loop struct {
	log       *zap.Logger
	metrics   *metrics
	collector *export.Collector
	build     func() (*world, error)
	now       func() time.Time
	reloads   chan chan error
	unread    chan struct{} // holds one for each reading of the configuration, bounded
	stopped   chan struct{} // closed when run has ended

	world    *world
	memories map[identity]*memory
	// estimator is kept for the memory that it computes in.
	estimator risk.Estimator
	// previous is the slot that was folded last; zero before the first.
	previous time.Time
	// aligned says that previous is a slot of this world's interval.
	aligned bool
	// past is when history is asked for again after it failed; zero if it did not.
	past time.Time
	// beside reads the past of what lacks it, while the slots of the others go on; caught
	// is what it brought, until the slot that it ends with is decided. Nil without.
	beside *job
	caught *result
	// silent says that the latest tick left queries without an answer.
	silent bool
	// rateless says that the latest tick found workloads whose rates have no value.
	rateless bool

	// shown is the world whose configuration is in force, for others to read.
	shown atomic.Pointer[world]
	// failed is why shown is not the newest configuration; nil if it is.
	failed atomic.Pointer[failure]
	// outage is what the latest slot left without an answer; nil if nothing.
	outage atomic.Pointer[outage]
	// pulse is when the loop went round last; nil before it runs.
	pulse atomic.Pointer[pulse]
	// ready says that every query of one tick got an answer, and that the past is known.
	ready atomic.Bool
}

// A job is the reading of one slot, which is under way.
type job struct {
	slot   time.Time
	begun  time.Time
	cancel context.CancelFunc
	done   chan result // receives once
}

// covers reports whether the job reads a slot or one before it.
func (j *job) covers(slot time.Time) bool { return j != nil && !j.slot.After(slot) }

// results returns where the result arrives; nil without a job.
func (j *job) results() <-chan result {
	if j == nil {
		return nil
	}
	return j.done
}

// stop gives the job up and waits for its end, unless it does not heed that: then it is
// left behind. The result is lost.
func (j *job) stop() {
	if j == nil {
		return
	}
	j.cancel()
	select {
	case <-j.done:
	case <-time.After(stopPatience):
	}
}

// stopPatience is how long a job may take to end after it was given up.
const stopPatience = 5 * time.Second

// run evaluates until ctx ends. One job reads at a time, so that evaluations never
// overlap: a slot that begins during one is missed.
func (l *loop) run(ctx context.Context) error {
	defer close(l.stopped)
	defer func() { l.world.source.close() }()
	timer := time.NewTimer(l.untilFirst(l.now()))
	defer timer.Stop()
	var under *job
	var next *building
	l.beat(l.now())
	for {
		select {
		case <-ctx.Done():
			under.stop()
			l.beside.stop()
			next.stop()
			return nil
		case <-timer.C:
			now := l.now()
			timer.Reset(l.untilNext(now))
			under = l.tick(ctx, now, under)
		case r := <-under.results():
			under.cancel()
			under = nil
			l.fold(&r)
			l.join(under)
		case r := <-l.beside.results():
			l.beside.cancel()
			l.beside, l.caught = nil, &r
			l.join(under)
		case answer := <-l.asked(next):
			next = l.rebuild(ctx, answer)
		case b := <-next.results():
			if b.err == nil {
				under.stop()
				l.beside.stop()
				l.adopt(b.world)
				now := l.now()
				timer.Reset(l.untilNext(now))
				under = l.restart(ctx, under, now)
				l.catchUp(ctx, slotOf(now, l.world.interval))
			}
			l.reloaded(b.err)
			next.answer <- b.err
			next = nil
		}
	}
}

// tick begins to read the slot of now, unless another is under way.
func (l *loop) tick(ctx context.Context, now time.Time, under *job) *job {
	l.beat(now, under, l.beside)
	slot := slotOf(now, l.world.interval)
	if under == nil && slot.Before(l.previous.Add(-l.world.interval)) {
		l.rewind(slot)
	}
	if under == nil && slot.After(l.previous) {
		under = l.start(ctx, slot)
	}
	l.catchUp(ctx, slot)
	return under
}

// untilFirst returns how long to wait at the start: not at all, unless the slot
// that has begun is nearly over.
func (l *loop) untilFirst(now time.Time) time.Duration {
	if now.Sub(slotOf(now, l.world.interval)) <= l.world.interval/2 {
		return 0
	}
	return l.untilNext(now)
}

// untilNext returns how long it is to the next slot.
func (l *loop) untilNext(now time.Time) time.Duration {
	return slotOf(now, l.world.interval).Add(l.world.interval).Sub(now)
}

// start begins to read a slot. As long as no workload has its past, that is read first.
func (l *loop) start(ctx context.Context, slot time.Time) *job {
	return l.read(ctx, l.world, slot, !l.anySettled() && l.lacksPast(slot))
}

func (l *loop) read(ctx context.Context, w *world, slot time.Time, past bool) *job {
	ctx, cancel := context.WithCancel(ctx)
	j := &job{slot: slot, begun: l.now(), cancel: cancel, done: make(chan result, 1)}
	go func() { j.done <- w.read(ctx, slot, past, l.now) }()
	return j
}

// lacksPast reports whether the past is to be read at a slot.
func (l *loop) lacksPast(slot time.Time) bool { return l.unsettled() && !slot.Before(l.past) }

// rewind starts again after the clock was set back: what was decided on times that
// are yet to come says nothing of now.
func (l *loop) rewind(slot time.Time) {
	by := slot.Sub(l.previous)
	l.log.Warn("the clock was set back, the past is read again", zap.Duration("by", -by))
	l.beside.stop()
	l.beside, l.caught = nil, nil
	for _, m := range l.memories {
		m.doubt(by)
		m.follower.seen = false
	}
	l.previous, l.aligned, l.past = time.Time{}, false, time.Time{}
}

// restart reads again what a reload interrupted, in the slots of the new world.
func (l *loop) restart(ctx context.Context, interrupted *job, now time.Time) *job {
	slot := slotOf(now, l.world.interval)
	if interrupted == nil || !slot.After(l.previous) {
		return nil
	}
	return l.start(ctx, slot)
}

// unsettled reports whether any workload lacks its past.
func (l *loop) unsettled() bool {
	for _, m := range l.memories {
		if !m.settled {
			return true
		}
	}
	return false
}

// anySettled reports whether any workload has its past.
func (l *loop) anySettled() bool {
	for _, m := range l.memories {
		if m.settled {
			return true
		}
	}
	return false
}

// fold decides on what was read, and publishes it. What waits for its past goes on
// with what was decided on it before.
func (l *loop) fold(r *result) {
	start := time.Now()
	l.foldPast(r)
	lost, _ := errors.AsType[*outage](r.live.err)
	l.outage.Store(lost)
	waiting := l.beside != nil || l.caught != nil
	answered := !r.live.unanswered
	for i := range l.world.workloads {
		t := &l.world.workloads[i]
		m := l.memories[t.identity]
		if waiting && !m.settled && m.since.IsZero() {
			continue
		}
		before := m.decision
		changed := m.decide(r.live.observations[i], r.live.reports[i], answered)
		l.metrics.decided(t.identity, &before, &m.decision)
		l.logDecision(t.identity, &before, &m.decision, changed)
	}
	if l.aligned {
		l.metrics.missed.Add(float64(slotsBetween(l.previous, r.slot, l.world.interval)))
	}
	l.assess()
	l.previous, l.aligned = r.slot, true
	l.lookForRates(r.slot)
	l.publish()
	took := r.took + time.Since(start)
	l.metrics.duration.Observe(took.Seconds())
	l.logEvaluation(r, took)
	if answered && !l.unsettled() && !l.ready.Swap(true) {
		l.log.Info("ready")
	}
}

// publish makes what is known now the snapshot that others see.
func (l *loop) publish() {
	s := &export.Snapshot{Slot: l.previous, Interval: l.world.interval, Workloads: make([]export.Workload, len(l.world.workloads))}
	for i := range l.world.workloads {
		t := &l.world.workloads[i]
		m := l.memories[t.identity]
		w := export.Undecided(t.namespace, t.name, t.kind, t.policy)
		if !m.decision.Time.IsZero() {
			w.Decision, w.Observation = m.decision, m.observation
		}
		w.Membership, w.Engines, w.Notes = string(m.report.Matched), m.report.Engines, m.notes(l.previous, l.world.rateWait)
		w.Following, w.Changes = m.follower.verdict, m.changes
		w.Wait = m.follower.waits()
		w.Risk = m.risk
		s.Workloads[i] = w
	}
	l.collector.Publish(s)
}
