package risk

import (
	"math"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

func TestStudentsQuantileInvertsItsDistribution(t *testing.T) {
	for _, p := range []float64{0.001, 0.04, 0.3, 0.5, 0.75, 0.96, 0.999} {
		if got := cumulativeT(studentT(p)); math.Abs(got-p) > 1e-9 {
			t.Errorf("got %v back from the quantile of %v", got, p)
		}
	}
	if got, want := studentT(0.975), 2.7764451; math.Abs(got-want) > 1e-6 { // from tables
		t.Errorf("got %v for the quantile of 0.975, want %v", got, want)
	}
}

func TestMeanBetweenQuantilesIsThatOfManySteps(t *testing.T) {
	for _, x := range [][2]float64{{0.5, 0.96}, {0.04, 0.5}, {0.2, 0.3}} {
		const steps = 100000
		sum := 0.0
		for i := range steps {
			sum += studentT(x[0] + (x[1]-x[0])*(float64(i)+0.5)/steps)
		}
		a, b := studentT(x[0]), studentT(x[1])
		want := (sum/steps - a) / (b - a)
		if got := meanBetween(x[0], x[1]); math.Abs(got-want) > 1e-4 {
			t.Errorf("%v: got %v, want %v", x, got, want)
		}
	}
}

func TestLengthsSpreadAroundTheirMean(t *testing.T) {
	for name, x := range map[string]struct {
		values *table
		mean   float64
	}{"of those that arrive": {spread, 1}, "of those that run": {biased, 2}} {
		sum, squares := 0.0, 0.0
		for _, v := range x.values {
			sum += v
			squares += v * v
		}
		n := float64(len(x.values))
		if mean := sum / n; math.Abs(mean-x.mean) > 1e-9 {
			t.Errorf("%s: got a mean of %v, want %v", name, mean, x.mean)
		}
		if cv := math.Sqrt(squares/n/x.mean/x.mean - 1); math.Abs(cv-lengthCV) > 0.1 {
			t.Errorf("%s: got a coefficient of variation of %v, want about %v", name, cv, lengthCV)
		}
	}
}

func TestColdStartIsMeasuredElseConfiguredElseModelled(t *testing.T) {
	percentile := func(p, v float64) recommender.Percentile {
		return recommender.Percentile{P: p, Quantity: recommender.Exactly(v, start, 1)}
	}
	for name, x := range map[string]struct {
		measured   []recommender.Percentile
		configured float64
		want       float64
	}{
		"measured":           {[]recommender.Percentile{percentile(0.5, 80), percentile(0.95, 120)}, 60, 80},
		"measured once":      {[]recommender.Percentile{percentile(0.5, 80)}, 60, 80},
		"measured as zero":   {[]recommender.Percentile{percentile(0.5, 0)}, 60, 60},
		"configured":         {nil, 60, 60},
		"neither":            {nil, 0, 91},
		"measured and stale": {[]recommender.Percentile{{P: 0.5, Quantity: recommender.Missing(recommender.Stale)}}, 60, 60},
	} {
		p := recommender.DefaultPolicy()
		p.ColdStart = seconds(x.configured)
		o := recommender.Observation{ColdStart: x.measured}
		if got := coldStartOf(&o, &p, 91); math.Abs(got.median-x.want) > 1e-6 {
			t.Errorf("%s: got a median of %v s, want %v", name, got.median, x.want)
		}
	}
}

func TestAReplicaThatHasBegunTakesLessThanANewOne(t *testing.T) {
	c := coldStart{median: 90, sigma: 0.3}
	for _, u := range []float64{0.05, 0.5, 0.95} {
		last := math.Inf(1)
		for _, age := range []float64{0, 30, 60, 80} {
			left := c.after(age, u)
			if !(left >= 0 && left < last) {
				t.Errorf("u %v, age %v: got %v s left, want from 0 to below %v", u, age, left, last)
			}
			last = left
		}
	}
	// One that should have been ready long ago may never be.
	if left := c.after(900, 0.5); left < 90 {
		t.Errorf("got %v s left for one that is ten times overdue, want more than a cold start", left)
	}
}

func TestNeighboursTellNoiseAndFarPairsDrift(t *testing.T) {
	var e Estimator
	steady, rising, rough := make([]bin, 60), make([]bin, 60), make([]bin, 60)
	for i := range steady {
		steady[i] = bin{seconds: 15, count: 1500}
		rising[i] = bin{seconds: 15, count: 1500 * math.Exp(float64(i)/20)}
		rough[i] = bin{seconds: 15, count: float64(500 + 2000*(i%2))}
	}
	fit := func(bins []bin) forecast {
		e.logs = logs(e.logs[:0], bins)
		f := fitWalk(bins, e.logs, 105)
		f.follow(bins)
		return f
	}
	s, r, n := fit(steady), fit(rising), fit(rough)
	if !(s.drift < priorDrift && r.drift > priorDrift) {
		t.Errorf("got drifts of %v when steady and %v when rising, want them on both sides of %v", s.drift, r.drift, priorDrift)
	}
	if !(s.noise == 0 && r.noise < 0.01 && n.noise > 0.3) {
		t.Errorf("got noises of %v when steady, %v when rising and %v when rough", s.noise, r.noise, n.noise)
	}
	if got := math.Exp(s.level); math.Abs(got-100) > 1 {
		t.Errorf("got a level of %v per second, want 100", got)
	}
	if !n.again || s.again {
		t.Errorf("got again %v when rough and %v when steady, want true and false", n.again, s.again)
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
