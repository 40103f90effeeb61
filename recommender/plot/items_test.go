package plot

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

var unknown = math.NaN()

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		v := float64(n) / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += weight * v
	}
	return sum
}

func show(all []item) string {
	var out []string
	for _, it := range all {
		out = append(out, fmt.Sprintf("%g:%g-%g", it.x, it.low, it.high))
	}
	return strings.Join(out, " ")
}

func TestItems(t *testing.T) {
	inf := math.Inf(1)
	tests := map[string]struct {
		series Series
		log    bool
		want   string
	}{
		"in the order of x":               {Series{Points: []Point{{2, 5}, {1, 4}}}, false, "1:4-4 2:5-5"},
		"equal x keep their order":        {Series{Points: []Point{{2, 5}, {1, 4}, {1, 3}}}, false, "1:4-4 1:3-3 2:5-5"},
		"zero is a value":                 {Series{Points: []Point{{1, 0}}}, false, "1:0-0"},
		"gaps are joined":                 {Series{Points: []Point{{1, 4}, {2, unknown}, {3, inf}, {4, 5}}}, false, "1:4-4 2:NaN-NaN 4:5-5"},
		"a gap at the start is nothing":   {Series{Points: []Point{{1, unknown}, {2, 4}}}, false, "2:4-4"},
		"a gap at the end ends the value": {Series{Points: []Point{{1, 4}, {2, -inf}, {3, unknown}}}, false, "1:4-4 2:NaN-NaN"},
		"no finite x":                     {Series{Points: []Point{{unknown, 4}, {inf, 4}, {2e11, 4}, {1, 3}}}, false, "1:3-3"},
		"beyond drawing":                  {Series{Points: []Point{{1, 4}, {2, 2e290}}}, false, "1:4-4 2:NaN-NaN"},
		"no logarithm":                    {Series{Points: []Point{{1, 4}, {2, 0}, {3, 5}, {4, -1}}}, true, "1:4-4 2:NaN-NaN 3:5-5 4:NaN-NaN"},
		"a band":                          {Series{Kind: Band, Points: []Point{{1, 4}, {2, 5}}, Low: []float64{1, 6}}, false, "1:1-4 2:5-6"},
		"a band with a missing edge":      {Series{Kind: Band, Points: []Point{{1, 4}, {2, 5}}, Low: []float64{1}}, false, "1:1-4 2:NaN-NaN"},
		"nothing known":                   {Series{Points: []Point{{1, unknown}}}, false, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := show(items(&tt.series, tt.log)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestStack(t *testing.T) {
	tests := map[string]struct {
		layers [][]Point
		want   []string
	}{
		"heights add up": {
			[][]Point{{{0, 1}, {10, 2}}, {{0, 3}, {10, 3}}},
			[]string{"0:0-1 10:0-2", "0:1-4 10:2-5"},
		},
		"a value holds where the other changes": {
			[][]Point{{{0, 1}, {10, 1}}, {{0, 3}, {5, 4}, {10, 4}}},
			[]string{"0:0-1 5:0-1 10:0-1", "0:1-4 5:1-5 10:1-5"},
		},
		"not begun and ended is not there": {
			[][]Point{{{4, 1}, {6, 1}}, {{0, 3}, {10, 3}}},
			[]string{"4:0-1 6:0-1 6:NaN-NaN", "0:0-3 4:1-4 6:1-4 10:0-3"},
		},
		"unknown is not zero": {
			[][]Point{{{0, 1}, {5, unknown}, {10, 1}}, {{0, 3}, {10, 3}}},
			[]string{"0:0-1 5:NaN-NaN 10:0-1", "0:1-4 5:NaN-NaN 10:1-4"},
		},
		"what is below the unknown is known": {
			[][]Point{{{0, 3}, {10, 3}}, {{0, 1}, {5, unknown}, {10, 1}}},
			[]string{"0:0-3 5:0-3 10:0-3", "0:3-4 5:NaN-NaN 10:3-4"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var layers [][]item
			for _, points := range tt.layers {
				layers = append(layers, items(&Series{Points: points}, false))
			}
			stack(layers)
			for i, want := range tt.want {
				if got := show(layers[i]); got != want {
					t.Errorf("layer %d: got %s, want %s", i, got, want)
				}
			}
		})
	}
}

func TestPaths(t *testing.T) {
	points := []Point{{0, 10}, {2, 10}, {4, 5}, {6, unknown}, {8, 10}, {9, unknown}, {10, 0}}
	tests := map[Kind]string{
		Line: "M0 0L240 0L480 90M960 0M1200 180",
		// A value holds until the gap, and is not drawn again where it does not change.
		Step: "M0 0H480V90H720M960 0H1080M1200 180H1200",
		// Every stretch reaches down to zero by itself.
		Area:        "M0 180L0 0L240 0L480 90V180ZM960 180L960 0V180ZM1200 180L1200 180V180Z",
		StackedStep: "M0 0H480V90H720V180H0ZM960 0H1080V180H960ZM1200 180H1200V180H1200Z",
		Points:      "M0 0H0M240 0H240M480 90H480M960 0H960M1200 180H1200",
	}
	for kind, want := range tests {
		s := Series{Kind: kind, Points: points}
		f := frameOf(Panel{Series: []Series{s}})
		draw := map[Kind]func([]item) string{
			Line: f.linePath, Step: f.stepPath, Area: f.areaPath, StackedStep: f.stepBandPath, Points: f.pointsPath,
		}[kind]
		if got := draw(f.layers[0].items); got != want {
			t.Errorf("kind %d: got  %s\nwant %s", kind, got, want)
		}
		// What stands alone is a dot, that no line would show.
		if got, want := f.dotsPath(f.layers[0].items), "M960 0H960M1200 180H1200"; kind == Line && got != want {
			t.Errorf("dots: got %s, want %s", got, want)
		}
	}
}

func TestThinKeepsWhatIsSeen(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(5000)
		x := span{0, 1000}
		var s Series
		at := 0.0
		for range n {
			at = min(at+r.ExpFloat64()*1000/float64(n), 1000)
			y := r.NormFloat64()
			if r.Float64() < 0.02 {
				y = unknown
			}
			s.Points = append(s.Points, Point{at, y})
		}
		all := items(&s, false)
		const parts = 60
		got := thin(all, x, parts)
		before, after := inParts(all, x, parts), inParts(got, x, parts)
		for part := range parts {
			checkPart(t, before[part], after[part])
		}
	}
}

func inParts(all []item, x span, parts int) [][]item {
	out := make([][]item, parts)
	for _, it := range all {
		part := min(int(x.fraction(it.x)*float64(parts)), parts-1)
		out[part] = append(out[part], it)
	}
	return out
}

func checkPart(t *testing.T, before, after []item) {
	t.Helper()
	if len(before) <= 4 && show(before) != show(after) {
		t.Errorf("got %s of %s, want all", show(after), show(before))
	}
	if len(before) == 0 {
		return
	}
	if len(after) == 0 || len(after) > 4 {
		t.Errorf("got %d of %d items, want 1 to 4", len(after), len(before))
		return
	}
	ends := func(all []item) string { return show(all[:1]) + " " + show(all[len(all)-1:]) }
	if ends(before) != ends(after) {
		t.Errorf("got the ends %s, want %s", ends(after), ends(before))
	}
	if extremes(before) != extremes(after) {
		t.Errorf("got extremes %v, want %v", extremes(after), extremes(before))
	}
}

func extremes(all []item) span {
	s := nothing
	for _, it := range all {
		if !it.gap() {
			s = s.with(it.low).with(it.high)
		}
	}
	return s
}

func TestOnePeakAmongManySurvives(t *testing.T) {
	s := Series{Name: "s"}
	for i := range 100_000 {
		s.Points = append(s.Points, Point{float64(i), 1})
	}
	s.Points[31_415].Y = 99
	f := frameOf(Panel{Series: []Series{s}})
	if got := extremes(f.layers[0].items); got != (span{1, 99}) {
		t.Errorf("got extremes %v, want 1 and 99", got)
	}
	if n := len(f.layers[0].items); n > 2*fullWidth {
		t.Errorf("got %d items, want at most two a pixel", n)
	}
}
