package hpa

import (
	"slices"
	"time"
)

// record stores rec in the last slot older than keep, or in a new one. A slot is used
// again as soon as no window in force sees it; when an edit then widens a window, what
// was overwritten is missing.
func record(recs []Recommendation, rec Recommendation, keep time.Duration) []Recommendation {
	cutoff := rec.Time.Add(-keep)
	for i := range slices.Backward(recs) {
		if recs[i].Time.Before(cutoff) {
			recs[i] = rec
			return recs
		}
	}
	return append(recs, rec)
}

// slots hold the events of one direction.
type slots struct {
	events []Event
	stale  []bool // of the same length as events
}

// store marks the events older than longest, the longest period of this direction,
// as stale for good, and puts e into the last stale slot or into a new one.
//
// Until its slot is used again a stale event still counts in the limits, where the
// other direction's periods may be longer: what such a limit sees depends on events
// older than any period, so that this list cannot be pruned by age.
func (s *slots) store(e Event, longest time.Duration) {
	free, cutoff := -1, e.Time.Add(-longest)
	for i := range s.events {
		if s.events[i].Time.Before(cutoff) {
			s.stale[i] = true
		}
		if s.stale[i] {
			free = i
		}
	}
	if free < 0 {
		s.events = append(s.events, e)
		s.stale = append(s.stale, false)
		return
	}
	s.events[free], s.stale[free] = e, false
}
