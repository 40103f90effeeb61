package daemon

import (
	"reflect"
	"slices"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/recommender/risk"
)

// changesKept is how many changes of a recommendation are shown.
const changesKept = 20

// A memory is what the loop remembers of one workload.
type memory struct {
	policy *recommender.Policy
	origin origin
	state  recommender.State
	// settled says that the state rests on all the history that it can depend on.
	settled bool
	// since is when live evidence began; zero before.
	since time.Time
	// rateless is since when the engines are heard and their rates have no value;
	// zero if they have one.
	rateless time.Time

	// tracker is what the risk needs of the past, risk the latest estimate; nil without
	// an objective.
	tracker risk.Tracker
	risk    *export.Risk

	observation recommender.Observation
	decision    recommender.Decision
	report      promapi.WorkloadReport
	follower    follower
	changes     []export.Change // newest first, never changed in place
}

// resume goes on from the past. The changes of what was exported meanwhile stay as they
// were: they are newer than all of it, and a live decision is compared with them.
func (m *memory) resume(past *replayed) {
	m.state, m.tracker, m.settled = past.state, past.tracker, true
	if m.decision.Time.IsZero() {
		m.changes = past.changes
		m.decision.Known, m.decision.Desired = past.last.Known, past.last.Desired
	}
}

// decide folds a live observation. It reports whether the recommendation changed.
func (m *memory) decide(o recommender.Observation, report promapi.WorkloadReport, answered bool) (changed bool) {
	d, state := recommender.Decide(*m.policy, m.state, o)
	changed = differ(&m.decision, &d)
	m.changes = noted(m.changes, &m.decision, &d, false)
	m.observation, m.decision, m.state, m.report = o, d, state, report
	m.tracker.Observe(&o)
	m.follower.look(&d)
	if answered && m.since.IsZero() {
		m.since = o.Time
	}
	if !m.since.IsZero() && o.Time.Sub(m.since) >= m.policy.Replay() {
		m.settled = true
	}
	return changed
}

// noted returns the list of changes with that of the recommendation, if it is one.
func noted(list []export.Change, from, to *recommender.Decision, replayed bool) []export.Change {
	if !differ(from, to) {
		return list
	}
	change := export.Change{
		Time: to.Time, From: recommendation(from), To: recommendation(to), Reason: to.Reason, Replayed: replayed,
	}
	return slices.Concat([]export.Change{change}, list[:min(len(list), changesKept-1)])
}

// differ reports whether the recommendations are not the same.
func differ(a, b *recommender.Decision) bool {
	return a.Known != b.Known || a.Desired != b.Desired
}

// recommendation returns what d recommends, or nil.
func recommendation(d *recommender.Decision) *int32 {
	if !d.Known {
		return nil
	}
	return new(d.Desired)
}

// adopt goes on under the configuration of t. If any of it is new to the workload, or
// the slots are other ones, its past is read again: then a reload decides as a restart does.
func (m *memory) adopt(t *target, otherSlots bool) {
	if !otherSlots && reflect.DeepEqual(m.policy, t.policy) && reflect.DeepEqual(m.origin, t.origin) {
		return
	}
	m.policy, m.origin = t.policy, t.origin
	m.doubt(0)
}

// doubt forgets the past until it has been read again. Meanwhile the cautious holds:
// that what is recommended was asked for until now, and that the workload was busy.
// The clock was moved by an amount since the latest decision.
func (m *memory) doubt(by time.Duration) {
	m.settled, m.since, m.rateless = false, time.Time{}, time.Time{}
	m.tracker = risk.Tracker{}
	s := &m.state
	if s.Time.IsZero() {
		return
	}
	now := s.Time.Add(by)
	next := recommender.State{
		Time: now, Good: s.Good, Asked: s.Asked, Evidence: moved(s.Evidence, by),
		Unsure: now, Filled: now, Progress: now,
	}
	next.Good.Time = moved(s.Good.Time, by)
	next.Latest.Replicas, next.Latest.Time, next.Proposed = s.Asked, now, now
	m.state = next
}

// moved returns a time on a clock that was moved; none stays none.
func moved(t time.Time, by time.Duration) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(by)
}
