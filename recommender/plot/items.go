package plot

import (
	"cmp"
	"math"
	"slices"
)

// Limits of what is drawn. Sums and differences of numbers within them are finite, and so is
// the round number next to such a sum on a logarithmic scale.
const (
	maxY = 1e290
	maxX = 1e11
)

// An item is one drawn value. Both edges are the value unless the kind has two; in a gap
// they are NaN.
type item struct{ x, low, high float64 }

func (i item) gap() bool { return math.IsNaN(i.high) }

func gapAt(x float64) item { return item{x, math.NaN(), math.NaN()} }

func drawable(y float64, log bool) bool {
	// The comparison is false for NaN, too.
	return math.Abs(y) <= maxY && (!log || y >= 1/maxY)
}

func drawableX(x float64) bool { return math.Abs(x) <= maxX }

// items are the points in the order of x. Of gaps that follow each other the first stays.
func items(s *Series, log bool) []item {
	out := make([]item, 0, len(s.Points))
	for i, p := range s.Points {
		if drawableX(p.X) {
			out = append(out, s.item(i, log))
		}
	}
	byX := func(a, b item) int { return cmp.Compare(a.x, b.x) }
	if !slices.IsSortedFunc(out, byX) {
		slices.SortStableFunc(out, byX)
	}
	return joinGaps(out)
}

func (s *Series) item(i int, log bool) item {
	p := s.Points[i]
	low := p.Y
	if s.Kind == Band {
		low = math.NaN()
		if i < len(s.Low) {
			low = s.Low[i]
		}
	}
	if !drawable(p.Y, log) || !drawable(low, log) {
		return gapAt(p.X)
	}
	return item{p.X, min(low, p.Y), max(low, p.Y)}
}

// joinGaps leaves no gap at the start and none behind another.
func joinGaps(in []item) []item {
	out := in[:0]
	for _, it := range in {
		if it.gap() && (len(out) == 0 || out[len(out)-1].gap()) {
			continue
		}
		out = append(out, it)
	}
	return out
}

// runs calls yield with every stretch without a gap, and the x until which the last value
// of the stretch is known.
func runs(all []item, yield func(run []item, until float64)) {
	for start := 0; start < len(all); {
		n := slices.IndexFunc(all[start:], item.gap)
		switch {
		case n < 0:
			yield(all[start:], all[len(all)-1].x)
			return
		case n > 0:
			yield(all[start:start+n], all[start+n].x)
		}
		start += n + 1
	}
}

// stack puts the layers on top of each other, on the x of all of them.
func stack(layers [][]item) {
	grid := gridOf(layers)
	base := make([]float64, len(grid))
	for i, layer := range layers {
		layers[i] = lift(layer, grid, base)
	}
}

func gridOf(layers [][]item) []float64 {
	var grid []float64
	for _, layer := range layers {
		for _, it := range layer {
			grid = append(grid, it.x)
		}
	}
	slices.Sort(grid)
	return slices.Compact(grid)
}

// lift puts one layer on the heights of the layers below it and adds it to them. A height
// becomes NaN where it is unknown.
func lift(layer []item, grid, base []float64) []item {
	var out []item
	next := 0
	for g, x := range grid {
		for next < len(layer) && layer[next].x <= x {
			next++
		}
		if next == 0 {
			continue
		}
		if next == len(layer) && layer[next-1].x < x {
			out = append(out, gapAt(layer[next-1].x)) // the layer has ended
			continue
		}
		below := base[g]
		base[g] += layer[next-1].high
		if math.IsNaN(base[g]) {
			out = append(out, gapAt(x))
			continue
		}
		out = append(out, item{x, below, base[g]})
	}
	return joinGaps(out)
}

// thin leaves at most four items in each of so many equal parts of x: the first, the last,
// the lowest and the highest. A line through them covers what the line through all would,
// and enters and leaves every part where that does. Gaps within one part are lost.
func thin(all []item, x span, parts int) []item {
	if len(all) <= 4 {
		return all
	}
	part := func(it item) int {
		return min(int(x.fraction(it.x)*float64(parts)), parts-1)
	}
	var out []item
	for start := 0; start < len(all); {
		end := start + 1
		for end < len(all) && part(all[end]) == part(all[start]) {
			end++
		}
		out = append(out, thinPart(all[start:end])...)
		start = end
	}
	return out
}

func thinPart(part []item) []item {
	if len(part) <= 4 {
		return part
	}
	lowest, highest := 0, 0
	for i, it := range part {
		// Comparisons with the NaN of a gap are false, hence the other way round.
		if !(part[lowest].low <= it.low) && !it.gap() {
			lowest = i
		}
		if !(part[highest].high >= it.high) && !it.gap() {
			highest = i
		}
	}
	picked := []int{0, lowest, highest, len(part) - 1}
	slices.Sort(picked)
	out := make([]item, 0, 4)
	for _, i := range slices.Compact(picked) {
		out = append(out, part[i])
	}
	return out
}
