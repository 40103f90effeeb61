package sim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

// seed000 are the results of the default trace in fixed steps of 0.25 s, computed by two
// independent programs: misses, their ratio, TTFT p50 and p95, replica-minutes, peak, events.
var seed000 = []struct{ policy, want string }{
	{"cpu:60", "13934 89.6% 225.62s 475.67s 25.0 1 0"},
	{"cpu:25", "0 0.0% 0.04s 0.05s 144.3 8 9"},
	{"queue:24", "262 1.7% 0.04s 0.30s 86.6 7 7"},
	{"queue:24,lookahead=90", "0 0.0% 0.04s 0.05s 112.8 8 8"},
	{"queue:24,min=0,cooldown=120", "288 1.9% 0.04s 0.34s 82.3 7 9"},
	{"queue:12", "252 1.6% 0.04s 0.05s 102.4 8 9"},
	{"queue:32", "1659 10.7% 0.04s 4.29s 107.2 8 9"},
	{"waiting:2", "0 0.0% 0.04s 0.05s 95.6 8 7"},
	{"running:24", "262 1.7% 0.04s 0.30s 75.1 6 6"},
	{"kv:0.1", "4614 29.7% 0.05s 24.91s 72.7 8 6"},
	{"queue:24,down=600", "262 1.7% 0.04s 0.30s 105.5 7 5"},
	{"queue:24,min=2", "196 1.3% 0.04s 0.32s 90.6 8 6"},
	{"cpu:20", "0 0.0% 0.04s 0.05s 154.5 8 6"},
	{"cpu:70", "13934 89.6% 225.62s 475.67s 25.0 1 0"},
	{"queue:24,up=30", "1212 7.8% 0.04s 2.99s 88.1 8 7"},
}

func TestFixedStepsMeetTheTable(t *testing.T) {
	requests := defaultTrace(t)
	for _, c := range seed000 {
		t.Run(c.policy, func(t *testing.T) {
			r, scale := follow(t, c.policy, 1500, seed000Step)
			got := replay(t, r, requests, scale, nil)
			if row(&got) != c.want {
				t.Errorf("got %s, want %s", row(&got), c.want)
			}
		})
	}
}

// The five policies tell the same story without steps: the figures that do not hang on a
// single decision are near, and the order is the same.
func TestEventsTellTheStoryOfTheTable(t *testing.T) {
	requests := defaultTrace(t)
	results := map[string]Result{}
	for _, c := range seed000[:5] {
		r, scale := follow(t, c.policy, 1500, 0)
		results[c.policy] = replay(t, r, requests, scale, nil)
	}
	for _, c := range []struct {
		policy                string
		low, high             int // misses
		leastCost, mostCost   float64
		leastPeak, mostEvents int
	}{
		{"cpu:60", 13900, 13970, 25, 25, 1, 0},
		{"cpu:25", 0, 0, 143, 146, 8, 10},
		{"queue:24", 200, 350, 70, 90, 6, 9},
		{"queue:24,lookahead=90", 0, 0, 110, 125, 8, 10},
		{"queue:24,min=0,cooldown=120", 220, 380, 66, 86, 6, 11},
	} {
		r := results[c.policy]
		cost := r.ReplicaMinutes()
		if r.Misses < c.low || r.Misses > c.high || cost < c.leastCost || cost > c.mostCost || r.Peak < c.leastPeak || r.Events > c.mostEvents {
			t.Errorf("%s: got %s, want %d to %d misses at %v to %v, peak %d, at most %d events",
				c.policy, row(&r), c.low, c.high, c.leastCost, c.mostCost, c.leastPeak, c.mostEvents)
		}
	}
	zero, queue := results["queue:24,min=0,cooldown=120"], results["queue:24"]
	if !(zero.ReplicaMinutes() < queue.ReplicaMinutes() && zero.Misses > queue.Misses) {
		t.Errorf("scale to zero: got %s against %s, want cheaper and more misses", row(&zero), row(&queue))
	}
}

func TestFixedStepsMeetTheTimeline(t *testing.T) {
	text, err := os.ReadFile("testdata/timeline-queue24.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")[2:] // a comment and a header
	var got []string
	r, scale := follow(t, "queue:24", 1500, seed000Step)
	replay(t, r, defaultTrace(t), scale, func(k *Tick) { got = append(got, line(k)) })
	if len(got) != len(want) {
		t.Fatalf("got %d decisions, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("got %s, want %s", got[i], want[i])
		}
	}
}

// realTraces are results of published traces in fixed steps of 0.25 s over an hour.
var realTraces = map[string][]struct{ policy, want string }{
	"azure-llm-2023-conv": {
		{"cpu:60", "0 0.0% 0.04s 0.17s 60.0 1 0"},
		{"cpu:25", "0 0.0% 0.04s 0.16s 444.8 8 6"},
		{"queue:24", "0 0.0% 0.04s 0.17s 80.7 2 8"},
		{"queue:24,lookahead=90", "0 0.0% 0.04s 0.16s 228.1 6 13"},
		{"queue:24,min=0,cooldown=120", "0 0.0% 0.04s 0.17s 80.7 2 8"},
	},
	"azure-llm-2023-code": {
		{"cpu:60", "1372 15.6% 0.25s 8.00s 60.0 1 0"},
		{"cpu:25", "97 1.1% 0.08s 1.01s 217.8 5 10"},
		{"queue:24", "405 4.6% 0.11s 1.82s 134.6 5 12"},
		{"queue:24,lookahead=90", "88 1.0% 0.08s 0.61s 237.8 6 14"},
		{"queue:24,min=0,cooldown=120", "2546 28.9% 0.15s 90.88s 267.7 8 32"},
	},
	"mooncake-fast25-conversation": {
		{"cpu:60", "12015 99.9% 803.79s 1415.70s 60.0 1 0"},
		{"cpu:25", "1029 8.6% 0.38s 4.80s 451.2 8 5"},
		{"queue:24", "1326 11.0% 0.63s 4.41s 193.3 6 21"},
		{"queue:24,lookahead=90", "737 6.1% 0.44s 2.44s 349.9 8 23"},
		{"queue:24,min=0,cooldown=120", "1326 11.0% 0.63s 4.41s 193.3 6 21"},
	},
}

func TestFixedStepsMeetTheTablesOfRealTraces(t *testing.T) {
	for name, cases := range realTraces {
		t.Run(name, func(t *testing.T) {
			requests := realTrace(t, name)
			for _, c := range cases {
				r, scale := follow(t, c.policy, 3600, seed000Step)
				got := replay(t, r, requests, scale, nil)
				if row(&got) != c.want {
					t.Errorf("%s: got %s, want %s", c.policy, row(&got), c.want)
				}
			}
		})
	}
}

// realTrace reads NAME.csv.gz from the folder INFSCALE_TRACES, and skips the test if it is
// not there.
func realTrace(tb testing.TB, name string) trace.Slice {
	tb.Helper()
	s, err := findTrace(name)
	if err != nil {
		tb.Skip(err)
	}
	return s
}

func findTrace(name string) (trace.Slice, error) {
	folder := os.Getenv("INFSCALE_TRACES")
	if folder == "" {
		return nil, errors.New("INFSCALE_TRACES names no folder with traces")
	}
	return trace.ReadAll(trace.File(filepath.Join(folder, name+".csv.gz")), 0)
}

// line formats a tick as the timeline does.
func line(k *Tick) string {
	direction := "hold"
	switch {
	case k.Desired > k.Current:
		direction = "up"
	case k.Desired < k.Current:
		direction = "down"
	}
	return fmt.Sprintf("%g %g %g %g %d %d %s %s", k.At, k.Running, k.Waiting, k.Held, k.Current, k.Desired, direction, k.Decision.Reason)
}
