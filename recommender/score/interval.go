package score

import (
	"math"
	"slices"
)

// A Summary is a quantity over seeds.
type Summary struct {
	Mean, Median, Min, Max float64
	// Half is half the width of the 95 % interval of the mean, by Student's t; NaN with
	// a single seed, which proves nothing.
	Half float64
}

// Summarise returns the summary of values, of which NaN are left out; all NaN if none
// are left.
func Summarise(values []float64) Summary {
	kept := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	nan := math.NaN()
	if len(kept) == 0 {
		return Summary{nan, nan, nan, nan, nan}
	}
	slices.Sort(kept)
	n := len(kept)
	s := Summary{Min: kept[0], Max: kept[n-1], Median: (kept[(n-1)/2] + kept[n/2]) / 2}
	for _, v := range kept {
		s.Mean += v / float64(n)
	}
	squares := 0.0
	for _, v := range kept {
		squares += (v - s.Mean) * (v - s.Mean)
	}
	s.Half = student(n-1) * math.Sqrt(squares/float64(n-1)/float64(n))
	return s
}

// Paired returns the summary of b[i] - a[i].
func Paired(a, b []float64) Summary {
	differences := make([]float64, len(a))
	for i := range a {
		differences[i] = b[i] - a[i]
	}
	return Summarise(differences)
}

// student returns the 97.5th percentile of Student's t with that many degrees of
// freedom, to 0.1 %; NaN below one.
func student(freedom int) float64 {
	table := [...]float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228}
	switch {
	case freedom < 1:
		return math.NaN()
	case freedom <= len(table):
		return table[freedom-1]
	}
	// The expansion of Cornish and Fisher around the normal distribution.
	const z = 1.959964
	v := float64(freedom)
	z3 := z * z * z
	z5 := z3 * z * z
	z7 := z5 * z * z
	return z + (z3+z)/(4*v) + (5*z5+16*z3+3*z)/(96*v*v) + (3*z7+19*z5+17*z3-15*z)/(384*v*v*v)
}

// Times returns s in another unit.
func (s Summary) Times(factor float64) Summary {
	return Summary{s.Mean * factor, s.Median * factor, s.Min * factor, s.Max * factor, s.Half * factor}
}
