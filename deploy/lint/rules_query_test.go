package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/infscale/infscale/deploy/lint"
)

// withQuery returns a ScaledObject with nothing else to complain about.
func withQuery(query, metricType, threshold string) string {
	return fmt.Sprintf(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat}
spec:
  scaleTargetRef: {name: chat}
  minReplicaCount: 1
  maxReplicaCount: 8
  advanced:
    horizontalPodAutoscalerConfig:
      behavior: {scaleDown: {stabilizationWindowSeconds: 0}}
  triggers:
    - type: prometheus
      metricType: %s
      metadata:
        serverAddress: http://prometheus:9090
        threshold: %q
        ignoreNullValues: "false"
        query: %q
`, metricType, threshold, query)
}

// found lists the rules that find something in a manifest, but those on windows, which the
// manifests of tests leave out or set to follow infscale.
func found(t *testing.T, manifest string) string {
	t.Helper()
	ids := rulesOf(check(t, lint.File{Name: "m.yaml", Data: []byte(manifest)}))
	return strings.Join(slices.DeleteFunc(ids, func(id string) bool { return id == "short-window" }), " ")
}

func TestQueries(t *testing.T) {
	const (
		average = "AverageValue"
		value   = "Value"
		own     = `workload_namespace="a",workload="chat"`
	)
	for name, row := range map[string]struct{ metricType, threshold, query, want string }{
		"a total":                             {average, "24", `sum(vllm:num_requests_running{a="b"})`, ""},
		"a sum of totals":                     {average, "24", `sum(vllm:num_requests_running{a="b"}) + sum(vllm:num_requests_waiting{a="b"})`, ""},
		"a total over all":                    {average, "24", `sum(vllm:num_requests_running)`, "no-selector"},
		"a sum of fractions":                  {average, "0.85", `sum(vllm:kv_cache_usage_perc{a="b"})`, ""},
		"a mean":                              {average, "24", `avg(vllm:num_requests_running{a="b"})`, "double-average"},
		"a mean of anything":                  {average, "24", `avg(whatever{a="b"})`, "double-average"},
		"a mean in percent":                   {average, "80", `100 * avg(vllm:kv_cache_usage_perc{a="b"})`, "double-average"},
		"a mean in parentheses":               {average, "24", `(avg((vllm:num_requests_running{a="b"})))`, "double-average"},
		"a mean by or":                        {average, "24", `avg(vllm:num_requests_running{a="b"}) or avg(sglang:num_running_reqs{a="b"})`, "double-average"},
		"a median":                            {average, "24", `quantile(0.5, vllm:num_requests_running{a="b"})`, "double-average"},
		"the busiest":                         {average, "24", `max(vllm:num_requests_running{a="b"})`, "double-average"},
		"the largest of anything":             {average, "24", `max(whatever{a="b"})`, ""},
		"a mean over time of a total":         {average, "24", `avg_over_time(sum(vllm:num_requests_running{a="b"})[1m:])`, ""},
		"a total over a count":                {average, "24", `sum(vllm:num_requests_running{a="b"}) / count(vllm:num_requests_running{a="b"})`, "double-average"},
		"a total over what is up":             {average, "24", `sum(vllm:num_requests_running{a="b"}) / sum(up{a="b"})`, "double-average"},
		"a total over replicas":               {average, "24", `sum(vllm:num_requests_running{a="b"}) / sum(kube_deployment_status_replicas_ready{a="b"})`, "double-average"},
		"a total over a number":               {average, "0.7", `sum(vllm:num_requests_running{a="b"}) / 64`, ""},
		"a mean under Value":                  {value, "0.85", `avg(vllm:kv_cache_usage_perc{a="b"})`, ""},
		"a total under Value":                 {value, "24", `sum(vllm:num_requests_running{a="b"})`, "value-of-total"},
		"a fraction over one":                 {value, "80", `avg(vllm:kv_cache_usage_perc{a="b"})`, "unreachable-target"},
		"a fraction in percent":               {value, "80", `avg(vllm:kv_cache_usage_perc{a="b"}) * 100`, ""},
		"a quantile":                          {average, "2", `histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{a="b"}[5m])))`, "latency-average"},
		"a quantile under Value":              {value, "2", `histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{a="b"}[5m])))`, ""},
		"a quantile of native histograms":     {value, "2", `histogram_quantile(0.95, sum(rate(vllm:time_to_first_token_seconds{a="b"}[5m])))`, ""},
		"a quantile of every replica":         {value, "2", `histogram_quantile(0.95, rate(vllm:time_to_first_token_seconds_bucket{a="b"}[5m]))`, "raw-vector"},
		"the worst quantile":                  {average, "2", `max(histogram_quantile(0.95, rate(vllm:time_to_first_token_seconds_bucket{a="b"}[5m])))`, "latency-average"},
		"a mean latency":                      {average, "2", `sum(rate(vllm:request_queue_time_seconds_sum{a="b"}[5m])) / sum(rate(vllm:request_queue_time_seconds_count{a="b"}[5m]))`, "latency-average"},
		"a mean length":                       {average, "2", `sum(rate(vllm:request_prompt_tokens_sum{a="b"}[5m])) / sum(rate(vllm:request_prompt_tokens_count{a="b"}[5m]))`, "double-average"},
		"every series":                        {average, "24", `vllm:num_requests_running{a="b"}`, "raw-vector"},
		"every model":                         {average, "24", `sum by (model_name) (vllm:num_requests_running{a="b"})`, "raw-vector"},
		"all but a label":                     {average, "24", `sum without (pod) (vllm:num_requests_running{a="b"})`, "raw-vector"},
		"the top one":                         {average, "24", `topk(1, whatever{a="b"})`, ""},
		"the top two":                         {average, "24", `topk(2, whatever{a="b"})`, "raw-vector"},
		"one or all":                          {average, "24", `sum(whatever{a="b"}) or whatever{a="b"}`, "raw-vector"},
		"one unless something":                {average, "24", `sum(whatever{a="b"}) unless on () absent(whatever{a="b"})`, ""},
		"a vector of a number":                {average, "24", `vector(3)`, ""},
		"a number":                            {average, "24", `3`, "query-type"},
		"a range":                             {average, "24", `whatever[5m]`, "query-type"},
		"nothing that parses":                 {average, "24", `sum(whatever`, "query-syntax"},
		"an experimental function":            {average, "24", `mad_over_time(whatever[5m])`, "query-syntax"},
		"zero for nothing":                    {average, "24", `(sum(whatever{a="b"}) or vector(0)) + 1`, "empty-is-zero"},
		"something else for nothing":          {average, "24", `sum(whatever{a="b"}) or sum(other{a="b"})`, ""},
		"an old name":                         {value, "0.85", `avg(vllm:gpu_cache_usage_perc{a="b"})`, "renamed-metric"},
		"an old name beside the new one":      {value, "0.85", `avg(vllm:kv_cache_usage_perc{a="b"}) or avg(vllm:gpu_cache_usage_perc{a="b"})`, ""},
		"an old histogram":                    {value, "2", `histogram_quantile(0.95, sum by (le) (rate(vllm:time_per_output_token_seconds_bucket{a="b"}[5m])))`, "renamed-metric"},
		"an engine's name with another's":     {average, "24", `sum(sglang:num_requests_running{a="b"})`, "renamed-metric"},
		"a gauge that is gone":                {value, "0.8", `avg(llamacpp:kv_cache_usage_ratio{a="b"})`, "renamed-metric"},
		"a recorded name like an engine's":    {average, "24", `sum(vllm_requests_in_flight)`, ""},
		"model for model_name":                {average, "24", `sum(vllm:num_requests_running{model="b"})`, "wrong-label"},
		"model_name of llama.cpp":             {average, "1", `sum(llamacpp:requests_processing{model_name="b"})`, "wrong-label"},
		"a pod's label":                       {average, "24", `sum(vllm:num_requests_running{app="b"})`, "wrong-label"},
		"a pod's recommended label":           {average, "24", `sum(vllm:num_requests_running{app_kubernetes_io_name="b"})`, "wrong-label"},
		"no such label is true of all":        {average, "24", `sum(vllm:num_requests_running{app!="b",model_name="c"})`, ""},
		"a rate of a gauge":                   {average, "24", `sum(rate(vllm:num_requests_running{a="b"}[5m]))`, "rate-of-gauge"},
		"a rate of a subquery of a gauge":     {average, "24", `sum(increase(sum(sglang:num_running_reqs{a="b"})[5m:]))`, "rate-of-gauge"},
		"a slope of a gauge":                  {average, "24", `sum(deriv(vllm:num_requests_running{a="b"}[5m]))`, ""},
		"a rate of a counter":                 {average, "900", `sum(rate(vllm:generation_tokens_total{a="b"}[5m]))`, ""},
		"the level of a counter":              {average, "900", `sum(vllm:generation_tokens_total{a="b"})`, "counter-level"},
		"the number of counters":              {average, "900", `count(vllm:generation_tokens_total{a="b"})`, ""},
		"the add-on's gauge named count":      {average, "24", `sum(interceptor_pending_request_count{host="b"})`, ""},
		"a busy GPU":                          {value, "80", `avg(DCGM_FI_DEV_GPU_UTIL{a="b"})`, "gpu-utilisation"},
		"a hot GPU's energy":                  {average, "80", `sum(rate(DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{a="b"}[5m]))`, ""},
		"what waits alone":                    {average, "5", `sum(vllm:num_requests_waiting{a="b"})`, "waiting-only"},
		"a recommendation":                    {average, "1", `max(infscale_desired_replicas{` + own + `})`, ""},
		"a recommendation, valid first":       {average, "1", `max(infscale_desired_replicas{` + own + `} and on (instance) (infscale_decision_valid{` + own + `} == 1)) or max(infscale_desired_replicas{` + own + `})`, ""},
		"a recommendation of each twin":       {average, "1", `infscale_desired_replicas{` + own + `}`, "raw-vector"},
		"a sum of twins":                      {average, "1", `sum(infscale_desired_replicas{` + own + `})`, "twins-summed"},
		"a sum of the largest":                {average, "1", `sum(max(infscale_desired_replicas{` + own + `}))`, ""},
		"a recommendation over two":           {average, "2", `max(infscale_desired_replicas{` + own + `})`, "replica-target"},
		"a recommendation under Value":        {value, "1", `max(infscale_desired_replicas{` + own + `})`, "value-of-total"},
		"infscale's own namespace":            {average, "1", `max(infscale_desired_replicas{namespace="a",workload="chat"})`, "wrong-label"},
		"both namespaces":                     {average, "1", `max(infscale_desired_replicas{namespace="infscale",` + own + `})`, ""},
		"a Deployment of a recommendation":    {average, "1", `max(infscale_desired_replicas{deployment="chat"})`, "wrong-label"},
		"a cluster of a recommendation":       {average, "1", `max(infscale_desired_replicas{cluster="a",` + own + `})`, ""},
		"a fraction that infscale exports":    {average, "0.8", `max(infscale_batch_fill_ratio{` + own + `})`, "double-average"},
		"a count written as a milli quantity": {average, "1000m", `max(infscale_desired_replicas{` + own + `})`, ""},
	} {
		if got := found(t, withQuery(row.query, row.metricType, row.threshold)); got != row.want {
			t.Errorf("%s: got %q, want %q: %s", name, got, row.want, row.query)
		}
	}
}

// A query of its own is one for a trigger of the default type.
func TestQueryFiles(t *testing.T) {
	for query, want := range map[string]string{
		`sum(vllm:num_requests_running{a="b"})`:   "",
		`avg(vllm:num_requests_running{a="b"})`:   "double-average",
		`sum(vllm:num_requests_running{a="b"}`:    "query-syntax",
		"# nothing":                               "query-syntax",
		`sum(vllm:num_requests_waiting) > bool 5`: "no-selector",
	} {
		got := strings.Join(rulesOf(check(t, lint.File{Name: "q.promql", Data: []byte(query)})), " ")
		if got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}
