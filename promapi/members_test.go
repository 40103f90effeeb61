package promapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

// owned are the series of a pod and its owner.
func owned(pod, kind, owner string, ready int) []string {
	return []string{
		fmt.Sprintf(`kube_pod_owner{namespace="ns",pod=%q,owner_kind=%q,owner_name=%q,owner_is_controller="true"} 1x80`, pod, kind, owner),
		fmt.Sprintf(`kube_pod_status_ready{namespace="ns",pod=%q,condition="true"} %dx80`, pod, ready),
	}
}

func TestPodsOfEveryKind(t *testing.T) {
	for name, c := range map[string]struct {
		workload       Workload
		series         []string
		current, ready float64
		running        float64
	}{
		"StatefulSet": {
			Workload{Name: "chat", Kind: StatefulSet},
			append(owned("chat-0", "StatefulSet", "chat", 1), append(owned("chat-1", "StatefulSet", "chat", 1),
				`kube_statefulset_replicas{namespace="ns",statefulset="chat"} 2x80`,
				`vllm:num_requests_running{namespace="ns",pod="chat-0"} 3x80`,
				`vllm:num_requests_running{namespace="ns",pod="chat-1"} 4x80`)...),
			2, 2, 7,
		},
		"LeaderWorkerSet: a group is a replica": {
			Workload{Name: "llama", Kind: LeaderWorkerSet},
			append(owned("llama-0", "StatefulSet", "llama", 1), append(owned("llama-0-1", "StatefulSet", "llama-0", 1),
				`kube_statefulset_replicas{namespace="ns",statefulset="llama"} 1x80`,
				`kube_statefulset_replicas{namespace="ns",statefulset="llama-0"} 1x80`,
				`vllm:num_requests_running{namespace="ns",pod="llama-0"} 5x80`,
				`vllm:num_requests_running{namespace="ns",pod="llama-0-1"} 5x80`)...), // The worker repeats its leader.
			1, 1, 5,
		},
		"InferenceService: its predictor": {
			Workload{Name: "chat", Kind: InferenceService},
			append(kubeSeries("chat-predictor", 1, "chat-predictor-6f5d9c7b9d-abcde"),
				`vllm:num_requests_running{namespace="ns",pod="chat-predictor-6f5d9c7b9d-abcde"} 6x80`),
			1, 1, 6,
		},
		"another namespace is another workload": {
			Workload{Name: "chat"},
			append(kubeSeries("chat", 1, chatPod(0)),
				`vllm:num_requests_running{namespace="ns",pod="`+chatPod(0)+`"} 2x80`,
				`vllm:num_requests_running{namespace="other",pod="`+chatPod(0)+`"} 50x80`),
			1, 1, 2,
		},
		"a ReplicaSet without owner is known by its name": {
			Workload{Name: "chat"},
			append(owned(chatPod(0), "ReplicaSet", "chat-6f5d9c7b9d", 1),
				`kube_deployment_spec_replicas{namespace="ns",deployment="chat"} 1x80`,
				`vllm:num_requests_running{namespace="ns",pod="`+chatPod(0)+`"} 2x80`),
			1, 1, 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.workload.Namespace = "ns"
			o, _ := newLab(t, nothingWaits(c.series...)...).observe(t, 5*time.Minute, Options{}, c.workload)
			known(t, "current", o.Current, c.current)
			known(t, "ready", o.Ready, c.ready)
			known(t, "reporting", o.Reporting, c.ready)
			known(t, "running", o.Running, c.running)
		})
	}
}

func TestPatternWhereNobodyExportsOwners(t *testing.T) {
	for name, c := range map[string]struct {
		pod  string
		kind Kind
		want bool
	}{
		"a Deployment's":             {"chat-6f5d9c7b9d-abcde", Deployment, true},
		"a longer name is another":   {"chat-lora-6f5d9c7b9d-abcde", Deployment, false},
		"no hash":                    {"chat-abcde", Deployment, false},
		"a hash too long":            {"chat-6f5d9c7b9d6-abcde", Deployment, false},
		"a suffix of six":            {"chat-6f5d9c7b9d-abcdef", Deployment, false},
		"a StatefulSet's":            {"chat-12", StatefulSet, true},
		"a worker is not its leader": {"chat-0-1", LeaderWorkerSet, false},
		"letters are no ordinal":     {"chat-ab", StatefulSet, false},
	} {
		t.Run(name, func(t *testing.T) {
			o, report := newLab(t, nothingWaits(
				`kube_deployment_spec_replicas{namespace="ns",deployment="chat"} 1x80`,
				`kube_deployment_status_replicas_ready{namespace="ns",deployment="chat"} 1x80`,
				fmt.Sprintf(`vllm:num_requests_running{namespace="ns",pod=%q} 3x80`, c.pod),
				fmt.Sprintf(`vllm:generation_tokens_total{namespace="ns",pod=%q} 0+15x80`, c.pod),
			)...).observe(t, 5*time.Minute, Options{}, Workload{Namespace: "ns", Name: "chat", Kind: c.kind})
			if got := o.Running.Known(); got != c.want {
				t.Fatalf("got %s, want known %t", show(o.Running), c.want)
			}
			if !c.want {
				return
			}
			known(t, "tokens", o.OutputTokens, 1)
			if report.Workloads[0].Matched != ByPattern {
				t.Errorf("matched: got %q, want by pattern", report.Workloads[0].Matched)
			}
			if c.kind == Deployment {
				known(t, "ready, from the status", o.Ready, 1)
				known(t, "reporting", o.Reporting, 1)
			}
		})
	}
}

func TestNamesCutAt58LettersAreToldApartByTheirOwners(t *testing.T) {
	// The two names differ after the 58th letter, where pods' names are cut.
	stem := strings.Repeat("long-", 11) + "nam" // 58 letters
	names := []string{stem + "e-decode", stem + "e-prefill"}
	var series []string
	var workloads []Workload
	for i, name := range names {
		pod := stem + fmt.Sprintf("abcd%d", i)
		series = append(series, owned(pod, "ReplicaSet", name+"-6f5d9c7b9d", 1)...)
		series = append(series,
			fmt.Sprintf(`kube_replicaset_owner{namespace="ns",replicaset="%s-6f5d9c7b9d",owner_kind="Deployment",owner_name=%q} 1x80`, name, name),
			fmt.Sprintf(`kube_deployment_spec_replicas{namespace="ns",deployment=%q} 1x80`, name),
			fmt.Sprintf(`vllm:num_requests_running{namespace="ns",pod=%q} %dx80`, pod, 3+i),
			fmt.Sprintf(`vllm:generation_tokens_total{namespace="ns",pod=%q} 0+%dx80`, pod, 15*(i+1)),
			fmt.Sprintf(`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod=%q,le="%d"} 0+10x80`, pod, i+1),
			fmt.Sprintf(`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod=%q,le="+Inf"} 0+10x80`, pod))
		w := chat(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.5})
		w.Name = name
		workloads = append(workloads, w)
	}
	l := newLab(t, series...)
	observations, _ := l.reader(t, Options{}, workloads...).Observe(t.Context(), epoch.Add(10*time.Minute))
	for i := range observations {
		known(t, names[i]+": running", observations[i].Running, float64(3+i))
		known(t, names[i]+": tokens", observations[i].OutputTokens, float64(i+1))
		// All requests are below the only bound, so the median is half of it.
		known(t, names[i]+": ttft", observations[i].TTFT[0].Quantity, float64(i+1)/2)
	}
}

// A faulty querier breaks some queries of a real one.
type faulty struct {
	Querier
	hit  func(query string) bool
	err  error
	warn string
}

func (f faulty) Query(ctx context.Context, query string, at time.Time) (Result, error) {
	if f.hit(query) && f.err != nil {
		return Result{}, f.err
	}
	r, err := f.Querier.Query(ctx, query, at)
	if f.hit(query) {
		r.Warnings = append(r.Warnings, f.warn)
	}
	return r, err
}

// family returns a predicate for the queries of one family.
func (r *Reader) family(f Family) func(string) bool {
	return func(query string) bool {
		for _, list := range [][]PlannedQuery{r.plan.Queries, r.plan.Occasional, r.plan.Custom} {
			for _, q := range list {
				if q.Family == f && q.Text == query {
					return true
				}
			}
		}
		return false
	}
}

// faultyWorkload needs every family.
func faultyWorkload() (Workload, []string) {
	w := chat(
		recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.5},
		recommender.Signal{Metric: recommender.CPU, Target: 50})
	w.Held = []HeldSource{{Preset: HeldKEDA, Match: map[string]string{"route": "chat"}}}
	w.Queries = []NamedQuery{{Name: "depth", Text: "sum(depth)"}}
	pod := chatPod(0)
	series := append(kubeSeries("chat", 1, pod), queueOf(pod, "3x80", "1x80")...)
	return w, append(series,
		`vllm:generation_tokens_total{namespace="ns",pod="`+pod+`"} 0+15x80`,
		`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod="`+pod+`",le="1"} 0+10x80`,
		`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod="`+pod+`",le="+Inf"} 0+10x80`,
		`container_cpu_usage_seconds_total{namespace="ns",pod="`+pod+`",container="vllm"} 0+30x80`,
		`kube_pod_container_resource_requests{namespace="ns",pod="`+pod+`",container="vllm",resource="cpu"} 8x80`,
		`interceptor_request_concurrency{route_name="chat",route_namespace="ns"} 0x80`,
		`depth 5x80`)
}

// quantities names what every family is for.
func quantities(o *recommender.Observation) map[Family]recommender.Quantity {
	return map[Family]recommender.Quantity{
		FamilyGauges: o.Running, FamilyCounters: o.OutputTokens, FamilyReplicas: o.Current, FamilyPods: o.Ready,
		FamilyTTFT: o.TTFT[0].Quantity, FamilyCPU: o.CPU, FamilyHeld: o.Held, FamilyCustom: o.Queries[0].Quantity,
	}
}

func TestOneFailedFamilyFailsItsSignalsOnly(t *testing.T) {
	w, series := faultyWorkload()
	l := newLab(t, series...)
	refused := &QueryError{Cause: CauseServer, Err: errors.New("out of order")}
	for _, broken := range []Family{
		FamilyGauges, FamilyCounters, FamilyReplicas, FamilyPods, FamilyTTFT, FamilyCPU, FamilyHeld, FamilyCustom, FamilyEvidence,
	} {
		t.Run(string(broken), func(t *testing.T) {
			r := l.reader(t, Options{}, w)
			r.querier = faulty{Querier: l.client, hit: r.family(broken), err: refused}
			observations, report := r.Observe(t.Context(), epoch.Add(5*time.Minute))
			for family, q := range quantities(&observations[0]) {
				switch {
				case family == broken:
					lacks(t, string(family), q, recommender.Failed)
				case broken == FamilyGauges && (family == FamilyCounters || family == FamilyTTFT):
					// Without a queue it is not known which engine speaks.
				case !q.Known():
					t.Errorf("%s: got %s, want it untouched", family, show(q))
				}
			}
			if q, oldest := observations[0].Running, epoch.Add(4*time.Minute); broken == FamilyEvidence && !q.At.Equal(oldest) {
				t.Errorf("samples of unknown age: got %v, want the oldest that is read, %v", q.At, oldest)
			}
			if e, ok := errors.AsType[*QueryError](report.Failed()); !ok || e.Cause != CauseServer {
				t.Errorf("report: got %v, want the cause of the failure", report.Failed())
			}
		})
	}
}

func TestWarningsMakeLowerBounds(t *testing.T) {
	w, series := faultyWorkload()
	ofPods := []Family{FamilyGauges, FamilyCounters, FamilyTTFT, FamilyCPU}
	l := newLab(t, series...)
	for _, partial := range []Family{
		FamilyGauges, FamilyCounters, FamilyReplicas, FamilyPods, FamilyTTFT, FamilyCPU, FamilyHeld, FamilyCustom,
	} {
		t.Run(string(partial), func(t *testing.T) {
			r := l.reader(t, Options{}, w)
			r.querier = faulty{Querier: l.client, hit: r.family(partial), warn: "a store is missing"}
			observations, report := r.Observe(t.Context(), epoch.Add(5*time.Minute))
			for family, q := range quantities(&observations[0]) {
				// What is heard of a pod that is missing from the list is dropped.
				want := family == partial || (partial == FamilyPods && slices.Contains(ofPods, family))
				if !q.Known() || q.LowerBound != want {
					t.Errorf("%s: got %s, want lower bound %t", family, show(q), want)
				}
			}
			want := partial == FamilyPods || partial == FamilyGauges
			if q := observations[0].Reporting; !q.Known() || q.LowerBound != want {
				t.Errorf("reporting: got %s, want lower bound %t", show(q), want)
			}
			for _, f := range report.Families {
				if (len(f.Warnings) > 0) != (f.Family == partial) {
					t.Errorf("report: %s has warnings %v", f.Family, f.Warnings)
				}
			}
		})
	}
}

func TestEveryFamilyIsReported(t *testing.T) {
	w, series := faultyWorkload()
	_, report := newLab(t, series...).observe(t, 5*time.Minute, Options{}, w)
	for _, f := range report.Families {
		if f.Text == "" || f.Duration <= 0 || (f.Rows == 0 && f.Family != FamilyColdStart) {
			t.Errorf("%s: got %+v, want text, rows and duration", f.Family, f)
		}
	}
}

func TestColdStartsAreMeasured(t *testing.T) {
	created := float64(epoch.Unix())
	series := kubeSeries("chat", 2, chatPod(0), chatPod(1))
	for pod, took := range map[string]float64{chatPod(0): 60, chatPod(1): 90, "chat-5d9c7b9d66-gone1": 120, chatPod(2): 7200} {
		series = append(series,
			fmt.Sprintf(`kube_pod_created{namespace="ns",pod=%q} %fx10`, pod, created),
			fmt.Sprintf(`kube_pod_status_ready_time{namespace="ns",pod=%q} %fx10`, pod, created+took))
	}
	o, _ := newLab(t, series...).observe(t, 10*time.Minute, Options{}, chat())
	// Of 60, 90 and the 120 of a pod that is gone; two hours are readiness that came back.
	if len(o.ColdStart) != 2 || o.ColdStart[0].P != 0.5 || o.ColdStart[1].P != 0.95 {
		t.Fatalf("got %+v, want two percentiles", o.ColdStart)
	}
	known(t, "median", o.ColdStart[0].Quantity, 90)
	known(t, "p95", o.ColdStart[1].Quantity, 120)
}

func TestCPUIsPercentOfTheRequest(t *testing.T) {
	series := kubeSeries("chat", 2, chatPod(0), chatPod(1))
	for i, used := range []int{15 * 4, 15 * 2} { // 4 cores and 2
		pod := chatPod(i)
		series = append(series,
			fmt.Sprintf(`container_cpu_usage_seconds_total{namespace="ns",pod=%q,container="vllm"} 0+%dx80`, pod, used),
			fmt.Sprintf(`container_cpu_usage_seconds_total{namespace="ns",pod=%q,container=""} 0+%dx80`, pod, used),
			fmt.Sprintf(`container_cpu_usage_seconds_total{namespace="ns",pod=%q,container="POD"} 0+1x80`, pod),
			fmt.Sprintf(`kube_pod_container_resource_requests{namespace="ns",pod=%q,container="vllm",resource="cpu"} 8x80`, pod),
			fmt.Sprintf(`kube_pod_container_resource_requests{namespace="ns",pod=%q,container="vllm",resource="memory"} 1e9x80`, pod))
	}
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat(recommender.Signal{Metric: recommender.CPU, Target: 50}))
	known(t, "cpu", o.CPU, (4.0/8+2.0/8)/2*100)
}
