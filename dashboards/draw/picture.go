package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"

	"github.com/infscale/infscale/dashboards"
)

// Sizes in pixels.
const (
	pageWidth = 1040.0
	margin    = 16.0
	gap       = 8.0
	columns   = 24
)

// A sheet is an SVG picture being written, from the top down.
type sheet struct {
	bytes.Buffer
	y float64
}

// A card is a panel that is drawn, still without its place.
type card struct {
	height float64
	draw   func(s *sheet, x, y, width, height float64)
}

// Picture draws the answers of a dashboard as one SVG document.
func Picture(d *dashboards.Dashboard, answers []Answer, v View) ([]byte, error) {
	s := &sheet{y: margin}
	s.text(margin, s.y+18, "heading", d.Title)
	s.text(margin+pageWidth, s.y+18, "dim end", v.Start.Format("2 Jan 15:04")+" to "+v.End.Format("2 Jan 15:04"))
	s.y += 32
	for len(answers) > 0 {
		n := 1
		for n < len(answers) && answers[n].Panel.Grid.Y == answers[0].Panel.Grid.Y {
			n++
		}
		if err := s.line(answers[:n], v); err != nil {
			return nil, err
		}
		answers = answers[n:]
	}
	var page bytes.Buffer
	width, height := number(pageWidth+2*margin), number(s.y+margin)
	fmt.Fprintf(&page, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %[1]s %[2]s" role="img" aria-label="%s">`,
		width, height, escape(d.Title))
	fmt.Fprintf(&page, "<style>\n%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#f3f4f6\"/>\n", style)
	page.Write(s.Bytes())
	page.WriteString("</svg>\n")
	return page.Bytes(), nil
}

// line draws the panels that stand beside each other.
func (s *sheet) line(answers []Answer, v View) error {
	if p := answers[0].Panel; p.Type == "row" {
		s.text(margin, s.y+20, "question", p.Title)
		s.y += 30
		return nil
	}
	cards := make([]card, len(answers))
	tallest := 0.0
	for i := range answers {
		c, err := newCard(&answers[i], v)
		if err != nil {
			return err
		}
		cards[i], tallest = c, max(tallest, c.height)
	}
	for i, c := range cards {
		g := answers[i].Panel.Grid
		x := margin + float64(g.X)/columns*(pageWidth+gap)
		width := float64(g.W)/columns*(pageWidth+gap) - gap
		fmt.Fprintf(s, `<rect x="%s" y="%s" width="%s" height="%s" rx="3" fill="#fff" stroke="#d9dde2"/>`,
			number(x), number(s.y), number(width), number(tallest))
		c.draw(s, x, s.y, width, tallest)
		s.WriteByte('\n')
	}
	s.y += tallest + gap
	return nil
}

func newCard(a *Answer, v View) (card, error) {
	switch a.Panel.Type {
	case "timeseries":
		return graphCard(a, v)
	case "stat":
		return statCard(a), nil
	case "state-timeline":
		return statesCard(a, v), nil
	case "table":
		return tableCard(a), nil
	default:
		return card{}, fmt.Errorf("%s: cannot draw a panel of type %q", a.Panel.Title, a.Panel.Type)
	}
}

// text writes a line of text with the classes of the style sheet.
func (s *sheet) text(x, y float64, class, text string) {
	fmt.Fprintf(s, `<text x="%s" y="%s" class="%s">%s</text>`, number(x), number(y), class, escape(text))
}

// number writes a length to a tenth of a pixel.
func number(v float64) string {
	return strconv.FormatFloat(float64(int(v*10+0.5))/10, 'f', -1, 64)
}

func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}
