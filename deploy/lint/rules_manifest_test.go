package lint_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/deploy/lint"
)

// following returns a ScaledObject that follows infscale, with lines of its spec before and of
// its behavior after.
func following(spec, behavior string) string {
	return fmt.Sprintf(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat}
spec:
  scaleTargetRef: {name: chat}
  %s
  advanced: {horizontalPodAutoscalerConfig: {%s}}
  triggers:
    - type: prometheus
      metadata:
        serverAddress: http://prometheus:9090
        threshold: "1"
        ignoreNullValues: "false"
        query: max(infscale_desired_replicas{workload_namespace="a",workload="chat"})
`, strings.ReplaceAll(spec, "; ", "\n  "), behavior)
}

func TestFollowersOfInfscale(t *testing.T) {
	const (
		still = "behavior: {scaleDown: {stabilizationWindowSeconds: 0}}"
		exact = "behavior: {scaleUp: {tolerance: 0}, scaleDown: {tolerance: 0.0, stabilizationWindowSeconds: 0}}"
	)
	for name, row := range map[string]struct{ spec, behavior, want string }{
		"nine replicas need no tolerance":        {"minReplicaCount: 1; maxReplicaCount: 9", still, ""},
		"from ten on a tenth is swallowed":       {"minReplicaCount: 1; maxReplicaCount: 10", still, "swallowed-count"},
		"not without a tolerance":                {"minReplicaCount: 1; maxReplicaCount: 10", exact, ""},
		"not with one in a direction":            {"minReplicaCount: 1; maxReplicaCount: 10", strings.Replace(exact, "0.0", "100m", 1), "swallowed-count"},
		"the default maximum is a hundred":       {"minReplicaCount: 1", still, "max-missing swallowed-count"},
		"without behavior":                       {"minReplicaCount: 1; maxReplicaCount: 8", "", "window-doubled"},
		"with the default window":                {"minReplicaCount: 1; maxReplicaCount: 8", "behavior: {scaleDown: {policies: []}}", "window-doubled"},
		"with a window upwards":                  {"minReplicaCount: 1; maxReplicaCount: 8", "behavior: {scaleUp: {stabilizationWindowSeconds: 30}, scaleDown: {stabilizationWindowSeconds: 0}}", "window-doubled"},
		"to zero, after infscale's own cooldown": {"minReplicaCount: 0; maxReplicaCount: 8; cooldownPeriod: 0", still, ""},
		"to zero, with the default cooldown":     {"minReplicaCount: 0; maxReplicaCount: 8", still, "cooldown-doubled"},
		"to zero, woken with one in an outage":   {"minReplicaCount: 0; maxReplicaCount: 8; cooldownPeriod: 0; fallback: {failureThreshold: 3, replicas: 1, behavior: currentReplicasIfHigher}", still, ""},
		"to zero, woken with two in an outage":   {"minReplicaCount: 0; maxReplicaCount: 8; cooldownPeriod: 0; fallback: {failureThreshold: 3, replicas: 2, behavior: currentReplicasIfHigher}", still, "fallback-at-zero"},
		"to zero by an outage":                   {"minReplicaCount: 0; maxReplicaCount: 8; cooldownPeriod: 0; fallback: {failureThreshold: 3, replicas: 0, behavior: currentReplicas}", still, "fallback-at-zero"},
		"a fallback below the maximum":           {"minReplicaCount: 1; maxReplicaCount: 8; fallback: {failureThreshold: 3, replicas: 7}", still, "fallback-shrinks"},
		"a fallback at the maximum":              {"minReplicaCount: 1; maxReplicaCount: 8; fallback: {failureThreshold: 3, replicas: 8}", still, ""},
		"a cooldown that nothing uses":           {"minReplicaCount: 1; maxReplicaCount: 8; cooldownPeriod: 300", still, "cooldown-without-zero"},
		"a minimum at the maximum":               {"minReplicaCount: 8; maxReplicaCount: 8", still, ""},
		"a minimum above the maximum":            {"minReplicaCount: 9; maxReplicaCount: 8", still, "replica-bounds"},
		"an idle count at the minimum":           {"minReplicaCount: 1; maxReplicaCount: 8; idleReplicaCount: 1", still, "replica-bounds"},
		"polling every half minute":              {"minReplicaCount: 0; maxReplicaCount: 8; cooldownPeriod: 0; pollingInterval: 30", still, ""},
		"polling every minute":                   {"minReplicaCount: 0; maxReplicaCount: 8; cooldownPeriod: 0; pollingInterval: 60", still, "slow-polling"},
		"polling every minute above zero":        {"minReplicaCount: 1; maxReplicaCount: 8; pollingInterval: 60", still, ""},
		"a number that is text":                  {"minReplicaCount: \"1\"; maxReplicaCount: 8", still, "cooldown-doubled unknown-field"},
		"a field of an HPA":                      {"minReplicaCount: 1; maxReplicaCount: 8; minReplicas: 1", still, "unknown-field"},
		"a policy that overflows":                {"minReplicaCount: 1; maxReplicaCount: 8", "behavior: {scaleUp: {policies: [{type: Pods, value: 2147483647, periodSeconds: 15}]}, scaleDown: {stabilizationWindowSeconds: 0}}", "policy-overflow"},
		"a large policy":                         {"minReplicaCount: 1; maxReplicaCount: 8", "behavior: {scaleUp: {policies: [{type: Pods, value: 1000, periodSeconds: 15}]}, scaleDown: {stabilizationWindowSeconds: 0}}", ""},
	} {
		if got := found(t, following(row.spec, row.behavior)); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// What a formula makes of the triggers is not looked at; that they give one number each is.
func TestFormulas(t *testing.T) {
	for query, want := range map[string]string{
		`avg(vllm:num_requests_waiting{a="b"})`: "",
		`sum(vllm:num_requests_waiting{a="b"})`: "",
		`vllm:num_requests_waiting{a="b"}`:      "raw-vector",
	} {
		manifest := strings.Replace(withQuery(query, "AverageValue", "5"), "advanced:",
			"advanced:\n    scalingModifiers: {formula: waiting * count, target: \"5\"}", 1)
		if got := found(t, manifest); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}

// An HPA sums the series of an external metric, and an adapter may name it after one of them.
func TestExternalMetricsOfAnHPA(t *testing.T) {
	for name, row := range map[string]struct{ metric, target, want string }{
		"a fraction of every replica":  {"vllm_kv_cache_usage_perc, selector: {matchLabels: {namespace: a}}", "AverageValue, averageValue: 850m", ""},
		"what waits":                   {"vllm_num_requests_waiting", "AverageValue, averageValue: \"5\"", "waiting-only"},
		"a name that is gone":          {"vllm_gpu_cache_usage_perc", "AverageValue, averageValue: 850m", "renamed-metric"},
		"a name that nobody knows":     {"queue_messages, selector: {matchLabels: {deployment: a}}", "Value, value: \"5\"", ""},
		"a recommendation":             {"infscale_desired_replicas, selector: {matchLabels: {workload: a}}", "AverageValue, averageValue: \"1\"", ""},
		"a recommendation over two":    {"infscale_desired_replicas, selector: {matchLabels: {workload: a}}", "AverageValue, averageValue: \"2\"", "replica-target"},
		"a recommendation under Value": {"infscale_desired_replicas, selector: {matchLabels: {workload: a}}", "Value, value: \"1\"", "value-of-total"},
	} {
		manifest := fmt.Sprintf(`
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
  maxReplicas: 8
  behavior: {scaleDown: {stabilizationWindowSeconds: 0}}
  metrics:
    - type: External
      external:
        metric: {name: %s}
        target: {type: %s}
`, row.metric, row.target)
		if got := found(t, manifest); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// serving returns a Deployment of one container.
func serving(pod, container string) string {
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat}
spec:
  template:
    spec:
      %s
      containers:
        - name: server
          %s
`, pod, strings.ReplaceAll(container, "; ", "\n          "))
}

func TestServers(t *testing.T) {
	const vllm = "image: example.org:5000/lmcache/vllm-openai:v1@sha256:abc"
	for name, row := range map[string]struct{ pod, container, want string }{
		"vLLM, which waits":               {"terminationGracePeriodSeconds: 330", vllm + "; args: [--shutdown-timeout=300]; lifecycle: {preStop: {sleep: {seconds: 20}}}", ""},
		"a wait as long as the grace":     {"terminationGracePeriodSeconds: 330", vllm + "; args: [--shutdown-timeout=300]; lifecycle: {preStop: {sleep: {seconds: 30}}}", "short-grace"},
		"the default grace":               {"", vllm + "; args: [--shutdown-timeout=20]", "short-grace"},
		"the default grace, spelled out":  {"terminationGracePeriodSeconds: 30", vllm + "; args: [--shutdown-timeout=20]", "short-grace"},
		"a hook that sleeps long enough":  {"terminationGracePeriodSeconds: 330", vllm + "; lifecycle: {preStop: {exec: {command: [/bin/sh, -c, \"sleep 300; exit 0\"]}}}", ""},
		"a hook that only sleeps a bit":   {"terminationGracePeriodSeconds: 330", vllm + "; lifecycle: {preStop: {exec: {command: [sleep, \"15\"]}}}", "no-drain"},
		"no wait by default":              {"terminationGracePeriodSeconds: 330", vllm, "no-drain"},
		"a flag that does not exist":      {"terminationGracePeriodSeconds: 330", vllm + "; args: [--enable-graceful-shutdown, --shutdown-timeout, \"300\"]", "no-such-drain"},
		"a path that does not exist":      {"terminationGracePeriodSeconds: 330", vllm + "; args: [--shutdown-timeout, \"300\"]; lifecycle: {preStop: {httpGet: {path: /shutdown, port: 8000}}}", "no-such-drain"},
		"vLLM by its command":             {"", "image: python; command: [vllm, serve]", "no-drain short-grace"},
		"vLLM by its module":              {"", "image: python; command: [python3, -m, vllm.entrypoints.openai.api_server]", "no-drain short-grace"},
		"vLLM that measures":              {"", "image: python; command: [vllm, bench, serve]", ""},
		"SGLang":                          {"terminationGracePeriodSeconds: 120", "image: lmsysorg/sglang:v0.5", ""},
		"llama.cpp by its path":           {"", "image: ubuntu; command: [/usr/local/bin/llama-server]", "short-grace"},
		"a simulator, which has no users": {"", "image: ghcr.io/llm-d/llm-d-inference-sim:v1.0.0; args: [--max-num-seqs, \"2\"]", ""},
	} {
		if got := found(t, serving(row.pod, row.container)); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

func TestSlotsOfTheServer(t *testing.T) {
	const query = `sum(vllm:num_requests_running{a="b"})`
	for name, row := range map[string]struct{ container, threshold, want string }{
		"below the slots":         {"image: sglang; args: [--max-running-requests, \"64\"]", "48", ""},
		"at the slots":            {"image: sglang; args: [--max-running-requests=64]", "64", "unreachable-target"},
		"llama.cpp has one":       {"image: llama.cpp:server", "1", "unreachable-target"},
		"llama.cpp with four":     {"image: llama.cpp:server; args: [-np, \"4\"]", "3", ""},
		"vLLM's own are unknown":  {"image: vllm-openai; args: [--shutdown-timeout=90]", "1000", ""},
		"another server has some": {"image: nginx; args: [--max-num-seqs=2]", "10", ""},
	} {
		manifest := serving("terminationGracePeriodSeconds: 100", row.container) + "---" + withQuery(query, "AverageValue", row.threshold)
		if got := found(t, manifest); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

func TestSchedulesNeedAColdStart(t *testing.T) {
	for name, row := range map[string]struct {
		start     string
		coldStart time.Duration
		want      string
	}{
		"half an hour before":        {"30 8 * * 1-5", 10 * time.Minute, ""},
		"as long before":             {"50 8 * * 1-5", 10 * time.Minute, ""},
		"less before":                {"51 8 * * 1-5", 10 * time.Minute, "late-schedule"},
		"at the hour":                {"0 9 * * 1-5", time.Minute, "late-schedule"},
		"at the hour, by default":    {"0 9 * * 1-5", 0, "late-schedule"},
		"several times an hour":      {"*/10 8 * * 1-5", 10 * time.Minute, ""},
		"at no hour that there is":   {"0 25 * * *", time.Minute, "bad-schedule"},
		"with seconds, as elsewhere": {"0 0 9 * * 1-5", time.Minute, "bad-schedule"},
		"at its own end":             {"30 19 * * *", time.Minute, "bad-schedule"},
	} {
		manifest := fmt.Sprintf(`
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: chat}
spec:
  scaleTargetRef: {name: chat}
  minReplicaCount: 1
  maxReplicaCount: 8
  triggers:
    - type: cron
      metadata: {timezone: Europe/Madrid, start: %q, end: 30 19 * * *, desiredReplicas: "6"}
`, row.start)
		findings, _ := lint.Check([]lint.File{{Name: "m.yaml", Data: []byte(manifest)}}, lint.Options{ColdStart: row.coldStart})
		if got := strings.Join(rulesOf(findings), " "); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}

// Targets are compared over all files; versions of one object in several are one object.
func TestTwoScalersAcrossFiles(t *testing.T) {
	object := func(kind, name, namespace string) string {
		return fmt.Sprintf("apiVersion: %s\nkind: %s\nmetadata: {name: %s, namespace: %s}\nspec:\n"+
			"  scaleTargetRef: {kind: Deployment, name: chat}\n  %s\n",
			map[string]string{"ScaledObject": "keda.sh/v1alpha1", "HorizontalPodAutoscaler": "autoscaling/v2"}[kind],
			kind, name, namespace,
			map[string]string{"ScaledObject": "minReplicaCount: 1\n  maxReplicaCount: 8", "HorizontalPodAutoscaler": "maxReplicas: 8"}[kind])
	}
	one := object("ScaledObject", "chat", "a")
	for name, row := range map[string]struct{ other, want string }{
		"an HPA":                            {object("HorizontalPodAutoscaler", "hpa", "a"), "two-scalers"},
		"a second ScaledObject":             {object("ScaledObject", "other", "a"), "two-scalers"},
		"in no namespace that is written":   {object("HorizontalPodAutoscaler", "hpa", `""`), "two-scalers"},
		"in another namespace":              {object("HorizontalPodAutoscaler", "hpa", "b"), ""},
		"the same object, as in an overlay": {one, ""},
		"the same object twice in a file":   {"apiVersion: v1\nkind: Secret\n---\n" + one + "---\n" + one, "two-scalers"},
	} {
		findings := check(t, lint.File{Name: "a.yaml", Data: []byte(one)}, lint.File{Name: "b.yaml", Data: []byte(row.other)})
		if got := strings.Join(rulesOf(findings), " "); got != row.want {
			t.Errorf("%s: got %q, want %q", name, got, row.want)
		}
	}
}
