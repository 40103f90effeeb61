package sim

import "time"

// A Replica is one model server, as facts about the model and the hardware. Start from
// [DefaultReplica] or a [Preset].
type Replica struct {
	// GPUs that the replica takes. The numbers below are those of all of them together.
	GPUs int

	// Parameters of the model, and the bytes that one of them takes.
	Parameters        float64
	BytesPerParameter float64

	// The shape of the attention: a token keeps a key and a value of HeadDim numbers
	// for each KV head of each layer, each number in KVBytes.
	Layers, KVHeads, HeadDim int
	KVBytes                  float64

	// MemoryBytes of the hardware, of which the server uses the fraction
	// MemoryUtilization. ReserveBytes of that are for activations and graphs.
	MemoryBytes       float64
	MemoryUtilization float64
	ReserveBytes      float64

	// FLOPS is the peak of dense arithmetic per second, MFU the fraction of it that
	// reading a prompt reaches.
	FLOPS float64
	MFU   float64

	// Bandwidth of the memory in bytes per second, and the fraction of it that
	// decoding reaches.
	Bandwidth           float64
	BandwidthEfficiency float64

	// MaxNumSeqs is the most requests in one batch.
	MaxNumSeqs int

	// A new replica pulls its image, loads its weights at LoadRate bytes per second,
	// and warms up.
	ImagePull time.Duration
	LoadRate  float64
	WarmUp    time.Duration

	// KnownColdStart is how long all of that takes where it is known as a whole: from
	// a measurement, say. 0 is not known, and then the three parts add up.
	KnownColdStart time.Duration

	// CPURequest is the cores that the pod asks for. It uses CPUIdle cores always,
	// CPUEngine more while anything runs, and CPUPerRequest more for each request in
	// the batch. Waiting requests cost nothing.
	CPURequest, CPUIdle, CPUEngine, CPUPerRequest float64
}

// DefaultReplica returns a model of 8 billion parameters in 16 bits on one GPU with
// 80 GB, 3.35 TB/s and 990 TFLOPS.
func DefaultReplica() Replica {
	return Replica{
		GPUs:       1,
		Parameters: 8e9, BytesPerParameter: 2,
		Layers: 32, KVHeads: 8, HeadDim: 128, KVBytes: 2,
		MemoryBytes: 80e9, MemoryUtilization: 0.9, ReserveBytes: 4e9,
		FLOPS: 990e12, MFU: 0.4,
		Bandwidth: 3350e9, BandwidthEfficiency: 0.7,
		MaxNumSeqs: 64,
		ImagePull:  45 * time.Second, LoadRate: 1e9, WarmUp: 30 * time.Second,
		CPURequest: 4, CPUIdle: 0.2, CPUEngine: 1, CPUPerRequest: 0.01,
	}
}

// WeightBytes is the size of the model's weights.
func (r *Replica) WeightBytes() float64 { return r.Parameters * r.BytesPerParameter }

// KVBytesPerToken is what the cache keeps for one token: a key and a value in every layer.
func (r *Replica) KVBytesPerToken() float64 {
	return 2 * float64(r.Layers) * float64(r.KVHeads) * float64(r.HeadDim) * r.KVBytes
}

// KVFreeBytes is the memory that the weights and the reserve leave for the cache.
// It is negative if they do not fit.
func (r *Replica) KVFreeBytes() float64 {
	return r.MemoryBytes*r.MemoryUtilization - r.WeightBytes() - r.ReserveBytes
}

// KVCapacityTokens is how many tokens the cache holds: prompts and outputs of all
// running requests together.
func (r *Replica) KVCapacityTokens() int {
	const most = 1 << 50 // far below the largest int and exact as a float64
	return int(min(max(r.KVFreeBytes()/r.KVBytesPerToken(), 0), most))
}

// FullBatch is how many requests of that many tokens run at once: the batch is full
// when either its slots or the cache are.
func (r *Replica) FullBatch(contextTokens int) int {
	return min(r.MaxNumSeqs, r.KVCapacityTokens()/max(contextTokens, 1))
}

// FLOPPerToken is the arithmetic for one token: a multiplication and an addition for
// each parameter.
func (r *Replica) FLOPPerToken() float64 { return 2 * r.Parameters }

// PrefillTokensPerSecond is how fast prompts are read, which arithmetic bounds.
func (r *Replica) PrefillTokensPerSecond() float64 { return r.FLOPS * r.MFU / r.FLOPPerToken() }

// DecodeStep is the seconds in which every running request gets its next token, where
// contextTokens is the sum of their contexts. Memory bandwidth bounds it: a step reads
// all weights once, and the cache of each request.
func (r *Replica) DecodeStep(contextTokens float64) float64 {
	return (r.WeightBytes() + contextTokens*r.KVBytesPerToken()) / (r.Bandwidth * r.BandwidthEfficiency)
}

// WeightLoad is how long a new replica loads its weights.
func (r *Replica) WeightLoad() time.Duration {
	const year = 365 * 24 * 3600
	return time.Duration(min(r.WeightBytes()/r.LoadRate, year) * float64(time.Second))
}

// ColdStart is how long a new replica takes from the decision to ready.
func (r *Replica) ColdStart() time.Duration {
	if r.KnownColdStart > 0 {
		return r.KnownColdStart
	}
	return r.ImagePull + r.WeightLoad() + r.WarmUp
}

// CPUPercent is the CPU that a replica uses with that many requests in the batch, in
// percent of its request. Waiting requests do not enter: the CPU never sees the queue.
func (r *Replica) CPUPercent(running float64) float64 {
	cores := r.CPUIdle
	if running > 0 {
		cores += r.CPUEngine + r.CPUPerRequest*running
	}
	return 100 * cores / r.CPURequest
}
