package diagnose

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// A fault is planted in a healthy cluster, and named by one finding and no other.
type fault struct {
	series    []string
	read      promapi.Options
	workloads []promapi.Workload // [chat()]
	want      Code               // none if empty
	severity  Severity           // [Error]
	signal    string
	place     string
	// says are parts of what was found or is to be done.
	says []string
}

func selecting(selector string) promapi.Workload {
	return chat(func(w *promapi.Workload) { w.Selector = selector })
}

// everySignal is a policy with all that can be read from vLLM.
var everySignal = signals(
	recommender.Signal{Metric: recommender.Queue, Target: 24},
	recommender.Signal{Metric: recommender.KVCacheUsage, Target: 0.8},
	recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.95},
	recommender.Signal{Metric: recommender.OutputTokens, Target: 1000},
	recommender.Signal{Metric: recommender.PromptTokens, Target: 1000},
)

var faults = map[string]fault{
	"nothing is wrong": {series: healthy()},
	"nothing is wrong, with every signal": {
		series: healthy(), workloads: []promapi.Workload{chat(everySignal)},
	},
	"nothing is wrong, with a selector": {
		series: healthy(), workloads: []promapi.Workload{selecting(`{deployment="chat"}`)},
	},
	"nothing is wrong, with matchers": {
		series: replaced(healthy(), "{", `{cluster="eu",`), read: promapi.Options{Matchers: `cluster="eu"`},
	},
	"a typo in a selector (a silent zero for ever elsewhere)": {
		series: healthy(), workloads: []promapi.Workload{selecting(`{deployment="chta"}`)},
		want: NeverMatched, place: "workloads[0].selector",
		says: []string{`{deployment="chta"} matched nothing`, "1 group of pods", `did you mean deployment="chat"?`},
	},
	"one of two matchers of a selector is wrong": {
		series: healthy(), workloads: []promapi.Workload{selecting(`{deployment="chat", model_name="lama"}`)},
		want: NeverMatched, place: "workloads[0].selector",
		says: []string{`{model_name="lama"} matched nothing`, `did you mean model_name="llama"?`},
	},
	"both matchers of a selector are wrong": {
		series: healthy(), workloads: []promapi.Workload{selecting(`{deployment="chta", model_name="lama"}`)},
		want: NeverMatched, says: []string{`{deployment="chta", model_name="lama"}`, `deployment="chat"`, `model_name="llama"`},
	},
	"a selector by a label that the series do not have": {
		series: healthy(), workloads: []promapi.Workload{selecting(`{app="chat"}`)},
		want: NeverMatched, says: []string{`{app="chat"} matched nothing`, "the series have no label app"},
	},
	"a selector by the wrong label with the right value": {
		series: healthy(), workloads: []promapi.Workload{selecting(`{app="llama"}`)},
		want: NeverMatched, says: []string{`did you mean model_name="llama"?`},
	},
	"a selector of another namespace": {
		series: replaced(healthy(), `up{namespace="inference"`, `up{namespace="models"`, `running{namespace="inference"`, `running{namespace="models"`,
			`waiting{namespace="inference"`, `waiting{namespace="models"`),
		workloads: []promapi.Workload{selecting(`{deployment="chat"}`)},
		want:      NeverMatched, says: []string{`{namespace="inference"} matched nothing`, `there is namespace="models"`},
	},
	"a typo in the name": {
		series: healthy(), workloads: []promapi.Workload{chat(func(w *promapi.Workload) { w.Name = "chatt" })},
		want: UnknownObject, place: "workloads[0].name", says: []string{"did you mean name: chat?"},
	},
	"a typo in the namespace": {
		series: replaced(healthy(), "inference", "inference-eu"),
		want:   UnknownObject, says: []string{`there is one in namespace="inference-eu"`},
	},
	"another kind": {
		series: healthy(), workloads: []promapi.Workload{chat(func(w *promapi.Workload) { w.Kind = promapi.StatefulSet })},
		want: UnknownObject, says: []string{"there is a Deployment of that name: set kind"},
	},
	"a cluster that does not exist": {
		series: replaced(healthy(), "{", `{cluster="eu-1",`), read: promapi.Options{Matchers: `{cluster="eu1"}`},
		want: MatchersKill, place: "prometheus.matchers",
		says: []string{`{cluster="eu1"} takes away all series of engines and of kube-state-metrics`, `did you mean cluster="eu-1"?`},
	},
	"a cluster label that is nowhere": {
		series: healthy(), read: promapi.Options{Matchers: `{cluster="eu"}`},
		want: MatchersKill, says: []string{"the series have no label cluster", "external_labels"},
	},
	"a cluster label that kube-state-metrics lacks": {
		series: slices.Concat(kube(), replaced(slices.Concat(targets(1), vllm()), "{", `{cluster="eu",`)),
		read:   promapi.Options{Matchers: `{cluster="eu"}`},
		want:   MatchersKill, says: []string{"all series of kube-state-metrics", `engines have cluster="eu", kube-state-metrics have none`},
	},
	"matchers with a typo, by a label that kube-state-metrics has for itself": {
		series: slices.Concat(replaced(kube(), "{", `{job="kube-state-metrics",`), targets(1), vllm()),
		read:   promapi.Options{Matchers: `{job="vlm"}`},
		want:   MatchersKill, says: []string{"no value of job can work here", `engines have job="vllm", kube-state-metrics have job="kube-state-metrics"`, "selector of the workloads"},
	},
	"matchers by a label that kube-state-metrics has for itself": {
		series: slices.Concat(replaced(kube(), "{", `{job="kube-state-metrics",`), targets(1), vllm()),
		read:   promapi.Options{Matchers: `{job="vllm"}`},
		want:   MatchersKill, says: []string{"takes away all series of kube-state-metrics", "no value of job can work here"},
	},
	"matchers whose nearest value only the engines have": {
		series: slices.Concat(replaced(healthy(), "{", `{cluster="eu-west",`), replaced(vllm(), "{", `{cluster="eu1",`)),
		read:   promapi.Options{Matchers: `{cluster="eu2"}`},
		want:   MatchersKill, says: []string{`there is cluster="eu-west"; a`},
	},
	"exported_namespace and exported_pod": {
		series: slices.Concat(kube(), targets(1), replaced(vllm(),
			"{namespace=", `{namespace="monitoring",exported_namespace=`, "pod=", `pod="proxy-1",exported_pod=`)),
		want: LabelClash, place: "labels",
		says: []string{"labels: {namespace: exported_namespace, pod: exported_pod}", "honor_labels"},
	},
	"exported_pod only": {
		series: slices.Concat(kube(), targets(1), replaced(vllm(), "pod=", `pod="proxy-5d4f8c7b9d-x2k4p",exported_pod=`)),
		want:   LabelClash, says: []string{"labels: {pod: exported_pod}"},
	},
	"a mapping that is not needed any more": {
		series: healthy(), read: promapi.Options{Labels: promapi.LabelNames{Namespace: "exported_namespace", Pod: "exported_pod"}},
		want: LabelClash, says: []string{"labels: {namespace: namespace, pod: pod}"},
	},
	"an old chart of Prometheus": {
		series: slices.Concat(kube(), targets(1), replaced(vllm(), "{namespace=", "{kubernetes_namespace=", "pod=", "kubernetes_pod_name=")),
		want:   LabelClash, says: []string{"labels: {namespace: kubernetes_namespace, pod: kubernetes_pod_name}"},
	},
	"the model under another label": {
		series: slices.Concat(kube(), targets(1), replaced(vllm(), "model_name=", "model=")), workloads: []promapi.Workload{selecting(`{model_name="llama"}`)},
		want: LabelClash, place: "labels.model", says: []string{"labels: {model: model}"},
	},
	"series without a pod": {
		series: slices.Concat(kube(), replaced(slices.Concat(targets(1), vllm()), `pod="chat-6f5d9c7b9d-pod00",`, "", `pod="chat-6f5d9c7b9d-pod01",`, "")),
		want:   NoPodLabel, says: []string{`'{model_name="llama"}'`},
	},
	"series without a pod and a namespace": {
		series: slices.Concat(kube(), unlabelled(slices.Concat(targets(1), vllm()))),
		want:   NoPodLabel, place: "workloads[0].selector",
		says: []string{"without the labels namespace and pod", `{model_name="llama", service="chat", job="vllm"}`, "relabelling", "labels", `'{model_name="llama"}'`},
	},
	"series without a pod, a namespace and a model": {
		series: slices.Concat(kube(), replaced(unlabelled(slices.Concat(targets(1), vllm())), `,model_name="llama"`, "")),
		want:   NoPodLabel, says: []string{`'{service="chat"}'`},
	},
	"series without a pod and a namespace, of a workload whose targets are down": {
		series: slices.Concat(kube(), targets(0), unlabelled(vllm())), want: ScrapeFails,
	},
	"series without a pod and a namespace, which a selector of another picks": {
		series: slices.Concat(kube(), unlabelled(vllm()), replaced(kube(), "chat", "code")),
		workloads: []promapi.Workload{chat(), chat(func(w *promapi.Workload) {
			w.Name, w.Selector = "code", `{model_name="llama"}`
		})},
		want: NotScraped, place: "workloads[0]",
	},
	"one replica fewer without a pod than are ready": {
		series:    slices.Concat(kube(), without(unlabelled(vllm()), "10.0.0.1")),
		workloads: []promapi.Workload{selecting(`{model_name="llama"}`)},
		want:      MissingReplicas, severity: Warning, says: []string{"of 2 replicas that are ready 1 not heard, and series without a pod do not say which"},
	},
	"the scrape's own namespace": {
		series: slices.Concat(kube(), targets(1), replaced(vllm(), `namespace="inference"`, `namespace="monitoring"`)),
		want:   NeverMatched, place: "workloads[0].namespace", says: []string{`namespace="monitoring"`, "labels.namespace"},
	},
	"the pods of another namespace are scraped, which has a workload of that name": {
		series: slices.Concat(kube(), replaced(healthy(), `namespace="inference"`, `namespace="models"`)), want: NotScraped,
	},
	"nothing scrapes the pods": {series: kube(), want: NotScraped, says: []string{"PodMonitor"}},
	"the targets are down":     {series: slices.Concat(kube(), targets(0)), want: ScrapeFails, says: []string{"down (2)", "job vllm"}},
	"no flag, engine unknown": {
		series: slices.Concat(kube(), targets(1)),
		want:   EngineFlags, says: []string{"--enable-metrics", "--metrics", "--disable-log-stats"},
	},
	"llama.cpp without --metrics": {
		series: slices.Concat(kube(), targets(1)), workloads: []promapi.Workload{chat(func(w *promapi.Workload) { w.Engine = "llama.cpp" })},
		want: EngineFlags, place: "workloads[0].engine", says: []string{"start llama.cpp (llama-server) with --metrics"},
	},
	"SGLang without --enable-metrics, known by its image": {
		series: slices.Concat(kube(), targets(1), []string{every(
			`kube_pod_container_info{namespace="inference",pod="chat-6f5d9c7b9d-pod00",container="main",image="docker.io/lmsysorg/sglang:v0.5.6"}`, 1)}),
		want: EngineFlags, says: []string{"start SGLang with --enable-metrics"},
	},
	"vLLM with --disable-log-stats": {
		series: slices.Concat(kube(), targets(1), []string{
			every(`http_requests_total{namespace="inference",pod="chat-6f5d9c7b9d-pod00",job="vllm"}`, 1),
			every(`kube_pod_container_info{namespace="inference",pod="chat-6f5d9c7b9d-pod00",container="main",image="vllm/vllm-openai:v0.11.0"}`, 1),
		}),
		want: EngineFlags, says: []string{"remove --disable-log-stats"},
	},
	"the wrong engine": {
		series: healthy(), workloads: []promapi.Workload{chat(func(w *promapi.Workload) { w.Engine = "sglang" })},
		want: WrongEngine, place: "workloads[0].engine", says: []string{"metrics of vllm", "set engine: vllm"},
	},
	"one of two replicas is not heard": {
		series: without(healthy(), `:num_requests_running{namespace="inference",pod="chat-6f5d9c7b9d-pod01"`, `:num_requests_waiting{namespace="inference",pod="chat-6f5d9c7b9d-pod01"`),
		want:   MissingReplicas, severity: Warning, says: []string{"of 2 replicas that are ready 1 not heard", pod(1), "export no metrics of an engine"},
	},
	"one of two replicas has no waiting requests": {
		series: without(healthy(), `waiting{namespace="inference",pod="chat-6f5d9c7b9d-pod01"`),
		want:   SignalPartial, severity: Warning, signal: "queue", place: "workloads[0].signals[0].metric",
		says: []string{"1 of 2 replicas that are ready count in it", "are missing, NaN", pod(1), "keep both gauges"},
	},
	"one of two replicas has requests that are no number": {
		series: replaced(healthy(),
			every(`vllm:num_requests_running{namespace="inference",pod="chat-6f5d9c7b9d-pod01",job="vllm",instance="10.0.0.1:8000",model_name="llama",deployment="chat"}`, 3),
			every(`vllm:num_requests_running{namespace="inference",pod="chat-6f5d9c7b9d-pod01",job="vllm",instance="10.0.0.1:8000",model_name="llama",deployment="chat"}`, -3)),
		want: SignalPartial, severity: Warning, signal: "queue", says: []string{pod(1), "negative"},
	},
	"one of two pods has no owner": {
		series: without(healthy(), `kube_pod_owner{namespace="inference",pod="chat-6f5d9c7b9d-pod01"`),
		want:   SignalPartial, severity: Warning, signal: "queue", says: []string{"the status has 2, and the list of kube-state-metrics 1", "kube_pod_owner"},
	},
	"one of two replicas has no cache": {
		series:    without(healthy(), `vllm:kv_cache_usage_perc{namespace="inference",pod="chat-6f5d9c7b9d-pod01"`),
		workloads: []promapi.Workload{chat(signals(recommender.Signal{Metric: recommender.KVCacheUsage, Target: 0.8}))},
		want:      SignalPartial, severity: Warning, signal: "kv_cache_usage", says: []string{"1 of 2 replicas", "as of a node that is not scraped"},
	},
	"the scrapes ended five minutes ago": {
		series: slices.Concat(kube(), replaced(targets(1), fmt.Sprintf("1x%d", samples), "1x55 0x25"), replaced(vllm(), fmt.Sprintf("x%d", samples), "x55 stale")),
		want:   ScrapeFails, says: []string{"last heard 6m"},
	},
	"samples without stale markers that stopped": {
		series: slices.Concat(kube(), targets(1), replaced(vllm(), fmt.Sprintf("x%d", samples), "x65")),
		want:   StaleSamples, place: "stale_after", says: []string{"is 2m45s old"},
	},
	"no kube-state-metrics": {
		series: slices.Concat(targets(1), vllm()), want: NoKubeState, says: []string{"install kube-state-metrics"},
	},
	"kube-state-metrics that is down": {
		series: slices.Concat(targets(1), vllm(), []string{every(`up{job="kube-state-metrics",instance="ksm"}`, 0)}), want: NoKubeState, says: []string{"its target is down"},
	},
	"kube-state-metrics without deployments": {
		series: without(healthy(), "kube_deployment"), want: NoKubeState, says: []string{"though it exports pods"},
	},
	"kube-state-metrics that stopped": {
		series: slices.Concat(replaced(kube(), fmt.Sprintf("x%d", samples), "x65"), targets(1), vllm()),
		want:   StaleReplicas, says: []string{"is 2m45s old"},
	},
	"no owners of pods": {
		series: without(healthy(), "kube_pod_owner", "kube_replicaset_owner"), want: NoPodOwner, severity: Warning,
	},
	"no readiness of pods": {
		series: without(healthy(), "kube_pod_status_ready"), want: NoReadiness, severity: Warning,
	},
	"two jobs scrape the pods": {
		series: slices.Concat(healthy(), replaced(vllm(), `job="vllm"`, `job="vllm-twin"`)), want: Duplicates, severity: Info,
	},
	"a pair of servers that nobody merges": {
		series: slices.Concat(kube(), targets(1), replaced(vllm(), `job="vllm"`, `job="vllm",replica="a"`), replaced(vllm(), `job="vllm"`, `job="vllm",replica="b"`)),
		want:   HAPair, severity: Warning, says: []string{"2 replicas answered twice", "label replica", "dedup"},
	},
	"a pair of servers that the reader merges": {
		series: slices.Concat(kube(), targets(1), replaced(vllm(), `job="vllm"`, `job="vllm",prometheus_replica="a"`), replaced(vllm(), `job="vllm"`, `job="vllm",prometheus_replica="b"`)),
		want:   HAPair, severity: Info,
	},
	"a selector whose series have the pod of a proxy": {
		series: slices.Concat(kube(), targets(1), replaced(vllm(), "pod=", `pod="proxy-5d4f8c7b9d-x2k4p",exported_pod=`)), workloads: []promapi.Workload{selecting(`{deployment="chat"}`)},
		want: NotListed, place: "labels.pod", says: []string{"proxy-5d4f8c7b9d-...", "labels: {pod: exported_pod}"},
	},
	"kube-state-metrics that lists pods of other namespaces only": {
		series: append(without(healthy(), "kube_pod_owner"), every(
			`kube_pod_owner{namespace="other",pod="x-5d4f8c7b9d-x2k4p",owner_kind="ReplicaSet",owner_name="x-5d4f8c7b9d",owner_is_controller="true"}`, 1)),
		want: NotListed, says: []string{"of pods chat-6f5d9c7b9d-...", "list all pods of the namespace"},
	},
	"a namespace label that kube-state-metrics has renamed": {
		series: slices.Concat(replaced(kube(), `namespace="inference"`, `namespace="monitoring",exported_namespace="inference"`), targets(1), vllm()),
	},
	"nothing is wrong with a StatefulSet": {
		series: replaced(healthy(), "chat-6f5d9c7b9d-pod0", "chat-", "ReplicaSet", "StatefulSet", `owner_name="chat-6f5d9c7b9d"`, `owner_name="chat"`,
			"kube_deployment_spec_replicas", "kube_statefulset_replicas", "kube_deployment_status", "kube_statefulset_status", "deployment=", "statefulset="),
		workloads: []promapi.Workload{chat(func(w *promapi.Workload) { w.Kind = promapi.StatefulSet })},
	},
	"an InferenceService whose predictor is another": {
		series: healthy(), workloads: []promapi.Workload{chat(func(w *promapi.Workload) { w.Kind = promapi.InferenceService })},
		want: UnknownObject, says: []string{"Deployment inference/chat-predictor", "there is a Deployment of that name: set kind"},
	},
	"a StatefulSet that nothing scrapes": {
		series: without(replaced(healthy(), "chat-6f5d9c7b9d-pod0", "chat-", "ReplicaSet", "StatefulSet", `owner_name="chat-6f5d9c7b9d"`, `owner_name="chat"`,
			"kube_deployment_spec_replicas", "kube_statefulset_replicas", "kube_deployment_status", "kube_statefulset_status", "deployment=", "statefulset="), "vllm:", "up{"),
		workloads: []promapi.Workload{chat(func(w *promapi.Workload) { w.Kind = promapi.StatefulSet })},
		want:      NotScraped,
	},
	"one workload of two": {
		series: healthy(), workloads: []promapi.Workload{chat(), chat(func(w *promapi.Workload) { w.Name = "code" })},
		want: UnknownObject, place: "workloads[1].name", says: []string{`the namespace has deployment="chat"`},
	},
	"pods that are not ready yet": {
		series: replaced(slices.Concat(kube(), targets(0)), fmt.Sprintf(`"true"} 1x%d`, samples), fmt.Sprintf(`"true"} 0x%d`, samples),
			fmt.Sprintf(`ready{namespace="inference",deployment="chat"} 2x%d`, samples), fmt.Sprintf(`ready{namespace="inference",deployment="chat"} 0x%d`, samples)),
		want: ScrapeFails, severity: Warning, says: []string{"none of its pods is ready, so they may still be loading"},
	},
	"pods that cannot be made": {
		series: slices.Concat(without(kube(), "kube_pod", "ready"), []string{
			every(`kube_deployment_status_replicas_ready{namespace="inference",deployment="chat"}`, 0),
			every(`kube_pod_owner{namespace="inference",pod="other-5d4f8c7b9d-x2k4p",owner_kind="ReplicaSet",owner_name="other-5d4f8c7b9d",owner_is_controller="true"}`, 1),
			every(`kube_pod_status_ready{namespace="inference",pod="other-5d4f8c7b9d-x2k4p",condition="true"}`, 1),
		}),
		want: SilentNow, severity: Warning, says: []string{"2 replicas asked for", "quota"},
	},
	"llama.cpp has no first token and no cache": {
		series: slices.Concat(kube(), targets(1), replaced(without(vllm(), "time_to", "cache", "success"),
			"vllm:num_requests_running", "llamacpp:requests_processing", "vllm:num_requests_waiting", "llamacpp:requests_deferred",
			"vllm:generation_tokens_total", "llamacpp:tokens_predicted_total", "vllm:prompt", "llamacpp:prompt")),
		workloads: []promapi.Workload{chat(signals(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.95}))},
		want:      NotExported, signal: "ttft", place: "workloads[0].signals[0].metric", says: []string{"llama.cpp does not export ttft"},
	},
	"a cache that relabelling drops": {
		series:    without(healthy(), "kv_cache"),
		workloads: []promapi.Workload{chat(signals(recommender.Signal{Metric: recommender.KVCacheUsage, Target: 0.8}))},
		want:      SignalMissing, signal: "kv_cache_usage", says: []string{"vllm:kv_cache_usage_perc", "relabelling"},
	},
	"an optional cache that relabelling drops": {
		series: without(healthy(), "kv_cache"),
		workloads: []promapi.Workload{chat(signals(
			recommender.Signal{Metric: recommender.Queue, Target: 24}, recommender.Signal{Metric: recommender.KVCacheUsage, Target: 0.8, Optional: true}))},
		want: SignalMissing, severity: Warning, signal: "kv_cache_usage", place: "workloads[0].signals[1].metric",
	},
	"first tokens that relabelling drops": {
		series:    without(healthy(), "time_to"),
		workloads: []promapi.Workload{chat(signals(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.95}))},
		want:      SignalMissing, signal: "ttft", says: []string{"requests finish", "vllm:time_to_first_token_seconds_bucket"},
	},
	"a cache counted to 100": {
		series:    replaced(healthy(), fmt.Sprintf("0.5x%d", samples), fmt.Sprintf("50x%d", samples)),
		workloads: []promapi.Workload{chat(signals(recommender.Signal{Metric: recommender.KVCacheUsage, Target: 0.8}))},
		want:      InvalidValue, signal: "kv_cache_usage", says: []string{"between 0 and 1"},
	},
	"CPU that nobody exports": {
		series:    healthy(),
		workloads: []promapi.Workload{chat(signals(recommender.Signal{Metric: recommender.CPU, Target: 80}))},
		want:      SignalMissing, signal: "cpu", says: []string{"container_cpu_usage_seconds_total and kube_pod_container_resource_requests"},
	},
	"an objective between two buckets": {
		series:    healthy(),
		workloads: []promapi.Workload{chat(func(w *promapi.Workload) { w.Policy.SLO = recommender.SLO{TTFT: 2 * time.Second, Objective: 0.95} })},
		want:      SnappedBound, severity: Info, signal: "slo", says: []string{"over 1s"},
	},
	"scrapes slower than stale_after": {
		series: healthy(), read: promapi.Options{StaleAfter: 20 * time.Second},
		want: SlowScrapes, severity: Warning, place: "stale_after", says: []string{"every 15s", "stale_after to 30s"},
	},
	"a rate window of one scrape": {
		series: healthy(), read: promapi.Options{RateWindow: 16 * time.Second},
		workloads: []promapi.Workload{chat(signals(recommender.Signal{Metric: recommender.OutputTokens, Target: 1000}))},
		want:      SlowScrapes, place: "rate_window", says: []string{"rate_window to 1m0s"},
	},
	"no replicas": {
		series: []string{every(`kube_deployment_spec_replicas{namespace="inference",deployment="chat"}`, 0)},
		want:   ScaledToZero, severity: Info,
	},
}

// The faults are two days apart in one Prometheus, and each looks back a day.
func TestEveryFaultIsNamedByOneFinding(t *testing.T) {
	l := newLab(t)
	for i, name := range slices.Sorted(maps.Keys(faults)) {
		t.Run(name, func(t *testing.T) {
			at := epoch.Add(time.Duration(i) * 48 * time.Hour)
			f := faults[name]
			l.load(t, at, f.series...)
			f.run(t, l, at)
		})
	}
}

func (f fault) run(t *testing.T, l *lab, at time.Time) {
	if f.workloads == nil {
		f.workloads = []promapi.Workload{chat()}
	}
	report := check(t, l.client, Options{Read: f.read, Lookback: 24 * time.Hour}, at, f.workloads...)
	f.judge(t, report)
}

// judge compares a report with the fault.
func (f fault) judge(t *testing.T, report *Report) {
	t.Helper()
	found := report.Findings
	if f.want == "" {
		if len(found) > 0 || !report.OK {
			t.Errorf("got %s, want nothing", show(found))
		}
		return
	}
	if f.severity == "" {
		f.severity = Error
	}
	if len(found) != 1 || found[0].Code != f.want || found[0].Severity != f.severity {
		t.Fatalf("got %s\nwant one %s %s", show(found), f.severity, f.want)
	}
	if report.OK != (f.severity != Error) {
		t.Errorf("ok: got %t with severity %s", report.OK, f.severity)
	}
	if f.place != "" && found[0].Place != f.place {
		t.Errorf("place: got %q, want %q", found[0].Place, f.place)
	}
	if found[0].Signal != f.signal {
		t.Errorf("signal: got %q, want %q", found[0].Signal, f.signal)
	}
	for _, part := range f.says {
		if !strings.Contains(found[0].Found+" | "+found[0].Fix, part) {
			t.Errorf("got %s, want %q in it", show(found), part)
		}
	}
}
