package recommender

import (
	"slices"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// A Policy says how one workload is scaled. Start from [DefaultPolicy].
type Policy struct {
	// Min and Max bound the replicas. Min 0 needs Held.
	Min, Max int32
	// Signals ask for replicas; the largest proposal wins.
	Signals []Signal
	// Tolerance is the band around the target in which nothing moves.
	Tolerance Tolerance
	// ScaleUp and ScaleDown are the windows and rate limits of each direction.
	ScaleUp, ScaleDown hpa.Rules
	// Gate allows a fall only while batches are nearly empty.
	Gate Gate
	// ColdStart is how long a replica takes from the decision to ready, used
	// where it is not measured.
	ColdStart time.Duration
	// Lookahead projects additive demand that far ahead; 0 is off.
	Lookahead time.Duration
	// LookaheadColdStart projects over the cold start in force instead.
	LookaheadColdStart bool
	// Schedules raise the minimum at known times.
	Schedules []Schedule
	// Cooldown is how long a workload must be idle before it goes to zero.
	Cooldown time.Duration
	// Held says that a source of held requests is configured.
	Held bool
	// HoldLimit is how long a recommendation stands without any usable evidence.
	HoldLimit time.Duration
	// MaxNumSeqs is the batch slots of one replica; 0 is unknown.
	MaxNumSeqs int32
	// SLO is the objective for the time to the first token.
	SLO SLO
}

// Tolerance is the band around 1 of value over target in which a signal asks for
// the current replicas, per direction and inclusive.
type Tolerance struct{ Up, Down float64 }

// A Gate allows a fall only after the batch fill was below BatchFill for all of For.
// A zero BatchFill is no gate.
type Gate struct {
	BatchFill float64
	For       time.Duration
}

// An SLO asks that a fraction of the requests gets its first token in time.
type SLO struct {
	TTFT      time.Duration
	Objective float64
}

// DefaultPolicy returns the defaults of the Kubernetes HPA, where it has one.
func DefaultPolicy() Policy {
	const period = 15 * time.Second
	return Policy{
		Min: 1, Max: 1,
		Tolerance: Tolerance{Up: 0.1, Down: 0.1},
		ScaleUp: hpa.Rules{Policies: []hpa.Policy{
			{Type: hpa.Pods, Value: 4, Period: period},
			{Type: hpa.Percent, Value: 100, Period: period},
		}},
		ScaleDown: hpa.Rules{Window: 300 * time.Second, Policies: []hpa.Policy{
			{Type: hpa.Percent, Value: 100, Period: period},
		}},
		Cooldown:  300 * time.Second,
		HoldLimit: 10 * time.Minute,
	}
}

// Replay returns how much history rebuilds the state: the longest span that any rule
// looks back, and a little more than the hold limit, so that the count at which a
// replay begins is not taken for a recent recommendation.
func (p *Policy) Replay() time.Duration {
	longest := max(p.ScaleUp.Window, p.ScaleDown.Window, p.ColdStart+p.Cooldown, p.Gate.For, p.HoldLimit+time.Minute, stuckAfter)
	return max(longest, p.longestPeriod())
}

// ReplayWith returns Replay, or more where o says that replicas take longer to start than
// is configured: the idle clock of a workload that was woken begins when they are due.
func (p *Policy) ReplayWith(o *Observation) time.Duration {
	if p.Min > 0 {
		return p.Replay()
	}
	return max(p.Replay(), min(p.coldStart(o), longestStart)+p.Cooldown)
}

// longestStart is the longest measured cold start of which a replay still makes sure.
const longestStart = 2 * time.Hour

// longestPeriod returns the longest period of any rate limit.
func (p *Policy) longestPeriod() time.Duration {
	var longest time.Duration
	for _, rules := range [...]*hpa.Rules{&p.ScaleUp, &p.ScaleDown} {
		for i := range rules.Policies {
			longest = max(longest, rules.Policies[i].Period)
		}
	}
	return longest
}

// coldStart returns the cold start in force: the highest percentile measured, else the configured one.
func (p *Policy) coldStart(o *Observation) time.Duration {
	for _, percentile := range slices.Backward(o.ColdStart) {
		if q := percentile.checked(); q.Known() {
			return seconds(q.Value)
		}
	}
	return p.ColdStart
}

// seconds converts to a duration of at most a year.
func seconds(s float64) time.Duration {
	const year = 365 * 24 * 3600
	return time.Duration(min(s, year) * float64(time.Second))
}
