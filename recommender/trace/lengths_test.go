package trace_test

import (
	"math"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

// lengthsOf draws many prompts.
func lengthsOf(t testing.TB, l trace.Lengths) []float64 {
	t.Helper()
	g := trace.Generator{Rate: trace.Constant(1000), Prompt: l, Output: trace.Fixed(1), End: 200}
	var got []float64
	for _, q := range all(t, g, 9) {
		got = append(got, float64(q.Prompt))
	}
	return got
}

func TestLengths(t *testing.T) {
	tests := map[string]struct {
		trace.Lengths
		mean, cv    float64
		least, most float64
	}{
		"fixed":                   {trace.Fixed(37), 37, 0, 37, 37},
		"uniform":                 {trace.Uniform(700, 1300), 1000, 0.1735, 700, 1300},
		"few":                     {trace.Uniform(1, 3), 2, 0.4082, 1, 3},
		"lognormal":               {trace.LogNormal(1000, 1), 1000, 1, 1, math.Inf(1)},
		"even lognormal":          {trace.LogNormal(200, 0.2), 200, 0.2, 1, math.Inf(1)},
		"lognormal of one length": {trace.LogNormal(55, 0), 55, 0, 55, 55},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := lengthsOf(t, test.Lengths)
			mean, cv, _ := moments(got)
			limit := 4 * test.mean * test.cv / math.Sqrt(float64(len(got)))
			if math.Abs(mean-test.mean) > limit+0.01 || math.Abs(cv-test.cv) > 0.03*test.cv+1e-6 {
				t.Errorf("got a mean of %.2f and a cv of %.4f, want %v and %v", mean, cv, test.mean, test.cv)
			}
			least, most := math.Inf(1), 0.0
			for _, n := range got {
				least, most = min(least, n), max(most, n)
			}
			if least < test.least || most > test.most {
				t.Errorf("got %v to %v, want %v to %v", least, most, test.least, test.most)
			}
			if !math.IsInf(test.most, 1) && (least != test.least || most != test.most) {
				t.Errorf("got %v to %v, want both bounds drawn: %v and %v", least, most, test.least, test.most)
			}
		})
	}
}

func TestUniformIsEven(t *testing.T) {
	counts := map[float64]float64{}
	got := lengthsOf(t, trace.Uniform(1, 10))
	for _, n := range got {
		counts[n]++
	}
	each, chi := float64(len(got))/10, 0.0
	for n := 1.0; n <= 10; n++ {
		chi += (counts[n] - each) * (counts[n] - each) / each
	}
	if limit := 27.9; chi > limit { // of 9 degrees of freedom, exceeded once in 1000
		t.Errorf("got a chi square of %.1f, want at most %v", chi, limit)
	}
}

func TestLengthsStayInTheirBounds(t *testing.T) {
	got := lengthsOf(t, trace.LogNormal(1000, 3).AtMost(4096))
	atMost := 0
	for _, n := range got {
		switch {
		case n < 1 || n > 4096:
			t.Fatalf("got %v tokens, want 1 to 4096", n)
		case n == 4096:
			atMost++
		}
	}
	// P(X > 4095.5) of that log-normal is 0.0457.
	if share := float64(atMost) / float64(len(got)); share < 0.0438 || share > 0.0476 {
		t.Errorf("got %.4f of the lengths shortened, want 0.0457", share)
	}
	for _, n := range lengthsOf(t, trace.LogNormal(1, 100)) {
		if n < 1 || n > 10_000_000 || n != math.Trunc(n) {
			t.Fatalf("got %v tokens, want a whole number from 1 to 10000000", n)
		}
	}
}
