package trace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
)

// maxRate is in requests per second.
const maxRate = 1e6

// A Rate is how many requests arrive per second, over time: [Constant], [Steps], [Ramps],
// [Schedule], [Wake] or [Diurnal].
type Rate interface {
	// validate says what is wrong with the rate in a trace of that many seconds.
	validate(end float64) error
	// expected returns how many requests arrive before end on average.
	expected(end float64) float64
	// walk begins at second 0.
	walk(end float64) walker
}

// A walker goes along a rate. That is how arrivals of any pattern are made of equal ones:
// they are drawn as if one were expected a second, and those seconds are stretched.
type walker interface {
	// next goes on until n more requests are expected and returns that second, which
	// is +Inf if the trace ends before.
	next(n float64) float64
}

// A Point is a second of a trace, and the requests per second at it.
type Point struct{ At, Rate float64 }

// A piece is a part of time in which the rate is a straight line.
type piece struct {
	from, to    float64
	first, last float64 // the rate at from and to
}

// rate returns the rate at a second since from.
func (p piece) rate(second float64) float64 {
	return p.first + (p.last-p.first)*(second/(p.to-p.from))
}

// mass returns how many requests are expected from second a to second b, both since from.
func (p piece) mass(a, b float64) float64 {
	return (b - a) * (p.rate(a) + p.rate(b)) / 2
}

// until returns the second since from at which n requests are expected after second a.
func (p piece) until(a, n float64) float64 {
	if n == 0 {
		return a
	}
	// The root of n = r*x + slope*x*x/2 in the form that loses no digits to a small slope.
	r, slope := p.rate(a), (p.last-p.first)/(p.to-p.from)
	return a + 2*n/(r+math.Sqrt(max(0, r*r+2*slope*n)))
}

// A course is a rate made of pieces, one behind the other from second 0. They start over
// each period; the last piece of a course that does not repeat is endless.
type course struct {
	pieces []piece
	period float64 // +Inf for once
	err    error
}

// add appends a piece of any length: one of none has no rate.
func (c *course) add(p piece) {
	if p.to > p.from {
		c.pieces = append(c.pieces, p)
	}
}

// Constant is the same rate all the time.
func Constant(rate float64) Rate {
	return course{
		pieces: []piece{{to: math.Inf(1), first: rate, last: rate}},
		period: math.Inf(1),
		err:    within("rate", rate, 0, maxRate),
	}
}

// Steps keeps the rate of each point until the next. The first is at second 0.
func Steps(points ...Point) Rate {
	c := course{period: math.Inf(1), err: cmp.Or(validPoints(points), onePerSecond(points))}
	for i, p := range points {
		to := math.Inf(1)
		if i+1 < len(points) {
			to = points[i+1].At
		}
		c.add(piece{from: p.At, to: to, first: p.Rate, last: p.Rate})
	}
	return c
}

// Ramps goes in a straight line from point to point. Two points of the same second are a
// jump. The first is at second 0, and the rate of the last stays.
func Ramps(points ...Point) Rate {
	c := course{period: math.Inf(1), err: validPoints(points)}
	for i, p := range points {
		q := Point{At: math.Inf(1), Rate: p.Rate}
		if i+1 < len(points) {
			q = points[i+1]
		}
		c.add(piece{from: p.At, to: q.At, first: p.Rate, last: q.Rate})
	}
	return c
}

func validPoints(points []Point) error {
	if len(points) == 0 {
		return errors.New("must have a rate at second 0, got none")
	}
	if points[0].At != 0 {
		return fmt.Errorf("must have a rate at second 0, got the first at %s", plain(points[0].At))
	}
	last := 0.0
	for _, p := range points {
		if err := within("second", p.At, last, maxSeconds); err != nil {
			return err
		}
		if err := within("rate at second "+plain(p.At), p.Rate, 0, maxRate); err != nil {
			return err
		}
		last = p.At
	}
	return nil
}

func onePerSecond(points []Point) error {
	for i, p := range points[:max(0, len(points)-1)] {
		if points[i+1].At == p.At {
			return fmt.Errorf("must have one rate at second %s, got %s and %s",
				plain(p.At), plain(p.Rate), plain(points[i+1].Rate))
		}
	}
	return nil
}

// A Span is a rate between two seconds of a period.
type Span struct{ From, To, Rate float64 }

// Schedule has the rate idle but for the spans, which come again each period.
func Schedule(idle, period float64, spans ...Span) Rate {
	c := course{period: period, err: cmp.Or(
		within("idle", idle, 0, maxRate), within("period", period, 1, maxSeconds))}
	at := 0.0
	for _, s := range spans {
		c.err = cmp.Or(c.err, validSpan(s, at, period))
		c.add(piece{from: at, to: s.From, first: idle, last: idle})
		c.add(piece{from: s.From, to: s.To, first: s.Rate, last: s.Rate})
		at = s.To
	}
	c.add(piece{from: at, to: period, first: idle, last: idle})
	return c
}

func validSpan(s Span, after, period float64) error {
	name := "span " + plain(s.From) + "-" + plain(s.To)
	if !(s.From >= after && s.From < s.To && s.To <= period) { // NaN too
		return fmt.Errorf("%s must begin at %s or later and end after that, by the period of %s",
			name, plain(after), plain(period))
	}
	return within("rate of "+name, s.Rate, 0, maxRate)
}

// Wake is silence for off seconds, then that rate for on seconds, over and over: what
// scales to zero sleeps in the one and wakes in the other.
func Wake(rate, on, off float64) Rate {
	err := cmp.Or(within("rate", rate, 0, maxRate),
		within("on", on, 1, maxSeconds), within("off", off, 1, maxSeconds))
	return course{
		pieces: []piece{{to: off}, {from: off, to: off + on, first: rate, last: rate}},
		period: off + on,
		err:    err,
	}
}

func (c course) validate(end float64) error {
	if c.err != nil {
		return c.err
	}
	if last := c.pieces[len(c.pieces)-1]; math.IsInf(c.period, 1) && last.from > end {
		return fmt.Errorf("must have no rate behind the end at second %s, got one at %s", plain(end), plain(last.from))
	}
	return nil
}

func (c course) expected(end float64) float64 {
	if math.IsInf(c.period, 1) {
		return c.once(end)
	}
	times := math.Floor(end / c.period)
	return times*c.once(c.period) + c.once(end-times*c.period)
}

// once returns what is expected before that second of one period.
func (c course) once(end float64) float64 {
	sum := 0.0
	for _, p := range c.pieces {
		if end > p.from {
			sum += p.mass(0, min(end, p.to)-p.from)
		}
	}
	return sum
}

func (c course) walk(end float64) walker {
	w := &courseWalker{course: c, end: end, whole: math.Inf(1)}
	if !math.IsInf(c.period, 1) {
		w.whole = c.once(c.period)
	}
	return w
}

type courseWalker struct {
	course

	end float64
	// whole is how many requests a period expects.
	whole float64
	// The walker stands at seconds behind the start of the piece i, in the period that
	// began at second base and is the repeat-th.
	repeat, base, seconds float64
	i                     int
}

func (w *courseWalker) next(n float64) float64 {
	for {
		if w.i == len(w.pieces) {
			skipped := math.Floor(n / w.whole)
			n = max(0, n-skipped*w.whole)
			// Multiplied, not added up, so that no error grows with the repeats.
			w.repeat += 1 + skipped
			w.base, w.i = w.repeat*w.period, 0
		}
		p := w.pieces[w.i]
		if w.base+p.from >= w.end {
			return math.Inf(1)
		}
		length := min(p.to, w.end-w.base) - p.from
		left := p.mass(w.seconds, length)
		if n < left {
			w.seconds = min(p.until(w.seconds, n), length)
			return w.base + p.from + w.seconds
		}
		n -= left
		w.i, w.seconds = w.i+1, 0
	}
}
