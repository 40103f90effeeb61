package export

import (
	"time"

	"github.com/infscale/infscale/recommender"
)

// A Snapshot is what is known of every workload after one evaluation. Nobody
// changes it once it is published.
type Snapshot struct {
	// Slot is the multiple of the interval that was evaluated; zero before the first.
	Slot time.Time
	// Interval is the time between two evaluations. If it is 0 no decision grows old.
	Interval time.Duration
	// Overdue says that decisions did not come in time, see [Snapshot.At].
	Overdue bool
	// Workloads are in the order of the configuration.
	Workloads []Workload
}

// A Workload is what is known of one workload.
type Workload struct {
	Namespace, Name string
	// Kind of the object that is scaled.
	Kind string
	// Policy decides. It is not changed.
	Policy *recommender.Policy
	// Observation is what was read, Decision what was made of it.
	Observation recommender.Observation
	Decision    recommender.Decision
	// Risk is what is expected of the objective; nil without one.
	Risk *Risk
	// Membership says how its replicas were found: owner, pattern or selector; empty
	// if they were not.
	Membership string
	// Engines are what its replicas run, Notes what was wrong with what was read.
	Engines, Notes []string
	// Following says whether the replicas go where the recommendation is.
	Following Following
	// Wait is how long they have been elsewhere; zero if they need not move.
	Wait Wait
	// Changes are the latest changes of the recommendation, newest first.
	Changes []Change
}

// Undecided returns a workload before its first decision: nothing is known and
// nothing is recommended.
func Undecided(namespace, name, kind string, p *recommender.Policy) Workload {
	return Workload{
		Namespace: namespace, Name: name, Kind: kind, Policy: p,
		Decision: recommender.Decision{Min: p.Min, Max: p.Max, Reason: recommender.ReasonNoData},
	}
}

// Quantity returns a metric as a signal would use it: the same checks, and zero where
// there are no replicas that could have requests. Held requests have a quantity of
// their own.
func (w *Workload) Quantity(m recommender.Metric) recommender.Quantity {
	p := recommender.Policy{MaxNumSeqs: w.Policy.MaxNumSeqs}
	return w.Observation.Quantity(&p, &recommender.Signal{Metric: m})
}

// Find returns the workload of that name, or nil.
func (s *Snapshot) Find(namespace, name string) *Workload {
	for i := range s.Workloads {
		if w := &s.Workloads[i]; w.Namespace == namespace && w.Name == name {
			return w
		}
	}
	return nil
}

// A Change is one change of a recommendation.
type Change struct {
	Time     time.Time          `json:"time"`
	From     *int32             `json:"from"` // nil: there was none
	To       *int32             `json:"to"`   // nil: it was withdrawn
	Reason   recommender.Reason `json:"reason"`
	Replayed bool               `json:"replayed,omitempty"` // found in the history, before the daemon started
}

// A Wait is since when the replicas should go where the recommendation is, and until when
// they may take before they do not follow.
type Wait struct{ Since, Until time.Time }

// Following says whether something acts on a recommendation.
type Following string

// The answers. They are derived from what the replicas do, so that they hold for
// any consumer.
const (
	// FollowingUnknown: nothing has been asked for yet that differs from what is.
	FollowingUnknown Following = "unknown"
	// FollowingYes: the replicas moved to where the recommendation was.
	FollowingYes Following = "yes"
	// FollowingNo: the replicas stay away from the recommendation.
	FollowingNo Following = "no"
)
