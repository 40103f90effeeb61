package daemon

import "time"

// slotOf returns the latest multiple of the interval since the epoch that is not after t.
func slotOf(t time.Time, interval time.Duration) time.Time {
	n := t.UnixNano()
	return time.Unix(0, n-n%int64(interval)).UTC()
}

// slotsBetween returns how many slots lie between two, both excluded.
func slotsBetween(a, b time.Time, interval time.Duration) int {
	return max(0, int(b.Sub(a)/interval)-1)
}

// patience returns how long the reading of one slot may take, so that it is over
// before the next slot.
func patience(interval time.Duration) time.Duration {
	return interval - min(interval/10, time.Second)
}
