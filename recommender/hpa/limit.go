package hpa

import (
	"math"
	"time"
)

// An Event is a change of the replica count: its size, always positive, and when.
type Event struct {
	Change int32     `json:"change"`
	Time   time.Time `json:"time"`
}

// A PolicyType says what the value of a Policy counts.
type PolicyType string

// The policy types.
const (
	Pods    PolicyType = "pods"    // replicas
	Percent PolicyType = "percent" // percent of the replicas at the start of the period
)

// Select says which of several policies applies. The empty Select means Max.
type Select string

// The ways to select a policy.
const (
	Max      Select = "max"      // the one that allows the largest change
	Min      Select = "min"      // the one that allows the smallest change
	Disabled Select = "disabled" // none: no change in this direction
)

// A Policy allows a change of Value within Period.
type Policy struct {
	Type   PolicyType
	Value  int32
	Period time.Duration
}

// Rules damp one direction of scaling.
type Rules struct {
	Window   time.Duration // of stabilisation
	Policies []Policy
	Select   Select
}

// Change sums the events younger than period.
// One whose age equals the period no longer counts.
func Change(events []Event, now time.Time, period time.Duration) int32 {
	var sum int32
	cutoff := now.Add(-period)
	for i := range events {
		if events[i].Time.After(cutoff) {
			sum += events[i].Change
		}
	}
	return sum
}

// UpLimit is the highest replica count that r allows now. It can lie below current,
// when recent events have used up more than the policies give; rules without a
// policy allow no change. Both lists of events count: a fall gives back what a rise
// took, and the other way round.
//
// The arithmetic is int32 and wraps, as in Kubernetes: a pods policy of 2147483647,
// meant as "unlimited", makes the limit negative and so forbids scaling up.
func UpLimit(current int32, r Rules, ups, downs []Event, now time.Time) int32 {
	if r.Select == Disabled || len(r.Policies) == 0 {
		return current
	}
	limit := r.Policies[0].up(current, ups, downs, now)
	for _, p := range r.Policies[1:] {
		if r.Select == Min {
			limit = min(limit, p.up(current, ups, downs, now))
		} else {
			limit = max(limit, p.up(current, ups, downs, now))
		}
	}
	return limit
}

// DownLimit is the lowest replica count that r allows now, by the rules of UpLimit.
// It can lie above current.
func DownLimit(current int32, r Rules, ups, downs []Event, now time.Time) int32 {
	if r.Select == Disabled || len(r.Policies) == 0 {
		return current
	}
	limit := r.Policies[0].down(current, ups, downs, now)
	for _, p := range r.Policies[1:] {
		if r.Select == Min {
			limit = max(limit, p.down(current, ups, downs, now))
		} else {
			limit = min(limit, p.down(current, ups, downs, now))
		}
	}
	return limit
}

// start is the replica count at the start of the period, as far as the events tell.
// Changes that others made are not events, so it may even be negative.
func (p Policy) start(current int32, ups, downs []Event, now time.Time) int32 {
	return current - Change(ups, now, p.Period) + Change(downs, now, p.Period)
}

// up multiplies in float64 on purpose: 10 % up from 100 is the ceiling of
// 110.00000000000001, which is 111.
func (p Policy) up(current int32, ups, downs []Event, now time.Time) int32 {
	start := p.start(current, ups, downs, now)
	if p.Type == Pods {
		return start + p.Value
	}
	return toInt32(math.Ceil(float64(start) * (1 + float64(p.Value)/100)))
}

// down truncates towards zero: 90 % down from 10 is 0.9999999999999998, which is 0.
func (p Policy) down(current int32, ups, downs []Event, now time.Time) int32 {
	start := p.start(current, ups, downs, now)
	if p.Type == Pods {
		return start - p.Value
	}
	return toInt32(float64(start) * (1 - float64(p.Value)/100))
}

// longest is the longest period of the policies.
func (r Rules) longest() time.Duration {
	var longest time.Duration
	for i := range r.Policies {
		longest = max(longest, r.Policies[i].Period)
	}
	return longest
}

// Within reports whether ratio is so close to 1 that nothing should change. Both
// borders belong to the band; NaN does not. The borders are float64: 1 - 0.58 is
// 0.42000000000000004, so that a ratio of 0.42 is outside a tolerance of 0.58.
func Within(ratio, down, up float64) bool {
	return 1-down <= ratio && ratio <= 1+up
}

// toInt32 converts as amd64 does, where most controllers run, on every platform:
// NaN and all that int32 cannot hold become the lowest int32.
func toInt32(f float64) int32 {
	if f > math.MinInt32-1 && f < math.MaxInt32+1 {
		return int32(f)
	}
	return math.MinInt32
}
