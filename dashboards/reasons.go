package dashboards

import (
	"slices"
	"strings"

	"github.com/infscale/infscale/recommender"
)

// The reasons by what they mean to whoever watches.
var (
	// doubts are those of evidence that is missing, late or wrong.
	doubts = []recommender.Reason{
		recommender.ReasonSuspectSignal, recommender.ReasonNeverMatched, recommender.ReasonPartialData,
		recommender.ReasonStaleData, recommender.ReasonNoData, recommender.ReasonInvalidData, recommender.ReasonQueryError,
	}
	// bounds are those of a number that the configuration keeps from where the signals
	// would have it.
	bounds = []recommender.Reason{
		recommender.ReasonStabilised, recommender.ReasonRateLimited, recommender.ReasonScaleDownGate,
		recommender.ReasonMaxReplicas, recommender.ReasonMinReplicas, recommender.ReasonSchedule, recommender.ReasonZeroCooldown,
	}
	// wishes are all others.
	wishes = slices.DeleteFunc(slices.Clone(recommender.Reasons), func(r recommender.Reason) bool {
		return slices.Contains(doubts, r) || slices.Contains(bounds, r)
	})
)

// among is a matcher of reasons.
func among(reasons []recommender.Reason) string {
	words := make([]string, len(reasons))
	for i, r := range reasons {
		words[i] = string(r)
	}
	return `reason=~"` + strings.Join(words, "|") + `"`
}

// confidence is a row for each workload: whether its recommendation can be followed and is
// enough.
func confidence() Panel {
	doubt := eachWith("infscale_decision_reason", among(doubts))
	atMax := eachWith("infscale_decision_reason", `reason="`+string(recommender.ReasonMaxReplicas)+`"`)
	return states("Confidence",
		"Sure: the number follows from complete evidence and the configuration. At the maximum: the signals ask for more than the configuration allows. In doubt: evidence is missing, late or wrong, and the number is held or withdrawn.",
		map[string]Word{
			"0": {"sure", "green", 0},
			"1": {"at the maximum", "orange", 1},
			"2": {"in doubt", "red", 2},
		},
		query("2 * "+doubt+" + "+atMax, named))
}

// reasonTimeline is a row for each reason, drawn while it holds.
func reasonTimeline() Panel {
	holds := func(reasons []recommender.Reason) string {
		return "(" + eachWith("infscale_decision_reason", among(reasons), "reason") + " == 1)"
	}
	return states("Reason",
		"The rule that decided last; exactly one holds at a time. Those of missing, late or wrong evidence are red.",
		map[string]Word{
			"1": {"follows the signals", "green", 0},
			"2": {"kept by a bound, window or limit", "orange", 1},
			"3": {"in doubt", "red", 2},
		},
		query(holds(wishes), "{{workload}} {{reason}}"),
		query(holds(bounds)+" * 2", "{{workload}} {{reason}}"),
		query(holds(doubts)+" * 3", "{{workload}} {{reason}}"))
}
