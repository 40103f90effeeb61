package daemon

import "time"

// A pulse is when the loop went round, and how long it may take until the next time.
type pulse struct {
	at    time.Time
	limit time.Duration
}

// beat notes that the loop goes round, unless one of its jobs is stuck.
func (l *loop) beat(now time.Time, jobs ...*job) {
	for _, j := range jobs {
		if j.stuck(now, l.world.interval) {
			return
		}
	}
	l.pulse.Store(&pulse{now, l.world.stillness()})
}

// stuck reports whether a job is past every deadline that it was given: what it reads
// from does not heed them.
func (j *job) stuck(now time.Time, interval time.Duration) bool {
	return j != nil && now.Sub(j.begun) > historyPatience+2*patience(interval)
}

// stillness returns how long the loop may stand still before it is not healthy: as long as
// a recommendation stands, and 10 intervals.
func (w *world) stillness() time.Duration {
	longest := 10 * w.interval
	for i := range w.workloads {
		longest = max(longest, w.workloads[i].policy.HoldLimit)
	}
	return longest
}

// stuck returns since when the loop has stood still; zero if it goes round. The time that
// the machine was asleep does not count, as far as the clock has a monotonic reading.
func (l *loop) stuck() time.Time {
	if p := l.pulse.Load(); p != nil && l.now().Sub(p.at) > p.limit {
		return p.at
	}
	return time.Time{}
}
