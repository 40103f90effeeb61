package plot

import (
	"cmp"
	"slices"
	"strings"
)

// lineHeight is the distance in pixels below which two labels would touch.
const lineHeight = 13.0

// drawThresholds draws the lines over the series, each with its label at the right end:
// above the line where there is room, else below it.
func drawThresholds(m *markup, f *frame) {
	sorted := slices.Clone(f.panel.Thresholds)
	sorted = slices.DeleteFunc(sorted, func(t Threshold) bool { return !drawable(t.Y, f.panel.Log) })
	slices.SortStableFunc(sorted, func(a, b Threshold) int { return cmp.Compare(b.Y, a.Y) })
	free := 0.0 // from here down no label stands yet
	for _, t := range sorted {
		level := f.y.level(t.Y)
		y := coordinate(level)
		m.open("g", "class", t.Role.class())
		m.leaf("line", "class", "threshold", "x2", "100%", "y1", y, "y2", y)
		if t.Label != "" {
			baseline := level - 4
			if baseline-lineHeight < free {
				baseline = max(level, free) + lineHeight
			}
			free = baseline + 2
			label(m, t.Label, "end", percent(1), baseline)
		}
		m.close("g")
	}
}

// label writes text that stays readable on top of lines. The colour is of the group.
func label(m *markup, text, anchor, x string, baseline float64) {
	dx := "0"
	if anchor == "end" {
		dx = "-4"
	}
	attributes := []string{"class", "halo " + anchor, "x", x, "dx", dx, "y", coordinate(baseline)}
	m.element("text", text, attributes...)
}

// drawMarks draws a flag on top of the plot and a line through it for every mark, and the
// labels that have room. The title of each is shown by browsers and read by screen readers.
func drawMarks(m *markup, f *frame) {
	named := namedMarks(f)
	for i, k := range f.panel.Marks {
		if !drawableX(k.X) {
			continue
		}
		x := percent(f.x.fraction(k.X))
		m.open("g", "class", "mark "+k.Role.class())
		m.element("title", markTitle(k))
		m.leaf("line", "x1", x, "x2", x, "y2", coordinate(plotHeight))
		m.open("svg", "x", x, "overflow", "visible")
		m.leaf("rect", "x", "-4", "y", "-8", "width", "8", "height", coordinate(plotHeight+8))
		m.leaf("path", "d", "M-4 -7H4L0 0Z")
		m.close("svg")
		if named[i] {
			m.element("text", k.Label, "class", labelAnchor(f, k), "x", x, "y", "-11")
		}
		m.close("g")
	}
}

func markTitle(k Mark) string {
	if k.Label == "" || k.Text == "" {
		return k.Label + k.Text
	}
	return k.Label + ": " + k.Text
}

// narrow is how many pixels a full panel has at least, for the question which labels
// would overlap.
const narrow = 680.0

func (f *frame) narrowWidth() float64 { return narrow * f.width / fullWidth }

func labelAnchor(f *frame, k Mark) string {
	taken := f.labelRange(k, "middle")
	switch {
	case taken.from < 0:
		return "start"
	case taken.to > f.narrowWidth():
		return "end"
	default:
		return "middle"
	}
}

// labelRange is what the label takes of the width of a narrow panel.
func (f *frame) labelRange(k Mark, anchor string) span {
	x := f.x.fraction(k.X) * f.narrowWidth()
	width := textWidth(k.Label)
	switch anchor {
	case "start":
		return span{x, x + width}
	case "end":
		return span{x - width, x}
	default:
		return span{x - width/2, x + width/2}
	}
}

// namedMarks says whose labels are drawn: whoever does not touch one drawn before, first those
// that are not in the background, from the left.
func namedMarks(f *frame) []bool {
	named := make([]bool, len(f.panel.Marks))
	var taken []span
	for _, i := range labelOrder(f.panel.Marks) {
		k := f.panel.Marks[i]
		own := f.labelRange(k, labelAnchor(f, k))
		touches := func(other span) bool {
			const space = 6
			return own.from < other.to+space && other.from < own.to+space
		}
		if own.from >= 0 && own.to <= f.narrowWidth()+1 && !slices.ContainsFunc(taken, touches) {
			named[i] = true
			taken = append(taken, own)
		}
	}
	return named
}

func labelOrder(marks []Mark) []int {
	var order []int
	for i, k := range marks {
		if drawableX(k.X) && k.Label != "" {
			order = append(order, i)
		}
	}
	background := func(i int) int {
		if marks[i].Role == Muted {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(background(a), background(b)), cmp.Compare(marks[a].X, marks[b].X))
	})
	return order
}

// textWidth is about the width in pixels of text of 11 pixels; rather more than less.
func textWidth(s string) float64 {
	width := 0.0
	for _, r := range s {
		switch {
		case r > 0x2000 || strings.ContainsRune("mwMW%@", r):
			width += 11
		case strings.ContainsRune("filjrt .,:;'|", r):
			width += 4.2
		case 'A' <= r && r <= 'Z':
			width += 7.6
		default:
			width += 6.6
		}
	}
	return width
}
