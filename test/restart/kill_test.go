package restart

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// live is a configuration whose slots are short, since here the time is the real one.
const live = `
prometheus: {url: %q}
interval: 2s
query_offset: 1s
stale_after: 6s
rate_window: 8s
latency_window: 8s
hold_limit: 20s
defaults:
  replicas: {min: 1, max: 12}
  signals:
    - {metric: queue, target: 8}
    - {metric: kv_cache_usage, target: 0.7}
workloads:
  - {namespace: inference, name: chat-0000, scale_down: {window: 25s}}
  - {namespace: inference, name: chat-0001, scale_up: {window: 6s}, scale_down: {window: 12s, policies: [{type: pods, value: 1, period: 9s}]}}
  - {namespace: inference, name: chat-0002, lookahead: 20s, scale_down: {window: 40s}}
  - {namespace: inference, name: chat-0003, max_num_seqs: 16, scale_down: {gate: {batch_fill: 0.5, for: 15s}}}
  - {namespace: inference, name: chat-0004, slo: {ttft: 1s, objective: 0.9}, cold_start: 10s}
`

// swinging is a fleet that is busy in turns, and that something else scales.
func swinging() *fleet {
	return &fleet{
		workloads: 5, pods: 8,
		load: func(w int, at time.Time) float64 {
			t := float64(at.UnixMilli()%1e9) / 1000
			return math.Round(7 + 7*math.Sin(t/(5+2*float64(w))))
		},
		current: func(w int, at time.Time) int { return 2 + int(at.Unix()/int64(11+5*w))%6 },
	}
}

// A record is what a program exported, by the instant of the decision.
type record struct {
	mu    sync.Mutex
	pages map[string]map[string]string
}

const decidedAt = `infscale_decision_timestamp_seconds{workload="chat-0000",workload_namespace="inference"}`

// note keeps a page, and returns the instant that it is of.
func (r *record) note(page string) string {
	values := gauges(page)
	r.mu.Lock()
	defer r.mu.Unlock()
	slot := values[decidedAt]
	if slot != "" {
		r.pages[slot] = values
	}
	return slot
}

// of returns what was exported at an instant.
func (r *record) of(slot string) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pages[slot]
}

// watch keeps what a program exports until ctx ends.
func watch(ctx context.Context, p *program) *record {
	r := &record{pages: map[string]map[string]string{}}
	go func() {
		ticker := time.NewTicker(often)
		defer ticker.Stop()
		for {
			if _, page := p.get(ctx, "/metrics"); page != "" {
				r.note(page)
			}
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
		}
	}()
	return r
}

// TestKilledWithSignalNine kills the real program at random moments and starts it again. It
// is not ready before it knows its past, and from then on exports what its twin does.
func TestKilledWithSignalNine(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute of the real time")
	}
	prometheus := startPrometheus(t)
	now := time.Now()
	swinging().store(t, prometheus, now.Add(-12*time.Minute), now.Add(8*time.Minute), time.Second)
	file := write(t, fmt.Sprintf(live, prometheus.URL()))
	twin := startProgram(t, file)
	always := watch(t.Context(), twin)
	rng := rand.New(rand.NewPCG(uint64(now.UnixNano()), 1))
	compared, values, changes := 0, 0, map[string]bool{}
	for range 3 {
		again := startProgram(t, file)
		for _, slot := range liveSlots(t, again, always, 3+rng.IntN(2)) {
			want := always.of(slot.at)
			if !maps.Equal(slot.values, want) {
				t.Errorf("decided at %s:\n%s", slot.at, difference(slot.values, want))
			}
			compared, values = compared+1, values+len(want)
			for series, v := range want {
				if strings.HasPrefix(series, "infscale_desired_replicas") {
					changes[series+v] = true
				}
			}
		}
		again.kill()
	}
	if _, page := twin.get(t.Context(), "/metrics"); !strings.Contains(page, "\ninfscale_evaluations_missed_total 0\n") {
		t.Skip("the machine is so busy that the twin missed slots, which is no history to compare with")
	}
	t.Logf("%d instants compared, %d numbers", compared, values)
	if len(changes) <= 5 { // one for each workload
		t.Errorf("got %d different recommendations of 5 workloads, want some to change", len(changes))
	}
}

// A liveSlot is what was exported for one instant.
type liveSlot struct {
	at     string
	values map[string]string
}

// liveSlots waits until the program is ready and returns what it exports at the instants
// that follow, of which the record knows too. Before, it says that it is not ready.
func liveSlots(t *testing.T, p *program, known *record, n int) []liveSlot {
	t.Helper()
	var list []liveSlot
	ready := false
	err := until(t.Context(), func() bool {
		status, _ := p.get(t.Context(), "/-/ready")
		ready = ready || status == http.StatusOK
		_, page := p.get(t.Context(), "/metrics")
		values := gauges(page)
		at := values[decidedAt]
		switch {
		case !ready && status != http.StatusServiceUnavailable:
			t.Errorf("GET /-/ready: got %d, want 503 until it is 200", status)
		case ready && at == "":
			t.Error("ready without a decision")
		case ready && !slices.ContainsFunc(list, func(s liveSlot) bool { return s.at == at }):
			list = append(list, liveSlot{at, values})
		}
		both := 0
		for _, slot := range list {
			if known.of(slot.at) != nil {
				both++
			}
		}
		return both >= n
	})
	list = slices.DeleteFunc(list, func(s liveSlot) bool { return known.of(s.at) == nil })
	if err != nil {
		t.Fatalf("got %d of %d instants, ready %t: %v", len(list), n, ready, err)
	}
	return list
}

// difference lists the series whose values differ.
func difference(got, want map[string]string) string {
	keys := map[string]bool{}
	for k := range got {
		keys[k] = true
	}
	for k := range want {
		keys[k] = true
	}
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if got[k] != want[k] {
			fmt.Fprintf(&b, "%s: got %q, want %q\n", k, got[k], want[k])
		}
	}
	return b.String()
}
