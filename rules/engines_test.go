package rules_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// engineNames returns every metric of an engine that infscale itself asks for, from the texts
// of its queries: the rules have to read the same. Histograms stand without _bucket.
func engineNames(t *testing.T) map[string]bool {
	t.Helper()
	plan, err := promapi.NewPlan([]promapi.Workload{{
		Namespace: "inference", Name: "chat",
		Policy: &recommender.Policy{Min: 1, Max: 8, Signals: []recommender.Signal{
			{Metric: recommender.Waiting, Target: 5},
			{Metric: recommender.KVCacheUsage, Target: 0.8},
			{Metric: recommender.OutputTokens, Target: 1000},
			{Metric: recommender.TTFT, Target: 1, Percentile: 0.95},
		}},
	}}, promapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, q := range plan.Queries {
		for _, vs := range selectors(t, q.Text) {
			for _, name := range namesOf(vs) {
				if regexp.MustCompile(`^(ray_)?(vllm|sglang|llamacpp)[:_]`).MatchString(name) {
					found[strings.TrimSuffix(name, "_bucket")] = true
				}
			}
		}
	}
	return found
}

// namesOf returns the names a selector reads, one or a list of alternatives.
func namesOf(vs *parser.VectorSelector) []string {
	for _, m := range vs.LabelMatchers {
		if m.Name == model.MetricNameLabel {
			return strings.Split(m.Value, "|")
		}
	}
	return []string{vs.Name}
}

// A name that infscale reads and the rules don't would leave the workloads of that engine, or
// of that version of it, out of every sum.
func TestRulesReadEveryNameThatInfscaleReads(t *testing.T) {
	read := map[string]bool{}
	for _, recorded := range load(t) {
		for _, r := range recorded {
			for _, vs := range selectors(t, r.Expr) {
				read[strings.TrimSuffix(vs.Name, "_bucket")] = true
			}
		}
	}
	names := engineNames(t)
	if len(names) < 40 {
		t.Fatalf("got %d names of engines from the plan, want those of all engines", len(names))
	}
	for name := range names {
		if !read[name] {
			t.Errorf("got no rule that reads %s", name)
		}
	}
}

// The metric names of the two per-server rules: a name added to one and forgotten in the
// other would leave its servers without a sum.
func TestRunningAndWaitingReadTheSameEngines(t *testing.T) {
	read := map[string][]string{}
	for _, recorded := range load(t) {
		for _, r := range recorded {
			for _, vs := range selectors(t, r.Expr) {
				read[r.Record] = append(read[r.Record], vs.Name)
			}
		}
	}
	rename := strings.NewReplacer("requests_running", "requests_waiting",
		"num_running_reqs", "num_queue_reqs", "requests_processing", "requests_deferred")
	running := strings.Join(read["namespace_pod_instance:inference_requests_running:sum"], " ")
	if running == "" {
		t.Fatal("got no metric in the rule of running")
	}
	waiting := strings.Join(read["namespace_pod_instance:inference_requests_waiting:sum"], " ")
	if want := rename.Replace(running); waiting != want {
		t.Errorf("got waiting from %v, want it from %v", waiting, want)
	}
}
