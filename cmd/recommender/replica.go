package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/infscale/infscale/recommender/sim"
)

// replicaFlags are a replica on the command line: a preset of model and GPU, and single
// numbers that win over it. What neither says is as in [sim.DefaultReplica].
type replicaFlags struct {
	Model          string `placeholder:"NAME" help:"Preset of the model, such as llama-3.1-8b; \"gpu --list\" shows all [8B parameters in 32 layers]."`
	GPU            string `name:"gpu" placeholder:"NAME" help:"Preset of the GPU, such as h100; \"gpu --list\" shows all [80 GB, 3350 GB/s, 990 TFLOPS]."`
	Precision      string `placeholder:"FORMAT" help:"Format of the weights: fp16, bf16 or fp8. With fp8 the arithmetic of --gpu is that of FP8, if it has one [16 bits]."`
	TensorParallel int    `default:"1" placeholder:"N" help:"GPUs that share one model. All numbers are of one of them [${default}]."`

	Params        *float64 `placeholder:"BILLION" help:"Parameters of the model, in billions [8]."`
	BytesPerParam *float64 `placeholder:"BYTES" help:"Bytes that one parameter takes: 2 for FP16, 1 for FP8 [2]."`
	Layers        *int     `placeholder:"N" help:"Layers of the model [32]."`
	KVHeads       *int     `name:"kv-heads" placeholder:"N" help:"Heads of keys and values in a layer [8]."`
	HeadDim       *int     `placeholder:"N" help:"Numbers in a key, and in a value [128]."`
	KVBytes       *float64 `name:"kv-bytes" placeholder:"BYTES" help:"Bytes of one number in the KV cache [2]."`

	Memory            *float64 `placeholder:"GB" help:"Memory of the GPU [80]."`
	MemoryUtilization *float64 `placeholder:"FRACTION" help:"Fraction of the memory that the server uses [0.9]."`
	Reserve           *float64 `placeholder:"GB" help:"Memory that neither weights nor KV cache get [4]."`

	TFLOPS              *float64 `name:"tflops" placeholder:"N" help:"Peak of dense arithmetic [990]."`
	MFU                 *float64 `name:"mfu" placeholder:"FRACTION" help:"Fraction of the peak that prefill reaches [0.4]."`
	Bandwidth           *float64 `placeholder:"GB/S" help:"Bandwidth of the memory [3350]."`
	BandwidthEfficiency *float64 `placeholder:"FRACTION" help:"Fraction of the bandwidth that decode reaches [0.7]."`
	ParallelEfficiency  *float64 `placeholder:"FRACTION" help:"Fraction of arithmetic and bandwidth that communication leaves to several GPUs [0.85]."`

	MaxNumSeqs *int `placeholder:"N" help:"Most requests in a batch [64]."`

	ImagePull *span    `placeholder:"DURATION" help:"Time to pull the image [45s]."`
	LoadRate  *float64 `placeholder:"GB/S" help:"Rate at which weights load, of all GPUs together [1]."`
	WarmUp    *span    `placeholder:"DURATION" help:"Time from loaded weights to ready [30s]."`

	CPURequest    *float64 `name:"cpu-request" placeholder:"CORES" help:"CPU that the pod asks for [4]."`
	CPUIdle       *float64 `name:"cpu-idle" placeholder:"CORES" help:"CPU of an idle server [0.2]."`
	CPUEngine     *float64 `name:"cpu-engine" placeholder:"CORES" help:"CPU of the loop that feeds the GPU while anything runs [1]."`
	CPUPerRequest *float64 `name:"cpu-per-request" placeholder:"CORES" help:"CPU of each running request [0.01]."`
}

// replica returns the replica, validated. Its error names the model.
func (f *replicaFlags) replica() (sim.Replica, error) {
	p := sim.Preset{Model: f.Model, GPU: f.GPU, Precision: sim.Precision(f.Precision), TensorParallel: f.TensorParallel}
	r, err := p.With(f.numbers())
	if p.TensorParallel == 0 { // which a preset takes for one
		err = sim.CheckGPUs(0)
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", f.modelName(), listed("mistakes", parts(err)))
	}
	return r, nil
}

// numbers are those of the flags that were given.
func (f *replicaFlags) numbers() *sim.Numbers {
	return &sim.Numbers{
		Params: f.Params, BytesPerParam: f.BytesPerParam,
		Layers: f.Layers, KVHeads: f.KVHeads, HeadDim: f.HeadDim, KVBytes: f.KVBytes,
		Memory: f.Memory, MemoryUtilization: f.MemoryUtilization, Reserve: f.Reserve,
		TFLOPS: f.TFLOPS, MFU: f.MFU,
		Bandwidth: f.Bandwidth, BandwidthEfficiency: f.BandwidthEfficiency, ParallelEfficiency: f.ParallelEfficiency,
		MaxNumSeqs: f.MaxNumSeqs,
		LoadRate:   f.LoadRate, ImagePull: (*time.Duration)(f.ImagePull), WarmUp: (*time.Duration)(f.WarmUp),
		CPURequest: f.CPURequest, CPUIdle: f.CPUIdle, CPUEngine: f.CPUEngine, CPUPerRequest: f.CPUPerRequest,
	}
}

// modelName is what people call the model: the name of its preset, else its size.
func (f *replicaFlags) modelName() string {
	if f.Model != "" {
		return strings.ToLower(f.Model)
	}
	return fmt.Sprintf("%gB model", orElse(f.Params, sim.DefaultReplica().Parameters/1e9))
}

// describe says in one line what a replica is.
func (f *replicaFlags) describe(r *sim.Replica) string {
	weights := precision(r.BytesPerParameter)
	switch {
	case f.Precision != "" && f.BytesPerParam == nil:
		weights = strings.ToUpper(f.Precision)
	case f.Model != "" && weights == "FP16":
		weights = "BF16" // as it is published
	}
	return fmt.Sprintf("%s, %s, %s", f.modelName(), weights, f.hardware(r))
}

// hardware says on what a replica runs.
func (f *replicaFlags) hardware(r *sim.Replica) string {
	name, memory := strings.ToLower(f.GPU), r.MemoryBytes/1e9/float64(r.GPUs)
	switch {
	case r.GPUs > 1 && name != "":
		return fmt.Sprintf("%d %s GPUs of %.4g GB", r.GPUs, name, memory)
	case r.GPUs > 1:
		return fmt.Sprintf("%d GPUs of %.4g GB", r.GPUs, memory)
	case name != "":
		return fmt.Sprintf("one %s GPU of %.4g GB", name, memory)
	default:
		return fmt.Sprintf("one %.4g GB GPU", memory)
	}
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
