package daemon

import (
	"math"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi/embedded"
)

// A podSeries are the series of one pod, those of Kubernetes before those of the engine.
type podSeries struct{ kube, engine []labels.Labels }

func newPodSeries(m *model, p *modelPod) *podSeries {
	of := func(metric string, more ...string) labels.Labels {
		return labels.FromStrings(append([]string{"__name__", metric, "namespace", m.id.namespace, "pod", p.name}, more...)...)
	}
	return &podSeries{
		kube: []labels.Labels{
			of("kube_pod_owner", "owner_kind", "ReplicaSet", "owner_name", m.id.name+"-6f5d9c7b9d", "owner_is_controller", "true"),
			of("kube_pod_status_ready", "condition", "true"),
			of("kube_pod_created"),
			of("kube_pod_status_ready_time"),
		},
		engine: []labels.Labels{
			of("vllm:num_requests_running"),
			of("vllm:num_requests_waiting"),
			of("vllm:kv_cache_usage_perc"),
			of("vllm:generation_tokens_total"),
			of("vllm:prompt_tokens_total"),
			of("vllm:request_success_total", "finished_reason", "stop"),
			of("vllm:time_to_first_token_seconds_bucket", "le", "0.5"),
			of("vllm:time_to_first_token_seconds_bucket", "le", "1.0"),
			of("vllm:time_to_first_token_seconds_bucket", "le", "+Inf"),
		},
	}
}

// A sheet collects the samples of one scrape.
type sheet struct {
	at      time.Time
	samples []embedded.Sample
}

// add appends the values of series, and nothing from where values end.
func (p *sheet) add(series []labels.Labels, values ...float64) {
	for i, v := range values {
		p.samples = append(p.samples, embedded.Sample{Labels: series[i], T: p.at, V: v})
	}
}

// end marks series as stale.
func (p *sheet) end(series []labels.Labels) {
	for _, s := range series {
		p.samples = append(p.samples, embedded.Sample{Labels: s, T: p.at, V: embedded.Stale()})
	}
}

// scrape writes what is scraped of the model at a time, and removes pods that are too many.
func (m *model) scrape(at time.Time) []embedded.Sample {
	g := &sheet{at: at.Add(m.scraped)}
	for len(m.pods) > m.current {
		p := m.pods[0]
		m.pods = m.pods[1:]
		if p.series != nil && m.rng.IntN(3) > 0 { // else they go stale by age
			g.end(p.series.kube)
			g.end(p.series.engine)
		}
	}
	ready := 0.0
	for _, p := range m.pods {
		if p.series == nil {
			p.series = newPodSeries(m, p)
		}
		if p.loads == 0 {
			ready++
		}
		m.scrapePod(g, p)
	}
	object := m.objectSeries()
	switch {
	case m.blind == 0:
		g.add(object, float64(m.current), ready, 1)
	case m.marked:
		g.end(object)
	}
	if m.policy.Held && m.routed {
		g.add(m.route(), m.drawn)
	}
	return g.samples
}

func (m *model) scrapePod(g *sheet, p *modelPod) {
	if m.blind == 0 {
		values := []float64{1, 0, float64(p.created.Unix())}
		if p.loads == 0 {
			values = append(values, float64(p.ready.Unix()))
			values[1] = 1
		}
		g.add(p.series.kube, values...)
	}
	switch {
	case p.loads > 0:
	case m.deaf+p.deaf == 0:
		usage := p.running / 10
		if m.rng.IntN(300) == 0 {
			usage = math.NaN()
		}
		g.add(p.series.engine, p.running, p.waiting, usage, p.tokens, 5*p.tokens, p.finished, p.finished-p.slow, p.finished-p.slow/2, p.finished)
	case m.marked:
		g.end(p.series.engine)
	}
}

func (m *model) objectSeries() []labels.Labels {
	of := func(metric string) labels.Labels {
		return labels.FromStrings("__name__", metric, "namespace", m.id.namespace, "deployment", m.id.name)
	}
	return []labels.Labels{
		of("kube_deployment_spec_replicas"), of("kube_deployment_status_replicas_ready"),
		labels.FromStrings("__name__", "kube_replicaset_owner", "namespace", m.id.namespace, "replicaset", m.id.name+"-6f5d9c7b9d",
			"owner_kind", "Deployment", "owner_name", m.id.name),
	}
}

func (m *model) route() []labels.Labels {
	return []labels.Labels{labels.FromStrings("__name__", "interceptor_request_concurrency",
		"route_namespace", m.id.namespace, "route_name", m.id.name)}
}
