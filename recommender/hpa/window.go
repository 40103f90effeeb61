package hpa

import "time"

// A Recommendation is a proposal and the (last) instant at which it was made.
type Recommendation struct {
	Replicas int32     `json:"replicas"`
	Time     time.Time `json:"time"`
}

// Lowest is the lowest of want and the recommendations younger than window.
// One whose age equals the window no longer counts.
func Lowest(recs []Recommendation, want int32, now time.Time, window time.Duration) int32 {
	cutoff := now.Add(-window)
	for i := range recs {
		if recs[i].Time.After(cutoff) {
			want = min(want, recs[i].Replicas)
		}
	}
	return want
}

// Highest is the highest of want and the recommendations younger than window.
// One whose age equals the window no longer counts.
func Highest(recs []Recommendation, want int32, now time.Time, window time.Duration) int32 {
	cutoff := now.Add(-window)
	for i := range recs {
		if recs[i].Time.After(cutoff) {
			want = max(want, recs[i].Replicas)
		}
	}
	return want
}

// Stabilise moves current as little as the windows ask for: up to the lowest
// proposal of the scale-up window, down to the highest of the scale-down window.
// It never moves current against the newest proposal, which lies between the two.
func Stabilise(current, lowest, highest int32) int32 {
	return min(max(current, lowest), highest)
}

// highestInclusive is Highest of the legacy path, where a recommendation whose age
// equals the window still counts.
func highestInclusive(recs []Recommendation, want int32, now time.Time, window time.Duration) int32 {
	cutoff := now.Add(-window)
	for i := range recs {
		if !recs[i].Time.Before(cutoff) {
			want = max(want, recs[i].Replicas)
		}
	}
	return want
}
