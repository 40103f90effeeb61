package export

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/infscale/infscale/recommender"
)

var slot = time.Unix(1_700_000_010, 0)

// policy asks for a replica for each 8 requests in queue or each 80 % of KV cache.
func policy() *recommender.Policy {
	p := recommender.DefaultPolicy()
	p.Min, p.Max, p.MaxNumSeqs, p.ColdStart, p.Held = 1, 5, 64, 90*time.Second, true
	p.SLO = recommender.SLO{TTFT: 1500 * time.Millisecond, Objective: 0.95}
	p.Signals = []recommender.Signal{
		{Metric: recommender.Queue, Target: 8},
		{Metric: recommender.KVCacheUsage, Target: 0.8},
		{Metric: recommender.TTFT, Target: 2, Percentile: 0.95, Optional: true},
	}
	return &p
}

// busy is an observation in which everything is known.
func busy() recommender.Observation {
	seen := slot.Add(-7500 * time.Millisecond)
	is := func(v float64) recommender.Quantity { return recommender.Exactly(v, seen, 2) }
	return recommender.Observation{
		Time: slot, Current: is(2), Ready: is(2), Reporting: is(2),
		Running: is(32), Waiting: is(10), Held: is(1), KVCacheUsage: is(0.5), KVCacheUsageMax: is(0.75),
		TTFT:    []recommender.Percentile{{P: 0.5, Quantity: is(0.25)}, {P: 0.95, Quantity: is(1.5)}},
		SLOMiss: is(0.02), SLOBound: is(2), OutputTokens: is(1200.5), PromptTokens: is(9000),
		Arrivals: is(3.5), Completions: is(3), CPU: is(40),
		ColdStart: []recommender.Percentile{{P: 0.5, Quantity: is(80)}, {P: 0.95, Quantity: is(120)}},
	}
}

// decided is a workload after a decision on o.
func decided(name string, p *recommender.Policy, o recommender.Observation) Workload {
	w := Undecided("inference", name, "Deployment", p)
	w.Observation = o
	w.Decision, _ = recommender.Decide(*p, recommender.State{}, o)
	return w
}

// risky is a decided workload with an objective.
func risky(name string) Workload {
	w := decided(name, policy(), busy())
	w.Risk = &Risk{Current: 0.75, Desired: 0.125, DesiredMinusOne: 0.25, DesiredPlusOne: 0, Horizon: 106 * time.Second}
	return w
}

// registryOf returns a strict registry that exports workloads.
func registryOf(t testing.TB, workloads ...Workload) *prometheus.Registry {
	t.Helper()
	c := NewCollector()
	c.Publish(&Snapshot{Slot: slot, Workloads: workloads})
	reg := prometheus.NewPedanticRegistry()
	if err := reg.Register(c); err != nil {
		t.Fatal(err)
	}
	return reg
}

// families lists the names of all metrics here.
func families() []string {
	var names []string
	for _, m := range metrics {
		names = append(names, m.name)
	}
	return names
}

// compare checks samples, given without HELP and TYPE, against those exported: all
// of those families, and no others.
func compare(t *testing.T, reg *prometheus.Registry, samples string) {
	t.Helper()
	gathered, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	for _, family := range gathered {
		fmt.Fprintf(&want, "# HELP %s %s\n# TYPE %[1]s gauge\n", family.GetName(), family.GetHelp())
		for line := range strings.Lines(samples) {
			if strings.HasPrefix(line, family.GetName()+"{") {
				want.WriteString(line)
			}
		}
	}
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want.String()), families()...); err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(samples) {
		if name, _, ok := strings.Cut(line, "{"); ok && !strings.Contains(want.String(), "# TYPE "+name+" ") {
			t.Errorf("no family %s is exported, want %s", name, line)
		}
	}
}

// reasonsOf writes the samples of every reason.
func reasonsOf(name string, holds recommender.Reason) string {
	var b strings.Builder
	for _, r := range recommender.Reasons {
		v := 0
		if r == holds {
			v = 1
		}
		fmt.Fprintf(&b, "infscale_decision_reason{reason=%q,workload=%q,workload_namespace=\"inference\"} %d\n", r, name, v)
	}
	return b.String()
}

func TestBeforeTheFirstDecisionNothingIsRecommended(t *testing.T) {
	p := policy()
	p.ColdStart, p.SLO = 0, recommender.SLO{}
	compare(t, registryOf(t, Undecided("inference", "chat", "Deployment", p)), `
infscale_decision_valid{workload="chat",workload_namespace="inference"} 0
infscale_min_replicas{workload="chat",workload_namespace="inference"} 1
infscale_max_replicas{workload="chat",workload_namespace="inference"} 5
`+reasonsOf("chat", recommender.ReasonNoData))
}

func TestEverythingKnownIsExported(t *testing.T) {
	compare(t, registryOf(t, decided("chat", policy(), busy())), `
infscale_desired_replicas{workload="chat",workload_namespace="inference"} 5
infscale_unbounded_replicas{workload="chat",workload_namespace="inference"} 6
infscale_raw_replicas{signal="queue",workload="chat",workload_namespace="inference"} 6
infscale_raw_replicas{signal="kv_cache_usage",workload="chat",workload_namespace="inference"} 2
infscale_raw_replicas{signal="ttft",workload="chat",workload_namespace="inference"} 2
infscale_current_replicas{workload="chat",workload_namespace="inference"} 2
infscale_ready_replicas{workload="chat",workload_namespace="inference"} 2
infscale_reporting_replicas{workload="chat",workload_namespace="inference"} 2
infscale_min_replicas{workload="chat",workload_namespace="inference"} 1
infscale_max_replicas{workload="chat",workload_namespace="inference"} 5
infscale_decision_valid{workload="chat",workload_namespace="inference"} 1
infscale_decision_timestamp_seconds{workload="chat",workload_namespace="inference"} 1.70000001e+09
infscale_evidence_timestamp_seconds{workload="chat",workload_namespace="inference"} 1.7000000025e+09
infscale_requests_running{workload="chat",workload_namespace="inference"} 32
infscale_requests_waiting{workload="chat",workload_namespace="inference"} 10
infscale_requests_held{workload="chat",workload_namespace="inference"} 1
infscale_kv_cache_usage_ratio{workload="chat",workload_namespace="inference"} 0.5
infscale_batch_fill_ratio{workload="chat",workload_namespace="inference"} 0.25
infscale_ttft_seconds{percentile="0.5",workload="chat",workload_namespace="inference"} 0.25
infscale_ttft_seconds{percentile="0.95",workload="chat",workload_namespace="inference"} 1.5
infscale_output_tokens_per_second{workload="chat",workload_namespace="inference"} 1200.5
infscale_prompt_tokens_per_second{workload="chat",workload_namespace="inference"} 9000
infscale_request_arrivals_per_second{workload="chat",workload_namespace="inference"} 3.5
infscale_slo_miss_ratio{workload="chat",workload_namespace="inference"} 0.02
infscale_cold_start_seconds{percentile="0.5",workload="chat",workload_namespace="inference"} 80
infscale_cold_start_seconds{percentile="0.95",workload="chat",workload_namespace="inference"} 120
infscale_cold_start_configured_seconds{workload="chat",workload_namespace="inference"} 90
infscale_slo_objective_ratio{workload="chat",workload_namespace="inference"} 0.95
infscale_slo_ttft_seconds{workload="chat",workload_namespace="inference"} 1.5
`+reasonsOf("chat", recommender.ReasonMaxReplicas))
}

func TestUnknownHasNoSeries(t *testing.T) {
	is := func(v float64) recommender.Quantity {
		return recommender.Quantity{Value: v, Evidence: recommender.Known}
	}
	for name, q := range map[string]recommender.Quantity{
		"absent": {}, "stale": recommender.Missing(recommender.Stale), "failed": recommender.Missing(recommender.Failed),
		"never matched": recommender.Missing(recommender.NeverMatched),
		"NaN":           is(math.NaN()), "infinite": is(math.Inf(1)), "negative": is(-1),
	} {
		t.Run(name, func(t *testing.T) {
			o := recommender.Observation{
				Time: slot, Current: recommender.Exactly(2, slot, 0), Ready: q, Reporting: q, Running: q, Waiting: q, Held: q,
				KVCacheUsage: q, TTFT: []recommender.Percentile{{P: 0.95, Quantity: q}}, SLOMiss: q, OutputTokens: q,
				PromptTokens: q, Arrivals: q, ColdStart: []recommender.Percentile{{P: 0.95, Quantity: q}},
			}
			w := decided("chat", policy(), o)
			w.Policy.ColdStart, w.Policy.SLO = 0, recommender.SLO{}
			held := "" // without any evidence ever there is nothing to hold
			if w.Decision.Known {
				held = `
infscale_desired_replicas{workload="chat",workload_namespace="inference"} 2
infscale_unbounded_replicas{workload="chat",workload_namespace="inference"} 2`
			}
			compare(t, registryOf(t, w), held+`
infscale_current_replicas{workload="chat",workload_namespace="inference"} 2
infscale_min_replicas{workload="chat",workload_namespace="inference"} 1
infscale_max_replicas{workload="chat",workload_namespace="inference"} 5
infscale_decision_timestamp_seconds{workload="chat",workload_namespace="inference"} 1.70000001e+09
infscale_decision_valid{workload="chat",workload_namespace="inference"} 0
`+reasonsOf("chat", w.Decision.Reason))
		})
	}
}

func TestWithoutReplicasAdditiveSignalsAreZero(t *testing.T) {
	p := policy()
	p.Min = 0
	o := recommender.Observation{Time: slot, Current: recommender.Exactly(0, slot, 0), Held: recommender.Exactly(0, slot, 0)}
	reg := registryOf(t, decided("chat", p, o))
	if err := testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP infscale_requests_running Requests in the batches of the engines, as decided on. 0 without replicas, absent while unknown.
# TYPE infscale_requests_running gauge
infscale_requests_running{workload="chat",workload_namespace="inference"} 0
# HELP infscale_requests_waiting Requests queued in the engines, as decided on. 0 without replicas, absent while unknown.
# TYPE infscale_requests_waiting gauge
infscale_requests_waiting{workload="chat",workload_namespace="inference"} 0
`), "infscale_requests_running", "infscale_requests_waiting", "infscale_kv_cache_usage_ratio"); err != nil {
		t.Error(err)
	}
}

func TestColdStartIsMeasuredElseConfigured(t *testing.T) {
	silent := recommender.Missing(recommender.Absent)
	measured := recommender.Exactly(80, slot, 0)
	tests := map[string]struct {
		measured []recommender.Percentile
		want     map[string]float64
	}{
		"nothing was measured":         {nil, map[string]float64{"0.5": 90, "0.95": 90}},
		"what was measured is unknown": {[]recommender.Percentile{{P: 0.5, Quantity: silent}}, map[string]float64{"0.5": 90, "0.95": 90}},
		"measured in part":             {[]recommender.Percentile{{P: 0.5, Quantity: measured}, {P: 0.95, Quantity: silent}}, map[string]float64{"0.5": 80}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := busy()
			o.ColdStart = test.measured
			var samples strings.Builder
			for percentile, v := range test.want {
				fmt.Fprintf(&samples, "infscale_cold_start_seconds{percentile=%q,workload=\"chat\",workload_namespace=\"inference\"} %v\n", percentile, v)
			}
			want := "# HELP infscale_cold_start_seconds " + help("infscale_cold_start_seconds") + "\n# TYPE infscale_cold_start_seconds gauge\n" + samples.String()
			if err := testutil.GatherAndCompare(registryOf(t, decided("chat", policy(), o)), strings.NewReader(want), "infscale_cold_start_seconds"); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRepeatedSignalsAndPercentilesAreOneSeries(t *testing.T) {
	p, o := policy(), busy()
	p.Signals = append(p.Signals, recommender.Signal{Metric: recommender.TTFT, Target: 0.1, Percentile: 0.5})
	o.TTFT = append(o.TTFT, o.TTFT...)
	reg := registryOf(t, decided("chat", p, o))
	if err := testutil.GatherAndCompare(reg, strings.NewReader(`
# HELP infscale_raw_replicas Replicas that one signal asks for, before windows, limits and bounds. Absent while the signal is unknown.
# TYPE infscale_raw_replicas gauge
infscale_raw_replicas{signal="kv_cache_usage",workload="chat",workload_namespace="inference"} 2
infscale_raw_replicas{signal="queue",workload="chat",workload_namespace="inference"} 6
infscale_raw_replicas{signal="ttft",workload="chat",workload_namespace="inference"} 5
`), "infscale_raw_replicas"); err != nil {
		t.Error(err)
	}
	if n, err := testutil.GatherAndCount(reg, "infscale_ttft_seconds"); n != 2 || err != nil {
		t.Errorf("got %d series of infscale_ttft_seconds and %v, want 2", n, err)
	}
}

func TestExactlyOneReasonHolds(t *testing.T) {
	for _, reason := range recommender.Reasons {
		w := Undecided("inference", "chat", "Deployment", policy())
		w.Decision.Reason = reason
		var sum, series int
		reasons(&w, func(v float64, label ...string) {
			sum, series = sum+int(v), series+1
			if (v == 1) != (label[0] == string(reason)) {
				t.Errorf("reason %s: got %v for %s", reason, v, label[0])
			}
		})
		if sum != 1 || series != len(recommender.Reasons) {
			t.Errorf("reason %s: got %d series with sum %d, want %d with 1", reason, series, sum, len(recommender.Reasons))
		}
	}
}

func TestRiskIsExportedWhereItIsKnown(t *testing.T) {
	nan := math.NaN()
	partly, unknown := risky("partly"), risky("unknown")
	partly.Risk = &Risk{Current: 0.5, Desired: 0, DesiredMinusOne: nan, DesiredPlusOne: nan}
	unknown.Risk = &Risk{Current: nan, Desired: nan, DesiredMinusOne: nan, DesiredPlusOne: nan, Missing: "no_arrivals"}
	reg := registryOf(t, risky("chat"), partly, unknown, decided("none", policy(), busy()))
	want := `
# HELP infscale_slo_risk_ratio ` + help("infscale_slo_risk_ratio") + `
# TYPE infscale_slo_risk_ratio gauge
infscale_slo_risk_ratio{replicas="current",workload="chat",workload_namespace="inference"} 0.75
infscale_slo_risk_ratio{replicas="desired",workload="chat",workload_namespace="inference"} 0.125
infscale_slo_risk_ratio{replicas="desired_minus_one",workload="chat",workload_namespace="inference"} 0.25
infscale_slo_risk_ratio{replicas="desired_plus_one",workload="chat",workload_namespace="inference"} 0
infscale_slo_risk_ratio{replicas="current",workload="partly",workload_namespace="inference"} 0.5
infscale_slo_risk_ratio{replicas="desired",workload="partly",workload_namespace="inference"} 0
`
	if err := testutil.GatherAndCompare(reg, strings.NewReader(want), "infscale_slo_risk_ratio"); err != nil {
		t.Error(err)
	}
}

// help returns the help of a family.
func help(name string) string {
	for _, m := range metrics {
		if m.name == name {
			return m.help
		}
	}
	return ""
}

func TestConventions(t *testing.T) {
	reg := registryOf(t, risky("chat"), Undecided("inference", "code", "StatefulSet", policy()))
	problems, err := testutil.GatherAndLint(reg)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	gathered, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	if len(gathered) != len(metrics) {
		t.Errorf("got %d families, want %d", len(gathered), len(metrics))
	}
	for _, family := range gathered {
		for _, m := range family.GetMetric() {
			if m.TimestampMs != nil {
				t.Errorf("%s has a timestamp, which would keep a withdrawn series alive", family.GetName())
			}
		}
	}
}

func TestUnexportableLabelFailsTheScrapeAndNotTheProcess(t *testing.T) {
	reg := registryOf(t, Undecided("inference", "\xff", "Deployment", policy()))
	if _, err := reg.Gather(); err == nil {
		t.Error("a label that is not UTF-8 was exported")
	}
}

func TestRemovedWorkloadLeavesNoSeries(t *testing.T) {
	c := NewCollector()
	c.Publish(&Snapshot{Workloads: []Workload{decided("chat", policy(), busy())}})
	if n := testutil.CollectAndCount(c); n < 20 {
		t.Fatalf("got %d series, want those of a workload", n)
	}
	c.Publish(&Snapshot{})
	if n := testutil.CollectAndCount(c); n != 0 {
		t.Errorf("got %d series of a workload that is gone, want 0", n)
	}
}

func BenchmarkScrapeOf1000Workloads(b *testing.B) {
	workloads := make([]Workload, 1000)
	for i := range workloads {
		workloads[i] = decided(fmt.Sprintf("model-%d", i), policy(), busy())
	}
	c, reg := NewCollector(), prometheus.NewRegistry()
	c.Publish(&Snapshot{Workloads: workloads})
	if err := reg.Register(c); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := reg.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}
