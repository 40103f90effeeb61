package risk

import "math"

// studentT is the quantile of Student's t with four degrees of freedom: rates jump more
// often than normal variables do.
func studentT(p float64) float64 {
	alpha := math.Sqrt(4 * p * (1 - p))
	q := math.Cos(math.Acos(min(alpha, 1))/3) / alpha
	return math.Copysign(2*math.Sqrt(max(q-1, 0)), p-0.5)
}

// meanBetween says where the mean of the quantiles from p to q is between those two: 0 at
// that of p, 1 at that of q.
func meanBetween(p, q float64) float64 {
	a, b := studentT(p), studentT(q)
	mean := (tail(a) - tail(b)) / (q - p)
	return min(max((mean-a)/(b-a), 0), 1)
}

// tail is the integral of z times the density from z to infinity.
func tail(z float64) float64 { return math.Pow(1+z*z/4, -1.5) / 2 }

// between is the p whose quantile is half way between those of two others.
func between(p, q float64) float64 { return cumulativeT((studentT(p) + studentT(q)) / 2) }

// cumulativeT is the probability that a variable with Student's t is at most z.
func cumulativeT(z float64) float64 {
	x := z / math.Sqrt(4+z*z)
	return 0.5 + 0.75*(x-x*x*x/3)
}
