package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// The workload the demo scales, and the ReplicaSet Kubernetes would make for it.
const (
	namespace  = "inference"
	workload   = "chat"
	replicaSet = workload + "-7d9f8b6c54"
)

// A cluster is one Deployment and its pods, as far as a recommender can tell.
type cluster struct {
	coldStart time.Duration // From creation to ready.
	random    *rand.Rand

	replicas   int // What the Deployment's spec asks for.
	generation int // How often the spec changed.
	pods       []*pod
}

// scale writes the Deployment's spec. New pods start to load; those to go are the youngest
// first, since they have served least, and drain.
func (c *cluster) scale(replicas int, now time.Time) {
	c.replicas = replicas
	c.generation++
	wanted := c.wanted()
	for range replicas - len(wanted) {
		c.pods = append(c.pods, c.newPod(now))
	}
	for _, p := range wanted[min(replicas, len(wanted)):] {
		p.deleted = now
	}
}

// wanted are the pods not deleted, the oldest first.
func (c *cluster) wanted() []*pod {
	return slices.DeleteFunc(slices.Clone(c.pods), func(p *pod) bool { return !p.deleted.IsZero() })
}

// serving are the pods that requests may be sent to.
func (c *cluster) serving(now time.Time) []*pod {
	return slices.DeleteFunc(slices.Clone(c.pods), func(p *pod) bool { return !p.serving(now) })
}

// newPod starts a pod, named as a ReplicaSet names its pods.
func (c *cluster) newPod(now time.Time) *pod {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	suffix := make([]byte, 5)
	for i := range suffix {
		suffix[i] = letters[c.random.IntN(len(letters))]
	}
	return &pod{
		name:    replicaSet + "-" + string(suffix),
		uid:     fmt.Sprintf("00000000-0000-4000-8000-%012x", c.random.Uint64()&0xffffffffffff),
		created: now,
		readyAt: now.Add(c.coldStart),
	}
}

// sweep forgets the pods that are gone.
func (c *cluster) sweep(now time.Time) {
	c.pods = slices.DeleteFunc(c.pods, func(p *pod) bool { return p.gone(now) })
}

// page is what kube-state-metrics would say of all this.
func (c *cluster) page(now time.Time) []byte {
	var w page
	c.deployment(&w, now)
	w.family("kube_replicaset_owner", "gauge", "Owner.")
	w.sample(1, "namespace", namespace, "replicaset", replicaSet,
		"owner_kind", "Deployment", "owner_name", workload, "owner_is_controller", "true")
	c.podFamily(&w, "kube_pod_owner", "Owner.", func(p *pod) {
		w.sample(1, p.labels("owner_kind", "ReplicaSet", "owner_name", replicaSet, "owner_is_controller", "true")...)
	})
	c.podFamily(&w, "kube_pod_created", "Unix creation timestamp.", func(p *pod) {
		w.sample(unix(p.created), p.labels()...)
	})
	c.podFamily(&w, "kube_pod_status_phase", "Phase.", func(p *pod) {
		for _, phase := range []string{"Pending", "Succeeded", "Failed", "Unknown", "Running"} {
			w.sample(flag(phase == "Running"), p.labels("phase", phase)...)
		}
	})
	c.podFamily(&w, "kube_pod_status_ready", "Readiness.", func(p *pod) {
		// A pod that drains keeps its condition, though nothing is sent to it.
		w.sample(flag(p.ready(now)), p.labels("condition", "true")...)
		w.sample(flag(!p.ready(now)), p.labels("condition", "false")...)
		w.sample(0, p.labels("condition", "unknown")...)
	})
	c.podFamily(&w, "kube_pod_status_ready_time", "When it became ready; only while it is.", func(p *pod) {
		if p.ready(now) {
			w.sample(unix(p.readyAt), p.labels()...)
		}
	})
	c.podFamily(&w, "kube_pod_deletion_timestamp", "When it was deleted.", func(p *pod) {
		if !p.deleted.IsZero() {
			w.sample(unix(p.deleted), p.labels()...)
		}
	})
	return w.bytes()
}

// deployment writes the Deployment's own series.
func (c *cluster) deployment(w *page, now time.Time) {
	for _, f := range []struct {
		name, help string
		value      int
	}{
		{"kube_deployment_spec_replicas", "Desired pods.", c.replicas},
		{"kube_deployment_status_replicas", "Pods.", len(c.wanted())},
		{"kube_deployment_status_replicas_ready", "Ready pods.", len(c.serving(now))},
		{"kube_deployment_status_replicas_available", "Available pods.", len(c.serving(now))},
		{"kube_deployment_status_replicas_updated", "Updated pods.", len(c.wanted())},
		{"kube_deployment_metadata_generation", "Generation.", c.generation},
		{"kube_deployment_status_observed_generation", "Observed generation.", c.generation},
	} {
		w.family(f.name, "gauge", f.help)
		w.sample(float64(f.value), "namespace", namespace, "deployment", workload)
	}
}

// podFamily begins a metric and calls each for every pod.
func (c *cluster) podFamily(w *page, name, help string, each func(*pod)) {
	w.family(name, "gauge", help)
	for _, p := range c.pods {
		each(p)
	}
}

// labels are those every series of a pod has, and more.
func (p *pod) labels(more ...string) []string {
	return append([]string{"namespace", namespace, "pod", p.name, "uid", p.uid}, more...)
}

// unix is a time as kube-state-metrics gives it: in whole seconds.
func unix(t time.Time) float64 { return float64(t.Unix()) }

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
