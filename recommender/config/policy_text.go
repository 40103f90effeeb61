package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/infscale/infscale/recommender"
)

// maxPolicyText bounds a policy in bytes: every mistake in it shows the whole text.
const maxPolicyText = 1000

// ParsePolicy reads a policy of one line:
//
//	METRIC:TARGET[+METRIC:TARGET]...[,KEY=VALUE]...
//	queue:24+kv:0.85,min=0,cooldown=2m,down_pods=1,period=60
//
// Metrics and keys are those of the file, with "_" for its levels and a few short
// forms. Durations are seconds or have units. What the text leaves out is as in
// [recommender.DefaultPolicy], with at most 8 replicas and a source of held requests,
// so that a minimum of 0 is possible. The error joins every mistake, each starting
// with the text.
func ParsePolicy(text string) (recommender.Policy, error) {
	if len(text) > maxPolicyText {
		return recommender.Policy{}, fmt.Errorf("policy %.20q...: must be at most %d bytes, got %d", text, maxPolicyText, len(text))
	}
	t := newPolicyText(text)
	signals, rest, more := strings.Cut(text, ",")
	t.signals(signals)
	if more {
		for item := range strings.SplitSeq(rest, ",") {
			t.item(strings.TrimSpace(item))
		}
	}
	t.finish()
	if len(t.errs) > 0 {
		return recommender.Policy{}, errors.Join(t.errs...)
	}
	return t.policy, nil
}

// A policyText is a policy as far as it has been read.
type policyText struct {
	text   string
	policy recommender.Policy
	// up and down become the rules of the policy in the end, and percentile that of ttft.
	up, down   Limits
	percentile float64

	keys   []policyKey
	values map[string]string // as written, by the long name of the key
	wrong  map[string]bool   // keys whose value has a mistake
	errs   []error
}

func newPolicyText(text string) *policyText {
	p := recommender.DefaultPolicy()
	p.Max, p.Held = 8, true
	period := p.ScaleDown.Policies[0].Period
	t := &policyText{
		text: text, policy: p, percentile: defaultPercentile,
		up:     Limits{Window: p.ScaleUp.Window, Period: period},
		down:   Limits{Window: p.ScaleDown.Window, Period: period},
		values: map[string]string{}, wrong: map[string]bool{},
	}
	t.keys = t.table()
	return t
}

// add notes a mistake.
func (t *policyText) add(format string, args ...any) {
	t.errs = append(t.errs, fmt.Errorf("policy %q: %s", t.text, fmt.Sprintf(format, args...)))
}

// signals reads what stands before the first comma.
func (t *policyText) signals(text string) {
	if strings.TrimSpace(t.text) == "" {
		t.add("is empty, want METRIC:TARGET, such as queue:24")
		return
	}
	for _, part := range splitSignals(text) {
		word, target, ok := strings.Cut(part, ":")
		metric := recommender.Metric(strings.TrimSpace(word))
		if metric == "kv" {
			metric = recommender.KVCacheUsage
		}
		switch {
		case !ok:
			t.add("%q has no target, want METRIC:TARGET, such as queue:24", strings.TrimSpace(part))
		case metric == recommender.Query:
			t.add("query: has its place in a configuration file, with its PromQL")
		case !slices.Contains(textMetrics, metric):
			t.add("%s", unknown("metric", metric, textMetrics))
		case slices.ContainsFunc(t.policy.Signals, func(s recommender.Signal) bool { return s.Metric == metric }):
			t.add("%s: must have one target, got another %q", metric, strings.TrimSpace(target))
		default:
			t.signal(metric, strings.TrimSpace(target))
		}
	}
}

// textMetrics are the metrics that need no text of a query.
var textMetrics = slices.DeleteFunc(slices.Clone(recommender.Metrics), func(m recommender.Metric) bool {
	return m == recommender.Query
})

// signal adds a signal. A target with a mistake gets one that gives no further ones.
func (t *policyText) signal(metric recommender.Metric, target string) {
	v, err := parseNumber(target)
	if err != nil {
		t.add("%s: target %v", metric, err)
		v = 0.5
	}
	t.policy.Signals = append(t.policy.Signals, recommender.Signal{Metric: metric, Target: v})
}

// splitSignals splits at every "+" that does not belong to a number.
func splitSignals(text string) []string {
	var parts []string
	from := 0
	for i := range len(text) {
		number := i+1 < len(text) && strings.IndexByte(".0123456789", text[i+1]) >= 0
		if text[i] == '+' && !number {
			parts, from = append(parts, text[from:i]), i+1
		}
	}
	return append(parts, text[from:])
}

// item reads KEY=VALUE.
func (t *policyText) item(text string) {
	word, value, ok := strings.Cut(text, "=")
	word, value = strings.TrimSpace(word), strings.TrimSpace(value)
	key, known := t.key(word)
	switch {
	case text == "":
		t.add("nothing follows a comma, want KEY=VALUE")
	case !known && !ok && strings.Contains(text, ":"):
		t.add("%q: signals come first, joined by +, as in queue:24+kv:0.85", text)
	case !known:
		t.add("%s", t.unknownKey(word))
	case !ok:
		t.wrong[key] = true
		t.add("%s: has no value, want %s=VALUE", word, word)
	case t.has(key):
		t.add("%s: must have one value, got %q and %q", key, t.values[key], value)
	default:
		t.values[key] = value
	}
}

func (t *policyText) has(key string) bool {
	_, ok := t.values[key]
	return ok
}

// finish puts the values into the policy, in the order of the table, and checks it.
func (t *policyText) finish() {
	for _, k := range t.keys {
		if !t.has(k.name) {
			continue
		}
		if err := k.set(t.values[k.name]); err != nil {
			t.wrong[k.name] = true
			t.add("%s: %v", k.name, err)
		}
	}
	p := &t.policy
	p.ScaleUp, p.ScaleDown = t.up.Up(), t.down.Down()
	i := slices.IndexFunc(p.Signals, func(s recommender.Signal) bool { return s.Metric == recommender.TTFT })
	switch {
	case i >= 0:
		p.Signals[i].Percentile = t.percentile
	case t.has("percentile"):
		t.add("percentile: is only for ttft")
	}
	t.check()
}

// check notes what [recommender.Policy.Validate] finds, in the words of the text: the
// first mistake of each key, and none that follows from a value that is wrong already.
func (t *policyText) check() {
	p := t.policy
	if len(p.Signals) == 0 {
		p.Signals = []recommender.Signal{{Metric: recommender.Queue, Target: 1}} // the mistake is known
	}
	joined, ok := p.Validate().(interface{ Unwrap() []error })
	if !ok {
		return
	}
	words, seen := t.words(), map[string]bool{}
	for _, mistake := range joined.Unwrap() {
		text := words.Replace(mistake.Error())
		key, _, _ := strings.Cut(text, ":")
		if key == "max" && !t.has(key) {
			text += ", which it is if not set"
		}
		if !seen[key] && !t.follows(text) {
			t.add("%s", text)
		}
		seen[key] = true
	}
}

// follows reports whether a mistake names a key whose value is wrong already.
func (t *policyText) follows(text string) bool {
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if t.wrong[word] {
			return true
		}
	}
	return false
}
