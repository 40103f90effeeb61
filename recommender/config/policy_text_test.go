package config

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/hpa"
)

// usualPolicy is what queue:24 means.
func usualPolicy() recommender.Policy {
	p := recommender.DefaultPolicy()
	p.Max, p.Held = 8, true
	p.Signals = []recommender.Signal{{Metric: recommender.Queue, Target: 24}}
	return p
}

func TestParsePolicy(t *testing.T) {
	signals := func(s ...recommender.Signal) func(*recommender.Policy) {
		return func(p *recommender.Policy) { p.Signals = s }
	}
	tests := map[string]struct {
		text string
		want func(p *recommender.Policy)
	}{
		"a metric alone is the default policy": {"queue:24", func(*recommender.Policy) {}},
		"spaces mean nothing":                  {" queue : 24 , min = 2 ", func(p *recommender.Policy) { p.Min = 2 }},
		"kv is short":                          {"kv:0.85", signals(recommender.Signal{Metric: recommender.KVCacheUsage, Target: 0.85})},
		"the long name of kv":                  {"kv_cache_usage:.85", signals(recommender.Signal{Metric: recommender.KVCacheUsage, Target: 0.85})},
		"ttft has a percentile":                {"ttft:2", signals(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.95})},
		"another percentile":                   {"ttft:2,percentile=0.99", signals(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.99})},
		"several signals, and a percentile that is for one of them": {"queue:5+kv:0.85+ttft:1.5,percentile=.9", signals(
			recommender.Signal{Metric: recommender.Queue, Target: 5},
			recommender.Signal{Metric: recommender.KVCacheUsage, Target: 0.85},
			recommender.Signal{Metric: recommender.TTFT, Target: 1.5, Percentile: 0.9},
		)},
		"a plus inside a number": {"output_tokens:2.5e+3+waiting:+2", signals(
			recommender.Signal{Metric: recommender.OutputTokens, Target: 2500},
			recommender.Signal{Metric: recommender.Waiting, Target: 2},
		)},
		"from zero, even by the CPU: held requests wake it": {"cpu:60,min=0,cooldown=120", func(p *recommender.Policy) {
			p.Signals = []recommender.Signal{{Metric: recommender.CPU, Target: 60}}
			p.Min, p.Cooldown = 0, 2*time.Minute
		}},
		"bounds":                         {"queue:24,max=30,min=3", func(p *recommender.Policy) { p.Min, p.Max = 3, 30 }},
		"a tolerance for both ways":      {"queue:24,tolerance=0.2", func(p *recommender.Policy) { p.Tolerance = recommender.Tolerance{Up: 0.2, Down: 0.2} }},
		"a tolerance for one way":        {"queue:24,tolerance_up=0", func(p *recommender.Policy) { p.Tolerance.Up = 0 }},
		"the one for one way comes last": {"queue:24,tolerance_down=0.3,tolerance=0", func(p *recommender.Policy) { p.Tolerance = recommender.Tolerance{Down: 0.3} }},
		"windows, short": {"queue:24,up=30,down=10m", func(p *recommender.Policy) {
			p.ScaleUp.Window, p.ScaleDown.Window = 30*time.Second, 10*time.Minute
		}},
		"windows, long": {"queue:24,up_window=0.5,down_window=1m30s", func(p *recommender.Policy) {
			p.ScaleUp.Window, p.ScaleDown.Window = 500*time.Millisecond, 90*time.Second
		}},
		"limits of a rise": {"queue:24,uppods=2,up_percent=0,up_period=60", func(p *recommender.Policy) {
			p.ScaleUp.Policies = []hpa.Policy{{Type: hpa.Pods, Value: 2, Period: time.Minute}}
		}},
		"one limit of a rise keeps the other": {"queue:24,up_pods=2", func(p *recommender.Policy) {
			p.ScaleUp.Policies[0].Value = 2
		}},
		"one limit of a fall replaces the default": {"queue:24,downpods=1", func(p *recommender.Policy) {
			p.ScaleDown.Policies = []hpa.Policy{{Type: hpa.Pods, Value: 1, Period: 15 * time.Second}}
		}},
		"both limits of a fall, the smaller counts": {"queue:24,down_pods=1,downpercent=50,down_select=min", func(p *recommender.Policy) {
			p.ScaleDown.Policies = []hpa.Policy{
				{Type: hpa.Pods, Value: 1, Period: 15 * time.Second},
				{Type: hpa.Percent, Value: 50, Period: 15 * time.Second},
			}
			p.ScaleDown.Select = hpa.Min
		}},
		"no rise and no fall": {"queue:24,up_pods=0,uppercent=0,up_select=max,down_pods=0", func(p *recommender.Policy) {
			p.ScaleUp = hpa.Rules{Select: hpa.Disabled}
			p.ScaleDown = hpa.Rules{Select: hpa.Disabled, Window: 5 * time.Minute}
		}},
		"no fall, in one word": {"queue:24,down_select=disabled", func(p *recommender.Policy) { p.ScaleDown.Select = hpa.Disabled }},
		"periods": {"queue:24,down_period=120,period=60,down_pods=1", func(p *recommender.Policy) {
			p.ScaleUp.Policies[0].Period, p.ScaleUp.Policies[1].Period = time.Minute, time.Minute
			p.ScaleDown.Policies = []hpa.Policy{{Type: hpa.Pods, Value: 1, Period: 2 * time.Minute}}
		}},
		"seconds to the nanosecond":   {"queue:24,cold_start=1.001", func(p *recommender.Policy) { p.ColdStart = 1001 * time.Millisecond }},
		"a lookahead in seconds":      {"queue:24,lookahead=90", func(p *recommender.Policy) { p.Lookahead = 90 * time.Second }},
		"a lookahead over cold start": {"queue:24,lookahead=auto", func(p *recommender.Policy) { p.LookaheadColdStart = true }},
		"a gate": {"queue:24,gate=0.4,gate_for=10m,max_num_seqs=64", func(p *recommender.Policy) {
			p.Gate, p.MaxNumSeqs = recommender.Gate{BatchFill: 0.4, For: 10 * time.Minute}, 64
		}},
		"batch fill": {"batch_fill:.8,max_num_seqs=64", func(p *recommender.Policy) {
			p.Signals, p.MaxNumSeqs = []recommender.Signal{{Metric: recommender.BatchFill, Target: 0.8}}, 64
		}},
		"other lengths of time": {"queue:24,cold_start=91,hold_limit=1h", func(p *recommender.Policy) {
			p.ColdStart, p.HoldLimit = 91*time.Second, time.Hour
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := ParsePolicy(test.text)
			if err != nil {
				t.Fatal(err)
			}
			want := usualPolicy()
			test.want(&want)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s:\ngot  %+v\nwant %+v", test.text, got, want)
			}
		})
	}
}

func TestEveryMetricButAQueryHasAPlaceInALine(t *testing.T) {
	for _, m := range recommender.Metrics {
		p, err := ParsePolicy(string(m) + ":0.5,max_num_seqs=64")
		switch {
		case m == recommender.Query && err == nil:
			t.Errorf("query: got %+v, want an error", p)
		case m != recommender.Query && (err != nil || p.Signals[0].Metric != m || p.Signals[0].Target != 0.5):
			t.Errorf("%s: got %+v and %v, want a signal with a target of 0.5", m, p.Signals, err)
		}
	}
}

func TestMistakesInPolicies(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string // without the prefix
	}{
		"nothing":                   {"", []string{"is empty, want METRIC:TARGET, such as queue:24"}},
		"no colon":                  {"queue", []string{`"queue" has no target, want METRIC:TARGET, such as queue:24`}},
		"no metric":                 {"min=2", []string{`"min=2" has no target, want METRIC:TARGET, such as queue:24`}},
		"no target":                 {"queue:,min=0", []string{`queue: target must be a number, got ""`}},
		"a misspelt metric":         {"quue:24", []string{`unknown metric "quue", did you mean queue?`}},
		"a metric in capitals":      {"KV_cache_usage:1", []string{`unknown metric "KV_cache_usage", did you mean kv_cache_usage?`}},
		"no such metric":            {"temperature:24", []string{`unknown metric "temperature", must be one of queue, waiting, running, kv_cache_usage, batch_fill, ttft, cpu, output_tokens, prompt_tokens`}},
		"a query":                   {"query:2", []string{"query: has its place in a configuration file, with its PromQL"}},
		"one metric twice":          {"kv:0.8+kv_cache_usage:0.9", []string{"kv_cache_usage: must have one target, got another \"0.9\""}},
		"nothing behind a plus":     {"queue:24+", []string{`"" has no target, want METRIC:TARGET, such as queue:24`}},
		"a signal among the keys":   {"queue:24,kv:0.8", []string{`"kv:0.8": signals come first, joined by +, as in queue:24+kv:0.85`}},
		"a target that is no ratio": {"queue:5+kv:85", []string{"kv_cache_usage: target is a fraction and must be at most 1, got 85"}},
		"targets of nothing":        {"queue:0+kv:-1+ttft:NaN", []string{`ttft: target must be a number, got "NaN"`, "queue: target must be positive, got 0", "kv_cache_usage: target must be positive, got -1"}},
		"a target beyond numbers":   {"queue:1e999", []string{"queue: target must be finite, got 1e999"}},
		"a misspelt key":            {"queue:24,lookahed=90", []string{"unknown key lookahed, did you mean lookahead?"}},
		"a misspelt short key":      {"queue:24,donwpods=1", []string{"unknown key donwpods, did you mean downpods?"}},
		"a key in capitals":         {"queue:24,Min=1", []string{`unknown key "Min", did you mean min?`}},
		"no such key":               {"queue:24,temperature=1", []string{"unknown key temperature, must be one of min, max, percentile, tolerance, tolerance_up, tolerance_down, up_window, up_pods, up_percent, up_select, down_window, down_pods, down_percent, down_select, period, up_period, down_period, gate_batch_fill, gate_for, max_num_seqs, cold_start, lookahead, cooldown, hold_limit"}},
		"a key without a value":     {"queue:24,min", []string{"min: has no value, want min=VALUE"}},
		"commas":                    {"queue:24,,min=1,", []string{"nothing follows a comma, want KEY=VALUE", "nothing follows a comma, want KEY=VALUE"}},
		"one key twice, short":      {"queue:24,down=60,down_window=1m", []string{"down_window: must have one value, got \"60\" and \"1m\""}},
		"no whole number":           {"queue:24,min=1.5,max=many", []string{`min: must be a whole number, got "1.5"`, `max: must be a whole number, got "many"`}},
		"an octal number":           {"queue:24,max=010", []string{`max: must be a whole number, got "010"`}},
		"a huge number":             {"queue:24,max=3000000000", []string{"max: must be -2147483648 to 2147483647, got 3000000000"}},
		"bounds":                    {"queue:24,min=-1,max=0", []string{"min: must not be negative, got -1", "max: must be at least 1, got 0"}},
		"bounds that cross":         {"queue:24,min=5,max=4", []string{"max: must be at least min 5, got 4"}},
		"a maximum nobody wrote":    {"queue:24,min=9", []string{"max: must be at least min 9, got 8, which it is if not set"}},
		"no mistake that follows":   {"queue:24,min=9,max=x,gate=0.4,max_num_seqs=x", []string{`max: must be a whole number, got "x"`, `max_num_seqs: must be a whole number, got "x"`}},
		"a tolerance":               {"queue:24,tolerance=-1", []string{"tolerance: must not be negative, got -1"}},
		"a tolerance of one way":    {"queue:24,tolerance_down=1", []string{"tolerance_down: must be at least 0 and below 1, got 1"}},
		"a tolerance of no number":  {"queue:24,tolerance=NaN", []string{`tolerance: must be a number, got "NaN"`}},
		"durations": {"queue:24,up=-5,down=soon,cooldown=1e300,cold_start=-1m,hold_limit=100y", []string{
			"up_window: must not be negative, got -5",
			`down_window: must be a duration such as 90s, 5m or 1h30m, got "soon"`,
			`cold_start: must not be negative, got "-1m"`,
			"cooldown: must be at most 50y, got 1e300",
			"hold_limit: must be at most 50y, got 100y",
		}},
		"a lookahead of no number":     {"queue:24,lookahead=NaN", []string{`lookahead: must be a duration such as 90s, 5m or 1h30m, got "NaN"`}},
		"windows":                      {"queue:24,up=2h,down=3601", []string{"up_window: must be 0s to 1h, got 2h", "down_window: must be 0s to 1h, got 1h0m1s"}},
		"limits":                       {"queue:24,up_pods=-1,down_percent=2000000", []string{"up_pods: must be 1 to 1000000, got -1", "down_percent: must be 1 to 1000000, got 2000000"}},
		"a period, said once":          {"queue:24,period=0", []string{"period: must be 1s to 30m, got 0s"}},
		"the period of one way":        {"queue:24,down_period=1h", []string{"down_period: must be 1s to 30m, got 1h"}},
		"a select":                     {"queue:24,up_select=most", []string{`up_select: must be max, min or disabled, got "most"`}},
		"a percentile for a queue":     {"queue:24,percentile=0.5", []string{"percentile: is only for ttft"}},
		"a percentile in percent":      {"queue:24+ttft:2,percentile=95", []string{"percentile: must be above 0 and below 1, got 95"}},
		"batch fill of unknown size":   {"batch_fill:0.8", []string{"batch_fill needs max_num_seqs"}},
		"a gate of unknown size":       {"queue:24,gate=0.4", []string{"gate_batch_fill: needs max_num_seqs"}},
		"a gate that is never there":   {"queue:24,gate_for=60,max_num_seqs=64", []string{"gate_batch_fill: must be above 0 and at most 1, got 0"}},
		"all at once, each by its key": {"quue:24,lookahed=90,min=9,down=2h", []string{`unknown metric "quue", did you mean queue?`, "unknown key lookahed, did you mean lookahead?", "max: must be at least min 9, got 8, which it is if not set", "down_window: must be 0s to 1h, got 2h"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := ParsePolicy(test.text)
			if err == nil {
				t.Fatalf("%s: got %+v, want an error", test.text, p)
			}
			var got []string
			for line := range strings.SplitSeq(err.Error(), "\n") {
				text, ok := strings.CutPrefix(line, `policy "`+test.text+`": `)
				if !ok {
					t.Errorf("got %s, want the policy %q in front", line, test.text)
				}
				got = append(got, text)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%s:\ngot  %s\nwant %s", test.text, strings.Join(got, "\n     "), strings.Join(test.want, "\n     "))
			}
		})
	}
}

func TestAPolicyIsALineAndNotABook(t *testing.T) {
	text := "queue:24" + strings.Repeat(",x=1", 400)
	_, err := ParsePolicy(text)
	if want := `policy "queue:24,x=1,x=1,x=1"...: must be at most 1000 bytes, got 1608`; err == nil || !strings.HasPrefix(err.Error(), `policy "queue:24,x=1`) || len(err.Error()) > 100 {
		t.Errorf("got %v, want something like %s", err, want)
	}
}

// The scale-down limits of the HPA: the larger of both allowed falls counts.
func TestAFallFromEightToTwoIsLimited(t *testing.T) {
	for text, want := range map[string]int32{
		"queue:24,down=0":                                           2,
		"queue:24,down=0,downpods=1":                                7,
		"queue:24,down=0,downpercent=50":                            4,
		"queue:24,down=0,downpods=1,downpercent=50":                 4,
		"queue:24,down=0,downpods=1,downpercent=50,down_select=min": 7,
		"queue:24,down=0,downpods=0":                                8,
		"queue:24":                                                  8, // the window
	} {
		p, err := ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		d := decideTwice(p, 190, 48)
		if !d.RawKnown || d.Raw != 2 || d.Desired != want {
			t.Errorf("%s: got raw %d and desired %d, want 2 and %d", text, d.Raw, d.Desired, want)
		}
	}
}

// decideTwice decides on so many requests on eight replicas, one after the other.
func decideTwice(p recommender.Policy, first, second float64) recommender.Decision {
	var s recommender.State
	var d recommender.Decision
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, running := range []float64{first, second} {
		eight, none := recommender.Exactly(8, at, 8), recommender.Exactly(0, at, 8)
		d, s = recommender.Decide(p, s, recommender.Observation{
			Time: at, Current: eight, Ready: eight, Reporting: eight,
			Running: recommender.Exactly(running, at, 8), Waiting: none, Held: none,
		})
		at = at.Add(15 * time.Second)
	}
	return d
}

func FuzzParsePolicy(f *testing.F) {
	for _, text := range []string{
		"", "queue:24", "queue:24,min=0,cooldown=120", "queue:24,lookahead=auto", "cpu:60", "kv:.85+ttft:2e+0,percentile=.5",
		"queue:24,downpods=1,downpercent=50,down_select=min,period=60", "queue:NaN", "queue:1e308,max=2147483647", "queue:+Inf",
		"batch_fill:0.8,max_num_seqs=64,gate=0.4,gate_for=10m", "queue:24,,=,:,+", "queue:24,cold_start=50y,cooldown=50y,hold_limit=50y",
		"queue:5e-324", "queue:24,tolerance=1e308,tolerance_down=0", "q\x00ue:24,\xff=1\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePolicy(text)
		if err != nil {
			checkPolicyError(t, text, err)
			return
		}
		if err := p.Validate(); err != nil {
			t.Errorf("%q: got a policy that is not valid: %v", text, err)
		}
		if p.Replay() <= 0 {
			t.Errorf("%q: got a replay of %v, want it positive", text, p.Replay())
		}
		signals, keys, _ := strings.Cut(text, ",")
		items := strings.Split(keys, ",")
		slices.Reverse(items)
		if keys == "" {
			return
		}
		if again, err := ParsePolicy(signals + "," + strings.Join(items, ",")); err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%q: got %+v and %v with the keys the other way round, want %+v", text, again, err, p)
		}
	})
}

// checkPolicyError checks that every line says whose mistake it is, and is readable.
func checkPolicyError(t *testing.T, text string, err error) {
	t.Helper()
	if _, again := ParsePolicy(text); again == nil || again.Error() != err.Error() {
		t.Errorf("%q: got %v at first and then %v", text, err, again)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		joined = errors.Join(err).(interface{ Unwrap() []error })
	}
	for _, err := range joined.Unwrap() {
		if s := err.Error(); !strings.HasPrefix(s, `policy "`) || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q: got the mistake %q, want one printable line that begins with the policy", text, s)
		}
	}
}
