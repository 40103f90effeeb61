package promapi

import (
	"fmt"
	"time"
)

// coldStartSpan is how far back cold starts are looked for, coldStartStep how often:
// the first ready time seen is right unless readiness flapped sooner than that.
const (
	coldStartSpan = 24 * time.Hour
	coldStartStep = 10 * time.Minute
)

// replicas asks for the spec and status of every Deployment and StatefulSet.
func (s *shape) replicas() string {
	newest := func(object, signal, name string) string {
		return tag(fmt.Sprintf("max by (%s) (last_over_time(%s[%s]))", kube(object), name, s.stale), signalLabel, signal)
	}
	seen := func(object, signal, name string) string {
		return tag(fmt.Sprintf("max by (%s) (timestamp(%s))", kube(object), name), signalLabel, signal)
	}
	return either([]string{
		newest("deployment", deploymentSpec, "kube_deployment_spec_replicas"),
		newest("deployment", deploymentReady, "kube_deployment_status_replicas_ready"),
		seen("deployment", deploymentSeen, "kube_deployment_spec_replicas"),
		newest("statefulset", statefulSetSpec, "kube_statefulset_replicas"),
		newest("statefulset", statefulSetReady, "kube_statefulset_status_replicas_ready"),
		seen("statefulset", statefulSetSeen, "kube_statefulset_replicas"),
	})
}

// pods asks who owns every pod, and which are not ready or do not say, of the bare series:
// a pod that was deleted is not bridged. Most pods are ready, so that is the shorter list;
// it says something only where readiness is exported at all. A pod without a node, or one
// that was evicted, does not say. Owners need no signal: their labels are their own.
func (s *shape) pods() string {
	const (
		owner = "kube_pod_owner{owner_is_controller!=\"false\"}"
		ready = "kube_pod_status_ready{condition=\"true\"}"
	)
	return either([]string{
		fmt.Sprintf("max by (%s) (%s)", kubePod("owner_kind", "owner_name"), owner),
		fmt.Sprintf("max by (%s) (kube_replicaset_owner{owner_kind=\"Deployment\"})", kube("replicaset", "owner_name")),
		tag(fmt.Sprintf("max by (%s) (%s == 0)", kubePod(), ready), signalLabel, podNotReady),
		tag(fmt.Sprintf("max by (%s) (%s unless on (%s) %s)", kubePod(), owner, kubePod(), ready), signalLabel, podUnsaid),
		tag(fmt.Sprintf("count by (%s) (%s)", kube(), ready), signalLabel, podReadiness),
	})
}

// cpu asks for the cores that every pod uses and has requested. Rows without a
// container are totals of the pod, "POD" is its sandbox.
func (s *shape) cpu() string {
	used := fmt.Sprintf("rate(container_cpu_usage_seconds_total{container!=\"\", container!=\"POD\"}[%s])", s.rate)
	requested := fmt.Sprintf("last_over_time(kube_pod_container_resource_requests{resource=\"cpu\"}[%s])", s.stale)
	perPod := func(signal, expr string) string {
		return tag(fmt.Sprintf("sum by (%s) (max by (%s) (%s))",
			kubePod(), kubePod("container", "exported_container"), expr), signalLabel, signal)
	}
	return either([]string{perPod(cpuUsed, used), perPod(cpuRequested, requested)})
}

// coldStarts asks how long every pod of the last day took from created to ready.
// The ready time moves when readiness flaps; the first one seen counts.
func coldStarts() string {
	span := fmt.Sprintf("[%s:%s]", promDuration(coldStartSpan), promDuration(coldStartStep))
	return tag(fmt.Sprintf(
		"max by (%s) (min_over_time(kube_pod_status_ready_time%s)) - max by (%s) (last_over_time(kube_pod_created%s))",
		kubePod(), span, kubePod(), span), signalLabel, coldStart)
}

// ever asks which groups of pods an engine was heard of in the last day. A sample answers
// for its series for five minutes, so steps of that length leave nothing out.
func (s *shape) ever(engines []*profile) string {
	var list []string
	for _, p := range engines {
		for _, m := range []measure{running, waiting} {
			list = append(list, p.each(m, func(selector string) string {
				return fmt.Sprintf("count by (%s) (%s)", s.group(),
					s.withGroup(fmt.Sprintf("last_over_time(%s[1d:5m])", selector)))
			})...)
		}
	}
	return tag(either(list), signalLabel, string(FamilyEver))
}

// held asks for the requests in front of the pods. Several gateways hold different
// ones: theirs add up.
func (s *shape) held(presets []string) string {
	var list []string
	for _, preset := range presets {
		for _, h := range heldPresets[preset] {
			names := sortedValues(h.labels)
			newest := s.withoutTwins(fmt.Sprintf("last_over_time(%s[%s])", h.name, s.stale))
			list = append(list,
				tag(fmt.Sprintf("sum by (%s) (%s)", names, newest), signalLabel, h.signal),
				tag(fmt.Sprintf("max by (%s) (timestamp(%s))", names, h.name), signalLabel, h.signal+"."+evidenceSignal))
		}
	}
	return either(list)
}

// heldEver asks when each held series was last there. Gateways are merged before the
// span is walked, so that it is a thousand points a route.
func (s *shape) heldEver(presets []string) []string {
	span := fmt.Sprintf("[%s:%s]", promDuration(heldSpan), promDuration(heldStep))
	var list []string
	for _, preset := range presets {
		for _, h := range heldPresets[preset] {
			list = append(list, tag(fmt.Sprintf("max_over_time(max by (%s) (timestamp(%s))%s)", sortedValues(h.labels), h.name, span),
				signalLabel, h.signal+"."+string(FamilyEver)))
		}
	}
	return list
}
