package draw

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender/plot"
)

// units are those of Grafana as package plot writes them.
var units = map[string]string{
	"percentunit": "ratio", "s": "s", "bytes": "bytes", "reqps": "requests/s", "cps": "per second",
}

// graphCard lets package plot draw the lines.
func graphCard(a *Answer, v View) (card, error) {
	p := &plot.Panel{Title: a.Panel.Title, Unit: units[a.Panel.FieldConfig.Defaults.Unit], Axis: plot.Unix, Width: plot.Half}
	p.Log = a.Panel.FieldConfig.Defaults.Custom.ScaleDistribution != nil
	for i := range a.Results {
		p.Series = append(p.Series, lines(a, i, v)...)
	}
	if len(p.Series) > legible {
		p.Series = slices.DeleteFunc(p.Series, zero)
	}
	if t := a.Panel.FieldConfig.Defaults.Thresholds; t != nil {
		for _, s := range t.Steps {
			if s.Value != nil {
				label := format(*s.Value, a.Panel.FieldConfig.Defaults.Unit)
				p.Thresholds = append(p.Thresholds, plot.Threshold{Label: label, Y: *s.Value, Role: roles[s.Color]})
			}
		}
	}
	var b bytes.Buffer
	if err := plot.WriteSVG(&b, p); err != nil {
		return card{}, err
	}
	return embed(b.String())
}

// legible is how many series have room in a legend. Where there are more, those that are zero
// all the time are left out.
const legible = 8

func zero(s plot.Series) bool {
	return !slices.ContainsFunc(s.Points, func(p plot.Point) bool { return p.Y != 0 && !math.IsNaN(p.Y) })
}

var opening = regexp.MustCompile(`(?s)^<svg [^>]*width="([0-9.]+)" height="([0-9.]+)"([^>]*)>.*?</style><rect [^>]*>`)

// embed takes a file of package plot for a part of a larger one: without a style of its own,
// as wide as there is room.
func embed(file string) (card, error) {
	m := opening.FindStringSubmatch(file)
	if m == nil {
		return card{}, fmt.Errorf("got a plot that begins with %.200s", file)
	}
	height, err := strconv.ParseFloat(m[2], 64)
	if err != nil {
		return card{}, err
	}
	rest := strings.TrimSpace(file[len(m[0]):])
	return card{height: height + 4, draw: func(s *sheet, x, y, width, _ float64) {
		fmt.Fprintf(s, `<svg x="%s" y="%s" width="%s" height="%s" viewBox="0 0 %s %s">%s`,
			number(x), number(y), number(width), m[2], m[1], m[2], rest)
	}}, nil
}

// lines are the series of one target.
func lines(a *Answer, i int, v View) []plot.Series {
	kind := plot.Line
	custom := a.Panel.FieldConfig.Defaults.Custom
	if custom.LineInterpolation == "stepAfter" {
		kind = plot.Step
	}
	var list []plot.Series
	for _, s := range a.Results[i].Series {
		name := legend(a.Panel.Targets[i].Legend, s.Labels)
		one := plot.Series{Name: name, Kind: kind, Points: points(s, v)}
		if mode := stacking(&a.Panel, name); mode == "normal" {
			one.Kind = plot.StackedStep
		}
		if c, ok := property(&a.Panel, name, "color"); ok {
			one.Role = roles[c.(dashboards.Color).FixedColor]
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b plot.Series) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// stacking is how a series is stacked.
func stacking(p *dashboards.Panel, series string) string {
	if own, ok := property(p, series, "custom.stacking"); ok {
		return own.(dashboards.Stacking).Mode
	}
	if c := p.FieldConfig.Defaults.Custom.Stacking; c != nil {
		return c.Mode
	}
	return "none"
}

// points has a point for every step, NaN where there is none: a gap.
func points(s promapi.Series, v View) []plot.Point {
	at := map[int64]float64{}
	for _, p := range s.Points {
		at[p.T] = p.V
	}
	var list []plot.Point
	for t := v.Start; !t.After(v.End); t = t.Add(v.Step) {
		y, ok := at[t.UnixMilli()]
		if !ok {
			y = math.NaN()
		}
		list = append(list, plot.Point{X: unix(t), Y: y})
	}
	return list
}

func unix(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }

var placeholder = regexp.MustCompile(`\{\{(\w+)\}\}`)

// legend is the name of a series.
func legend(text string, labels promapi.Labels) string {
	return placeholder.ReplaceAllStringFunc(text, func(m string) string {
		return labels.Get(placeholder.FindStringSubmatch(m)[1])
	})
}
