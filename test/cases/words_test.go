package cases

import (
	"regexp"
	"strings"

	"github.com/infscale/infscale/recommender"
)

// The words of the cases, and ours. This is the only file that knows both.

// reasonWords are the reasons by the classes of the cases.
var reasonWords = map[string]recommender.Reason{
	"metric":                 recommender.ReasonMetric,
	"tolerance":              recommender.ReasonTolerance,
	"lookahead":              recommender.ReasonLookahead,
	"stabilised":             recommender.ReasonStabilised,
	"stabilized":             recommender.ReasonStabilised,
	"rate-limited":           recommender.ReasonRateLimited,
	"gate":                   recommender.ReasonScaleDownGate,
	"clamped-min":            recommender.ReasonMinReplicas,
	"clamped-max":            recommender.ReasonMaxReplicas,
	"wake-from-zero":         recommender.ReasonActivateFromZero,
	"zero-cooldown":          recommender.ReasonZeroCooldown,
	"idle-to-zero":           recommender.ReasonIdleToZero,
	"cron-floor":             recommender.ReasonSchedule,
	"partial-data":           recommender.ReasonPartialData,
	"stale-data":             recommender.ReasonStaleData,
	"no-data":                recommender.ReasonNoData,
	"invalid-value":          recommender.ReasonInvalidData,
	"counter-as-gauge":       recommender.ReasonInvalidData,
	"query-error":            recommender.ReasonQueryError,
	"auth-error":             recommender.ReasonQueryError, // its cause is a label of the failures
	"no-change":              recommender.ReasonTolerance,
	"suspect-signal":         recommender.ReasonSuspectSignal,
	"selector-never-matched": recommender.ReasonNeverMatched,
}

// sameNumber are reasons for one number: where the metric asks for what is there already, our
// order of rules says that it is within the tolerance, and the cases say either.
var sameNumber = map[recommender.Reason]recommender.Reason{recommender.ReasonMetric: recommender.ReasonTolerance}

// verdicts, as they follow from a decision.
const (
	verdictOK       = "ok"       // complete, fresh evidence
	verdictHold     = "hold"     // nothing may fall
	verdictDegraded = "degraded" // it rose on what is known
	verdictConfig   = "config"   // somebody has to change a file
	verdictRefuse   = "refuse"
	verdictLint     = "lint-error"
	verdictWarning  = "config-warning"
)

// policyKeys are where the keys of a policy stand in our file: those of one workload, or
// with a leading slash those of the whole file. The keys in seconds end in _s.
var policyKeys = map[string]string{
	"target":          "signals.0.target",
	"min":             "replicas.min",
	"max":             "replicas.max",
	"tolerance":       "tolerance",
	"tolerance_up":    "tolerance.up",
	"tolerance_down":  "tolerance.down",
	"cold_start_s":    "cold_start",
	"zero_cooldown_s": "cooldown",
	"cooldown_s":      "cooldown",
	"down_window_s":   "scale_down.window",
	"up_window_s":     "scale_up.window",
	"lookahead":       "lookahead",
	"lookahead_s":     "lookahead",
	"slo_ttft_s":      "slo.ttft",
	"max_num_seqs":    "max_num_seqs",
	"hold_limit_s":    "/hold_limit",
	"stale_s":         "/stale_after",
	"stale_after_s":   "/stale_after",
	"interval_s":      "/interval",
	"rate_window_s":   "/rate_window",
}

// later are keys of policies that are for later, and why a case of them is none of ours yet.
var later = map[string]string{
	"group":     "quotas across workloads are not built: the reason quota is reserved",
	"quota":     "quotas across workloads are not built: the reason quota is reserved",
	"warm_pool": "warm pools are not built: the reason warm_pool is reserved",
}

// signalWords are the metrics of signals.
var signalWords = map[string]recommender.Metric{
	"queue": recommender.Queue, "inflight": recommender.Queue, "waiting": recommender.Waiting, "running": recommender.Running,
	"kv": recommender.KVCacheUsage, "kv_cache_usage": recommender.KVCacheUsage, "ttft": recommender.TTFT, "cpu": recommender.CPU,
}

// engineWords are the engines.
var engineWords = map[string]string{"llamacpp": "llama.cpp", "llama_cpp": "llama.cpp", "vllm": "vllm", "sglang": "sglang"}

// seriesWords rename what the cases call our series and their labels.
var seriesWords = strings.NewReplacer(
	"infscale_target_info", "infscale_max_replicas", // what every configured workload has
	"infscale_heartbeat_timestamp_seconds", "infscale_decision_timestamp_seconds",
	"target_namespace=", "workload_namespace=", "target_name=", "workload=",
	"(target_namespace,target_name)", "(workload_namespace,workload)", "(target_name)", "(workload)",
)

// labelWords are our labels by those of the cases.
var labelWords = map[string]string{"target_namespace": "workload_namespace", "target_name": "workload"}

// A wording is a phrase of the cases, and our names for what it says.
type wording struct {
	phrase *regexp.Regexp
	names  []string
}

func words(phrase string, names ...string) wording {
	return wording{regexp.MustCompile("(?i)" + phrase), names}
}

// lintRules are the rules of package lint.
var lintRules = []wording{
	words(`ignoreNullValues`, "empty-is-zero"),
	words(`replicas set together with an autoscaler`, "fixed-replicas"),
	words(`must be External`, "foreign-pods"),
	words(`more than one scaler|two scalers|several scalers`, "two-scalers"),
	words(`sum\b.*max|max not sum|two exporters`, "twins-summed"),
	words(`threshold|averageValue`, "replica-target"),
	words(`tolerance`, "swallowed-count"),
	words(`counter`, "counter-level"),
	words(`multiple (elements|series)|ungrouped`, "raw-vector"),
}

// dashboardRules are the rules of dashboards.
var dashboardRules = []wording{
	words(`variable-without-metric`, "variable-without-metric"),
	words(`unknown (metric|label)`, "unknown-metric"),
	words(`data.?source`, "data-source"),
}

// alertWords are our alerts.
var alertWords = []wording{
	words(`engine stuck|engine hang`, "InfscaleGaugesStuck"),
	words(`two exporters|exporters disagree|twins`, "InfscaleTwinsDisagree"),
	words(`never matched`, "InfscaleSelectorNeverMatched"),
	words(`heartbeat|decision age|no longer decides`, "InfscaleDecisionStale", "InfscaleDown"),
	words(`slo|ttft`, "InfscaleTTFTOverObjective", "InfscaleSLOBurnFast"),
	words(`at max|infeasible|clamped`, "InfscaleDesiredExceedsMax"),
	words(`desired != actual|not followed`, "InfscaleNotFollowed"),
	words(`no data|invalid|held`, "InfscaleDecisionInvalid"),
	words(`flap|oscillat`, "InfscaleFlapping"),
	words(`imbalance`, "InfscaleQueueImbalance"),
	words(`queries failing|query error`, "InfscaleQueriesFailing"),
}

// named returns our names for a phrase.
func named(list []wording, phrase string) []string {
	for _, w := range list {
		if w.phrase.MatchString(phrase) {
			return w.names
		}
	}
	return nil
}

// reasonOf returns our reason for a class, of which only the first word counts: "no-data
// (scrape failing)".
func reasonOf(class string) (recommender.Reason, bool) {
	first, _, _ := strings.Cut(class, " ")
	r, ok := reasonWords[strings.ReplaceAll(first, "_", "-")]
	return r, ok
}

// sameReason reports whether a reason is the wanted one, under our order of rules.
func sameReason(got, want recommender.Reason) bool {
	return got == want || got == sameNumber[want]
}
