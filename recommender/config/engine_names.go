package config

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// sameQuantity are the names that engines have for one quantity. Whoever knows one
// engine guesses those of another.
var sameQuantity = [...]map[string]string{
	{"vllm": "num_requests_running", "sglang": "num_running_reqs", "llamacpp": "requests_processing"},
	{"vllm": "num_requests_waiting", "sglang": "num_queue_reqs", "llamacpp": "requests_deferred"},
	{"vllm": "kv_cache_usage_perc", "sglang": "token_usage", "llamacpp": "kv_cache_usage_ratio"},
	{"vllm": "generation_tokens_total", "sglang": "generation_tokens_total", "llamacpp": "tokens_predicted_total"},
	{"vllm": "prompt_tokens_total", "sglang": "prompt_tokens_total", "llamacpp": "prompt_tokens_total"},
}

// meantName returns the metric that was meant by one that its engine does not have:
// sglang:num_running_reqs for sglang:num_requests_running. A name that nobody knows
// may be a new one, and is left alone.
func meantName(name string) (string, bool) {
	for engine := range sameQuantity[0] {
		for _, separator := range []string{":", "_"} {
			if base, ok := strings.CutPrefix(name, engine+separator); ok {
				meant, ok := meantBase(engine, base)
				return engine + separator + meant, ok
			}
		}
	}
	return "", false
}

func meantBase(engine, base string) (string, bool) {
	for _, names := range sameQuantity {
		if names[engine] == base {
			return "", false
		}
	}
	for _, names := range sameQuantity {
		alike := sameWords(base, names[engine])
		if alike || slices.Contains(slices.Collect(maps.Values(names)), base) {
			return names[engine], true
		}
	}
	return "", false
}

// sameWords reports whether two names are made of the same words in any order,
// however requests are written.
func sameWords(a, b string) bool { return slices.Equal(words(a), words(b)) }

func words(name string) []string {
	list := strings.Split(name, "_")
	for i, word := range list {
		switch word {
		case "req", "reqs", "request":
			list[i] = "requests"
		}
	}
	slices.Sort(list)
	return list
}

// ownNames returns every name under which engines export what infscale reads of
// them: those in its own queries, without what marks the parts of a histogram.
var ownNames = sync.OnceValue(func() []string {
	p := recommender.DefaultPolicy()
	p.Signals = []recommender.Signal{{Metric: recommender.TTFT, Target: 1, Percentile: defaultPercentile}}
	plan, err := promapi.NewPlan([]promapi.Workload{{Namespace: "a", Name: "a", Policy: &p}}, promapi.Options{})
	if err != nil {
		return nil // what is planned here is right
	}
	var names []string
	for _, q := range plan.Queries {
		if q.Family != promapi.FamilyGauges && q.Family != promapi.FamilyCounters && q.Family != promapi.FamilyTTFT {
			continue
		}
		expr, err := promQL.ParseExpr(q.Text)
		if err != nil {
			continue // so is what is asked
		}
		for _, s := range selectors(expr) {
			for _, name := range exactNames(nameMatchers(s)) {
				names = append(names, wholeName(name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
})

// selectors lists every selector of an expression.
func selectors(expr parser.Expr) []*parser.VectorSelector {
	var list []*parser.VectorSelector
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if s, ok := node.(*parser.VectorSelector); ok {
			list = append(list, s)
		}
		return nil
	})
	return list
}

// wholeName returns the name of a histogram whose part is given.
func wholeName(name string) string {
	for _, part := range []string{"_bucket", "_count", "_sum"} {
		if whole, ok := strings.CutSuffix(name, part); ok {
			return whole
		}
	}
	return name
}

// engineMetric returns the name of a metric in an expression that engines export
// themselves, if there is one.
func engineMetric(expr parser.Expr) string {
	for _, s := range selectors(expr) {
		of := nameMatchers(s)
		for _, name := range append(exactNames(of), ownNames()...) {
			matched := !slices.ContainsFunc(of, func(m *labels.Matcher) bool { return !m.Matches(name) })
			if len(of) > 0 && matched && slices.Contains(ownNames(), wholeName(name)) {
				return name
			}
		}
	}
	return ""
}

// nameMatchers returns the matchers of a selector that choose metrics.
func nameMatchers(s *parser.VectorSelector) []*labels.Matcher {
	return slices.DeleteFunc(slices.Clone(s.LabelMatchers), func(m *labels.Matcher) bool {
		return m.Name != model.MetricNameLabel
	})
}

// exactNames returns the names that matchers spell out.
func exactNames(of []*labels.Matcher) []string {
	var names []string
	for _, m := range of {
		if m.Type == labels.MatchEqual {
			names = append(names, m.Value)
		}
		names = append(names, m.SetMatches()...)
	}
	return names
}
