package recommender

import (
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// Somebody else scales too. A limit holds back what is asked for; it neither takes back what
// it allowed before, nor moves the count against the demand.
func TestLimitsWhenSomebodyElseScales(t *testing.T) {
	const s = time.Second
	limited := func(n int32, period time.Duration) Policy {
		return queue(atMost(40), func(p *Policy) {
			list := []hpa.Policy{{Type: hpa.Pods, Value: n, Period: period}}
			p.ScaleUp, p.ScaleDown = hpa.Rules{Policies: list}, hpa.Rules{Policies: list}
		})
	}
	for name, c := range map[string]struct {
		policy Policy
		ticks  []tick
	}{
		"a rise that was allowed stays allowed": {limited(1, 15*s), []tick{
			{0, 4, demand(80), 5, ReasonRateLimited, false},
			{15 * s, 3, demand(80), 5, ReasonRateLimited, false},
		}},
		"a fall that was allowed stays allowed": {limited(2, 15*s), []tick{
			{0, 8, demand(4), 6, ReasonRateLimited, false},
			{15 * s, 9, demand(4), 6, ReasonRateLimited, false},
		}},
		"who added more than the limit keeps it": {limited(1, 60*s), []tick{
			{0, 4, demand(16), 4, ReasonTolerance, false},
			{15 * s, 10, demand(80), 10, ReasonRateLimited, false},
		}},
		"who took more than the limit does not get it back": {limited(1, 60*s), []tick{
			{0, 10, demand(40), 10, ReasonTolerance, false},
			{15 * s, 4, demand(8), 4, ReasonRateLimited, false},
		}},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, c.policy, State{}, c.ticks) })
	}
}
