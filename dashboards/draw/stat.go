package draw

import (
	"math"
	"strconv"
	"strings"
)

// statCard is one large number.
func statCard(a *Answer) card {
	text, class := "no data", "dim"
	unit := a.Panel.FieldConfig.Defaults.Unit
	if known(&a.Results[0]) {
		v := a.Results[0].Series[0].Points[0].V
		text, class = format(v, unit), colourOf(a.Panel.FieldConfig.Defaults.Thresholds, v)
	}
	return card{height: 92, draw: func(s *sheet, x, y, width, height float64) {
		s.text(x+14, y+24, "strong title", a.Panel.Title)
		s.text(x+width/2, y+height/2+26, class+" large middle", text)
	}}
}

// format writes a value in a unit of Grafana's.
func format(v float64, unit string) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case unit == "bool_yes_no" && v == 0:
		return "No"
	case unit == "bool_yes_no":
		return "Yes"
	case unit == "percentunit":
		return round(v*100, 3) + " %"
	case unit == "s":
		return formatSeconds(v)
	case strings.HasPrefix(unit, "suffix:"):
		return round(v, 2) + " " + strings.TrimPrefix(unit, "suffix:")
	default:
		return round(v, 3)
	}
}

// formatSeconds writes the largest unit of time that v fills.
func formatSeconds(v float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{86400, "days"}, {3600, "h"}, {60, "min"}} {
		if v >= u.size {
			return round(v/u.size, 2) + " " + u.name
		}
	}
	return round(v, 2) + " s"
}

// round writes so many digits, and as many more as the whole part has.
func round(v float64, digits int) string {
	decimals := max(0, digits-len(strconv.Itoa(int(math.Abs(v)))))
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}
