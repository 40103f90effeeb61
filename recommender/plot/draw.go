package plot

import "slices"

// drawPlot draws the plot itself into an SVG viewport that is exactly the plot; labels of
// the axes and marks stand around it. What is text or a rule is placed in percent of the
// width. Series have coordinates of their own, which stretch.
func drawPlot(m *markup, f *frame) {
	ticks := timeTicks(f.x, f.panel.Axis, f.width/150)
	drawGrid(m, f, ticks)
	m.open("svg", "class", "series", "width", "100%", "height", coordinate(plotHeight), "overflow", "visible",
		"viewBox", "0 0 "+coordinate(f.width)+" "+coordinate(plotHeight), "preserveAspectRatio", "none")
	for i := range f.layers {
		drawLayer(m, f, &f.layers[i])
	}
	m.close("svg")
	if f.empty() {
		m.element("text", "no data", "class", "dim middle", "x", "50%", "y", coordinate(plotHeight/2))
	}
	// What the pointer meets between the lines.
	m.leaf("rect", "width", "100%", "height", coordinate(plotHeight), "fill", "none", "pointer-events", "all")
	drawMarks(m, f)
	drawThresholds(m, f)
}

func drawGrid(m *markup, f *frame, ticks []tick) {
	bottom := coordinate(plotHeight)
	m.open("g", "class", "grid")
	for _, t := range f.y.ticks {
		y := coordinate(f.y.level(t.at))
		m.leaf("line", "class", "rule", "x2", "100%", "y1", y, "y2", y)
	}
	for _, t := range ticks {
		x := percent(f.x.fraction(t.at))
		m.leaf("line", "class", "rule", "x1", x, "x2", x, "y2", bottom)
	}
	m.close("g")
	base := coordinate(f.y.base())
	m.open("g", "class", "axis")
	m.leaf("line", "class", "rule", "x2", "100%", "y1", base, "y2", base)
	m.close("g")
	m.open("g", "class", "dim")
	for _, t := range f.y.ticks {
		m.element("text", t.label, "class", "end", "x", "-8", "y", coordinate(f.y.level(t.at)+4))
	}
	for _, t := range ticks {
		m.element("text", t.label, "class", "middle", "x", percent(f.x.fraction(t.at)), "y", coordinate(plotHeight+16))
	}
	m.close("g")
}

func drawLayer(m *markup, f *frame, l *layer) {
	if len(l.items) == 0 {
		return
	}
	m.open("g", "class", l.class)
	switch l.series.Kind {
	case Line:
		m.shape("line", f.linePath(l.items))
		m.shape("dots", f.dotsPath(l.items))
	case Step:
		m.shape("line", f.stepPath(l.items))
	case Area:
		m.shape("fill", f.areaPath(l.items))
		m.shape("line", f.linePath(l.items))
		m.shape("dots", f.dotsPath(l.items))
	case StackedStep:
		m.shape("solid", f.stepBandPath(l.items))
	case Points:
		m.shape("points", f.pointsPath(l.items))
	case Band:
		m.shape("fill", f.bandPath(l.items))
	}
	m.close("g")
}

func (f *frame) across(x float64) float64 { return f.x.fraction(x) * f.width }

// linePath joins the values of each run.
func (f *frame) linePath(all []item) string {
	var p path
	runs(all, func(run []item, _ float64) {
		p.move(f.across(run[0].x), f.y.level(run[0].high))
		for _, it := range run[1:] {
			p.line(f.across(it.x), f.y.level(it.high))
		}
	})
	return p.String()
}

// dotsPath has the values that no line can show, because they stand alone.
func (f *frame) dotsPath(all []item) string {
	var p path
	runs(all, func(run []item, _ float64) {
		if len(run) == 1 {
			f.dot(&p, run[0])
		}
	})
	return p.String()
}

// dot is a line without a length: its cap is round however the path is stretched.
func (f *frame) dot(p *path, it item) {
	p.move(f.across(it.x), f.y.level(it.high))
	p.horizontal(f.across(it.x))
}

func (f *frame) stepPath(all []item) string {
	var p path
	runs(all, func(run []item, until float64) {
		p.move(f.across(run[0].x), f.y.level(run[0].high))
		f.stepOver(&p, run)
		p.horizontal(f.across(until))
	})
	return p.String()
}

// stepOver goes from the first item of a run to the last one; stretches without a change
// are one line.
func (f *frame) stepOver(p *path, run []item) {
	for i := 1; i < len(run); i++ {
		if run[i].high != run[i-1].high {
			p.horizontal(f.across(run[i].x))
			p.vertical(f.y.level(run[i].high))
		}
	}
}

func (f *frame) areaPath(all []item) string {
	var p path
	runs(all, func(run []item, _ float64) {
		p.move(f.across(run[0].x), f.y.base())
		for _, it := range run {
			p.line(f.across(it.x), f.y.level(it.high))
		}
		p.vertical(f.y.base())
		p.end()
	})
	return p.String()
}

func (f *frame) bandPath(all []item) string {
	var p path
	runs(all, func(run []item, _ float64) {
		p.move(f.across(run[0].x), f.y.level(run[0].high))
		for _, it := range run[1:] {
			p.line(f.across(it.x), f.y.level(it.high))
		}
		for _, it := range slices.Backward(run) {
			p.line(f.across(it.x), f.y.level(it.low))
		}
		p.end()
	})
	return p.String()
}

// stepBandPath goes along the top of each run and comes back along its bottom.
func (f *frame) stepBandPath(all []item) string {
	var p path
	runs(all, func(run []item, until float64) {
		p.move(f.across(run[0].x), f.y.level(run[0].high))
		f.stepOver(&p, run)
		last := len(run) - 1
		p.horizontal(f.across(until))
		p.vertical(f.y.level(run[last].low))
		for i := last; i > 0; i-- {
			if run[i].low != run[i-1].low {
				p.horizontal(f.across(run[i].x))
				p.vertical(f.y.level(run[i-1].low))
			}
		}
		p.horizontal(f.across(run[0].x))
		p.end()
	})
	return p.String()
}

func (f *frame) pointsPath(all []item) string {
	var p path
	for _, it := range all {
		if !it.gap() {
			f.dot(&p, it)
		}
	}
	return p.String()
}

// drawKey draws how the layer looks into the 18 by 10 pixels of a legend.
func drawKey(m *markup, l *layer) {
	m.open("g", "class", l.class)
	switch l.series.Kind {
	case Line:
		m.shape("line", "M1 5H17")
	case Step:
		m.shape("line", "M1 8H9V2H17")
	case Area:
		m.shape("fill", "M1 10V4H17V10Z")
		m.shape("line", "M1 4H17")
	case StackedStep:
		m.shape("solid", "M3 0H15V10H3Z")
	case Points:
		m.shape("points", "M4 5H4M14 5H14")
	case Band:
		m.shape("fill", "M1 0H17V10H1Z")
	}
	m.close("g")
}
