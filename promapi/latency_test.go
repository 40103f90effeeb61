package promapi

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

// histogramOf are the buckets of a pod, each growing by so much per scrape.
func histogramOf(pod string, buckets ...any) []string {
	var series []string
	for i := 0; i < len(buckets); i += 2 {
		series = append(series, fmt.Sprintf(`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod=%q,le="%v"} 0+%vx80`, pod, buckets[i], buckets[i+1]))
	}
	return series
}

func TestTimeToFirstToken(t *testing.T) {
	median := recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.5}
	p95 := recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.95}
	for name, c := range map[string]struct {
		buckets    []string
		median     float64
		p95        float64
		p95AtLeast bool
		bound      float64
		miss       float64
		unobserved bool
	}{
		// 10 of 20 up to 1 s, 19 up to 2 s: the median ends the first bucket, the 95th
		// percentile the second, and 1 of 20 is over 2 s.
		"interpolated": {histogramOf(chatPod(0), 1, 10, 2, 19, 4, 20, "+Inf", 20), 1, 2, false, 2, 0.05, false},
		// Two replicas: 10+10 up to 1 s and 10+30 in all: the median is at 20.
		"over replicas":                      {append(histogramOf(chatPod(0), 1, 10, 2, 10, "+Inf", 10), histogramOf(chatPod(1), 1, 10, 2, 30, "+Inf", 30)...), 1, 1.9, false, 2, 0, false},
		"bounds as Prometheus 3 writes them": {histogramOf(chatPod(0), "1.0", 10, "2.0", 19, "4.0", 20, "+Inf", 20), 1, 2, false, 2, 0.05, false},
		// The objective of 2 s is between 1 s and 4 s: what is over 1 s counts as late.
		"snapped down":      {histogramOf(chatPod(0), 1, 10, 4, 20, "+Inf", 20), 1, 1 + 3*0.9, false, 1, 0.5, false},
		"all above the top": {histogramOf(chatPod(0), 1, 0, 2, 0, "+Inf", 20), 2, 2, true, 2, 1, false},
		"no requests":       {histogramOf(chatPod(0), 1, 0, 2, 0, "+Inf", 0), 0, 0, false, 0, 0, true},
		"no histogram yet":  {nil, 0, 0, false, 0, 0, true},
	} {
		for _, w := range []Workload{chat(median, p95), chat()} { // all buckets, and two
			w.Policy.SLO = recommender.SLO{TTFT: 2 * time.Second, Objective: 0.95}
			t.Run(fmt.Sprintf("%s, %d percentiles", name, len(w.Policy.Signals)), func(t *testing.T) {
				series := kubeSeries("chat", 2, chatPod(0), chatPod(1))
				series = append(series, queueOf(chatPod(0), "3x80", "1x80")...)
				series = append(series, queueOf(chatPod(1), "3x80", "1x80")...)
				o, _ := newLab(t, append(series, c.buckets...)...).observe(t, 10*time.Minute, Options{}, w)
				if c.unobserved {
					lacks(t, "miss", o.SLOMiss, recommender.Unobserved)
					for _, p := range o.TTFT {
						lacks(t, "ttft", p.Quantity, recommender.Unobserved)
					}
					return
				}
				known(t, "miss", o.SLOMiss, c.miss)
				known(t, "bound", o.SLOBound, c.bound)
				if len(o.TTFT) == 0 {
					return
				}
				if c.p95AtLeast {
					atLeastIs(t, "median", o.TTFT[0].Quantity, c.median)
					atLeastIs(t, "p95", o.TTFT[1].Quantity, c.p95)
					return
				}
				known(t, "median", o.TTFT[0].Quantity, c.median)
				known(t, "p95", o.TTFT[1].Quantity, c.p95)
			})
		}
	}
}

func TestTwoWorkloadsDoNotShareTheirLatency(t *testing.T) {
	signal := recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.5}
	other := Workload{Namespace: "ns", Name: "other", Policy: &recommender.Policy{Signals: []recommender.Signal{signal}}}
	pod := "other-6f5d9c7b9d-pod00"
	series := append(kubeSeries("chat", 1, chatPod(0)), kubeSeries("other", 1, pod)...)
	series = append(series, queueOf(chatPod(0), "3x80", "1x80")...)
	series = append(series, queueOf(pod, "3x80", "1x80")...)
	series = append(series, histogramOf(chatPod(0), 1, 20, 8, 20, "+Inf", 20)...)
	series = append(series, histogramOf(pod, 1, 0, 8, 20, "+Inf", 20)...)
	l := newLab(t, series...)
	o, _ := l.reader(t, Options{}, chat(signal), other).Observe(t.Context(), epoch.Add(10*time.Minute))
	known(t, "chat", o[0].TTFT[0].Quantity, 0.5)
	known(t, "other", o[1].TTFT[0].Quantity, 4.5)
}

func TestNativeHistograms(t *testing.T) {
	w := chat(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.5})
	w.Policy.SLO = recommender.SLO{TTFT: 2 * time.Second, Objective: 0.95}
	series := append(kubeSeries("chat", 1, chatPod(0)), queueOf(chatPod(0), "3x80", "1x80")...)
	series = append(series, owned("chat-54c8b9fd66-pod00", "ReplicaSet", "chat-54c8b9fd66", 0)...)
	l := newLab(t, series...)
	r := l.reader(t, Options{}, w)
	// Two groups, as during a rollout: 3 requests per second and 1.
	row := func(v float64, signal string, pairs ...string) Series {
		ls := MakeLabels(append([]string{"signal", "vllm.ttft." + signal, "namespace", "ns"}, pairs...)...)
		return Series{Labels: ls, Points: []Point{{V: v}}}
	}
	const group, old = "chat-6f5d9c7b9d", "chat-54c8b9fd66"
	r.querier = extra{l.client, r.family(FamilyTTFT), []Series{
		row(3, "count", "pod_group", group), row(1, "quantile", "pod_group", group, "percentile", "0.5"), row(0.95, "below", "pod_group", group, "le", "2"),
		row(1, "count", "pod_group", old), row(1.5, "quantile", "pod_group", old, "percentile", "0.5"), row(0.75, "below", "pod_group", old, "le", "2"),
	}}
	o, report := r.Observe(t.Context(), epoch.Add(10*time.Minute))
	if err := report.Failed(); err != nil {
		t.Fatal(err)
	}
	known(t, "median, of the slower group", o[0].TTFT[0].Quantity, 1.5)
	known(t, "miss", o[0].SLOMiss, (3*0.05+1*0.25)/4)
	known(t, "bound", o[0].SLOBound, 2)
}

// An extra querier adds rows to the answers of some queries.
type extra struct {
	Querier
	hit  func(query string) bool
	rows []Series
}

func (e extra) Query(ctx context.Context, query string, at time.Time) (Result, error) {
	r, err := e.Querier.Query(ctx, query, at)
	if e.hit(query) {
		r.Series = append(r.Series, e.rows...)
	}
	return r, err
}

func TestBucketsByHand(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		buckets Buckets
		q, want float64
		atLeast bool
	}{
		"inside the first bucket":        {Buckets{{1, 10}, {inf, 10}}, 0.5, 0.5, false},
		"at a bound":                     {Buckets{{1, 10}, {2, 20}, {inf, 20}}, 0.5, 1, false},
		"above the top":                  {Buckets{{1, 10}, {2, 10}, {inf, 20}}, 0.9, 2, true},
		"a bound of zero":                {Buckets{{0, 10}, {1, 10}, {inf, 10}}, 0.5, 0, false},
		"counts that fall are evened":    {Buckets{{1, 10}, {2, 8}, {inf, 10}}, 1, 1, false},
		"nothing was observed":           {Buckets{{1, 0}, {inf, 0}}, 0.5, math.NaN(), false},
		"no bucket without a bound":      {Buckets{{1, 10}, {2, 10}}, 0.5, math.NaN(), false},
		"one bucket tells nothing":       {Buckets{{inf, 10}}, 0.5, math.NaN(), false},
		"no buckets":                     {nil, 0.5, math.NaN(), false},
		"the smallest of an empty start": {Buckets{{1, 0}, {2, 10}, {inf, 10}}, 0, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, atLeast := c.buckets.Quantile(c.q)
			if (got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want))) || atLeast != c.atLeast {
				t.Errorf("got %v at least %t, want %v at least %t", got, atLeast, c.want, c.atLeast)
			}
		})
	}
}

func TestSnappedBounds(t *testing.T) {
	for objective, want := range map[float64]float64{0.5: 1, 1: 1, 1.9: 1, 2: 2, 3: 2, 9: 4} {
		if got := snapBound([]float64{1, 2, 4}, objective); got != want {
			t.Errorf("%v: got %v, want %v", objective, got, want)
		}
	}
}

func TestObjectivesAskForFewBuckets(t *testing.T) {
	w := chat()
	w.Policy.SLO = recommender.SLO{TTFT: 3 * time.Second, Objective: 0.95}
	plan, err := NewPlan([]Workload{w}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range plan.Queries {
		// 3 s itself; 2.5 s of vLLM and 2 s of SGLang are next to it.
		if q.Family == FamilyObjective && !strings.Contains(q.Text, `le=~"2(\\.0)?|2\\.5|3(\\.0)?|\\+Inf"`) {
			t.Errorf("got %s", q.Text)
		}
	}
}
