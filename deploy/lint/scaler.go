package lint

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A scaler is whatever sets the replicas of something: a ScaledObject, a HorizontalPodAutoscaler,
// or an InferenceService with an autoscaler of its own. Exactly one of the three is not nil.
type scaler struct {
	*object
	target    field[targetRef]
	low, high field[int]
	behavior  field[behavior]
	queries   []*query

	keda    *scaledObject
	hpa     *autoscaler
	service *inferenceService
}

// The types of targets.
const (
	averageValue = "AverageValue"
	value        = "Value"
)

// targetKind is the kind of the target; a ScaledObject need not say that it is a Deployment.
func (s *scaler) targetKind() string {
	if s.service != nil {
		return "Deployment"
	}
	return s.target.v.Kind.or("Deployment")
}

// targetName is the name of the target; KServe names the Deployment of a predictor.
func (s *scaler) targetName() string {
	if s.service != nil {
		return s.Metadata.Name.v + "-predictor"
	}
	return s.target.v.Name.v
}

// scales reports whether the target is that object. A namespace that is not written is left to
// whoever applies the file.
func (s *scaler) scales(o *object) bool {
	return s.targetKind() == o.Kind.v && s.targetName() == o.Metadata.Name.v && sameNamespace(s.object, o)
}

func sameNamespace(a, b *object) bool {
	x, y := a.Metadata.Namespace.v, b.Metadata.Namespace.v
	return x == y || x == "" || y == ""
}

// at returns the place of a node, of the kind of the object if that is absent.
func (s *scaler) at(n *yaml.Node) place {
	if n == nil {
		return s.src.at(s.Kind.node)
	}
	return s.src.at(n)
}

// toZero reports whether the scaler may take the last replica away. The minimum of a
// ScaledObject that names none is zero.
func (s *scaler) toZero() bool {
	switch {
	case s.keda != nil:
		return s.low.or(0) == 0 || s.keda.Spec.Idle.set() && s.keda.Spec.Idle.v == 0
	default:
		return s.low.or(1) == 0
	}
}

// most is the largest number of replicas.
func (s *scaler) most() int {
	if s.keda != nil {
		return s.high.or(100)
	}
	return s.high.or(math.MaxInt32)
}

// follows returns the query by which the scaler follows a recommendation of infscale.
func (s *scaler) follows() *query {
	for _, q := range s.queries {
		if q.kind() == replicaCount {
			return q
		}
	}
	return nil
}

// composed reports whether a formula makes one metric of those of the triggers.
func (s *scaler) composed() bool {
	return s.keda != nil && s.keda.Spec.Advanced.Modifiers.v.Formula.v != ""
}

// onEngine reports whether the scaler reads metrics of the engines.
func (s *scaler) onEngine() bool {
	return slices.ContainsFunc(s.queries, func(q *query) bool {
		return slices.ContainsFunc(q.names(), isEngine)
	})
}

// triggers returns the triggers of those types; a HorizontalPodAutoscaler has none.
func (s *scaler) triggers(types ...string) []*trigger {
	if s.keda == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(s.keda.Spec.Triggers), func(t *trigger) bool {
		return !slices.Contains(types, t.Type.v)
	})
}

// number reads a number, with the suffix of a Kubernetes quantity that targets carry: 850m.
// What is none is NaN.
func number(text string) float64 {
	factor := 1.0
	if milli, ok := strings.CutSuffix(text, "m"); ok {
		text, factor = milli, 0.001
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return v * factor
}
