package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

// A page is a /metrics page in the making.
type page struct {
	bytes.Buffer
	name string // The family begun last.
}

// family begins a metric.
func (w *page) family(name, kind string) {
	w.name = name
	fmt.Fprintf(w, "# TYPE %s %s\n", name, kind)
}

// sample adds a series to the family. Labels are names and values in turn.
func (w *page) sample(v float64, labels ...string) { w.suffixed("", v, labels...) }

func (w *page) suffixed(suffix string, v float64, labels ...string) {
	w.WriteString(w.name + suffix + "{")
	for i := 0; i+1 < len(labels); i += 2 {
		fmt.Fprintf(w, "%s=%q,", labels[i], labels[i+1])
	}
	w.WriteString("} " + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// handler serves the targets of Prometheus and what it scrapes there.
func (f *fleet) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /targets", f.serveTargets)
	mux.HandleFunc("GET /pods/{namespace}/{pod}", f.servePod)
	mux.HandleFunc("GET /kube-state-metrics", f.servePage((*fleet).statePage))
	mux.HandleFunc("GET /interceptor", f.servePage((*fleet).interceptorPage))
	return mux
}

// servePage serves a page about the cluster. One that could not be read has none: an old
// page would look fresh.
func (f *fleet) servePage(write func(*fleet, *page)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.err != nil {
			http.Error(w, f.err.Error(), http.StatusServiceUnavailable)
			return
		}
		var p page
		write(f, &p)
		send(w, &p)
	}
}

func send(w http.ResponseWriter, p *page) {
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(p.Bytes())
}

// A group is targets in the format of Prometheus' HTTP service discovery.
type group struct {
	Targets []string          `json:"targets"`
	Labels  map[string]string `json:"labels"`
}

// serveTargets lists every pod that has not failed, ready or not, as a PodMonitor's
// discovery would.
func (f *fleet) serveTargets(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	groups := []group{}
	for _, wl := range f.workloads {
		for _, p := range f.cluster.podsOf(wl) {
			groups = append(groups, group{
				Targets: []string{loopback(fleetPort)},
				Labels: map[string]string{
					"__metrics_path__": "/pods/" + wl.Namespace + "/" + p.Metadata.Name,
					"namespace":        wl.Namespace, "pod": p.Metadata.Name, "container": "vllm",
				},
			})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(groups)
}

// servePod serves the page of a pod, with the names and labels of vLLM's V1 engine. One that
// is not ready refuses, since a server that loads has no page.
func (f *fleet) servePod(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.cluster.pods {
		_, ready := p.readySince()
		if p.Metadata.Namespace == r.PathValue("namespace") && p.Metadata.Name == r.PathValue("pod") && ready {
			var out page
			f.engine(p).page(&out)
			send(w, &out)
			return
		}
	}
	http.Error(w, "no such pod, or it loads", http.StatusServiceUnavailable)
}

func (e *engine) page(w *page) {
	own := []string{"engine", "0", "model_name", "Qwen/Qwen3-8B"}
	for _, m := range []struct {
		name, kind string
		value      float64
	}{
		{"vllm:num_requests_running", "gauge", float64(e.running)},
		{"vllm:num_requests_waiting", "gauge", float64(e.waiting)},
		{"vllm:kv_cache_usage_perc", "gauge", float64(e.running) / slots},
		{"vllm:prompt_tokens_total", "counter", whole(e.served * 512)},
		{"vllm:generation_tokens_total", "counter", whole(e.tokens)},
	} {
		w.family(m.name, m.kind)
		w.sample(m.value, own...)
	}
	w.family("vllm:request_success_total", "counter")
	w.sample(whole(e.served), append([]string{"finished_reason", "stop"}, own...)...)
	w.family("vllm:time_to_first_token_seconds", "histogram")
	for _, le := range []string{"0.1", "0.25", "0.5", "1", "2.5", "5", "+Inf"} {
		early := whole(e.served)
		if le == "0.1" {
			early = 0 // All take between a tenth and a quarter of a second.
		}
		w.suffixed("_bucket", early, append([]string{"le", le}, own...)...)
	}
	w.suffixed("_sum", whole(e.served)*0.2, own...)
	w.suffixed("_count", whole(e.served), own...)
}

// interceptorPage is that of KEDA's HTTP add-on: it counts all requests inside, held and
// passed on.
func (f *fleet) interceptorPage(w *page) {
	w.family("interceptor_request_concurrency", "gauge")
	for _, wl := range f.workloads {
		w.sample(float64(f.loads[wl]), "route_name", wl.Name, "route_namespace", wl.Namespace)
	}
}

// statePage is what kube-state-metrics would say, as far as infscale asks.
func (f *fleet) statePage(w *page) {
	c := &f.cluster
	for name, value := range map[string]func(*deployment) float64{
		"kube_deployment_spec_replicas":              func(d *deployment) float64 { return float64(d.Spec.Replicas) },
		"kube_deployment_status_replicas":            func(d *deployment) float64 { return float64(d.Status.Replicas) },
		"kube_deployment_status_replicas_ready":      func(d *deployment) float64 { return float64(d.Status.ReadyReplicas) },
		"kube_deployment_status_replicas_available":  func(d *deployment) float64 { return float64(d.Status.AvailableReplicas) },
		"kube_deployment_status_replicas_updated":    func(d *deployment) float64 { return float64(d.Status.UpdatedReplicas) },
		"kube_deployment_metadata_generation":        func(d *deployment) float64 { return float64(d.Metadata.Generation) },
		"kube_deployment_status_observed_generation": func(d *deployment) float64 { return float64(d.Status.ObservedGeneration) },
	} {
		w.family(name, "gauge")
		for _, d := range c.deployments {
			w.sample(value(&d), "namespace", d.Metadata.Namespace, "deployment", d.Metadata.Name)
		}
	}
	w.family("kube_replicaset_owner", "gauge")
	for _, r := range c.replicaSets {
		for _, o := range r.Metadata.OwnerReferences {
			w.sample(1, "namespace", r.Metadata.Namespace, "replicaset", r.Metadata.Name, "owner_kind", o.Kind,
				"owner_name", o.Name, "owner_is_controller", strconv.FormatBool(o.Controller))
		}
	}
	c.podFamilies(w)
}

// podFamilies are the series of each pod.
func (c *cluster) podFamilies(w *page) {
	for _, family := range []struct {
		name  string
		write func(p *pod, own []string)
	}{
		{"kube_pod_owner", func(p *pod, own []string) {
			for _, o := range p.Metadata.OwnerReferences {
				w.sample(1, append(own, "owner_kind", o.Kind, "owner_name", o.Name, "owner_is_controller", strconv.FormatBool(o.Controller))...)
			}
		}},
		{"kube_pod_created", func(p *pod, own []string) { w.sample(float64(p.Metadata.CreationTimestamp.Unix()), own...) }},
		{"kube_pod_status_phase", func(p *pod, own []string) {
			for _, phase := range []string{"Pending", "Succeeded", "Failed", "Unknown", "Running"} {
				w.sample(boolean(p.Status.Phase == phase), append(own, "phase", phase)...)
			}
		}},
		{"kube_pod_status_ready", func(p *pod, own []string) {
			_, ready := p.readySince()
			w.sample(boolean(ready), append(own, "condition", "true")...)
			w.sample(boolean(!ready), append(own, "condition", "false")...)
			w.sample(0, append(own, "condition", "unknown")...)
		}},
		{"kube_pod_status_ready_time", func(p *pod, own []string) {
			if since, ready := p.readySince(); ready {
				w.sample(float64(since.Unix()), own...)
			}
		}},
		{"kube_pod_deletion_timestamp", func(p *pod, own []string) {
			if at := p.Metadata.DeletionTimestamp; at != nil {
				w.sample(float64(at.Unix()), own...)
			}
		}},
	} {
		w.family(family.name, "gauge")
		for _, p := range c.pods {
			own := []string{"namespace", p.Metadata.Namespace, "pod", p.Metadata.Name, "uid", p.Metadata.UID}
			family.write(&p, slices.Clip(own))
		}
	}
}
