package promapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

// queueOf are the queue gauges of a pod.
func queueOf(pod, running, waiting string) []string {
	return []string{
		fmt.Sprintf(`vllm:num_requests_running{namespace="ns",pod=%q,instance="10.0.0.1:8000",job="a",engine="0"} %s`, pod, running),
		fmt.Sprintf(`vllm:num_requests_waiting{namespace="ns",pod=%q,instance="10.0.0.1:8000",job="a",engine="0"} %s`, pod, waiting),
	}
}

// nothingWaits adds, for each gauge of running requests, that none waits.
func nothingWaits(series ...string) []string {
	all := slices.Clone(series)
	for _, s := range series {
		if name, labels, ok := strings.Cut(s, "num_requests_running{"); ok {
			labels, _, _ = strings.Cut(labels, "} ")
			all = append(all, name+"num_requests_waiting{"+labels+"} 0x80")
		}
	}
	return all
}

func TestReplicasAreCountedByThoseHeardAndReady(t *testing.T) {
	series := kubeSeries("chat", 2, chatPod(0), chatPod(1), chatPod(2))
	series = append(series, queueOf(chatPod(0), "3x80", "1x80")...)
	series = append(series, queueOf(chatPod(2), "4x80", "0x80")...) // heard, and not ready
	o, report := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	known(t, "current", o.Current, 3)
	known(t, "ready", o.Ready, 2)
	known(t, "reporting", o.Reporting, 1) // Only pod 0 is both.
	known(t, "running", o.Running, 3+4)   // The requests of a pod that is not ready are real.
	known(t, "waiting", o.Waiting, 1)
	if got := report.Workloads[0]; got.Matched != ByOwner || !slices.Equal(got.Engines, []string{"vllm"}) {
		t.Errorf("report: got %+v, want vllm by owner", got)
	}
	if want := epoch.Add(5 * time.Minute); !o.Running.At.Equal(want) || !o.Current.At.Equal(want) {
		t.Errorf("evidence: got %v and %v, want %v", o.Running.At, o.Current.At, want)
	}
	if !o.Time.Equal(epoch.Add(5 * time.Minute)) {
		t.Errorf("time: got %v", o.Time)
	}
}

func TestTwinsAreMergedBeforeTheyAreAdded(t *testing.T) {
	for name, c := range map[string]struct {
		series     []string
		running    float64
		duplicates int
	}{
		"two jobs scrape a pod": {[]string{
			`vllm:num_requests_running{namespace="ns",pod="P",engine="0",job="x"} 12x80`,
			`vllm:num_requests_running{namespace="ns",pod="P",engine="0",job="y",service="headless",endpoint="http"} 12x80`,
		}, 12, 1},
		"a pair of Prometheus servers": {[]string{
			`vllm:num_requests_running{namespace="ns",pod="P",engine="0",job="x",prometheus_replica="r0"} 12x80`,
			`vllm:num_requests_running{namespace="ns",pod="P",engine="0",job="x",prometheus_replica="r1"} 13x80`,
		}, 13, 0},
		"two engines add up": {[]string{
			`vllm:num_requests_running{namespace="ns",pod="P",engine="0",job="x"} 30x80`,
			`vllm:num_requests_running{namespace="ns",pod="P",engine="1",job="x"} 31x80`,
		}, 61, 0},
		"two servers in one pod add up": {[]string{
			`vllm:num_requests_running{namespace="ns",pod="P",engine="0",job="x",instance="10.0.0.1:8000"} 5x80`,
			`vllm:num_requests_running{namespace="ns",pod="P",engine="0",job="x",instance="10.0.0.1:8001"} 6x80`,
		}, 11, 0},
		"the router's gauge is another thing": {[]string{
			`vllm:num_requests_running{namespace="ns",pod="P",job="x"} 5x80`,
			`vllm:num_requests_running{namespace="ns",pod="P",job="x",server="http://10.0.0.1:8000"} 61x80`,
		}, 5, 0},
		"both spellings of a name are one gauge": {[]string{
			`vllm:num_requests_running{namespace="ns",pod="P",job="x"} 4x80`,
			`vllm_num_requests_running{namespace="ns",pod="P",job="x"} 4x80`,
		}, 4, 0},
		"Ray's spelling is read too": {[]string{`ray_vllm_num_requests_running{namespace="ns",pod="P",job="x"} 6x80`}, 6, 0},
		"the first engine wins": {[]string{
			`sglang:num_running_reqs{namespace="ns",pod="P",job="x"} 9x80`,
			`vllm:num_requests_running{namespace="ns",pod="P",job="x"} 2x80`,
		}, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			series := kubeSeries("chat", 1, chatPod(0))
			for _, s := range c.series {
				series = append(series, strings.ReplaceAll(s, `pod="P"`, `pod="`+chatPod(0)+`"`))
			}
			o, report := newLab(t, series...).observe(t, 20*time.Minute, Options{}, chat())
			known(t, "running", o.Running, c.running)
			if len(report.Duplicates) != c.duplicates {
				t.Errorf("duplicates: got %v, want %d", report.Duplicates, c.duplicates)
			}
		})
	}
}

func TestCacheUsageIsAMeanOfMaxima(t *testing.T) {
	series := kubeSeries("chat", 2, chatPod(0), chatPod(1))
	series = append(series, queueOf(chatPod(0), "1x80", "0x80")...)
	series = append(series, queueOf(chatPod(1), "1x80", "0x80")...)
	series = append(series,
		fmt.Sprintf(`vllm:kv_cache_usage_perc{namespace="ns",pod=%q,engine="0"} 0.4x80`, chatPod(0)),
		fmt.Sprintf(`vllm:kv_cache_usage_perc{namespace="ns",pod=%q,engine="1"} 0.9x80`, chatPod(0)),
		fmt.Sprintf(`vllm:gpu_cache_usage_perc{namespace="ns",pod=%q,engine="0"} 0.5x80`, chatPod(1)))
	l := newLab(t, series...)
	for name, others := range map[string][]Workload{
		"merged by Prometheus": nil,
		// What another workload tells apart comes in rows of its own.
		"merged here": {{Namespace: "ns", Name: "first-engine", Selector: `{engine="0"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			observations, _ := l.reader(t, Options{}, append([]Workload{chat()}, others...)...).Observe(t.Context(), epoch.Add(5*time.Minute))
			o := observations[0]
			known(t, "mean", o.KVCacheUsage, (0.9+0.5)/2)
			known(t, "fullest", o.KVCacheUsageMax, 0.9)
			if o.KVCacheUsage.Replicas != 2 {
				t.Errorf("replicas: got %d, want 2", o.KVCacheUsage.Replicas)
			}
		})
	}
}

func TestUnknownIsNeverZero(t *testing.T) {
	alive := kubeSeries("chat", 1, chatPod(0))
	running := `vllm:num_requests_running{namespace="ns",pod="` + chatPod(0) + `",job="a"} `
	for name, c := range map[string]struct {
		series []string
		at     time.Duration
		want   recommender.Evidence
	}{
		"zero is a value":                    {append(alive, running+"0x80"), 5 * time.Minute, recommender.Known},
		"no series, ever":                    {alive, 5 * time.Minute, recommender.NeverMatched},
		"one missed scrape is bridged":       {append(alive, running+"7x19 stale 7x60"), 5 * time.Minute, recommender.Known},
		"a series that stopped":              {append(alive, running+"7x10"), 5 * time.Minute, recommender.Stale},
		"a target that left was there":       {append(alive, running+"7x10 stale"), 15 * time.Minute, recommender.Absent},
		"not a number":                       {append(alive, running+strings.Repeat("NaN ", 40)), 5 * time.Minute, recommender.Invalid},
		"infinite":                           {append(alive, running+strings.Repeat("Inf ", 40)), 5 * time.Minute, recommender.Invalid},
		"negative":                           {append(alive, running+"-1x80"), 5 * time.Minute, recommender.Invalid},
		"a target that is down is not idle":  {append(alive, `up{namespace="ns",pod="`+chatPod(0)+`"} 0x80`), 5 * time.Minute, recommender.NeverMatched},
		"waiting without running is a queue": {append(alive, `vllm:num_requests_waiting{namespace="ns",pod="`+chatPod(0)+`"} 2x80`), 5 * time.Minute, recommender.Known},
	} {
		t.Run(name, func(t *testing.T) {
			o, report := newLab(t, c.series...).observe(t, c.at, Options{}, chat())
			lacks(t, "running", o.Running, c.want)
			if c.want != recommender.Known && c.want != recommender.Invalid && len(report.Workloads[0].Notes) == 0 {
				t.Error("got no note on why nothing was heard")
			}
		})
	}
}

func TestStaleEvidenceHasItsTime(t *testing.T) {
	series := append(kubeSeries("chat", 1, chatPod(0)), `vllm:num_requests_running{namespace="ns",pod="`+chatPod(0)+`"} 7x10`)
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	if want := epoch.Add(150 * time.Second); o.Running.Evidence != recommender.Stale || !o.Running.At.Equal(want) {
		t.Errorf("got %v at %v, want stale at %v", o.Running.Evidence, o.Running.At, want)
	}
	known(t, "reporting", o.Reporting, 0)
}

func TestOldEvidenceIsToldWithAValue(t *testing.T) {
	// The newest sample is 30 s old: bridged, and its age is known.
	series := append(kubeSeries("chat", 1, chatPod(0)), `vllm:num_requests_running{namespace="ns",pod="`+chatPod(0)+`"} 7x18`)
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	known(t, "running", o.Running, 7)
	if want := epoch.Add(270 * time.Second); !o.Running.At.Equal(want) {
		t.Errorf("evidence: got %v, want %v", o.Running.At, want)
	}
}

func TestGhostsOfDeletedPodsAreDropped(t *testing.T) {
	series := kubeSeries("chat", 1, chatPod(0))
	series = append(series, queueOf(chatPod(0), "4x80", "0x80")...)
	series = append(series, queueOf(chatPod(1), "40x80", "40x80")...) // not in the list
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	known(t, "running", o.Running, 4)
	known(t, "waiting", o.Waiting, 0)
	known(t, "reporting", o.Reporting, 1)
}

func TestSeriesWithoutAPodAreTheirInstance(t *testing.T) {
	w := chat()
	w.Selector = `{job="vllm"}`
	o, report := newLab(t, nothingWaits(
		`vllm:num_requests_running{job="vllm",instance="10.0.0.1:8000"} 3x80`,
		`vllm:num_requests_running{job="vllm",instance="10.0.0.2:8000"} 4x80`,
		`vllm:num_requests_running{job="other",instance="10.0.0.3:8000"} 9x80`,
	)...).observe(t, 5*time.Minute, Options{}, w)
	known(t, "running", o.Running, 7)
	known(t, "reporting", o.Reporting, 2)
	lacks(t, "current", o.Current, recommender.Absent)
	if report.Workloads[0].Matched != BySelector {
		t.Errorf("got matched by %q, want by selector", report.Workloads[0].Matched)
	}
}

func TestASelectorOfTwinsLeavesTheOthersMerged(t *testing.T) {
	pod := chatPod(0)
	series := append(kubeSeries("chat", 1, pod), queueOf(pod, "3x80", "1x80")...)
	for _, s := range queueOf(pod, "3x80", "1x80") {
		series = append(series, strings.Replace(s, `job="a"`, `job="b"`, 1))
	}
	series = append(series,
		`vllm:generation_tokens_total{namespace="ns",pod="`+pod+`",job="a"} 0+150x80`,
		`vllm:generation_tokens_total{namespace="ns",pod="`+pod+`",job="b"} 0+150x80`)
	other := Workload{Namespace: "ns", Name: "other", Selector: `{job="b"}`}
	l := newLab(t, series...)
	observations, _ := l.reader(t, Options{}, chat(), other).Observe(t.Context(), epoch.Add(5*time.Minute))
	for i := range observations {
		known(t, "running", observations[i].Running, 3)
		known(t, "waiting", observations[i].Waiting, 1)
		known(t, "reporting", observations[0].Reporting, 1)
		known(t, "output tokens", observations[i].OutputTokens, 10)
	}
}

func TestMappedLabels(t *testing.T) {
	series := append(kubeSeries("chat", 1, chatPod(0)),
		`vllm:num_requests_running{namespace="monitoring",exported_namespace="ns",pod="proxy-1",exported_pod="`+chatPod(0)+`",model="m"} 14x80`)
	l := newLab(t, series...)
	o, _ := l.observe(t, 5*time.Minute, Options{}, chat())
	lacks(t, "default names", o.Running, recommender.NeverMatched)
	o, _ = l.observe(t, 5*time.Minute, Options{Labels: LabelNames{Namespace: "exported_namespace", Pod: "exported_pod"}}, chat())
	known(t, "mapped names", o.Running, 14)
	w := chat()
	w.Selector = `namespace="ns", model_name="m"`
	o, _ = l.observe(t, 5*time.Minute, Options{Labels: LabelNames{Namespace: "exported_namespace", Pod: "exported_pod", Model: "model"}}, w)
	known(t, "selector in the usual names", o.Running, 14)
}

func TestRenamedLabelsOfKubeStateMetrics(t *testing.T) {
	var series []string
	for _, s := range kubeSeries("chat", 1, chatPod(0)) {
		s = strings.ReplaceAll(s, `namespace="ns"`, `namespace="monitoring",pod="ksm-0",exported_namespace="ns"`)
		series = append(series, strings.ReplaceAll(s, `,pod="chat`, `,exported_pod="chat`))
	}
	series = append(series, queueOf(chatPod(0), "3x80", "1x80")...)
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	known(t, "current", o.Current, 1)
	known(t, "ready", o.Ready, 1)
	known(t, "reporting", o.Reporting, 1)
}

func TestRatesOfCounters(t *testing.T) {
	pod := chatPod(0)
	series := append(kubeSeries("chat", 1, pod), queueOf(pod, "3x12 9x80", "1x80")...)
	series = append(series,
		`vllm:generation_tokens_total{namespace="ns",pod="`+pod+`",job="a"} 0+150x80`,
		`vllm:generation_tokens_total{namespace="ns",pod="`+pod+`",job="b"} 0+150x80`, // a twin
		`vllm:request_success_total{namespace="ns",pod="`+pod+`",finished_reason="stop"} 0+15x80`,
		`vllm:request_success_total{namespace="ns",pod="`+pod+`",finished_reason="length"} 0+30x80`)
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	known(t, "output tokens", o.OutputTokens, 150.0/15)
	known(t, "completions", o.Completions, 45.0/15)
	known(t, "prompt tokens, lazy", o.PromptTokens, 0)
	// In flight 9+1 now and 3+1 two minutes ago: 6 more in 120 s.
	known(t, "arrivals", o.Arrivals, 3+6.0/120)
}

func TestACounterSeenOnceHasNoRate(t *testing.T) {
	pod := chatPod(0)
	series := append(kubeSeries("chat", 1, pod), queueOf(pod, "_x20 3x60", "_x20 1x60")...)
	series = append(series, `vllm:generation_tokens_total{namespace="ns",pod="`+pod+`"} _x20 5000+10x60`)
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	known(t, "running", o.Running, 3)
	lacks(t, "output tokens", o.OutputTokens, recommender.Unobserved)
	known(t, "prompt tokens, lazy", o.PromptTokens, 0)
	lacks(t, "completions", o.Completions, recommender.Known)
}

func TestALlamaHasNoCompletionsAndNoLatency(t *testing.T) {
	pod := chatPod(0)
	series := append(kubeSeries("chat", 1, pod),
		`llamacpp:requests_processing{namespace="ns",pod="`+pod+`"} 4x80`,
		`llamacpp:requests_deferred{namespace="ns",pod="`+pod+`"} 26x80`)
	o, report := newLab(t, series...).observe(t, 5*time.Minute, Options{},
		chat(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.95}))
	known(t, "running", o.Running, 4)
	known(t, "waiting", o.Waiting, 26)
	lacks(t, "completions", o.Completions, recommender.Absent)
	lacks(t, "arrivals", o.Arrivals, recommender.Absent)
	lacks(t, "ttft", o.TTFT[0].Quantity, recommender.Absent)
	lacks(t, "cache", o.KVCacheUsage, recommender.Absent)
	if got := report.Workloads[0].Engines; !slices.Equal(got, []string{"llama.cpp"}) {
		t.Errorf("engines: got %v", got)
	}
}

func TestAFixedEngineIsTheOnlyOne(t *testing.T) {
	pod := chatPod(0)
	w := chat()
	w.Engine = "sglang"
	series := append(kubeSeries("chat", 1, pod), queueOf(pod, "3x80", "1x80")...)
	l := newLab(t, append(series, `sglang:num_running_reqs{namespace="ns",pod="`+pod+`"} 5x80`)...)
	o, _ := l.observe(t, 5*time.Minute, Options{}, w)
	known(t, "running", o.Running, 5)
}

func TestARangeIsItsInstants(t *testing.T) {
	series := kubeSeries("chat", 2, chatPod(0), chatPod(1))
	series = append(series, queueOf(chatPod(0), "3+1x80", "1x30 stale 0x40")...)
	series = append(series, queueOf(chatPod(1), "_x10 4x20 _x10 2x40", "0x80")...)
	series = append(series,
		`vllm:generation_tokens_total{namespace="ns",pod="`+chatPod(0)+`"} 0+150x40 0+150x40`,
		`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod="`+chatPod(0)+`",le="1"} 0+10x80`,
		`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod="`+chatPod(0)+`",le="+Inf"} 0+12x80`)
	w := chat(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.5})
	w.Policy.SLO = recommender.SLO{TTFT: time.Second, Objective: 0.9}
	l := newLab(t, series...)
	o := Options{QueryOffset: 5 * time.Second}
	start, end, step := epoch.Add(4*time.Minute), epoch.Add(20*time.Minute), 30*time.Second // two chunks
	ticks, err := l.reader(t, o, w).ObserveRange(t.Context(), start, end, step)
	if err != nil {
		t.Fatal(err)
	}
	if want := int(end.Sub(start)/step) + 1; len(ticks) != want {
		t.Fatalf("got %d ticks, want %d", len(ticks), want)
	}
	instants := l.reader(t, o, w)
	for i, tick := range ticks {
		at := start.Add(time.Duration(i) * step)
		want, _ := instants.Observe(t.Context(), at)
		if got := fmt.Sprintf("%+v", tick.Observations); !tick.Time.Equal(at) || got != fmt.Sprintf("%+v", want) {
			t.Fatalf("at %v: got %s, want %+v", at, got, want)
		}
	}
}
