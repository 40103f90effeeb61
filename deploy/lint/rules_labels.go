package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// podLabels are labels of pods and objects that people expect on series. They are there only
// where a scrape puts them.
var podLabels = []string{"app", "deployment", "statefulset", "pod_name", "release", "workload", "workload_namespace", "model"}

func wrongLabel(w *world) []hit {
	var hits []hit
	for _, q := range w.queries {
		for _, s := range q.selectors() {
			for _, m := range matchersOf(s) {
				if m.Matches("") {
					continue // true of a series without the label
				}
				h := w.judge(nameOf(s), m.Name, s)
				if h.what != "" {
					h.place = q.at(int(s.PosRange.Start))
					hits = append(hits, h)
				}
			}
		}
	}
	return hits
}

// judge returns what is wrong with a label of a metric.
func (w *world) judge(name, label string, s *parser.VectorSelector) hit {
	switch engine, _, _ := base(name); {
	case strings.HasPrefix(name, "infscale_"):
		return judgeOwn(name, label, s)
	case !isEngine(name) || w.relabelled[label]:
		return hit{}
	case label == "model" && engine != "llamacpp":
		return hit{
			what: fmt.Sprintf("%s has no label model of its own, so nothing matches", name),
			fix:  "Write model_name, or give the monitor that renames it to lint too.",
		}
	case label == "model_name" && engine == "llamacpp":
		return hit{
			what: fmt.Sprintf("%s has no label %s, so nothing matches: llama.cpp names no model", name, label),
			fix:  "Match namespace and pod, which the scrape adds.",
		}
	case slices.Contains(podLabels, label) || strings.HasPrefix(label, "app_kubernetes_io_"):
		return hit{
			severity: Warning,
			what:     fmt.Sprintf("%s has the label %s only if the scrape adds it", name, label),
			fix:      "Match namespace and pod or model_name, or list the label in podTargetLabels of the PodMonitor.",
		}
	}
	return hit{}
}

// ownLabels are the labels of infscale's series, beside those of the scrape.
var ownLabels = []string{"workload_namespace", "workload", "signal", "reason", "replicas", "percentile", "direction", "cause", "version", "revision", "branch", "goversion", "goos", "goarch", "tags", "le"}

// scrapeLabels are added by the scrape and name infscale's own pod.
var scrapeLabels = []string{"namespace", "pod", "container", "service", "endpoint", "node"}

func judgeOwn(name, label string, s *parser.VectorSelector) hit {
	has := func(label string) bool {
		for _, m := range s.LabelMatchers {
			if m.Name == label {
				return true
			}
		}
		return false
	}
	switch {
	case slices.Contains(ownLabels, label):
		return hit{}
	case label == "namespace" && !has("workload_namespace"):
		return hit{
			what: fmt.Sprintf("the label namespace of %s is where infscale itself runs, not the workload", name),
			fix:  "Match workload_namespace and workload.",
		}
	case slices.Contains(scrapeLabels, label) || isTargetLabel(label):
		return hit{}
	case slices.Contains(podLabels, label) || label == "name" || label == "model_name" || label == "exported_namespace":
		return hit{
			what: fmt.Sprintf("%s has no label %s, so nothing matches", name, label),
			fix:  "Match workload_namespace and workload.",
		}
	}
	return hit{}
}

func isTargetLabel(label string) bool {
	return slices.Contains([]string{"job", "instance", "cluster", "prometheus", "prometheus_replica"}, label)
}
