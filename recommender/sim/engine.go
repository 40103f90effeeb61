package sim

import (
	"errors"
	"fmt"
)

// An Engine says how a model server schedules its requests. The zero Engine reads
// whole prompts while decoding stands still, reserves cache for prompt and output on
// admission, caches no prefixes, and refuses nobody.
type Engine struct {
	// ChunkTokens mixes that many prompt tokens into each decode step, as chunked
	// prefill does; 0 stalls decoding while a prompt is read.
	ChunkTokens int
	// PrefixCache is the fraction of a prompt's shared prefix that a replica which has
	// served before need not read again.
	PrefixCache float64
	// Preemption admits a request once its prompt fits. When the cache is full the
	// youngest request gives its place up and is read again later.
	Preemption bool
	// MaxQueue is how many requests may wait in one replica, and in front of all of
	// them; one more is answered with 429. 0 is no limit.
	MaxQueue int
}

// Validate returns every mistake in e.
func (e *Engine) Validate() error {
	var errs []error
	if e.ChunkTokens < 0 {
		errs = append(errs, fmt.Errorf("chunk tokens must not be negative, got %d", e.ChunkTokens))
	}
	if !(e.PrefixCache >= 0 && e.PrefixCache <= 1) {
		errs = append(errs, fmt.Errorf("prefix cache must be between 0 and 1, got %v", e.PrefixCache))
	}
	if e.MaxQueue < 0 {
		errs = append(errs, fmt.Errorf("queue must not be negative, got %d", e.MaxQueue))
	}
	return errors.Join(errs...)
}

// A model is a replica and its engine as the few numbers that a server computes with.
type model struct {
	engine Engine
	// readRate is the tokens of a prompt read per second, read the seconds of one.
	readRate, read float64
	// chunk is how many tokens of a prompt a decode step reads too, 0 if reading stalls it.
	chunk float64
	// step and stepToken give the seconds of a decode step: step + stepToken x the
	// tokens of all running requests together.
	step, stepToken float64
	// slots of the batch, and tokens that the cache holds.
	slots    int
	capacity float64
}

func newModel(r *Replica, e Engine) model {
	return model{
		engine:   e,
		readRate: r.PrefillTokensPerSecond(), read: 1 / r.PrefillTokensPerSecond(),
		chunk: float64(e.ChunkTokens),
		step:  r.DecodeStep(0), stepToken: r.DecodeStep(1) - r.DecodeStep(0),
		slots: r.MaxNumSeqs, capacity: float64(r.KVCapacityTokens()),
	}
}

// needs returns the tokens of cache that a request must find free to be admitted.
func (m *model) needs(r size) float64 {
	if m.engine.Preemption {
		return float64(r.prompt)
	}
	return r.tokens()
}

// unread returns the tokens of a prompt that a server has to read. At least the last
// one is never taken from the cache.
func (m *model) unread(r size, warm bool) float64 {
	prompt := float64(r.prompt)
	if !warm || m.engine.PrefixCache == 0 {
		return prompt
	}
	return max(prompt-m.engine.PrefixCache*float64(r.prefix), min(prompt, 1))
}
