package recommender

import (
	"slices"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// State is what Decide remembers of earlier observations of one workload. The
// zero State knows nothing of the past and assumes the cautious: that the current
// count was asked for until now, and that the workload was busy. A State is a
// value: Decide never changes what an older copy sees.
type State struct {
	// Time of the latest observation; zero before the first.
	Time time.Time `json:"time,omitzero"`
	// Proposals are past raw recommendations, oldest first, each with the last
	// instant at which it was made. Equal neighbours are one entry.
	Proposals []hpa.Recommendation `json:"proposals,omitempty"`
	// Latest is the newest raw recommendation, not yet in Proposals; at the beginning the
	// current count.
	Latest hpa.Recommendation `json:"latest,omitzero"`
	// Proposed is when a raw recommendation was last made, Bridged what was asked for
	// until then or since, where none was made for a whole window. Nothing falls below it
	// for a window more.
	Proposed time.Time          `json:"proposed,omitzero"`
	Bridged  hpa.Recommendation `json:"bridged,omitzero"`
	// Ups and Downs are observed changes of the current count.
	Ups   []hpa.Event `json:"ups,omitempty"`
	Downs []hpa.Event `json:"downs,omitempty"`
	// Current is the latest known current count and when it was seen.
	Current hpa.Recommendation `json:"current,omitzero"`
	// Good is the latest recommendation, held ones included, and when a
	// recommendation last rested on usable evidence.
	Good hpa.Recommendation `json:"good,omitzero"`
	// Asked is the latest recommendation without the floors of schedules: what was
	// asked for above the maximum cannot be on its way.
	Asked int32 `json:"asked"`
	// Evidence is the time of the oldest evidence that Good rests on.
	Evidence time.Time `json:"evidence,omitzero"`
	// Active is when requests were last seen.
	Active time.Time `json:"active,omitzero"`
	// Woken is when the workload was last asked to leave zero.
	Woken time.Time `json:"woken,omitzero"`
	// Unsure is when the workload was last not known to be idle.
	Unsure time.Time `json:"unsure,omitzero"`
	// Filled is when the batch fill was last not known to be below the gate.
	Filled time.Time `json:"filled,omitzero"`
	// Progress is when the engines were last not known to be stuck.
	Progress time.Time `json:"progress,omitzero"`
	// Demand is the latest known value of each additive signal, for the lookahead.
	Demand [MaxSignals]Demand `json:"demand"`
}

// Demand is the value of a signal at a time.
type Demand struct {
	Value float64   `json:"value"`
	Time  time.Time `json:"time,omitzero"`
}

// Quiet returns the state of a workload whose past is known to be quiet: no
// window holds anything back and it has been idle for ever. It is for a single
// decision without memory; a daemon starts from the zero State.
func Quiet(now time.Time) State { return State{Time: now, Proposed: now} }

// Recommended returns the state of a workload of whose past only the latest recommendation
// is known, and when it was made. It may not have been followed yet.
func Recommended(replicas int32, at time.Time) State {
	return State{Good: hpa.Recommendation{Replicas: replicas, Time: at}, Asked: replicas}
}

// Asking returns the state of a workload for which at least so many replicas are
// recommended just before now, by somebody who knows more of its past. They count as asked
// for, as far as the window has them.
func (s State) Asking(replicas int32, now time.Time) State {
	if s.Good.Time.IsZero() {
		return Recommended(replicas, now)
	}
	s.Asked, s.Good.Replicas = max(s.Asked, replicas), max(s.Good.Replicas, replicas)
	return s
}

// begin opens the state on its first observation. A state that has seen nothing
// gets its cautious past: a workload that is loading may just have been woken, and is
// owed a whole cold start.
func (s *State) begin(current int32, now time.Time, loading bool) {
	seed := hpa.Recommendation{Replicas: current, Time: now}
	if s.Time.IsZero() {
		s.Latest = seed
		s.Unsure, s.Filled, s.Progress = now, now, now
		if loading {
			s.Woken = now
		}
	}
	if s.Good.Time.IsZero() {
		s.Good, s.Asked = seed, current
	}
}

// resume bridges a gap: ticks that made no proposal for so long that the down window has
// none left. The larger of the current count and what is asked for was asked for until
// now, so that a fall takes a whole window of new evidence. The HPA, which forgets, would
// fall at once.
func (s *State) resume(asked int32, now time.Time, window time.Duration) {
	gap := s.Time.IsZero() || s.Proposed.Before(s.Time)
	if gap && !s.Proposed.After(now.Add(-window)) {
		s.Bridged = hpa.Recommendation{Replicas: asked, Time: now}
	}
	s.Time = now
}

// observe notes a change of the current count. It happened after the previous
// observation at the earliest, so that is its time, as it is for a controller
// that writes at once.
func (s *State) observe(current int32, now time.Time, forget time.Duration) {
	if s.Current.Time.IsZero() {
		s.Current = hpa.Recommendation{Replicas: current, Time: now}
	}
	switch change := current - s.Current.Replicas; {
	case change > 0:
		s.Ups = append(slices.Clip(s.Ups), hpa.Event{Change: change, Time: s.Current.Time})
	case change < 0:
		s.Downs = append(slices.Clip(s.Downs), hpa.Event{Change: -change, Time: s.Current.Time})
	}
	s.Current = hpa.Recommendation{Replicas: current, Time: now}
	s.Ups, s.Downs = recent(s.Ups, now, forget), recent(s.Downs, now, forget)
}

// recent drops the oldest events that no period reaches any more.
func recent(events []hpa.Event, now time.Time, forget time.Duration) []hpa.Event {
	for len(events) > 0 && !events[0].Time.After(now.Add(-forget)) {
		events = events[1:]
	}
	return events
}

// propose records a raw recommendation. A repeated one only moves the time of
// Latest, so that a steady workload costs no memory.
func (s *State) propose(raw int32, now time.Time, forget time.Duration) {
	if s.Latest.Replicas != raw && !s.Latest.Time.IsZero() {
		s.Proposals = append(slices.Clip(s.Proposals), s.Latest)
	}
	s.Latest, s.Proposed = hpa.Recommendation{Replicas: raw, Time: now}, now
	for len(s.Proposals) > 0 && !s.Proposals[0].Time.After(now.Add(-forget)) {
		s.Proposals = s.Proposals[1:]
	}
}

// lowest returns the lowest of want and the proposals of the window.
func (s *State) lowest(want int32, now time.Time, window time.Duration) int32 {
	low := hpa.Lowest(s.Proposals, want, now, window)
	if s.Latest.Time.After(now.Add(-window)) {
		low = min(low, s.Latest.Replicas)
	}
	return low
}

// highest returns the highest of want and the proposals of the window.
func (s *State) highest(want int32, now time.Time, window time.Duration) int32 {
	high := hpa.Highest(s.Proposals, want, now, window)
	if s.Latest.Time.After(now.Add(-window)) {
		high = max(high, s.Latest.Replicas)
	}
	if s.Bridged.Time.After(now.Add(-window)) {
		high = max(high, s.Bridged.Replicas)
	}
	return high
}

// slope returns how fast the demand of signal i grows, per second, and remembers
// value. It is 0 while falling, and where the past is unknown or too long ago to be
// rebuilt.
func (s *State) slope(i int, value float64, now time.Time) float64 {
	last := s.Demand[i]
	s.Demand[i] = Demand{Value: value, Time: now}
	dt := now.Sub(last.Time)
	if last.Time.IsZero() || dt <= 0 || dt > stuckAfter {
		return 0
	}
	return max(0, (value-last.Value)/dt.Seconds())
}
