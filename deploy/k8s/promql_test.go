package k8s_test

import (
	"bufio"
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/recommender/export"
)

// names are the metrics that a query here may read: what infscale exports per workload, what
// the recorded pages of engines and gateways show, and what the recording rules record.
func names(t *testing.T) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	fqName := regexp.MustCompile(`fqName: "([^"]+)"`)
	ch := make(chan *prometheus.Desc, 100)
	export.NewCollector().Describe(ch)
	close(ch)
	for d := range ch {
		known[fqName.FindStringSubmatch(d.String())[1]] = true
	}
	for _, pattern := range []string{"../../promapi/testdata/pages/*.prom", "../../rules/*.yaml"} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: got files %v and error %v, want some", pattern, files, err)
		}
		for _, f := range files {
			lines := bufio.NewScanner(bytes.NewReader(content(t, f)))
			for lines.Scan() {
				known[metricOf(lines.Text())] = true
			}
		}
	}
	return known
}

// metricOf returns the name at the start of a line of a page, or that which a rule records.
func metricOf(line string) string {
	if record, ok := strings.CutPrefix(strings.TrimSpace(line), "- record: "); ok {
		return record
	}
	name, _, _ := strings.Cut(line, " ")
	name, _, _ = strings.Cut(name, "{")
	return name
}

func TestNamesAreOfAllThreeSources(t *testing.T) {
	known := names(t)
	for _, name := range []string{
		"infscale_desired_replicas", "vllm:num_requests_running", "vllm:time_to_first_token_seconds_bucket",
		"interceptor_request_concurrency", "vllm_requests_in_flight",
	} {
		if !known[name] {
			t.Errorf("got no %s among %d names", name, len(known))
		}
	}
	for _, name := range []string{"vllm:num_requests", "infscale_desired", "vllm:queue"} {
		if known[name] {
			t.Errorf("got %s, which nobody exports", name)
		}
	}
}

// queries returns every PromQL text of the manifests, by place.
func queries(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, o := range manifests(t) {
		switch o := o.(type) {
		case *scaledObject:
			for _, tr := range o.Spec.Triggers {
				if q := tr.Metadata["query"]; q != "" {
					all[name+" "+tr.Name] = string(q)
				}
			}
		case *configMap:
			for _, r := range adapterRules(t, o) {
				all[name+" series"] = r.Series
				all[name+" "+r.Series] = r.rendered()
			}
		}
	}
	return all
}

type adapterRule struct{ Series, Query, Namespace string }

// adapterRules reads the configuration of prometheus-adapter in a ConfigMap.
func adapterRules(t *testing.T, m *configMap) []adapterRule {
	t.Helper()
	var c adapterConfig
	decode(t, m.Metadata.Name, []byte(m.Data["config.yaml"]), &c)
	var rules []adapterRule
	for _, e := range c.External {
		r := adapterRule{Series: e.Series, Query: e.Query}
		for label, resource := range e.Resources.Overrides {
			if resource.Resource == "namespace" {
				r.Namespace = label
			}
		}
		rules = append(rules, r)
	}
	return rules
}

// rendered returns the query as the adapter sends it for an HPA in the namespace `inference`.
func (r adapterRule) rendered() string {
	return strings.NewReplacer(
		"<<.Series>>", metricOf(r.Series),
		"<<.LabelMatchers>>", r.Namespace+`="inference",x="y"`,
	).Replace(r.Query)
}

func TestQueriesParseAndReadWhatExists(t *testing.T) {
	known, all := names(t), queries(t)
	if len(all) < 8 {
		t.Errorf("got %d queries, want those of every ScaledObject and of the adapter", len(all))
	}
	for where, query := range all {
		tree, err := parser.NewParser(parser.Options{}).ParseExpr(query)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
			if s, ok := n.(*parser.VectorSelector); ok && !known[s.Name] {
				t.Errorf("%s: got %s, which nobody exports", where, s.Name)
			}
			return nil
		})
	}
}

// KEDA takes one number: outside a comparison every selector is under an aggregation without
// labels, as a bare one has as many elements as there are pods.
func TestTriggersAskForOneNumber(t *testing.T) {
	each(t, func(t *testing.T, _ string, s *scaledObject) {
		for _, tr := range s.Spec.Triggers {
			if tr.Type != "prometheus" {
				continue
			}
			tree, err := parser.NewParser(parser.Options{}).ParseExpr(string(tr.Metadata["query"]))
			if err != nil {
				t.Fatal(err)
			}
			if !single(tree) {
				t.Errorf("%s: got %s, which has as many elements as there are series", tr.Name, tree)
			}
		}
	})
}

// single reports whether the expression has one element at most, whatever there is to read.
func single(e parser.Expr) bool {
	switch e := e.(type) {
	case *parser.ParenExpr:
		return single(e.Expr)
	case *parser.AggregateExpr:
		return len(e.Grouping) == 0 && !e.Without
	case *parser.BinaryExpr:
		return single(e.LHS) && single(e.RHS)
	case *parser.Call:
		// A quantile of buckets that are summed over all but le.
		agg, ok := e.Args[len(e.Args)-1].(*parser.AggregateExpr)
		return e.Func.Name == "histogram_quantile" && ok && slices.Equal(agg.Grouping, []string{"le"})
	case *parser.NumberLiteral:
		return true
	}
	return false
}

func TestSingleRefusesManyElements(t *testing.T) {
	one := []string{
		`sum(a) + sum(b)`,
		`histogram_quantile(0.95, sum by (le) (rate(x_bucket[5m])))`,
	}
	many := []string{
		`vllm:num_requests_waiting`,
		`sum by (pod) (vllm:num_requests_waiting)`,
		`sum(a) or b`,
		`histogram_quantile(0.95, rate(x_bucket[5m]))`,
		`histogram_quantile(0.95, sum by (le, pod) (rate(x_bucket[5m])))`,
	}
	for _, query := range slices.Concat(one, many) {
		tree, err := parser.NewParser(parser.Options{}).ParseExpr(query)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := single(tree), slices.Contains(one, query); got != want {
			t.Errorf("%s: got %t, want %t", query, got, want)
		}
	}
}

// A level over AverageValue is divided by the replicas twice, and a total over Value is
// multiplied by them.
func TestTotalsAreAveragedAndLevelsAreNot(t *testing.T) {
	each(t, func(t *testing.T, _ string, s *scaledObject) {
		for _, tr := range s.Spec.Triggers {
			query := string(tr.Metadata["query"])
			level := strings.HasPrefix(query, "avg(") || strings.HasPrefix(query, "histogram_quantile(")
			if want := map[bool]string{false: "AverageValue", true: "Value"}[level]; query != "" && tr.MetricType != want {
				t.Errorf("%s: got metricType %s, want %s", tr.Name, tr.MetricType, want)
			}
		}
	})
}

// The adapter serves the metrics that the HPAs ask for, with the labels that they select by.
func TestAdapterServesTheHPAs(t *testing.T) {
	rules := adapterRules(t, read[configMap](t, "examples/hpa/adapter.yaml"))
	each(t, func(t *testing.T, _ string, h *horizontalPodAutoscaler) {
		m := h.Spec.Metrics[0].External.Metric
		i := slices.IndexFunc(rules, func(r adapterRule) bool { return metricOf(r.Series) == m.Name })
		if i < 0 {
			t.Fatalf("got no rule that serves %s", m.Name)
		}
		if rules[i].Namespace == "" {
			t.Error("got no label for the namespace: one team would read the number of another")
		}
		tree, err := parser.NewParser(parser.Options{}).ParseExpr(rules[i].rendered())
		if err != nil {
			t.Fatal(err)
		}
		parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
			if agg, ok := n.(*parser.AggregateExpr); ok {
				for label := range m.Selector.MatchLabels {
					if !slices.Contains(agg.Grouping, label) {
						t.Errorf("got %s, want it split by %s, which the HPA selects by", agg, label)
					}
				}
			}
			return nil
		})
	})
}

func TestPatchesAreValidYAML(t *testing.T) {
	each(t, func(t *testing.T, _ string, k *kustomization) {
		for _, p := range k.Patches {
			var n yaml.Node
			decode(t, "patch", []byte(p.Patch), &n)
		}
	})
}
