package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/infscale/infscale/recommender"
)

// Precision is the format of a model's weights.
type Precision string

// The precisions. FP16 and BF16 differ in nothing that matters here. With FP8 a
// parameter takes one byte; the KV cache stays in two bytes until told otherwise. A
// checkpoint in FP8 keeps its embeddings in 16 bits, which for small models is a tenth
// more: bytes per parameter say so.
const (
	FP16 Precision = "fp16"
	BF16 Precision = "bf16"
	FP8  Precision = "fp8"
)

// Precisions are all of them.
var Precisions = []Precision{FP16, BF16, FP8}

// A Preset names a model and a GPU. What it leaves out is as in [DefaultReplica]. Names
// mean the same in upper and lower case.
type Preset struct {
	// Model and GPU are names of [ModelPresets] and [GPUPresets].
	Model, GPU string
	// Precision of the weights; empty is 16 bits.
	Precision Precision
	// TensorParallel is over how many GPUs the model is split; 0 is one.
	TensorParallel int
}

const presetForm = "must be MODEL/GPU, MODEL/NxGPU or MODEL/GPU/PRECISION, such as llama-3.1-8b/h100 or llama-3.1-70b/4xh100/fp8"

// ParsePreset reads the text of a preset: llama-3.1-8b/h100, llama-3.1-70b/4xh100 or
// llama-3.1-70b/2xh100/fp8. Whether the names are known says [Preset.Replica].
func ParsePreset(text string) (Preset, error) {
	parts := strings.Split(strings.ToLower(text), "/")
	if len(parts) < 2 || len(parts) > 3 || slices.Contains(parts, "") {
		return Preset{}, fmt.Errorf("%s, got %q", presetForm, text)
	}
	p := Preset{Model: parts[0], GPU: parts[1]}
	if count, gpu, ok := cutCount(p.GPU); ok {
		n, err := strconv.Atoi(count)
		_, _, twice := cutCount(gpu)
		if err != nil || n < 1 || n > mostGPUs || gpu == "" || twice {
			return Preset{}, fmt.Errorf("%s, with 1 to %d GPUs, got %q", presetForm, mostGPUs, text)
		}
		p.TensorParallel, p.GPU = n, gpu
	}
	if len(parts) == 3 {
		p.Precision = Precision(parts[2])
	}
	return p, nil
}

// ParseReplica returns the replica of a preset's text.
func ParseReplica(text string) (Replica, error) {
	p, err := ParsePreset(text)
	if err != nil {
		return Replica{}, err
	}
	r, err := p.Replica()
	if err != nil {
		return Replica{}, fmt.Errorf("%s: %w", p, err)
	}
	return r, nil
}

// String returns the text of p.
func (p Preset) String() string {
	text := p.Model + "/"
	if p.TensorParallel > 1 {
		text += strconv.Itoa(p.TensorParallel) + "x"
	}
	text += p.GPU
	if p.Precision != "" {
		text += "/" + string(p.Precision)
	}
	return text
}

// Replica returns the replica, validated.
func (p Preset) Replica() (Replica, error) { return p.With(&Numbers{}) }

// With returns the replica with other numbers, validated. Its error joins every
// mistake, as that of [Replica.Validate] does.
func (p Preset) With(n *Numbers) (Replica, error) {
	r := DefaultReplica()
	heads, err := p.apply(&r)
	if n.KVHeads != nil {
		heads = 0 // another shape than that of the model
	}
	n.apply(&r)
	if err := errors.Join(err, r.check(), n.check()); err != nil {
		return Replica{}, flat(err)
	}
	gpus := max(p.TensorParallel, 1)
	if err := splits(gpus, heads, r.KVHeads); err != nil {
		return Replica{}, err
	}
	r = r.parallel(gpus, n.efficiency())
	return r, r.fits()
}

// apply makes r what the words of p say, and returns the heads of the model's queries,
// 0 if they are not known.
func (p Preset) apply(r *Replica) (heads int, err error) {
	var errs []error
	if p.Model != "" {
		m, err := named("model", p.Model, modelPresets, func(m *ModelPreset) []string { return append([]string{m.Name}, m.Aliases...) })
		if err != nil {
			errs = append(errs, err)
		} else {
			m.apply(r)
			heads = m.Heads
		}
	}
	precision, err := p.precision(r)
	errs = append(errs, err)
	if p.GPU != "" {
		g, err := named("gpu", p.GPU, gpuPresets, func(g *GPUPreset) []string { return append([]string{g.Name}, g.Aliases...) })
		if err != nil {
			errs = append(errs, err)
		} else {
			g.apply(r, precision)
		}
	}
	if p.TensorParallel != 0 {
		errs = append(errs, CheckGPUs(p.TensorParallel))
	}
	return heads, errors.Join(errs...)
}

// precision makes r one of the precision, and returns it in lower case.
func (p Preset) precision(r *Replica) (Precision, error) {
	precision := Precision(strings.ToLower(string(p.Precision)))
	switch precision {
	case "":
	case FP16, BF16:
		r.BytesPerParameter = 2
	case FP8:
		r.BytesPerParameter = 1
	default:
		words := make([]string, len(Precisions))
		for i := range words {
			words[i] = string(Precisions[i])
		}
		return precision, unknownName("precision", string(p.Precision), words)
	}
	return precision, nil
}

// named finds the preset of a name.
func named[T any](key, name string, all []T, names func(*T) []string) (*T, error) {
	var known []string
	for i := range all {
		of := names(&all[i])
		if slices.Contains(of, strings.ToLower(name)) {
			return &all[i], nil
		}
		known = append(known, of...)
	}
	return nil, unknownName(key, name, known)
}

func unknownName(key, name string, known []string) error {
	what := key
	if key == "gpu" {
		what = "GPU"
	}
	if meant := meantName(strings.ToLower(name), known); meant != "" {
		return &FieldError{Key: key, Problem: fmt.Sprintf("unknown %s %q, did you mean %s?", what, name, meant)}
	}
	return &FieldError{Key: key, Problem: fmt.Sprintf("unknown %s %q, must be one of %s", what, name, strings.Join(known, ", "))}
}

// cutCount cuts 4xh100 into 4 and h100, and reports whether there is a count.
func cutCount(text string) (count, gpu string, ok bool) {
	count, gpu, ok = strings.Cut(text, "x")
	return count, gpu, ok && count != "" && strings.Trim(count, "0123456789") == ""
}

// meantName returns the longest known name within name, which finds the model in the name
// of its repository (meta-llama/llama-3.1-8b-instruct), else the nearest one, or nothing.
func meantName(name string, known []string) string {
	meant := ""
	for _, k := range known {
		if len(k) > len(meant) && strings.Contains(name, k) {
			meant = k
		}
	}
	if meant == "" {
		meant, _ = recommender.Nearest(name, known)
	}
	return meant
}

// flat joins the errors that joined errors join.
func flat(err error) error {
	var errs []error
	var collect func(error)
	collect = func(err error) {
		joined, ok := err.(interface{ Unwrap() []error })
		if !ok {
			errs = append(errs, err)
			return
		}
		for _, err := range joined.Unwrap() {
			collect(err)
		}
	}
	collect(err)
	return errors.Join(errs...)
}
