package diagnose

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/embedded"
)

// fleet are the series of so many workloads of a hundred pods each.
func fleet(workloads int) []labels.Labels {
	var list []labels.Labels
	add := func(name string, pairs ...string) {
		list = append(list, labels.FromStrings(append([]string{"__name__", name, "namespace", "inference"}, pairs...)...))
	}
	for w := range workloads {
		object := fmt.Sprintf("chat-%03d", w)
		set := object + "-6f5d9c7b9d"
		add("kube_deployment_spec_replicas", "deployment", object)
		add("kube_deployment_status_replicas_ready", "deployment", object)
		add("kube_replicaset_owner", "replicaset", set, "owner_kind", "Deployment", "owner_name", object)
		for i := range 100 {
			pod := fmt.Sprintf("%s-pod%02d", set, i)
			engine := []string{"pod", pod, "job", "vllm", "instance", pod + ":8000", "model_name", object}
			for _, name := range []string{"up", "vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc"} {
				add(name, engine...)
			}
			add("kube_pod_owner", "pod", pod, "owner_kind", "ReplicaSet", "owner_name", set, "owner_is_controller", "true")
			add("kube_pod_status_ready", "pod", pod, "condition", "true")
		}
	}
	return list
}

// BenchmarkASilentFleet checks 10,000 pods of 100 workloads whose selectors are all wrong:
// a week is looked back for all of them.
func BenchmarkASilentFleet(b *testing.B) {
	p, err := embedded.Start(embedded.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close() //nolint:errcheck // A benchmark is over.
	now := epoch.Truncate(time.Hour)
	var times []time.Time
	for at := now.Add(-7 * 24 * time.Hour); at.Before(now.Add(-15 * time.Minute)); at = at.Add(time.Hour) {
		times = append(times, at)
	}
	for at := now.Add(-15 * time.Minute); !at.After(now); at = at.Add(scrapeEvery) {
		times = append(times, at)
	}
	if err := p.AppendSeries(fleet(100), times, func(int, int) float64 { return 1 }); err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(p.Handler())
	defer server.Close()
	cfg := promapi.DefaultConfig()
	cfg.URL = server.URL
	cfg.Timeout *= 12
	client, err := promapi.New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	var list []promapi.Workload
	for w := range 100 {
		list = append(list, selecting(fmt.Sprintf(`{model_name="chta-%03d"}`, w)))
		list[w].Name = fmt.Sprintf("chat-%03d", w)
	}
	for b.Loop() {
		report, err := Run(b.Context(), client, Options{Workloads: list, Now: now})
		if err != nil {
			b.Fatal(err)
		}
		if n := report.Count(Error); n != len(list) {
			b.Fatalf("got %d errors, want one for each workload: %s", n, show(report.Findings[:min(3, len(report.Findings))]))
		}
		b.ReportMetric(float64(report.Prometheus.Queries), "queries/op")
	}
}
