package hpa

import "fmt"

// A ConditionType is a condition in the status of an HPA.
type ConditionType string

// The condition types.
const (
	AbleToScale    ConditionType = "AbleToScale"
	ScalingActive  ConditionType = "ScalingActive"
	ScalingLimited ConditionType = "ScalingLimited"
	ScaledToZero   ConditionType = "ScaledToZero"
)

// A Reason says why a condition is as it is.
type Reason string

// The reasons of AbleToScale.
const (
	SucceededGetScale   Reason = "SucceededGetScale"
	SucceededRescale    Reason = "SucceededRescale"
	ReadyForNewScale    Reason = "ReadyForNewScale"
	ScaleUpStabilized   Reason = "ScaleUpStabilized"
	ScaleDownStabilized Reason = "ScaleDownStabilized"
)

// The reasons of ScalingActive.
const (
	ValidMetricFound        Reason = "ValidMetricFound"
	ScalingDisabled         Reason = "ScalingDisabled"
	FailedGetExternalMetric Reason = "FailedGetExternalMetric"
	FailedGetObjectMetric   Reason = "FailedGetObjectMetric"
	FailedGetPodsMetric     Reason = "FailedGetPodsMetric"
	FailedGetResourceMetric Reason = "FailedGetResourceMetric"
)

// The reasons of ScalingLimited.
const (
	DesiredWithinRange Reason = "DesiredWithinRange"
	ScaleUpLimit       Reason = "ScaleUpLimit"
	ScaleDownLimit     Reason = "ScaleDownLimit"
	TooManyReplicas    Reason = "TooManyReplicas"
	TooFewReplicas     Reason = "TooFewReplicas"
)

// The reasons of ScaledToZero.
const (
	ReasonScaledToZero    Reason = "ScaledToZero"
	ReasonNotScaledToZero Reason = "NotScaledToZero"
)

// A Condition is one line of an HPA's status.
type Condition struct {
	Type   ConditionType
	True   bool
	Reason Reason
}

// String is the condition as Type:Status:Reason.
func (c Condition) String() string {
	status := "False"
	if c.True {
		status = "True"
	}
	return fmt.Sprintf("%s:%s:%s", c.Type, status, c.Reason)
}

// Conditions are the conditions of an HPA in the order in which they were first set.
// It is an array, so that a Decision can carry a copy without allocating.
type Conditions struct {
	list [4]Condition
	n    int
}

// All lists the conditions.
func (c *Conditions) All() []Condition { return c.list[:c.n] }

// Is reports whether the condition of type t is set and true.
func (c *Conditions) Is(t ConditionType) bool {
	for i := range c.n {
		if c.list[i].Type == t {
			return c.list[i].True
		}
	}
	return false
}

// set changes a condition where it stands, or appends it.
func (c *Conditions) set(t ConditionType, status bool, r Reason) {
	i := 0
	for i < c.n && c.list[i].Type != t {
		i++
	}
	c.list[i] = Condition{t, status, r}
	c.n = max(c.n, i+1)
}

// remove closes the gap, so that the condition comes back at the end.
func (c *Conditions) remove(t ConditionType) {
	kept := 0
	for i := range c.n {
		if c.list[i].Type != t {
			c.list[kept] = c.list[i]
			kept++
		}
	}
	c.n = kept
}
