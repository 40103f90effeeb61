package load

import (
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi/embedded"
)

// scrapes is how many scrapes of the fleet Prometheus has: more than the longest window.
const scrapes = 30

// fleetEnd is when the fleet was scraped last.
var fleetEnd = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// The upper bounds of the buckets of vLLM's time to first token, in seconds.
var bounds = []string{
	"0.001", "0.005", "0.01", "0.02", "0.04", "0.06", "0.08", "0.1", "0.25", "0.5", "0.75",
	"1.0", "2.5", "5.0", "7.5", "10.0", "20.0", "40.0", "80.0", "160.0", "640.0", "2560.0", "+Inf",
}

// nameOf returns the names of a workload.
func nameOf(w int) (namespace, name string) {
	return fmt.Sprintf("inference-%02d", w%20), fmt.Sprintf("chat-%04d", w)
}

// podOf returns the name of a pod: the last three letters say which generation of it.
func podOf(w, i, generation int) string {
	_, name := nameOf(w)
	return fmt.Sprintf("%s-%08x-%02d%s", name, 0x6f5d9c7+w, i, generationOf(generation))
}

// generationOf returns three letters and digits, as in the names of pods.
func generationOf(n int) string {
	const letters = 36 * 36 * 36
	s := strconv.FormatInt(int64(n%letters), 36)
	return ("000" + s)[len(s):]
}

// A store collects series: a level for gauges, a slope per scrape for counters.
type store struct {
	series       []labels.Labels
	level, slope []float64
}

func (s *store) add(level, slope float64, pairs ...string) {
	s.series = append(s.series, labels.FromStrings(pairs...))
	s.level, s.slope = append(s.level, level), append(s.slope, slope)
}

// fleet starts a Prometheus that has scraped the workloads every step until fleetEnd.
func fleet(workloads, pods int, step time.Duration) (*embedded.Prometheus, error) {
	p, err := embedded.Start(embedded.Options{})
	if err != nil {
		return nil, err
	}
	var s store
	for w := range workloads {
		s.workload(w, pods)
	}
	times := make([]time.Time, scrapes)
	for i := range times {
		times[i] = fleetEnd.Add(-time.Duration(scrapes-1-i) * step)
	}
	value := func(series, scrape int) float64 { return s.level[series] + s.slope[series]*float64(scrape) }
	return p, p.AppendSeries(s.series, times, value)
}

// workload adds what kube-state-metrics and the engines say of one workload.
func (s *store) workload(w, pods int) {
	namespace, name := nameOf(w)
	set := fmt.Sprintf("%s-%08x", name, 0x6f5d9c7+w)
	kube := func(metric string, v float64, pairs ...string) {
		s.add(v, 0, append([]string{"__name__", metric, "namespace", namespace, "job", "kube-state-metrics", "instance", "10.9.0.1:8080"}, pairs...)...)
	}
	kube("kube_deployment_spec_replicas", float64(pods), "deployment", name)
	kube("kube_deployment_status_replicas_ready", float64(pods), "deployment", name)
	kube("kube_replicaset_owner", 1, "replicaset", set, "owner_kind", "Deployment", "owner_name", name, "owner_is_controller", "true")
	for i := range pods {
		pod := podOf(w, i, 0)
		kube("kube_pod_owner", 1, "pod", pod, "uid", pod, "owner_kind", "ReplicaSet", "owner_name", set, "owner_is_controller", "true")
		kube("kube_pod_status_ready", 1, "pod", pod, "uid", pod, "condition", "true")
		kube("kube_pod_created", 1.79e9, "pod", pod, "uid", pod)
		kube("kube_pod_status_ready_time", 1.79e9+90, "pod", pod, "uid", pod)
		s.engine(w, i)
	}
}

// engine adds what one server of vLLM says.
func (s *store) engine(w, i int) {
	namespace, name := nameOf(w)
	vllm := func(metric string, level, slope float64, pairs ...string) {
		s.add(level, slope, append([]string{
			"__name__", "vllm:" + metric, "namespace", namespace, "pod", podOf(w, i, 0), "container", "vllm", "endpoint", "http",
			"job", namespace + "/vllm", "instance", fmt.Sprintf("10.%d.%d.%d:8000", w/250, w%250, i), "engine", "0", "model_name", name,
		}, pairs...)...)
	}
	vllm("num_requests_running", 30, 0)
	vllm("num_requests_waiting", 10, 0)
	vllm("kv_cache_usage_perc", 0.5, 0)
	vllm("prompt_tokens_total", 0, 3000)
	vllm("generation_tokens_total", 0, 1500)
	for _, reason := range []string{"stop", "length", "abort"} {
		vllm("request_success_total", 0, 5, "finished_reason", reason)
	}
	for b, bound := range bounds {
		vllm("time_to_first_token_seconds_bucket", 0, float64(b), "le", bound)
	}
	vllm("time_to_first_token_seconds_count", 0, float64(len(bounds)-1))
	vllm("time_to_first_token_seconds_sum", 0, 7)
}
