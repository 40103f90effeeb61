package cases

import (
	"testing"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/recommender"
)

// What would pass everything would say nothing.
func TestJudgeSeesWhatIsWrong(t *testing.T) {
	at := func(offset float64, desired int32, reason recommender.Reason, valid bool) answer {
		return answer{
			offset: offset, page: "infscale_decision_reason{reason=\"" + string(reason) + "\",workload=\"chat\"} 1\n",
			decision: recommender.Decision{Known: true, Desired: desired, Max: 8, Reason: reason, Valid: valid, Current: recommender.Exactly(5, epoch, 0)},
		}
	}
	r := &run{texts: []string{"status 502: Bad Gateway"}}
	r.all = []answer{at(0, 5, recommender.ReasonTolerance, true), at(15, 5, recommender.ReasonQueryError, false), at(30, 8, recommender.ReasonMetric, true)}
	r.answers = r.all
	for name, tc := range map[string]struct {
		expected map[string]any
		right    bool
	}{
		"the last recommendation":             {map[string]any{"desired": 8.0, "reason_class": "metric", "verdict": "ok", "valid": 1.0}, true},
		"another number":                      {map[string]any{"desired": 7.0}, false},
		"none":                                {map[string]any{"desired": absent}, false},
		"one of two numbers":                  {map[string]any{"desired": "8 or 9"}, true},
		"neither of two numbers":              {map[string]any{"desired": "6 or 7"}, false},
		"all of them":                         {map[string]any{"desired": []any{5.0, 5.0, 8.0}}, true},
		"not all of them":                     {map[string]any{"desired": "8 on all ticks"}, false},
		"fewer of them":                       {map[string]any{"desired": []any{5.0, 8.0}}, false},
		"another reason":                      {map[string]any{"reason_class": "stabilised"}, false},
		"a reason of another time":            {map[string]any{"t15": map[string]any{"reason_class": "query-error", "verdict": "hold"}}, true},
		"a verdict of another time":           {map[string]any{"t15": map[string]any{"verdict": "ok"}}, false},
		"a span in which one is another":      {map[string]any{"t0_30": map[string]any{"desired": 5.0}}, false},
		"the reason where the metric may be":  {map[string]any{"t0": map[string]any{"reason_class": "metric"}}, true},
		"one change":                          {map[string]any{"changes": 1.0}, true},
		"no change":                           {map[string]any{"changes": 0.0}, false},
		"a key that nobody knows":             {map[string]any{"colour": "green"}, false},
		"a reason that nobody knows":          {map[string]any{"reason_class": "weather"}, false},
		"a phrase that nobody knows":          {map[string]any{"must": []any{"be nice to people"}}, false},
		"a phrase that nobody knows, negated": {map[string]any{"desired": 8.0, "must_not": []any{"be rude to people"}}, true},
		"what must not be and is":             {map[string]any{"must_not": []any{"desired 5"}}, false},
		"what must not be and is not":         {map[string]any{"must_not": []any{"desired 4", "NaN exported", "negative desired"}}, true},
		"a reason that must not be and is":    {map[string]any{"must_not": []any{"query-error"}}, false},
		"one reason on the page":              {map[string]any{"t15": "exactly one reason series equals 1 (query-error)"}, true},
		"another reason on the page":          {map[string]any{"t30": "exactly one reason series equals 1 (query-error)"}, false},
		"a message":                           {map[string]any{"message_contains": "bad gateway"}, true},
		"another message":                     {map[string]any{"message_contains": "agent"}, false},
		"an alert that nobody knows":          {map[string]any{"alert": "the sky falls"}, false},
		"a check that nobody made":            {map[string]any{"exit_nonzero_in_check": true}, false},
		"a rule that found nothing":           {map[string]any{"rule": "unknown metric"}, false},
		"parts that are not there":            {map[string]any{"others": map[string]any{"desired": 8.0}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			copied := *r
			copied.firing = map[string][]labels.Labels{}
			j := &judge{run: &copied}
			j.judge(tc.expected)
			if ok := len(j.wrong) == 0; ok != tc.right {
				t.Errorf("got right %t (%v), want %t", ok, j.wrong, tc.right)
			}
		})
	}
}
