package promapi

import (
	"errors"
	"math"
	"strconv"
)

// series reads one row.
func (d *decoder) series() Series {
	var seen int
	d.labels, d.points = d.labels[:0], d.points[:0]
	d.open('{', "a row")
	for first := true; ; first = false {
		key, ok := d.key(first)
		if !ok {
			break
		}
		d.seriesField(&seen, key)
	}
	switch {
	case d.err != nil:
		return Series{}
	case seen&fieldMetric == 0:
		d.fail("the row has no metric")
		return Series{}
	case len(d.points) == 0:
		d.fail("the row has no value")
		return Series{}
	}
	s := Series{Labels: d.keepLabels(), Points: d.keepPoints()}
	d.last = s.Labels
	return s
}

func (d *decoder) seriesField(seen *int, key []byte) {
	switch string(key) {
	case "metric":
		d.once(seen, fieldMetric, key)
		d.metric()
	case "value":
		d.once(seen, fieldValue, key)
		if d.kind == rangeResult {
			d.fail("the row has a value, want values")
		}
		d.sample()
	case "values":
		d.once(seen, fieldValue, key)
		if d.kind == instantResult {
			d.fail("the row has values, want a value")
		}
		d.samples()
	case "histogram", "histograms":
		d.fail("the row is a native histogram, want numbers")
	default:
		d.skip(maxDepth)
	}
}

// metric reads the labels of a row.
func (d *decoder) metric() {
	sorted := true
	d.open('{', "metric to be an object")
	for first := true; ; first = false {
		key, ok := d.key(first)
		if !ok {
			break
		}
		// Rows of one answer mostly have the same names in the same order, and many
		// of the same values.
		var before Label
		if n := len(d.labels); n < len(d.last) {
			before = d.last[n]
		}
		l := Label{Name: d.intern(key, before.Name)}
		l.Value = d.intern(d.str("a label value"), before.Value)
		if n := len(d.labels); n > 0 && d.labels[n-1].Name >= l.Name {
			sorted = false
		}
		d.labels = append(d.labels, l)
	}
	if !sorted {
		d.sortLabels()
	}
}

// sortLabels sorts the labels of a row, which most servers have done already,
// and refuses a name that occurs twice.
func (d *decoder) sortLabels() {
	Labels(d.labels).sort()
	for i := 1; i < len(d.labels); i++ {
		if d.labels[i].Name == d.labels[i-1].Name {
			d.fail("label %q occurs twice", d.clip(d.labels[i].Name))
			return
		}
	}
}

// intern returns b as a string that is shared with all equal ones. A guess that
// is right saves the search.
func (d *decoder) intern(b []byte, guess string) string {
	if string(b) == guess {
		return guess
	}
	if s, ok := d.strings[string(b)]; ok {
		return s
	}
	s := string(b)
	d.strings[s] = s
	return s
}

func (d *decoder) samples() {
	d.open('[', "values to be an array")
	for first := true; d.more(first, ']'); first = false {
		d.sample()
		if n := len(d.points); d.err == nil && n > 1 && d.points[n-1].T <= d.points[n-2].T {
			d.fail("times are not in ascending order")
		}
	}
}

// sample reads [time, "value"].
func (d *decoder) sample() {
	d.open('[', "a pair of time and value")
	t := d.time()
	d.open(',', "',' and a value")
	v := d.value()
	d.open(']', "the end of a pair")
	d.points = append(d.points, Point{T: t, V: v})
}

// maxSeconds bounds times to those that are exact in milliseconds as a float:
// the year 280,000.
const maxSeconds = 1 << 43

// time reads seconds since the epoch as milliseconds, rounded to nearest.
func (d *decoder) time() int64 {
	b := d.number("a time")
	if d.err != nil {
		return 0
	}
	if ms, ok := plainMillis(b); ok {
		return ms
	}
	s, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.Abs(s) > maxSeconds {
		d.fail("time %s is out of range", d.clip(string(b)))
		return 0
	}
	return int64(math.Round(s * 1000))
}

// plainMillis reads up to 11 digits and at most three decimals, which is how
// times are written.
func plainMillis(b []byte) (ms int64, ok bool) {
	i := 0
	for ; i < len(b) && isDigit(b[i]); i++ {
		ms = ms*10 + int64(b[i]-'0')
		if i == 11 {
			return 0, false
		}
	}
	if i == 0 {
		return 0, false
	}
	decimals := 0
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && isDigit(b[i]); i++ {
			if decimals++; decimals > 3 {
				return 0, false
			}
			ms = ms*10 + int64(b[i]-'0')
		}
	}
	for ; decimals < 3; decimals++ {
		ms *= 10
	}
	return ms, i == len(b)
}

// value reads a sample value, which the API writes as a string because JSON has
// no NaN and no infinities.
func (d *decoder) value() float64 {
	b := d.str("a value as a string")
	if d.err != nil {
		return 0
	}
	switch string(b) {
	case "NaN":
		return math.NaN()
	case "+Inf", "Inf":
		return math.Inf(1)
	case "-Inf":
		return math.Inf(-1)
	}
	if !decimal(b) {
		d.fail("value %q is not a number", d.clip(string(b)))
		return 0
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		what := "not a number"
		if errors.Is(err, strconv.ErrRange) {
			what = "out of range"
		}
		d.fail("value %q is %s", d.clip(string(b)), what)
		return 0
	}
	return v
}

// decimal keeps out what strconv takes and the API does not write: hexadecimal,
// "infinity", "nan", underscores.
func decimal(b []byte) bool {
	for _, c := range b {
		switch {
		case isDigit(c), c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return false
		}
	}
	return true
}

// keepLabels copies the row's labels into a block that many rows share.
func (d *decoder) keepLabels() Labels {
	d.labelBlock = room(d.labelBlock, len(d.labels))
	start := len(d.labelBlock)
	d.labelBlock = append(d.labelBlock, d.labels...)
	return d.labelBlock[start:len(d.labelBlock):len(d.labelBlock)]
}

// keepPoints copies the row's points into a block that many rows share.
func (d *decoder) keepPoints() []Point {
	d.pointBlock = room(d.pointBlock, len(d.points))
	start := len(d.pointBlock)
	d.pointBlock = append(d.pointBlock, d.points...)
	return d.pointBlock[start:len(d.pointBlock):len(d.pointBlock)]
}

// room returns block, or an empty one when n more elements do not fit. Blocks
// double, so that a small answer costs little and a large one few allocations.
func room[T any](block []T, n int) []T {
	if cap(block)-len(block) >= n {
		return block
	}
	return make([]T, 0, max(n, min(2*cap(block), 1<<13), 16))
}
