package sim

import (
	"errors"
	"fmt"
	"math"
	"strconv"
)

// A FieldError is a mistake in one number of a replica, or in one word of a preset.
type FieldError struct {
	// Key is the word for it in the configuration. With dashes it is the flag.
	Key string
	// Name is what people call it. It is empty where Problem names it.
	Name string
	// Problem is what is wrong, in the units of the configuration.
	Problem string
}

func (e *FieldError) Error() string {
	if e.Name == "" {
		return e.Problem
	}
	return e.Name + " " + e.Problem
}

// Validate returns every mistake in r: each a [FieldError], or the weights that do not
// fit. A replica without mistakes has room for at least one token.
func (r *Replica) Validate() error {
	if err := r.check(); err != nil {
		return err
	}
	return r.fits()
}

// check returns every number that cannot be one of a replica.
func (r *Replica) check() error {
	var errs []error
	for _, f := range r.positive() {
		if !(f.value > 0) || math.IsInf(f.value, 0) {
			errs = append(errs, f.mistake("must be positive"))
		}
	}
	for _, f := range r.notNegative() {
		if !(f.value >= 0) || math.IsInf(f.value, 0) {
			errs = append(errs, f.mistake("must not be negative"))
		}
	}
	for _, f := range r.fractions() {
		if f.value > 1 && !math.IsInf(f.value, 0) {
			errs = append(errs, f.mistake("must be at most 1"))
		}
	}
	return errors.Join(errs...)
}

// A field is a number of a replica in the unit of the configuration.
type field struct {
	key, name string
	value     float64
}

func (f field) mistake(problem string) error {
	return &FieldError{Key: f.key, Name: f.name, Problem: fmt.Sprintf("%s, got %v", problem, f.value)}
}

// The units of the configuration: billions, GB, GB/s and TFLOPS.
const giga, tera = 1e9, 1e12

func (r *Replica) positive() []field {
	return append(r.fractions(),
		field{"tensor_parallel", "GPUs", float64(r.GPUs)},
		field{"params", "parameters", r.Parameters / giga},
		field{"bytes_per_param", "bytes per parameter", r.BytesPerParameter},
		field{"layers", "layers", float64(r.Layers)},
		field{"kv_heads", "KV heads", float64(r.KVHeads)},
		field{"head_dim", "head dimension", float64(r.HeadDim)},
		field{"kv_bytes", "KV bytes", r.KVBytes},
		field{"memory", "memory", r.MemoryBytes / giga},
		field{"tflops", "peak arithmetic", r.FLOPS / tera},
		field{"bandwidth", "bandwidth", r.Bandwidth / giga},
		field{"max_num_seqs", "largest batch", float64(r.MaxNumSeqs)},
		field{"load_rate", "load rate", r.LoadRate / giga},
		field{"cpu_request", "CPU request", r.CPURequest},
	)
}

func (r *Replica) notNegative() []field {
	return []field{
		{"reserve", "reserve", r.ReserveBytes / giga},
		{"image_pull", "image pull", r.ImagePull.Seconds()},
		{"warm_up", "warm-up", r.WarmUp.Seconds()},
		{"cold_start", "cold start", r.KnownColdStart.Seconds()},
		{"cpu_idle", "idle CPU", r.CPUIdle},
		{"cpu_engine", "engine CPU", r.CPUEngine},
		{"cpu_per_request", "CPU per request", r.CPUPerRequest},
	}
}

func (r *Replica) fractions() []field {
	return []field{
		{"memory_utilization", "memory utilization", r.MemoryUtilization},
		{"mfu", "MFU", r.MFU},
		{"bandwidth_efficiency", "bandwidth efficiency", r.BandwidthEfficiency},
	}
}

// fits reports weights that leave no room for a single token.
func (r *Replica) fits() error {
	if r.KVFreeBytes() >= r.KVBytesPerToken() {
		return nil
	}
	memory := gigabytes(r.MemoryBytes/float64(r.GPUs)) + " GB"
	if r.GPUs > 1 {
		memory = fmt.Sprintf("%d x %s", r.GPUs, memory)
	}
	return fmt.Errorf("the weights (%s GB) do not fit in %s x %g with %s GB in reserve",
		gigabytes(r.WeightBytes()), memory, r.MemoryUtilization, gigabytes(r.ReserveBytes))
}

// gigabytes writes a size with four digits, which tell a model from its neighbours.
func gigabytes(bytes float64) string { return strconv.FormatFloat(bytes/giga, 'g', 4, 64) }
