package daemon

import (
	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/recommender/risk"
)

// riskBudget is how many requests are simulated for all workloads together, about a
// quarter of a second on one core. The more workloads, the coarser each estimate.
const riskBudget = 1_000_000

// assess estimates for every workload with an objective how many requests will miss it.
func (l *loop) assess() {
	objectives := 0
	for i := range l.world.workloads {
		if l.world.workloads[i].policy.SLO.TTFT > 0 {
			objectives++
		}
	}
	for i := range l.world.workloads {
		t := &l.world.workloads[i]
		m := l.memories[t.identity]
		m.risk = nil
		if t.policy.SLO.TTFT <= 0 {
			continue
		}
		m.risk = newRisk(l.estimator.Estimate(&m.tracker, &risk.Workload{
			Name: t.String(), Policy: t.policy, Replica: t.replica,
			Interval: l.world.interval, RateWindow: l.world.rateWindow,
			Budget: min(risk.DefaultBudget, max(riskBudget/objectives, 1)),
		}, &m.observation, &m.decision))
	}
}

func newRisk(e risk.Estimate) *export.Risk {
	return &export.Risk{
		Current: e.Current, Desired: e.Desired,
		DesiredMinusOne: e.DesiredMinusOne, DesiredPlusOne: e.DesiredPlusOne,
		Horizon: e.Horizon, Missing: string(e.Reason),
	}
}
