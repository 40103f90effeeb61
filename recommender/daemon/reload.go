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

// loadPatience is how long a reload may read its files, mostUnread how many readings there may
// be that have not ended: a file system that is gone may keep each for ever.
const (
	loadPatience = 10 * time.Second
	mostUnread   = 8
)

// A building is a world in the making, for whoever asked for a reload.
type building struct {
	answer chan<- error
	done   chan built // receives once
}

// A built is a world or why there is none.
type built struct {
	world *world
	err   error
}

// results returns where the world arrives; nil without a building.
func (b *building) results() <-chan built {
	if b == nil {
		return nil
	}
	return b.done
}

// stop waits for the end of a building whose context has ended.
func (b *building) stop() {
	if b != nil {
		discard(<-b.done)
	}
}

// discard closes a world that nobody waits for.
func discard(b built) {
	if b.world != nil {
		b.world.source.close()
	}
}

// asked returns where reloads are asked for; nil during one.
func (l *loop) asked(during *building) <-chan chan error {
	if during != nil {
		return nil
	}
	return l.reloads
}

// rebuild begins to build a world beside the slots: a file may not answer.
func (l *loop) rebuild(ctx context.Context, answer chan<- error) *building {
	b := &building{answer: answer, done: make(chan built, 1)}
	go func() { b.done <- l.buildInTime(ctx) }()
	return b
}

// buildInTime builds a world within [loadPatience]. What comes later is discarded.
func (l *loop) buildInTime(ctx context.Context) built {
	select {
	case l.unread <- struct{}{}:
	default:
		return built{err: fmt.Errorf("the configuration is not read again, %d readings have not ended", mostUnread)}
	}
	ctx, cancel := context.WithTimeout(ctx, loadPatience)
	defer cancel()
	result := make(chan built)
	go func() {
		defer func() { <-l.unread }()
		w, err := l.build()
		select {
		case result <- built{w, err}:
		case <-ctx.Done():
			discard(built{w, err})
		}
	}()
	select {
	case b := <-result:
		return b
	case <-ctx.Done():
		return built{err: fmt.Errorf("the configuration and the files that it names could not be read within %s", loadPatience)}
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
