package lint

import (
	"slices"
	"strings"
)

// prefixes of the names of engines. Pipelines that cannot write a colon rename it, and Ray puts
// its own name in front.
var prefixes = []struct{ engine, prefix string }{
	{"vllm", "ray_vllm_"},
	{"vllm", "vllm:"},
	{"vllm", "vllm_"},
	{"sglang", "sglang:"},
	{"sglang", "sglang_"},
	{"llamacpp", "llamacpp:"},
	{"llamacpp", "llamacpp_"},
}

// gauges of the engines by what they measure, without prefix.
var (
	runningGauges = []string{"num_requests_running", "num_running_reqs", "requests_processing"}
	waitingGauges = []string{"num_requests_waiting", "num_queue_reqs", "requests_deferred"}
	ratioGauges   = []string{
		"kv_cache_usage_perc", "gpu_cache_usage_perc", "cpu_cache_usage_perc", "token_usage",
		"full_token_usage", "swa_token_usage", "cache_hit_rate", "kv_cache_usage_ratio",
	}
	otherGauges = []string{
		"num_requests_swapped", "gen_throughput", "num_used_tokens", "kv_cache_tokens",
		"predicted_tokens_seconds", "prompt_tokens_seconds", "avg_prompt_throughput_toks_per_s",
		"avg_generation_throughput_toks_per_s",
	}
)

// ownRatios are fractions that infscale exports.
var ownRatios = []string{
	"infscale_kv_cache_usage_ratio", "infscale_batch_fill_ratio", "infscale_slo_risk_ratio", "infscale_slo_miss_ratio",
}

// base returns the engine and the name without its prefix.
func base(name string) (engine, rest string, ok bool) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(name, p.prefix); ok {
			return p.engine, rest, true
		}
	}
	return "", "", false
}

// isCounter reports whether a metric only grows, by its name.
func isCounter(name string) bool {
	// A colon in a recorded name separates what was done to it: requests_total:rate5m.
	return slices.ContainsFunc([]string{"_total", "_count", "_sum", "_bucket"}, func(suffix string) bool {
		return strings.HasSuffix(name, suffix)
	}) && !slices.Contains([]string{"interceptor_pending_request_count", "vllm:healthy_pods_total"}, name)
}

// isEngine reports whether the servers themselves export the metric. A recorded name may begin
// like an engine's.
func isEngine(name string) bool {
	_, rest, ok := base(name)
	return ok && (isCounter(name) || isEngineGauge(rest) || renamedTo(name) != nil)
}

func isEngineGauge(rest string) bool {
	for _, list := range [][]string{runningGauges, waitingGauges, ratioGauges, otherGauges} {
		if slices.Contains(list, rest) {
			return true
		}
	}
	return false
}

// isGauge reports whether the value goes up and down, as far as names are known.
func isGauge(name string) bool {
	_, rest, ok := base(name)
	return ok && isEngineGauge(rest) || isGPU(name) || isReplicas(name) || slices.Contains(ownRatios, name)
}

// isRatio reports whether the metric is a fraction between 0 and 1.
func isRatio(name string) bool {
	_, rest, ok := base(name)
	return ok && slices.Contains(ratioGauges, rest) || slices.Contains(ownRatios, name)
}

func isWaiting(name string) bool {
	_, rest, ok := base(name)
	return ok && slices.Contains(waitingGauges, rest)
}

func isRunning(name string) bool {
	_, rest, ok := base(name)
	return ok && slices.Contains(runningGauges, rest)
}

// isReplicas reports whether the metric is a number of replicas that infscale exports.
func isReplicas(name string) bool {
	return strings.HasPrefix(name, "infscale_") && strings.HasSuffix(name, "_replicas")
}

// gpuMetrics say how busy a GPU is: the share of time in which any kernel ran.
var gpuMetrics = []string{
	"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "DCGM_FI_PROF_SM_ACTIVE",
	"nvidia_smi_utilization_gpu_ratio", "nvidia_gpu_duty_cycle",
	"kubernetes_io:container_accelerator_duty_cycle",
}

func isGPU(name string) bool { return slices.Contains(gpuMetrics, name) }

// onPods reports whether the series end with the pods of the server.
func onPods(name string) bool {
	return isEngine(name) || strings.HasPrefix(name, "DCGM_FI_") || strings.HasPrefix(name, "container_")
}

// A renaming is a name that an engine gave up.
type renaming struct {
	engine, old, now, since string
}

// renamings, from the histories of vLLM, SGLang and llama.cpp.
var renamings = []renaming{
	{"vllm", "gpu_cache_usage_perc", "kv_cache_usage_perc", "vLLM hides it from 0.11 and removed it in 0.12"},
	{"vllm", "gpu_cache_usage_factor", "kv_cache_usage_perc", "no vLLM ever exported it"},
	{"vllm", "cpu_cache_usage_perc", "", "vLLM removed it with its V0 engine, in 0.9.2"},
	{"vllm", "num_requests_swapped", "", "vLLM removed it with its V0 engine, in 0.9.2"},
	{"vllm", "avg_prompt_throughput_toks_per_s", "rate(vllm:prompt_tokens_total[2m])", "vLLM removed it in January 2025"},
	{"vllm", "avg_generation_throughput_toks_per_s", "rate(vllm:generation_tokens_total[2m])", "vLLM removed it in January 2025"},
	{"vllm", "time_per_output_token_seconds", "inter_token_latency_seconds", "vLLM hides it from 0.12 and removed it around 0.15"},
	{"vllm", "gpu_prefix_cache_queries_total", "prefix_cache_queries_total", "vLLM removed it in 0.12"},
	{"vllm", "gpu_prefix_cache_hits_total", "prefix_cache_hits_total", "vLLM removed it in 0.12"},
	{"vllm", "running_requests", "num_requests_running", "no vLLM ever exported it"},
	{"vllm", "waiting_requests", "num_requests_waiting", "no vLLM ever exported it"},
	{"sglang", "num_requests_running", "num_running_reqs", "that is vLLM's name"},
	{"sglang", "num_requests_waiting", "num_queue_reqs", "that is vLLM's name"},
	{"sglang", "num_prefill_prealloc_queue_reqs", "num_prefill_bootstrap_queue_reqs", "SGLang renamed it in 2026"},
	{"llamacpp", "kv_cache_usage_ratio", "", "llama.cpp removed it in May 2025 (b5440) without a successor"},
	{"llamacpp", "kv_cache_tokens", "", "llama.cpp removed it in May 2025 (b5440) without a successor"},
}

// renamedTo returns the renaming of a metric, of any part of it if it is a histogram.
func renamedTo(name string) *renaming {
	engine, rest, ok := base(name)
	if !ok {
		return nil
	}
	for i := range renamings {
		r := &renamings[i]
		if r.engine == engine && (r.old == rest || isCounter(rest) && strings.HasPrefix(rest, r.old+"_")) {
			return r
		}
	}
	return nil
}
