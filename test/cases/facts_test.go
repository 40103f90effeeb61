package cases

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/infscale/infscale/recommender"
)

// facts are what the last answer says, by key.
var facts = map[string]func(*run, *answer) any{
	"valid":     func(_ *run, a *answer) any { return flag(a.decision.Valid) },
	"raw":       func(_ *run, a *answer) any { return float64(a.decision.Raw) },
	"unbounded": func(_ *run, a *answer) any { return float64(a.decision.Unbounded) },
	"ratio": func(_ *run, a *answer) any {
		return a.decision.Proposals()[0].Ratio
	},
	"reason_class": nil, // judged by the words
	"demand": func(_ *run, a *answer) any {
		return a.decision.Proposals()[0].Quantity.Value
	},
	"window_entries": func(_ *run, a *answer) any {
		n := len(a.state.Proposals)
		if !a.state.Latest.Time.IsZero() {
			n++
		}
		return float64(n)
	},
	"evidence_age": func(_ *run, a *answer) any { return a.at.Sub(a.decision.Evidence).Seconds() },
	"kv_signal":    func(_ *run, a *answer) any { return quantity(a.observed.KVCacheUsageMax) },
	"rate":         func(_ *run, a *answer) any { return quantity(a.observed.OutputTokens) },
	"slo_breach": func(r *run, a *answer) any {
		objective := r.lab.config.Workloads()[0].Policy.SLO.TTFT.Seconds()
		return len(a.observed.TTFT) > 0 && a.observed.TTFT[0].Known() && a.observed.TTFT[0].Value > objective
	},
	"age_series":        ageSeries,
	"slo_miss_fraction": func(_ *run, a *answer) any { return quantity(a.observed.SLOMiss) },
	"ttft_p95":          ttft,
	"ttft":              ttft,
	"source": func(_ *run, a *answer) any {
		for _, f := range a.tick.Families {
			if recordedName.MatchString(f.Text) {
				return "recorded"
			}
		}
		return "raw"
	},
}

// recordedName is the form of the name of a recorded series: level:metric:operations.
var recordedName = regexp.MustCompile(`[a-z_]+:[a-z_]+:[a-z]`)

var ageSample = regexp.MustCompile(`(?m)^infscale_evidence_timestamp_seconds\{.*\} (\S+)$`)

// ageSeries says whether the time of the evidence is exported, and is older than before.
func ageSeries(r *run, a *answer) any {
	age := func(a *answer) float64 {
		m := ageSample.FindStringSubmatch(a.page)
		if m == nil {
			return math.NaN()
		}
		return float64(a.at.Unix()) - number(m[1])
	}
	for i := range r.all {
		if before := &r.all[i]; before.offset == a.offset-interval && age(a) > age(before) {
			return "present and growing"
		}
	}
	return fmt.Sprintf("%v s", age(a))
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// quantity is the value, or the word for why there is none.
func quantity(q recommender.Quantity) any {
	if !q.Known() {
		return q.Evidence.String()
	}
	return q.Value
}

// ttft is the percentile of the latency in the words of the cases.
func ttft(_ *run, a *answer) any {
	if len(a.observed.TTFT) == 0 {
		return "no observations"
	}
	q := a.observed.TTFT[0].Quantity
	switch {
	case q.Evidence == recommender.Unobserved || q.Evidence == recommender.Absent:
		return "no observations"
	case q.Known() && q.LowerBound:
		return fmt.Sprintf(">= %v (censored)", q.Value)
	default:
		return quantity(q)
	}
}

// equal compares a value with what is wanted: a number, a text, a list, or words for any of
// several values.
func (j *judge) equal(key string, got, want any) {
	j.judged++
	if !same(got, want) {
		j.errorf("%s: got %v, want %v", key, show(got), want)
	}
}

func show(v any) any {
	if f, ok := v.(float64); ok && f == math.Trunc(f) {
		return int64(f)
	}
	return v
}

// absent is the value of what does not exist.
const absent = "absent"

var (
	choice  = regexp.MustCompile(`^(\d+)(?: or (\d+))?\b`)
	between = regexp.MustCompile(`^([\d.]+)-([\d.]+)\b`)
	most    = regexp.MustCompile(`^(<=|<|>=) ?([\d.]+)`)
)

// same reports whether a value is what was wanted.
func same(got, want any) bool {
	switch want := want.(type) {
	case float64:
		g, ok := got.(float64)
		return ok && math.Abs(g-want) <= 1e-4*max(1, math.Abs(want))
	case bool:
		return got == want
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(list, want, same)
	case string:
		if text, ok := got.(string); ok {
			return text == want || strings.Contains(text, want) || (len(text) > 2 && strings.HasPrefix(want, text))
		}
		g, ok := got.(float64)
		return ok && sameWords(g, want)
	default:
		return got == nil && want == nil
	}
}

// sameWords reports whether a number is what words say.
func sameWords(got float64, want string) bool {
	if m := between.FindStringSubmatch(want); m != nil {
		return got >= number(m[1]) && got <= number(m[2])
	}
	if m := most.FindStringSubmatch(want); m != nil {
		limit := number(m[2])
		return (m[1] == "<=" && got <= limit) || (m[1] == "<" && got < limit) || (m[1] == ">=" && got >= limit)
	}
	if m := choice.FindStringSubmatch(want); m != nil {
		return got == number(m[1]) || (m[2] != "" && got == number(m[2]))
	}
	return false
}
