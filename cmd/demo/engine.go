package main

import (
	"slices"
	"time"
)

// What one replica can do. With these numbers a request takes 1.8 s when it need not wait.
const (
	slots       = 12     // Requests in the batch (max_num_seqs).
	prefillRate = 4000.0 // Prompt tokens a second, shared by the batch.
	decodeRate  = 40.0   // Generated tokens a second, of each request.
	kvTokens    = 16384  // Tokens the KV cache holds.
)

// A request is one user's, from the front door to its last token.
type request struct {
	arrived        time.Time // At the interceptor, which is when the user starts to wait.
	sent           time.Time // To the engine, which is when the engine's own clock starts.
	prompt, output int       // Tokens.

	prefilled, decoded float64 // Tokens so far.
	started            bool    // Its first token is out.
}

func (r *request) done() bool { return int(r.decoded) >= r.output }

// An engine is a model server: a queue, a batch, and what it counts.
type engine struct {
	waiting, running []*request

	promptTokens, outputTokens, served int
	ttft                               histogram
}

// outstanding is what the router balances by.
func (e *engine) outstanding() int { return len(e.waiting) + len(e.running) }

func (e *engine) accept(r *request, now time.Time) {
	r.sent = now
	e.waiting = append(e.waiting, r)
}

// kvUsage is the fraction of the KV cache the batch occupies.
func (e *engine) kvUsage() float64 {
	var tokens float64
	for _, r := range e.running {
		tokens += r.prefilled + r.decoded
	}
	return min(1, tokens/kvTokens)
}

// step serves for dt, until now, and returns the requests that got their first token and
// those that are done.
func (e *engine) step(now time.Time, dt time.Duration) (started, done []*request) {
	free := min(slots-len(e.running), len(e.waiting))
	e.running = append(e.running, e.waiting[:free]...)
	e.waiting = slices.Delete(e.waiting, 0, free)

	decoding := slices.DeleteFunc(slices.Clone(e.running), func(r *request) bool { return !r.started })
	started = e.prefill(now, dt)
	for _, r := range decoding {
		e.decode(r, decodeRate*dt.Seconds())
	}
	for _, r := range e.running {
		if r.done() {
			done = append(done, r)
		}
	}
	e.served += len(done)
	e.running = slices.DeleteFunc(e.running, (*request).done)
	return started, done
}

// prefill works off prompts in the order they came. The end of a prompt is the first token.
func (e *engine) prefill(now time.Time, dt time.Duration) (started []*request) {
	budget := prefillRate * dt.Seconds()
	for _, r := range e.running {
		if r.started {
			continue
		}
		take := min(budget, float64(r.prompt)-r.prefilled)
		r.prefilled += take
		budget -= take
		if r.prefilled < float64(r.prompt) {
			break
		}
		r.started = true
		e.promptTokens += r.prompt
		e.decode(r, 1)
		e.ttft.observe(now.Sub(r.sent).Seconds())
		started = append(started, r)
	}
	return started
}

// decode adds tokens to a request and counts the whole ones.
func (e *engine) decode(r *request, tokens float64) {
	before := int(r.decoded)
	r.decoded = min(r.decoded+tokens, float64(r.output))
	e.outputTokens += int(r.decoded) - before
}

// ttftBounds are vLLM's buckets of vllm:time_to_first_token_seconds.
var ttftBounds = []float64{
	0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75,
	1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
}

// A histogram counts seconds into ttftBounds. Its last count is beyond them all.
type histogram struct {
	counts [23]int
	sum    float64
}

func (h *histogram) observe(v float64) {
	i, _ := slices.BinarySearch(ttftBounds, v) // A bound belongs to its own bucket.
	h.counts[i]++
	h.sum += v
}
