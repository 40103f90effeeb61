package draw

import (
	"regexp"
	"slices"

	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/recommender/plot"
)

// roles are the colours of Grafana that mean something. The others are taken in turn.
var roles = map[string]plot.Role{
	"green": plot.OK, "orange": plot.Warn, "red": plot.Bad, "text": plot.Muted,
}

// classes are the colours of Grafana as those of the style sheet.
var classes = map[string]string{
	"green": "ok", "orange": "warn", "red": "bad", "text": "strong",
}

// colourOf is the colour of a value by the steps from which colours begin.
func colourOf(t *dashboards.Thresholds, v float64) string {
	class := "strong"
	if t == nil {
		return class
	}
	for _, s := range t.Steps {
		if c, ok := classes[s.Color]; ok && (s.Value == nil || v >= *s.Value) {
			class = c
		}
	}
	return class
}

// property is a setting that an override makes for the series of a name.
func property(p *dashboards.Panel, series, id string) (any, bool) {
	for _, o := range slices.Backward(p.FieldConfig.Overrides) {
		if !covers(o.Matcher, series) {
			continue
		}
		for _, set := range o.Properties {
			if set.ID == id {
				return set.Value, true
			}
		}
	}
	return nil, false
}

func covers(m dashboards.Matcher, series string) bool {
	if m.ID == "byName" {
		return m.Options == series
	}
	return regexp.MustCompile(m.Options).MatchString(series)
}
