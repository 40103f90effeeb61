package plot

import (
	"math"
	"slices"
)

// A span is a range of numbers, both ends included.
type span struct{ from, to float64 }

// nothing is the span that holds no number.
var nothing = span{math.Inf(1), math.Inf(-1)}

func (s span) with(v float64) span { return span{min(s.from, v), max(s.to, v)} }

func (s span) union(o span) span { return span{min(s.from, o.from), max(s.to, o.to)} }

func (s span) length() float64 { return s.to - s.from }

func (s span) fraction(v float64) float64 { return (v - s.from) / s.length() }

// widened is a span that has a length. The span of nothing becomes the first second.
func (s span) widened() span {
	if s.from > s.to {
		return span{0, 1}
	}
	if s.length() < max(1e-6, math.Abs(s.to)*1e-12) {
		return span{s.from - 0.5, s.to + 0.5}
	}
	return s
}

// A tick is a place on an axis with its label.
type tick struct {
	at    float64
	label string
}

// A scale is the axis of y: what it spans, after the logarithm if it has one, and its ticks.
type scale struct {
	span
	log   bool
	ticks []tick
}

// level is how far down the plot v is.
func (s *scale) level(v float64) float64 {
	if s.log {
		if v <= 0 {
			return plotHeight // the ground that a stack stands on
		}
		v = math.Log10(v)
	}
	return (1 - s.fraction(v)) * plotHeight
}

// base is how far down the plot areas begin: at zero, or at the edge of a logarithmic scale.
func (s *scale) base() float64 {
	if s.log {
		return plotHeight
	}
	return s.level(0)
}

func newScale(f *frame) scale {
	y := f.rangeOfY()
	if y == nothing {
		return scale{span: span{0, 1}}
	}
	if f.panel.Log {
		return newLogScale(y, f.panel.Unit)
	}
	y = y.with(0)
	if y.length() < 1/maxY {
		y.to = 1
	}
	step := niceStep(y.length()/5, f.panel.Unit)
	if f.whole() && f.panel.Unit != "s" && f.panel.Unit != ratioUnit {
		step = max(step, 1)
	}
	y.from, y.to = step*math.Floor(y.from/step), step*math.Ceil(y.to/step)
	return scale{span: y, ticks: multiples(y, step, func(v float64) string {
		return formatTick(v, step, f.panel.Unit)
	})}
}

// multiples are the multiples of step within s.
func multiples(s span, step float64, label func(float64) string) []tick {
	const enough = 100
	var ticks []tick
	first := math.Ceil(s.from / step)
	for i := range enough {
		at := (first + float64(i)) * step
		if at > s.to+step*1e-6 {
			break
		}
		ticks = append(ticks, tick{at, label(at)})
	}
	return ticks
}

// Steps in seconds from half a minute to a day.
var timeSteps = []float64{30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400}

// niceStep is the smallest round step that is at least so long.
func niceStep(atLeast float64, unit string) float64 {
	switch {
	case unit == "s" && atLeast > 20:
		if i := slices.IndexFunc(timeSteps, func(s float64) bool { return s >= atLeast }); i >= 0 {
			return timeSteps[i]
		}
		return 86400 * decimalStep(atLeast/86400)
	case unit == "bytes" && atLeast > 1:
		return math.Exp2(math.Ceil(math.Log2(atLeast)))
	default:
		return decimalStep(atLeast)
	}
}

// decimalStep is one, two or five times a power of ten.
func decimalStep(atLeast float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(atLeast)))
	for _, factor := range []float64{1, 2, 5} {
		// The quotient of a step by its power may come out a little above its factor.
		if factor*power >= atLeast*(1-1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// A rounding picks the round numbers of a logarithmic scale: the factors times every n-th
// power of the base.
type rounding struct {
	base    float64
	factors []float64
	every   int
}

var (
	decimalRoundings = []rounding{
		{10, []float64{1, 2, 5}, 1},
		{10, []float64{1, 3}, 1},
		{10, []float64{1}, 1},
		{10, []float64{1}, 2},
		{10, []float64{1}, 5},
		{10, []float64{1}, 20},
		{10, []float64{1}, 100},
	}
	binaryRoundings = []rounding{
		{2, []float64{1}, 1},
		{2, []float64{1}, 2},
		{2, []float64{1}, 5},
		{2, []float64{1}, 10},
		{2, []float64{1}, 50},
		{2, []float64{1}, 250},
	}
)

// newLogScale spans y widened to round numbers, as many as have room.
func newLogScale(y span, unit string) scale {
	const most = 7
	roundings := decimalRoundings
	if unit == "bytes" && y.from >= 1 {
		roundings = binaryRoundings
	}
	var at []float64
	for _, r := range roundings {
		if at = r.around(y); len(at) <= most {
			break
		}
	}
	s := scale{span: span{math.Log10(at[0]), math.Log10(at[len(at)-1])}, log: true}
	for _, v := range at {
		step := v
		if unit == "s" {
			step = min(v, 20) // a thousand seconds are a round number here, 16.67 minutes are not
		}
		s.ticks = append(s.ticks, tick{v, formatTick(v, step, unit)})
	}
	return s
}

// around are the round numbers from the last at or below y to the first at or above it, at
// least two.
func (r rounding) around(y span) []float64 {
	const tolerance = 1e-9
	first := math.Log10(y.from) / math.Log10(r.base) / float64(r.every)
	var at []float64
	for power := int(math.Floor(first+tolerance)) * r.every; ; power += r.every {
		for _, factor := range r.factors {
			v := factor * math.Pow(r.base, float64(power))
			switch {
			case v <= y.from*(1+tolerance):
				at = append(at[:0], v)
			case len(at) >= 2 && at[len(at)-1] >= y.to*(1-tolerance):
				return at
			default:
				at = append(at, v)
			}
		}
	}
}
