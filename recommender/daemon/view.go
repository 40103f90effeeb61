package daemon

import (
	"math"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
)

// A view is one workload as the API and the pages show it. What is unknown is null.
type view struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	recommender.Explanation
	// Time is that of the explanation, null before the first decision.
	Time      *time.Time       `json:"time"`
	Ready     *int32           `json:"ready"`
	Reporting *int32           `json:"reporting"`
	Following export.Following `json:"following"`
	// FollowingSince and FollowingUntil are null where the replicas need not move.
	FollowingSince *time.Time `json:"following_since"`
	FollowingUntil *time.Time `json:"following_until"`
	// Risk is null without an objective.
	Risk       *riskView       `json:"slo_risk"`
	Membership string          `json:"membership"`
	Engines    []string        `json:"engines"`
	Notes      []string        `json:"notes"`
	Observed   []observed      `json:"observed"`
	Changes    []export.Change `json:"changes"`

	holdLimit time.Duration
}

// An observed is one quantity that was read.
type observed struct {
	Quantity   string     `json:"quantity"`
	Percentile float64    `json:"percentile,omitempty"`
	Value      *float64   `json:"value"`
	Evidence   string     `json:"evidence"`
	LowerBound bool       `json:"lower_bound,omitempty"`
	Time       *time.Time `json:"time"`
	// Note says why there is a number that was not read.
	Note string `json:"note,omitempty"`
}

// newView renders a workload.
func newView(w *export.Workload) view {
	v := view{
		Namespace: w.Namespace, Name: w.Name, Kind: w.Kind,
		Explanation: w.Decision.Explain(), Time: moment(w.Decision.Time),
		Ready: replicas(w.Observation.Ready), Reporting: replicas(w.Observation.Reporting),
		Following: w.Following, FollowingSince: moment(w.Wait.Since), FollowingUntil: moment(w.Wait.Until),
		Membership: w.Membership, holdLimit: w.Policy.HoldLimit,
		Engines: orEmpty(w.Engines), Notes: orEmpty(w.Notes), Changes: orEmpty(w.Changes),
	}
	v.Observed = quantities(w)
	v.Risk = newRiskView(w.Risk)
	return v
}

// A riskView is what is expected of the objective: fractions of the coming requests that
// miss it.
type riskView struct {
	Current         *float64 `json:"current"`
	Desired         *float64 `json:"desired"`
	DesiredMinusOne *float64 `json:"desired_minus_one"`
	DesiredPlusOne  *float64 `json:"desired_plus_one"`
	HorizonSeconds  float64  `json:"horizon_seconds,omitempty"`
	// Missing says why nothing is known.
	Missing string `json:"missing,omitempty"`
}

func newRiskView(r *export.Risk) *riskView {
	if r == nil {
		return nil
	}
	return &riskView{
		known(r.Current), known(r.Desired), known(r.DesiredMinusOne), known(r.DesiredPlusOne),
		r.Horizon.Seconds(), r.Missing,
	}
}

// known returns a number that is not NaN, or nil.
func known(v float64) *float64 {
	if math.IsNaN(v) {
		return nil
	}
	return &v
}

// newViews renders every workload of a snapshot.
func newViews(s *export.Snapshot) []view {
	views := make([]view, len(s.Workloads))
	for i := range s.Workloads {
		views[i] = newView(&s.Workloads[i])
	}
	return views
}

// orEmpty keeps a list from being null in JSON.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// moment returns a time in UTC, or nil for none.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return new(t.UTC())
}

// replicas returns a count, or nil if it is unknown.
func replicas(q recommender.Quantity) *int32 {
	if q = checked(q); !q.Known() || q.Value > 1<<30 {
		return nil
	}
	return new(int32(q.Value))
}

// checked turns a number that cannot be one into an invalid quantity.
func checked(q recommender.Quantity) recommender.Quantity {
	if !q.Known() {
		return q
	}
	c := recommender.Exactly(q.Value, q.At, q.Replicas)
	c.LowerBound = q.LowerBound
	return c
}

// quantities lists what was read of a workload, where it matters to the policy.
func quantities(w *export.Workload) []observed {
	o, p := &w.Observation, w.Policy
	list := []observed{
		newObserved("current", o.Current),
		newObserved("ready", o.Ready),
		newObserved("reporting", o.Reporting),
		newSignal("running", w, recommender.Running),
		newSignal("waiting", w, recommender.Waiting),
	}
	if p.Held {
		list = append(list, newObserved("held", o.Held))
	}
	list = append(list, newSignal("kv_cache_usage", w, recommender.KVCacheUsage), newObserved("kv_cache_usage_max", o.KVCacheUsageMax))
	if p.MaxNumSeqs > 0 {
		list = append(list, newSignal("batch_fill", w, recommender.BatchFill))
	}
	list = append(list, newPercentiles("ttft", o.TTFT)...)
	if p.SLO.TTFT > 0 {
		list = append(list, newObserved("slo_miss", o.SLOMiss), newObserved("slo_bound", o.SLOBound))
	}
	list = append(list,
		newRate(newSignal("output_tokens", w, recommender.OutputTokens), o),
		newRate(newSignal("prompt_tokens", w, recommender.PromptTokens), o),
		newRate(newObserved("arrivals", o.Arrivals), o),
		newRate(newObserved("completions", o.Completions), o),
	)
	if o.CPU.Known() {
		list = append(list, newObserved("cpu", o.CPU))
	}
	for i := range o.Queries {
		list = append(list, newObserved(o.Queries[i].Name, o.Queries[i].Quantity))
	}
	return append(list, newPercentiles("cold_start", o.ColdStart)...)
}

// newObserved renders one quantity.
func newObserved(name string, q recommender.Quantity) observed {
	q = checked(q)
	v := observed{Quantity: name, Evidence: q.Evidence.String(), LowerBound: q.LowerBound, Time: moment(q.At)}
	if q.Known() {
		v.Value = new(q.Value)
	}
	return v
}

// newSignal renders a quantity as it is exported: without replicas there are no requests,
// and that is known although nothing was read.
func newSignal(name string, w *export.Workload, m recommender.Metric) observed {
	q := w.Quantity(m)
	v := newObserved(name, q)
	if q.Known() && q.Replicas == 0 && w.Observation.Current.Known() && w.Observation.Current.Value == 0 {
		v.Note = "no replicas"
	}
	return v
}

// newRate notes where a rate may be too low: it is over the whole window, and nothing was heard
// when that began. The arrivals are only a lower bound then, although what was finished and what
// is in flight are known in full.
func newRate(v observed, o *recommender.Observation) observed {
	if v.Value != nil && v.Note == "" && o.Arrivals.Known() && o.Arrivals.LowerBound &&
		o.Completions.Complete() && o.Running.Complete() {
		v.Note = "heard for less than rate_window, may be low"
	}
	return v
}

// newPercentiles renders a distribution.
func newPercentiles(name string, list []recommender.Percentile) []observed {
	views := make([]observed, len(list))
	for i := range list {
		views[i] = newObserved(name, list[i].Quantity)
		views[i].Percentile = list[i].P
	}
	return views
}
