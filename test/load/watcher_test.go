package load

import (
	"errors"
	"fmt"
	"os"
	"time"

	"go.uber.org/zap/zapcore"
)

// A clock leaps over the time between ticks: of every interval only the end passes, at the
// pace of the wall clock.
type clock struct {
	begun time.Time // on the wall clock
	start time.Time // on this one, a multiple of the interval
	lap   time.Duration
}

func newClock(lap time.Duration) *clock {
	now := time.Now()
	return &clock{begun: now, start: now.Truncate(interval), lap: lap}
}

// now returns the time.
func (c *clock) now() time.Time {
	passed := time.Since(c.begun)
	return c.start.Add((passed/c.lap)*interval + interval - c.lap + passed%c.lap)
}

// A watcher is a log that only counts how long things took.
type watcher struct{ ticks, past chan time.Duration }

// Enabled lets everything through to Check.
func (watcher) Enabled(zapcore.Level) bool { return true }

// With forgets the fields.
func (w watcher) With([]zapcore.Field) zapcore.Core { return w }

// Check takes two of the messages.
func (w watcher) Check(e zapcore.Entry, c *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	switch e.Message {
	case "evaluated", "history replayed", "history is not available, decisions are cautious until it is":
		return c.AddCore(e, w)
	}
	return c
}

// Write passes on how long it took.
func (w watcher) Write(e zapcore.Entry, fields []zapcore.Field) error {
	to := w.ticks
	switch e.Message {
	case "evaluated":
	case "history replayed":
		to = w.past
	default:
		fmt.Fprintln(os.Stderr, e.Message, fields) // shows why the numbers are odd
		return nil
	}
	for _, f := range fields {
		if f.Key == "took" {
			select {
			case to <- time.Duration(f.Integer):
				return nil
			default:
				return errors.New("nobody counts")
			}
		}
	}
	return errors.New("no duration in " + e.Message)
}

// Sync has nothing to do.
func (watcher) Sync() error { return nil }
