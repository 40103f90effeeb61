package main

import (
	"reflect"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/hpa"
)

func policyOf(t *testing.T, args ...string) (recommender.Policy, error) {
	t.Helper()
	var c DecideCmd
	parser, err := kong.New(&c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse(args); err != nil {
		t.Fatal(err)
	}
	return c.policy(c.Held != nil)
}

func TestPolicyWithoutFlagsIsTheDefault(t *testing.T) {
	got, err := policyOf(t)
	if err != nil {
		t.Fatal(err)
	}
	want := recommender.DefaultPolicy()
	want.Max = 8
	want.Signals = []recommender.Signal{{Metric: recommender.Queue, Target: 24}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestLimitsOfAFall(t *testing.T) {
	pods := func(n int32) hpa.Policy { return hpa.Policy{Type: hpa.Pods, Value: n, Period: 15 * time.Second} }
	percent := func(n int32) hpa.Policy {
		return hpa.Policy{Type: hpa.Percent, Value: n, Period: 15 * time.Second}
	}
	tests := map[string]struct {
		args []string
		want hpa.Rules
	}{
		"none takes everything": {nil, hpa.Rules{Policies: []hpa.Policy{percent(100)}}},
		"pods alone replace the default": {
			[]string{"--down-pods=1"},
			hpa.Rules{Policies: []hpa.Policy{pods(1)}},
		},
		"percent alone": {[]string{"--down-percent=50"}, hpa.Rules{Policies: []hpa.Policy{percent(50)}}},
		"both": {
			[]string{"--down-pods=1", "--down-percent=50"},
			hpa.Rules{Policies: []hpa.Policy{pods(1), percent(50)}},
		},
		"no replica at all": {[]string{"--down-pods=0"}, hpa.Rules{Select: hpa.Disabled}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := policyOf(t, test.args...)
			if err != nil {
				t.Fatal(err)
			}
			test.want.Window = 300 * time.Second
			if !reflect.DeepEqual(got.ScaleDown, test.want) {
				t.Errorf("got %+v, want %+v", got.ScaleDown, test.want)
			}
		})
	}
}

func TestEveryMetricHasADefaultTargetOrSaysThatItNeedsOne(t *testing.T) {
	for _, m := range recommender.Metrics {
		p, err := policyOf(t, "--metric="+string(m), "--max-num-seqs=64")
		switch m {
		case recommender.Query, recommender.OutputTokens, recommender.PromptTokens:
			if err == nil {
				t.Errorf("%s: got %+v, want an error", m, p.Signals)
			}
		default:
			if err != nil || p.Signals[0].Metric != m || p.Signals[0].Target <= 0 {
				t.Errorf("%s: got %+v and %v, want a target", m, p.Signals, err)
			}
		}
	}
}
