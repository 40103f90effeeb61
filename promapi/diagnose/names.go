package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
)

// otherLabels says that the series of a workload have its namespace and pods under other
// labels than are configured.
func (c *checker) otherLabels(s *subject) bool {
	pods := c.podNames()
	if s.Selector != "" {
		pods = pods[:1] // A selector does not look at pods.
	}
	for _, pod := range pods {
		for _, namespace := range c.namespaceNames() {
			rows := slices.DeleteFunc(picked(c.past.rows, c.wanted(s, namespace, pod)), func(r row) bool { return r.Get(namespace) == "" })
			if len(rows) > 0 {
				c.clash(s, namespace, pod, rows[0])
				return true
			}
		}
	}
	return c.otherModel(s)
}

// clash reports a row that is the workload's under other names.
func (c *checker) clash(s *subject, namespace, pod string, r row) {
	var set, say []string
	for _, name := range []struct{ key, configured, real, shown string }{
		{"namespace", c.labels.Namespace, namespace, ""}, {"pod", c.labels.Pod, pod, groupPrefix},
	} {
		if name.configured == name.real {
			continue
		}
		set = append(set, fmt.Sprintf("%s: %s", name.key, name.real))
		say = append(say, fmt.Sprintf("%s is %q and %s is %q", name.real, r.Get(name.shown+name.real),
			name.configured, r.Get(name.shown+name.configured)))
	}
	c.add(Finding{
		Severity: s.severity(), Code: LabelClash, Workload: s.id, Place: "labels",
		Found: "its series have other labels: " + strings.Join(say, ", "),
		Why:   silence,
		Fix:   fmt.Sprintf("set labels: {%s}, or honor_labels (honorLabels) in the scrape", strings.Join(set, ", ")),
	})
}

// otherModel says that the series have the model of a selector under another label.
func (c *checker) otherModel(s *subject) bool {
	if s.Selector == "" {
		return false
	}
	for _, model := range modelNames {
		renamed := c.wanted(s, c.labels.Namespace, c.labels.Pod)
		has := false
		for _, m := range renamed {
			if m.Name == c.labels.Model && model != c.labels.Model {
				m.Name, has = model, true
			}
		}
		if has && len(picked(c.past.rows, renamed)) > 0 {
			c.add(Finding{
				Severity: s.severity(), Code: LabelClash, Workload: s.id, Place: "labels.model",
				Found: fmt.Sprintf("its series have the model under the label %s, not %s", model, c.labels.Model),
				Why:   silence,
				Fix:   fmt.Sprintf("set labels: {model: %s}", model),
			})
			return true
		}
	}
	return false
}

// otherNamespace says that pods of that name are heard, of another namespace.
func (c *checker) otherNamespace(s *subject) bool {
	if s.Selector != "" {
		return false
	}
	rows := picked(c.past.rows, c.wanted(s, c.labels.Namespace, c.labels.Pod)[1:])
	if len(rows) == 0 || c.isElsewhere(s, rows) {
		return false
	}
	list, _ := near(s.Namespace, values(rows, c.labels.Namespace))
	found := "pods of its name are heard without a namespace"
	if len(list) > 0 {
		found = "pods of its name are heard with " + oneOf(c.labels.Namespace, list)
	}
	c.add(Finding{
		Severity: s.severity(), Code: NeverMatched, Workload: s.id, Place: s.place + ".namespace",
		Found: fmt.Sprintf("%s, and none with %s=%q in %s", found, c.labels.Namespace, s.Namespace, c.lookedBack()),
		Why:   silence,
		Fix:   "let the scrape set the label to the namespace of the pod, or name the label that has it in labels.namespace",
	})
	return true
}

// isElsewhere reports whether an object of the same name in those namespaces has the
// pods, so that they are its own.
func (c *checker) isElsewhere(s *subject, rows []row) bool {
	for _, r := range c.source.rows(c.plan.Queries, promapi.FamilyReplicas) {
		name, namespace := r.Get("deployment")+r.Get("statefulset"), cmp.Or(r.Get("exported_namespace"), r.Get("namespace"))
		if name == s.object && namespace != s.Namespace && slices.Contains(values(rows, c.labels.Namespace), namespace) {
			return true
		}
	}
	return false
}

// killed says which matchers of a selector take all series away.
func (c *checker) killed(s *subject) bool {
	if s.Selector == "" {
		return false
	}
	dead, ok := explain(c.wanted(s, c.labels.Namespace, c.labels.Pod), c.past.rows)
	if !ok {
		return false
	}
	var fixes []string
	for i, m := range dead.matchers {
		if m.Name == c.labels.Namespace && m.Type == labels.MatchRegexp {
			dead.matchers[i] = labels.MustNewMatcher(labels.MatchEqual, m.Name, s.Namespace)
		}
		fixes = append(fixes, c.suggest(dead.matchers[i], dead.rows))
	}
	c.add(Finding{
		Severity: s.severity(), Code: NeverMatched, Workload: s.id, Place: s.place + ".selector",
		Found: fmt.Sprintf("%s matched nothing in %s; without it: %s of pods",
			text(dead.matchers), c.lookedBack(), plural(len(distinctGroups(dead.rows)), "group")),
		Why: silence,
		Fix: strings.Join(fixes, "; "),
	})
	return true
}

// suggest is a suggestion that knows the labels under which the value occurs.
func (c *checker) suggest(m *labels.Matcher, rows []row) string {
	if len(values(rows, m.Name)) == 0 {
		for _, r := range rows {
			for _, l := range r.Labels {
				if l.Value == m.Value && l.Name != "metric" {
					return fmt.Sprintf("did you mean %s=%q?", strings.TrimPrefix(l.Name, groupPrefix), l.Value)
				}
			}
		}
	}
	return suggestion(m, rows)
}

// distinctGroups are the rows that differ in more than the time of their samples.
func distinctGroups(rows []row) map[string]bool {
	set := map[string]bool{}
	for _, r := range rows {
		set[r.String()] = true
	}
	return set
}

// noPods says that the series in the namespace do not say which pod they are of.
func (c *checker) noPods(s *subject) bool {
	if s.Selector != "" {
		return false
	}
	rows := slices.DeleteFunc(picked(c.past.rows, c.wanted(s, c.labels.Namespace, c.labels.Pod)[:1]), func(r row) bool {
		return slices.ContainsFunc(c.podNames(), func(pod string) bool { return r.Get(groupPrefix+pod) != "" })
	})
	if len(rows) == 0 {
		return false
	}
	fix := "let the scrape set a label for the pod, or give the workload a selector"
	if models := values(rows, c.labels.Model); len(models) > 0 {
		fix += fmt.Sprintf(", such as '{%s=%q}'", c.labels.Model, models[0])
	}
	c.add(Finding{
		Severity: s.severity(), Code: NoPodLabel, Workload: s.id, Place: s.place + ".selector",
		Found: fmt.Sprintf("engines are heard in the namespace whose series have no label %s", c.labels.Pod),
		Why:   "without it they belong to no workload that has no selector: " + silence,
		Fix:   fix,
	})
	return true
}
