package promapi

import (
	"slices"

	"github.com/prometheus/prometheus/model/labels"
)

// A measure is one quantity that engines export.
type measure uint8

const (
	running measure = iota
	waiting
	kvCacheUsage
	promptTokens
	outputTokens
	completions
	ttft
	measures
)

// A kind is the type of a metric: what has to be done to it to become a quantity.
type kind uint8

const (
	gauge kind = iota
	counter
	histogram
)

// measured says how each measure becomes one number per replica. Counters and
// histograms add up over every label that is not a twin: is_streaming,
// finished_reason and source split them.
var measured = [measures]struct {
	name string
	kind kind
	// max says that the largest part counts: a fraction of a cache does not add up.
	max bool
}{
	running:      {name: "running", kind: gauge},
	waiting:      {name: "waiting", kind: gauge},
	kvCacheUsage: {name: "kv_cache_usage", kind: gauge, max: true},
	promptTokens: {name: "prompt_tokens", kind: counter},
	outputTokens: {name: "output_tokens", kind: counter},
	completions:  {name: "completions", kind: counter},
	ttft:         {name: "ttft", kind: histogram},
}

// A profile is what is known of the metrics of one engine. The same table
// renders the PromQL and reads pages.
type profile struct {
	name string
	// hint is what a user does so that the engine exports metrics at all.
	hint string
	// prefixes of the names, in order of preference: pipelines that cannot write a
	// colon rename it, and Ray puts its own name in front.
	prefixes []string
	// names of each measure without prefix, newest first. None is: not exported.
	names [measures][]string
	// own matches the engine's series, where another program has some of the same name.
	own *labels.Matcher
	// total is a label whose empty value is the total of its other values.
	total string
	// bounds are the default upper bounds of the buckets of ttft.
	bounds []float64
}

// profiles are in the order of detection: the first whose queue is on a page wins.
var profiles = [...]profile{
	{
		name:     "vllm",
		hint:     "vLLM exports them unless started with --disable-log-stats",
		prefixes: []string{"vllm:", "vllm_", "ray_vllm_"},
		names: [measures][]string{
			running:      {"num_requests_running"},
			waiting:      {"num_requests_waiting"},
			kvCacheUsage: {"kv_cache_usage_perc", "gpu_cache_usage_perc"},
			promptTokens: {"prompt_tokens_total"},
			outputTokens: {"generation_tokens_total"},
			completions:  {"request_success_total"},
			ttft:         {"time_to_first_token_seconds"},
		},
		// The router of the production stack exports what it sent to each server
		// under the name of the engine's own gauge.
		own: labels.MustNewMatcher(labels.MatchNotRegexp, "server", "https?://.*"),
		bounds: []float64{
			0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
		},
	},
	{
		name:     "sglang",
		hint:     "SGLang exports them with --enable-metrics",
		prefixes: []string{"sglang:", "sglang_"},
		names: [measures][]string{
			running:      {"num_running_reqs"},
			waiting:      {"num_queue_reqs"},
			kvCacheUsage: {"token_usage"},
			promptTokens: {"prompt_tokens_total"},
			outputTokens: {"generation_tokens_total"},
			completions:  {"num_requests_total"},
			ttft:         {"time_to_first_token_seconds"},
		},
		total:  "priority",
		bounds: []float64{0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400},
	},
	{
		name:     "llama.cpp",
		hint:     "llama.cpp exports them with --metrics",
		prefixes: []string{"llamacpp:", "llamacpp_"},
		names: [measures][]string{
			running:      {"requests_processing"},
			waiting:      {"requests_deferred"},
			kvCacheUsage: {"kv_cache_usage_ratio"},
			promptTokens: {"prompt_tokens_total"},
			outputTokens: {"tokens_predicted_total"},
		},
	},
}

// Engines lists the names of the profiles, in the order in which they are tried.
func Engines() []string {
	names := make([]string, len(profiles))
	for i := range profiles {
		names[i] = profiles[i].name
	}
	return names
}

// EngineHint returns what a user does so that the engine exports metrics at all.
func EngineHint(engine string) string {
	if i := engineIndex(engine); i >= 0 {
		return profiles[i].hint
	}
	return ""
}

// EngineExports reports whether replicas of the engine export the fullness of their
// KV cache, and the time to the first token, so that a signal on it can ever have a value.
func EngineExports(engine string) (kvCache, firstToken bool) {
	i := engineIndex(engine)
	if i < 0 {
		return true, true
	}
	// The newest llama.cpp has no KV gauge any more; an old one is still read.
	return profiles[i].name != "llama.cpp", len(profiles[i].names[ttft]) > 0
}

// engineIndex returns the index of the profile of that name, or -1.
func engineIndex(name string) int {
	return slices.IndexFunc(profiles[:], func(p profile) bool { return p.name == name })
}

// aliases returns the full names of a measure, in order of preference: all
// spellings of the newest name first.
func (p *profile) aliases(m measure) []string {
	var full []string
	for _, name := range p.names[m] {
		for _, prefix := range p.prefixes {
			full = append(full, prefix+name)
		}
	}
	return full
}

// twins are the labels in which two series of the same quantity may differ: who
// scraped it, and which of several processes that do the same work reported it.
// Every other label, instance among them, tells apart what has to be added.
var twins = []string{
	"job", "endpoint", "service", "container", "prometheus_replica",
	"pid", "tp_rank", "pp_rank", "moe_ep_rank",
}

// A heldMetric is one series of requests that wait in front of the pods.
type heldMetric struct {
	signal, name string
	// proxied says that requests on their way through are counted too, so that the
	// number says nothing while a pod is ready.
	proxied bool
	// labels are the names on this series of what a workload is matched by.
	labels map[string]string
}

// The words by which a held series is matched to a workload.
const (
	heldNamespace = "namespace"
	heldRoute     = "route"
	heldHost      = "host"
	heldService   = "service"
	heldRevision  = "revision"
)

// heldPresets are in order of preference: the first with a series of the workload wins.
var heldPresets = map[string][]heldMetric{
	HeldKEDA: {
		{signal: "held.keda_http", name: "interceptor_request_concurrency", proxied: true, labels: map[string]string{
			heldNamespace: "route_namespace", heldRoute: "route_name",
		}},
		{signal: "held.keda_http_host", name: "interceptor_pending_request_count", proxied: true, labels: map[string]string{
			heldHost: "host",
		}},
	},
	HeldKnative: {
		{signal: "held.knative_queued", name: "kn_revision_request_queued", labels: map[string]string{
			heldNamespace: "k8s_namespace_name", heldRevision: "kn_revision_name",
		}},
		{signal: "held.knative_concurrency", name: "kn_revision_request_concurrency", proxied: true, labels: map[string]string{
			heldNamespace: "k8s_namespace_name", heldRevision: "kn_revision_name", heldService: "kn_service_name",
		}},
		{signal: "held.knative_activator", name: "activator_request_concurrency", proxied: true, labels: map[string]string{
			heldNamespace: "namespace_name", heldRevision: "revision_name", heldService: "service_name",
		}},
	},
}
