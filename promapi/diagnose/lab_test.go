package diagnose

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/recommender"
)

// epoch is the invented present, after which everything is loaded.
var epoch = time.Unix(1_700_000_400, 0).UTC()

const (
	scrapeEvery = 15 * time.Second
	samples     = 80 // 20 minutes
	checkAfter  = 19 * time.Minute
)

// A lab is a real Prometheus with invented samples, read through its real HTTP API.
type lab struct {
	*embedded.Prometheus
	client *promapi.Client
}

func newLab(t *testing.T) *lab {
	t.Helper()
	p, err := embedded.Start(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	server := httptest.NewServer(p.Handler())
	t.Cleanup(server.Close)
	return &lab{p, clientOf(t, server.URL)}
}

// load adds series, the first value at a time.
func (l *lab) load(t *testing.T, at time.Time, series ...string) {
	t.Helper()
	if err := l.Load(at, scrapeEvery, series...); err != nil {
		t.Fatal(err)
	}
}

func clientOf(t *testing.T, url string) *promapi.Client {
	t.Helper()
	cfg := promapi.DefaultConfig()
	cfg.URL = url
	cfg.Timeout *= 6 // The machine may be busy.
	client, err := promapi.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// check runs a check of the workloads, so long after a time.
func check(t *testing.T, source Source, o Options, at time.Time, workloads ...promapi.Workload) *Report {
	t.Helper()
	o.Workloads, o.Now = workloads, at.Add(checkAfter)
	report, err := Run(t.Context(), source, o)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// chat is the workload that most tests are about.
func chat(change ...func(*promapi.Workload)) promapi.Workload {
	w := promapi.Workload{Namespace: "inference", Name: "chat", Policy: &recommender.Policy{
		Min: 1, Max: 8,
		Signals: []recommender.Signal{{Metric: recommender.Queue, Target: 24}},
	}}
	for _, f := range change {
		f(&w)
	}
	return w
}

// signals sets the signals of a workload.
func signals(list ...recommender.Signal) func(*promapi.Workload) {
	return func(w *promapi.Workload) { w.Policy.Signals = list }
}

func pod(i int) string { return fmt.Sprintf("chat-6f5d9c7b9d-pod%02d", i) }

// every writes a series with one value all the time.
func every(series string, value float64) string {
	return fmt.Sprintf("%s %gx%d", series, value, samples)
}

// kube is what kube-state-metrics says of a Deployment of two ready pods.
func kube() []string {
	list := []string{
		every(`kube_deployment_spec_replicas{namespace="inference",deployment="chat"}`, 2),
		every(`kube_deployment_status_replicas_ready{namespace="inference",deployment="chat"}`, 2),
		every(`kube_replicaset_owner{namespace="inference",replicaset="chat-6f5d9c7b9d",owner_kind="Deployment",owner_name="chat"}`, 1),
		every(`kube_pod_info{namespace="inference",pod="chat-6f5d9c7b9d-pod00"}`, 1),
	}
	for i := range 2 {
		list = append(list,
			every(fmt.Sprintf(`kube_pod_owner{namespace="inference",pod=%q,owner_kind="ReplicaSet",owner_name="chat-6f5d9c7b9d",owner_is_controller="true"}`, pod(i)), 1),
			every(fmt.Sprintf(`kube_pod_status_ready{namespace="inference",pod=%q,condition="true"}`, pod(i)), 1))
	}
	return list
}

// targets says that the pods are scraped.
func targets(up float64) []string {
	var list []string
	for i := range 2 {
		list = append(list, every(fmt.Sprintf(`up{namespace="inference",pod=%q,job="vllm",instance="10.0.0.%d:8000"}`, pod(i), i), up))
	}
	return list
}

// vllm is what two replicas export.
func vllm() []string {
	var list []string
	for i := range 2 {
		at := fmt.Sprintf(`{namespace="inference",pod=%q,job="vllm",instance="10.0.0.%d:8000",model_name="llama",deployment="chat"}`, pod(i), i)
		bucket := func(le string) string { return strings.TrimSuffix(at, "}") + `,le="` + le + `"}` }
		list = append(list,
			every("vllm:num_requests_running"+at, 3), every("vllm:num_requests_waiting"+at, 1),
			every("vllm:kv_cache_usage_perc"+at, 0.5),
			fmt.Sprintf("vllm:generation_tokens_total%s 0+300x%d", at, samples),
			fmt.Sprintf("vllm:prompt_tokens_total%s 0+900x%d", at, samples),
			fmt.Sprintf("vllm:request_success_total%s 0+15x%d", at, samples),
			fmt.Sprintf("vllm:time_to_first_token_seconds_bucket%s 0+12x%d", bucket("1.0"), samples),
			fmt.Sprintf("vllm:time_to_first_token_seconds_bucket%s 0+14x%d", bucket("2.5"), samples),
			fmt.Sprintf("vllm:time_to_first_token_seconds_bucket%s 0+15x%d", bucket("+Inf"), samples))
	}
	return list
}

// healthy is a cluster without a fault.
func healthy() []string { return slices.Concat(kube(), targets(1), vllm()) }

// replaced changes every series.
func replaced(list []string, pairs ...string) []string {
	out := slices.Clone(list)
	for i := range out {
		out[i] = strings.NewReplacer(pairs...).Replace(out[i])
	}
	return out
}

// without drops the series that have a text in them.
func without(list []string, parts ...string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(s, part) })
	})
}

// show writes findings for messages.
func show(list []Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "\n  %s %s %s %s at %s: %s | %s | %s", f.Severity, f.Code, f.Workload, f.Signal, f.Place, f.Found, f.Why, f.Fix)
	}
	return b.String()
}
