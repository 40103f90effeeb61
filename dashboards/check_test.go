package dashboards_test

import (
	"testing"

	"github.com/infscale/infscale/dashboards"
)

func TestShippedDashboardsPassTheCheck(t *testing.T) {
	names := readable(t)
	for _, d := range dashboards.All() {
		for _, m := range dashboards.Check(&d, func(metric string) bool { return names[metric] }) {
			t.Errorf("%s: got %s: %s", d.Name, m.Rule, m.What)
		}
	}
}

func TestCheckNamesEachMistake(t *testing.T) {
	names := readable(t)
	for name, tc := range map[string]struct {
		breaks func(*dashboards.Dashboard)
		want   string
	}{
		"a metric that nobody exports":      {func(d *dashboards.Dashboard) { query(d).Expr = "vllm:avg_prefill_length" }, "unknown-metric"},
		"PromQL that cannot be parsed":      {func(d *dashboards.Dashboard) { query(d).Expr = "sum(" }, "unknown-metric"},
		"a label of all series":             {func(d *dashboards.Dashboard) { d.Templating.List[1].Query = "label_values(workload)" }, "variable-without-metric"},
		"a label of a metric nobody has":    {func(d *dashboards.Dashboard) { d.Templating.List[1].Query = "label_values(node_power, workload)" }, "unknown-metric"},
		"the data source of its author":     {func(d *dashboards.Dashboard) { query(d).Datasource.UID = "authors-own" }, "data-source"},
		"a data source that is not chosen":  {func(d *dashboards.Dashboard) { d.Templating.List = d.Templating.List[1:] }, "data-source"},
		"a variable that is no data source": {func(d *dashboards.Dashboard) { query(d).Datasource.UID = "${workload}" }, "data-source"},
	} {
		t.Run(name, func(t *testing.T) {
			d := dashboards.Dashboard{
				Templating: dashboards.Templating{List: []dashboards.Variable{
					{Name: "datasource", Type: "datasource"},
					{Name: "workload", Type: "query", Query: "label_values(infscale_max_replicas, workload)", Datasource: &dashboards.Datasource{UID: "${datasource}"}},
				}},
				Panels: []dashboards.Panel{{
					Datasource: &dashboards.Datasource{UID: "${datasource}"},
					Targets:    []dashboards.Target{{Expr: "up", Datasource: &dashboards.Datasource{UID: "${datasource}"}}},
				}},
			}
			check := func() []dashboards.Mistake {
				return dashboards.Check(&d, func(metric string) bool { return names[metric] })
			}
			if got := check(); len(got) > 0 {
				t.Fatalf("got %v of a sound dashboard, want none", got)
			}
			tc.breaks(&d)
			got := check()
			if len(got) == 0 || got[0].Rule != tc.want {
				t.Errorf("got %v, want %s", got, tc.want)
			}
		})
	}
}

// query is the first query of a dashboard.
func query(d *dashboards.Dashboard) *dashboards.Target { return &d.Panels[0].Targets[0] }
