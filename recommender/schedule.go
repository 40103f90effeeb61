package recommender

import (
	"cmp"
	"time"
)

// A Schedule raises the minimum from each start until the next end: [start, end).
type Schedule struct {
	Start, End Cron
	// Location is the zone of both; nil is UTC.
	Location *time.Location
	// Min is the minimum while the schedule is active.
	Min int32
}

// Active reports whether at lies between a start, inclusive, and the next end,
// exclusive. Where both fire in the same minute the start counts. Clock changes
// move the edges as [Cron.Next] says.
func (s *Schedule) Active(at time.Time) bool {
	now := clock(at.In(cmp.Or(s.Location, time.UTC)))
	start, ok := s.Start.last(now)
	if !ok {
		return false
	}
	end, ok := s.End.last(now)
	return !ok || !start.before(end)
}
