package soak

import (
	"math"
	"time"

	"github.com/infscale/infscale/promapi/embedded"
)

// namespace is that of all workloads.
const namespace = "inference"

// A spoil is what is wrong with the data of a workload in one scrape.
type spoil struct {
	// down says that nothing at all is scraped, cluster that kube-state-metrics is not,
	// gap that the pods are not, as if the scraper hung.
	down, cluster, gap bool
	// lost says that the scrapes of every other pod fail, allLost that all do.
	lost, allLost bool
	// reset says that the servers begin to count again.
	reset bool
	// value replaces the gauges of the oldest pod, if it is not zero.
	value float64
	// skew is added to the time of the samples.
	skew time.Duration
}

// scrape stores what Prometheus would see of a fleet, and notes it.
func (f *fleet) scrape(s *store, r *record, at time.Time, tick int, sp *spoil) {
	if sp.reset {
		for _, p := range f.pods {
			p.tokens, p.done = 0, 0
		}
	}
	if sp.down {
		return
	}
	if !sp.cluster {
		f.scrapeCluster(s, r, at, tick)
	}
	if f.held {
		n := f.waiting(tick)
		s.put(at, n, "interceptor_request_concurrency", "job", "interceptor",
			"route_namespace", namespace, "route_name", f.name)
		r.held = keep(r.held, heard{at: at, load: n})
	}
	if sp.gap {
		return
	}
	if f.backlog {
		f.scrapeBacklog(s, r, at, sp)
	}
	for i, p := range f.pods {
		f.scrapePod(s, r, at, p, i, tick, sp)
	}
}

// scrapeCluster stores what kube-state-metrics says.
func (f *fleet) scrapeCluster(s *store, r *record, at time.Time, tick int) {
	l := listing{at: at, spec: f.replicas}
	put := func(v float64, name string, pairs ...string) {
		s.put(at, v, name, append([]string{"job", "kube-state-metrics", "namespace", namespace}, pairs...)...)
	}
	put(float64(f.replicas), "kube_deployment_spec_replicas", "deployment", f.name)
	put(float64(len(f.serving(tick))), "kube_deployment_status_replicas_ready", "deployment", f.name)
	put(1, "kube_replicaset_owner", "replicaset", f.replicaSet(), "owner_kind", "Deployment", "owner_name", f.name)
	for _, p := range f.pods {
		f.putPod(p, put, p.ready(tick))
		l.pods = append(l.pods, p.name)
		if p.ready(tick) {
			l.ready = append(l.ready, p.name)
		}
	}
	for _, p := range f.left(r) {
		f.putPod(p, func(_ float64, name string, pairs ...string) { put(embedded.Stale(), name, pairs...) }, false)
	}
	r.listings = append(r.listings[max(0, len(r.listings)-100):], l)
}

// putPod stores the series of kube-state-metrics about a pod.
func (f *fleet) putPod(p *pod, put func(v float64, name string, pairs ...string), ready bool) {
	put(1, "kube_pod_owner", "pod", p.name, "uid", p.name, "owner_kind", "ReplicaSet", "owner_name", f.replicaSet(), "owner_is_controller", "true")
	for _, condition := range []string{"true", "false"} {
		v := 0.0
		if ready == (condition == "true") {
			v = 1
		}
		put(v, "kube_pod_status_ready", "pod", p.name, "uid", p.name, "condition", condition)
	}
}

// left are the pods of the previous list that are gone.
func (f *fleet) left(r *record) []*pod {
	if len(r.listings) == 0 {
		return nil
	}
	there := map[string]bool{}
	for _, p := range f.pods {
		there[p.name] = true
	}
	var gone []*pod
	for _, name := range r.listings[len(r.listings)-1].pods {
		if !there[name] {
			gone = append(gone, &pod{name: name})
		}
	}
	return gone
}

// scrapeBacklog stores what only a query of the user asks for.
func (f *fleet) scrapeBacklog(s *store, r *record, at time.Time, sp *spoil) {
	at = at.Add(sp.skew)
	h := heard{at: at, load: math.Floor(f.inside), stale: sp.lost || sp.allLost, invalid: sp.value != 0}
	v := h.load
	switch {
	case h.stale:
		v = embedded.Stale()
	case h.invalid:
		v = sp.value
	}
	if s.put(at, v, "embed_backlog", "job", "embed") {
		r.backlog = keep(r.backlog, h)
	}
}

// scrapePod stores the page of a pod, or that there was none.
func (f *fleet) scrapePod(s *store, r *record, at time.Time, p *pod, i, tick int, sp *spoil) {
	if !f.engines || !p.ready(tick) {
		return
	}
	at = at.Add(sp.skew)
	h := heard{at: at, load: p.running + p.queued, stale: sp.allLost || (sp.lost && i%2 == 0)}
	h.invalid = sp.value != 0 && i == 0
	if h.stale && len(r.heard[p.name]) == 0 {
		return // There is no series to end.
	}
	taken := true
	put := func(v float64, name string, pairs ...string) {
		if h.stale {
			v = embedded.Stale()
		}
		own := []string{"job", "vllm", "namespace", namespace, "pod", p.name, "instance", p.name + ":8000", "model_name", "m", "engine", "0"}
		taken = s.put(at, v, name, append(own, pairs...)...) && taken
	}
	gauge := func(v float64, name string) {
		if h.invalid {
			v = sp.value
		}
		put(v, name)
	}
	gauge(p.running, "vllm:num_requests_running")
	gauge(p.queued, "vllm:num_requests_waiting")
	gauge(p.running/(slots+4), "vllm:kv_cache_usage_perc")
	put(p.tokens, "vllm:generation_tokens_total")
	put(p.tokens*4, "vllm:prompt_tokens_total")
	put(math.Floor(p.done), "vllm:request_success_total", "finished_reason", "stop")
	if taken {
		r.heard[p.name] = keep(r.heard[p.name], h)
	}
}

// leave ends the series of pods that are gone.
func (f *fleet) leave(s *store, r *record, at time.Time, gone []*pod) {
	for _, p := range gone {
		if len(r.heard[p.name]) > 0 {
			f.scrapePod(s, r, at, p, 0, p.readyAt, &spoil{allLost: true})
		}
	}
}

// strangers stores ten times as many series of engines that nobody asked about.
func strangers(s *store, at time.Time, series int) {
	for i := range 10 * series / 6 {
		name := "stranger-" + string(rune('a'+i%26)) + "-" + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		for _, metric := range []string{
			"vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc",
			"vllm:generation_tokens_total", "vllm:prompt_tokens_total", "vllm:request_success_total",
		} {
			s.put(at, float64(i%2), metric, "job", "vllm", "namespace", "elsewhere", "pod", name, "model_name", "m", "engine", "0")
		}
	}
}
