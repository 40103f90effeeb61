package main

import (
	"strconv"
	"time"
)

// modelName is what the fleet pretends to serve.
const modelName = "Qwen/Qwen3-8B"

// A pod is one replica: it loads, serves, and drains when it is deleted.
type pod struct {
	name    string
	uid     string
	created time.Time
	readyAt time.Time // When it is found to have loaded.
	deleted time.Time // Zero while it is wanted.
	engine  engine
}

// probe is how long a server answers before Kubernetes has noticed: the usual readiness
// probe needs one period.
const probe = time.Second

// ready is whether Kubernetes calls it so.
func (p *pod) ready(now time.Time) bool { return !now.Before(p.readyAt) }

// serving is whether requests may be sent to it. One that drains is ready, too.
func (p *pod) serving(now time.Time) bool { return p.ready(now) && p.deleted.IsZero() }

// answers is whether it has a page; until then a scrape fails.
func (p *pod) answers(now time.Time) bool { return !now.Before(p.readyAt.Add(-probe)) }

// gone is whether nothing is left of a deleted pod.
func (p *pod) gone(now time.Time) bool {
	return !p.deleted.IsZero() && (p.engine.outstanding() == 0 || !p.ready(now))
}

// page is the pod's /metrics, with the names and labels of vLLM's V1 engine.
func (p *pod) page() []byte {
	var w page
	own := []string{"engine", "0", "model_name", modelName}
	e := &p.engine
	w.family("vllm:num_requests_running", "gauge", "Requests in the running batch.")
	w.sample(float64(len(e.running)), own...)
	w.family("vllm:num_requests_waiting", "gauge", "Requests waiting to be scheduled.")
	w.sample(float64(len(e.waiting)), own...)
	w.family("vllm:kv_cache_usage_perc", "gauge", "KV-cache usage, 1 is full.")
	w.sample(e.kvUsage(), own...)
	w.family("vllm:num_preemptions_total", "counter", "Preemptions since start.")
	w.sample(0, own...)
	w.family("vllm:prompt_tokens_total", "counter", "Prompt tokens, counted when the prefill of a request ends.")
	w.sample(float64(e.promptTokens), own...)
	w.family("vllm:generation_tokens_total", "counter", "Generated tokens.")
	w.sample(float64(e.outputTokens), own...)
	w.family("vllm:request_success_total", "counter", "Finished requests by reason.")
	w.sample(float64(e.served), "engine", "0", "finished_reason", "stop", "model_name", modelName)
	for _, reason := range []string{"length", "abort", "error", "repetition"} {
		w.sample(0, "engine", "0", "finished_reason", reason, "model_name", modelName)
	}
	w.family("vllm:time_to_first_token_seconds", "histogram", "Arrival at the server to the first token.")
	w.histogram(&e.ttft, own...)
	return w.bytes()
}

// histogram writes the buckets, sum and count of the family begun last.
func (w *page) histogram(h *histogram, labels ...string) {
	total := 0
	for i, n := range h.counts {
		total += n
		le := "+Inf"
		if i < len(ttftBounds) {
			le = strconv.FormatFloat(ttftBounds[i], 'g', -1, 64)
		}
		w.suffixed("_bucket", float64(total), append([]string{"le", le}, labels...)...)
	}
	w.suffixed("_sum", h.sum, labels...)
	w.suffixed("_count", float64(total), labels...)
}
