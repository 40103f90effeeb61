package daemon

import (
	"fmt"
	"slices"

	"github.com/infscale/infscale/recommender"
)

// why says the reason of a decision in a sentence. Where evidence is missing it says what
// becomes of the recommendation too: held, withdrawn, or there never was one.
func why(v *view) string {
	text, ok := lacks[v.Reason]
	switch {
	case v.Time == nil:
		return "Nothing has been decided yet."
	case v.Reason == recommender.ReasonStabilised:
		return stabilised(v.Steps)
	case !ok:
		return reasons[v.Reason]
	case v.Current == nil:
		return fmt.Sprintf("The number of replicas in the spec is not known (%s), %s", v.missingCurrent(), v.consequence())
	default:
		return text + ", " + v.consequence()
	}
}

// missingCurrent is the evidence of the current count.
func (v *view) missingCurrent() string {
	i := slices.IndexFunc(v.Observed, func(o observed) bool { return o.Quantity == "current" })
	if i < 0 {
		return string(v.Reason)
	}
	return v.Observed[i].Evidence
}

// consequence says what becomes of the recommendation without evidence.
func (v *view) consequence() string {
	limit := span(v.holdLimit)
	switch {
	case v.Desired != nil && v.Evidence != nil:
		return fmt.Sprintf("so the last recommendation is held, for at most %s (hold_limit).", limit)
	case v.Desired != nil:
		return fmt.Sprintf("so what was asked for so far stays, for at most %s (hold_limit).", limit)
	case v.withdrawn():
		return fmt.Sprintf("and nothing usable was known for longer than %s (hold_limit): the recommendation is withdrawn, so the fallback of its consumer engages.", limit)
	default:
		return "and there never was a recommendation that could be held: there is none, so the fallback of its consumer engages."
	}
}

// withdrawn reports whether there was a recommendation and hold_limit ended it. What no
// selector ever matched is not held.
func (v *view) withdrawn() bool {
	if v.Evidence != nil {
		return true
	}
	return v.Reason != recommender.ReasonNeverMatched && len(v.Changes) > 0 && v.Changes[0].To == nil
}

// evidence says in a word whether a decision rests on all that it should.
func evidence(v *view) string {
	switch {
	case v.Valid:
		return "complete"
	case v.Reason == recommender.ReasonSuspectSignal:
		return "doubtful"
	default:
		return "incomplete"
	}
}

// puzzling reports whether evidence is missing in a way that a check finds out about: no
// series, and nobody failed to answer.
func puzzling(v *view) bool {
	return v.Time != nil && (v.Reason == recommender.ReasonNoData || v.Reason == recommender.ReasonNeverMatched)
}

// puzzled reports whether any workload is puzzling.
func puzzled(list []view) bool {
	return slices.ContainsFunc(list, func(v view) bool { return puzzling(&v) })
}

// stabilised says what a window did.
func stabilised(steps []recommender.StepExplanation) string {
	for _, s := range steps {
		switch {
		case s.Rule != recommender.RuleStabilise.String() || s.In == s.Out:
		case s.In < s.Out:
			return fmt.Sprintf("The load asks for %d now, but within the window it asked for more: it falls no lower than %d yet.", s.In, s.Out)
		default:
			return fmt.Sprintf("The load asks for %d now, but within the window it asked for less: it rises no higher than %d yet.", s.In, s.Out)
		}
	}
	return reasons[recommender.ReasonStabilised]
}

// lacks say what is missing, as the first half of a sentence.
var lacks = map[recommender.Reason]string{
	recommender.ReasonNeverMatched: "A selector has never matched any series",
	recommender.ReasonStaleData:    "The evidence is too old",
	recommender.ReasonNoData:       "There is no evidence",
	recommender.ReasonInvalidData:  "A signal is not a number that can be used",
	recommender.ReasonQueryError:   "A query got no answer",
}

var reasons = map[recommender.Reason]string{
	recommender.ReasonMetric:           "The signals ask for it.",
	recommender.ReasonTolerance:        "The load is within the tolerance of the target.",
	recommender.ReasonLookahead:        "Demand grows, and a new replica takes time to start.",
	recommender.ReasonStabilised:       "What was asked for within the window decides, not only what is asked for now.",
	recommender.ReasonRateLimited:      "A policy limits how fast it may change.",
	recommender.ReasonScaleDownGate:    "The batches are not empty enough to take a replica away.",
	recommender.ReasonMinReplicas:      "The minimum is more than the load needs.",
	recommender.ReasonMaxReplicas:      "The load needs more than the maximum.",
	recommender.ReasonSuspectSignal:    "Requests wait and nothing is finished: more replicas would not help.",
	recommender.ReasonActivateFromZero: "Requests are held and there is no replica.",
	recommender.ReasonZeroCooldown:     "It has not been idle for long enough to go to zero.",
	recommender.ReasonIdleToZero:       "It has been idle for long enough to go to zero.",
	recommender.ReasonSchedule:         "A schedule raises the minimum now.",
	recommender.ReasonPartialData:      "Part of the evidence is missing, so nothing falls.",
}
