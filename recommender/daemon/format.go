package daemon

import (
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/recommender/risk"
)

// unknown stands where there is no number.
const unknown = "–"

// functions are what the templates call.
var functions = template.FuncMap{
	"count": count, "ago": ago, "clock": clock, "why": why, "move": move, "amount": amount,
	"label": label, "number": number, "scale": newScale, "follow": follow, "evidence": evidence, "puzzling": puzzling, "puzzled": puzzled, "join": strings.Join, "path": url.PathEscape,
	"replayed": func(list []export.Change) bool {
		return slices.ContainsFunc(list, func(c export.Change) bool { return c.Replayed })
	},
	"percent": func(ratio *float64) string { return optional(ratio, percent) },
	"chance":  func(ratio *float64) string { return optional(ratio, chance) }, "missing": missing,
}

// count prints a number of replicas.
func count(n *int32) string {
	if n == nil {
		return unknown
	}
	return strconv.Itoa(int(*n))
}

// ago prints how long ago t was.
func ago(now time.Time, t *time.Time) string {
	if t == nil {
		return unknown
	}
	return span(now.Sub(*t)) + " ago"
}

// span prints a length of time in its two largest units.
func span(d time.Duration) string {
	switch d = max(d, 0); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h %d min", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%d d %d h", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	}
}

// clock prints a time in UTC.
func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// number prints at most three decimals.
func number(v float64) string {
	if v >= 1e9 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strings.TrimRight(strings.TrimRight(fixed(v, 3), "0"), ".")
}

// fixed prints that many decimals, and a number with more digits than a page has space for
// in another form.
func fixed(v float64, decimals int) string {
	if v >= 1e15 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

func percent(ratio float64) string { return fixed(100*ratio, 0) + " %" }

// chance prints a small ratio with a precision that tells it from none.
func chance(ratio float64) string {
	switch {
	case ratio > 0 && ratio < 0.001:
		return "< 0.1 %"
	case ratio < 0.1:
		return fixed(100*ratio, 1) + " %"
	default:
		return percent(ratio)
	}
}

// missing says why there is no risk.
func missing(reason string) string {
	if text, ok := missings[risk.Reason(reason)]; ok {
		return text
	}
	return reason
}

var missings = map[risk.Reason]string{
	risk.NoObjective:    "there is no objective",
	risk.NoReplicas:     "the replicas are not known",
	risk.NoRequests:     "the requests in the engines are not known",
	risk.NoArrivals:     "how many requests arrive is not known",
	risk.NoTokenLengths: "the lengths of prompts and answers are not known, too few requests were finished lately",
	risk.NoReplicaModel: "what a replica can do is not known; set replica_model, or wait until the load has varied enough to learn it",
	risk.NoColdStart:    "how long a cold start takes is not known; set cold_start",
	risk.StaleData:      "the observations are too old",
}

// optional prints a number with the given format, if there is one.
func optional(v *float64, format func(float64) string) string {
	if v == nil {
		return unknown
	}
	return format(*v)
}

// move says which way the recommendation goes from the current replicas.
func move(v *view) string {
	switch {
	case v.Current == nil || v.Desired == nil || *v.Current == *v.Desired:
		return ""
	case *v.Desired > *v.Current:
		return up
	default:
		return down
	}
}

// titles name the quantities for people, units how to print their values.
var (
	titles = map[string]string{
		"current": "Replicas asked for", "ready": "Replicas ready", "reporting": "Replicas heard",
		"running": "Requests running", "waiting": "Requests waiting", "held": "Requests held in front",
		"kv_cache_usage": "KV cache, mean", "kv_cache_usage_max": "KV cache, fullest replica",
		"batch_fill": "Batch fill", "ttft": "Time to first token", "slo_miss": "Missed the objective",
		"slo_bound": "Objective as measured", "output_tokens": "Output tokens", "prompt_tokens": "Prompt tokens",
		"arrivals": "Requests arriving", "completions": "Requests finished", "cpu": "CPU of the request",
		"cold_start": "Cold start",
	}
	units = map[string]func(float64) string{
		"kv_cache_usage": percent, "kv_cache_usage_max": percent, "batch_fill": percent, "slo_miss": percent,
		"ttft": seconds, "slo_bound": seconds, "cold_start": seconds,
		"output_tokens": perSecond, "prompt_tokens": perSecond, "arrivals": perSecond, "completions": perSecond,
		"cpu": func(v float64) string { return number(v) + " %" },
	}
)

func seconds(v float64) string { return number(v) + " s" }

// perSecond prints a rate with a precision that the eye can follow.
func perSecond(v float64) string {
	if v >= 10 {
		return fixed(v, 0) + " /s"
	}
	return fixed(v, 2) + " /s"
}

// label names a quantity.
func label(o *observed) string {
	name, ok := titles[o.Quantity]
	if !ok {
		name = o.Quantity
	}
	if o.Percentile > 0 {
		name += ", p" + number(100*o.Percentile)
	}
	return name
}

// amount prints a quantity with its unit, or why there is no number.
func amount(o *observed) string {
	if o.Value == nil {
		return o.Evidence
	}
	format, ok := units[o.Quantity]
	if !ok {
		format = number
	}
	if o.LowerBound {
		return "at least " + format(*o.Value)
	}
	return format(*o.Value)
}

// A scale places the replicas of a workload on a line from 0 to the maximum, in
// percent of its length.
type scale struct {
	Min, Max, Current, Desired float64
	HasCurrent, HasDesired     bool
}

// newScale returns the scale of a workload.
func newScale(v *view) scale {
	top := max(v.Max, 1)
	for _, n := range []*int32{v.Current, v.Desired} {
		if n != nil {
			top = max(top, *n)
		}
	}
	at := func(n *int32) (float64, bool) {
		if n == nil {
			return 0, false
		}
		return 100 * float64(*n) / float64(top), true
	}
	var s scale
	s.Min, _ = at(&v.Min)
	s.Max, _ = at(&v.Max)
	s.Current, s.HasCurrent = at(v.Current)
	s.Desired, s.HasDesired = at(v.Desired)
	return s
}
