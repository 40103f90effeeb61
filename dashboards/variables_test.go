package dashboards_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/infscale/infscale/dashboards"
)

func TestVariables(t *testing.T) {
	for _, d := range dashboards.All() {
		list := d.Templating.List
		if first := list[0]; first.Name != "datasource" || first.Label != "Data source" || first.Type != "datasource" {
			t.Errorf("%s: got first variable %+v, want the data source", d.Name, first)
		}
		var names []string
		for _, v := range list[1:] {
			names = append(names, v.Name)
			checkVariable(t, d.Name, v)
		}
		want := []string{"job", "instance", "workload_namespace", "workload"}
		if d.Name == "infscale" {
			want = want[:2]
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: got variables %v, want %v", d.Name, names, want)
		}
	}
}

var labelValues = regexp.MustCompile(`^label_values\((.+), ([a-z_]+)\)$`)

// checkVariable checks a variable that asks Prometheus for its choices.
func checkVariable(t *testing.T, dashboard string, v dashboards.Variable) {
	t.Helper()
	if v.Type != "query" || v.Datasource.UID != "${datasource}" || !v.Multi || v.Refresh != 2 {
		t.Errorf("%s: %s: got %+v, want a query of ${datasource}, many, refreshed with the time range", dashboard, v.Name, v)
	}
	if v.IncludeAll != (v.AllValue == ".+") {
		t.Errorf("%s: %s: got all %v as %q, want .+ and only where all can be chosen", dashboard, v.Name, v.IncludeAll, v.AllValue)
	}
	if name := strings.ToLower(strings.ReplaceAll(v.Label, " ", "_")); name != v.Name {
		t.Errorf("%s: got label %q of %s, want its name", dashboard, v.Label, v.Name)
	}
	if (v.Name == "job" || v.Name == "instance") && !v.IncludeAll {
		t.Errorf("%s: %s: got no choice of all, want one", dashboard, v.Name)
	}
	m := labelValues.FindStringSubmatch(v.Query)
	if m == nil || m[2] != v.Name {
		t.Fatalf("%s: %s: got query %q, want the values of that label", dashboard, v.Name, v.Query)
	}
	parse(t, m[1])
}

// A dashboard is imported over the one before, which only works under the same fixed name.
func TestDashboardsAreFixed(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range dashboards.All() {
		if d.Editable || !strings.HasPrefix(d.UID, "infscale-") || len(d.UID) > 40 || seen[d.UID] {
			t.Errorf("%s: got editable %v and uid %q, want it fixed and its own", d.Name, d.Editable, d.UID)
		}
		seen[d.UID] = true
		if !slices.Contains(d.Tags, "infscale") || len(d.Links) != 1 || !slices.Equal(d.Links[0].Tags, []string{"infscale"}) {
			t.Errorf("%s: got tags %v and links %v, want those that join the dashboards", d.Name, d.Tags, d.Links)
		}
	}
}

// Names of columns and series in overrides are those that the panel has.
func TestOverridesMatchSomething(t *testing.T) {
	for _, d := range dashboards.All() {
		for _, p := range d.Panels {
			if p.FieldConfig == nil {
				continue
			}
			for _, o := range p.FieldConfig.Overrides {
				if !slices.ContainsFunc(seriesNames(p), func(name string) bool { return matches(o.Matcher, name) }) {
					t.Errorf("%s: %s: got an override of %q, want one of a series that there is: %q", d.Name, p.Title, o.Matcher.Options, seriesNames(p))
				}
			}
		}
	}
}

// seriesNames are the legends of a panel and the columns of a table. A label that is the
// last part of a legend may be any of those named in overrides.
func seriesNames(p dashboards.Panel) []string {
	var names []string
	for _, q := range p.Targets {
		names = append(names, q.Legend, strings.NewReplacer("{{replicas}}", "desired").Replace(q.Legend),
			strings.NewReplacer("{{replicas}}", "current").Replace(q.Legend))
	}
	for _, step := range p.Transformations {
		for _, name := range step.Options.RenameByName {
			names = append(names, name)
		}
	}
	return names
}

func matches(m dashboards.Matcher, name string) bool {
	if m.ID == "byName" {
		return m.Options == name
	}
	return regexp.MustCompile(m.Options).MatchString(name)
}
