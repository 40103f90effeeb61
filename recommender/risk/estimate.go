package risk

import (
	"math"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
)

// A Workload is what an estimate is for.
type Workload struct {
	// Name is unique among workloads: with the time, it chooses what is random.
	Name string
	// Policy has the objective, the cold start and the batch slots.
	Policy *recommender.Policy
	// Replica and Engine serve the requests. Without a replica one is fitted to what was
	// observed, where that tells enough.
	Replica *sim.Replica
	Engine  sim.Engine
	// Interval is the time between two decisions.
	Interval time.Duration
	// RateWindow is the window of the rates observed; 0 is two minutes.
	RateWindow time.Duration
	// Horizon is how far the estimate looks ahead; 0 is a cold start and an interval.
	Horizon time.Duration
	// Budget is how many requests are simulated at most; 0 is DefaultBudget.
	Budget int
}

// DefaultBudget keeps an estimate below two milliseconds on one idle core, however many
// replicas there are.
const DefaultBudget = 7000

// An Estimate is the fraction of the requests arriving within Horizon that is expected to
// miss the objective for the time to the first token.
type Estimate struct {
	// Known says that there is an estimate. If there is none, Reason says why.
	Known  bool
	Reason Reason
	// The fraction with the replicas asked for now, with those desired, and with one less
	// and one more than desired; NaN where there is no such number of replicas.
	Current, Desired, DesiredMinusOne, DesiredPlusOne float64
	// Horizon is how far the estimate looks ahead.
	Horizon time.Duration
	// Samples is how many courses of the traffic were simulated.
	Samples int
}

// A Reason says why there is no estimate.
type Reason string

// Reasons. None means that there is an estimate. NoReplicaModel means that none is
// configured and what was observed does not tell enough to fit one.
const (
	None           Reason = ""
	NoObjective    Reason = "no_objective"
	NoReplicas     Reason = "no_replicas"
	NoRequests     Reason = "no_requests"
	NoArrivals     Reason = "no_arrivals"
	NoTokenLengths Reason = "no_token_lengths"
	NoReplicaModel Reason = "no_replica_model"
	NoColdStart    Reason = "no_cold_start"
	StaleData      Reason = "stale_data"
)

// Reasons lists why an estimate can be missing.
func Reasons() []Reason {
	return []Reason{
		NoObjective, NoReplicas, NoRequests, NoArrivals, NoTokenLengths, NoReplicaModel, NoColdStart, StaleData,
	}
}

// unknown returns an estimate that there is not.
func unknown(why Reason) Estimate {
	nan := math.NaN()
	return Estimate{Reason: why, Current: nan, Desired: nan, DesiredMinusOne: nan, DesiredPlusOne: nan}
}

// Estimate returns what is to be expected after the observation o, which t has observed
// last, and the decision d on it. A decision that is not known leaves current alone.
func (e *Estimator) Estimate(t *Tracker, w *Workload, o *recommender.Observation, d *recommender.Decision) Estimate {
	s, why := e.situation(t, w, o)
	if why != None {
		return unknown(why)
	}
	counts := [4]int{s.current, absent, absent, absent}
	if d.Known {
		n := int(d.Desired)
		counts = [4]int{s.current, n, n - 1, n + 1}
	}
	y := e.integrate(s, counts[:], w)
	return Estimate{
		Known: true, Current: y[0], Desired: y[1], DesiredMinusOne: y[2], DesiredPlusOne: y[3],
		Horizon: time.Duration(s.horizon * float64(time.Second)), Samples: len(e.nodes),
	}
}

// absent is a number of replicas that there is not.
const absent = -1
