package config

import (
	"cmp"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/hpa"
)

// Limits are the window and the rate limits of one direction as a command line has
// them: so many replicas and so many percent in each period. A limit of 0 is none, and
// without any there is no change in that direction.
type Limits struct {
	Window, Period time.Duration
	// Pods and Percent are nil where nothing was said.
	Pods, Percent *int32
	// Select is empty for the larger change.
	Select hpa.Select
}

// Up returns the rules of the way up. Each limit that was not given is as in
// [recommender.DefaultPolicy].
func (l *Limits) Up() hpa.Rules {
	usual := recommender.DefaultPolicy().ScaleUp.Policies
	pods, percent := l.Pods, l.Percent
	for i := range usual {
		switch usual[i].Type {
		case hpa.Pods:
			pods = cmp.Or(pods, &usual[i].Value)
		case hpa.Percent:
			percent = cmp.Or(percent, &usual[i].Value)
		}
	}
	return l.rules(pods, percent)
}

// Down returns the rules of the way down. Without any limit of its own a fall may take
// everything away, as in the HPA; one limit alone replaces that.
func (l *Limits) Down() hpa.Rules {
	if l.Pods == nil && l.Percent == nil {
		return l.rules(nil, new(int32(100)))
	}
	return l.rules(l.Pods, l.Percent)
}

func (l *Limits) rules(pods, percent *int32) hpa.Rules {
	r := hpa.Rules{Window: l.Window, Select: l.Select}
	for _, limit := range [...]struct {
		hpa.PolicyType
		value *int32
	}{{hpa.Pods, pods}, {hpa.Percent, percent}} {
		if limit.value != nil && *limit.value != 0 {
			r.Policies = append(r.Policies, hpa.Policy{Type: limit.PolicyType, Value: *limit.value, Period: l.Period})
		}
	}
	if len(r.Policies) == 0 {
		r.Select = hpa.Disabled
	}
	return r
}
