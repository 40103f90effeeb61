package recommender

import (
	"testing"
	"time"
)

func TestOneSampleOfACounterLetsNothingFall(t *testing.T) {
	rate := func(requests, tokens float64) func(*Observation) {
		return func(o *Observation) { demand(requests)(o); o.OutputTokens = known(o, tokens) }
	}
	// After an outage of the scrapes, or where the replicas are all new.
	once := func(requests float64) func(*Observation) {
		return func(o *Observation) { demand(requests)(o); o.OutputTokens = Missing(Unobserved) }
	}
	policy := func(optional bool) Policy {
		p := queue()
		p.ScaleDown.Window = 0
		p.Signals = append(p.Signals, Signal{Metric: OutputTokens, Target: 100, Optional: optional})
		return p
	}
	timeline(t, policy(false), Quiet(start), []tick{
		{0, 6, rate(4, 600), 6, ReasonTolerance, false},
		{15 * time.Second, 6, once(4), 6, ReasonPartialData, true},
		{30 * time.Second, 6, once(32), 8, ReasonPartialData, true}, // it may rise on what is known
		{45 * time.Second, 8, rate(4, 80), 1, ReasonMetric, false},
	})
	timeline(t, policy(true), Quiet(start), []tick{
		{0, 6, rate(4, 600), 6, ReasonTolerance, false},
		{15 * time.Second, 6, once(4), 1, ReasonMetric, false},
	})
}
