package plot

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func labels(ticks []tick) string {
	var all []string
	for _, t := range ticks {
		all = append(all, t.label)
	}
	return strings.Join(all, " | ")
}

func frameOf(p Panel) *frame { return &newFrames([]Panel{p})[0] }

func TestTicksOfY(t *testing.T) {
	tests := map[string]struct {
		unit string
		log  bool
		y    []float64
		want string
	}{
		"from zero":              {"", false, []float64{40, 41.2}, "0 | 10 | 20 | 30 | 40 | 50"},
		"thousands":              {"", false, []float64{1600.5}, "0 | 500 | 1k | 1.5k | 2k"},
		"millions":               {"", false, []float64{12e6}, "0 | 5M | 10M | 15M"},
		"whole values":           {"", false, []float64{1, 2}, "0 | 1 | 2"},
		"one":                    {"", false, []float64{1}, "0 | 1"},
		"halves":                 {"", false, []float64{0.5, 2}, "0 | 0.5 | 1 | 1.5 | 2"},
		"only zeros":             {"", false, []float64{0, 0}, "0 | 1"},
		"below zero":             {"", false, []float64{-3.5, 4.5}, "-4 | -2 | 0 | 2 | 4 | 6"},
		"all below zero":         {"", false, []float64{-3, -2}, "-3 | -2 | -1 | 0"},
		"small":                  {"", false, []float64{3e-9}, "0 | 1e-09 | 2e-09 | 3e-09"},
		"huge":                   {"", false, []float64{3e40}, "0 | 1e+28T | 2e+28T | 3e+28T"},
		"milliseconds":           {"s", false, []float64{0.41}, "0 | 100 ms | 200 ms | 300 ms | 400 ms | 500 ms"},
		"around a second":        {"s", false, []float64{2.1}, "0 | 500 ms | 1 s | 1.5 s | 2 s | 2.5 s"},
		"seconds":                {"s", false, []float64{91}, "0 | 20 s | 40 s | 60 s | 80 s | 100 s"},
		"minutes":                {"s", false, []float64{290}, "0 | 1 min | 2 min | 3 min | 4 min | 5 min"},
		"half minutes":           {"s", false, []float64{150}, "0 | 30 s | 1 min | 1.5 min | 2 min | 2.5 min"},
		"hours":                  {"s", false, []float64{3 * 3600}, "0 | 1 h | 2 h | 3 h"},
		"days":                   {"s", false, []float64{20 * 86400}, "0 | 5 d | 10 d | 15 d | 20 d"},
		"microseconds":           {"s", false, []float64{4e-5}, "0 | 10 µs | 20 µs | 30 µs | 40 µs | 50 µs"},
		"percent":                {"%", false, []float64{99}, "0 | 20% | 40% | 60% | 80% | 100%"},
		"a ratio":                {"ratio", false, []float64{1}, "0 | 20% | 40% | 60% | 80% | 100%"},
		"a small ratio":          {"ratio", false, []float64{0.012}, "0 | 0.5% | 1% | 1.5%"},
		"bytes":                  {"bytes", false, []float64{5 << 30}, "0 | 1 GiB | 2 GiB | 3 GiB | 4 GiB | 5 GiB"},
		"few bytes":              {"bytes", false, []float64{700}, "0 | 256 B | 512 B | 768 B"},
		"logarithm, one decade":  {"", true, []float64{1.5, 9}, "1 | 2 | 5 | 10"},
		"logarithm, two decades": {"s", true, []float64{0.1, 9}, "100 ms | 200 ms | 500 ms | 1 s | 2 s | 5 s | 10 s"},
		"logarithm, three":       {"s", true, []float64{0.1, 90}, "100 ms | 300 ms | 1 s | 3 s | 10 s | 30 s | 100 s"},
		"logarithm, five":        {"s", true, []float64{0.02, 900}, "10 ms | 100 ms | 1 s | 10 s | 100 s | 1000 s"},
		"logarithm, one value":   {"", true, []float64{10}, "10 | 20"},
		"logarithm of bytes":     {"bytes", true, []float64{3 << 20, 5 << 30}, "1 MiB | 32 MiB | 1 GiB | 32 GiB"},
		"logarithm of counts":    {"", true, []float64{3, 20_000}, "1 | 10 | 100 | 1k | 10k | 100k"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := Series{}
			for i, y := range tt.y {
				s.Points = append(s.Points, Point{float64(i), y})
			}
			f := frameOf(Panel{Unit: tt.unit, Log: tt.log, Series: []Series{s}})
			if got := labels(f.y.ticks); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTicksOfX(t *testing.T) {
	const noon = 1767268800 // 1 January 2026, 12:00 UTC
	tests := map[string]struct {
		axis Axis
		x    span
		want string
	}{
		"a second":          {Elapsed, span{0, 1}, "0:00.0 | 0:00.2 | 0:00.4 | 0:00.6 | 0:00.8 | 0:01.0"},
		"half a minute":     {Elapsed, span{0, 30}, "0:00 | 0:05 | 0:10 | 0:15 | 0:20 | 0:25 | 0:30"},
		"25 minutes":        {Elapsed, span{0, 1500}, "0:00 | 5:00 | 10:00 | 15:00 | 20:00 | 25:00"},
		"three hours":       {Elapsed, span{0, 10800}, "0:00 | 30:00 | 1:00:00 | 1:30:00 | 2:00:00 | 2:30:00 | 3:00:00"},
		"not from zero":     {Elapsed, span{3, 62}, "0:10 | 0:20 | 0:30 | 0:40 | 0:50 | 1:00"},
		"before the start":  {Elapsed, span{-70, 60}, "-1:00 | -0:30 | 0:00 | 0:30 | 1:00"},
		"two days":          {Elapsed, span{0, 2 * 86400}, "0:00 | 6:00:00 | 12:00:00 | 18:00:00 | 1d 0:00:00 | 1d 6:00:00 | 1d 12:00:00 | 1d 18:00:00 | 2d 0:00:00"},
		"a fortnight":       {Elapsed, span{0, 14 * 86400}, "0:00 | 2d | 4d | 6d | 8d | 10d | 12d | 14d"},
		"a year":            {Elapsed, span{0, 365 * 86400}, "0:00 | 50d | 100d | 150d | 200d | 250d | 300d | 350d"},
		"an hour from noon": {Unix, span{noon, noon + 3600}, "12:00 | 12:10 | 12:20 | 12:30 | 12:40 | 12:50 | 13:00"},
		"over midnight":     {Unix, span{noon, noon + 86400}, "12:00 | 15:00 | 18:00 | 21:00 | 2 Jan | 03:00 | 06:00 | 09:00 | 12:00"},
		"a minute at noon":  {Unix, span{noon, noon + 60}, "12:00:00 | 12:00:10 | 12:00:20 | 12:00:30 | 12:00:40 | 12:00:50 | 12:01:00"},
		"a second at noon":  {Unix, span{noon, noon + 1}, "12:00:00.000 | 12:00:00.200 | 12:00:00.400 | 12:00:00.600 | 12:00:00.800 | 12:00:01.000"},
		"a week of days":    {Unix, span{noon, noon + 6*86400}, "2 Jan | 3 Jan | 4 Jan | 5 Jan | 6 Jan | 7 Jan"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := labels(timeTicks(tt.x, tt.axis, 8)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestTicksAreFewAndTellApart(t *testing.T) {
	for _, unit := range []string{"", "s", "bytes", "%", "ratio", "requests/s"} {
		for exponent := -12.0; exponent < 15; exponent += 0.037 {
			for _, log := range []bool{false, true} {
				top := math.Pow(10, exponent)
				f := frameOf(Panel{Unit: unit, Log: log, Series: []Series{{Points: []Point{{0, top}, {1, top / 7}}}}})
				checkTicks(t, unit, top, f.y)
			}
		}
	}
}

func checkTicks(t *testing.T, unit string, top float64, y scale) {
	t.Helper()
	if n := len(y.ticks); n < 2 || n > 8 {
		t.Errorf("%g %s: got %d ticks, want 2 to 8: %s", top, unit, n, labels(y.ticks))
	}
	seen := map[string]bool{}
	for _, k := range y.ticks {
		if seen[k.label] || len([]rune(k.label)) > 9 {
			t.Fatalf("%g %s: got the label %q twice or too long: %s", top, unit, k.label, labels(y.ticks))
		}
		seen[k.label] = true
	}
	if level := y.level(top); level < -1e-6 || level > plotHeight {
		t.Errorf("%g %s: got it drawn at %g, want it within the plot", top, unit, level)
	}
}

func TestPanelsShareTheAxisOfTheirKind(t *testing.T) {
	at := func(axis Axis, xs ...float64) Panel {
		s := Series{}
		for _, x := range xs {
			s.Points = append(s.Points, Point{x, 1})
		}
		return Panel{Axis: axis, Series: []Series{s}}
	}
	unknown := at(Elapsed, 900)
	unknown.Series[0].Points[0].Y = math.NaN()
	frames := newFrames([]Panel{at(Elapsed, 10, 50), at(Unix, 1e9, 1e9+60), at(Elapsed, 0, 20), {Marks: []Mark{{X: 70}}}, unknown})
	for i, want := range []span{{0, 900}, {1e9, 1e9 + 60}, {0, 900}, {0, 900}, {0, 900}} {
		if frames[i].x != want {
			t.Errorf("panel %d: got %v, want %v", i, frames[i].x, want)
		}
	}
}

func TestContrast(t *testing.T) {
	text := map[string]float64{"strong": 7, "dim": 4.5}
	decoration := []string{"grid", "axis", "ground", "page"}
	for _, c := range slices.Concat(lines, roles, turns) {
		if slices.Contains(decoration, c.class) {
			continue
		}
		want := max(3, text[c.class])
		if got := contrast(t, c.light, lightGround); got < want {
			t.Errorf("%s on light: got %.2f, want %g", c.class, got, want)
		}
		if got := contrast(t, c.dark, darkGround); got < want {
			t.Errorf("%s on dark: got %.2f, want %g", c.class, got, want)
		}
	}
}

// contrast is that of WCAG 2.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a)+0.05, luminance(t, b)+0.05
	return max(x, y) / min(x, y)
}
