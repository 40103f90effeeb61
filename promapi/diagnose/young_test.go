package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// unlabelled is a scrape of the engines that nobody gave labels of Kubernetes.
func unlabelled(list []string) []string {
	return replaced(list, `namespace="inference",`, "", fmt.Sprintf("pod=%q,", pod(0)), "", fmt.Sprintf("pod=%q,", pod(1)), "",
		`job="vllm"`, `job="vllm",service="chat"`, `,deployment="chat"`, "")
}

// young are series that begin after so many scrapes.
func young(list []string, scrapes int) []string {
	return replaced(list, "} ", fmt.Sprintf("} _x%d ", scrapes))
}

// between is an instant 40 seconds after a whole minute, in which the newest samples are
// of 10 seconds before: no step of a look at the past is after the 78th scrape.
const between = 40 * time.Second

var youngFaults = map[string]fault{
	"nothing is wrong":                                      {series: young(healthy(), 78)},
	"nothing is wrong, after three scrapes":                 {series: young(healthy(), 76)},
	"nothing is wrong, with scrapes for half of the window": {series: young(healthy(), 55)},
	"a typo in a selector": {
		series: young(healthy(), 78), workloads: []promapi.Workload{selecting(`{deployment="chta"}`)},
		want: NeverMatched, says: []string{`did you mean deployment="chat"?`},
	},
	"exported_namespace and exported_pod": {
		series: young(slices.Concat(kube(), targets(1), replaced(vllm(),
			"{namespace=", `{namespace="monitoring",exported_namespace=`, "pod=", `pod="proxy-1",exported_pod=`)), 78),
		want: LabelClash, says: []string{"labels: {namespace: exported_namespace, pod: exported_pod}"},
	},
	"the wrong engine": {
		series: young(healthy(), 78), workloads: []promapi.Workload{chat(func(w *promapi.Workload) { w.Engine = "sglang" })},
		want: WrongEngine, says: []string{"set engine: vllm"},
	},
	"no labels at all": {
		series: young(slices.Concat(kube(), unlabelled(slices.Concat(targets(1), vllm()))), 78),
		want:   NoPodLabel, says: []string{"without the labels namespace and pod"},
	},
	"one of two replicas is scraped a little later": {
		series: young(without(healthy(), `{namespace="inference",pod="chat-6f5d9c7b9d-pod01",job`), 78),
		want:   MissingReplicas, severity: Info, says: []string{"yet", "check again"},
	},
	"none is scraped yet": {
		series: young(kube(), 78), want: NotScraped, severity: Error, says: []string{"yet", "check again", "PodMonitor"},
	},
}

func TestEveryFaultIsNamedInTheFirstMinute(t *testing.T) {
	for name, f := range youngFaults {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.load(t, epoch, f.series...)
			f.run(t, l, epoch.Add(between))
		})
	}
}

// What is told to do about series without labels works.
func TestASelectorHearsSeriesWithoutLabels(t *testing.T) {
	l := newLab(t)
	l.load(t, epoch, slices.Concat(kube(), unlabelled(slices.Concat(targets(1), vllm())))...)
	report := check(t, l.client, Options{}, epoch, chat())
	found := report.Of("inference/chat")
	if len(found) != 1 {
		t.Fatalf("got %s, want one finding", show(found))
	}
	_, advice, _ := strings.Cut(found[0].Fix, "'")
	advice, _, _ = strings.Cut(advice, "'")
	report = check(t, l.client, Options{}, epoch, selecting(advice))
	if !report.OK || len(report.Findings) != 0 || len(report.Workloads[0].Engines) != 1 {
		t.Errorf("selector %s: got %s, engines %q, want none and vllm", advice, show(report.Findings), report.Workloads[0].Engines)
	}
}

// An interval is that between the samples, and is not judged from one or two.
func TestTheScrapeIntervalIsReadFromThreeSamples(t *testing.T) {
	for name, test := range map[string]struct {
		every time.Duration
		since time.Duration
		want  string // none if empty
	}{
		"long ago":                 {30 * time.Second, 19 * time.Minute, "every 30s"},
		"for less than the window": {30 * time.Second, 9 * time.Minute, ""},
		"one sample":               {30 * time.Second, 20 * time.Second, ""},
		"every two minutes":        {2 * time.Minute, 12 * time.Minute, "every 2m0s"},
		"two samples":              {10 * time.Minute, 10*time.Minute + 20*time.Second, ""},
		"three samples":            {5 * time.Minute, 10*time.Minute + 30*time.Second, "every 5m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			at := epoch.Add(checkAfter)
			series := slices.Concat(kube(), targets(1))
			l.load(t, epoch, series...)
			if err := l.Load(at.Add(-test.since), test.every, vllm()...); err != nil {
				t.Fatal(err)
			}
			report := check(t, l.client, Options{Read: promapi.Options{StaleAfter: 50 * time.Second}}, epoch,
				chat(signals(recommender.Signal{Metric: recommender.Queue, Target: 24})))
			found := ""
			for _, f := range report.Findings {
				if f.Code == SlowScrapes {
					found = f.Found
				}
			}
			if (test.want == "") != (found == "") || !strings.Contains(found, test.want) {
				t.Errorf("got %q, want %q in it", found, test.want)
			}
		})
	}
}
