package sim

import "math"

// bounds are the upper bounds of the buckets in which vLLM counts the time to the first
// token, in seconds.
var bounds = [...]float64{
	0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75,
	1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560, math.Inf(1),
}

// Eighths of octaves of seconds, from 2^-11 s, which is below all bounds, to 2^13 s, which
// is above. No two bounds are in the same one.
const (
	eighthShift = 52 - 3
	firstEighth = (1023 - 11) << 3
	eighths     = 24 << 3
)

// bucketFrom is the first bucket in which a value of an eighth can be. Otherwise it is in
// the next one.
var bucketFrom = func() (from [eighths]uint8) {
	for i := 1; i < eighths; i++ {
		from[i] = from[i-1]
		for bounds[from[i]] < math.Float64frombits(uint64(i+firstEighth)<<eighthShift) {
			from[i]++
		}
	}
	return from
}()

// A ttftWindow counts times to the first token as an engine does, in buckets.
type ttftWindow struct {
	counts [len(bounds)]float64
}

// add counts one that is not negative.
func (w *ttftWindow) add(seconds float64) {
	eighth := int(math.Float64bits(seconds)>>eighthShift) - firstEighth
	b := int(bucketFrom[min(max(eighth, 0), eighths-1)])
	if seconds > bounds[b] {
		b++
	}
	w.counts[b]++
}

// since returns what was counted after an earlier look.
func (w *ttftWindow) since(earlier *ttftWindow) ttftWindow {
	var d ttftWindow
	for i := range w.counts {
		d.counts[i] = w.counts[i] - earlier.counts[i]
	}
	return d
}

func (w *ttftWindow) total() float64 {
	sum := 0.0
	for _, n := range w.counts {
		sum += n
	}
	return sum
}

// quantile interpolates within a bucket, as histogram_quantile does. Above the highest
// finite bound it is that bound, and without any requests NaN.
func (w *ttftWindow) quantile(q float64) float64 {
	total := w.total()
	if total == 0 {
		return math.NaN()
	}
	rank, seen, low := q*total, 0.0, 0.0
	for i, n := range w.counts {
		if seen+n >= rank && n > 0 {
			if math.IsInf(bounds[i], 1) {
				return low
			}
			return low + (bounds[i]-low)*(rank-seen)/n
		}
		seen += n
		low = bounds[i]
	}
	return low
}

// late returns the fraction above an objective, snapped down to a bound, and that bound.
func (w *ttftWindow) late(objective float64) (fraction, bound float64) {
	late := 0.0
	for i := len(bounds) - 1; i >= 0; i-- {
		if bounds[i] <= objective {
			bound = bounds[i]
			break
		}
		late += w.counts[i]
	}
	return late / w.total(), bound
}
