package sim

import (
	"math"
	"testing"
)

// The words, uniform and normal numbers of CPython 3.11 after random.seed.
func TestMT19937(t *testing.T) {
	for seed, want := range map[uint32][]uint32{
		0:              {3626764237},
		11:             {1942955373, 3718334796, 2404204071},
		math.MaxUint32: {2728839433},
	} {
		m := newMT19937(seed)
		for i, want := range want {
			if got := m.word(); got != want {
				t.Errorf("seed %d, word %d: got %d, want %d", seed, i, got, want)
			}
		}
	}
	m := newMT19937(11)
	for range 2000 { // through three generations of the state
		m.word()
	}
	if got := m.word(); got != 3255733656 {
		t.Errorf("word 2000: got %d, want 3255733656", got)
	}
}

func TestMT19937Uniform(t *testing.T) {
	m := newMT19937(11)
	for i, want := range []float64{0x1.cf3c95eed0a4ap-2, 0x1.1e9a7c76d6d7ep-1, 0x1.d9322131ff7a0p-1} {
		if got := m.uniform(); got != want {
			t.Errorf("number %d: got %v, want %v", i, got, want)
		}
	}
}

func TestMT19937Gauss(t *testing.T) {
	m := newMT19937(11)
	for i, want := range []float64{-1.224072675713965, 0.3775881983015979, 0.9949996276709397, -0.5132099485894354} {
		if got := m.gauss(0, 1); math.Abs(got-want) > 1e-14 {
			t.Errorf("number %d: got %v, want %v", i, got, want)
		}
	}
}

func TestFluidPoissonHasItsMeanAndVariance(t *testing.T) {
	for _, mean := range []float64{0, 0.5, 30, 31, 150} {
		const draws = 20_000
		m, sum, squares := newMT19937(1), 0.0, 0.0
		for range draws {
			n := float64(m.poisson(mean))
			sum, squares = sum+n, squares+n*n
		}
		got := sum / draws
		variance := squares/draws - got*got
		if math.Abs(got-mean) > 5*math.Sqrt(mean/draws) || math.Abs(variance-mean) > 0.05*mean {
			t.Errorf("mean %v: got a mean of %.3f and a variance of %.3f", mean, got, variance)
		}
	}
}
