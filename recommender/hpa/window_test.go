package hpa

import (
	"testing"
	"time"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// at is the instant so many seconds after the epoch of the tests.
func at(seconds float64) time.Time {
	return epoch.Add(time.Duration(seconds * float64(time.Second)))
}

func TestWindows(t *testing.T) {
	recs := []Recommendation{{8, at(0)}, {2, at(60)}, {5, at(120)}}
	for name, c := range map[string]struct {
		now             float64
		window          time.Duration
		lowest, highest int32
		inclusive       int32
	}{
		"all are young enough":            {now: 299.999, window: 300 * time.Second, lowest: 2, highest: 8, inclusive: 8},
		"age equal to the window is out":  {now: 300, window: 300 * time.Second, lowest: 2, highest: 5, inclusive: 8},
		"a nanosecond more is out anyway": {now: 300.000000001, window: 300 * time.Second, lowest: 2, highest: 5, inclusive: 5},
		"none is young enough":            {now: 1000, window: 300 * time.Second, lowest: 4, highest: 4, inclusive: 4},
		"no window, not even age zero":    {now: 120, window: 0, lowest: 4, highest: 4, inclusive: 5},
		"age zero counts in any window":   {now: 120, window: 1, lowest: 4, highest: 5, inclusive: 5},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Lowest(recs, 4, at(c.now), c.window); got != c.lowest {
				t.Errorf("Lowest: got %d, want %d", got, c.lowest)
			}
			if got := Highest(recs, 4, at(c.now), c.window); got != c.highest {
				t.Errorf("Highest: got %d, want %d", got, c.highest)
			}
			if got := highestInclusive(recs, 4, at(c.now), c.window); got != c.inclusive {
				t.Errorf("highestInclusive: got %d, want %d", got, c.inclusive)
			}
		})
	}
}

func TestWindowsOfNothing(t *testing.T) {
	if got := Lowest(nil, 7, at(0), time.Hour); got != 7 {
		t.Errorf("Lowest: got %d, want 7", got)
	}
	if got := Highest(nil, 7, at(0), time.Hour); got != 7 {
		t.Errorf("Highest: got %d, want 7", got)
	}
}

func TestStabilise(t *testing.T) {
	for name, c := range map[string]struct{ current, lowest, highest, want int32 }{
		"between the two nothing moves": {current: 5, lowest: 3, highest: 8, want: 5},
		"up to the lowest, not further": {current: 2, lowest: 3, highest: 8, want: 3},
		"down to the highest":           {current: 9, lowest: 3, highest: 8, want: 8},
		"on a border nothing moves":     {current: 8, lowest: 3, highest: 8, want: 8},
		"without windows it follows":    {current: 5, lowest: 7, highest: 7, want: 7},
		// Windows of two directions always give lowest <= highest; if a caller's do
		// not, the later rule, down, has the last word.
		"crossed bounds end at the highest": {current: 5, lowest: 9, highest: 7, want: 7},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Stabilise(c.current, c.lowest, c.highest); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
