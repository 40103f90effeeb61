package cases

import (
	"fmt"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi/embedded"
)

// A fleet stores what a Deployment of engines says of itself, and kube-state-metrics of it.
type fleet struct {
	t         *testing.T
	prom      *embedded.Prometheus
	namespace string
	// alive are the series of the latest page, by their text.
	alive map[string]labels.Labels
	// tokens and requests are counters of each pod.
	tokens, requests map[string]float64
	last             time.Time
}

// A scene is what there is at one time.
type scene struct {
	name             string
	current          float64
	ready, reporting int
	// running and waiting are over all pods, held is in front of them.
	running, waiting, held, kv, tokens float64
}

func newFleet(l *lab, namespace string) *fleet {
	return &fleet{
		t: l.t, prom: l.prom, namespace: namespace, alive: map[string]labels.Labels{},
		tokens: map[string]float64{}, requests: map[string]float64{},
	}
}

// store stores a scene. What was there before and is not any more gets a stale marker.
func (f *fleet) store(at time.Time, scenes ...scene) {
	f.t.Helper()
	w := &writer{fleet: f, at: at, now: map[string]labels.Labels{}}
	for i := range scenes {
		w.kube(&scenes[i])
		w.pods(&scenes[i])
		w.held(&scenes[i])
	}
	for text, ls := range f.alive {
		if _, ok := w.now[text]; !ok {
			w.samples = append(w.samples, embedded.Sample{Labels: ls, T: at, V: embedded.Stale()})
		}
	}
	f.alive, f.last = w.now, at
	if err := f.prom.Append(w.samples...); err != nil {
		f.t.Fatal(err)
	}
}

// A writer collects the samples of one instant.
type writer struct {
	*fleet
	at      time.Time
	now     map[string]labels.Labels
	samples []embedded.Sample
}

// add adds a sample of a series in the namespace, if there is one.
func (w *writer) add(name string, v float64, pairs ...string) {
	if v == none {
		return
	}
	ls := labels.FromStrings(append([]string{"__name__", name, "namespace", w.namespace}, pairs...)...)
	w.now[ls.String()] = ls
	w.samples = append(w.samples, embedded.Sample{Labels: ls, T: w.at, V: v})
}

// kube is what kube-state-metrics says.
func (w *writer) kube(s *scene) {
	w.add("kube_deployment_spec_replicas", s.current, "deployment", s.name)
	w.add("kube_deployment_status_replicas_ready", float64(s.ready), "deployment", s.name)
	set := s.name + "-6f5d9c7b9d"
	w.add("kube_replicaset_owner", 1, "replicaset", set, "owner_kind", "Deployment", "owner_name", s.name)
	for i := range max(s.ready, int(s.current), s.reporting) {
		pod, ready := podName(s.name, i), 0.0
		if i < s.ready {
			ready = 1
		}
		w.add("kube_pod_owner", 1, "pod", pod, "uid", pod, "owner_kind", "ReplicaSet", "owner_name", set, "owner_is_controller", "true")
		w.add("kube_pod_status_ready", ready, "pod", pod, "uid", pod, "condition", "true")
		w.add("kube_pod_status_ready", 1-ready, "pod", pod, "uid", pod, "condition", "false")
	}
}

func podName(deployment string, i int) string {
	return fmt.Sprintf("%s-6f5d9c7b9d-pod%02d", deployment, i)
}

// pods is what the engines say.
func (w *writer) pods(s *scene) {
	n := float64(s.reporting)
	for i := range s.reporting {
		pod := podName(s.name, i)
		on := []string{"pod", pod, "instance", pod + ":8000", "job", "vllm", "model_name", s.name, "engine", "0"}
		if !w.last.IsZero() {
			elapsed := w.at.Sub(w.last).Seconds()
			w.tokens[pod] += s.tokens / n * elapsed
			w.requests[pod] += s.tokens / n / 100 * elapsed
		}
		w.add("up", 1, "pod", pod, "instance", pod+":8000", "job", "vllm")
		w.add("vllm:num_requests_running", share(s.running, n), on...)
		w.add("vllm:num_requests_waiting", share(s.waiting, n), on...)
		w.add("vllm:kv_cache_usage_perc", s.kv, on...)
		w.add("vllm:generation_tokens_total", w.tokens[pod], on...)
		w.add("vllm:request_success_total", w.requests[pod], append(on, "finished_reason", "stop")...)
	}
}

// share is what one of n pods has of a number.
func share(v, n float64) float64 {
	if v == none {
		return none
	}
	return v / n
}

// held is what the gateway says.
func (w *writer) held(s *scene) { w.add("gateway_requests_held", s.held) }
