package main

import (
	"testing"
	"time"

	"github.com/infscale/infscale/promapi/embedded"
)

// prometheus runs one until the test ends.
func prometheus(t *testing.T) *embedded.Prometheus {
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

// store puts the pages of a fleet into a Prometheus as a scrape would.
func store(t *testing.T, p *embedded.Prometheus, f *fleet) {
	t.Helper()
	put := func(job string, target embedded.Target, page []byte) {
		t.Helper()
		if err := p.AppendPage(f.now, job, target, page, contentType); err != nil {
			t.Fatal(err)
		}
	}
	put(clusterJob, embedded.Target{Address: "ksm"}, f.clusterPage())
	put(interceptorJob, embedded.Target{Address: "door"}, f.interceptorPage())
	for _, name := range f.podNames() {
		target := embedded.Target{Address: name, Labels: map[string]string{"namespace": namespace, "pod": name}}
		if page := f.podPage(name); page != nil {
			put(podJob, target, page)
		} else if err := p.AppendFailure(f.now, podJob, target); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPagesSayWhatTheFleetIs(t *testing.T) {
	p := prometheus(t)
	f := newFleet(epoch, steady(13), 5*time.Second)
	f.at(6 * time.Second)
	f.scale(3)
	store(t, p, f)
	f.at(9 * time.Second) // Both new pods still load.
	store(t, p, f)
	first := &f.cluster.pods[0].engine
	for expr, want := range map[string]float64{
		`sum({__name__="vllm:num_requests_running"})`:                                    float64(len(first.running)),
		`sum({__name__="vllm:num_requests_waiting"})`:                                    float64(len(first.waiting)),
		`sum({__name__="vllm:kv_cache_usage_perc"})`:                                     first.kvUsage(),
		`sum({__name__="vllm:request_success_total"})`:                                   float64(f.tally.served),
		`sum({__name__="vllm:generation_tokens_total"})`:                                 float64(first.outputTokens),
		`sum({__name__="vllm:time_to_first_token_seconds_count"})`:                       float64(f.tally.started),
		`count({__name__="vllm:time_to_first_token_seconds_bucket"})`:                    23,
		`{__name__="vllm:time_to_first_token_seconds_bucket",le="+Inf"}`:                 float64(f.tally.started),
		`count(up{job="vllm"} == 1)`:                                                     1,
		`count(up{job="vllm"} == 0)`:                                                     2,
		`kube_deployment_spec_replicas{namespace="inference",deployment="chat"}`:         3,
		`kube_deployment_status_replicas_ready{namespace="inference",deployment="chat"}`: 1,
		`sum(kube_pod_status_ready{condition="true"})`:                                   1,
		`count(kube_pod_status_ready_time)`:                                              1,
		`count(kube_pod_owner * on (owner_name) group_left label_replace(kube_replicaset_owner{owner_kind="Deployment",owner_name="chat"}, "owner_name", "$1", "replicaset", "(.+)"))`: 3,
		`max(kube_pod_created) - min(kube_pod_created)`:                                  6,
		`interceptor_request_concurrency{route_name="chat",route_namespace="inference"}`: float64(first.outstanding()),
	} {
		v, err := p.Query(t.Context(), expr, f.now)
		if err != nil || len(v) != 1 || v[0].F != want {
			t.Errorf("%s: got %v and error %v, want %v", expr, v, err, want)
		}
	}
	if len(first.waiting) == 0 || f.tally.served == 0 {
		t.Errorf("got %d waiting and %d served, want the figures to tell something", len(first.waiting), f.tally.served)
	}
}

func TestADrainingPodStaysReadyButLeavesTheDeployment(t *testing.T) {
	p := prometheus(t)
	f := newFleet(epoch, steady(4), 0)
	f.scale(2)
	f.at(5 * time.Second)
	f.scale(1)
	store(t, p, f)
	for expr, want := range map[string]float64{
		`sum(kube_pod_status_ready{condition="true"})`:  2,
		`count(kube_pod_deletion_timestamp)`:            1,
		`kube_deployment_status_replicas_ready`:         1,
		`kube_deployment_status_replicas`:               1,
		`count({__name__="vllm:num_requests_running"})`: 2,
	} {
		v, err := p.Query(t.Context(), expr, f.now)
		if err != nil || len(v) != 1 || v[0].F != want {
			t.Errorf("%s: got %v and error %v, want %v", expr, v, err, want)
		}
	}
}
