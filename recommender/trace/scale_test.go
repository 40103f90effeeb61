package trace_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

func byArrival(a, b trace.Request) int { return cmp.Compare(a.At, b.At) }

func TestScaleMeetsItsFactorInEveryPhase(t *testing.T) {
	original := all(t, trace.Default(), 0)
	phases := []float64{0, 180, 270, 360, 720, 780, 960, 1320, 1502}
	for _, factor := range []float64{0.1, 0.5, 0.97, 1, 1.25, 2, 3.5} {
		t.Run(fmt.Sprint(factor), func(t *testing.T) {
			got := all(t, trace.Scale(original, factor), 3)
			if !slices.IsSortedFunc(got, byArrival) {
				t.Fatal("got arrivals out of order")
			}
			for i, to := range phases[1:] {
				// A copy can arrive in the next phase, so the counts shift by what arrives in a second.
				slack := 32 * max(0, factor-1)
				if factor < 1 {
					slack = 0
				}
				n, was := float64(count(got, phases[i], to)), float64(count(original, phases[i], to))
				_, fraction := math.Modf(factor)
				sigma := math.Sqrt(was * fraction * (1 - fraction))
				if math.Abs(n-was*factor) > 4*sigma+slack {
					t.Errorf("%v to %v: got %v requests of %v, want %v within %v", phases[i], to, n, was, was*factor, 4*sigma+slack)
				}
			}
		})
	}
}

func count(s trace.Slice, from, to float64) int {
	n := 0
	for _, q := range s {
		if q.At >= from && q.At < to {
			n++
		}
	}
	return n
}

func TestScaleByOneChangesNothing(t *testing.T) {
	original := all(t, trace.Default(), 0)
	if got := all(t, trace.Scale(trace.Default(), 1), 0); !slices.Equal(got, original) {
		t.Errorf("got %d requests, want the %d of the original", len(got), len(original))
	}
}

func TestScaleDownKeepsRequestsAsTheyAre(t *testing.T) {
	original := all(t, trace.Default(), 0)
	rest := original
	for _, q := range all(t, trace.Scale(original, 0.3), 1) {
		i := slices.Index(rest, q)
		if i < 0 {
			t.Fatalf("got %v, want requests of the original in their order", q)
		}
		rest = rest[i+1:]
	}
}

// Copies carry the lengths of their original and follow it within a second.
func TestScaleUpRepeatsEachRequest(t *testing.T) {
	original := at(0, 0, 0.2, 5, 5.9, 100)
	got := map[int32][]float64{}
	for _, q := range all(t, trace.Scale(original, 4), 1) {
		got[q.Prompt] = append(got[q.Prompt], q.At)
	}
	for _, q := range original {
		arrivals := got[q.Prompt]
		if len(arrivals) != 4 || arrivals[0] != q.At || arrivals[3] >= q.At+1 || arrivals[1] == q.At {
			t.Errorf("request at %v: got arrivals %v, want itself and 3 copies within a second", q.At, arrivals)
		}
	}
}

func TestScaleBySeed(t *testing.T) {
	original := all(t, trace.Default(), 0)
	for _, factor := range []float64{0.5, 2.5} {
		scaled := trace.Scale(original, factor)
		if !slices.Equal(all(t, scaled, 1), all(t, scaled, 1)) {
			t.Errorf("factor %v: got other requests for the same seed", factor)
		}
		if slices.Equal(all(t, scaled, 1), all(t, scaled, 2)) {
			t.Errorf("factor %v: got the same requests for another seed", factor)
		}
	}
}

func TestScaleErrors(t *testing.T) {
	for _, factor := range []float64{0, -1, math.NaN(), math.Inf(1), 10_001} {
		want := fmt.Sprintf("factor of the rate must be above 0 and at most 10000, got %v", factor)
		if _, err := trace.Scale(at(0), factor).Open(0); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	broken := errors.New("broken")
	if _, err := trace.ReadAll(trace.Scale(failing{at(0, 1), broken}, 2), 0); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}
