package hpa

import "time"

// A Kind is a type of metric and a type of target.
type Kind string

// The kinds of metric. An average is a target for one replica; a value is a target
// for the whole, whose ratio scales the ready pods.
const (
	ExternalAverage     Kind = "External/AverageValue"
	ExternalValue       Kind = "External/Value"
	ObjectAverage       Kind = "Object/AverageValue"
	ObjectValue         Kind = "Object/Value"
	PodsAverage         Kind = "Pods/AverageValue"
	ResourceAverage     Kind = "Resource/AverageValue"
	ResourceUtilization Kind = "Resource/Utilization"
)

// CPU is the resource whose samples are judged by the readiness and age of their pod.
const CPU = "cpu"

// A Metric is what an HPA watches.
type Metric struct {
	Kind   Kind
	Name   string // of the metric or, for the resource kinds, of the resource
	Object string // kind of the described object, for ObjectValue
	Target int64  // milli; percent of the request for ResourceUtilization; above zero
}

// String names the metric as the controller does in its rescale reasons. It takes an
// object with an average target for an external metric, and so does String.
func (m Metric) String() string {
	switch m.Kind {
	case ExternalAverage, ExternalValue, ObjectAverage:
		return "external metric " + m.Name + "(nil)"
	case ObjectValue:
		return m.Object + " metric " + m.Name
	case PodsAverage:
		return "pods metric " + m.Name
	case ResourceAverage:
		return m.Name + " resource"
	case ResourceUtilization:
		return m.Name + " resource utilization (percentage of request)"
	}
	return m.Name
}

// outside reports whether the metric exists without pods, which makes zero possible.
func (m Metric) outside() bool {
	switch m.Kind {
	case ExternalAverage, ExternalValue, ObjectAverage, ObjectValue:
		return true
	case PodsAverage, ResourceAverage, ResourceUtilization:
	}
	return false
}

// A Direction damps one direction of scaling.
type Direction struct {
	Rules
	Tolerance float64
}

// A Behaviour is spec.behavior with every default filled in.
type Behaviour struct {
	Up, Down Direction
}

// Flags are the flags and gates of kube-controller-manager.
type Flags struct {
	DownWindow        time.Duration // window of the legacy path
	Tolerance         float64       // where no Direction has its own
	CPUInitialization time.Duration // how long a pod's CPU samples count as start-up
	InitialReadiness  time.Duration // grace after the start of a pod for its first readiness
	ScaleToZero       bool          // the HPAScaleToZero gate
}

// DefaultFlags are the defaults of Kubernetes 1.37.
func DefaultFlags() Flags {
	return Flags{
		DownWindow:        300 * time.Second,
		Tolerance:         0.1,
		CPUInitialization: 300 * time.Second,
		InitialReadiness:  30 * time.Second,
		ScaleToZero:       true,
	}
}

// DefaultBehaviour is what the API and the controller make of `behavior: {}`.
func DefaultBehaviour(f Flags) Behaviour {
	const period = 15 * time.Second
	return Behaviour{
		Up: Direction{
			Rules: Rules{
				Policies: []Policy{{Pods, 4, period}, {Percent, 100, period}},
				Select:   Max,
			},
			Tolerance: f.Tolerance,
		},
		Down: Direction{
			Rules: Rules{
				Window:   f.DownWindow,
				Policies: []Policy{{Percent, 100, period}},
				Select:   Max,
			},
			Tolerance: f.Tolerance,
		},
	}
}

// A Spec is the configuration of one HPA and of its controller.
type Spec struct {
	Min, Max int32    // an unset minReplicas is 1
	Metrics  []Metric // at least one
	// Behaviour nil is an HPA without spec.behavior. It selects the legacy path, which
	// is not the same as DefaultBehaviour: see ExampleSpec.
	Behaviour *Behaviour
	Flags     Flags
}

// within applies the tolerances in force.
func (s *Spec) within(ratio float64) bool {
	if s.Behaviour == nil {
		return Within(ratio, s.Flags.Tolerance, s.Flags.Tolerance)
	}
	return Within(ratio, s.Behaviour.Down.Tolerance, s.Behaviour.Up.Tolerance)
}

// outside reports whether any metric exists without pods.
func (s *Spec) outside() bool {
	for i := range s.Metrics {
		if s.Metrics[i].outside() {
			return true
		}
	}
	return false
}
