package plot

import (
	"bytes"
	"encoding/xml"
	"math"
	"strconv"
)

// A markup is a document being written. Names of elements and attributes are constants of
// this package; everything else is escaped here and nowhere else.
type markup struct{ bytes.Buffer }

// open begins an element; attributes are names and values in turn.
func (m *markup) open(name string, attributes ...string) {
	m.tag(name, attributes)
	m.WriteByte('>')
}

// leaf writes an element that has no content, in SVG or void in HTML.
func (m *markup) leaf(name string, attributes ...string) {
	m.tag(name, attributes)
	m.WriteString("/>")
}

// element writes an element that contains text.
func (m *markup) element(name, text string, attributes ...string) {
	m.open(name, attributes...)
	m.text(text)
	m.close(name)
}

// shape writes a path, unless it leads nowhere.
func (m *markup) shape(class, d string) {
	if d != "" {
		m.leaf("path", "class", class, "d", d)
	}
}

func (m *markup) close(name string) {
	m.WriteString("</" + name + ">")
}

// text escapes for text and attributes of both HTML and XML. What XML has no way to write,
// control characters and bytes that are not UTF-8, becomes the replacement character.
func (m *markup) text(s string) {
	_ = xml.EscapeText(m, []byte(s)) // a buffer takes everything
}

// raw writes what is markup already.
func (m *markup) raw(s string) { m.WriteString(s) }

func (m *markup) tag(name string, attributes []string) {
	m.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		m.WriteString(" " + attributes[i] + `="`)
		m.text(attributes[i+1])
		m.WriteByte('"')
	}
}

// coordinate writes a length to a tenth of a pixel.
func coordinate(v float64) string {
	return string(appendCoordinate(nil, v))
}

// percent writes a part of the width of the plot.
func percent(fraction float64) string {
	v := math.Round(fraction*1e5) / 1e3
	return strconv.FormatFloat(v+0, 'f', -1, 64) + "%"
}

func appendCoordinate(b []byte, v float64) []byte {
	// Adding zero turns a negative zero into a plain one.
	return strconv.AppendFloat(b, math.Round(v*10)/10+0, 'f', -1, 64)
}

// A path is the d attribute of a path.
type path struct{ b []byte }

func (p *path) move(x, y float64) { p.pair('M', x, y) }
func (p *path) line(x, y float64) { p.pair('L', x, y) }

func (p *path) horizontal(x float64) { p.b = appendCoordinate(append(p.b, 'H'), x) }
func (p *path) vertical(y float64)   { p.b = appendCoordinate(append(p.b, 'V'), y) }

func (p *path) end() { p.b = append(p.b, 'Z') }

func (p *path) pair(command byte, x, y float64) {
	p.b = appendCoordinate(append(p.b, command), x)
	p.b = append(p.b, ' ')
	p.b = appendCoordinate(p.b, y)
}

func (p *path) String() string { return string(p.b) }
