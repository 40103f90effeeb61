package sim

import (
	"fmt"
	"time"
)

// Numbers replace numbers of a preset, each unless it is nil. They are of one GPU, and
// in the units of a data sheet.
type Numbers struct {
	// Params in billions.
	Params        *float64
	BytesPerParam *float64

	Layers, KVHeads, HeadDim *int
	KVBytes                  *float64

	// Memory and Reserve in GB.
	Memory, MemoryUtilization, Reserve *float64

	// TFLOPS are dense. Bandwidth is in GB/s.
	TFLOPS, MFU                    *float64
	Bandwidth, BandwidthEfficiency *float64

	// ParallelEfficiency is the fraction of arithmetic and bandwidth that is left
	// beside the communication when several GPUs share a model.
	ParallelEfficiency *float64

	MaxNumSeqs *int

	// LoadRate in GB/s, for all GPUs together.
	LoadRate          *float64
	ImagePull, WarmUp *time.Duration

	CPURequest, CPUIdle, CPUEngine, CPUPerRequest *float64
}

// apply replaces what n has in r, a replica on one GPU.
func (n *Numbers) apply(r *Replica) {
	for _, f := range [...]struct {
		from *float64
		unit float64
		into *float64
	}{
		{n.Params, giga, &r.Parameters},
		{n.BytesPerParam, 1, &r.BytesPerParameter},
		{n.KVBytes, 1, &r.KVBytes},
		{n.Memory, giga, &r.MemoryBytes},
		{n.MemoryUtilization, 1, &r.MemoryUtilization},
		{n.Reserve, giga, &r.ReserveBytes},
		{n.TFLOPS, tera, &r.FLOPS},
		{n.MFU, 1, &r.MFU},
		{n.Bandwidth, giga, &r.Bandwidth},
		{n.BandwidthEfficiency, 1, &r.BandwidthEfficiency},
		{n.LoadRate, giga, &r.LoadRate},
		{n.CPURequest, 1, &r.CPURequest},
		{n.CPUIdle, 1, &r.CPUIdle},
		{n.CPUEngine, 1, &r.CPUEngine},
		{n.CPUPerRequest, 1, &r.CPUPerRequest},
	} {
		if f.from != nil {
			*f.into = *f.from * f.unit
		}
	}
	replace(&r.Layers, n.Layers)
	replace(&r.KVHeads, n.KVHeads)
	replace(&r.HeadDim, n.HeadDim)
	replace(&r.MaxNumSeqs, n.MaxNumSeqs)
	replace(&r.ImagePull, n.ImagePull)
	replace(&r.WarmUp, n.WarmUp)
}

func replace[T any](into, with *T) {
	if with != nil {
		*into = *with
	}
}

// DefaultParallelEfficiency is an assumption and no measurement. A decode step of a
// large model takes about 15 ms on each of the GPUs that share it, and the two sums over
// all GPUs in each of its 80 layers take about 15 microseconds each over NVLink, another
// 2.4 ms. Cards without such a link lose far more.
const DefaultParallelEfficiency = 0.85

func (n *Numbers) efficiency() float64 {
	if n.ParallelEfficiency == nil {
		return DefaultParallelEfficiency
	}
	return *n.ParallelEfficiency
}

// check returns what is wrong with the number that has no field in a replica.
func (n *Numbers) check() error {
	if v := n.efficiency(); !(v > 0 && v <= 1) {
		return &FieldError{"parallel_efficiency", "parallel efficiency", fmt.Sprintf("must be above 0 and at most 1, got %v", v)}
	}
	return nil
}

// mostGPUs is more than the GPUs that share one fast link.
const mostGPUs = 72

// CheckGPUs returns what is wrong with a number of GPUs.
func CheckGPUs(n int) error {
	if n >= 1 && n <= mostGPUs {
		return nil
	}
	return &FieldError{"tensor_parallel", "GPUs", fmt.Sprintf("must be 1 to %d, got %d", mostGPUs, n)}
}

// splits reports GPUs that a model cannot be split over. Each takes as many heads of the
// queries as the others, and the heads of the cache are split or, where there are more
// GPUs than those, copied.
func splits(gpus, heads, kvHeads int) error {
	problem := ""
	switch {
	case heads%gpus != 0: // which 0, not known, passes
		problem = fmt.Sprintf("must divide the %d attention heads of the model, got %d", heads, gpus)
	case kvHeads%gpus != 0 && gpus%kvHeads != 0:
		problem = fmt.Sprintf("must divide the %d KV heads of the model, or be a multiple of them, got %d", kvHeads, gpus)
	default:
		return nil
	}
	return &FieldError{"tensor_parallel", "GPUs", problem}
}

// parallel returns the replica that n GPUs such as the one of r make together by tensor
// parallelism. Each holds its part of the weights and of the cache, and all work on
// every token. A GPU needs at least one head of keys and values, so that with more GPUs
// than heads the cache holds copies, and a token takes more of it.
//
// All GPUs load at the same time from one source, each its part: the load rate is that
// of the source, and stays.
func (r Replica) parallel(n int, efficiency float64) Replica {
	if n == 1 {
		return r
	}
	r.GPUs = n
	r.MemoryBytes *= float64(n)
	r.ReserveBytes *= float64(n)
	r.FLOPS *= float64(n) * efficiency
	r.Bandwidth *= float64(n) * efficiency
	r.KVHeads = max(r.KVHeads, n)
	return r
}
