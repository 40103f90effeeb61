package promapi

import "iter"

// An outcome is what came back for one query of a tick, or of a range of ticks.
type outcome struct {
	family Family
	rows   []Series
	// next holds for each row of a range the index of the first point not yet read.
	next []int
	FamilyReport
}

// partial reports whether rows may be missing, so that what is there is a lower bound.
func (r *outcome) partial() bool { return r != nil && len(r.Warnings) > 0 }

// failed reports whether the query was asked and not answered.
func (r *outcome) failed() bool { return r != nil && r.Err != nil }

// lacking reports whether anything may be missing.
func (r *outcome) lacking() bool { return r.failed() || r.partial() }

// at returns the rows that have a value at t. An instant answer has one value a row.
// Times of a range must be asked for in ascending order.
func (r *outcome) at(t int64) iter.Seq2[Labels, float64] {
	return func(yield func(Labels, float64) bool) {
		if r == nil {
			return
		}
		for i := range r.rows {
			points := r.rows[i].Points
			at := 0
			if r.next != nil {
				for r.next[i] < len(points) && points[r.next[i]].T < t {
					r.next[i]++
				}
				if at = r.next[i]; at == len(points) || points[at].T != t {
					continue
				}
			}
			if !yield(r.rows[i].Labels, points[at].V) {
				return
			}
		}
	}
}

// A meaning is what the signal label of a row says.
type meaning struct {
	engine  int
	measure measure
	aspect  aspect
	// rank is the place of a gauge's name in the order of preference.
	rank int
}

// An aspect is which side of a measure a row is about.
type aspect uint8

const (
	value aspect = iota // the level of a gauge, the rate of a counter or of a bucket
	series
	before
	requests // of a native histogram, as the next two
	quantile
	below
)

// meanings lists every signal of the engines.
var meanings = newMeanings()

func newMeanings() map[string]meaning {
	list := map[string]meaning{}
	for e := range profiles {
		p := &profiles[e]
		for m := range measures {
			// Gauges come under their own names.
			for rank, alias := range p.aliases(m) {
				list[alias] = meaning{engine: e, measure: m, rank: rank}
			}
			for suffix, a := range map[string]aspect{
				"": value, seriesSuffix: series, beforeSuffix: before,
				countSuffix: requests, quantileSuffix: quantile, belowSuffix: below,
			} {
				list[signalOf(p, m)+suffix] = meaning{engine: e, measure: m, aspect: a}
			}
		}
	}
	return list
}
