package sim

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/trace"
)

func TestARunIsRefusedWithEveryMistake(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Run)
		want  []string
	}{
		{"negative times", func(r *Run) { r.Scrape, r.Age, r.Horizon, r.Step = -1, -1, -1, -1 }, []string{
			"scrape interval must not be negative", "age must not", "horizon must not", "step must not",
		}},
		{"no times", func(r *Run) { r.Interval, r.TTFT, r.RateWindow, r.LatencyWindow = 0, 0, 0, 0 }, []string{
			"interval must be positive, got 0s", "objective must", "rate window must", "latency window must",
		}},
		{"an engine", func(r *Run) { r.Engine = Engine{ChunkTokens: -1, PrefixCache: 1.5, MaxQueue: -2} }, []string{
			"chunk tokens must not be negative, got -1", "prefix cache must be between 0 and 1, got 1.5", "queue must not be negative, got -2",
		}},
		{"a step that does not divide", func(r *Run) { r.Step = 400 * time.Millisecond }, []string{"must be a multiple of the step, got 400ms"}},
		{"more replicas than GPUs", func(r *Run) { r.Initial, r.GPUs = 3, 2 }, []string{"got 3 and 2 GPUs"}},
		{"negative replicas", func(r *Run) { r.Initial, r.GPUs = -1, -1 }, []string{"got -1 initial and -1 GPUs"}},
		{"a replica", func(r *Run) { r.Replica.MaxNumSeqs = 0 }, []string{"largest batch"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := DefaultRun()
			c.spoil(&r)
			requests, _ := trace.Slice{}.Open(0) // a slice has no errors
			_, err := r.Do(t.Context(), requests, keep, nil)
			if err == nil {
				t.Fatal("got no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want it to contain %q", err, want)
				}
			}
		})
	}
}

// A broken reader fails at its third request.
type broken struct{ read int }

var errBroken = errors.New("line 4: unsorted")

func (b *broken) Next() (trace.Request, error) {
	if b.read++; b.read > 2 {
		return trace.Request{}, errBroken
	}
	return trace.Request{At: float64(b.read), Prompt: 10, Output: 10}, nil
}

func (b *broken) Close() error { return nil }

func TestARunStopsWhenItsTraceBreaks(t *testing.T) {
	for _, step := range []time.Duration{0, seed000Step} {
		r := DefaultRun()
		r.Step = step
		if _, err := r.Do(t.Context(), &broken{}, keep, nil); !errors.Is(err, errBroken) {
			t.Errorf("step %v: got %v, want %v", step, err, errBroken)
		}
	}
}

func TestARunStopsWhenItIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := DefaultRun()
	requests, _ := trace.Slice{{At: 1e6, Prompt: 10, Output: 10}}.Open(0) // a slice has no errors
	ticks := 0
	_, err := r.Do(ctx, requests, keep, func(*Tick) {
		if ticks++; ticks == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || ticks != 3 {
		t.Errorf("got %v after %d decisions, want it cancelled after 3", err, ticks)
	}
}

// In fixed steps too, a batch that stands still for several steps gets its next token late.
func TestStallsOfManyStepsAddUp(t *testing.T) {
	f := counting(1, Engine{})
	s := f.ready[0]
	step := func(i int) { s.serve(float64(i)/4, 0.25, true) }
	s.enqueue(request{size: size{prompt: 10, output: 100}})
	step(0)
	s.enqueue(request{at: 0.25, size: size{prompt: 24750, output: 1}})
	for i := range 8 {
		step(1 + i)
	}
	near(t, "the longest gap", f.tally.times.itl.quantile(1), 1+stepBase, 0.03)
	if f.tally.served != 2 {
		t.Errorf("got %d served, want 2", f.tally.served)
	}
}
