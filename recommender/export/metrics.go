package export

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/infscale/infscale/recommender"
)

// A metric is one family of gauges.
type metric struct {
	name, help string
	// label is the label beside those of the workload, if any.
	label string
	// collect emits the known values of a workload.
	collect func(w *Workload, emit func(value float64, label ...string))
}

// labels of every series. They are not called namespace and pod, which a scrape
// would overwrite with those of infscale itself.
var labels = []string{"workload_namespace", "workload"}

// desc describes the family.
func (m *metric) desc() *prometheus.Desc {
	names := labels
	if m.label != "" {
		names = []string{labels[0], labels[1], m.label}
	}
	return prometheus.NewDesc(m.name, m.help, names, nil)
}

// metrics is every family that mirrors decisions.
var metrics = []metric{
	{
		name: "infscale_desired_replicas",
		help: "Recommended replicas. Absent before the first decision, when nothing usable was known or nothing was decided for longer than hold_limit, and where no signal ever matched anything, so that the consumer falls back on its own. Decided every interval, not on each scrape.",
		collect: func(w *Workload, emit func(float64, ...string)) {
			if w.Decision.Known {
				emit(float64(w.Decision.Desired))
			}
		},
	},
	{
		name: "infscale_unbounded_replicas",
		help: "Replicas that would be recommended if there were no maximum. Absent where infscale_desired_replicas is.",
		collect: func(w *Workload, emit func(float64, ...string)) {
			if w.Decision.Known {
				emit(float64(w.Decision.Unbounded))
			}
		},
	},
	{
		name:    "infscale_raw_replicas",
		help:    "Replicas that one signal asks for, before windows, limits and bounds. Absent while the signal is unknown.",
		label:   "signal",
		collect: raw,
	},
	{
		name:    "infscale_current_replicas",
		help:    "Replicas in the spec of the workload. Absent while unknown.",
		collect: observed(func(o *recommender.Observation) recommender.Quantity { return o.Current }),
	},
	{
		name:    "infscale_ready_replicas",
		help:    "Replicas that are ready. Absent while unknown.",
		collect: observed(func(o *recommender.Observation) recommender.Quantity { return o.Ready }),
	},
	{
		name:    "infscale_reporting_replicas",
		help:    "Replicas that are ready and whose metrics were read. Absent while unknown.",
		collect: observed(func(o *recommender.Observation) recommender.Quantity { return o.Reporting }),
	},
	{
		name:    "infscale_min_replicas",
		help:    "Minimum in force, schedules included.",
		collect: func(w *Workload, emit func(float64, ...string)) { emit(float64(w.Decision.Min)) },
	},
	{
		name:    "infscale_max_replicas",
		help:    "Maximum in force.",
		collect: func(w *Workload, emit func(float64, ...string)) { emit(float64(w.Decision.Max)) },
	},
	{
		name:    "infscale_decision_reason",
		help:    "Why the recommendation is what it is: 1 for the reason that holds, 0 for every other. Before the first decision that is no_data.",
		label:   "reason",
		collect: reasons,
	},
	{
		name: "infscale_decision_valid",
		help: "1 if the decision rests on complete and fresh evidence, 0 if the recommendation is held, partial or missing.",
		collect: func(w *Workload, emit func(float64, ...string)) {
			emit(zeroOrOne(w.Decision.Valid))
		},
	},
	{
		name: "infscale_decision_timestamp_seconds",
		help: "When it was decided: the instant of the evaluation, a multiple of the interval. Absent before the first decision.",
		collect: func(w *Workload, emit func(float64, ...string)) {
			instant(w.Decision.Time, emit)
		},
	},
	{
		name: "infscale_evidence_timestamp_seconds",
		help: "Time of the oldest sample that the recommendation rests on; it stands still while the recommendation is held. Absent if there was no evidence yet.",
		collect: func(w *Workload, emit func(float64, ...string)) {
			instant(w.Decision.Evidence, emit)
		},
	},
	{
		name:    "infscale_requests_running",
		help:    "Requests in the batches of the engines, as decided on. 0 without replicas, absent while unknown.",
		collect: signal(recommender.Running),
	},
	{
		name:    "infscale_requests_waiting",
		help:    "Requests queued in the engines, as decided on. 0 without replicas, absent while unknown.",
		collect: signal(recommender.Waiting),
	},
	{
		name:    "infscale_requests_held",
		help:    "Requests held in front of the pods. Absent while unknown, and without a source for them.",
		collect: observed(func(o *recommender.Observation) recommender.Quantity { return o.Held }),
	},
	{
		name:    "infscale_kv_cache_usage_ratio",
		help:    "KV cache in use, mean over the replicas that reported. Absent while unknown.",
		collect: signal(recommender.KVCacheUsage),
	},
	{
		name:    "infscale_batch_fill_ratio",
		help:    "Running requests over the batch slots of the replicas that reported. Absent while unknown, and without max_num_seqs.",
		collect: signal(recommender.BatchFill),
	},
	{
		name:    "infscale_ttft_seconds",
		help:    "Time to the first token at each percentile in use. Absent without requests to measure, and while unknown.",
		label:   "percentile",
		collect: percentiles(func(w *Workload) []recommender.Percentile { return w.Observation.TTFT }),
	},
	{
		name:    "infscale_output_tokens_per_second",
		help:    "Tokens generated per second. 0 without replicas, absent while unknown.",
		collect: signal(recommender.OutputTokens),
	},
	{
		name:    "infscale_prompt_tokens_per_second",
		help:    "Tokens of prompts processed per second. 0 without replicas, absent while unknown.",
		collect: signal(recommender.PromptTokens),
	},
	{
		name:    "infscale_request_arrivals_per_second",
		help:    "Requests that arrive per second. Absent while unknown.",
		collect: observed(func(o *recommender.Observation) recommender.Quantity { return o.Arrivals }),
	},
	{
		name:    "infscale_slo_miss_ratio",
		help:    "Measured fraction of recent requests whose first token came later than the objective, snapped to a bucket of the engine. Absent without requests to measure, and while unknown.",
		collect: observed(func(o *recommender.Observation) recommender.Quantity { return o.SLOMiss }),
	},
	{
		name:    "infscale_slo_objective_ratio",
		help:    "Configured fraction of the requests whose first token has to come in time: slo.objective. Absent without an objective.",
		collect: agreed(func(s *recommender.SLO) float64 { return s.Objective }),
	},
	{
		name:    "infscale_slo_ttft_seconds",
		help:    "Configured time within which the first token has to come: slo.ttft. Absent without an objective.",
		collect: agreed(func(s *recommender.SLO) float64 { return s.TTFT.Seconds() }),
	},
	{
		name:  "infscale_slo_risk_ratio",
		help:  "Simulated: the fraction of the requests arriving within the next cold start and interval that is expected to miss the objective for the time to the first token, with the replicas of the label. Absent without an objective, and while too little is known; the page of the workload says what is missing.",
		label: "replicas",
		collect: func(w *Workload, emit func(float64, ...string)) {
			if w.Risk != nil {
				w.Risk.each(emit)
			}
		},
	},
	{
		name:    "infscale_cold_start_seconds",
		help:    "Time from a created to a ready replica. Where nothing was measured, the configured cold start stands for both percentiles; absent if there is none either.",
		label:   "percentile",
		collect: percentiles(coldStart),
	},
	{
		name: "infscale_cold_start_configured_seconds",
		help: "Configured time from a created to a ready replica: cold_start. Absent if there is none.",
		collect: func(w *Workload, emit func(float64, ...string)) {
			if w.Policy.ColdStart > 0 {
				emit(w.Policy.ColdStart.Seconds())
			}
		},
	},
}
