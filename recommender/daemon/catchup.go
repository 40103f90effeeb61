package daemon

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// catchUp begins to read the past of what lacks it beside the slots, so that a workload that
// is new or changed keeps no other waiting. A server that does not answer is not asked.
func (l *loop) catchUp(ctx context.Context, slot time.Time) {
	if l.silent || l.beside != nil || l.caught != nil || !l.anySettled() || !l.lacksPast(slot) {
		return
	}
	w := *l.world
	w.source = w.source.apart()
	l.beside = l.read(ctx, &w, slot, true)
}

// join lets what lacked its past go on from it, once no job reads a slot that the past
// includes: it would be decided on twice.
func (l *loop) join(under *job) {
	r := l.caught
	if r == nil || under.covers(r.slot) {
		return
	}
	l.caught = nil
	if r.past != nil {
		r.past.fold(l.world, &r.live)
	}
	l.foldPast(r)
}

// foldPast gives the workloads that lack their past what is left of it. After a failure
// it is asked for again, the more rarely the longer the failure took.
func (l *loop) foldPast(r *result) {
	if r.pastErr != nil {
		if l.past.IsZero() {
			l.log.Warn("history is not available, decisions are cautious until it is", zap.Error(r.pastErr))
		}
		l.past = r.slot.Add(4 * r.caughtUp)
		return
	}
	if r.past == nil {
		return
	}
	for i := range l.world.workloads {
		if m := l.memories[l.world.workloads[i].identity]; !m.settled {
			m.resume(&r.past.workloads[i])
		}
	}
	l.past = time.Time{}
	l.log.Info("history replayed", zap.Int("slots", r.past.slots), zap.Duration("took", r.caughtUp))
}
