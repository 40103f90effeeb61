package lint

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"
)

// A use says who evaluates a query, and so what it must give.
type use int

const (
	useScaler  use = iota // one number, for KEDA or KServe
	useMetric             // the name and selector of an external metric
	useAdapter            // prometheus-adapter
	useRule               // a rule of Prometheus, which may give any vector
)

// A query is PromQL somewhere in the files.
type query struct {
	place
	node *yaml.Node // the scalar with the text, nil in a file of its own
	text string
	use  use
	// target is AverageValue or Value, where that is known.
	target    string
	threshold float64
	scaler    *scaler
	trigger   *trigger

	expr parser.Expr // nil if err is not
	err  error
}

// promQL takes no experimental functions, since not every server has them.
var promQL = parser.NewParser(parser.Options{})

// addQuery parses a query and adds it.
func (w *world) addQuery(q *query) {
	q.expr, q.err = promQL.ParseExpr(q.text)
	if q.err != nil {
		q.expr = nil
	}
	w.queries = append(w.queries, q)
	if q.scaler != nil {
		q.scaler.queries = append(q.scaler.queries, q)
	}
}

// at returns the place of an offset in the text, of its last character if that is beyond.
func (q *query) at(offset int) place {
	if q.use == useMetric || q.use == useAdapter {
		return q.place // the text is not the file's
	}
	last := len(strings.TrimSpace(q.text)) - 1 + strings.Index(q.text, strings.TrimSpace(q.text))
	return q.src.locate(q.node, q.text, max(min(offset, last), 0))
}

// start returns where the expression begins, after comments.
func (q *query) start() place { return q.at(int(q.expr.PositionRange().Start)) }

// errorAt returns what the parser says, and where.
func (q *query) errorAt() (place, string) {
	if list, ok := errors.AsType[parser.ParseErrors](q.err); ok && len(list) > 0 {
		return q.at(int(list[0].PositionRange.Start)), list[0].Err.Error()
	}
	return q.at(0), q.err.Error()
}

// selectors lists every selector.
func (q *query) selectors() []*parser.VectorSelector {
	var list []*parser.VectorSelector
	if q.expr == nil {
		return nil
	}
	parser.Inspect(q.expr, func(node parser.Node, _ []parser.Node) error {
		if s, ok := node.(*parser.VectorSelector); ok {
			list = append(list, s)
		}
		return nil
	})
	return list
}

// names lists the names of all metrics that are read.
func (q *query) names() []string {
	var list []string
	for _, s := range q.selectors() {
		list = append(list, nameOf(s))
	}
	return list
}

// kind is what the query measures.
func (q *query) kind() kind {
	if q.expr == nil {
		return unknown
	}
	return kindOf(q.expr)
}

// scales reports whether the value decides about replicas, by itself.
func (q *query) scales() bool { return q.use == useScaler || q.use == useMetric }

// nameOf returns the name of the metric that a selector asks for, if it asks for one.
func nameOf(s *parser.VectorSelector) string {
	for _, m := range s.LabelMatchers {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
			return m.Value
		}
	}
	return s.Name
}

// matchersOf returns the matchers of a selector but those of the name.
func matchersOf(s *parser.VectorSelector) []*labels.Matcher {
	return slices.DeleteFunc(slices.Clone(s.LabelMatchers), func(m *labels.Matcher) bool {
		return m.Name == model.MetricNameLabel
	})
}

// selectorOf returns the selector of an external metric.
func selectorOf(name string, match map[string]field[string]) parser.Expr {
	s := &parser.VectorSelector{Name: name, LabelMatchers: []*labels.Matcher{
		labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, name),
	}}
	for _, label := range slices.Sorted(maps.Keys(match)) {
		s.LabelMatchers = append(s.LabelMatchers, labels.MustNewMatcher(labels.MatchEqual, label, match[label].v))
	}
	return s
}

// fillTemplate puts into a query of prometheus-adapter what the adapter would, with made-up
// values. A template that is none is left to the parser of PromQL.
func fillTemplate(text, series string) string {
	t, err := template.New("").Delims("<<", ">>").Parse(text)
	if err != nil {
		return text
	}
	name, _, _ := strings.Cut(series, "{")
	if expr, err := promQL.ParseExpr(series); err == nil {
		if s, ok := expr.(*parser.VectorSelector); ok {
			name = nameOf(s)
		}
	}
	var b strings.Builder
	err = t.Execute(&b, map[string]any{
		"Series":            cmp.Or(name, "series"),
		"LabelMatchers":     adapterLabel + `="x"`,
		"LabelValuesByName": map[string]string{},
		"GroupBy":           "namespace",
		"GroupBySlice":      []string{"namespace"},
	})
	if err != nil {
		return text
	}
	return b.String()
}

// adapterLabel stands for the labels by which an HPA selects.
const adapterLabel = "selected"
