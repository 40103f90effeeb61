package trace

import (
	"cmp"
	"fmt"
	"math"
)

// Diurnal swings around mean by up to amplitude once in period seconds. It rises through
// the mean at second phase.
func Diurnal(mean, amplitude, period, phase float64) Rate {
	return diurnal{mean: mean, amplitude: amplitude, period: period, phase: phase}
}

type diurnal struct{ mean, amplitude, period, phase float64 }

func (d diurnal) validate(float64) error {
	err := cmp.Or(
		within("mean", d.mean, 0, maxRate),
		within("period", d.period, 1, maxSeconds),
		within("phase", d.phase, -maxSeconds, maxSeconds),
	)
	if err == nil && !(d.amplitude >= 0 && d.amplitude <= d.mean) { // NaN too
		err = fmt.Errorf("amplitude must be from 0 to the mean %s, got %s", plain(d.mean), plain(d.amplitude))
	}
	return err
}

// angle returns where in the swing a second is.
func (d diurnal) angle(second float64) float64 {
	return 2 * math.Pi * math.Mod(second-d.phase, d.period) / d.period
}

// mass returns how many requests are expected in x seconds from an angle on.
func (d diurnal) mass(angle, x float64) float64 {
	half := math.Pi * x / d.period
	// The difference of two cosines as a product, which is exact where they are alike.
	return d.mean*x + d.amplitude*d.period/math.Pi*math.Sin(angle+half)*math.Sin(half)
}

func (d diurnal) expected(end float64) float64 {
	return d.mass(d.angle(0), end)
}

func (d diurnal) walk(end float64) walker {
	return &diurnalWalker{diurnal: d, end: end}
}

type diurnalWalker struct {
	diurnal

	end, now float64
}

func (w *diurnalWalker) next(n float64) float64 {
	if w.now < w.end {
		// A whole period is always worth the same.
		periods := math.Floor(n / (w.mean * w.period))
		n -= periods * w.mean * w.period
		w.now += periods*w.period + w.until(w.angle(w.now), n)
	}
	if w.now >= w.end {
		w.now = w.end
		return math.Inf(1)
	}
	return w.now
}

// until returns the seconds from an angle on in which n requests are expected, n being less
// than in one period. Newton's steps are halved into the bracket where the rate is so near
// to zero that they leave it.
func (d diurnal) until(angle, n float64) float64 {
	const precise = 1e-12
	lo, hi := 0.0, d.period
	x := min(n/d.mean, hi)
	for range 100 {
		off := d.mass(angle, x) - n
		if off > 0 {
			hi = x
		} else {
			lo = x
		}
		step := off / (d.mean + d.amplitude*math.Sin(angle+2*math.Pi*x/d.period))
		if math.Abs(step) <= precise*(x+1e-3) || hi-lo <= precise*x {
			break
		}
		if x -= step; !(x > lo && x < hi) {
			x = lo + (hi-lo)/2
		}
	}
	return x
}
