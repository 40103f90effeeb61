package recommender

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// explained decides on ticks in turn and returns the last headline and text.
func explained(p Policy, s State, ticks ...tick) string {
	var d Decision
	for _, k := range ticks {
		d, s = Decide(p, s, k.observe())
	}
	e := d.Explain()
	return d.Headline() + "\n" + e.Text()
}

func TestExplanationSaysWhatEachRuleDid(t *testing.T) {
	const m, s = time.Minute, time.Second
	late := func(o *Observation) { o.TTFT = []Percentile{{P: 0.95, Quantity: known(o, 4)}} }
	ttft := queue(func(p *Policy) { p.Signals = []Signal{{Metric: TTFT, Target: 2, Percentile: 0.95}} })
	for name, test := range map[string]struct {
		got  string
		want string
	}{
		"up": {
			explained(queue(atMost(3)), Quiet(start), tick{s, 1, demand(12), 0, "", false}),
			"current 1 -> desired 3 (up; metric)\nqueue 12 / target 4 per replica = 3 replica(s)\n",
		},
		"wake": {
			explained(queue(fromZero), Quiet(start), tick{s, 0, held(5), 0, "", false}),
			"current 0 -> desired 2 (up; activate_from_zero)\nqueue 5 / target 4 per replica = 2 replica(s)\n5 request(s) held at zero replicas: 0 becomes 2\n",
		},
		"sleep": {
			explained(queue(fromZero), Quiet(start), tick{s, 1, held(0, demand(0)), 0, "", false}),
			"current 1 -> desired 0 (down; idle_to_zero)\nqueue 0 / target 4 per replica = 0 replica(s)\nidle for ever, at least the 5m cooldown: 1 becomes 0\n",
		},
		"cooldown": {
			explained(queue(fromZero), State{}, tick{0, 1, held(0, demand(1)), 0, "", false}, tick{m, 1, held(0, demand(0)), 0, "", false}),
			"current 1 -> desired 1 (stays; zero_cooldown)\nqueue 0 / target 4 per replica = 0 replica(s)\nthe proposals of the last 5m lead to 1: 0 becomes 1\nidle for 1m of the 5m cooldown: 0 becomes 1\n",
		},
		"tolerance": {
			explained(queue(), State{}, tick{0, 5, demand(21), 0, "", false}),
			"current 5 -> desired 5 (stays; tolerance)\nqueue 21 / target 4 per replica = 5 replica(s): the ratio 1.05 is within the tolerance\n",
		},
		"window, then limit, then maximum": {
			explained(queue(func(p *Policy) { p.ScaleUp.Window = m }), State{}, tick{0, 2, demand(60), 0, "", false}, tick{m / 2, 2, demand(60), 0, "", false}, tick{m, 2, demand(80), 0, "", false}),
			"current 2 -> desired 6 (up; rate_limited)\nqueue 80 / target 4 per replica = 20 replica(s)\nthe proposals of the last 1m lead to 15: 20 becomes 15\nthe policies allow 6 now: 15 becomes 6\n",
		},
		"ratio": {
			explained(ttft, Quiet(start), tick{s, 3, late, 0, "", false}),
			"current 3 -> desired 6 (up; metric)\nttft 4 / target 2 x 3 that reported = 6 replica(s)\n",
		},
		"ahead": {
			explained(queue(atMost(40), func(p *Policy) { p.Lookahead = m }), State{}, tick{0, 3, demand(10), 0, "", false}, tick{m, 3, demand(20), 0, "", false}),
			"current 3 -> desired 7 (up; rate_limited)\nqueue 20 / target 4 per replica = 5 replica(s); 30 in 1m = 8 replica(s)\ndemand projected 1m ahead: 5 becomes 8\nthe policies allow 7 now: 8 becomes 7\n",
		},
		"silence": {
			explained(queue(), State{}, tick{0, 5, silent, 0, "", false}),
			"current 5 -> desired 5 (stays; no_data)\nqueue is unknown: no series\n",
		},
		"part of the evidence": {
			explained(queue(), State{}, tick{0, 5, unheard(4, demand(4)), 0, "", false}),
			"current 5 -> desired 5 (stays; partial_data)\nqueue at least 4 / target 4 per replica = 1 replica(s)\n",
		},
		"unknown": {
			explained(queue(), State{}, tick{0, none, silent, 0, "", false}),
			"current unknown -> desired unknown (none; no_data)\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if test.got != test.want {
				t.Errorf("got:\n%swant:\n%s", test.got, test.want)
			}
		})
	}
}

func TestHoldSaysWhetherThereIsSomethingToHold(t *testing.T) {
	const m = time.Minute
	never := func(o *Observation) {
		o.Running, o.Waiting = Missing(NeverMatched), Missing(NeverMatched)
	}
	failed := func(o *Observation) { o.Running, o.Waiting = Missing(Failed), Missing(Failed) }
	for name, test := range map[string]struct {
		ticks    []tick
		headline string
		want     string
	}{
		"evidence that is gone": {
			[]tick{{0, 3, demand(12), 0, "", false}, {m, 3, silent, 0, "", false}},
			"current 3 -> desired 3 (stays; no_data)",
			"evidence is missing, last good 1m ago, held for at most 10m: no change",
		},
		"evidence that is gone, and the current count too": {
			[]tick{{0, 3, demand(12), 0, "", false}, {m, none, silent, 0, "", false}},
			"current unknown -> desired 3 (held; no_data)",
			"evidence is missing, last good 1m ago, held for at most 10m: no change",
		},
		"evidence that is gone for too long": {
			[]tick{{0, 3, demand(12), 0, "", false}, {11 * m, 3, silent, 0, "", false}},
			"current 3 -> desired unknown (none; no_data)",
			"no usable evidence for 11m, held for at most 10m: the recommendation is withdrawn",
		},
		"part of it": {
			[]tick{{0, 5, unheard(4, demand(4)), 0, "", false}},
			"current 5 -> desired 5 (stays; partial_data)",
			"part of the evidence is missing, so nothing falls: no change",
		},
		"none yet": {
			[]tick{{0, 5, failed, 0, "", false}},
			"current 5 -> desired 5 (stays; query_error)",
			"there was no evidence yet, so what is there stays, for at most 10m: no change",
		},
		"none for too long": {
			[]tick{{0, 5, failed, 0, "", false}, {11 * m, 5, failed, 0, "", false}},
			"current 5 -> desired unknown (none; query_error)",
			"no usable evidence for 11m, held for at most 10m: the recommendation is withdrawn",
		},
		"a selector that never matched": {
			[]tick{{0, 5, never, 0, "", false}},
			"current 5 -> desired unknown (none; never_matched)",
			"no selector has ever matched a series, so there is nothing to hold: no recommendation",
		},
		"a selector of which it is known late that it never matched": {
			[]tick{{0, 5, failed, 0, "", false}, {m, 5, never, 0, "", false}},
			"current 5 -> desired unknown (none; never_matched)",
			"no selector has ever matched a series, so there is nothing to hold: no recommendation",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var d Decision
			var s State
			for _, k := range test.ticks {
				d, s = Decide(queue(), s, k.observe())
			}
			if got := d.Headline(); got != test.headline {
				t.Errorf("got %s, want %s", got, test.headline)
			}
			steps := d.Explain().Steps
			if got := steps[len(steps)-1]; got.Rule != "hold" || got.Text != test.want {
				t.Errorf("got %s: %q, want hold: %q", got.Rule, got.Text, test.want)
			}
		})
	}
}

// TestEverySentence makes each rule and each kind of silence speak.
func TestEverySentence(t *testing.T) {
	for r := range rules {
		for _, reason := range Reasons {
			s := Step{Rule: r, In: 3, Out: 2, Ran: true, Reason: reason, Limit: 2, Span: time.Minute, Needs: time.Hour}
			if text := s.String(); !strings.Contains(text, ": 3 becomes 2") || strings.Contains(text, "%!") || r.String() == "" {
				t.Errorf("rule %d says %q", r, text)
			}
		}
	}
	seen := map[string]bool{}
	for e := range Known {
		seen[silence(e)] = true
	}
	if len(seen) != int(Known) {
		t.Errorf("%d kinds of silence have %d sentences", Known, len(seen))
	}
	if Evidence(200).String() != "unknown" || Known.String() != "known" {
		t.Errorf("evidence is called %q and %q", Evidence(200), Known)
	}
}

func TestExplanationAsJSON(t *testing.T) {
	p := queue(func(p *Policy) {
		p.Signals = append(p.Signals, Signal{Metric: KVCacheUsage, Target: 0.85, Optional: true})
	})
	k := tick{time.Second, 1, demand(12), 0, "", false}
	d, _ := Decide(p, Quiet(start), k.observe())
	got, err := json.Marshal(d.Explain())
	want := `{"time":"2026-03-02T09:00:01Z","current":1,"desired":3,"raw":3,"unbounded":3,"min":1,"max":8,"reason":"metric","valid":true,` +
		`"evidence_time":"2026-03-02T09:00:01Z","signals":[{"signal":"queue","evidence":"known","value":12,"target":4,"ratio":3,"replicas":3,` +
		`"text":"queue 12 / target 4 per replica = 3 replica(s)"},{"signal":"kv_cache_usage","evidence":"absent","value":null,"target":0.85,` +
		`"ratio":null,"replicas":null,"text":"kv_cache_usage is unknown: no series"}],"steps":[` +
		`{"rule":"signals","in":1,"out":3,"text":"the signals ask for 3: 1 becomes 3"},` +
		`{"rule":"stabilise","in":3,"out":3,"text":"the proposals of the last 0s lead to 3: no change"},` +
		`{"rule":"rate_limit","in":3,"out":3,"text":"the policies allow 5 now: no change"},` +
		`{"rule":"min_replicas","in":3,"out":3,"text":"the minimum is 1: no change"},` +
		`{"rule":"max_replicas","in":3,"out":3,"text":"the maximum is 8: no change"}]}`
	if err != nil || string(got) != want {
		t.Errorf("got  %s %v\nwant %s", got, err, want)
	}
}

func TestQuantities(t *testing.T) {
	at := start
	one, two := Exactly(1, at, 2), Exactly(2, at.Add(-time.Minute), 3)
	if sum := one.plus(two); sum.Value != 3 || !sum.At.Equal(two.At) || sum.Replicas != 3 || !sum.Complete() {
		t.Errorf("1 + 2 is %+v", sum)
	}
	for name, sum := range map[string]Quantity{"known + absent": one.plus(Missing(Absent)), "failed + known": Missing(Failed).plus(one)} {
		if sum.Value != 1 || sum.Complete() || !sum.Known() {
			t.Errorf("%s is %+v", name, sum)
		}
	}
	if sum := Missing(Stale).plus(Missing(Failed)); sum.Evidence != Stale {
		t.Errorf("stale + failed is %v", sum.Evidence)
	}
	var zero Quantity
	if zero.Known() || zero.Evidence != Absent {
		t.Errorf("the zero quantity is %v", zero.Evidence)
	}
	for v, want := range map[float64]int64{0: 0, -1: 0, 0.0004: 0, 0.0005: 1, 2.1: 2100, 12.0000001: 12000, 1e300: 1<<62 - 1} {
		if got := milli(v); got != want {
			t.Errorf("milli(%g) is %d, want %d", v, got, want)
		}
	}
}

func TestSignalsReadTheirQuantity(t *testing.T) {
	o := (&tick{0, 2, demand(6), 0, "", false}).observe()
	q := func(v float64) Quantity { return known(&o, v) }
	o.Waiting, o.Held, o.KVCacheUsage, o.CPU, o.OutputTokens, o.PromptTokens = q(3), q(5), q(0.7), q(46), q(900), q(400)
	o.TTFT = []Percentile{{P: 0.5, Quantity: q(0.1)}, {P: 0.95, Quantity: q(1.5)}}
	o.Queries = []Answer{{Name: "gpu", Quantity: q(42)}}
	p := Policy{MaxNumSeqs: 10, Held: true}
	for _, test := range []struct {
		signal Signal
		want   float64
	}{
		{Signal{Metric: Queue}, 14},
		{Signal{Metric: Waiting}, 8},
		{Signal{Metric: Running}, 6},
		{Signal{Metric: KVCacheUsage}, 0.7},
		{Signal{Metric: BatchFill}, 0.3}, // 6 of 2 x 10 slots
		{Signal{Metric: TTFT, Percentile: 0.95}, 1.5},
		{Signal{Metric: CPU}, 46},
		{Signal{Metric: OutputTokens}, 900},
		{Signal{Metric: PromptTokens}, 400},
		{Signal{Metric: Query, Name: "gpu"}, 42},
	} {
		if got := o.Quantity(&p, &test.signal); !got.Complete() || got.Value != test.want {
			t.Errorf("%s is %+v, want %g", test.signal.ID(), got, test.want)
		}
	}
	for _, s := range []Signal{{Metric: TTFT, Percentile: 0.9}, {Metric: Query, Name: "other"}, {Metric: "watts"}} {
		if got := o.Quantity(&p, &s); got.Evidence != Absent {
			t.Errorf("%s %v is %+v, want absent", s.Metric, s.Percentile, got)
		}
	}
}

func TestColdStartMeasuredElseConfigured(t *testing.T) {
	p := Policy{ColdStart: time.Minute}
	o := Observation{ColdStart: []Percentile{{P: 0.5, Quantity: Exactly(40, start, 1)}, {P: 0.95, Quantity: Exactly(95, start, 1)}}}
	if got := p.coldStart(&o); got != 95*time.Second {
		t.Errorf("measured: got %v", got)
	}
	o.ColdStart[1].Quantity = Exactly(1e300, start, 1)
	if got := p.coldStart(&o); got != 365*24*time.Hour {
		t.Errorf("absurd: got %v", got)
	}
	if got := p.coldStart(&Observation{}); got != time.Minute {
		t.Errorf("configured: got %v", got)
	}
}

func TestReplayIsTheLongestSpan(t *testing.T) {
	p := DefaultPolicy()
	if got := p.Replay(); got != 11*time.Minute {
		t.Errorf("by default: got %v", got)
	}
	p.ScaleDown.Policies = append(p.ScaleDown.Policies, hpa.Policy{Type: hpa.Pods, Value: 1, Period: 20 * time.Minute})
	if got := p.Replay(); got != 20*time.Minute {
		t.Errorf("with a long period: got %v", got)
	}
}
