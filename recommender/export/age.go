package export

import (
	"fmt"
	"slices"
	"time"

	"github.com/infscale/infscale/recommender"
)

// At returns what of a snapshot still holds at a time. Decisions come every interval; where
// none has come for longer than hold_limit and an interval, whatever should have made it stands
// still, and what it recommended last is withdrawn as it would have been.
func (s *Snapshot) At(now time.Time) *Snapshot {
	overdue := func(w Workload) bool { return s.overdue(&w, now) }
	if s.Interval <= 0 || !slices.ContainsFunc(s.Workloads, overdue) {
		return s
	}
	aged := *s
	aged.Overdue, aged.Workloads = true, slices.Clone(s.Workloads)
	for i := range aged.Workloads {
		if w := &aged.Workloads[i]; s.overdue(w, now) {
			*w = w.withdrawn()
		}
	}
	return &aged
}

// overdue reports whether the next decision on a workload should have come long ago.
func (s *Snapshot) overdue(w *Workload, now time.Time) bool {
	return !w.Decision.Time.IsZero() && now.Sub(w.Decision.Time) > w.Policy.HoldLimit+s.Interval
}

// withdrawn returns the workload as after an outage: the latest decision is one on stale
// evidence, without anything to hold. Its time stands still.
func (w *Workload) withdrawn() Workload {
	at := w.Decision.Time
	next := Undecided(w.Namespace, w.Name, w.Kind, w.Policy)
	next.Observation = recommender.Observation{Time: at, Current: recommender.Missing(recommender.Stale)}
	next.Decision, _ = recommender.Decide(*w.Policy, recommender.State{}, next.Observation)
	next.Decision.Evidence = w.Decision.Evidence
	next.Membership, next.Engines, next.Changes = w.Membership, w.Engines, w.Changes
	next.Following = FollowingUnknown
	next.Notes = []string{fmt.Sprintf("nothing was decided since %s UTC", at.UTC().Format(time.DateTime))}
	return next
}
