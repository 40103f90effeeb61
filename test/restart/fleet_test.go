package restart

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi/embedded"
)

// namespace is where all workloads of the tests are.
const namespace = "inference"

// A fleet is workloads of which everything is known beforehand.
type fleet struct {
	workloads, pods int
	// load is how many requests each pod of a workload has at a time.
	load func(workload int, at time.Time) float64
	// current is how many replicas a workload has at a time, ready at once.
	current func(workload int, at time.Time) int
	// silent says which pods are not scraped by this Prometheus; nil is none.
	silent func(pod int) bool
}

func name(workload int) string { return fmt.Sprintf("chat-%04d", workload) }

// bounds are the buckets of vLLM's histogram of the time to the first token.
var bounds = []string{
	"0.001", "0.005", "0.01", "0.02", "0.04", "0.06", "0.08", "0.1", "0.25", "0.5", "0.75", "1.0", "2.5", "5.0", "7.5",
	"10.0", "20.0", "40.0", "80.0", "160.0", "640.0", "2560.0", "+Inf",
}

// A meter is one series and its value over time; NaN is no sample.
type meter struct {
	labels labels.Labels
	value  func(at time.Time) float64
}

// meters returns every series of the fleet.
func (f *fleet) meters() []meter {
	var list []meter
	add := func(value func(time.Time) float64, pairs ...string) {
		list = append(list, meter{labels.FromStrings(append(pairs, "namespace", namespace)...), value})
	}
	one := func(time.Time) float64 { return 1 }
	for w := range f.workloads {
		current := func(at time.Time) float64 { return float64(f.current(w, at)) }
		set := name(w) + "-6f5d9c7b9d"
		add(current, "__name__", "kube_deployment_spec_replicas", "deployment", name(w))
		add(current, "__name__", "kube_deployment_status_replicas_ready", "deployment", name(w))
		add(one, "__name__", "kube_replicaset_owner", "replicaset", set, "owner_kind", "Deployment", "owner_name", name(w))
		for i := range f.pods {
			pod := fmt.Sprintf("%s-%05d", set, i)
			exists := func(v func(time.Time) float64) func(time.Time) float64 {
				return func(at time.Time) float64 {
					if i >= f.current(w, at) {
						return math.NaN()
					}
					return v(at)
				}
			}
			add(exists(one), "__name__", "kube_pod_owner", "pod", pod, "owner_kind", "ReplicaSet", "owner_name", set, "owner_is_controller", "true")
			add(exists(one), "__name__", "kube_pod_status_ready", "pod", pod, "condition", "true")
			if f.silent != nil && f.silent(i) {
				continue
			}
			load := exists(func(at time.Time) float64 { return f.load(w, at) })
			counted := func(perSecond float64) func(time.Time) float64 {
				return exists(func(at time.Time) float64 { return perSecond * float64(at.Unix()%1e8) })
			}
			add(load, "__name__", "vllm:num_requests_running", "pod", pod)
			add(exists(func(time.Time) float64 { return 0 }), "__name__", "vllm:num_requests_waiting", "pod", pod)
			add(exists(func(at time.Time) float64 { return min(1, f.load(w, at)/20) }), "__name__", "vllm:kv_cache_usage_perc", "pod", pod)
			add(counted(100), "__name__", "vllm:generation_tokens_total", "pod", pod)
			add(counted(500), "__name__", "vllm:prompt_tokens_total", "pod", pod)
			add(counted(2), "__name__", "vllm:request_success_total", "pod", pod, "finished_reason", "stop")
			for b, bound := range bounds {
				add(counted(float64(b+1)/8), "__name__", "vllm:time_to_first_token_seconds_bucket", "pod", pod, "le", bound)
			}
		}
	}
	return list
}

// store puts the samples of the fleet into a Prometheus. A series that ends is marked stale,
// as one whose target has gone.
func (f *fleet) store(t testing.TB, p *embedded.Prometheus, from, to time.Time, step time.Duration) {
	t.Helper()
	list := f.meters()
	there := make([]bool, len(list))
	var samples []embedded.Sample
	flush := func() {
		if err := p.Append(samples...); err != nil {
			t.Fatal(err)
		}
		samples = samples[:0]
	}
	for at := from; !at.After(to); at = at.Add(step) {
		for i := range list {
			v := list[i].value(at)
			has := !math.IsNaN(v)
			if has || there[i] {
				if !has {
					v = embedded.Stale()
				}
				samples = append(samples, embedded.Sample{Labels: list[i].labels, T: at, V: v})
			}
			there[i] = has
		}
		if len(samples) > 50_000 {
			flush()
		}
	}
	flush()
}

// startPrometheus runs one until the test ends.
func startPrometheus(t testing.TB) *embedded.Prometheus {
	t.Helper()
	p, err := embedded.Start(embedded.Options{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p
}
