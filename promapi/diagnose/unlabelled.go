package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
)

// unlabelled says that engines are heard whose series have neither a namespace nor a pod
// under any name, so that they may be the workload's. What a selector of another workload
// picks is that one's, and pods that have targets of their own are another matter.
func (c *checker) unlabelled(ctx context.Context, s *subject) bool {
	if s.Selector != "" {
		return false
	}
	none := c.noLabels()
	rows := slices.DeleteFunc(picked(c.past.rows, none), c.selected)
	if len(rows) == 0 || s.zero() || len(c.listTargets(ctx).of(c, s, s.unheard(false))) > 0 {
		return false
	}
	found := fmt.Sprintf("engines are heard without the labels %s and %s", c.labels.Namespace, c.labels.Pod)
	fix := fmt.Sprintf("let relabelling of the scrape set %s and %s, or name the labels that have them in labels, or give the workload a selector",
		c.labels.Namespace, c.labels.Pod)
	if like := c.likeness(ctx, none); len(like) > 0 {
		found += ", such as " + text(like)
		fix += fmt.Sprintf(", such as '%s'", text(like[:1]))
	}
	c.add(Finding{
		Severity: s.severity(), Code: NoPodLabel, Workload: s.id, Place: s.place + ".selector",
		Found: found,
		Why:   "without them they belong to no workload that has no selector: " + silence,
		Fix:   fix,
	})
	return true
}

// noLabels matches groups of pods of which nothing says where they are.
func (c *checker) noLabels() []*labels.Matcher {
	var list []*labels.Matcher
	for _, name := range c.namespaceNames() {
		list = append(list, labels.MustNewMatcher(labels.MatchEqual, name, ""))
	}
	for _, name := range c.podNames() {
		list = append(list, labels.MustNewMatcher(labels.MatchEqual, groupPrefix+name, ""))
	}
	return list
}

// selected reports whether a row is picked by the selector of any workload.
func (c *checker) selected(r row) bool {
	for i := range c.o.Workloads {
		if c.o.Workloads[i].Selector != "" && picks(c.selectorOf(i), r) {
			return true
		}
	}
	return false
}

// likeness are matchers of one of the series that lack labels, the most telling first.
func (c *checker) likeness(ctx context.Context, none []*labels.Matcher) []*labels.Matcher {
	by := []string{c.labels.Model, "service", "job"}
	var missing []*labels.Matcher
	for _, m := range none {
		missing = append(missing, labels.MustNewMatcher(m.Type, strings.TrimPrefix(m.Name, groupPrefix), ""))
	}
	var parts []string
	for _, sel := range planned(c.wide.Queries, promapi.FamilyEvidence) {
		parts = append(parts, fmt.Sprintf("count by (%s) (%s)", strings.Join(by, ", "), slices.Concat(sel, missing)))
	}
	rows, _ := c.ask(ctx, strings.Join(parts, " or "))
	var list []*labels.Matcher
	for _, r := range rows[:min(1, len(rows))] {
		for _, name := range by {
			if v := r.Get(name); v != "" {
				list = append(list, labels.MustNewMatcher(labels.MatchEqual, name, v))
			}
		}
	}
	return list
}
