package plot

import (
	"math"
	"strconv"
)

// Sizes in pixels. The widths are what the paths are drawn in and thinned for; on a page
// they are stretched to the width that is there.
const (
	fullWidth  = 1200.0
	halfWidth  = 600.0
	plotHeight = 180.0
)

// A frame is a panel with everything settled that drawing needs.
type frame struct {
	panel  *Panel
	width  float64
	x      span
	y      scale
	layers []layer
}

// A layer is a series as it is drawn.
type layer struct {
	series *Series
	// class is the colour, and the dashes of colours that return.
	class string
	items []item
}

func (l *layer) legend() string {
	if len(l.items) == 0 {
		return l.series.Name + " (no data)"
	}
	return l.series.Name
}

func (l *layer) legendClass() string {
	if len(l.items) == 0 {
		return "empty"
	}
	return "key"
}

// newFrames settles all panels: their axes first, because they are shared.
func newFrames(panels []Panel) []frame {
	frames := make([]frame, len(panels))
	shared := map[Axis]span{}
	for i := range panels {
		p := &panels[i]
		frames[i] = frame{panel: p, width: fullWidth, layers: newLayers(p)}
		if p.Width == Half {
			frames[i].width = halfWidth
		}
		known, ok := shared[p.Axis]
		if !ok {
			known = nothing
		}
		shared[p.Axis] = known.union(frames[i].rangeOfX())
	}
	for i := range frames {
		f := &frames[i]
		f.x = shared[f.panel.Axis].widened()
		f.y = newScale(f)
		for j := range f.layers {
			l := &f.layers[j]
			l.items = thin(l.items, f.x, int(f.width)/2)
		}
	}
	return frames
}

func newLayers(p *Panel) []layer {
	layers := make([]layer, len(p.Series))
	var stacked [][]item
	turn := 0
	for i := range p.Series {
		s := &p.Series[i]
		layers[i] = layer{series: s, class: s.Role.class(), items: items(s, p.Log)}
		if s.Role == Auto {
			layers[i].class = turnClass(turn)
			turn++
		}
		if s.Kind == StackedStep {
			stacked = append(stacked, layers[i].items)
		}
	}
	stack(stacked)
	for i := range layers {
		if layers[i].series.Kind == StackedStep {
			layers[i].items, stacked = stacked[0], stacked[1:]
		}
	}
	return layers
}

// turnClass is the colour of the n-th series without a role. When the colours are used up
// they return, dashed.
func turnClass(n int) string {
	class := "c" + strconv.Itoa(n%len(turns))
	if n >= len(turns) {
		class += " dashed"
	}
	return class
}

func (f *frame) empty() bool {
	for i := range f.layers {
		if len(f.layers[i].items) > 0 {
			return false
		}
	}
	return true
}

// rangeOfX reaches over points and marks. A time without a value is a time all the same.
func (f *frame) rangeOfX() span {
	x := nothing
	for i := range f.panel.Series {
		for _, p := range f.panel.Series[i].Points {
			if drawableX(p.X) {
				x = x.with(p.X)
			}
		}
	}
	for _, m := range f.panel.Marks {
		if drawableX(m.X) {
			x = x.with(m.X)
		}
	}
	return x
}

// rangeOfY reaches over items and thresholds.
func (f *frame) rangeOfY() span {
	y := nothing
	for i := range f.layers {
		for _, it := range f.layers[i].items {
			if !it.gap() {
				y = y.with(it.high)
			}
			if drawable(it.low, f.panel.Log) {
				y = y.with(it.low)
			}
		}
	}
	for _, t := range f.panel.Thresholds {
		if drawable(t.Y, f.panel.Log) {
			y = y.with(t.Y)
		}
	}
	return y
}

// whole says whether all values are whole numbers, so that halves on the axis mean nothing.
func (f *frame) whole() bool {
	for i := range f.layers {
		for _, it := range f.layers[i].items {
			if !it.gap() && (it.high != math.Trunc(it.high) || it.low != math.Trunc(it.low)) {
				return false
			}
		}
	}
	return true
}
