package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/hpa"
)

// A policyKey is a key of a policy in one line.
type policyKey struct {
	name, short string
	set         func(value string) error
}

// table returns the keys. One for both directions stands before those for each, which
// so overrule it.
func (t *policyText) table() []policyKey {
	p := &t.policy
	return []policyKey{
		{"min", "", whole(&p.Min)},
		{"max", "", whole(&p.Max)},
		{"percentile", "", number(&t.percentile)},
		{"tolerance", "", number(&p.Tolerance.Up, &p.Tolerance.Down)},
		{"tolerance_up", "", number(&p.Tolerance.Up)},
		{"tolerance_down", "", number(&p.Tolerance.Down)},
		{"up_window", "up", span(&t.up.Window)},
		{"up_pods", "uppods", limit(&t.up.Pods)},
		{"up_percent", "uppercent", limit(&t.up.Percent)},
		{"up_select", "", choice(&t.up.Select)},
		{"down_window", "down", span(&t.down.Window)},
		{"down_pods", "downpods", limit(&t.down.Pods)},
		{"down_percent", "downpercent", limit(&t.down.Percent)},
		{"down_select", "", choice(&t.down.Select)},
		{"period", "", span(&t.up.Period, &t.down.Period)},
		{"up_period", "", span(&t.up.Period)},
		{"down_period", "", span(&t.down.Period)},
		{"gate_batch_fill", "gate", number(&p.Gate.BatchFill)},
		{"gate_for", "", span(&p.Gate.For)},
		{"max_num_seqs", "", whole(&p.MaxNumSeqs)},
		{"cold_start", "", span(&p.ColdStart)},
		{"lookahead", "", t.lookahead},
		{"cooldown", "", span(&p.Cooldown)},
		{"hold_limit", "", span(&p.HoldLimit)},
	}
}

// key returns the long name of a key.
func (t *policyText) key(word string) (string, bool) {
	for _, k := range t.keys {
		if word != "" && (word == k.name || word == k.short) {
			return k.name, true
		}
	}
	return "", false
}

// unknownKey says that a word is no key, and which was meant.
func (t *policyText) unknownKey(word string) string {
	var long, all []string
	for _, k := range t.keys {
		long, all = append(long, k.name), append(all, k.name)
		if k.short != "" {
			all = append(all, k.short)
		}
	}
	shown := word
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyz_") != "" || word == "" {
		shown = strconv.Quote(word)
	}
	if near, ok := recommender.Nearest(strings.ToLower(word), all); ok {
		return fmt.Sprintf("unknown key %s, did you mean %s?", shown, near)
	}
	return fmt.Sprintf("unknown key %s, must be one of %s", shown, strings.Join(long, ", "))
}

// words turns the paths of a configuration into the keys of the text.
func (t *policyText) words() *strings.Replacer {
	pairs := []string{
		"replicas.min", "min", "replicas.max", "max",
		"tolerance.up", t.written("tolerance_up", "tolerance"),
		"tolerance.down", t.written("tolerance_down", "tolerance"),
		"scale_up.window", "up_window", "scale_down.window", "down_window",
		"scale_down.gate.", "gate_",
	}
	for i := range t.policy.Signals {
		path := fmt.Sprintf("signals[%d].", i)
		pairs = append(pairs, path+"target:", t.policy.Signals[i].ID()+": target", path+"percentile", "percentile", path+"metric: ", "")
	}
	for _, d := range [...]struct {
		path, key string
		policies  []hpa.Policy
	}{{"scale_up", "up", t.policy.ScaleUp.Policies}, {"scale_down", "down", t.policy.ScaleDown.Policies}} {
		for i := range d.policies {
			path := fmt.Sprintf("%s.policies[%d].", d.path, i)
			pairs = append(pairs, path+"value", d.key+"_"+string(d.policies[i].Type), path+"period", t.written(d.key+"_period", "period"))
		}
	}
	return strings.NewReplacer(pairs...)
}

// written returns the key that was written, if it was, and not the one for both directions.
func (t *policyText) written(key, both string) string {
	if t.has(key) {
		return key
	}
	return both
}

// lookahead reads a duration or the word auto.
func (t *policyText) lookahead(value string) error {
	t.policy.LookaheadColdStart = value == auto
	if t.policy.LookaheadColdStart {
		return nil
	}
	return span(&t.policy.Lookahead)(value)
}

func whole(into *int32) func(string) error {
	return func(value string) error {
		n, err := parseWhole(value)
		return assign(n, err, []*int32{into})
	}
}

// limit reads a whole number that may be left out.
func limit(into **int32) func(string) error {
	return func(value string) error {
		n, err := parseWhole(value)
		return assign(&n, err, []**int32{into})
	}
}

func number(into ...*float64) func(string) error {
	return func(value string) error {
		v, err := parseNumber(value)
		return assign(v, err, into)
	}
}

func span(into ...*time.Duration) func(string) error {
	return func(value string) error {
		d, err := parseSpan(value)
		return assign(d, err, into)
	}
}

func assign[T any](v T, err error, into []*T) error {
	if err != nil {
		return err
	}
	for _, p := range into {
		*p = v
	}
	return nil
}

func choice(into *hpa.Select) func(string) error {
	return func(value string) error {
		switch s := hpa.Select(value); s {
		case hpa.Max, hpa.Min, hpa.Disabled:
			*into = s
			return nil
		default:
			return fmt.Errorf("must be max, min or disabled, got %q", value)
		}
	}
}

func parseWhole(text string) (int32, error) {
	if !wholeNumber.MatchString(text) {
		return 0, fmt.Errorf("must be a whole number, got %q", text)
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("must be %d to %d, got %s", math.MinInt32, math.MaxInt32, text)
	}
	return int32(n), nil
}

func parseNumber(text string) (float64, error) {
	if !decimalNumber.MatchString(text) {
		return 0, fmt.Errorf("must be a number, got %q", text)
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("must be finite, got %s", text)
	}
	return v, nil
}

// longestSpan leaves room to add a few of them.
const longestSpan = 50 * 365 * 24 * time.Hour

// parseSpan reads a duration: seconds, or numbers with units.
func parseSpan(text string) (time.Duration, error) {
	if v, err := parseNumber(text); err == nil {
		switch {
		case v < 0:
			return 0, fmt.Errorf("must not be negative, got %s", text)
		case v > longestSpan.Seconds():
			return 0, fmt.Errorf("must be at most 50y, got %s", text)
		}
		return time.Duration(math.Round(v * float64(time.Second))), nil
	}
	d, err := parseDuration(text)
	switch {
	case err != nil:
		return 0, err
	case time.Duration(d) > longestSpan:
		return 0, fmt.Errorf("must be at most 50y, got %s", text)
	}
	return time.Duration(d), nil
}
