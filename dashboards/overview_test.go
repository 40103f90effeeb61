package dashboards_test

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/dashboards"
)

var update = flag.Bool("update", false, "write the rendered dashboards")

// rendered are the committed files and what they render.
var rendered = map[string]func() dashboards.Dashboard{
	"overview.json": dashboards.Overview,
}

func TestRendering(t *testing.T) {
	for name, dashboard := range rendered {
		want, err := dashboard().JSON()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got a %s that is not the rendering of its Go data, want it as `make dashboards` writes it", name)
		}
	}
}

// exported are the metrics of infscale that a dashboard may read.
var exported = []string{
	"infscale_desired_replicas", "infscale_raw_replicas", "infscale_unbounded_replicas",
	"infscale_current_replicas", "infscale_ready_replicas", "infscale_reporting_replicas",
	"infscale_min_replicas", "infscale_max_replicas",
	"infscale_decision_reason", "infscale_decision_valid",
	"infscale_decision_timestamp_seconds", "infscale_evidence_timestamp_seconds",
	"infscale_requests_running", "infscale_requests_waiting", "infscale_requests_held",
	"infscale_kv_cache_usage_ratio", "infscale_batch_fill_ratio", "infscale_ttft_seconds",
	"infscale_output_tokens_per_second", "infscale_prompt_tokens_per_second",
	"infscale_request_arrivals_per_second",
	"infscale_slo_miss_ratio", "infscale_slo_risk_ratio", "infscale_cold_start_seconds",
	"infscale_decisions_total", "infscale_scale_events_total",
	"infscale_evaluation_duration_seconds_bucket", "infscale_evaluations_missed_total",
	"infscale_prometheus_queries_total", "infscale_prometheus_query_failures_total",
	"infscale_prometheus_query_duration_seconds_bucket",
	"infscale_config_last_reload_successful", "infscale_config_last_reload_success_timestamp_seconds",
	"infscale_build_info",
}

// perWorkload reports whether a metric has a series per workload, or one for the whole daemon.
func perWorkload(name string) bool {
	for _, prefix := range []string{"infscale_evaluation", "infscale_prometheus", "infscale_config", "infscale_build"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	return true
}

// targets calls check with every query of every panel.
func targets(t *testing.T, check func(t *testing.T, p dashboards.Panel, q dashboards.Target)) {
	t.Helper()
	for _, dashboard := range rendered {
		for _, p := range dashboard().Panels {
			t.Run(p.Title, func(t *testing.T) {
				for _, q := range p.Targets {
					check(t, p, q)
				}
			})
		}
	}
}

// parse reads an expression after Grafana has put in its variables.
func parse(t *testing.T, expr string) parser.Expr {
	t.Helper()
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(
		strings.NewReplacer("$__rate_interval", "5m", "$__interval", "1m", "$__range", "1h").Replace(expr))
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return tree
}

func TestQueriesReadWhatIsExported(t *testing.T) {
	targets(t, func(t *testing.T, _ dashboards.Panel, q dashboards.Target) {
		parser.Inspect(parse(t, q.Expr), func(n parser.Node, _ []parser.Node) error {
			if vs, ok := n.(*parser.VectorSelector); ok && !slices.Contains(exported, vs.Name) {
				t.Errorf("got metric %q, which infscale does not export", vs.Name)
			}
			return nil
		})
	})
}

func TestQueriesFollowTheSelectors(t *testing.T) {
	targets(t, func(t *testing.T, _ dashboards.Panel, q dashboards.Target) {
		parser.Inspect(parse(t, q.Expr), func(n parser.Node, _ []parser.Node) error {
			vs, ok := n.(*parser.VectorSelector)
			if !ok {
				return nil
			}
			want := []string{"job", "instance"}
			if perWorkload(vs.Name) {
				want = append(want, "workload_namespace", "workload")
			}
			for _, label := range want {
				m := labels.MustNewMatcher(labels.MatchRegexp, label, "$"+label)
				if !slices.ContainsFunc(vs.LabelMatchers, func(got *labels.Matcher) bool { return got.String() == m.String() }) {
					t.Errorf("got %s, want it with %s", vs, m)
				}
			}
			return nil
		})
	})
}

func TestCountersAreReadAsRates(t *testing.T) {
	targets(t, func(t *testing.T, _ dashboards.Panel, q dashboards.Target) {
		parser.Inspect(parse(t, q.Expr), func(n parser.Node, path []parser.Node) error {
			vs, ok := n.(*parser.VectorSelector)
			if !ok {
				return nil
			}
			counter := strings.HasSuffix(vs.Name, "_total") || strings.HasSuffix(vs.Name, "_bucket")
			rated := slices.ContainsFunc(path, func(n parser.Node) bool {
				call, ok := n.(*parser.Call)
				return ok && call.Func.Name == "rate"
			})
			if counter != rated {
				t.Errorf("got %s, want a rate of a counter and of nothing else", q.Expr)
			}
			return nil
		})
		if strings.Contains(q.Expr, "rate(") && !strings.Contains(q.Expr, "[$__rate_interval]") {
			t.Errorf("got %s, want it over $__rate_interval", q.Expr)
		}
	})
}

// units are those of Grafana's that the dashboards use.
var units = []string{"none", "short", "s", "reqps", "cps", "percentunit", "bool_yes_no"}

func TestPanelsAreComplete(t *testing.T) {
	for _, dashboard := range rendered {
		for _, p := range dashboard().Panels {
			if p.Type == "row" {
				continue
			}
			if p.Title == "" || p.Description == "" {
				t.Errorf("got panel %d with title %q and description %q, want both", p.ID, p.Title, p.Description)
			}
			if len(p.Targets) == 0 || p.Datasource.UID != "${datasource}" {
				t.Errorf("%s: got %d queries of %q, want some of ${datasource}", p.Title, len(p.Targets), p.Datasource.UID)
			}
			if !slices.Contains(units, p.FieldConfig.Defaults.Unit) {
				t.Errorf("%s: got unit %q, want one of %v", p.Title, p.FieldConfig.Defaults.Unit, units)
			}
			for _, q := range p.Targets {
				if q.Datasource.UID != p.Datasource.UID {
					t.Errorf("%s: got query %s of %q, want the panel's source", p.Title, q.RefID, q.Datasource.UID)
				}
			}
		}
	}
}

// Two panels on one place hide each other, and a panel past column 24 is not shown.
func TestPanelsHaveTheirOwnPlace(t *testing.T) {
	for _, dashboard := range rendered {
		taken := map[[2]int]string{}
		for _, p := range dashboard().Panels {
			for x := p.Grid.X; x < p.Grid.X+p.Grid.W; x++ {
				for y := p.Grid.Y; y < p.Grid.Y+p.Grid.H; y++ {
					if other, ok := taken[[2]int{x, y}]; ok || x >= 24 {
						t.Fatalf("%q: column %d, line %d is taken by %q or off the page", p.Title, x, y, other)
					}
					taken[[2]int{x, y}] = p.Title
				}
			}
		}
	}
}

func TestVariables(t *testing.T) {
	labelValues := regexp.MustCompile(`^label_values\((.+), ([a-z_]+)\)$`)
	for _, dashboard := range rendered {
		d := dashboard()
		if d.Editable || d.UID == "" || len(d.Tags) == 0 {
			t.Errorf("%s: got editable %v, uid %q, tags %v", d.Title, d.Editable, d.UID, d.Tags)
		}
		list := d.Templating.List
		if first := list[0]; first.Name != "datasource" || first.Label != "Data source" || first.Type != "datasource" {
			t.Errorf("got first variable %+v, want the data source", first)
		}
		var names []string
		for _, v := range list[1:] {
			names = append(names, v.Name)
			if v.Type != "query" || v.Datasource.UID != "${datasource}" || !v.Multi || v.AllValue != ".+" || v.Refresh != 2 {
				t.Errorf("%s: got %+v, want a query of ${datasource}, many, all as .+, refreshed with the time range", v.Name, v)
			}
			m := labelValues.FindStringSubmatch(v.Query)
			if m == nil || m[2] != v.Name {
				t.Fatalf("%s: got query %q, want the values of label %s", v.Name, v.Query, v.Name)
			}
			parse(t, m[1])
		}
		if want := []string{"job", "instance", "workload_namespace", "workload"}; !slices.Equal(names, want) {
			t.Errorf("got variables %v, want %v", names, want)
		}
	}
}
