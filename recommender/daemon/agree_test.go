package daemon

import (
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
)

// exportedAs names the metric of each quantity that is exported as it is shown.
var exportedAs = map[string]string{
	"current": "infscale_current_replicas", "ready": "infscale_ready_replicas", "reporting": "infscale_reporting_replicas",
	"running": "infscale_requests_running", "waiting": "infscale_requests_waiting", "held": "infscale_requests_held",
	"kv_cache_usage": "infscale_kv_cache_usage_ratio", "batch_fill": "infscale_batch_fill_ratio",
	"output_tokens": "infscale_output_tokens_per_second", "prompt_tokens": "infscale_prompt_tokens_per_second",
	"arrivals": "infscale_request_arrivals_per_second", "slo_miss": "infscale_slo_miss_ratio",
}

func TestPagesJSONAndMetricsAgree(t *testing.T) {
	is := func(v float64) recommender.Quantity { return recommender.Exactly(v, epoch, 0) }
	stale := recommender.Missing(recommender.Stale)
	for name, o := range map[string]recommender.Observation{
		"nothing read":            {},
		"no replicas":             {Current: is(0), Ready: is(0), Held: is(2)},
		"replicas that load":      {Current: is(2), Ready: is(0), Held: is(0)},
		"replicas not heard":      {Current: is(2), Ready: is(2)},
		"no replicas, stale":      {Current: is(0), Ready: is(0), Running: stale, Waiting: stale},
		"impossible numbers":      {Current: is(2), Ready: is(2), Running: recommender.Quantity{Value: -1, Evidence: recommender.Known}},
		"everything, and no work": {Current: is(2), Ready: is(2), Reporting: is(2), Running: is(0), Waiting: is(0), Held: is(0), KVCacheUsage: is(0), OutputTokens: is(0), PromptTokens: is(0), Arrivals: is(0), SLOMiss: is(0)},
	} {
		p := asksPolicy()
		p.Min, p.Held, p.MaxNumSeqs, p.SLO = 0, true, 64, recommender.SLO{TTFT: 2e9, Objective: 0.9}
		b := newBench(t, worldOf(newScripted(), "chat"))
		w := export.Undecided("inference", "chat", "Deployment", p)
		o.Time = epoch
		w.Observation = o
		w.Decision, _ = recommender.Decide(*p, recommender.State{}, o)
		b.loop.collector.Publish(&export.Snapshot{Workloads: []export.Workload{w}})
		exported := valuesOf(t, b)
		for _, q := range newView(&w).Observed {
			metric, ok := exportedAs[q.Quantity]
			if !ok {
				continue
			}
			value, has := exported[metric]
			if (q.Value != nil) != has || (has && *q.Value != value) {
				t.Errorf("%s: %s is shown as %s, and exported: %t, %v", name, q.Quantity, amount(&q), has, value)
			}
		}
	}
}

// valuesOf returns the exported values of the families without further labels.
func valuesOf(t *testing.T, b *bench) map[string]float64 {
	t.Helper()
	gathered, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range gathered {
		if list := family.GetMetric(); len(list) == 1 {
			values[family.GetName()] = list[0].GetGauge().GetValue()
		}
	}
	return values
}

func TestWithoutReplicasThereAreZeroRequestsAndThePageSaysWhy(t *testing.T) {
	b := newBench(t, worldOf(newScripted(), "chat"))
	w := export.Undecided("inference", "chat", "Deployment", asksPolicy())
	w.Observation.Current = recommender.Exactly(0, epoch, 0)
	b.loop.collector.Publish(&export.Snapshot{Workloads: []export.Workload{w}})
	page := b.ask(t, "GET", "/workloads/inference/chat").Body.String()
	if want := `<tr><td>Requests running</td><td class="num">0 <span class="dim">(no replicas)</span></td>`; !strings.Contains(page, want) {
		t.Errorf("got\n%s\nwant %s", page, want)
	}
	if got := b.ask(t, "GET", "/api/v1/workloads/inference/chat").Body.String(); !strings.Contains(got, `"note": "no replicas"`) {
		t.Errorf("got\n%s\nwant a note", got)
	}
}
