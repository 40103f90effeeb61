package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
)

// A side is one of the two that prometheus.matchers have to select.
type side struct {
	name   string
	family promapi.Family
	// rows are the values of the matchers' labels on its series, whether selected or not.
	rows []row
	// gone says that there are series, and the matchers take all away.
	gone bool
}

// checkMatchers says whether prometheus.matchers take everything away, of the engines,
// of kube-state-metrics or of both.
func (c *checker) checkMatchers(ctx context.Context) {
	sides := []side{{name: "engines", family: promapi.FamilyEvidence}, {name: "kube-state-metrics", family: promapi.FamilyReplicas}}
	if len(c.matchers) == 0 || !slices.ContainsFunc(sides, func(s side) bool { return c.unselected(s.family) }) {
		return
	}
	var what []string
	var all []row
	for i := range sides {
		s := &sides[i]
		s.rows, _ = c.ask(ctx, countBy(planned(c.plan.Queries, s.family), c.matchers))
		s.gone = c.unselected(s.family) && len(s.rows) > 0
		if s.gone {
			what = append(what, s.name)
			all = append(all, s.rows...)
			c.blamed = c.blamed || s.family == promapi.FamilyEvidence
		}
	}
	killed, ok := explain(c.matchers, all)
	if !ok {
		return
	}
	c.add(Finding{
		Severity: Error, Code: MatchersKill, Place: "prometheus.matchers",
		Found: fmt.Sprintf("%s takes away all series of %s", text(killed.matchers), strings.Join(what, " and of ")),
		Why:   "they go into every selector, so no workload can be read",
		Fix:   matcherFix(killed.matchers[0], sides[0], sides[1]),
	})
}

// unselected reports whether a family was answered with nothing.
func (c *checker) unselected(f promapi.Family) bool {
	return !c.failed(f) && len(c.source.rows(c.plan.Queries, f)) == 0
}

// matcherFix suggests a value that both sides have. Where they have none in common, no
// matcher of that label can be right, and the value of one side would only lose the other.
func matcherFix(m *labels.Matcher, a, b side) string {
	const external = "; a Prometheus does not have its own external_labels on its series"
	all := slices.Concat(a.rows, b.rows)
	if len(a.rows) == 0 || len(b.rows) == 0 || len(values(all, m.Name)) == 0 {
		return suggestion(m, all) + external
	}
	others := values(b.rows, m.Name)
	shared := slices.DeleteFunc(slices.Clone(a.rows), func(r row) bool { return !slices.Contains(others, r.Get(m.Name)) })
	if len(shared) > 0 {
		return suggestion(m, shared) + external
	}
	return fmt.Sprintf("no value of %s can work here, for no series of both have the same: %s, %s; take it out, and put what is about engines into selector of the workloads",
		m.Name, a.has(m), b.has(m))
}

// has says which values of a matcher's label a side has.
func (s side) has(m *labels.Matcher) string {
	list, _ := near(m.Value, values(s.rows, m.Name))
	if slices.Contains(values(s.rows, m.Name), m.Value) {
		list = []string{m.Value}
	}
	if len(list) == 0 {
		return s.name + " have none"
	}
	return s.name + " have " + oneOf(m.Name, list)
}

// countBy asks for the values of the matchers' labels in the selectors without them.
func countBy(selectors []selector, matchers []*labels.Matcher) string {
	parts := make([]string, len(selectors))
	for i, s := range selectors {
		parts[i] = fmt.Sprintf("count by (%s) (%s)", strings.Join(names(matchers), ", "), s.without(matchers))
	}
	return strings.Join(parts, " or ")
}
