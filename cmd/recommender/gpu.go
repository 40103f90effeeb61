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
	Params        float64 `default:"8" placeholder:"BILLION" help:"Parameters of the model, in billions [${default}]."`
	BytesPerParam float64 `default:"2" placeholder:"BYTES" help:"Bytes that one parameter takes: 2 for FP16, 1 for FP8 [${default}]."`
	Layers        int     `default:"32" help:"Layers of the model [${default}]."`
	KVHeads       int     `name:"kv-heads" default:"8" help:"Heads of keys and values in a layer [${default}]."`
	HeadDim       int     `default:"128" help:"Numbers in a key, and in a value [${default}]."`
	KVBytes       float64 `name:"kv-bytes" default:"2" placeholder:"BYTES" help:"Bytes of one number in the KV cache [${default}]."`

	Memory            float64 `default:"80" placeholder:"GB" help:"Memory of the GPU [${default}]."`
	MemoryUtilization float64 `default:"0.9" placeholder:"FRACTION" help:"Fraction of the memory that the server uses [${default}]."`
	Reserve           float64 `default:"4" placeholder:"GB" help:"Memory that neither weights nor KV cache get [${default}]."`

	TFLOPS              float64 `name:"tflops" default:"990" help:"Peak of dense arithmetic [${default}]."`
	MFU                 float64 `name:"mfu" default:"0.4" placeholder:"FRACTION" help:"Fraction of the peak that prefill reaches [${default}]."`
	Bandwidth           float64 `default:"3350" placeholder:"GB/S" help:"Bandwidth of the memory [${default}]."`
	BandwidthEfficiency float64 `default:"0.7" placeholder:"FRACTION" help:"Fraction of the bandwidth that decode reaches [${default}]."`

	MaxNumSeqs int `default:"64" placeholder:"N" help:"Most requests in a batch [${default}]."`
	Context    int `default:"1000" placeholder:"TOKENS" help:"Tokens of each request, prompt and output, in the decode line [${default}]."`

	ImagePull span    `default:"45s" help:"Time to pull the image [${default}]."`
	LoadRate  float64 `default:"1" placeholder:"GB/S" help:"Rate at which weights load [${default}]."`
	WarmUp    span    `default:"30s" help:"Time from loaded weights to ready [${default}]."`

	CPURequest    float64 `name:"cpu-request" default:"4" placeholder:"CORES" help:"CPU that the pod asks for [${default}]."`
	CPUIdle       float64 `name:"cpu-idle" default:"0.2" placeholder:"CORES" help:"CPU of an idle server [${default}]."`
	CPUEngine     float64 `name:"cpu-engine" default:"1" placeholder:"CORES" help:"CPU of the loop that feeds the GPU while anything runs [${default}]."`
	CPUPerRequest float64 `name:"cpu-per-request" default:"0.01" placeholder:"CORES" help:"CPU of each running request [${default}]."`

	outputFlag
}

// Help says what the numbers are for.
func (c *GPUCmd) Help() string {
	return "Every number has a default, together an 8B model in FP16 on one GPU of 80 GB and 3.35 TB/s."
}

func (c *GPUCmd) replica() sim.Replica {
	const giga, tera = 1e9, 1e12
	return sim.Replica{
		Parameters: c.Params * giga, BytesPerParameter: c.BytesPerParam,
		Layers: c.Layers, KVHeads: c.KVHeads, HeadDim: c.HeadDim, KVBytes: c.KVBytes,
		MemoryBytes: c.Memory * giga, MemoryUtilization: c.MemoryUtilization, ReserveBytes: c.Reserve * giga,
		FLOPS: c.TFLOPS * tera, MFU: c.MFU,
		Bandwidth: c.Bandwidth * giga, BandwidthEfficiency: c.BandwidthEfficiency,
		MaxNumSeqs: c.MaxNumSeqs,
		ImagePull:  time.Duration(c.ImagePull), LoadRate: c.LoadRate * giga, WarmUp: time.Duration(c.WarmUp),
		CPURequest: c.CPURequest, CPUIdle: c.CPUIdle, CPUEngine: c.CPUEngine, CPUPerRequest: c.CPUPerRequest,
	}
}

// Run prints the replica.
func (c *GPUCmd) Run(k *kong.Context) error {
	r := c.replica()
	if err := r.Validate(); err != nil {
		return refuse(fmt.Errorf("%gB model: %w", c.Params, listed("mistakes", parts(err))))
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
	const giga, milli = 1e9, 1e-3
	_, err := fmt.Fprintf(w, `replica model: %gB model, %s, one %g GB GPU
weights %.1f GB (%gB parameters x %g bytes)
KV cache %.1f GB free = %d tokens at %g bytes per token
prefill %.0f tokens/s (%g TFLOPS x %g MFU / %g GFLOP per token)
decode step %.1f ms at batch 1, %.1f ms at batch %d (%d-token contexts): %.0f output tokens/s at full batch
cold start %s s = image %s s + weights %s s at %g GB/s + warm-up %s s
pod CPU idle %.0f%%, batch 1 %.0f%%, batch %d %.0f%% of %g requested cores, whatever the queue
`,
		c.Params, precision(c.BytesPerParam), c.Memory,
		r.WeightBytes()/giga, c.Params, c.BytesPerParam,
		r.KVFreeBytes()/giga, r.KVCapacityTokens(), r.KVBytesPerToken(),
		r.PrefillTokensPerSecond(), c.TFLOPS, c.MFU, r.FLOPPerToken()/giga,
		one/milli, full/milli, batch, c.Context, float64(batch)/full,
		tenths(r.ColdStart()), tenths(r.ImagePull), tenths(r.WeightLoad()), c.LoadRate, tenths(r.WarmUp),
		r.CPUPercent(0), r.CPUPercent(1), batch, r.CPUPercent(float64(batch)), c.CPURequest)
	return err
}

// tenths prints seconds with at most one decimal.
func tenths(d time.Duration) string {
	return strings.TrimSuffix(strconv.FormatFloat(d.Seconds(), 'f', 1, 64), ".0")
}

// precision names the format of parameters by their size.
func precision(bytes float64) string {
	switch bytes {
	case 0.5:
		return "INT4"
	case 1:
		return "FP8"
	case 2:
		return "FP16"
	case 4:
		return "FP32"
	default:
		return fmt.Sprintf("%g bytes per parameter", bytes)
	}
}

// A gpuReport is the result as JSON, in base units.
type gpuReport struct {
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
		WeightBytes: r.WeightBytes(), KVFreeBytes: r.KVFreeBytes(),
		KVBytesPerToken: r.KVBytesPerToken(), KVCapacityTokens: r.KVCapacityTokens(),
		PrefillTokensPerSec: r.PrefillTokensPerSecond(),
		ContextTokens:       contextTokens, FullBatch: batch, One: decode(1), Full: decode(batch),
		IdleCPUPercent:   r.CPUPercent(0),
		ColdStartSeconds: r.ColdStart().Seconds(), ColdStartImageSeconds: r.ImagePull.Seconds(),
		ColdStartWeights: r.WeightLoad().Seconds(), ColdStartWarmUp: r.WarmUp.Seconds(),
	}
}
