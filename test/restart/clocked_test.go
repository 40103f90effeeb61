package restart

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/infscale/infscale/recommender/daemon"
)

// slots is the interval of daemons whose clock is set.
const slots = 15 * time.Second

// A clocked is a daemon in this process whose clock stands still until it is set.
type clocked struct {
	daemon    *daemon.Daemon
	nanos     atomic.Int64
	evaluated chan time.Time
}

// startClocked runs a daemon until the test ends.
func startClocked(t *testing.T, file string, begin time.Time) *clocked {
	t.Helper()
	c := &clocked{evaluated: make(chan time.Time, 1000)}
	c.nanos.Store(begin.Add(-time.Millisecond).UnixNano())
	d, err := daemon.New(daemon.Options{
		Load: daemon.File(file), Registry: prometheus.NewRegistry(), Logger: zap.New(&listener{zapcore.DebugLevel, c.evaluated}),
		Now: func() time.Time { return time.Unix(0, c.nanos.Load()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	c.daemon = d
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	})
	return c
}

// tick lets a slot begin and waits until it was decided on. The clock stands just before
// the next one, where the daemon looks at it again and again.
func (c *clocked) tick(t *testing.T, slot time.Time) {
	t.Helper()
	c.nanos.Store(slot.Add(slots - 2*time.Millisecond).UnixNano())
	late := time.After(patience)
	for {
		select {
		case at := <-c.evaluated:
			if at.Equal(slot) {
				return
			}
		case <-late:
			t.Fatalf("no decision on the slot %s", slot)
		}
	}
}

// page returns what a scrape gets.
func (c *clocked) page(t *testing.T) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.daemon.URL()+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// A listener is a log that only notes which slots were decided on.
type listener struct {
	zapcore.LevelEnabler
	evaluated chan<- time.Time
}

// With implements zapcore.Core.
func (l *listener) With([]zapcore.Field) zapcore.Core { return l }

// Sync implements zapcore.Core.
func (l *listener) Sync() error { return nil }

// Check implements zapcore.Core.
func (l *listener) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if e.Message != "evaluated" {
		return ce
	}
	return ce.AddCore(e, l)
}

// Write implements zapcore.Core.
func (l *listener) Write(_ zapcore.Entry, fields []zapcore.Field) error {
	enc := zapcore.NewMapObjectEncoder()
	for i := range fields {
		fields[i].AddTo(enc)
	}
	if slot, ok := enc.Fields["slot"].(time.Time); ok {
		l.evaluated <- slot
	}
	return nil
}
