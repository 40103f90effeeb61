package risk_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/config"
	"github.com/infscale/infscale/recommender/risk"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// horizons are multiples of the default one.
var horizons = [...]float64{0.5, 1, 2}

// policies are good ones and bad ones, so that there is something to foretell.
var policies = []string{"queue:24", "queue:48", "queue:12", hopeless, "waiting:2"}

// hopeless never scales up: the CPU does not see the queue. To foretell it is easy.
const hopeless = "cpu:60"

const objective = 2 * time.Second

// A forecast is one estimate and what came of it.
type forecast struct {
	predicted, realised float64
	// persistence is the fraction of misses that was measured last.
	persistence float64
}

// A calibration is the forecasts for one trace, by horizon.
type calibration struct {
	name      string
	forecasts [len(horizons)][]forecast
	unknown   map[risk.Reason]int
}

// A history is one run of a trace, in which estimates are made.
type history struct {
	run       sim.Run
	requests  trace.Slice
	ticks     []sim.Tick
	workload  risk.Workload
	tracker   risk.Tracker
	estimator risk.Estimator
}

// add runs the trace under a policy, and at every so many ticks estimates the risk of the
// replicas that there are and of those desired.
func (c *calibration) add(ctx context.Context, tb testing.TB, s trace.Slice, policy string, every int) {
	tb.Helper()
	p, err := config.ParsePolicy(policy)
	if err != nil {
		tb.Fatal(err)
	}
	p.SLO = recommender.SLO{TTFT: objective, Objective: 0.95}
	h := history{run: sim.DefaultRun(), requests: s}
	h.run.TTFT = objective
	h.run.Horizon = time.Duration(s[len(s)-1].At * float64(time.Second))
	h.workload = risk.Workload{Name: c.name, Policy: &p, Replica: &h.run.Replica, Interval: h.run.Interval}
	if _, err := h.run.Do(ctx, reader(s), sim.Follow(p, h.run.Start), func(k *sim.Tick) { h.ticks = append(h.ticks, *k) }); err != nil {
		tb.Fatal(err)
	}
	measured := 0.0
	for i := range h.ticks {
		k := &h.ticks[i]
		if k.At < h.run.RateWindow.Seconds() {
			// The simulator divides by the part of the window that there is, and Prometheus does not.
			k.Observation.Arrivals = recommender.Missing(recommender.Absent)
		}
		h.tracker.Observe(&k.Observation)
		if q := k.Observation.SLOMiss; q.Known() {
			measured = q.Value
		}
		if i%every == every-1 {
			h.forecast(ctx, tb, c, i, measured)
		}
	}
}

func reader(s trace.Slice) trace.Reader {
	r, _ := s.Open(0) // A slice always opens.
	return r
}

// forecast makes the estimates of tick i and adds them with what comes of them.
func (h *history) forecast(ctx context.Context, tb testing.TB, c *calibration, i int, measured float64) {
	tb.Helper()
	k := &h.ticks[i]
	basis := h.run.Replica.ColdStart() + h.run.Interval
	longest := time.Duration(slices.Max(horizons[:]) * float64(basis))
	if k.At+longest.Seconds() > h.run.Horizon.Seconds() {
		return
	}
	var risks [len(horizons)][2]float64
	for j, times := range horizons {
		w := h.workload
		w.Horizon = time.Duration(times * float64(basis))
		y := h.estimator.Estimate(&h.tracker, &w, &k.Observation, &k.Decision)
		if !y.Known {
			c.unknown[y.Reason]++
			return
		}
		risks[j] = [2]float64{y.Current, y.Desired}
	}
	for n, replicas := range [...]int{k.Current, k.Desired} {
		if n > 0 && k.Desired == k.Current {
			break
		}
		missed := h.missed(ctx, tb, i, replicas, longest)
		for j, times := range horizons {
			realised := missRatio(h.requests, missed, k.At, k.At+times*basis.Seconds())
			if !math.IsNaN(realised) {
				c.forecasts[j] = append(c.forecasts[j], forecast{risks[j][n], realised, measured})
			}
		}
	}
}

// missed returns which requests miss the objective if n replicas are asked for from tick i
// on: a run of its own, the same up to that tick, because in the first one the policy goes
// on to act.
func (h *history) missed(ctx context.Context, tb testing.TB, i, n int, longest time.Duration) []bool {
	tb.Helper()
	r := h.run
	r.Horizon = time.Duration(h.ticks[i].At*float64(time.Second)) + longest + objective + time.Second
	missed := make([]bool, len(h.requests))
	r.Missed = func(index int) { missed[index] = true }
	tick := 0
	hold := func(recommender.Observation) recommender.Decision {
		d := recommender.Decision{Known: true, Desired: int32(n)}
		if tick < i {
			d.Desired = int32(h.ticks[tick].Desired)
		}
		tick++
		return d
	}
	if _, err := r.Do(ctx, reader(h.requests), hold, nil); err != nil {
		tb.Fatal(err)
	}
	return missed
}

// missRatio is the fraction of the requests behind one second and up to another that
// missed, NaN without requests.
func missRatio(s trace.Slice, missed []bool, from, to float64) float64 {
	n, late := 0, 0
	first, _ := slices.BinarySearchFunc(s, from, func(q trace.Request, at float64) int {
		if q.At <= at {
			return -1
		}
		return 1
	})
	for i := first; i < len(s) && s[i].At <= to; i++ {
		n++
		if missed[i] {
			late++
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return float64(late) / float64(n)
}

// The benchmark does this for all traces, policies and horizons.
func TestCalibration(t *testing.T) {
	if testing.Short() {
		t.Skip("replays traces many times")
	}
	for name, rate := range map[string]trace.Rate{
		"swings":         trace.Diurnal(40, 32, 1200, 0),
		"steps and back": trace.Steps(trace.Point{At: 0, Rate: 20}, trace.Point{At: 600, Rate: 60}, trace.Point{At: 1200, Rate: 30}),
	} {
		t.Run(name, func(t *testing.T) {
			c := calibration{name: name, unknown: map[risk.Reason]int{}}
			s := read(t, generated(rate, trace.Poisson(), 1800))
			for _, p := range []string{"queue:24", "queue:48", "waiting:2"} {
				c.add(t.Context(), t, s, p, 6)
			}
			y := newScore(c.forecasts[1])
			if y.n < 40 || y.ece > 0.1 || y.brier >= y.base {
				t.Errorf("got %d forecasts with a calibration error of %.3f and a Brier score of %.4f, want at least 40, at most 0.1 and less than %.4f of the base rate",
					y.n, y.ece, y.brier, y.base)
			}
		})
	}
}
