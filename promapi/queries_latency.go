package promapi

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// latencies asks for the rates of the buckets of ttft by group, of those buckets whose
// bound matches. Twins need no merging: shares of a total stay as they are.
func (s *shape) latencies(engines []*profile, bounds string) string {
	var list []string
	for _, p := range engines {
		var aliases []string
		for _, alias := range p.aliases(ttft) {
			rate := s.withGroup(fmt.Sprintf("rate(%s_bucket%s[%s])", alias, bounds, s.latency))
			aliases = append(aliases, fmt.Sprintf("sum by (%s) (%s)", s.group(boundLabel), rate))
		}
		if len(aliases) > 0 {
			list = append(list, named(signalOf(p, ttft), aliases))
		}
	}
	return either(list)
}

// native asks the same of native histograms, which have no buckets to add up in Go:
// the number of requests, each percentile, and the share below each bound.
func (s *shape) native(engines []*profile, percentiles, bounds []float64) []string {
	var list []string
	for _, p := range engines {
		aliases := p.aliases(ttft)
		if len(aliases) == 0 {
			continue
		}
		ask := func(suffix, label string, x float64, call string) {
			var calls []string
			for _, alias := range aliases {
				sum := fmt.Sprintf("sum by (%s) (%s)", s.group(), s.withGroup(fmt.Sprintf("rate(%s[%s])", alias, s.latency)))
				calls = append(calls, fmt.Sprintf(call, sum))
			}
			expr := named(signalOf(p, ttft)+suffix, calls)
			if label != "" {
				expr = tag(expr, label, number(x))
			}
			list = append(list, expr)
		}
		ask(countSuffix, "", 0, "histogram_count(%s)")
		for _, q := range percentiles {
			ask(quantileSuffix, percentileLabel, q, "histogram_quantile("+number(q)+", %s)")
		}
		for _, b := range bounds {
			ask(belowSuffix, boundLabel, b, "histogram_fraction(0, "+number(b)+", %s)")
		}
	}
	return list
}

// number writes a float as short as it reads back.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// boundMatcher matches the buckets next to the objectives, and the last. Prometheus 3
// writes 2 as 2.0; older ones keep what the engine wrote.
func boundMatcher(engines []*profile, objectives []float64) string {
	var bounds []float64
	for _, objective := range objectives {
		bounds = append(bounds, objective)
		for _, p := range engines {
			if len(p.bounds) > 0 {
				bounds = append(bounds, snapBound(p.bounds, objective))
			}
		}
	}
	slices.Sort(bounds)
	var spellings []string
	for _, b := range slices.Compact(bounds) {
		spelling := regexp.QuoteMeta(number(b))
		if b == float64(int64(b)) {
			spelling += `(\.0)?`
		}
		spellings = append(spellings, spelling)
	}
	return fmt.Sprintf("{%s=~%q}", boundLabel, strings.Join(append(spellings, `\+Inf`), "|"))
}

// snapBound returns the largest bound that is not above the objective, so that a
// request between the two counts as late, or else the smallest. bounds are ascending.
func snapBound(bounds []float64, objective float64) float64 {
	i, exact := slices.BinarySearch(bounds, objective)
	if exact || i == 0 {
		return bounds[i]
	}
	return bounds[i-1]
}
