package sim

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// ranked returns the value of a quantile by the nearest rank.
func ranked(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(max(int(math.Ceil(q*float64(len(sorted)))), 1), len(sorted))-1]
}

var asked = []float64{0, 0.001, 0.25, 0.5, 0.95, 0.99, 0.9999, 1}

func TestQuantilesAreExactWhileTheyCanBe(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for name, draw := range map[string]func() float64{
		"spread over many octaves":  func() float64 { return math.Exp(4 * rng.NormFloat64()) },
		"all near one value":        func() float64 { return 0.04 + 1e-6*rng.Float64() },
		"equal":                     func() float64 { return 0.25 },
		"zeros and what is beyond":  func() float64 { return []float64{0, 1e-12, 1e-300, 5e9, 1e300}[rng.IntN(5)] },
		"the edges of a page":       func() float64 { return []float64{1, math.Nextafter(1, 0), math.Nextafter(1, 2)}[rng.IntN(3)] },
		"whole seconds, many equal": func() float64 { return float64(rng.IntN(10)) },
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 100, 10000} {
				var d distribution
				var values []float64
				for range n {
					v := draw()
					values = append(values, v)
					d.add(v)
				}
				for _, q := range asked {
					if got, want := d.quantile(q), ranked(values, q); got != want {
						t.Errorf("%v of %d: got %v, want %v", q, n, got, want)
					}
				}
			}
		})
	}
}

func TestQuantilesOfVeryManyAreNear(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var d distribution
	var values []float64
	for range exactly {
		v := math.Exp(2 * rng.NormFloat64())
		values = append(values, v)
		d.add(v)
	}
	if got, want := d.quantile(0.5), ranked(values, 0.5); got != want {
		t.Errorf("the last exact one: got %v, want %v", got, want)
	}
	for range 2 * exactly {
		v := math.Exp(2 * rng.NormFloat64())
		values = append(values, v)
		d.add(v)
	}
	for _, q := range asked {
		near(t, "quantile", d.quantile(q), ranked(values, q), 1.0/(1<<17))
	}
}

// The memory of a distribution does not grow with the number of its values.
func TestDistributionsStayBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	var d distribution
	used := func() (n int) {
		for _, p := range d.pages {
			if p != nil {
				n++
			}
		}
		return n
	}
	kept := 0
	counts := [2]int{}
	for i := range counts {
		for range exactly * 4 {
			d.add(0.01 + 100*rng.Float64())
		}
		counts[i] = used()
		kept = max(kept, len(d.values))
	}
	// From 0.01 to 100 there are less than 14 octaves of 256 pages.
	if kept != exactly || counts[0] == 0 || counts[1] > 14<<8 || counts[1] > counts[0]+counts[0]/10 {
		t.Errorf("got %v pages and %d values, want a number that stays and %d", counts, kept, exactly)
	}
	for range 2 {
		d.reset()
		if !math.IsNaN(d.quantile(0.5)) {
			t.Errorf("after a reset: got %v, want nothing", d.quantile(0.5))
		}
		for range exactly + 1 {
			d.add(3)
		}
		near(t, "the only value after a reset", d.quantile(0.5), 3, 1.0/(1<<16))
		if used() != counts[1] {
			t.Errorf("after a reset: got %d pages, want the %d from before used again", used(), counts[1])
		}
	}
}

func TestNothingHasNoQuantile(t *testing.T) {
	var d distribution
	var h histogram
	var w ttftWindow
	for name, got := range map[string]float64{
		"distribution": d.quantile(0.5), "histogram": h.quantile(0.5), "window": w.quantile(0.5),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: got %v, want NaN", name, got)
		}
	}
	if late, bound := w.late(2); !math.IsNaN(late) || bound != 1 {
		t.Errorf("got %v late over %v s, want NaN over 1", late, bound)
	}
}

func TestHistogramsWeigh(t *testing.T) {
	var h histogram
	h.add(0.007, 90)
	h.add(0.5, 9)
	h.add(2, 1)
	h.add(1, 0)
	h.add(1, -1)
	h.add(1, math.NaN())
	for q, want := range map[float64]float64{0: 0.007, 0.5: 0.007, 0.9: 0.007, 0.95: 0.5, 0.99: 0.5, 1: 2} {
		near(t, "quantile", h.quantile(q), want, 1.0/64)
	}
	for range 100 {
		h.add(0.007, 0.1) // not a binary fraction: sums differ with their order
		h.add(0.5, 0.1)
	}
	near(t, "the largest", h.quantile(1), 2, 1.0/64)
	h.add(1e-9, 1000) // below all buckets
	if got := h.quantile(0.5); got > 1e-4 {
		t.Errorf("got %v, want the lowest bucket", got)
	}
	h.add(1e9, 1e6) // above
	if got := h.quantile(0.9); got < 1000 {
		t.Errorf("got %v, want the highest bucket", got)
	}
}

func TestWindowsCountAsEnginesDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	values := []float64{0, 1e-300, 1e-5, 1e4, 1e300}
	for _, b := range bounds[:len(bounds)-1] {
		values = append(values, b, math.Nextafter(b, 0), math.Nextafter(b, 1e9))
	}
	for range 10000 {
		values = append(values, math.Exp(4*rng.NormFloat64()))
	}
	var got ttftWindow
	var want ttftWindow
	for _, v := range values {
		got.add(v)
		i := 0
		for v > bounds[i] {
			i++
		}
		want.counts[i]++
	}
	if got != want {
		t.Errorf("got %v, want %v", got.counts, want.counts)
	}
}

func TestWindowsInterpolate(t *testing.T) {
	var before, w ttftWindow
	before.add(100)
	w = before
	for range 10 {
		w.add(0.3) // from 0.25 to 0.5
	}
	for range 10 {
		w.add(7) // from 5 to 7.5
	}
	w = w.since(&before)
	for q, want := range map[float64]float64{0.25: 0.375, 0.5: 0.5, 0.75: 6.25, 1: 7.5} {
		near(t, "quantile", w.quantile(q), want, 1e-12)
	}
	if late, bound := w.late(5); late != 0.5 || bound != 5 {
		t.Errorf("got %v late over %v, want 0.5 over 5", late, bound)
	}
	if late, bound := w.late(0.0001); late != 1 || bound != 0 {
		t.Errorf("an objective below all bounds: got %v late over %v, want 1 over 0", late, bound)
	}
	w.add(1e5)
	if got := w.quantile(1); got != 2560 {
		t.Errorf("got %v, want the highest finite bound 2560", got)
	}
}
