package plot

import (
	"io"
	"strings"
)

// Room around the plot in a file of its own, in pixels.
const (
	fileLeft   = 64.0
	fileRight  = 24.0
	fileMargin = 14.0
	titleLine  = 18.0
	textLine   = 15.0
)

// WriteSVG writes p as an SVG file with a light ground, for documents that show pictures.
func WriteSVG(w io.Writer, p *Panel) error {
	f := &newFrames([]Panel{*p})[0]
	width := 960.0
	if p.Width == Half {
		width = 520
	}
	var body markup
	top := writeCaption(&body, f, width)
	if len(p.Marks) > 0 {
		top += 18
	}
	body.open("svg", "x", coordinate(fileLeft), "y", coordinate(top), "overflow", "visible",
		"width", coordinate(width-fileLeft-fileRight), "height", coordinate(plotHeight))
	drawPlot(&body, f)
	body.close("svg")

	height := coordinate(top + plotHeight + 28)
	var m markup
	m.open("svg", "xmlns", "http://www.w3.org/2000/svg", "width", coordinate(width), "height", height,
		"viewBox", "0 0 "+coordinate(width)+" "+height, "role", "img", "aria-label", p.Title)
	m.open("style")
	m.raw(colourRules(light) + "\n" + chartStyle + fileStyle)
	m.close("style")
	m.leaf("rect", "width", "100%", "height", "100%", "fill", lightGround)
	m.raw(body.String())
	m.close("svg")
	m.raw("\n")
	_, err := w.Write(m.Bytes())
	return err
}

const fileStyle = `.title { font-size: 13px; font-weight: 600; }
`

// writeCaption writes title, description and legend, and returns where the plot begins.
func writeCaption(m *markup, f *frame, width float64) float64 {
	y := fileMargin + 10
	m.open("text", "class", "strong title", "x", coordinate(fileMargin), "y", coordinate(y))
	m.text(f.panel.Title)
	m.close("text")
	if unit := unitName(f.panel); unit != "" {
		m.element("text", unit, "class", "dim end", "x", coordinate(width-fileRight), "y", coordinate(y))
	}
	y += titleLine
	for _, line := range wrap(f.panel.Description, width-2*fileMargin) {
		m.element("text", line, "class", "dim", "x", coordinate(fileMargin), "y", coordinate(y))
		y += textLine
	}
	return writeFileLegend(m, f, y+3, width)
}

func writeFileLegend(m *markup, f *frame, y, width float64) float64 {
	const key, space = 24, 16
	x := fileMargin
	for i := range f.layers {
		l := &f.layers[i]
		long := key + textWidth(l.legend())
		if x > fileMargin && x+long > width-fileMargin {
			x, y = fileMargin, y+textLine
		}
		m.open("svg", "x", coordinate(x), "y", coordinate(y-9), "width", "18", "height", "10")
		drawKey(m, l)
		m.close("svg")
		m.element("text", l.legend(), "class", "strong", "x", coordinate(x+key), "y", coordinate(y))
		x += long + space
	}
	return y + 12
}

// wrap breaks text into lines of at most the width in pixels, where it has spaces.
func wrap(text string, width float64) []string {
	var out []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch longer := line + " " + word; {
		case line == "":
			line = word
		case textWidth(longer) <= width:
			line = longer
		default:
			out = append(out, line)
			line = word
		}
	}
	if line != "" {
		out = append(out, line)
	}
	return out
}
