package draw

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/promapi"
)

const lineHeight = 22.0

// A cell is a text and its colour.
type cell struct{ text, class string }

// tableCard is the merged answers as rows.
func tableCard(a *Answer) card {
	header, rows := tableOf(a)
	return card{height: 62 + lineHeight*float64(len(rows)), draw: func(s *sheet, x, y, width, _ float64) {
		s.text(x+14, y+24, "strong title", a.Panel.Title)
		step := (width - 28) / float64(len(header))
		for i, h := range header {
			s.text(x+14+step*float64(i), y+46, "dim", h)
		}
		for j, row := range rows {
			for i, c := range row {
				s.text(x+14+step*float64(i), y+46+lineHeight*float64(j+1), c.class, c.text)
			}
		}
	}}
}

// tableOf merges the answers by the labels that all of them have, and names, orders and
// leaves out columns as the panel says.
func tableOf(a *Answer) (header []string, rows [][]cell) {
	keys := sharedLabels(a)
	byKey := map[string]map[string]cell{}
	for i, r := range a.Results {
		value := "Value #" + a.Panel.Targets[i].RefID
		for _, s := range r.Series {
			key := rowOf(keys, s.Labels)
			if byKey[key] == nil {
				byKey[key] = map[string]cell{}
			}
			for _, l := range s.Labels {
				byKey[key][l.Name] = cell{l.Value, "strong"}
			}
			byKey[key][value] = cellOf(&a.Panel, value, s.Points[0].V)
		}
	}
	names := a.Panel.Transformations[1].Options
	fields := slices.SortedFunc(maps.Keys(names.IndexByName), func(a, b string) int {
		return cmp.Compare(names.IndexByName[a], names.IndexByName[b])
	})
	for _, f := range fields {
		header = append(header, names.RenameByName[f])
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		var row []cell
		for _, f := range fields {
			row = append(row, byKey[key][f])
		}
		rows = append(rows, row)
	}
	return header, rows
}

// rowOf tells rows apart.
func rowOf(keys []string, labels promapi.Labels) string {
	values := make([]string, len(keys))
	for i, k := range keys {
		values[i] = labels.Get(k)
	}
	return strings.Join(values, "\x00")
}

// sharedLabels are the labels that the series of all answers have.
func sharedLabels(a *Answer) []string {
	count, answers := map[string]int{}, 0
	for _, r := range a.Results {
		if len(r.Series) == 0 {
			continue
		}
		answers++
		for _, l := range r.Series[0].Labels {
			count[l.Name]++
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(count)), func(name string) bool { return count[name] < answers })
}

// cellOf is a value in the unit and colour of its column.
func cellOf(p *dashboards.Panel, field string, v float64) cell {
	title := p.Transformations[1].Options.RenameByName[field]
	c := cell{"", "strong"}
	if math.IsNaN(v) {
		return c
	}
	unit, _ := property(p, title, "unit")
	name, _ := unit.(string)
	c.text = strings.TrimSpace(format(v, name))
	if steps, ok := property(p, title, "thresholds"); ok {
		c.class = colourOf(steps.(*dashboards.Thresholds), v)
	}
	return c
}
