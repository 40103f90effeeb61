package trace_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

// The rates of these tests, each with its formula written out again.
var rates = map[string]struct {
	rate trace.Rate
	end  float64
	at   func(second float64) float64
}{
	"constant": {trace.Constant(20), 1000, func(float64) float64 { return 20 }},
	"steps": {
		trace.Steps(trace.Point{At: 0, Rate: 3}, trace.Point{At: 200, Rate: 0}, trace.Point{At: 500, Rate: 40}), 900,
		func(s float64) float64 {
			switch {
			case s < 200:
				return 3
			case s < 500:
				return 0
			}
			return 40
		},
	},
	"ramps": {
		trace.Ramps(trace.Point{At: 0, Rate: 0}, trace.Point{At: 300, Rate: 60}, trace.Point{At: 300, Rate: 5}, trace.Point{At: 600, Rate: 0}), 700,
		func(s float64) float64 {
			switch {
			case s < 300:
				return s / 5
			case s < 600:
				return 5 - (s-300)/60
			}
			return 0
		},
	},
	"diurnal": {
		trace.Diurnal(20, 15, 400, 50), 1700,
		func(s float64) float64 { return 20 + 15*math.Sin(2*math.Pi*(s-50)/400) },
	},
	"diurnal down to nothing": {
		trace.Diurnal(20, 20, 300, 0), 1200,
		func(s float64) float64 { return 20 + 20*math.Sin(2*math.Pi*s/300) },
	},
	"schedule": {
		trace.Schedule(2, 240, trace.Span{From: 30, To: 90, Rate: 50}, trace.Span{From: 90, To: 100, Rate: 0}), 1300,
		func(s float64) float64 {
			switch s = math.Mod(s, 240); {
			case s >= 30 && s < 90:
				return 50
			case s >= 90 && s < 100:
				return 0
			}
			return 2
		},
	},
	"wake": {
		trace.Wake(50, 60, 240), 3000,
		func(s float64) float64 {
			if math.Mod(s, 300) < 240 {
				return 0
			}
			return 50
		},
	},
	// Most periods of these pass without a request.
	"rare wake": {
		trace.Wake(0.02, 60, 240), 150_000,
		func(s float64) float64 {
			if math.Mod(s, 300) < 240 {
				return 0
			}
			return 0.02
		},
	},
	"rare diurnal": {
		trace.Diurnal(0.02, 0.02, 30, 5), 40_000,
		func(s float64) float64 { return 0.02 + 0.02*math.Sin(2*math.Pi*(s-5)/30) },
	},
}

func generator(rate trace.Rate, end float64) trace.Generator {
	return trace.Generator{Rate: rate, Prompt: trace.Fixed(100), Output: trace.Fixed(10), End: end}
}

// expected returns how many requests a rate expects from second a to second b, by sums.
func expected(at func(float64) float64, a, b float64) float64 {
	n, _ := sum(at, a, b, 20+min(20_000, int((b-a)*50)))
	return n
}

// sum returns that for a number of steps, and the highest rate met.
func sum(at func(float64) float64, a, b float64, steps int) (total, highest float64) {
	width := (b - a) / float64(steps)
	for i := range steps {
		rate := at(a + (float64(i)+0.5)*width)
		total += rate * width
		highest = max(highest, rate)
	}
	return total, highest
}

// Each part of a trace has as many requests as its rate says.
func TestRatesAreMet(t *testing.T) {
	for name, test := range rates {
		for _, arrivals := range []struct {
			name string
			trace.Arrivals
			cv float64
		}{{"Poisson", trace.Poisson(), 1}, {"Gamma 2.5", trace.Gamma(2.5), 2.5}, {"Gamma 0.3", trace.Gamma(0.3), 0.3}} {
			t.Run(name+" "+arrivals.name, func(t *testing.T) {
				g := generator(test.rate, test.end)
				g.Arrivals = arrivals.Arrivals
				got := all(t, g, 5)
				if !slices.IsSortedFunc(got, byArrival) {
					t.Fatal("got arrivals out of order")
				}
				const parts = 10
				for i := range parts {
					from, to := test.end*float64(i)/parts, test.end*float64(i+1)/parts
					n, want := float64(count(got, from, to)), expected(test.at, from, to)
					// The count of a renewal process varies by the square of its cv.
					if sigma := arrivals.cv * math.Sqrt(want); math.Abs(n-want) > 4*sigma+1 {
						t.Errorf("%v to %v: got %v requests, want %.1f within %.1f", from, to, n, want, 4*sigma+1)
					}
				}
			})
		}
	}
}

// Evenly spaced arrivals are one request expected apart, to the digit.
func TestEvenArrivalsAreExact(t *testing.T) {
	const steps, sample = 2000, 400
	for name, test := range rates {
		t.Run(name, func(t *testing.T) {
			g := generator(test.rate, test.end)
			g.Arrivals = trace.Gamma(0)
			s, checked := all(t, g, 1), 0
			for i := 0; i+1 < len(s); i += 1 + len(s)/sample {
				a, b := s[i].At, s[i+1].At
				n, highest := sum(test.at, a, b, steps)
				// A sum is off by up to a step where the rate jumps.
				limit := 1e-4 + 2*highest*(b-a)/steps
				if limit > 0.2 {
					continue
				}
				checked++
				if math.Abs(n-1) > limit {
					t.Errorf("%v to %v: got %.5f requests expected, want 1 within %.5f", a, b, n, limit)
				}
			}
			if checked < sample/3 {
				t.Errorf("got only %d gaps that can be checked", checked)
			}
		})
	}
}

// Measured in requests expected, the gaps of a Poisson process are exponential whatever the
// rate does: the test of Kolmogorov and Smirnov at a level of 0.1 %.
func TestPoissonGapsAreExponential(t *testing.T) {
	for name, test := range rates {
		t.Run(name, func(t *testing.T) {
			gaps := gapsOf(all(t, generator(test.rate, test.end), 11), test.at)
			slices.Sort(gaps)
			n, worst := float64(len(gaps)), 0.0
			for i, gap := range gaps {
				p := -math.Expm1(-gap)
				worst = max(worst, p-float64(i)/n, float64(i+1)/n-p)
			}
			if limit := 1.95 / math.Sqrt(n); n < 500 || worst > limit {
				t.Errorf("got %v gaps, at most %.4f off an exponential distribution, want %.4f", n, worst, limit)
			}
		})
	}
}

// gapsOf returns the requests expected between arrivals.
func gapsOf(s trace.Slice, at func(float64) float64) []float64 {
	var gaps []float64
	for i := range s[1:] {
		gaps = append(gaps, expected(at, s[i].At, s[i+1].At))
	}
	return gaps
}

func TestGammaGapsHaveTheirVariation(t *testing.T) {
	for _, cv := range []float64{0, 0.1, 0.5, 1, 2, 3} {
		t.Run(fmt.Sprint(cv), func(t *testing.T) {
			g := generator(trace.Constant(100), 2000)
			g.Arrivals = trace.Gamma(cv)
			s := all(t, g, 2)
			var gaps []float64
			for i := range s[1:] {
				gaps = append(gaps, (s[i+1].At-s[i].At)*100)
			}
			mean, gotCV, skewness := moments(gaps)
			// Three standard errors of a gamma distribution's cv at 200,000 gaps, and more for 3.
			if math.Abs(mean-1) > 0.005+0.01*cv || math.Abs(gotCV-cv) > 0.001+0.01*cv {
				t.Errorf("got a mean of %.4f and a cv of %.4f, want 1 and %v", mean, gotCV, cv)
			}
			// What tells it from others of the same cv: its skewness is twice that.
			if cv > 0 && math.Abs(skewness-2*cv) > 0.05+0.05*cv {
				t.Errorf("got a skewness of %.3f, want %v", skewness, 2*cv)
			}
		})
	}
}

func moments(values []float64) (mean, cv, skewness float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	var second, third float64
	for _, v := range values {
		d := v - mean
		second += d * d / n
		third += d * d * d / n
	}
	return mean, math.Sqrt(second) / mean, third / math.Pow(second, 1.5)
}

// A bursty trace begins like it goes on: over many seeds its first seconds have neither more
// nor fewer requests than others.
func TestGammaBeginsInBalance(t *testing.T) {
	for _, cv := range []float64{0, 0.5, 3} {
		g := generator(trace.Constant(1), 10)
		g.Arrivals = trace.Gamma(cv)
		const seeds = 2000
		var counts []float64
		for seed := range uint64(seeds) {
			counts = append(counts, float64(len(all(t, g, seed))))
		}
		mean, variation, _ := moments(counts)
		if limit := 4*mean*variation/math.Sqrt(seeds) + 1e-9; math.Abs(mean-10) > limit {
			t.Errorf("cv %v: got %.3f requests in 10 seconds, want 10 within %.3f", cv, mean, limit)
		}
	}
}

func TestGeneratorIsItsSeed(t *testing.T) {
	g := generator(trace.Diurnal(20, 15, 400, 50), 1700)
	if !slices.Equal(all(t, g, 1), all(t, g, 1)) {
		t.Error("got other requests for the same seed")
	}
	if slices.Equal(all(t, g, 1), all(t, g, 2)) {
		t.Error("got the same requests for another seed")
	}
}

func TestStreamsOfAGeneratorAreApart(t *testing.T) {
	plain := generator(trace.Constant(20), 100)
	plain.Prompt, plain.Output = trace.Uniform(1, 1000), trace.Uniform(1, 1000)
	other := plain
	other.Prompt = trace.LogNormal(500, 2)
	faster := plain
	faster.Rate = trace.Constant(40)
	a, b, c := all(t, plain, 1), all(t, other, 1), all(t, faster, 1)
	for i := range a {
		if a[i].At != b[i].At || a[i].Output != b[i].Output {
			t.Fatalf("request %d: got %v with other prompts, want the arrival and output of %v", i, b[i], a[i])
		}
		if a[i].Prompt != c[i].Prompt || a[i].Output != c[i].Output {
			t.Fatalf("request %d: got %v with other arrivals, want the lengths of %v", i, c[i], a[i])
		}
	}
}

// Seeds that count up must not give traces that resemble each other.
func TestNeighbouringSeedsAreIndependent(t *testing.T) {
	g := generator(trace.Constant(1), 2)
	g.Prompt = trace.Uniform(1, 1000)
	var firsts, prompts, products []float64
	for seed := range uint64(5000) {
		r, err := g.Open(seed)
		if err != nil {
			t.Fatal(err)
		}
		q, _ := r.Next()
		firsts = append(firsts, min(q.At, 2))
		prompts = append(prompts, float64(q.Prompt))
	}
	for _, values := range [][]float64{firsts, prompts} {
		mean, cv, _ := moments(values)
		products = products[:0]
		for i := range values[1:] {
			products = append(products, (values[i]-mean)*(values[i+1]-mean))
		}
		correlation, _, _ := moments(products)
		correlation /= mean * mean * cv * cv
		if math.Abs(correlation) > 4/math.Sqrt(5000) {
			t.Errorf("got a correlation of %.3f between neighbours, want 0 within %.3f", correlation, 4/math.Sqrt(5000))
		}
	}
}
