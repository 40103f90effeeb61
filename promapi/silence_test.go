package promapi

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

func TestASilentWorkloadIsAskedForOnceInAWhile(t *testing.T) {
	l := newLab(t, kubeSeries("chat", 1, chatPod(0))...)
	r := l.reader(t, Options{}, chat())
	asked := 0
	for i := range 50 { // 12 minutes, over two round times
		_, report := r.Observe(t.Context(), epoch.Add(time.Minute+time.Duration(i)*scrapeEvery))
		for _, f := range report.Families {
			if f.Family == FamilyEver {
				asked++
			}
		}
	}
	if asked != 2 {
		t.Errorf("got %d questions, want 2", asked)
	}
}

func TestWhatWasHeardIsNotForgotten(t *testing.T) {
	series := append(kubeSeries("chat", 1, chatPod(0)), `vllm:num_requests_running{namespace="ns",pod="`+chatPod(0)+`"} 7x10 stale`)
	r := newLab(t, series...).reader(t, Options{}, chat())
	o, _ := r.Observe(t.Context(), epoch.Add(2*time.Minute))
	known(t, "running", o[0].Running, 7)
	o, _ = r.Observe(t.Context(), epoch.Add(10*time.Minute))
	lacks(t, "gone", o[0].Running, recommender.Absent)
}

func TestAWorkloadWithoutReplicasIsNotMissed(t *testing.T) {
	o, report := newLab(t, `kube_deployment_spec_replicas{namespace="ns",deployment="chat"} 0x80`).observe(t, 5*time.Minute, Options{}, chat())
	known(t, "current", o.Current, 0)
	lacks(t, "running", o.Running, recommender.Absent)
	for _, f := range report.Families {
		if f.Family == FamilyEver {
			t.Error("asked whether it was ever heard")
		}
	}
}

func TestCurrentThatStopped(t *testing.T) {
	o, report := newLab(t, `kube_deployment_spec_replicas{namespace="ns",deployment="chat"} 3x10`).observe(t, 5*time.Minute, Options{}, chat())
	if want := epoch.Add(150 * time.Second); o.Current.Evidence != recommender.Stale || !o.Current.At.Equal(want) {
		t.Errorf("got %s at %v, want stale at %v", show(o.Current), o.Current.At, want)
	}
	if notes := fmt.Sprint(report.Workloads[0].Notes); !strings.Contains(notes, "replicas of Deployment ns/chat: stale") {
		t.Errorf("notes: got %s", notes)
	}
}

func TestCurrentThatIsNotThereSaysWhatIsLikely(t *testing.T) {
	for kind, want := range map[Kind]string{
		Deployment:       "replicas of Deployment ns/chat: absent, Prometheus has no kube_deployment_spec_replicas of that name: ",
		StatefulSet:      "replicas of StatefulSet ns/chat: absent, Prometheus has no kube_statefulset_replicas of that name: ",
		LeaderWorkerSet:  "replicas of LeaderWorkerSet ns/chat: absent, Prometheus has no kube_statefulset_replicas of that name: ",
		InferenceService: "replicas of InferenceService ns/chat-predictor: absent, Prometheus has no kube_deployment_spec_replicas of that name: ",
	} {
		w := chat()
		w.Kind = kind
		_, report := newLab(t, `kube_deployment_spec_replicas{namespace="ns",deployment="chatt"} 3x80`).observe(t, 5*time.Minute, Options{}, w)
		if notes := fmt.Sprint(report.Workloads[0].Notes); !strings.Contains(notes, want) {
			t.Errorf("%s: got the notes %s, want %s", kind, notes, want)
		}
	}
}

func TestACacheCountedTo100IsNotBelieved(t *testing.T) {
	series := append(kubeSeries("chat", 1, chatPod(0)), queueOf(chatPod(0), "3x80", "1x80")...)
	series = append(series, `vllm:kv_cache_usage_perc{namespace="ns",pod="`+chatPod(0)+`"} 55x80`)
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	lacks(t, "cache", o.KVCacheUsage, recommender.Invalid)
}

func TestACacheOfNoReadyReplicaIsUnobserved(t *testing.T) {
	series := append(kubeSeries("chat", 0, chatPod(0)), queueOf(chatPod(0), "3x80", "1x80")...)
	series = append(series, `vllm:kv_cache_usage_perc{namespace="ns",pod="`+chatPod(0)+`"} 0.5x80`)
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	lacks(t, "cache", o.KVCacheUsage, recommender.Unobserved)
	known(t, "running", o.Running, 3)
	known(t, "reporting", o.Reporting, 0)
}

func TestARangeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ticks, err := newLab(t).reader(t, Options{}, chat()).ObserveRange(ctx, epoch, epoch.Add(time.Hour), time.Minute)
	if err == nil || ticks != nil {
		t.Errorf("got %d ticks and %v, want an error", len(ticks), err)
	}
}

func TestAnOffsetReadsThePast(t *testing.T) {
	series := append(kubeSeries("chat", 1, chatPod(0)), queueOf(chatPod(0), "3x20 9x60", "0x80")...)
	l := newLab(t, series...)
	at := 21 * scrapeEvery // The first 9.
	o, _ := l.observe(t, at, Options{}, chat())
	known(t, "now", o.Running, 9)
	o, _ = l.observe(t, at, Options{QueryOffset: 5 * time.Second}, chat())
	known(t, "5 s before", o.Running, 3)
	if !o.Time.Equal(epoch.Add(at)) {
		t.Errorf("time: got %v, want that of the tick", o.Time)
	}
}

func TestGhostsOfASelectorAreDroppedToo(t *testing.T) {
	w := chat()
	w.Selector = `{engine="0"}`
	series := kubeSeries("chat", 1, chatPod(0))
	series = append(series, queueOf(chatPod(0), "4x80", "0x80")...)
	series = append(series, queueOf(chatPod(1), "40x80", "40x80")...) // not in the list
	o, report := newLab(t, series...).observe(t, 5*time.Minute, Options{}, w)
	known(t, "running", o.Running, 4)
	if report.Workloads[0].Matched != BySelector {
		t.Errorf("matched: got %q, want by selector", report.Workloads[0].Matched)
	}
}

func TestTheFirstNameOfAGaugeCountsInAnyOrder(t *testing.T) {
	first, second := meanings["vllm:num_requests_running"], meanings["vllm_num_requests_running"]
	for name, order := range map[string][]meaning{
		"first to last": {first, first, second}, "last to first": {second, first, first}, "mixed": {first, second, first},
	} {
		r := &replica{}
		for _, is := range order {
			r.add(is, 2)
		}
		if got := r.level[0][running]; got != 4 {
			t.Errorf("%s: got %v, want both of the first name", name, got)
		}
	}
}
