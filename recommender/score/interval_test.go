package score_test

import (
	"math"
	"testing"

	"github.com/infscale/infscale/recommender/score"
)

func near(got, want, within float64) bool {
	return math.Abs(got-want) <= within || math.IsNaN(got) && math.IsNaN(want)
}

func TestSummary(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		values []float64
		want   score.Summary
	}{
		"nothing":            {nil, score.Summary{Mean: nan, Median: nan, Min: nan, Max: nan, Half: nan}},
		"one proves nothing": {[]float64{3}, score.Summary{Mean: 3, Median: 3, Min: 3, Max: 3, Half: nan}},
		"two":                {[]float64{5, 1}, score.Summary{Mean: 3, Median: 3, Min: 1, Max: 5, Half: 12.706 * 2}},
		"what has no value is left out": {
			[]float64{nan, 1, 2, 3, nan},
			score.Summary{Mean: 2, Median: 2, Min: 1, Max: 3, Half: 4.303 / math.Sqrt(3)},
		},
	} {
		got := score.Summarise(c.values)
		for _, pair := range [...][2]float64{
			{got.Mean, c.want.Mean}, {got.Median, c.want.Median}, {got.Min, c.want.Min}, {got.Max, c.want.Max}, {got.Half, c.want.Half},
		} {
			if !near(pair[0], pair[1], 1e-9) {
				t.Errorf("%s: got %+v, want %+v", name, got, c.want)
				break
			}
		}
	}
}

// The values are those of the usual tables of Student's t.
func TestTheIntervalFollowsStudent(t *testing.T) {
	for n, want := range map[int]float64{2: 12.706, 6: 2.571, 11: 2.228, 12: 2.201, 21: 2.086, 31: 2.042, 121: 1.980} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		deviation := math.Sqrt(float64(n) * float64(n+1) / 12)
		got := score.Summarise(values).Half * math.Sqrt(float64(n)) / deviation
		if !near(got, want, 0.002) {
			t.Errorf("%d values: got %.4f standard errors, want %.3f", n, got, want)
		}
	}
}

func TestADifferenceOfPairsIsKnownBetterThanEither(t *testing.T) {
	a, b := []float64{10, 20, 30, 40}, []float64{11, 21.5, 30.5, 41}
	got := score.Paired(a, b)
	if !near(got.Mean, 1, 1e-9) || got.Half > 1 {
		t.Errorf("got %+v, want a mean of 1 with less than 1 on either side", got)
	}
	if apart := score.Summarise(a).Half; apart < 10 {
		t.Errorf("got %v for one of them, want more than 10", apart)
	}
}

func TestTimes(t *testing.T) {
	got := score.Summary{Mean: 1, Median: 2, Min: 3, Max: 4, Half: 5}.Times(100)
	if want := (score.Summary{Mean: 100, Median: 200, Min: 300, Max: 400, Half: 500}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
