package recommender

// A Reason says in one word why a decision came out as it did.
type Reason string

// Reasons, a closed set: exactly one holds for a decision.
const (
	ReasonMetric           Reason = "metric"
	ReasonTolerance        Reason = "tolerance"
	ReasonLookahead        Reason = "lookahead"
	ReasonStabilised       Reason = "stabilised"
	ReasonRateLimited      Reason = "rate_limited"
	ReasonScaleDownGate    Reason = "scale_down_gate"
	ReasonMinReplicas      Reason = "min_replicas"
	ReasonMaxReplicas      Reason = "max_replicas"
	ReasonSuspectSignal    Reason = "suspect_signal"
	ReasonNeverMatched     Reason = "never_matched"
	ReasonActivateFromZero Reason = "activate_from_zero"
	ReasonZeroCooldown     Reason = "zero_cooldown"
	ReasonIdleToZero       Reason = "idle_to_zero"
	ReasonSchedule         Reason = "schedule"
	ReasonPartialData      Reason = "partial_data"
	ReasonStaleData        Reason = "stale_data"
	ReasonNoData           Reason = "no_data"
	ReasonInvalidData      Reason = "invalid_data"
	ReasonQueryError       Reason = "query_error"
)

// Reasons lists every reason, in the order in which they are exported.
var Reasons = []Reason{
	ReasonMetric, ReasonTolerance, ReasonLookahead, ReasonStabilised, ReasonRateLimited,
	ReasonScaleDownGate, ReasonMinReplicas, ReasonMaxReplicas, ReasonSuspectSignal, ReasonNeverMatched,
	ReasonActivateFromZero, ReasonZeroCooldown, ReasonIdleToZero, ReasonSchedule, ReasonPartialData,
	ReasonStaleData, ReasonNoData, ReasonInvalidData, ReasonQueryError,
}

// reasonOf returns the evidence reason for a quantity that has no number.
func reasonOf(e Evidence) Reason {
	switch e {
	case Stale:
		return ReasonStaleData
	case Invalid:
		return ReasonInvalidData
	case Failed:
		return ReasonQueryError
	case NeverMatched:
		return ReasonNeverMatched
	default:
		return ReasonNoData
	}
}
