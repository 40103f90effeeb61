package sim

import (
	"math"
	"slices"
)

// exactly is how many values a distribution keeps before it only counts them.
const exactly = 1 << 17

// A distribution gives quantiles of values that are not negative. Up to exactly values
// they are exact; beyond, they are right to one part in 131,072, and its size no longer
// depends on how many values there are.
type distribution struct {
	count int
	// coarse counts all values by page.
	coarse [pages]uint32
	// values are kept until there are too many. Then they are counted in pages, which are
	// nil before they are needed.
	values  []float64
	counted bool
	pages   [pages]*page
	// chosen is memory to find a quantile in.
	chosen []float64
}

// A page counts values whose floating point numbers begin alike.
type page [1 << pageBits]uint32

// A place is the exponent and the first bits of the mantissa of a float64, counted from
// that of 2^-30 s. Its lowest bits choose a place in a page.
const (
	mantissaBits = 16
	pageBits     = 8
	placeShift   = 52 - mantissaBits
	firstPlace   = (1023 - 30) << mantissaBits
	lastPlace    = 61<<mantissaBits - 1
	pages        = (lastPlace + 1) >> pageBits
)

// placeOf returns the place of a value.
func placeOf(v float64) int {
	return min(max(int(math.Float64bits(max(v, 0))>>placeShift)-firstPlace, 0), lastPlace)
}

// add notes a value.
func (d *distribution) add(v float64) {
	d.count++
	place := placeOf(v)
	d.coarse[place>>pageBits]++
	switch {
	case d.counted:
		d.tally(place)
	case len(d.values) < exactly:
		d.values = append(d.values, v)
	default:
		d.counted = true
		d.tally(place)
		for _, kept := range d.values {
			d.tally(placeOf(kept))
		}
	}
}

func (d *distribution) tally(place int) {
	p := &d.pages[place>>pageBits]
	if *p == nil {
		*p = new(page)
	}
	(*p)[place&(1<<pageBits-1)]++
}

// quantile returns the value that a fraction q of all values does not exceed, by the
// nearest rank, or NaN if there are none.
func (d *distribution) quantile(q float64) float64 {
	if d.count == 0 {
		return math.NaN()
	}
	rank := min(max(int(math.Ceil(q*float64(d.count))), 1), d.count)
	number := 0
	for rank > int(d.coarse[number]) {
		rank -= int(d.coarse[number])
		number++
	}
	if !d.counted {
		return d.kept(number, rank)
	}
	place := 0
	for rank > int(d.pages[number][place]) {
		rank -= int(d.pages[number][place])
		place++
	}
	return middle(number<<pageBits | place)
}

// kept returns the value of a rank among the values of a page.
func (d *distribution) kept(number, rank int) float64 {
	low, high := edge(number), edge(number+1)
	d.chosen = d.chosen[:0]
	for _, v := range d.values {
		if v >= low && v < high {
			d.chosen = append(d.chosen, v)
		}
	}
	slices.Sort(d.chosen)
	return d.chosen[rank-1]
}

// edge returns the lowest value of a page. The first and the last one hold what is beyond.
func edge(number int) float64 {
	switch number {
	case 0:
		return math.Inf(-1)
	case pages:
		return math.Inf(1)
	}
	return math.Float64frombits(uint64(number<<pageBits+firstPlace) << placeShift)
}

// middle returns the value in the middle of a place.
func middle(place int) float64 {
	return math.Float64frombits(uint64(place+firstPlace)<<placeShift | 1<<(placeShift-1))
}

// reset forgets all values and keeps their memory.
func (d *distribution) reset() {
	for _, p := range d.pages {
		if p != nil && d.counted {
			*p = page{}
		}
	}
	d.count, d.counted, d.coarse = 0, false, [pages]uint32{}
	d.values = d.values[:0]
}

// A histogram counts seconds with weights, in buckets that are 1.6 % wide.
type histogram struct {
	weight [buckets]float64
	total  float64
}

// A bucket has the exponent and the first six bits of the mantissa of its values,
// from 2^-14 s (61 us) to 2^10 s.
const (
	bucketShift = 52 - 6
	firstBucket = (1023 - 14) << 6
	buckets     = 24 << 6
)

// add notes a value that stands for weight ones.
func (h *histogram) add(seconds, weight float64) {
	if !(weight > 0) {
		return
	}
	b := int(math.Float64bits(seconds)>>bucketShift) - firstBucket
	h.weight[min(max(b, 0), buckets-1)] += weight
	h.total += weight
}

// quantile returns the middle of the bucket in which the q-th quantile is, or NaN.
func (h *histogram) quantile(q float64) float64 {
	seen, last := 0.0, -1
	for b, weight := range h.weight {
		if weight == 0 {
			continue
		}
		last = b
		if seen += weight; seen >= q*h.total {
			break
		}
	}
	// Summed in another order, the weights may stay a little below their total.
	if last < 0 {
		return math.NaN()
	}
	return math.Float64frombits(uint64(last+firstBucket)<<bucketShift | 1<<(bucketShift-1))
}
