package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/infscale/infscale/recommender/sim"
)

// A recorder keeps the ticks of the first seed, by candidate.
type recorder struct {
	ticks [][]sim.Tick
}

func (r *recorder) start(candidates int) { r.ticks = make([][]sim.Tick, candidates) }

// note keeps a tick. The replays of several candidates have lists of their own.
func (r *recorder) note(candidate, seed int, t *sim.Tick) {
	if seed == 0 {
		r.ticks[candidate] = append(r.ticks[candidate], *t)
	}
}

// progress says how far a long run has come.
type progress struct {
	w       io.Writer
	now     func() time.Time
	mu      sync.Mutex
	done    int
	total   int
	began   time.Time
	said    time.Time
	written bool
}

// progressAfter is how long a run goes on in silence, and then between two lines.
const progressAfter = 3 * time.Second

func newProgress(w io.Writer, now func() time.Time) *progress {
	return &progress{w: w, now: now, began: now(), said: now()}
}

// note says that done of all replays are over, now and then.
func (p *progress) note(done, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.total = max(p.done, done), total
	if now := p.now(); now.Sub(p.said) >= progressAfter {
		p.said, p.written = now, true
		fmt.Fprintf(p.w, "recommender: %d of %d replays after %s\n", done, total, now.Sub(p.began).Round(time.Second))
	}
}

// end says how long it took, if anything was said before and nothing failed.
func (p *progress) end(err error) {
	if p.written && err == nil {
		fmt.Fprintf(p.w, "recommender: done in %s\n", p.now().Sub(p.began).Round(time.Second))
	}
}
