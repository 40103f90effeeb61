package recommender

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

func soundPolicy() Policy {
	p := DefaultPolicy()
	p.Max = 8
	p.Signals = []Signal{{Metric: Queue, Target: 24}}
	return p
}

func mistakes(err error) []string {
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

func TestValidateAccepts(t *testing.T) {
	tests := map[string]func(p *Policy){
		"the defaults with a maximum and a signal": func(*Policy) {},
		"zero with a held source":                  func(p *Policy) { p.Min, p.Held = 0, true },
		"no policy where a direction is disabled": func(p *Policy) {
			p.ScaleDown = hpa.Rules{Select: hpa.Disabled}
		},
		"the edges of every range": func(p *Policy) {
			p.Min, p.MaxNumSeqs = 8, 1
			p.Tolerance = Tolerance{Down: 0.99}
			p.ScaleUp = hpa.Rules{Window: time.Hour, Select: hpa.Min, Policies: []hpa.Policy{
				{Type: hpa.Pods, Value: 1, Period: time.Second}, {Type: hpa.Percent, Value: 1e6, Period: 30 * time.Minute},
			}}
			p.Gate = Gate{BatchFill: 1}
			p.Cooldown, p.HoldLimit = 0, 0
			p.Signals = []Signal{
				{Metric: KVCacheUsage, Target: 1},
				{Metric: BatchFill, Target: 0.001},
				{Metric: CPU, Target: 150},
				{Metric: TTFT, Target: 2, Percentile: 0.999},
				{Metric: Query, Name: "a", Type: Total, Target: 1e300},
				{Metric: Query, Name: "b", Type: Ratio, Target: 7},
			}
			p.SLO = SLO{TTFT: 1, Objective: 0.999}
		},
		"a schedule that starts more often than it ends": func(p *Policy) {
			p.Schedules = []Schedule{{Start: cron(t, "0 8,12 * * *"), End: cron(t, "0 18 * * *"), Min: 8}}
		},
		"a schedule that restarts at some of its ends": func(p *Policy) {
			p.Schedules = []Schedule{{Start: cron(t, "0 8 * * 1-5"), End: cron(t, "0 8 * * *")}}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			p := soundPolicy()
			change(&p)
			if err := p.Validate(); err != nil {
				t.Errorf("got %v, want no error", err)
			}
		})
	}
}

func TestValidateRefuses(t *testing.T) {
	eight := func(p *Policy) *Schedule {
		p.Schedules = []Schedule{{Start: cron(t, "0 8 * * 1-5"), End: cron(t, "0 18 * * *"), Min: 4}}
		return &p.Schedules[0]
	}
	up := func(p *Policy) *hpa.Policy { return &p.ScaleUp.Policies[1] }
	tests := map[string]struct {
		change func(p *Policy)
		want   []string
	}{
		"a negative minimum":  {func(p *Policy) { p.Min = -1 }, []string{"replicas.min: must not be negative, got -1"}},
		"no maximum":          {func(p *Policy) { p.Max = 0 }, []string{"replicas.max: must be at least 1, got 0"}},
		"a maximum below min": {func(p *Policy) { p.Min, p.Max = 3, 1 }, []string{"replicas.max: must be at least replicas.min 3, got 1"}},
		"zero without a source that outlives the pods": {
			func(p *Policy) {
				p.Min, p.Signals = 0, []Signal{{Metric: CPU, Target: 70}, {Metric: KVCacheUsage, Target: 0.8}}
			},
			[]string{"replicas.min: cannot scale from zero: without replicas nothing reports cpu, kv_cache_usage; " +
				"add held, which sees requests in front of the pods"},
		},
		"zero without anything": {
			func(p *Policy) { p.Min, p.Signals = 0, nil },
			[]string{
				"replicas.min: cannot scale from zero: without replicas nothing reports anything; " +
					"add held, which sees requests in front of the pods",
				"signals: must have at least one",
			},
		},
		"too many signals": {
			func(p *Policy) {
				p.Signals = nil
				for name := range strings.SplitSeq("a b c d e f g h i", " ") {
					p.Signals = append(p.Signals, Signal{Metric: Query, Name: name, Type: Total, Target: 1})
				}
			},
			[]string{"signals: must be at most 8, got 9"},
		},
		"a metric twice": {
			func(p *Policy) {
				p.Signals = append(p.Signals, Signal{Metric: Running, Target: 1}, Signal{Metric: Queue, Target: 1})
			},
			[]string{`signals[2]: must differ from signals[0], both are "queue"`},
		},
		"a query named as a metric": {
			func(p *Policy) {
				p.Signals = append(p.Signals, Signal{Metric: Query, Name: "queue", Type: Total, Target: 1})
			},
			[]string{`signals[1]: must differ from signals[0], both are "queue"`},
		},
		"a misspelt metric": {
			func(p *Policy) { p.Signals[0].Metric = "kv_cache_usgae" },
			[]string{`signals[0].metric: unknown metric "kv_cache_usgae", did you mean kv_cache_usage?`},
		},
		"no metric": {
			func(p *Policy) { p.Signals[0].Metric = "" },
			[]string{`signals[0].metric: unknown metric "", must be one of queue, waiting, running, kv_cache_usage, ` +
				`batch_fill, ttft, cpu, output_tokens, prompt_tokens, query`},
		},
		"a target of zero":     {func(p *Policy) { p.Signals[0].Target = 0 }, []string{"signals[0].target: must be positive, got 0"}},
		"a target of nothing":  {func(p *Policy) { p.Signals[0].Target = math.NaN() }, []string{"signals[0].target: must be positive, got NaN"}},
		"an infinite target":   {func(p *Policy) { p.Signals[0].Target = math.Inf(1) }, []string{"signals[0].target: must be positive, got +Inf"}},
		"a target below milli": {func(p *Policy) { p.Signals[0].Target = 0.0009 }, []string{"signals[0].target: must be at least 0.001, got 0.0009"}},
		"a fraction in percent": {
			func(p *Policy) { p.Signals[0] = Signal{Metric: KVCacheUsage, Target: 80} },
			[]string{"signals[0].target: is a fraction and must be at most 1, got 80"},
		},
		"a percentile in percent": {
			func(p *Policy) { p.Signals[0] = Signal{Metric: TTFT, Target: 2, Percentile: 95} },
			[]string{"signals[0].percentile: must be above 0 and below 1, got 95"},
		},
		"a percentile of a count": {
			func(p *Policy) { p.Signals[0].Percentile = 0.95 },
			[]string{"signals[0].percentile: is only for ttft"},
		},
		"a batch fill of unknown slots": {
			func(p *Policy) { p.Signals[0] = Signal{Metric: BatchFill, Target: 0.8} },
			[]string{"signals[0].metric: batch_fill needs max_num_seqs"},
		},
		"negative slots": {func(p *Policy) { p.MaxNumSeqs = -1 }, []string{"max_num_seqs: must not be negative, got -1"}},
		"a query without name and type": {
			func(p *Policy) { p.Signals[0] = Signal{Metric: Query, Target: 1} },
			[]string{
				"signals[0].name: must be set for a query",
				`signals[0].type: must be total or ratio, got ""`,
			},
		},
		"a name and a type for a metric": {
			func(p *Policy) { p.Signals[0].Name, p.Signals[0].Type = "a", Total },
			[]string{"signals[0].name: is only for a query", "signals[0].type: is only for a query"},
		},
		"tolerances out of range": {
			func(p *Policy) { p.Tolerance = Tolerance{Up: -0.1, Down: 1} },
			[]string{
				"tolerance.up: must not be negative, got -0.1",
				"tolerance.down: must be at least 0 and below 1, got 1",
			},
		},
		"tolerances that are not numbers": {
			func(p *Policy) { p.Tolerance = Tolerance{Up: math.Inf(1), Down: math.NaN()} },
			[]string{
				"tolerance.up: must not be negative, got +Inf",
				"tolerance.down: must be at least 0 and below 1, got NaN",
			},
		},
		"a window that is too long": {func(p *Policy) { p.ScaleDown.Window = 2 * time.Hour }, []string{"scale_down.window: must be 0s to 1h, got 2h"}},
		"a negative window":         {func(p *Policy) { p.ScaleUp.Window = -1 }, []string{"scale_up.window: must be 0s to 1h, got -1ns"}},
		"no policies":               {func(p *Policy) { p.ScaleUp.Policies = nil }, []string{"scale_up.policies: must have at least one, or select: disabled"}},
		"an unknown select": {
			func(p *Policy) { p.ScaleDown.Select = "Max" },
			[]string{`scale_down.select: must be max, min or disabled, got "Max"`},
		},
		"a bad policy": {
			func(p *Policy) { *up(p) = hpa.Policy{Type: "pod", Period: 31 * time.Minute} },
			[]string{
				`scale_up.policies[1].type: must be pods or percent, got "pod"`,
				"scale_up.policies[1].value: must be 1 to 1000000, got 0",
				"scale_up.policies[1].period: must be 1s to 30m, got 31m",
			},
		},
		"a policy meant as unlimited": {
			func(p *Policy) { up(p).Value = math.MaxInt32 },
			[]string{"scale_up.policies[1].value: must be 1 to 1000000, got 2147483647"},
		},
		"a period below a second": {
			func(p *Policy) { up(p).Period = 999 * time.Millisecond },
			[]string{"scale_up.policies[1].period: must be 1s to 30m, got 999ms"},
		},
		"a gate without a fill": {
			func(p *Policy) { p.Gate.For = time.Minute },
			[]string{
				"scale_down.gate.batch_fill: must be above 0 and at most 1, got 0",
				"scale_down.gate.batch_fill: needs max_num_seqs",
			},
		},
		"a gate in percent": {
			func(p *Policy) { p.Gate, p.MaxNumSeqs = Gate{BatchFill: 40, For: -time.Minute}, 64 },
			[]string{
				"scale_down.gate.batch_fill: must be above 0 and at most 1, got 40",
				"scale_down.gate.for: must not be negative, got -1m",
			},
		},
		"negative durations": {
			func(p *Policy) { p.ColdStart, p.Lookahead, p.Cooldown, p.HoldLimit = -1, -1, -1, -1 },
			[]string{
				"cold_start: must not be negative, got -1ns", "lookahead: must not be negative, got -1ns",
				"cooldown: must not be negative, got -1ns", "hold_limit: must not be negative, got -1ns",
			},
		},
		"a schedule above the maximum": {func(p *Policy) { eight(p).Min = 9 }, []string{"schedules[0].min: must be at most replicas.max 8, got 9"}},
		"a negative schedule":          {func(p *Policy) { eight(p).Min = -1 }, []string{"schedules[0].min: must not be negative, got -1"}},
		"a schedule without a start":   {func(p *Policy) { eight(p).Start = Cron{} }, []string{"schedules[0].start: must be set"}},
		"a schedule without an end":    {func(p *Policy) { eight(p).End = Cron{} }, []string{"schedules[0].end: must be set"}},
		"a schedule that starts as it ends": {
			func(p *Policy) { eight(p).End = cron(t, "0 8 * * mon-fri") },
			[]string{`schedules[0].end: must differ from start, got "0 8 * * mon-fri" twice`},
		},
		"a schedule that starts whenever it ends": {
			func(p *Policy) { eight(p).Start = cron(t, "0 * * * *") },
			[]string{`schedules[0].end: "0 18 * * *" never ends what "0 * * * *" starts in the same minute`},
		},
		"an objective without a time": {func(p *Policy) { p.SLO.Objective = 0.95 }, []string{"slo.ttft: must be positive, got 0s"}},
		"an objective of everything":  {func(p *Policy) { p.SLO = SLO{TTFT: 1, Objective: 1} }, []string{"slo.objective: must be above 0 and below 1, got 1"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			p := soundPolicy()
			tc.change(&p)
			if got := mistakes(p.Validate()); !slices.Equal(got, tc.want) {
				t.Errorf("got  %q\nwant %q", got, tc.want)
			}
		})
	}
}

func TestNearest(t *testing.T) {
	words := []string{"queue", "waiting", "running", "kv_cache_usage", "cpu"}
	tests := map[string]string{
		"quuee": "queue", "runningg": "running", "wating": "waiting", "kv_cache_used": "kv_cache_usage", "cpus": "cpu", "cup": "cpu",
		"": "", "zzz": "", "temperature": "", "queue": "queue",
	}
	for misspelt, want := range tests {
		if got, ok := Nearest(misspelt, words); got != want || ok != (want != "") {
			t.Errorf("%q: got %q (%v), want %q", misspelt, got, ok, want)
		}
	}
}
