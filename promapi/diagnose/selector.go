package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

var promQL = parser.NewParser(parser.Options{})

// A selector is what one part of a query looks for.
type selector []*labels.Matcher

// selectorsOf returns the distinct selectors in a query, in the order of its text.
func selectorsOf(query string) []selector {
	expr, err := promQL.ParseExpr(query)
	if err != nil {
		return nil // The plan has parsed it before.
	}
	var list []selector
	seen := map[string]bool{}
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if v, ok := node.(*parser.VectorSelector); ok {
			s := selector(v.LabelMatchers)
			if text := s.String(); !seen[text] {
				seen[text] = true
				list = append(list, s)
			}
		}
		return nil
	})
	return list
}

// planned returns the distinct selectors that a family of the plan has.
func planned(list []promapi.PlannedQuery, f promapi.Family) []selector {
	var found []selector
	for _, q := range list {
		if q.Family == f {
			found = append(found, selectorsOf(q.Text)...)
		}
	}
	return found
}

// String writes the selector as PromQL.
func (s selector) String() string {
	name, inner := "", make([]string, 0, len(s))
	for _, m := range s {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual && name == "" {
			name = m.Value
			continue
		}
		inner = append(inner, m.String())
	}
	if len(inner) == 0 {
		return name
	}
	return name + "{" + strings.Join(inner, ",") + "}"
}

// metric is the name that the selector looks for.
func (s selector) metric() string {
	for _, m := range s {
		if m.Name == model.MetricNameLabel {
			return m.Value
		}
	}
	return ""
}

// without returns the selector less the matchers.
func (s selector) without(drop []*labels.Matcher) selector {
	return slices.DeleteFunc(slices.Clone(s), func(m *labels.Matcher) bool {
		return slices.ContainsFunc(drop, func(d *labels.Matcher) bool { return d.String() == m.String() })
	})
}

// names are the labels that matchers look at, sorted, each once.
func names(matchers []*labels.Matcher) []string {
	set := map[string]bool{}
	for _, m := range matchers {
		set[m.Name] = true
	}
	return slices.Sorted(maps.Keys(set))
}

// picks reports whether a row satisfies every matcher.
func picks(matchers []*labels.Matcher, r row) bool {
	for _, m := range matchers {
		if !m.Matches(r.Get(m.Name)) {
			return false
		}
	}
	return true
}

// A kill is the smallest set of matchers without which there are rows.
type kill struct {
	matchers []*labels.Matcher
	rows     []row // that are there without them
}

// explain finds the smallest set of matchers to drop so that a row is picked. It finds
// nothing if there is no row, or one that is picked as it is.
func explain(matchers []*labels.Matcher, rows []row) (kill, bool) {
	best := kill{}
	for _, r := range rows {
		var failed []*labels.Matcher
		for _, m := range matchers {
			if !m.Matches(r.Get(m.Name)) {
				failed = append(failed, m)
			}
		}
		switch {
		case len(failed) == 0:
			return kill{}, false // Nothing is killed.
		case best.matchers == nil || len(failed) < len(best.matchers):
			best = kill{failed, []row{r}}
		case slices.Equal(failed, best.matchers):
			best.rows = append(best.rows, r)
		}
	}
	return best, len(best.rows) > 0
}

// near lists up to a few values, the most similar to the wanted one first, and says
// whether the first is near enough to have been meant.
func near(want string, values []string) (list []string, meant bool) {
	const most = 4
	left := slices.Compact(slices.Sorted(slices.Values(values)))
	left = slices.DeleteFunc(left, func(v string) bool { return v == "" || v == want })
	if best, ok := recommender.Nearest(want, left); ok {
		list, meant = []string{best}, true
	}
	slices.SortStableFunc(left, func(a, b string) int {
		return cmp.Compare(common(want, b), common(want, a))
	})
	for _, v := range left {
		if len(list) < most && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list, meant
}

// common is the length of the common beginning of two words.
func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// values are those that a label has in the rows.
func values(rows []row, label string) []string {
	var list []string
	for _, r := range rows {
		if v := r.Get(label); v != "" {
			list = append(list, v)
		}
	}
	return list
}

// suggestion says which values of a label there are instead.
func suggestion(m *labels.Matcher, rows []row) string {
	list, meant := near(m.Value, values(rows, m.Name))
	switch {
	case len(list) == 0:
		return fmt.Sprintf("the series have no label %s", m.Name)
	case meant:
		return fmt.Sprintf("did you mean %s=%q?", m.Name, list[0])
	default:
		return fmt.Sprintf("there is %s", oneOf(m.Name, list))
	}
}

// oneOf writes the values of a label as a list.
func oneOf(label string, list []string) string {
	quoted := make([]string, len(list))
	for i, v := range list {
		quoted[i] = fmt.Sprintf("%s=%q", label, v)
	}
	return strings.Join(quoted, ", ")
}

// text writes matchers as PromQL does.
func text(matchers []*labels.Matcher) string {
	list := make([]string, len(matchers))
	for i, m := range matchers {
		list[i] = m.String()
	}
	return "{" + strings.Join(list, ", ") + "}"
}
