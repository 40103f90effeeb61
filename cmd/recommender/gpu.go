package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/recommender/sim"
)

// GPUCmd derives a replica from numbers of its model and hardware.
type GPUCmd struct {
	replicaFlags `embed:"" group:"Replica"`

	Context int  `default:"1000" placeholder:"TOKENS" help:"Tokens of each request, prompt and output, in the decode line [${default}]."`
	List    bool `help:"Show the presets of models and GPUs, with the source of each, and nothing else."`

	outputFlag
}

// Help says what the numbers are for.
func (c *GPUCmd) Help() string {
	return `Every number has a default, together an 8B model in FP16 on one GPU of 80 GB and 3.35 TB/s. --model and
--gpu replace those of the model and of the GPU, and a number that is given wins over both. Models of experts (MoE) are not modelled.`
}

// Run prints the replica.
func (c *GPUCmd) Run(k *kong.Context) error {
	if c.List {
		return c.list(k.Stdout)
	}
	r, err := c.replica()
	if err != nil {
		return refuse(err)
	}
	if c.Context < 1 || r.FullBatch(c.Context) < 1 {
		return refuse(fmt.Errorf("a request of %d tokens: want at least 1 and at most the %d that the KV cache holds",
			c.Context, r.KVCapacityTokens()))
	}
	if c.json() {
		return printJSON(k.Stdout, newGPUReport(&r, c.Context))
	}
	return c.print(k.Stdout, &r)
}

func (c *GPUCmd) print(w io.Writer, r *sim.Replica) error {
	batch := r.FullBatch(c.Context)
	one, full := r.DecodeStep(float64(c.Context)), r.DecodeStep(float64(batch)*float64(c.Context))
	const tera, giga, milli = 1e12, 1e9, 1e-3
	_, err := fmt.Fprintf(w, `replica model: %s
weights %.1f GB (%.4gB parameters x %g bytes)
KV cache %.1f GB free = %d tokens at %g bytes per token
prefill %.0f tokens/s (%.4g TFLOPS x %g MFU / %.4g GFLOP per token)
decode step %.1f ms at batch 1, %.1f ms at batch %d (%d-token contexts): %.0f output tokens/s at full batch
cold start %s s = image %s s + weights %s s at %g GB/s + warm-up %s s
pod CPU idle %.0f%%, batch 1 %.0f%%, batch %d %.0f%% of %g requested cores, whatever the queue
`,
		c.describe(r),
		r.WeightBytes()/giga, r.Parameters/giga, r.BytesPerParameter,
		r.KVFreeBytes()/giga, r.KVCapacityTokens(), r.KVBytesPerToken(),
		r.PrefillTokensPerSecond(), r.FLOPS/tera, r.MFU, r.FLOPPerToken()/giga,
		one/milli, full/milli, batch, c.Context, float64(batch)/full,
		tenths(r.ColdStart()), tenths(r.ImagePull), tenths(r.WeightLoad()), r.LoadRate/giga, tenths(r.WarmUp),
		r.CPUPercent(0), r.CPUPercent(1), batch, r.CPUPercent(float64(batch)), r.CPURequest)
	return err
}

// tenths prints seconds with at most one decimal.
func tenths(d time.Duration) string {
	return strings.TrimSuffix(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".0")
}

// A gpuReport is the result as JSON, in base units.
type gpuReport struct {
	GPUs                  int       `json:"gpus"`
	WeightBytes           float64   `json:"weight_bytes"`
	KVFreeBytes           float64   `json:"kv_free_bytes"`
	KVBytesPerToken       float64   `json:"kv_bytes_per_token"`
	KVCapacityTokens      int       `json:"kv_capacity_tokens"`
	PrefillTokensPerSec   float64   `json:"prefill_tokens_per_second"`
	ContextTokens         int       `json:"context_tokens"`
	FullBatch             int       `json:"full_batch"`
	One                   gpuDecode `json:"batch_one"`
	Full                  gpuDecode `json:"batch_full"`
	IdleCPUPercent        float64   `json:"idle_cpu_percent"`
	ColdStartSeconds      float64   `json:"cold_start_seconds"`
	ColdStartImageSeconds float64   `json:"cold_start_image_seconds"`
	ColdStartWeights      float64   `json:"cold_start_weights_seconds"`
	ColdStartWarmUp       float64   `json:"cold_start_warm_up_seconds"`
}

// A gpuDecode is what a batch of one size does.
type gpuDecode struct {
	StepSeconds         float64 `json:"step_seconds"`
	OutputTokensPerSec  float64 `json:"output_tokens_per_second"`
	CPUPercentOfRequest float64 `json:"cpu_percent"`
}

func newGPUReport(r *sim.Replica, contextTokens int) gpuReport {
	decode := func(batch int) gpuDecode {
		step := r.DecodeStep(float64(batch) * float64(contextTokens))
		return gpuDecode{step, float64(batch) / step, r.CPUPercent(float64(batch))}
	}
	batch := r.FullBatch(contextTokens)
	return gpuReport{
		GPUs:        r.GPUs,
		WeightBytes: r.WeightBytes(), KVFreeBytes: r.KVFreeBytes(),
		KVBytesPerToken: r.KVBytesPerToken(), KVCapacityTokens: r.KVCapacityTokens(),
		PrefillTokensPerSec: r.PrefillTokensPerSecond(),
		ContextTokens:       contextTokens, FullBatch: batch, One: decode(1), Full: decode(batch),
		IdleCPUPercent:   r.CPUPercent(0),
		ColdStartSeconds: r.ColdStart().Seconds(), ColdStartImageSeconds: r.ImagePull.Seconds(),
		ColdStartWeights: r.WeightLoad().Seconds(), ColdStartWarmUp: r.WarmUp.Seconds(),
	}
}
