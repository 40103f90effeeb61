package trace

import "math"

// Length returns how many seconds a trace lasts, if that is known without reading it.
func Length(t Trace) (seconds float64, known bool) {
	switch t := t.(type) {
	case Generator:
		return t.End, true
	case defaultTrace:
		return seconds000, true
	case window:
		return t.to - t.from, !math.IsInf(t.to, 1)
	case scaled:
		return Length(t.trace)
	default:
		return 0, false
	}
}

// Recorded reports whether t is a recording, which is the same for every seed.
func Recorded(t Trace) bool {
	switch t := t.(type) {
	case file, Slice:
		return true
	case window:
		return Recorded(t.trace)
	default:
		return false
	}
}
