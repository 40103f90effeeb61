package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// checkKube says what kube-state-metrics does not tell.
func (c *checker) checkKube(ctx context.Context) {
	if c.failed(promapi.FamilyReplicas) || len(c.plan.Queries) == 0 {
		return
	}
	if len(c.source.rows(c.plan.Queries, promapi.FamilyReplicas)) == 0 {
		if !c.has(MatchersKill) {
			c.noKube(ctx)
		}
		return
	}
	if !c.failed(promapi.FamilyPods) {
		c.checkPods()
	}
}

// checkPods says what the list of pods lacks.
func (c *checker) checkPods() {
	var owners, ready bool
	for _, r := range c.source.rows(c.plan.Queries, promapi.FamilyPods) {
		owners = owners || r.Get("owner_kind") != ""
		ready = ready || r.Get("signal") == "pod.readiness"
	}
	if !owners && c.anyReplicas() {
		c.add(Finding{
			Severity: Warning, Code: NoPodOwner, Place: "prometheus",
			Found: "kube-state-metrics has no kube_pod_owner",
			Why:   "pods are told apart by the pattern of their names, which mixes up long ones, and pods that are gone are heard for a while",
			Fix:   "let kube-state-metrics export pods, and its scrape keep kube_pod_owner and kube_replicaset_owner",
		})
	}
	if owners && !ready {
		c.add(Finding{
			Severity: Warning, Code: NoReadiness, Place: "prometheus",
			Found: "kube-state-metrics has no kube_pod_status_ready",
			Why:   "which pods are ready is not known, only how many",
			Fix:   "let its scrape keep kube_pod_status_ready",
		})
	}
}

// anyReplicas reports whether any workload should have a pod.
func (c *checker) anyReplicas() bool {
	return slices.ContainsFunc(c.observations, func(o recommender.Observation) bool { return o.Current.Known() && o.Current.Value > 0 })
}

// has reports whether there is such a finding already.
func (c *checker) has(code Code) bool {
	for i := range c.report.Findings {
		if c.report.Findings[i].Code == code {
			return true
		}
	}
	return false
}

// noKube says why nobody says how many replicas there are.
func (c *checker) noKube(ctx context.Context) {
	f := Finding{
		Severity: Error, Code: NoKubeState, Place: "prometheus",
		Found: "no series of kube_deployment_spec_replicas and kube_statefulset_replicas",
		Why:   "how many replicas there are is unknown: no workload gets a recommendation",
		Fix:   "install kube-state-metrics and scrape it",
	}
	up := c.injected("up", labels.MustNewMatcher(labels.MatchRegexp, "job", ".*kube-state-metrics.*|.*ksm.*"))
	rows, _ := c.ask(ctx, fmt.Sprintf("label_replace(max(%s), %q, %q, %q, %q) or label_replace(count(%s), %q, %q, %q, %q)",
		up, "what", "up", "", "", c.injected("kube_pod_info"), "what", "pods", "", ""))
	for _, r := range rows {
		switch {
		case r.Get("what") == "pods":
			f.Found += ", though it exports pods"
			f.Fix = "let kube-state-metrics export deployments and statefulsets, and its scrape keep these metrics"
		case r.v == 0:
			f.Found += ": its target is down"
			f.Fix = "look at the target of kube-state-metrics in Prometheus"
		case r.v > 0 && !strings.Contains(f.Found, "pods"):
			f.Found += ", though its target is up"
			f.Fix = "let kube-state-metrics export deployments and statefulsets, and its scrape keep these metrics"
		}
	}
	c.add(f)
}
