package recommender

import (
	"math"
	"time"
)

// Evidence says whether a quantity has a number, and if not, why. The zero value
// is Absent, so that a quantity nobody filled in is unknown rather than zero.
type Evidence uint8

const (
	// Absent means that no series exists.
	Absent Evidence = iota
	// Stale means that the newest sample is older than the configuration allows.
	Stale
	// Invalid means that the sample is NaN, infinite or impossibly negative.
	Invalid
	// Failed means that the query got no answer.
	Failed
	// NeverMatched means that no series exists and none ever did.
	NeverMatched
	// Unobserved means that there was nothing to measure, as a latency quantile
	// without requests: neither good nor bad, and no fault.
	Unobserved
	// Known means that the quantity has a number, which may be zero.
	Known
)

var evidenceNames = [...]string{
	Absent: "absent", Stale: "stale", Invalid: "invalid", Failed: "failed",
	NeverMatched: "never_matched", Unobserved: "unobserved", Known: "known",
}

// String returns the word for e that explanations use.
func (e Evidence) String() string {
	if int(e) < len(evidenceNames) {
		return evidenceNames[e]
	}
	return "unknown"
}

// A Quantity is something read from Prometheus: a number with the time of its
// evidence, or the reason why there is none.
type Quantity struct {
	// Value is meaningful only if Evidence is Known.
	Value float64
	// At is the time of the oldest sample that Value rests on.
	At time.Time
	// Replicas is how many replicas contributed to Value.
	Replicas int32
	// Evidence says whether Value is a number.
	Evidence Evidence
	// LowerBound marks a value that may be too small, because part of the answer
	// is missing. It may raise a recommendation and never lower one.
	LowerBound bool
}

// Exactly returns a known quantity. A value that is not a finite, non-negative
// number makes it Invalid.
func Exactly(value float64, at time.Time, replicas int32) Quantity {
	q := Quantity{Value: value, At: at, Replicas: replicas, Evidence: Known}
	return q.checked()
}

// Missing returns a quantity without a number.
func Missing(e Evidence) Quantity { return Quantity{Evidence: e} }

// Known reports whether q has a number.
func (q Quantity) Known() bool { return q.Evidence == Known }

// Complete reports whether q is known in full, not only as a lower bound.
func (q Quantity) Complete() bool { return q.Evidence == Known && !q.LowerBound }

// absent reports whether there is no series for q.
func (q Quantity) absent() bool { return q.Evidence == Absent || q.Evidence == NeverMatched }

// checked turns a number that cannot be one into Invalid.
func (q Quantity) checked() Quantity {
	if q.Evidence == Known && (math.IsNaN(q.Value) || math.IsInf(q.Value, 0) || q.Value < 0) {
		return Quantity{At: q.At, Evidence: Invalid}
	}
	return q
}

// replicas is checked for a number of replicas, which is not absurdly large.
func (q Quantity) replicas() Quantity {
	if q = q.checked(); q.Known() && q.Value > most {
		return Quantity{At: q.At, Evidence: Invalid}
	}
	return q
}

// plus adds two quantities. If only one is known, the sum is a lower bound.
func (q Quantity) plus(r Quantity) Quantity {
	switch {
	case q.Known() && r.Known():
		return Quantity{
			Value: q.Value + r.Value, At: older(q.At, r.At), Replicas: max(q.Replicas, r.Replicas),
			Evidence: Known, LowerBound: q.LowerBound || r.LowerBound,
		}.checked()
	case q.Known():
		q.LowerBound = true
		return q
	case r.Known():
		r.LowerBound = true
		return r
	default:
		return q
	}
}

// older returns the earlier of two times, where zero means no time.
func older(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// milli returns v in thousandths, rounded to nearest, and at most the largest int64.
// A value that is not a number or negative reads as 0: callers check first.
func milli(v float64) int64 {
	const limit = math.MaxInt64 / 2
	m := math.Round(v * 1000)
	switch {
	case !(m > 0):
		return 0
	case m >= limit:
		return limit
	default:
		return int64(m)
	}
}

// ceilDiv returns a/b rounded up, at most the largest int32. It takes a >= 0 and b > 0.
func ceilDiv(a, b int64) int32 {
	n := a / b
	if a%b != 0 {
		n++
	}
	return int32(min(n, math.MaxInt32))
}
