package promapi

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/recommender"
)

// pagesNow is when the pages of the cluster were taken, rounded to a cold start query.
var pagesNow = time.Unix(1_787_184_000, 0).UTC()

// scrapeTimes are those of a rate window before now, and now.
func scrapeTimes(now time.Time) []time.Time {
	var times []time.Time
	for i := range 9 {
		times = append(times, now.Add(time.Duration(i-8)*scrapeEvery))
	}
	return times
}

func TestPagesOfTheCluster(t *testing.T) {
	folder := filepath.Join("testdata", "pages")
	l := newLab(t)
	ksm := readFile(t, folder, "kube-state-metrics.prom")
	cadvisor := string(readFile(t, folder, "cadvisor-excerpt.prom"))
	engine := readFile(t, folder, "vllm-latest.prom")
	for i, at := range scrapeTimes(pagesNow) {
		// Four cores more every second, with the timestamps of cAdvisor's own.
		used := strings.ReplaceAll(cadvisor, "91829.02", fmt.Sprint(91829+4*15*i))
		used = strings.ReplaceAll(used, "1787183995787", fmt.Sprint(at.UnixMilli()))
		for job, page := range map[string][]byte{"kube-state-metrics": ksm, "cadvisor": []byte(used)} {
			target := embedded.Target{Address: "10.9.0.1:8080"}
			if err := l.AppendPage(at, job, target, page, contentType(job, page)); err != nil {
				t.Fatal(err)
			}
		}
		for _, pod := range []string{"k2x7p", "w8m4z"} {
			target := embedded.Target{Address: pod + ":8000", Labels: map[string]string{"namespace": "inference", "pod": "qwen3-8b-6f5d9c7b9d-" + pod}}
			if err := l.AppendPage(at, "vllm", target, engine, contentType("", engine)); err != nil {
				t.Fatal(err)
			}
		}
	}
	policy := &recommender.Policy{Signals: []recommender.Signal{{Metric: recommender.CPU}}}
	observations, report := l.reader(t, Options{},
		Workload{Namespace: "inference", Name: "qwen3-8b", Policy: policy},
		Workload{Namespace: "inference", Name: "summariser"},
		Workload{Namespace: "inference", Name: "llama-405b", Kind: LeaderWorkerSet},
	).Observe(t.Context(), pagesNow)
	if err := report.Failed(); err != nil {
		t.Fatal(err)
	}
	o := &observations[0]
	known(t, "current", o.Current, 3)
	known(t, "ready", o.Ready, 2) // zz9fd is not ready yet.
	known(t, "reporting", o.Reporting, 2)
	known(t, "running", o.Running, 2*126)
	known(t, "waiting", o.Waiting, 2*8)
	known(t, "cpu", o.CPU, 100*4.0/8)
	// 1787097812 - 1787097600 and 1787176931 - 1787176800.
	known(t, "median cold start", o.ColdStart[0].Quantity, 131)
	known(t, "slowest cold start", o.ColdStart[1].Quantity, 212)
	known(t, "asleep: current", observations[1].Current, 0)
	lacks(t, "asleep: running", observations[1].Running, recommender.Absent)
	known(t, "groups", observations[2].Current, 1)
	known(t, "ready groups", observations[2].Ready, 1)
	lacks(t, "groups: running", observations[2].Running, recommender.NeverMatched)
}

func TestPagesOfGateways(t *testing.T) {
	folder := filepath.Join("testdata", "pages")
	for name, c := range map[string]struct {
		held HeldSource
		want float64
	}{
		"keda-http-interceptor.prom":       {HeldSource{Preset: HeldKEDA, Match: map[string]string{"namespace": "inference", "route": "support-chat"}}, 31},
		"keda-http-interceptor-v0.12.prom": {HeldSource{Preset: HeldKEDA, Match: map[string]string{"host": "chat.example.com"}}, 31},
		"knative-activator.prom":           {HeldSource{Preset: HeldKnative}, 7},
		"knative-activator-1.18.prom":      {HeldSource{Preset: HeldKnative}, 7},
	} {
		t.Run(name, func(t *testing.T) {
			text := readFile(t, folder, name)
			l := newLab(t)
			// The target's own labels are those of the gateway, not of the workload.
			target := embedded.Target{Address: "10.9.0.2:2223", Labels: map[string]string{"namespace": "gateways", "pod": "gateway-0"}}
			if err := l.AppendPage(epoch, "gateway", target, text, contentType(name, text)); err != nil {
				t.Fatal(err)
			}
			w := Workload{Namespace: "inference", Name: "chat", Kind: InferenceService, Held: []HeldSource{c.held}}
			o, _ := l.observe(t, 0, Options{}, w)
			known(t, "held", o.Held, c.want)
			rows, err := ReadHeld(bytes.NewReader(text), name)
			if err != nil || len(rows) == 0 {
				t.Errorf("got %v, %v, want rows from the page", rows, err)
			}
		})
	}
}
