package dashboards_test

import (
	"context"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/recommender/config"
	"github.com/infscale/infscale/recommender/daemon"
	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/rules"
)

const small = `
prometheus:
  url: http://127.0.0.1:9
workloads:
  - namespace: inference
    name: chat
    replicas: {min: 1, max: 8}
    signals: [{metric: queue, target: 24}]
`

// readable are the names of all that a dashboard may read: what the daemon really
// registers, what the rules record, and what Prometheus says of its targets.
func readable(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{"up": true}
	for _, name := range slices.Concat(ofDaemon(t), ofDecisions(), recordedNames(t)) {
		names[name] = true
	}
	return names
}

// ofDaemon are the names of the series that a daemon exports which has just been built.
func ofDaemon(t *testing.T) []string {
	t.Helper()
	registry := prometheus.NewRegistry()
	d, err := daemon.New(daemon.Options{
		Load:     func() (*config.Config, error) { return config.Parse([]byte(small), "small.yaml") },
		Registry: registry,
	})
	if err != nil {
		t.Fatal(err)
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Run(ctx); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, family := range families {
		name := family.GetName()
		if family.GetType().String() == "HISTOGRAM" {
			names = append(names, name+"_bucket", name+"_sum", name+"_count")
			continue
		}
		names = append(names, name)
	}
	return names
}

// ofDecisions are the names of what mirrors decisions, those that are still unknown included.
func ofDecisions() []string {
	ch := make(chan *prometheus.Desc)
	go func() {
		export.NewCollector().Describe(ch)
		close(ch)
	}()
	var names []string
	for desc := range ch {
		names = append(names, regexp.MustCompile(`fqName: "([^"]+)"`).FindStringSubmatch(desc.String())[1])
	}
	return names
}

func recordedNames(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(rules.Files, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files {
		data, err := fs.ReadFile(rules.Files, file)
		if err != nil {
			t.Fatal(err)
		}
		var f struct {
			Groups []struct {
				Rules []struct {
					Record string `yaml:"record"`
				} `yaml:"rules"`
			} `yaml:"groups"`
		}
		if err := yaml.Unmarshal(data, &f); err != nil {
			t.Fatal(err)
		}
		for _, g := range f.Groups {
			for _, r := range g.Rules {
				names = append(names, r.Record)
			}
		}
	}
	return names
}

// selectors calls check with every selector of an expression.
func selectors(t *testing.T, expr string, check func(*parser.VectorSelector)) {
	t.Helper()
	parser.Inspect(parse(t, expr), func(n parser.Node, _ []parser.Node) error {
		if vs, ok := n.(*parser.VectorSelector); ok {
			check(vs)
		}
		return nil
	})
}

func TestQueriesReadWhatThereIs(t *testing.T) {
	names := readable(t)
	if len(names) < 100 {
		t.Fatalf("got %d names, want those of the daemon, of Go and of the rules", len(names))
	}
	targets(t, func(t *testing.T, _ dashboards.Panel, q dashboards.Target) {
		selectors(t, q.Expr, func(vs *parser.VectorSelector) {
			if !names[vs.Name] {
				t.Errorf("got metric %q, which neither infscale nor a rule exports", vs.Name)
			}
		})
	})
}

// Every metric of decisions is on a dashboard, or it would not be worth exporting.
func TestDashboardsShowEveryDecisionMetric(t *testing.T) {
	shown := map[string]bool{}
	targets(t, func(t *testing.T, _ dashboards.Panel, q dashboards.Target) {
		selectors(t, q.Expr, func(vs *parser.VectorSelector) { shown[vs.Name] = true })
	})
	for _, name := range ofDecisions() {
		if !shown[name] {
			t.Errorf("got no panel of %s, want one", name)
		}
	}
}

// chosen are the labels by which a selector must follow the variables.
func chosen(name string, variables []string) []string {
	switch {
	case strings.Contains(name, ":"):
		return []string{"namespace=$workload_namespace", "workload=$workload"}
	case aboutWorkloads(name) && slices.Contains(variables, "workload"):
		return []string{"job=$job", "instance=$instance", "workload_namespace=$workload_namespace", "workload=$workload"}
	default:
		return []string{"job=$job", "instance=$instance"}
	}
}

// aboutWorkloads reports whether a metric has a series per workload, or one for the whole
// daemon.
func aboutWorkloads(name string) bool {
	if !strings.HasPrefix(name, "infscale_") {
		return false
	}
	return !slices.ContainsFunc([]string{"evaluation", "prometheus", "config", "build"}, func(of string) bool {
		return strings.HasPrefix(name, "infscale_"+of)
	})
}

func TestQueriesFollowTheVariables(t *testing.T) {
	for _, d := range dashboards.All() {
		var variables []string
		for _, v := range d.Templating.List {
			variables = append(variables, v.Name)
		}
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				selectors(t, q.Expr, func(vs *parser.VectorSelector) {
					for _, pair := range chosen(vs.Name, variables) {
						label, variable, _ := strings.Cut(pair, "=")
						m := labels.MustNewMatcher(labels.MatchRegexp, label, variable)
						if !slices.ContainsFunc(vs.LabelMatchers, func(got *labels.Matcher) bool { return got.String() == m.String() }) {
							t.Errorf("%s: %s: got %s, want it with %s", d.Name, p.Title, vs, m)
						}
					}
				})
			}
		}
	}
}
