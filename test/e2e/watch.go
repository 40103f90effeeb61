package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// A recommendation is what the daemon says of a workload.
type recommendation struct {
	Desired *int   `json:"desired"`
	Reason  string `json:"reason"`
	Valid   bool   `json:"valid"`
}

func (r recommendation) String() string {
	if r.Desired == nil {
		return fmt.Sprintf("infscale - (%s)", r.Reason)
	}
	held := ""
	if !r.Valid {
		held = ", held"
	}
	return fmt.Sprintf("infscale %d (%s%s)", *r.Desired, r.Reason, held)
}

// unreachable stands for the reason while the daemon does not answer.
const unreachable = "unreachable"

// recommended asks the daemon.
func recommended(ctx context.Context, w workload) recommendation {
	gone := recommendation{Reason: unreachable}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+loopback(daemonPort)+"/api/v1/workloads/"+w.String(), http.NoBody)
	if err != nil {
		return gone
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return gone
	}
	defer resp.Body.Close()
	var r recommendation
	if resp.StatusCode != http.StatusOK || json.NewDecoder(resp.Body).Decode(&r) != nil {
		return gone
	}
	return r
}

// A record is one look at a workload.
type record struct {
	state
	recommendation
}

func (r record) String() string {
	return fmt.Sprintf("%4d requests  %-37v Deployment %d, ready %d", r.load, r.recommendation, r.spec, r.ready)
}

// A watcher looks at one workload five times a second, prints what changes and keeps it.
type watcher struct {
	fleet    *fleet
	workload workload
	log      *timeline

	mu      sync.Mutex
	records []record // Those that differ from the one before.
}

func (w *watcher) run(ctx context.Context) {
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for ctx.Err() == nil {
		w.look(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
}

func (w *watcher) look(ctx context.Context) {
	r := record{w.fleet.state(w.workload), recommended(ctx, w.workload)}
	if ctx.Err() != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	text := r.String()
	if n := len(w.records); n > 0 && w.records[n-1].String() == text {
		return
	}
	w.records = append(w.records, r)
	w.log.say("%-10s %s", w.workload.Name, text)
}

// since returns what was seen from a mark on, the record in force then included, and the
// mark for what comes after. The first mark is 0.
func (w *watcher) since(mark int) (seen []record, next int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.records[max(0, mark-1):]), len(w.records)
}

// last is the latest look.
func (w *watcher) last() (record, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.records) == 0 {
		return record{}, false
	}
	return w.records[len(w.records)-1], true
}
