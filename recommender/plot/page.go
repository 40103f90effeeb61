package plot

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// A Page is a report: what is known in words on top, panels below.
type Page struct {
	Title, Subtitle string
	Facts           []Fact
	Tables          []Table
	// Panels with the same [Axis] share one range of x, that of all their data.
	Panels []Panel
}

// A Fact is one value with its name.
type Fact struct {
	Label, Value string
	Role         Role
}

// A Table is a header and rows of text. A column of numbers is aligned to the right.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
}

// Write writes p as an HTML document.
func Write(w io.Writer, p *Page) error {
	var m markup
	m.raw("<!DOCTYPE html>\n")
	m.open("html", "lang", "en")
	writeHead(&m, p)
	m.open("body")
	m.open("main")
	writeHeader(&m, p)
	for i := range p.Tables {
		writeTable(&m, &p.Tables[i])
	}
	frames := newFrames(p.Panels)
	m.open("div", "class", "panels")
	for i := range frames {
		writePanel(&m, &frames[i])
	}
	m.close("div")
	m.close("main")
	if err := writeScript(&m, frames); err != nil {
		return err
	}
	m.close("body")
	m.close("html")
	_, err := w.Write(m.Bytes())
	return err
}

func writeHead(m *markup, p *Page) {
	style := pageStyle()
	m.open("head")
	m.leaf("meta", "charset", "utf-8")
	m.leaf("meta", "http-equiv", "Content-Security-Policy", "content", strings.Join([]string{
		"default-src 'none'",
		"style-src " + sourceHash(style),
		"script-src " + sourceHash(hoverScript),
		"base-uri 'none'",
		"form-action 'none'",
	}, "; "))
	m.leaf("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
	m.leaf("meta", "name", "color-scheme", "content", "light dark")
	m.element("title", p.Title)
	m.open("style")
	m.raw(style)
	m.close("style")
	m.close("head")
	m.raw("\n")
}

func writeHeader(m *markup, p *Page) {
	m.open("header")
	m.element("h1", p.Title)
	if p.Subtitle != "" {
		m.element("p", p.Subtitle)
	}
	if len(p.Facts) > 0 {
		m.open("dl")
		for _, f := range p.Facts {
			m.open("div")
			m.element("dt", f.Label)
			m.element("dd", f.Value, "class", f.Role.class())
			m.close("div")
		}
		m.close("dl")
	}
	m.close("header")
}

func writeTable(m *markup, t *Table) {
	numbers := numberColumns(t)
	m.open("section", "class", "table")
	if t.Title != "" {
		m.element("h2", t.Title)
	}
	m.open("table")
	if len(t.Header) > 0 {
		m.open("thead")
		writeRow(m, "th", t.Header, numbers)
		m.close("thead")
	}
	m.open("tbody")
	for _, row := range t.Rows {
		writeRow(m, "td", row, numbers)
	}
	m.close("tbody")
	m.close("table")
	m.close("section")
}

func writeRow(m *markup, cell string, row []string, numbers []bool) {
	m.open("tr")
	for i, text := range row {
		if i < len(numbers) && numbers[i] {
			m.element(cell, text, "class", "number")
			continue
		}
		m.element(cell, text)
	}
	m.close("tr")
}

// numberColumns says of every column whether its cells are numbers or say that there is none.
func numberColumns(t *Table) []bool {
	var numbers []bool
	for i := 0; ; i++ {
		column := cells(t.Rows, i)
		if len(column) == 0 {
			return numbers
		}
		isNumber := slices.ContainsFunc(column, startsWithDigit)
		for _, text := range column {
			isNumber = isNumber && (startsWithDigit(text) || text == "" || text == "-" || text == "–" || text == "unknown")
		}
		numbers = append(numbers, isNumber)
	}
}

func cells(rows [][]string, i int) []string {
	var column []string
	for _, row := range rows {
		if i < len(row) {
			column = append(column, row[i])
		}
	}
	return column
}

func startsWithDigit(s string) bool {
	s = strings.TrimLeft(s, "+-−~<>≤≥ ")
	return s != "" && '0' <= s[0] && s[0] <= '9'
}

func writePanel(m *markup, f *frame) {
	class := "panel"
	if f.panel.Width == Full {
		class += " full"
	}
	m.open("section", "class", class)
	m.open("h2")
	m.text(f.panel.Title)
	if unit := unitName(f.panel); unit != "" {
		m.element("small", unit)
	}
	m.close("h2")
	if f.panel.Description != "" {
		m.element("p", f.panel.Description)
	}
	writeHTMLLegend(m, f)
	class = "plot"
	if len(f.panel.Marks) > 0 {
		class += " marked"
	}
	m.open("div", "class", class)
	m.open("svg", "width", "100%", "height", coordinate(plotHeight), "role", "img", "aria-label", f.panel.Title)
	drawPlot(m, f)
	m.close("svg")
	m.close("div")
	m.close("section")
	m.raw("\n")
}

func writeHTMLLegend(m *markup, f *frame) {
	m.open("ul")
	for i := range f.layers {
		l := &f.layers[i]
		m.open("li", "class", l.legendClass())
		m.open("svg", "width", "18", "height", "10", "aria-hidden", "true")
		drawKey(m, l)
		m.close("svg")
		m.element("span", l.legend())
		m.close("li")
	}
	m.close("ul")
}

// writeScript writes the data for the crosshair, and the script that reads them.
func writeScript(m *markup, frames []frame) error {
	data, err := hoverData(frames)
	if err != nil {
		return err
	}
	m.open("script", "type", "application/json", "id", "data")
	m.raw(string(bytes.TrimSpace(data)))
	m.close("script")
	m.raw("\n")
	m.open("script")
	m.raw(hoverScript)
	m.close("script")
	return nil
}
