package risk

import (
	"math"

	"github.com/infscale/infscale/recommender"
)

// A coldStart is how long a new replica takes: a log-normal number of seconds.
type coldStart struct{ median, sigma float64 }

// configuredSigma is the spread of a cold start that was not measured, and the least of
// one that was.
const configuredSigma = 0.05

// coldStartOf returns the cold start measured, else the one configured for the policy,
// else the one given. It is not known if the median is 0.
func coldStartOf(o *recommender.Observation, p *recommender.Policy, fallback float64) coldStart {
	c := coldStart{median: p.ColdStart.Seconds(), sigma: configuredSigma}
	if c.median <= 0 {
		c.median = fallback
	}
	var low, high recommender.Percentile
	for _, q := range o.ColdStart {
		if v := value(q.Quantity); !(v > 0 && q.P > 0 && q.P < 1) {
			continue
		}
		if low.P == 0 || q.P < low.P {
			low = q
		}
		if q.P > high.P {
			high = q
		}
	}
	if low.P == 0 {
		return c
	}
	zLow, zHigh := normal(low.P), normal(high.P)
	if zHigh > zLow {
		c.sigma = max(c.sigma, math.Log(high.Value/low.Value)/(zHigh-zLow))
	}
	c.median = high.Value * math.Exp(-zHigh*c.sigma)
	return c
}

// after returns how long a replica still takes that has taken age seconds, where u is
// between 0 and 1. One that is overdue beyond what the spread explains is likely to stay so.
func (c coldStart) after(age, u float64) float64 {
	if age <= 0 {
		return c.median * math.Exp(c.sigma*normal(u))
	}
	done := cumulative(math.Log(age/c.median) / c.sigma)
	if done > 0.999 {
		return -math.Log(1-u) * age / 2
	}
	return max(c.median*math.Exp(c.sigma*normal(done+(1-done)*u))-age, 0)
}

// normal is the quantile of the normal distribution, kept within 5 sigma.
func normal(p float64) float64 {
	return min(max(math.Sqrt2*math.Erfinv(2*p-1), -5), 5)
}

// cumulative is the probability that a normal variable is at most z.
func cumulative(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
