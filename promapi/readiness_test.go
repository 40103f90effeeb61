package promapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

// unsaid leaves out the readiness of a pod, as kube-state-metrics does for one that has
// no node yet, or was evicted.
func unsaid(series []string, pod string) []string {
	return slices.DeleteFunc(slices.Clone(series), func(s string) bool {
		return strings.HasPrefix(s, "kube_pod_status_ready") && strings.Contains(s, pod)
	})
}

func TestAPodThatDoesNotSayIsNotReady(t *testing.T) {
	two := append(queueOf(chatPod(0), "1x80", "0x80"), queueOf(chatPod(1), "1x80", "0x80")...)
	other := owned("other-0", "StatefulSet", "other", 1)
	for name, c := range map[string]struct {
		series           []string
		ready, reporting float64
	}{
		"one of three waits for a node":              {append(unsaid(kubeSeries("chat", 2, chatPod(0), chatPod(1), chatPod(2)), chatPod(2)), two...), 2, 2},
		"one was evicted, and another is not listed": {append(unsaid(kubeSeries("chat", 3, chatPod(0), chatPod(1), chatPod(2)), chatPod(2)), two...), 3, 2},
		"the only one waits for a node":              {append(unsaid(kubeSeries("chat", 0, chatPod(0)), chatPod(0)), other...), 0, 0},
		"it waits alone in its namespace":            {unsaid(kubeSeries("chat", 0, chatPod(0)), chatPod(0)), 0, 0},
		"and the status is not exported":             {append(unsaid(kubeSeries("chat", 0, chatPod(0)), chatPod(0))[2:], other...), 0, 0},
		"no pod says, and the status does": {
			append(append(unsaid(unsaid(kubeSeries("chat", 2, chatPod(0), chatPod(1)), chatPod(0)), chatPod(1)), two...), other...), 2, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			o, _ := newLab(t, c.series...).observe(t, 5*time.Minute, Options{}, chat())
			known(t, "ready", o.Ready, c.ready)
			known(t, "reporting", o.Reporting, c.reporting)
		})
	}
}

func TestAPodWithoutANodeDoesNotHideWhatIsHeld(t *testing.T) {
	w := chat()
	w.Held = []HeldSource{{Preset: HeldKEDA}}
	series := append(unsaid(kubeSeries("chat", 0, chatPod(0)), chatPod(0)), owned("other-0", "StatefulSet", "other", 1)...)
	series = append(series, `interceptor_request_concurrency{route_name="chat",route_namespace="ns"} 9x80`)
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, w)
	known(t, "held", o.Held, 9)
}

// ratios is a workload with every ratio.
func ratios() (Workload, []string) {
	w := chat(
		recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.5},
		recommender.Signal{Metric: recommender.Query, Name: "busy", Type: recommender.Ratio, Target: 0.5})
	w.Queries = []NamedQuery{{Name: "busy", Text: "max(busy)"}}
	pod := chatPod(0)
	return w, []string{
		`busy 1x80`,
		`vllm:generation_tokens_total{namespace="ns",pod="` + pod + `"} 0+15x80`,
		`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod="` + pod + `",le="1"} 0+10x80`,
		`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod="` + pod + `",le="+Inf"} 0+10x80`,
	}
}

func TestRatiosStandForReplicasThatAreReadyAndHeard(t *testing.T) {
	status := []string{
		`kube_deployment_spec_replicas{namespace="ns",deployment="chat"} 2x80`,
		`kube_deployment_status_replicas_ready{namespace="ns",deployment="chat"} 2x80`,
	}
	for name, c := range map[string]struct {
		base    []string
		others  string // the gauges of pods 2 and 3
		running float64
	}{
		"two of four are not ready":                {kubeSeries("chat", 2, chatPod(0), chatPod(1), chatPod(2), chatPod(3)), "1x80", 18},
		"two of four are gone, and nobody says so": {status, "1x18", 18},
		"two of four are gone":                     {kubeSeries("chat", 2, chatPod(0), chatPod(1)), "1x18", 16},
	} {
		t.Run(name, func(t *testing.T) {
			w, series := ratios()
			series = append(series, c.base...)
			for i, running := range []string{"8x80", "8x80", c.others, c.others} {
				series = append(series, queueOf(chatPod(i), running, strings.Replace(running, "1x", "0x", 1))...)
				series = append(series, fmt.Sprintf(`vllm:kv_cache_usage_perc{namespace="ns",pod=%q} 0.5x80`, chatPod(i)))
			}
			o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, w)
			known(t, "running", o.Running, c.running)
			known(t, "reporting", o.Reporting, 2)
			known(t, "batch fill", o.BatchFill(8), c.running/16)
			for what, q := range map[string]recommender.Quantity{
				"running": o.Running, "query": o.Queries[0].Quantity, "ttft": o.TTFT[0].Quantity,
				"cache": o.KVCacheUsage, "tokens": o.OutputTokens,
			} {
				if !q.Complete() || q.Replicas != 2 {
					t.Errorf("%s: got %s, want it of 2 replicas", what, show(q))
				}
			}
		})
	}
}

func TestRatiosOfAPartialListAreLowerBounds(t *testing.T) {
	w, series := ratios()
	series = append(append(series, kubeSeries("chat", 1, chatPod(0))...), queueOf(chatPod(0), "8x80", "0x80")...)
	l := newLab(t, series...)
	r := l.reader(t, Options{}, w)
	r.querier = faulty{Querier: l.client, hit: r.family(FamilyPods), warn: "a store is missing"}
	o, _ := r.Observe(t.Context(), epoch.Add(5*time.Minute))
	atLeastIs(t, "query", o[0].Queries[0].Quantity, 1)
	atLeastIs(t, "batch fill", o[0].BatchFill(8), 1)
	atLeastIs(t, "ttft", o[0].TTFT[0].Quantity, 0.5)
}

func TestReadyFromAPartialStatusIsALowerBound(t *testing.T) {
	l := newLab(t,
		`kube_deployment_spec_replicas{namespace="ns",deployment="chat"} 2x80`,
		`kube_deployment_status_replicas_ready{namespace="ns",deployment="chat"} 2x80`)
	r := l.reader(t, Options{}, chat())
	r.querier = faulty{Querier: l.client, hit: r.family(FamilyReplicas), warn: "a store is missing"}
	o, _ := r.Observe(t.Context(), epoch.Add(5*time.Minute))
	atLeastIs(t, "ready", o[0].Ready, 2)
	atLeastIs(t, "reporting", o[0].Reporting, 0)
}

// renamed are series as a scrape that does not honour labels stores them.
func renamed(series []string) []string {
	var list []string
	for _, s := range series {
		s = strings.Replace(s, `namespace="ns"`, `namespace="monitoring",exported_namespace="ns",job="second"`, 1)
		s = strings.Replace(s, `,container=`, `,container="ksm",exported_container=`, 1)
		list = append(list, strings.Replace(s, `,pod=`, `,pod="ksm-0",exported_pod=`, 1))
	}
	return list
}

func TestKubeStateMetricsThatIsScrapedTwice(t *testing.T) {
	ksm := kubeSeries("chat", 2, chatPod(0), chatPod(1), chatPod(2))
	ksm = append(ksm,
		fmt.Sprintf(`kube_pod_created{namespace="ns",pod=%q} %dx80`, chatPod(0), epoch.Unix()),
		fmt.Sprintf(`kube_pod_status_ready_time{namespace="ns",pod=%q} %dx80`, chatPod(0), epoch.Unix()+60))
	var series []string
	for i := range 2 {
		pod := chatPod(i)
		ksm = append(ksm, fmt.Sprintf(`kube_pod_container_resource_requests{namespace="ns",pod=%q,container="vllm",resource="cpu"} 8x80`, pod))
		series = append(series, fmt.Sprintf(`container_cpu_usage_seconds_total{namespace="ns",pod=%q,container="vllm"} 0+60x80`, pod))
		series = append(series, queueOf(pod, "3x80", "1x80")...)
	}
	for name, twin := range map[string][]string{
		"by a second job that renames labels": renamed(ksm),
		"the second lacks readiness":          renamed(unsaid(ksm, "chat")),
		"once, and renamed":                   nil,
	} {
		t.Run(name, func(t *testing.T) {
			all := slices.Concat(series, ksm, twin)
			if twin == nil {
				all = append(renamed(ksm), series...)
			}
			o, _ := newLab(t, all...).observe(t, 10*time.Minute, Options{}, chat(recommender.Signal{Metric: recommender.CPU, Target: 50}))
			known(t, "current", o.Current, 3)
			known(t, "ready", o.Ready, 2)
			known(t, "reporting", o.Reporting, 2)
			known(t, "running", o.Running, 6)
			known(t, "cpu", o.CPU, 100*4.0/8)
			known(t, "cold start", o.ColdStart[0].Quantity, 60)
			if o.CPU.Replicas != 2 || o.ColdStart[0].Replicas != 1 {
				t.Errorf("got cpu of %d replicas and cold starts of %d, want 2 and 1", o.CPU.Replicas, o.ColdStart[0].Replicas)
			}
		})
	}
}
