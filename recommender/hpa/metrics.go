package hpa

import (
	"math"
	"time"
)

// raw asks every metric and takes the highest proposal. It says no when all metrics
// fail, and also when some fail and the others would scale down: the missing ones
// might have held the count.
func (s *State) raw(now time.Time, spec *Spec, o *Observation) (raw int32, winner int, ok bool) {
	winner = -1
	failed, first := 0, Reason("")
	for i := range spec.Metrics {
		n, ok := propose(now, spec, i, o)
		if !ok {
			if failed++; failed == 1 {
				first = spec.Metrics[i].failure()
			}
			continue
		}
		// Ties go to the first metric, but a zero gives way to any proposal.
		if raw == 0 || n > raw {
			raw, winner = n, i
		}
	}
	if failed == len(spec.Metrics) || failed > 0 && raw < o.Replicas {
		s.conditions.set(ScalingActive, false, first)
		return 0, -1, false
	}
	s.conditions.set(ScalingActive, true, ValidMetricFound)
	return raw, winner, true
}

func (m Metric) failure() Reason {
	switch m.Kind {
	case ObjectAverage, ObjectValue:
		return FailedGetObjectMetric
	case PodsAverage:
		return FailedGetPodsMetric
	case ResourceAverage, ResourceUtilization:
		return FailedGetResourceMetric
	case ExternalAverage, ExternalValue:
	}
	return FailedGetExternalMetric
}

// propose is the replica count that metric i asks for, or false if it has no answer.
func propose(now time.Time, spec *Spec, i int, o *Observation) (int32, bool) {
	m := spec.Metrics[i]
	if !m.outside() {
		return perPod(now, spec, i, o)
	}
	if i >= len(o.Values) || len(o.Values[i]) == 0 {
		return 0, false
	}
	series := o.Values[i]
	switch m.Kind {
	case ExternalAverage:
		return average(spec, m.Target, totalOrMax(series), o.Status, capped), true
	case ObjectAverage:
		return average(spec, m.Target, series[0], o.Status, ceiling), true
	case ExternalValue:
		return whole(spec, m.Target, total(series), o)
	default:
		return whole(spec, m.Target, series[0], o)
	}
}

// average compares with the replicas of the status, not of the spec: while pods are
// still being created, a load that fits those that exist undoes the scale-up. Outside
// the tolerance it is the load in targets, not a multiple of the replicas.
func average(spec *Spec, target, value int64, status int32, round func(float64) int32) int32 {
	// At zero replicas the ratio is infinite or NaN, and neither is within.
	if spec.within(float64(value) / (float64(target) * float64(status))) {
		return status
	}
	return round(float64(value) / float64(target))
}

// whole scales the ready pods by the ratio of value to target.
func whole(spec *Spec, target, value int64, o *Observation) (int32, bool) {
	ratio := float64(value) / float64(target)
	if o.Replicas == 0 {
		return ceiling(ratio), true
	}
	if spec.within(ratio) {
		return o.Replicas, true
	}
	ready, ok := readyPods(o.Pods)
	return capped(ratio * float64(ready)), ok
}

// totalOrMax adds up the series, and takes a negative running sum for an overflow:
// 5, -3 is 2, but -3, 5 is the highest int64.
func totalOrMax(series []int64) int64 {
	var sum int64
	for _, v := range series {
		if sum += v; sum < 0 {
			return math.MaxInt64
		}
	}
	return sum
}

// total adds up the series and stops at the highest int64.
func total(series []int64) int64 {
	var sum int64
	for _, v := range series {
		if v > 0 && sum > math.MaxInt64-v {
			return math.MaxInt64
		}
		sum += v
	}
	return sum
}

func ceiling(f float64) int32 { return toInt32(math.Ceil(f)) }

func capped(f float64) int32 {
	if f > math.MaxInt32 {
		return math.MaxInt32
	}
	return ceiling(f)
}
