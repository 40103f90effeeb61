package promapi

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

// without leaves out the series that contain all words.
func without(series []string, words ...string) []string {
	return slices.DeleteFunc(slices.Clone(series), func(s string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(s, w) })
	})
}

// five is a workload of five ready replicas with nine requests each, the last of which has
// the fullest cache and the busiest processor.
func five() []string {
	pods := []string{chatPod(0), chatPod(1), chatPod(2), chatPod(3), chatPod(4)}
	series := kubeSeries("chat", len(pods), pods...)
	for i, pod := range pods {
		level, rate := "0.1x80", "0+1x80"
		if i == len(pods)-1 {
			level, rate = "0.9x80", "0+14x80"
		}
		series = append(series, queueOf(pod, "8x80", "1x80")...)
		series = append(series,
			`vllm:kv_cache_usage_perc{namespace="ns",pod="`+pod+`"} `+level,
			`container_cpu_usage_seconds_total{namespace="ns",pod="`+pod+`",container="vllm"} `+rate,
			`kube_pod_container_resource_requests{namespace="ns",pod="`+pod+`",container="vllm",resource="cpu"} 1x80`)
	}
	return series
}

func TestWhatOneReplicaDoesNotSayIsNotMadeUpByTheOthers(t *testing.T) {
	last := chatPod(4)
	signals := []recommender.Signal{
		{Metric: recommender.Queue, Target: 10}, {Metric: recommender.KVCacheUsage, Target: 0.5}, {Metric: recommender.CPU, Target: 60},
	}
	for name, c := range map[string]struct {
		series           []string
		partial          []recommender.Metric
		ready, reporting float64
	}{
		"all say everything":                       {five(), nil, 5, 5},
		"one has no running requests":              {without(five(), last, "running"), []recommender.Metric{recommender.Queue, recommender.KVCacheUsage, recommender.CPU}, 5, 4},
		"one has no waiting requests":              {without(five(), last, "waiting"), []recommender.Metric{recommender.Queue, recommender.KVCacheUsage, recommender.CPU}, 5, 4},
		"none has waiting requests":                {without(five(), "waiting"), []recommender.Metric{recommender.Queue, recommender.KVCacheUsage, recommender.CPU}, 5, 0},
		"the fullest has no cache":                 {without(five(), last, "kv_cache"), []recommender.Metric{recommender.KVCacheUsage}, 5, 5},
		"the node of the busiest is not scraped":   {without(five(), last, "container_cpu"), []recommender.Metric{recommender.CPU}, 5, 5},
		"the busiest has no request for CPU":       {without(five(), last, "resource_requests"), []recommender.Metric{recommender.CPU}, 5, 5},
		"one has no owner":                         {without(five(), last, "kube_pod_owner"), []recommender.Metric{recommender.Queue, recommender.KVCacheUsage, recommender.CPU}, 5, 4},
		"a shard of kube-state-metrics is missing": {without(five(), last, "kube_pod"), []recommender.Metric{recommender.Queue, recommender.KVCacheUsage, recommender.CPU}, 5, 4},
	} {
		t.Run(name, func(t *testing.T) {
			o, _ := newLab(t, c.series...).observe(t, 10*time.Minute, Options{}, chat(signals...))
			known(t, "ready", o.Ready, c.ready)
			if o.Reporting.Value != c.reporting {
				t.Errorf("reporting: got %s, want %v", show(o.Reporting), c.reporting)
			}
			policy := recommender.Policy{Signals: signals}
			for i := range signals {
				q := o.Quantity(&policy, &signals[i])
				if want := slices.Contains(c.partial, signals[i].Metric); !q.Known() || q.LowerBound != want {
					t.Errorf("%s: got %s, want it a lower bound: %t", signals[i].Metric, show(q), want)
				}
			}
		})
	}
}

func TestASampleIsNoNewerThanTheQuestion(t *testing.T) {
	m := &moment{Reader: &Reader{options: Options{StaleAfter: time.Minute}}, when: epoch}
	for _, at := range []float64{1e18, seconds(epoch) + 3600, 0, -5} {
		if got, want := m.sampled(at), epoch.Add(-time.Minute); !got.Equal(want) {
			t.Errorf("%g: got %v, want the oldest that is read, %v", at, got, want)
		}
	}
	if got := m.sampled(seconds(epoch) - 5); !got.Equal(epoch.Add(-5 * time.Second)) {
		t.Errorf("got %v, want five seconds ago", got)
	}
}
