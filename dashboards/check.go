package dashboards

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// A Mistake is what a dashboard would show nothing for, or something wrong.
type Mistake struct{ Rule, What string }

// promQL takes no experimental functions, since not every server has them.
var promQL = parser.NewParser(parser.Options{})

// inGrafana stands for what Grafana puts in.
var inGrafana = strings.NewReplacer("$__rate_interval", "5m", "$__interval_ms", "60000", "$__interval", "1m", "$__range", "1h")

// labelValues is the query of a variable. Without a metric it asks for the label of every
// series there is, other programs' included.
var labelValues = regexp.MustCompile(`^label_values\((?:(.+), *)?([a-zA-Z_]\w*)\)$`)

// Check returns the mistakes of a dashboard that only show where it is installed. Known says
// whether anybody exports or records a metric.
func Check(d *Dashboard, known func(metric string) bool) []Mistake {
	var list []Mistake
	add := func(rule, format string, args ...any) {
		list = append(list, Mistake{rule, fmt.Sprintf(format, args...)})
	}
	declared := map[string]bool{}
	for _, v := range d.Templating.List {
		declared["${"+v.Name+"}"] = v.Type == "datasource"
	}
	source := func(where string, s *Datasource) {
		if s == nil || !declared[s.UID] {
			add("data-source", "%s: reads %+v, which is no data source that can be chosen here", where, s)
		}
	}
	reads := func(where, expr string) {
		for _, metric := range metrics(expr) {
			if !known(metric) {
				add("unknown-metric", "%s: reads %s, which nobody exports", where, metric)
			}
		}
	}
	for _, v := range d.Templating.List {
		if v.Type != "query" {
			continue
		}
		source(v.Name, v.Datasource)
		m := labelValues.FindStringSubmatch(v.Query)
		if m == nil || m[1] == "" {
			add("variable-without-metric", "%s: %q asks for the label of all series", v.Name, v.Query)
			continue
		}
		reads(v.Name, m[1])
	}
	for _, p := range d.Panels {
		for _, q := range p.Targets {
			source(p.Title, p.Datasource)
			source(p.Title, q.Datasource)
			reads(p.Title, q.Expr)
		}
	}
	return list
}

// metrics are the names that an expression reads. One that cannot be parsed is its own name,
// which nobody exports.
func metrics(expr string) []string {
	tree, err := promQL.ParseExpr(inGrafana.Replace(expr))
	if err != nil {
		return []string{expr}
	}
	var names []string
	parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok {
			names = append(names, s.Name)
		}
		return nil
	})
	return names
}
