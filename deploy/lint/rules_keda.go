package lint

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// firstNode returns the first node that is there.
func firstNode(nodes ...*yaml.Node) *yaml.Node { return cmp.Or(nodes...) }

// eachTrigger collects what a function says of every trigger of those types, of all if none
// is named.
func eachTrigger(w *world, check func(*scaler, *trigger) []hit, types ...string) []hit {
	var hits []hit
	for _, s := range w.scalers {
		if s.keda == nil {
			continue
		}
		for _, t := range s.keda.Spec.Triggers {
			if len(types) == 0 || slices.Contains(types, t.Type.v) {
				hits = append(hits, check(s, t)...)
			}
		}
	}
	return hits
}

// eachScaler collects what a function says of every scaler: nothing, or a place and what.
func eachScaler(w *world, check func(*scaler) (*yaml.Node, string)) []hit {
	var hits []hit
	for _, s := range w.scalers {
		if node, what := check(s); what != "" {
			hits = append(hits, hit{place: s.at(node), what: what})
		}
	}
	return hits
}

// needs are the metadata without which a trigger does not start.
var needs = map[string][]string{
	"prometheus": {"serverAddress", "query", "threshold"},
	"cron":       {"timezone", "start", "end", "desiredReplicas"},
	"cpu":        {"value"},
	"memory":     {"value"},
}

func triggerIncomplete(w *world) []hit {
	hits := eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		// Where no list is written it is nil: a patch, which leaves the triggers as they are.
		if s.keda == nil || s.keda.Spec.Triggers == nil || len(s.keda.Spec.Triggers) > 0 {
			return nil, ""
		}
		return nil, s.called() + " has no trigger"
	})
	return append(hits, eachTrigger(w, func(s *scaler, t *trigger) []hit {
		var hits []hit
		for _, key := range needs[t.Type.v] {
			if f := t.meta(key); strings.TrimSpace(f.v) == "" {
				hits = append(hits, hit{place: s.at(t.Type.node), what: fmt.Sprintf("the %s trigger has no %s", t.Type.v, key)})
			}
		}
		for _, key := range []string{"threshold", "activationThreshold", "desiredReplicas"} {
			if f := t.meta(key); f.set() && f.v != "" && math.IsNaN(number(f.v)) {
				hits = append(hits, hit{place: s.at(f.node), what: fmt.Sprintf("%s must be a number, got %q", key, f.v)})
			}
		}
		return append(hits, schemeHits(s, t)...)
	})...)
}

// schemeHits finds an address of Prometheus that is no URL. What another program fills in
// before it is applied, such as ${PROMETHEUS}, is not judged.
func schemeHits(s *scaler, t *trigger) []hit {
	f := t.meta("serverAddress")
	address := strings.ToLower(strings.TrimSpace(f.v))
	switch {
	case t.Type.v != "prometheus" || address == "" || strings.HasPrefix(address, "$"):
		return nil
	case strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://"):
		return nil
	}
	return []hit{{
		place: s.at(f.node), what: fmt.Sprintf("serverAddress must begin with http:// or https://, got %q", f.v),
		fix: "Write the scheme, as in http://prometheus.monitoring.svc:9090: KEDA puts the path of the API behind it and asks there.",
	}}
}

func metadataType(w *world) []hit {
	return eachTrigger(w, func(s *scaler, t *trigger) []hit {
		var hits []hit
		for _, key := range slices.Sorted(maps.Keys(t.Metadata)) {
			if f := t.meta(key); f.set() && f.node.Kind == yaml.ScalarNode && f.node.ShortTag() != "!!str" {
				hits = append(hits, hit{place: s.at(f.node), what: fmt.Sprintf("%s: %s is not text", key, f.v)})
			}
		}
		return hits
	})
}

// A removal is a key of a trigger that KEDA no longer reads.
type removal struct {
	types     []string
	key, what string
	severity  Severity
}

var removals = []removal{
	{[]string{"prometheus"}, "metricName", "KEDA reads no metricName in the metadata of a trigger since 2.12", Warning},
	{[]string{"prometheus"}, "cortexOrgID", "KEDA reads no cortexOrgID since 2.15: it goes into customHeaders", Error},
	{[]string{"cpu", "memory"}, "type", "KEDA refuses the type in the metadata of a cpu or memory trigger since 2.18: it is metricType beside it", Error},
}

func removedField(w *world) []hit {
	hits := eachTrigger(w, func(s *scaler, t *trigger) []hit {
		var hits []hit
		for i := range removals {
			r := &removals[i]
			if f := t.meta(r.key); f.set() && slices.Contains(r.types, t.Type.v) {
				hits = append(hits, hit{place: s.at(f.node), what: r.what, severity: r.severity})
			}
		}
		return hits
	})
	for _, o := range w.scaledObjects {
		if o.APIVersion.v != "keda.sh/v1alpha1" {
			hits = append(hits, hit{place: o.src.at(o.APIVersion.node), what: fmt.Sprintf("apiVersion is %q: since KEDA 2.0 it is keda.sh/v1alpha1", o.APIVersion.v)})
		}
	}
	for _, a := range w.autoscalers {
		if what := oldAPI(a.APIVersion.v); what != "" {
			hits = append(hits, hit{place: a.src.at(a.APIVersion.node), what: what, fix: "Write autoscaling/v2."})
		}
	}
	return hits
}

// oldAPI says since when Kubernetes does not serve a version of the autoscaler.
func oldAPI(version string) string {
	switch version {
	case "autoscaling/v2beta1":
		return "Kubernetes serves no autoscaling/v2beta1 since 1.25"
	case "autoscaling/v2beta2":
		return "Kubernetes serves no autoscaling/v2beta2 since 1.26"
	}
	return ""
}

func misfit(w *world) []hit { return append(slices.Clip(w.misfits), misspelt(w)...) }

func metricTypePlace(w *world) []hit {
	return eachTrigger(w, func(s *scaler, t *trigger) []hit {
		f := t.meta("metricType")
		if !f.set() {
			return nil
		}
		return []hit{{place: s.at(f.node), what: "metricType in the metadata is not read: the trigger is of type " + t.MetricType.or(averageValue)}}
	}, "prometheus", "cron")
}

func replicaBounds(w *world) []hit {
	hits := eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		low := s.low.or(0)
		switch {
		case s.high.set() && s.high.v < 1:
			return s.high.node, fmt.Sprintf("the maximum is %d", s.high.v)
		case low > s.most():
			return s.low.node, fmt.Sprintf("the minimum %d is above the maximum %d", low, s.most())
		case s.keda != nil && s.keda.Spec.Idle.set() && s.keda.Spec.Idle.v >= low:
			return s.keda.Spec.Idle.node, fmt.Sprintf("idleReplicaCount %d is not below the minimum %d", s.keda.Spec.Idle.v, low)
		}
		return nil, ""
	})
	return append(hits, eachTrigger(w, func(s *scaler, t *trigger) []hit {
		f := t.meta("desiredReplicas")
		if n := number(f.v); n > float64(s.most()) {
			return []hit{{place: s.at(f.node), what: fmt.Sprintf("the schedule asks for %v replicas and the maximum is %d", f.v, s.most())}}
		}
		return nil
	}, "cron")...)
}

func maxMissing(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.keda == nil || s.high.set() {
			return nil, ""
		}
		return nil, s.called() + " names no maxReplicaCount, so it is 100"
	})
}

func zeroCannotWake(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.service != nil || !s.toZero() || len(s.queries) == 0 && len(s.triggers("cpu", "memory")) == 0 {
			return nil, ""
		}
		sees := func(q *query) bool { return q.expr == nil || !readsOnly(q.expr, onPods) }
		others := s.keda != nil && len(s.triggers("prometheus", "cpu", "memory")) < len(s.keda.Spec.Triggers)
		if slices.ContainsFunc(s.queries, sees) || others {
			return nil, ""
		}
		how := "goes to zero"
		if !s.low.set() {
			how += ", the default of minReplicaCount"
		}
		node := s.low.node
		if s.keda != nil {
			node = firstNode(s.keda.Spec.Idle.node, node)
		}
		return node, s.called() + " " + how + ", where nothing exports the metrics that it reads: it stays there"
	})
}

func hpaToZero(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.hpa == nil || !s.toZero() {
			return nil, ""
		}
		return s.low.node, "minReplicas 0 is refused before Kubernetes 1.37, unless HPAScaleToZero is switched on"
	})
}

func cooldownWithoutZero(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.keda == nil || !s.keda.Spec.Cooldown.set() || s.low.or(0) == 0 || s.keda.Spec.Idle.set() {
			return nil, ""
		}
		return s.keda.Spec.Cooldown.node, fmt.Sprintf(
			"cooldownPeriod has no effect with a minimum of %d: it delays only the step to zero", s.low.v)
	})
}

func cooldownDoubled(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.keda == nil || !s.toZero() || s.follows() == nil || s.keda.Spec.Cooldown.or(300) <= 60 {
			return nil, ""
		}
		return s.keda.Spec.Cooldown.node, fmt.Sprintf(
			"infscale has waited out its cooldown when it recommends zero, and KEDA waits another %d s", s.keda.Spec.Cooldown.or(300))
	})
}

func slowPolling(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.keda == nil {
			return nil, ""
		}
		polling := s.keda.Spec.PollingInterval.or(30)
		cached := slices.ContainsFunc(s.keda.Spec.Triggers, func(t *trigger) bool { return t.Cached.v })
		switch {
		case s.toZero() && polling > 30:
			return s.keda.Spec.PollingInterval.node, fmt.Sprintf("at zero KEDA looks every %d s, and a held request waits for that before its cold start", polling)
		case cached && polling > 30:
			return s.keda.Spec.PollingInterval.node, fmt.Sprintf("with useCachedMetrics the HPA sees values up to %d s old", polling)
		}
		return nil, ""
	})
}

func fallbackShrinks(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.keda == nil || !s.keda.Spec.Fallback.set() {
			return nil, ""
		}
		f := &s.keda.Spec.Fallback.v
		shrinks := slices.Contains([]string{"static", "currentReplicasIfLower"}, f.Behavior.or("static"))
		if !shrinks || f.Replicas.v >= s.most() {
			return nil, ""
		}
		return s.keda.Spec.Fallback.node, fmt.Sprintf("when Prometheus is away the fallback scales a larger fleet down to %d", f.Replicas.v)
	})
}

// fallbackType finds fallbacks that this version of KEDA does not have.
func fallbackType(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.keda == nil || !s.keda.Spec.Fallback.set() {
			return nil, ""
		}
		node := s.keda.Spec.Fallback.node
		switch all := s.keda.Spec.Triggers; {
		case len(all) > 0 && len(s.triggers("cpu", "memory")) == len(all):
			return node, "KEDA has no fallback for cpu and memory triggers, and refuses it"
		case w.keda < 18 && slices.ContainsFunc(all, func(t *trigger) bool { return t.MetricType.v == value }):
			return node, "KEDA before 2.18 has no fallback for a trigger of metricType Value"
		}
		return nil, ""
	})
}

func fallbackAtZero(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		if s.keda == nil || !s.keda.Spec.Fallback.set() || s.low.or(0) != 0 {
			return nil, ""
		}
		switch f := &s.keda.Spec.Fallback.v; {
		case f.Replicas.v == 0:
			return s.keda.Spec.Fallback.node, "with fallback.replicas 0 a query that fails counts as inactive, and KEDA goes to zero"
		case f.Replicas.v > 1:
			return s.keda.Spec.Fallback.node, fmt.Sprintf(
				"a trigger in fallback counts as active: when Prometheus is away this wakes with %d replicas, and so does everything that sleeps", f.Replicas.v)
		}
		return nil, ""
	})
}
