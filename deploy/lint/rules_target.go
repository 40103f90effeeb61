package lint

import (
	"fmt"
	"strings"
)

// own reports whether the scaler acts by itself. An InferenceService leaves scaling to others if
// it says so, and a ScaledObject may take over an HPA.
func (s *scaler) own() bool {
	if s.service == nil {
		return true
	}
	switch s.Metadata.Annotations["serving.kserve.io/autoscalerClass"] {
	case "external", "none":
		return false
	}
	mode := s.Metadata.Annotations["serving.kserve.io/deploymentMode"]
	return mode == "Standard" || mode == "RawDeployment"
}

// takesOver reports whether a ScaledObject takes an HPA over by its name.
func (s *scaler) takesOver(other *scaler) bool {
	return s.keda != nil && other.hpa != nil &&
		s.Metadata.Annotations["scaledobject.keda.sh/transfer-hpa-ownership"] == "true" &&
		s.keda.Spec.Advanced.HPA.Name.v == other.Metadata.Name.v
}

func twoScalers(w *world) []hit {
	var hits []hit
	for i, s := range w.scalers {
		for _, other := range w.scalers[:i] {
			if s.own() && other.own() && sameTarget(s, other) && !s.takesOver(other) && !other.takesOver(s) {
				hits = append(hits, hit{place: s.at(s.Kind.node), what: fmt.Sprintf(
					"%s scales the %s %s, and so does %s (%s:%d)", s.called(), s.targetKind(), s.targetName(),
					other.called(), other.src.name, other.at(other.Kind.node).line)})
				break
			}
		}
	}
	return hits
}

// sameTarget compares targets; versions of one file, such as overlays, are the same object.
func sameTarget(a, b *scaler) bool {
	same := a.Kind.v == b.Kind.v && a.Metadata.Name.v == b.Metadata.Name.v && a.src != b.src
	return !same && a.targetName() != "" && a.targetKind() == b.targetKind() &&
		a.targetName() == b.targetName() && sameNamespace(a.object, b.object)
}

func fixedReplicas(w *world) []hit {
	var hits []hit
	for _, s := range w.scalers {
		o := w.serverOf(s)
		if o == nil || !o.replicas.set() {
			continue
		}
		hits = append(hits, hit{place: o.src.at(o.replicas.node), what: fmt.Sprintf(
			"replicas: %d is written again with every apply, over what %s decided", o.replicas.v, s.called())})
	}
	return hits
}

// foreignPods finds series of infscale that an HPA looks for on the pods that it scales.
func foreignPods(w *world) []hit {
	var hits []hit
	for _, a := range w.autoscalers {
		for i := range a.Spec.Metrics {
			name := &a.Spec.Metrics[i].Pods.v.Metric.Name
			if strings.HasPrefix(name.v, "infscale_") {
				hits = append(hits, hit{place: a.src.at(name.node), what: name.v + " is no metric of the pods that are scaled"})
			}
		}
	}
	return hits
}
