package risk_test

import (
	"fmt"
	"math"
	"testing"
)

// A score says how good forecasts are.
type score struct {
	n int
	// predicted and realised are the means.
	predicted, realised float64
	// ece is the expected calibration error over the bins, brier the mean square of the
	// error of the fraction.
	ece, brier float64
	// base is the Brier score of the best constant, which nobody knows beforehand, and
	// persistence that of the fraction measured last.
	base, persistence float64
	bins              [10]reliability
}

// A reliability is the forecasts of one tenth of the risk, with their means.
type reliability struct {
	n                   int
	predicted, realised float64
}

func newScore(list []forecast) score {
	s := score{n: len(list)}
	n := float64(max(len(list), 1))
	for _, f := range list {
		s.predicted += f.predicted / n
		s.realised += f.realised / n
		s.brier += square(f.predicted-f.realised) / n
		s.persistence += square(f.persistence-f.realised) / n
		b := &s.bins[min(int(f.predicted*10), 9)]
		b.n++
		b.predicted += (f.predicted - b.predicted) / float64(b.n)
		b.realised += (f.realised - b.realised) / float64(b.n)
	}
	for _, f := range list {
		s.base += square(s.realised-f.realised) / n
	}
	for _, b := range s.bins {
		s.ece += math.Abs(b.predicted-b.realised) * float64(b.n) / n
	}
	return s
}

func square(x float64) float64 { return x * x }

// verdict says which of the aims were met.
func (s *score) verdict() string {
	switch {
	case s.ece <= 0.05 && s.brier < s.base && s.brier < s.persistence:
		return "ok"
	case s.brier < s.base && s.brier < s.persistence:
		return "calibration"
	case s.ece <= 0.05:
		return "sharpness"
	default:
		return "both"
	}
}

const header = "trace                                  for  horizon     n  predicted realised    ECE    Brier     base  persist  fails"

func (s *score) row(name, purpose string, horizon float64) string {
	fails := s.verdict()
	if fails == "ok" {
		fails = "-"
	}
	return fmt.Sprintf("%-36s %5s  %6.1fx  %5d     %.3f    %.3f  %.3f  %.4f   %.4f   %.4f  %s",
		name, purpose, horizon, s.n, s.predicted, s.realised, s.ece, s.brier, s.base, s.persistence, fails)
}

func TestScoresOfKnownForecasts(t *testing.T) {
	s := newScore([]forecast{
		{predicted: 0.05, realised: 0, persistence: 1},
		{predicted: 0.95, realised: 1, persistence: 1},
		{predicted: 0.95, realised: 0.5, persistence: 0},
	})
	for name, x := range map[string][2]float64{
		"calibration error": {s.ece, (0.05 + 2*0.2) / 3},
		"Brier":             {s.brier, (0.0025 + 0.0025 + 0.2025) / 3},
		"base":              {s.base, 0.5 / 3},
		"persistence":       {s.persistence, 1.25 / 3},
	} {
		if math.Abs(x[0]-x[1]) > 1e-12 {
			t.Errorf("%s: got %v, want %v", name, x[0], x[1])
		}
	}
}
