package sim_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender/sim"
)

func ExampleParseReplica() {
	for _, text := range []string{"llama-3.1-8b/h100", "llama-3.1-70b/4xh100", "llama-3.1-70b/2xh100/fp8", "qwen3-8b/l4/fp8"} {
		r, err := sim.ParseReplica(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s: %d GPU, weights %.1f GB, %d tokens of cache, prefill %.0f tokens/s, decode step %.1f ms\n",
			text, r.GPUs, r.WeightBytes()/1e9, r.KVCapacityTokens(), r.PrefillTokensPerSecond(), r.DecodeStep(1000)*1000)
	}
	_, err := sim.ParseReplica("llama-3.1-70b/h100")
	fmt.Println(err)
	// Output:
	// llama-3.1-8b/h100: 1 GPU, weights 16.1 GB, 396266 tokens of cache, prefill 24644 tokens/s, decode step 6.9 ms
	// llama-3.1-70b/4xh100: 4 GPU, weights 141.1 GB, 399452 tokens of cache, prefill 9537 tokens/s, decode step 17.7 ms
	// llama-3.1-70b/2xh100/fp8: 2 GPU, weights 70.6 GB, 199726 tokens of cache, prefill 9537 tokens/s, decode step 17.8 ms
	// qwen3-8b/l4/fp8: 1 GPU, weights 8.2 GB, 63810 tokens of cache, prefill 5921 tokens/s, decode step 39.7 ms
	// llama-3.1-70b/h100: the weights (141.1 GB) do not fit in 80 GB x 0.9 with 4 GB in reserve
}

// The shapes of the models' published configurations, from which their parameters are
// counted: an embedding, and in each layer the attention, three matrices of the MLP and
// the norms.
type shape struct {
	vocabulary, hidden, intermediate int
	tied, bias, headNorms            bool
	norms                            int
}

var shapes = map[string]shape{
	"llama-3.1-8b":  {vocabulary: 128256, hidden: 4096, intermediate: 14336, norms: 2},
	"llama-3.1-70b": {vocabulary: 128256, hidden: 8192, intermediate: 28672, norms: 2},
	"qwen2.5-7b":    {vocabulary: 152064, hidden: 3584, intermediate: 18944, norms: 2, bias: true},
	"qwen2.5-14b":   {vocabulary: 152064, hidden: 5120, intermediate: 13824, norms: 2, bias: true},
	"qwen2.5-32b":   {vocabulary: 152064, hidden: 5120, intermediate: 27648, norms: 2, bias: true},
	"qwen2.5-72b":   {vocabulary: 152064, hidden: 8192, intermediate: 29568, norms: 2, bias: true},
	"qwen3-8b":      {vocabulary: 151936, hidden: 4096, intermediate: 12288, norms: 2, headNorms: true},
	"qwen3-14b":     {vocabulary: 151936, hidden: 5120, intermediate: 17408, norms: 2, headNorms: true},
	"qwen3-32b":     {vocabulary: 151936, hidden: 5120, intermediate: 25600, norms: 2, headNorms: true},
	"mistral-7b":    {vocabulary: 32768, hidden: 4096, intermediate: 14336, norms: 2},
	"gemma-2-27b":   {vocabulary: 256000, hidden: 4608, intermediate: 36864, norms: 4, tied: true},
}

func (s shape) parameters(m *sim.ModelPreset) int {
	query, keyValue := m.Heads*m.HeadDim, m.KVHeads*m.HeadDim
	layer := 2*s.hidden*query + 2*s.hidden*keyValue + 3*s.hidden*s.intermediate + s.norms*s.hidden
	if s.bias {
		layer += query + 2*keyValue
	}
	if s.headNorms {
		layer += 2 * m.HeadDim
	}
	embeddings := 2
	if s.tied {
		embeddings = 1
	}
	return embeddings*s.vocabulary*s.hidden + m.Layers*layer + s.hidden
}

func TestParametersFollowFromTheShape(t *testing.T) {
	models := sim.ModelPresets()
	if len(models) != len(shapes) {
		t.Errorf("got %d models, want the %d with a shape", len(models), len(shapes))
	}
	for _, m := range models {
		if want := float64(shapes[m.Name].parameters(&m)); m.Parameters != want {
			t.Errorf("%s: got %.0f parameters, want %.0f", m.Name, m.Parameters, want)
		}
	}
}

func TestEveryPresetHasASourceAndAUniqueName(t *testing.T) {
	type entry struct {
		names  []string
		source string
	}
	var models, gpus []entry
	for _, m := range sim.ModelPresets() {
		models = append(models, entry{append([]string{m.Name}, m.Aliases...), m.Source})
	}
	for _, g := range sim.GPUPresets() {
		gpus = append(gpus, entry{append([]string{g.Name}, g.Aliases...), g.Source})
	}
	for _, all := range [][]entry{models, gpus} {
		seen := map[string]bool{}
		for _, e := range all {
			for _, name := range e.names {
				if seen[name] || name != strings.ToLower(name) || strings.ContainsAny(name, "/ ") {
					t.Errorf("got name %q, want a new one in lower case", name)
				}
				seen[name] = true
			}
			if !strings.Contains(e.source, "https://") {
				t.Errorf("%s: got source %q, want one with an address", e.names[0], e.source)
			}
		}
	}
}

func TestEveryModelRunsOnEnoughOfEveryCard(t *testing.T) {
	for _, m := range sim.ModelPresets() {
		for _, g := range sim.GPUPresets() {
			fits := false
			for n := 1; n <= 16 && !fits; n *= 2 {
				r, err := sim.Preset{Model: m.Name, GPU: g.Name, TensorParallel: n}.Replica()
				fits = err == nil && r.FullBatch(1000) > 0
			}
			// Four heads of the cache and 28 of the queries allow four cards at most.
			if !fits {
				t.Errorf("%s on %s: got no number of GPUs up to 16 that it fits", m.Name, g.Name)
			}
		}
	}
}

func TestPresetsOfDenseArithmetic(t *testing.T) {
	// What vendors print first is twice as much.
	for gpu, want := range map[string][2]float64{
		"h100": {989.5, 1979}, "h100-pcie": {756.5, 1513}, "H200": {989.5, 1979}, "b200": {2250, 4500},
		"a100": {312, 312}, "a100-40gb": {312, 312}, "l40s": {362.05, 733}, "l4": {121, 242.5}, "mi300x": {1307.4, 2614.9},
	} {
		for i, precision := range []sim.Precision{sim.BF16, sim.FP8} {
			r, err := sim.Preset{GPU: gpu, Model: "Llama-3.1-8B", Precision: precision}.Replica()
			if err != nil {
				t.Error(err)
			} else if r.FLOPS != want[i]*1e12 {
				t.Errorf("%s in %s: got %g TFLOPS, want %g", gpu, precision, r.FLOPS/1e12, want[i])
			}
		}
	}
}

func TestTheEmptyPresetIsTheDefault(t *testing.T) {
	r, err := sim.Preset{}.Replica()
	if want := sim.DefaultReplica(); err != nil || r != want {
		t.Errorf("got %+v and %v, want %+v", r, err, want)
	}
}

func TestSeveralGPUs(t *testing.T) {
	one, err := sim.ParseReplica("llama-3.1-8b/h100")
	if err != nil {
		t.Fatal(err)
	}
	for gpus, kvHeads := range map[int]int{2: 8, 4: 8, 8: 8, 16: 16} {
		t.Run(fmt.Sprint(gpus), func(t *testing.T) {
			half := 0.5
			r, err := sim.Preset{Model: "llama-3.1-8b", GPU: "h100", TensorParallel: gpus}.With(&sim.Numbers{ParallelEfficiency: &half})
			if err != nil {
				t.Fatal(err)
			}
			n := float64(gpus)
			checks := map[string][2]float64{
				"GPUs":                      {float64(r.GPUs), n},
				"memory":                    {r.MemoryBytes, n * one.MemoryBytes},
				"reserve":                   {r.ReserveBytes, n * one.ReserveBytes},
				"weights":                   {r.WeightBytes(), one.WeightBytes()},
				"KV heads and their copies": {float64(r.KVHeads), float64(kvHeads)},
				"prefill":                   {r.PrefillTokensPerSecond(), n / 2 * one.PrefillTokensPerSecond()},
				"decode of the weights":     {r.DecodeStep(0), one.DecodeStep(0) / (n / 2)},
				"load of the weights":       {r.WeightLoad().Seconds(), one.WeightLoad().Seconds()},
				"bytes of a token":          {r.KVBytesPerToken(), 2 * 32 * float64(kvHeads) * 128 * 2},
			}
			for what, pair := range checks {
				if math.Abs(pair[0]-pair[1]) > 1e-9*pair[1] {
					t.Errorf("%s: got %v, want %v", what, pair[0], pair[1])
				}
			}
		})
	}
}

func TestNumbersWinOverThePreset(t *testing.T) {
	bandwidth, kvBytes, bytesPerParam, batch := 1000.0, 1.0, 1.5, 256
	r, err := sim.Preset{Model: "llama-3.1-8b", GPU: "h200", Precision: "FP8"}.With(&sim.Numbers{
		Bandwidth: &bandwidth, KVBytes: &kvBytes, BytesPerParam: &bytesPerParam, MaxNumSeqs: &batch,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := sim.DefaultReplica()
	want.Parameters, want.BytesPerParameter, want.KVBytes = 8_030_261_248, 1.5, 1
	want.MemoryBytes, want.FLOPS, want.Bandwidth, want.MaxNumSeqs = 141e9, 1979e12, 1000e9, 256
	if r != want {
		t.Errorf("got %+v, want %+v", r, want)
	}
}

func TestParsePreset(t *testing.T) {
	for text, want := range map[string]sim.Preset{
		"llama-3.1-8b/h100":        {Model: "llama-3.1-8b", GPU: "h100"},
		"Qwen3-32B/8xMI300X/FP8":   {Model: "qwen3-32b", GPU: "mi300x", TensorParallel: 8, Precision: sim.FP8},
		"mistral-7b/1xl4":          {Model: "mistral-7b", GPU: "l4", TensorParallel: 1},
		"gemma-2-27b/2xa100/bf16":  {Model: "gemma-2-27b", GPU: "a100", TensorParallel: 2, Precision: sim.BF16},
		"some-model/x-of-our-own":  {Model: "some-model", GPU: "x-of-our-own"},
		"other/mi300x/of-eight-ok": {Model: "other", GPU: "mi300x", Precision: "of-eight-ok"},
	} {
		got, err := sim.ParsePreset(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v and %v, want %+v", text, got, err, want)
		}
		if again, err := sim.ParsePreset(got.String()); err == nil && again.String() != got.String() {
			t.Errorf("%s: got %s again, want %s", text, again, got)
		}
	}
	for _, text := range []string{"", "/", "h100", "a/", "/h100", "a/b/c/d", "a/0xh100", "a/73xh100", "a/4x", "a/99999999999999999999xh100"} {
		if p, err := sim.ParsePreset(text); err == nil {
			t.Errorf("%q: got %+v, want an error", text, p)
		}
	}
}

func TestPresetMistakes(t *testing.T) {
	minus, two, zero := -1.0, 2.0, 0
	tests := map[string]struct {
		preset  sim.Preset
		numbers sim.Numbers
		want    []string
		keys    []string
	}{
		"unknown names, with the near ones": {
			preset: sim.Preset{Model: "lama-3.1-8b", GPU: "h10", Precision: "fp7"},
			want: []string{
				`unknown model "lama-3.1-8b", did you mean llama-3.1-8b?`,
				`unknown precision "fp7", did you mean fp8?`,
				`unknown GPU "h10", did you mean h100?`,
			},
			keys: []string{"model", "precision", "gpu"},
		},
		"the names of repositories": {
			preset: sim.Preset{Model: "meta-llama/Llama-3.1-8B-Instruct", GPU: "NVIDIA-H100-80GB-HBM3"},
			want: []string{
				`unknown model "meta-llama/Llama-3.1-8B-Instruct", did you mean llama-3.1-8b?`,
				`unknown GPU "NVIDIA-H100-80GB-HBM3", did you mean h100?`,
			},
			keys: []string{"model", "gpu"},
		},
		"a name that is near to none": {
			preset: sim.Preset{GPU: "trainium"},
			want:   []string{`unknown GPU "trainium", must be one of h100, h100-sxm, h100-pcie, h200, h200-sxm, b200, b200-sxm, a100-80gb, a100, a100-sxm, a100-40gb, l40s, l4, mi300x`},
			keys:   []string{"gpu"},
		},
		"numbers that are none": {
			numbers: sim.Numbers{Memory: &minus, MFU: &two, ParallelEfficiency: &two, Layers: &zero},
			want: []string{
				"layers must be positive, got 0",
				"memory must be positive, got -1",
				"MFU must be at most 1, got 2",
				"parallel efficiency must be above 0 and at most 1, got 2",
			},
			keys: []string{"layers", "memory", "mfu", "parallel_efficiency"},
		},
		"heads of queries that cannot be split": {
			preset: sim.Preset{Model: "qwen2.5-7b", GPU: "h100", TensorParallel: 8},
			want:   []string{"GPUs must divide the 28 attention heads of the model, got 8"},
			keys:   []string{"tensor_parallel"},
		},
		"heads of the cache that can be neither split nor copied": {
			preset: sim.Preset{TensorParallel: 3},
			want:   []string{"GPUs must divide the 8 KV heads of the model, or be a multiple of them, got 3"},
			keys:   []string{"tensor_parallel"},
		},
		"too many GPUs": {
			preset: sim.Preset{TensorParallel: 100},
			want:   []string{"GPUs must be 1 to 72, got 100"},
			keys:   []string{"tensor_parallel"},
		},
		"weights that do not fit into one": {
			preset: sim.Preset{Model: "qwen2.5-72b", GPU: "h200"},
			want:   []string{"the weights (145.4 GB) do not fit in 141 GB x 0.9 with 4 GB in reserve"},
		},
		"weights that do not fit into two": {
			preset: sim.Preset{Model: "llama-3.1-70b", GPU: "h100", TensorParallel: 2},
			want:   []string{"the weights (141.1 GB) do not fit in 2 x 80 GB x 0.9 with 8 GB in reserve"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := test.preset.With(&test.numbers)
			if err == nil {
				t.Fatal("got no error, want one")
			}
			if got, want := err.Error(), strings.Join(test.want, "\n"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if got, want := fmt.Sprint(keysOf(err)), fmt.Sprint(test.keys); got != want {
				t.Errorf("got keys %s, want %s", got, want)
			}
		})
	}
}

// keysOf returns the keys of the numbers that an error is about.
func keysOf(err error) (keys []string) {
	errs := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		errs = joined.Unwrap()
	}
	for _, err := range errs {
		if f, ok := errors.AsType[*sim.FieldError](err); ok {
			keys = append(keys, f.Key)
		}
	}
	return keys
}
