package score_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/score"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// small is a run of a replica that starts in 10 seconds and has a batch of 4.
func small(initial int, horizon time.Duration) sim.Run {
	r := sim.DefaultRun()
	r.Replica.KnownColdStart = 10 * time.Second
	r.Replica.MaxNumSeqs = 4
	r.Initial, r.Horizon, r.Interval = initial, horizon, 4*time.Second
	return r
}

func TestNobodyAvoidsWhatComesBeforeAColdStart(t *testing.T) {
	requests := trace.Slice{
		{At: 1, Prompt: 100, Output: 10},
		{At: 4, Prompt: 100, Output: 10},
		{At: 12.5, Prompt: 100, Output: 10}, // 1.5 s before the first replica is ready
		{At: 30, Prompt: 100, Output: 10},
		{At: 31, Prompt: 500_000, Output: 10}, // in no cache
	}
	f, err := score.Causal(t.Context(), small(0, time.Minute), requests, 3)
	if err != nil {
		t.Fatal(err)
	}
	if f.Requests != 5 || f.Misses != 3 || f.MissRatio != 0.6 {
		t.Errorf("got %d of %d requests missed, ratio %v, want 3 of 5, 0.6", f.Misses, f.Requests, f.MissRatio)
	}
	for i, want := range map[int]bool{-1: false, 0: true, 1: true, 2: false, 3: false, 4: true, 5: false, 1000: false} {
		if got := f.Missed(i); got != want {
			t.Errorf("request %d: got missed %v, want %v", i, got, want)
		}
	}
}

func TestTheLargestFleetMissesOnlyWhatIsBeyondIt(t *testing.T) {
	var requests trace.Slice
	for i := range 2000 {
		requests = append(requests, trace.Request{At: 20 + float64(i)/50, Prompt: 1000, Output: 200})
	}
	last := -1
	for _, most := range []int{1, 4, 16, 64} {
		f, err := score.Causal(t.Context(), small(1, 2*time.Minute), requests, most)
		if err != nil {
			t.Fatal(err)
		}
		counted := 0
		for i := range requests {
			if f.Missed(i) {
				counted++
			}
		}
		if counted != f.Misses {
			t.Errorf("%d replicas: got %d requests in the set, want the %d misses", most, counted, f.Misses)
		}
		if last >= 0 && f.Misses > last {
			t.Errorf("%d replicas: got %d misses, more than the %d of fewer replicas", most, f.Misses, last)
		}
		last = f.Misses
	}
	if last != 0 {
		t.Errorf("got %d misses with 64 replicas, want none", last)
	}
}

func TestFloorsReportErrors(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	short := trace.Slice{{At: 1, Prompt: 100, Output: 10}}
	bad := small(1, time.Minute)
	bad.TTFT = 0
	tests := map[string]func() error{
		"causal of a trace that can not be read": func() error {
			_, err := score.Causal(t.Context(), small(1, time.Minute), trace.File("testdata/none.csv"), 1)
			return err
		},
		"clairvoyant of a trace that can not be read": func() error {
			_, err := score.Clairvoyant(t.Context(), small(1, time.Minute), trace.File("testdata/none.csv"), 1, 0)
			return err
		},
		"more misses than requests": func() error {
			_, err := score.Clairvoyant(t.Context(), small(1, time.Minute), short, 1, 1.5)
			return err
		},
		"no replicas": func() error {
			_, err := score.Clairvoyant(t.Context(), small(1, time.Minute), short, 0, 0)
			return err
		},
		"a run without an objective": func() error {
			_, err := score.Clairvoyant(t.Context(), bad, short, 1, 0)
			return err
		},
	}
	for name, do := range tests {
		if do() == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, err := score.Clairvoyant(cancelled, small(1, time.Minute), short, 1, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}
