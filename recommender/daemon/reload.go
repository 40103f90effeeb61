package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"
)

// A failure is a reload that failed, while none has succeeded since.
type failure struct {
	At   time.Time
	Text string // one line
}

// newFailure keeps the first line of an error.
func newFailure(at time.Time, err error) *failure {
	text, rest, more := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	if more {
		text += fmt.Sprintf(" (and %d more in the log)", 1+strings.Count(rest, "\n"))
	}
	return &failure{At: at, Text: text}
}

// errStopped is the answer to a reload that comes too late.
var errStopped = errors.New("the daemon has stopped")

// reload reads the configuration again and waits until it is in force. If it
// returns an error, the one before still is.
func (l *loop) reload(ctx context.Context) error {
	// With room for the answer, so that the loop does not wait for a caller who left.
	answer := make(chan error, 1)
	select {
	case l.reloads <- answer:
	case <-ctx.Done():
		return ctx.Err()
	case <-l.stopped:
		return errStopped
	}
	select {
	case err := <-answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-l.stopped:
		return errStopped
	}
}

// adopt puts a world in force. Workloads that stay as they are keep their memory.
func (l *loop) adopt(next *world) {
	otherSlots := l.world != nil && l.world.interval != next.interval
	if l.world != nil {
		l.world.source.close()
		l.aligned = l.aligned && !otherSlots
	}
	kept := make(map[identity]*memory, len(next.workloads))
	for i := range next.workloads {
		t := &next.workloads[i]
		m, ok := l.memories[t.identity]
		if ok {
			m.adopt(t, otherSlots)
			m.follower.expect(next.interval, t.policy.ColdStart)
		} else {
			m = &memory{policy: t.policy, origin: t.origin, follower: newFollower(next.interval, t.policy.ColdStart)}
			l.metrics.add(t.identity)
		}
		kept[t.identity] = m
	}
	for id := range l.memories {
		if kept[id] == nil {
			l.metrics.remove(id)
		}
	}
	l.world, l.memories, l.past = next, kept, time.Time{}
	l.beside, l.caught = nil, nil
	l.metrics.interval.Set(next.interval.Seconds())
	l.shown.Store(next)
	l.publish()
}

// reloaded tells how a reload went.
func (l *loop) reloaded(err error) {
	if err != nil {
		l.metrics.reloaded.Set(0)
		l.failed.Store(newFailure(l.now(), err))
		l.log.Error("configuration not loaded, the one before stays in force", zap.Error(err))
		return
	}
	l.failed.Store(nil)
	l.metrics.loaded(time.Now())
	l.log.Info("configuration loaded", zap.Int("workloads", len(l.world.workloads)), zap.Duration("interval", l.world.interval))
}
