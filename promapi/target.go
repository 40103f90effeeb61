package promapi

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/recommender"
)

// A target is a workload, checked, with its selector parsed.
type target struct {
	Workload
	// object is the name of the Deployment or StatefulSet that has the replicas.
	object   string
	selector []*labels.Matcher
	// engine is the index of a fixed profile, -1 to detect.
	engine int
}

// predictor is what KServe appends to the name of an InferenceService.
const predictor = "-predictor"

func newTarget(w *Workload, names LabelNames) (target, error) {
	t := target{Workload: *w, object: w.Name, engine: -1}
	t.Kind = cmp.Or(t.Kind, Deployment)
	t.Engine = cmp.Or(t.Engine, EngineAuto)
	if t.Kind == InferenceService {
		t.object += predictor
	}
	if t.Policy == nil {
		t.Policy = &recommender.Policy{}
	}
	var errs []error
	if !slices.Contains(Kinds, t.Kind) {
		errs = append(errs, fmt.Errorf("kind: %q is none of %v", t.Kind, Kinds))
	}
	if t.Engine != EngineAuto {
		if t.engine = engineIndex(t.Engine); t.engine < 0 {
			errs = append(errs, fmt.Errorf("engine: %q is none of %s, %s", t.Engine, EngineAuto, strings.Join(Engines(), ", ")))
		}
	}
	errs = append(errs, t.parseSelector(names), t.checkQueries())
	return t, errors.Join(errs...)
}

// parseSelector reads the selector. Its usual label names stand for the mapped ones.
func (t *target) parseSelector(names LabelNames) error {
	matchers, err := ParseMatchers(t.Selector)
	if err != nil {
		return fmt.Errorf("selector: %w", err)
	}
	mapped := map[string]string{"namespace": names.Namespace, "pod": names.Pod, "model_name": names.Model}
	for _, m := range matchers {
		m.Name = cmp.Or(mapped[m.Name], m.Name)
		if slices.Contains(reserved, m.Name) || m.Name == model.MetricNameLabel {
			return fmt.Errorf("selector: the label %s can not be selected by", m.Name)
		}
	}
	t.selector = matchers
	return nil
}

func (t *target) checkQueries() error {
	var errs []error
	for _, q := range t.Queries {
		if _, err := promQL.ParseExpr(q.Text); err != nil {
			errs = append(errs, fmt.Errorf("query %q: %w", q.Name, err))
		}
	}
	for _, h := range t.Held {
		if h.Query == "" && heldPresets[h.Preset] == nil {
			errs = append(errs, fmt.Errorf("held: %q is none of %s, %s", h.Preset, HeldKEDA, HeldKnative))
			continue
		}
		if h.Query == "" {
			if err := h.CheckMatch(); err != nil {
				errs = append(errs, fmt.Errorf("held match: %w", err))
			}
			continue
		}
		if _, err := promQL.ParseExpr(h.Query); err != nil {
			errs = append(errs, fmt.Errorf("held query: %w", err))
		}
	}
	return errors.Join(errs...)
}

// objective is the bound of the SLO in seconds, 0 if there is none.
func (t *target) objective() float64 { return t.Policy.SLO.TTFT.Seconds() }

// percentiles are those that signals use, ascending.
func (t *target) percentiles() []float64 {
	var list []float64
	for i := range t.Policy.Signals {
		if t.Policy.Signals[i].Metric == recommender.TTFT {
			list = append(list, t.Policy.Signals[i].Percentile)
		}
	}
	return distinct(list)
}

// needsCPU reports whether a signal reads the CPU.
func (t *target) needsCPU() bool {
	return slices.ContainsFunc(t.Policy.Signals, func(s recommender.Signal) bool { return s.Metric == recommender.CPU })
}

// unseen says that the replicas of the object are unknown, and what is likely where nothing is there.
func (t *target) unseen(e recommender.Evidence) string {
	text := fmt.Sprintf("replicas of %s %s/%s: %s", t.Kind, t.Namespace, t.object, e)
	if e == recommender.Absent {
		text += fmt.Sprintf(", Prometheus has no %s of that name: name or kind is wrong, or kube-state-metrics is not scraped", t.Kind.SpecSeries())
	}
	return text
}

// statefulSet says whether the replicas are those of a StatefulSet, or of a Deployment.
func (t *target) statefulSet() bool { return t.Kind == StatefulSet || t.Kind == LeaderWorkerSet }

// selects reports whether a series has the labels of the selector.
func (t *target) selects(ls Labels) bool {
	for _, m := range t.selector {
		if !m.Matches(ls.Get(m.Name)) {
			return false
		}
	}
	return true
}

// selectsBy reports whether a row has all the labels that the selector looks at.
func (t *target) selectsBy(ls Labels) bool {
	for _, m := range t.selector {
		if ls.Get(m.Name) == "" {
			return false
		}
	}
	return len(t.selector) > 0
}

// contradicts reports whether a row has a label that the selector does not pick.
func (t *target) contradicts(ls Labels) bool {
	for _, m := range t.selector {
		if v := ls.Get(m.Name); v != "" && !m.Matches(v) {
			return true
		}
	}
	return false
}

// isRatio reports whether the signal of a custom query is a ratio.
func (t *target) isRatio(query string) bool {
	return slices.ContainsFunc(t.Policy.Signals, func(s recommender.Signal) bool {
		return s.Metric == recommender.Query && s.Name == query && !s.Additive()
	})
}

// sortedValues lists the values of a map as PromQL lists labels.
func sortedValues(m map[string]string) string {
	return strings.Join(slices.Sorted(maps.Values(m)), ", ")
}

// seconds since the epoch, as Prometheus writes times.
func seconds(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
