package draw

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/recommender/plot"
)

const (
	barHeight = 22.0
	barName   = 190.0
)

// A bar is one series of states.
type bar struct {
	name   string
	points []plot.Point
}

// statesCard is a bar for each series, in the colours of the words.
func statesCard(a *Answer, v View) card {
	var bars []bar
	for i, r := range a.Results {
		for _, s := range r.Series {
			bars = append(bars, bar{legend(a.Panel.Targets[i].Legend, s.Labels), points(s, v)})
		}
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(a.name, b.name) })
	words := a.Panel.FieldConfig.Defaults.Mappings[0].Options
	return card{height: 74 + barHeight*float64(len(bars)), draw: func(s *sheet, x, y, width, _ float64) {
		s.text(x+14, y+24, "strong title", a.Panel.Title)
		s.words(x+14, y+42, words)
		for i, b := range bars {
			top := y + 54 + barHeight*float64(i)
			s.text(x+14, top+14, "strong", b.name)
			s.bar(b, words, x+barName, top, width-barName-20)
		}
		s.hours(v, x+barName, y+68+barHeight*float64(len(bars)), width-barName-20)
	}}
}

// words is the legend: a square in the colour of each word.
func (s *sheet) words(x, y float64, words map[string]dashboards.Word) {
	list := make([]dashboards.Word, 0, len(words))
	for _, w := range words {
		list = append(list, w)
	}
	slices.SortFunc(list, func(a, b dashboards.Word) int { return cmp.Compare(a.Index, b.Index) })
	for _, w := range list {
		fmt.Fprintf(s, `<rect x="%s" y="%s" width="10" height="10" class="%s solid"/>`, number(x), number(y-9), classes[w.Color])
		s.text(x+16, y, "strong", w.Text)
		x += 36 + 6.2*float64(len(w.Text))
	}
}

// bar draws the stretches of equal value.
func (s *sheet) bar(b bar, words map[string]dashboards.Word, x, y, width float64) {
	n := float64(len(b.points) - 1)
	for from := 0; from < len(b.points)-1; {
		to := from + 1
		for to < len(b.points)-1 && b.points[to].Y == b.points[from].Y {
			to++
		}
		if value := b.points[from].Y; !math.IsNaN(value) {
			class := classes[words[strconv.FormatFloat(value, 'g', -1, 64)].Color]
			fmt.Fprintf(s, `<rect x="%s" y="%s" width="%s" height="%s" class="%s solid"/>`,
				number(x+float64(from)/n*width), number(y), number(float64(to-from)/n*width), number(barHeight-5), class)
		}
		from = to
	}
}

// hours labels the time under the bars.
func (s *sheet) hours(v View, x, y, width float64) {
	const parts = 8
	for i := range parts + 1 {
		t := v.Start.Add(v.End.Sub(v.Start) * time.Duration(i) / parts)
		s.text(x+float64(i)/parts*width, y, "dim middle", t.Format("15:04"))
	}
}
