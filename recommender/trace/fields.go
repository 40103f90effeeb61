package trace

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// usual is what a key is worth where the text leaves it out.
var usual = map[string]string{"period": "1d", "phase": "0", "prompt": "700-1300", "output": "100-300"}

// fields are the keys and values of a text. The methods that read them keep the first error.
type fields struct {
	values map[string]string
	// timed are those whose key is a time, in their order.
	timed []timed
	err   error
}

type timed struct{ key, value string }

func parseFields(k kind, text string) (*fields, error) {
	f := &fields{values: map[string]string{}}
	known := slices.Concat(k.required, k.optional, []string{"end", "prompt", "output"})
	for item := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(item, "=")
		switch {
		case !ok || key == "" || value == "":
			return nil, fmt.Errorf("must be KEY=VALUE, got %q", item)
		case k.timed && strings.ContainsAny(key[:1], "0123456789.+-"):
			f.timed = append(f.timed, timed{key, value})
		case !slices.Contains(known, key):
			return nil, fmt.Errorf("unknown key %q, must be one of %s", key, strings.Join(known, ", "))
		case f.has(key):
			return nil, fmt.Errorf("%s must be there once, got %s and %s", key, f.values[key], value)
		default:
			f.values[key] = value
		}
	}
	for _, key := range append(slices.Clone(k.required), "end") {
		if !f.has(key) {
			return nil, fmt.Errorf("%s is missing", key)
		}
	}
	return f, nil
}

func (f *fields) has(key string) bool {
	_, ok := f.values[key]
	return ok
}

func (f *fields) text(key string) string {
	return cmp.Or(f.values[key], usual[key])
}

// keep keeps an error about a part of the text.
func (f *fields) keep(part string, err error) {
	f.err = cmp.Or(f.err, prefix(part, err))
}

func (f *fields) number(key string) float64 {
	v, err := parseNumber(f.text(key))
	f.keep(key, err)
	return v
}

func (f *fields) time(key string) float64 {
	v, err := parseTime(f.text(key))
	f.keep(key, err)
	return v
}

func (f *fields) points() []Point {
	points := make([]Point, len(f.timed))
	for i, p := range f.timed {
		var err error
		points[i].At, err = parseTime(p.key)
		f.keep(p.key, err)
		points[i].Rate, err = parseNumber(p.value)
		f.keep(p.key, err)
	}
	return points
}

func (f *fields) spans() []Span {
	spans := make([]Span, len(f.timed))
	for i, s := range f.timed {
		from, to, ok := strings.Cut(s.key, "-")
		if !ok {
			f.keep(s.key, fmt.Errorf("must be FROM-TO, got %q", s.key))
		}
		var err error
		spans[i].From, err = parseTime(from)
		f.keep(s.key, err)
		spans[i].To, err = parseTime(to)
		f.keep(s.key, err)
		spans[i].Rate, err = parseNumber(s.value)
		f.keep(s.key, err)
	}
	return spans
}

func (f *fields) lengths(key string) Lengths {
	l, err := parseLengths(f.text(key))
	f.keep(key, err)
	return l
}

// parseNumber reads a number that is not negative.
func parseNumber(text string) (float64, error) {
	v, ok := parseDecimal([]byte(text))
	if !ok {
		return 0, fmt.Errorf("must be a number of 0 or more, got %q", text)
	}
	return v, nil
}

// parseTime reads seconds, or a number with a unit.
func parseTime(text string) (float64, error) {
	number, unit := text, 1.0
	for i, name := range []string{"s", "m", "h", "d"} {
		if before, ok := strings.CutSuffix(text, name); ok {
			number, unit = before, []float64{1, 60, 3600, 24 * 3600}[i]
		}
	}
	v, ok := parseDecimal([]byte(number))
	if !ok || v*unit > maxSeconds {
		return 0, fmt.Errorf("must be seconds, or a number with s, m, h or d, up to ten years, got %q", text)
	}
	return v * unit, nil
}

func parseLengths(text string) (Lengths, error) {
	if rest, ok := strings.CutPrefix(text, "lognormal:"); ok {
		return parseLogNormal(text, strings.Split(rest, ":"))
	}
	first, last, isRange := strings.Cut(text, "-")
	lo, err := strconv.Atoi(first)
	hi := lo
	if err == nil && isRange {
		hi, err = strconv.Atoi(last)
	}
	if err != nil {
		return Lengths{}, fmt.Errorf("must be TOKENS, LO-HI or lognormal:MEAN:CV[:MOST], got %q", text)
	}
	return Uniform(lo, hi), nil
}

func parseLogNormal(text string, parts []string) (Lengths, error) {
	if len(parts) != 2 && len(parts) != 3 {
		return Lengths{}, fmt.Errorf("must be lognormal:MEAN:CV[:MOST], got %q", text)
	}
	mean, err := parseNumber(parts[0])
	if err != nil {
		return Lengths{}, prefix("mean", err)
	}
	cv, err := parseNumber(parts[1])
	if err != nil {
		return Lengths{}, prefix("cv", err)
	}
	l := LogNormal(mean, cv)
	if len(parts) == 3 {
		most, err := strconv.Atoi(parts[2])
		if err != nil {
			return Lengths{}, fmt.Errorf("most: must be a whole number, got %q", parts[2])
		}
		l = l.AtMost(most)
	}
	return l, nil
}
