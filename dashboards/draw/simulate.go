package draw

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/recommender/risk"
	"github.com/infscale/infscale/recommender/sim"
)

// A moment is what is known of a workload when it is scraped, and what was decided since the
// scrape before.
type moment struct {
	workload export.Workload
	reasons  map[recommender.Reason]int
	ups      int
	downs    int
}

// A watcher decides on a workload as the daemon does, and notes each moment.
type watcher struct {
	*workload

	state     recommender.State
	estimator risk.Estimator
	tracker   risk.Tracker
	now       export.Workload
	next      moment
	moments   []moment
}

// simulate scales w through its traffic.
func (w *workload) simulate(ctx context.Context, length time.Duration) ([]moment, error) {
	w.traffic.End = length.Seconds()
	requests, err := w.traffic.Open(seed)
	if err != nil {
		return nil, err
	}
	defer func() { _ = requests.Close() }() // it was only read
	r := sim.DefaultRun()
	r.Replica, r.Initial, r.Interval, r.Start, r.Horizon = w.replica, w.initial, interval, start, length+interval
	r.TTFT = cmp.Or(w.policy.SLO.TTFT, r.TTFT)
	r.Percentiles, r.Seed = []float64{0.5, 0.95, 0.99}, seed
	r.ColdStart = func(random *rand.Rand) time.Duration {
		return w.replica.ColdStart() + time.Duration(random.Float64()*90)*time.Second
	}
	watch := &watcher{
		workload: w, state: recommender.Quiet(start),
		now:  export.Undecided(w.namespace, w.name, "Deployment", &w.policy),
		next: moment{reasons: map[recommender.Reason]int{}},
	}
	_, err = r.Do(ctx, requests, watch.decide, nil)
	return watch.moments, err
}

// seed chooses what is random.
const seed = 7

// decide is one tick.
func (w *watcher) decide(o recommender.Observation) recommender.Decision {
	w.disturb(&o)
	before := w.now.Decision
	w.now.Observation = o
	w.now.Decision, w.state = recommender.Decide(w.policy, w.state, o)
	w.tracker.Observe(&o)
	w.count(&before)
	if o.Time.Sub(start)%scrape == 0 {
		w.note()
	}
	return w.now.Decision
}

// disturb takes away what is not known.
func (w *watcher) disturb(o *recommender.Observation) {
	switch t := o.Time.Sub(start); {
	case outage.holds(t):
		failed := recommender.Missing(recommender.Failed)
		*o = recommender.Observation{
			Time: o.Time, Current: failed, Ready: failed, Reporting: failed,
			Running: failed, Waiting: failed, Held: failed, KVCacheUsage: failed, KVCacheUsageMax: failed,
			SLOMiss: failed, SLOBound: failed, OutputTokens: failed, PromptTokens: failed,
			Arrivals: failed, Completions: failed, CPU: failed,
		}
	case w.unheard.holds(t):
		o.Reporting.Value--
	}
	if w.policy.SLO.TTFT == 0 {
		o.SLOMiss = recommender.Missing(recommender.Absent)
	}
	if !w.policy.Held {
		o.Held = recommender.Missing(recommender.Absent)
	}
}

// count counts as the daemon does.
func (w *watcher) count(before *recommender.Decision) {
	after := &w.now.Decision
	w.next.reasons[after.Reason]++
	switch {
	case !before.Known || !after.Known:
	case after.Desired > before.Desired:
		w.next.ups++
	case after.Desired < before.Desired:
		w.next.downs++
	}
}

// note ends a moment. The risk is estimated every fifth, to save time.
func (w *watcher) note() {
	if len(w.moments)%5 == 0 && w.policy.SLO.TTFT > 0 {
		w.now.Risk = w.risk()
	}
	w.next.workload = w.now
	w.moments = append(w.moments, w.next)
	w.next = moment{reasons: map[recommender.Reason]int{}}
}

func (w *watcher) risk() *export.Risk {
	e := w.estimator.Estimate(&w.tracker, &risk.Workload{
		Name: w.name, Policy: &w.policy, Replica: &w.replica, Interval: interval, Budget: risk.DefaultBudget,
	}, &w.now.Observation, &w.now.Decision)
	return &export.Risk{
		Current: e.Current, Desired: e.Desired,
		DesiredMinusOne: e.DesiredMinusOne, DesiredPlusOne: e.DesiredPlusOne,
		Horizon: e.Horizon, Missing: string(e.Reason),
	}
}
