package trace_test

import (
	"math"
	"slices"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

// The phases of the default trace, and the requests per second in them.
var phases = []struct{ from, to, rate float64 }{
	{0, 180, 3},
	{180, 270, 10},
	{270, 360, 21},
	{360, 720, 30},
	{720, 780, 12},
	{780, 960, 4},
	{960, 1320, 0},
	{1320, 1500, 0.25},
}

func TestDefaultWithSeed0IsTheListItComesWith(t *testing.T) {
	got := all(t, trace.Default(), 0)
	want := []trace.Request{
		{At: 0.127, Prompt: 1027, Output: 201},
		{At: 0.151, Prompt: 1261, Output: 165},
		{At: 0.720, Prompt: 824, Output: 294},
	}
	last := trace.Request{At: 1499.324, Prompt: 1150, Output: 226}
	if n := len(got); n != 15549 || !slices.Equal(got[:3], want) || got[n-1] != last {
		t.Errorf("got %d requests, %v to %v, want 15549, %v to %v", n, got[:3], got[n-1], want, last)
	}
}

func TestDefaultHasItsPhasesForEverySeed(t *testing.T) {
	for seed := range uint64(20) {
		got := all(t, trace.Default(), seed)
		for _, p := range phases {
			n, want := float64(count(got, p.from, p.to)), p.rate*(p.to-p.from)
			if limit := 4 * math.Sqrt(want); math.Abs(n-want) > limit {
				t.Errorf("seed %d, %v to %v: got %v requests, want %v within %.1f", seed, p.from, p.to, n, want, limit)
			}
		}
		checkLengths(t, got)
	}
}

func checkLengths(t *testing.T, got trace.Slice) {
	t.Helper()
	prompt, output := 0.0, 0.0
	for _, q := range got {
		if q.Prompt < 700 || q.Prompt > 1300 || q.Output < 100 || q.Output > 300 || q.Prefix != 0 {
			t.Fatalf("got %+v, want a prompt of 700 to 1300 and an output of 100 to 300", q)
		}
		prompt += float64(q.Prompt)
		output += float64(q.Output)
	}
	n := float64(len(got))
	if math.Abs(prompt/n-1000) > 4*173.5/math.Sqrt(n) || math.Abs(output/n-200) > 4*58.0/math.Sqrt(n) {
		t.Errorf("got means of %.1f and %.1f tokens, want 1000 and 200", prompt/n, output/n)
	}
}

func TestSeedsOfDefaultDiffer(t *testing.T) {
	for seed := range uint64(5) {
		if slices.Equal(all(t, trace.Default(), seed), all(t, trace.Default(), seed+1)) {
			t.Errorf("got the same requests for seeds %d and %d", seed, seed+1)
		}
	}
}

func TestRampRisesInALine(t *testing.T) {
	tests := append([]struct{ from, to, rate float64 }{{180, 225, 6.375}, {225, 315, 16.5}, {315, 360, 26.625}}, phases[3:]...)
	for seed := range uint64(20) {
		got := all(t, trace.Ramp(), seed)
		for _, p := range tests {
			n, want := float64(count(got, p.from, p.to)), p.rate*(p.to-p.from)
			if limit := 4 * math.Sqrt(want); math.Abs(n-want) > limit {
				t.Errorf("seed %d, %v to %v: got %v requests, want %v within %.1f", seed, p.from, p.to, n, want, limit)
			}
		}
		checkLengths(t, got)
	}
}

func TestBuiltins(t *testing.T) {
	if got, want := trace.Builtins(), []string{"seed000", "seed000-ramp"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range trace.Builtins() {
		tr, ok := trace.Builtin(name)
		if !ok {
			t.Fatalf("%s: got none", name)
		}
		if got := all(t, tr, 1); len(got) < 14_000 {
			t.Errorf("%s: got %d requests, want about 15,500", name, len(got))
		}
	}
	if tr, ok := trace.Builtin("seed001"); ok || tr != nil {
		t.Errorf("got %v for a name that is none", tr)
	}
}
