package sim

import "slices"

// A ModelPreset is a dense model as its published configuration describes it.
//
// What this arithmetic would get wrong is not here: models of experts (gpt-oss,
// Mixtral, the A3B of Qwen3), which read a part of their weights in a step that grows
// with the batch; and models most of whose layers keep a short window only (Gemma 3),
// for which a token has no fixed size in the cache.
type ModelPreset struct {
	// Name in lower case, and other names for it.
	Name    string
	Aliases []string
	// Parameters, embeddings included.
	Parameters float64
	// Layers, and the shape of their attention. Heads are those of the queries.
	Layers, Heads, KVHeads, HeadDim int
	// Source of the figures, and what they leave out.
	Source, Note string
}

// ModelPresets returns the known models.
func ModelPresets() []ModelPreset { return slices.Clone(modelPresets) }

func configOf(repository string) string {
	return "https://huggingface.co/" + repository + "/blob/main/config.json"
}

const slidingGemma2 = "every second layer keeps the last 4096 tokens only: longer contexts take less cache than is shown"

var modelPresets = []ModelPreset{
	{"llama-3.1-8b", []string{"llama-3-8b"}, 8_030_261_248, 32, 32, 8, 128, configOf("meta-llama/Llama-3.1-8B"), ""},
	{"llama-3.1-70b", []string{"llama-3-70b", "llama-3.3-70b"}, 70_553_706_496, 80, 64, 8, 128, configOf("meta-llama/Llama-3.1-70B"), ""},
	{"qwen2.5-7b", nil, 7_615_616_512, 28, 28, 4, 128, configOf("Qwen/Qwen2.5-7B"), ""},
	{"qwen2.5-14b", nil, 14_770_033_664, 48, 40, 8, 128, configOf("Qwen/Qwen2.5-14B"), ""},
	{"qwen2.5-32b", nil, 32_763_876_352, 64, 40, 8, 128, configOf("Qwen/Qwen2.5-32B"), ""},
	{"qwen2.5-72b", nil, 72_706_203_648, 80, 64, 8, 128, configOf("Qwen/Qwen2.5-72B"), ""},
	{"qwen3-8b", nil, 8_190_735_360, 36, 32, 8, 128, configOf("Qwen/Qwen3-8B"), ""},
	{"qwen3-14b", nil, 14_768_307_200, 40, 40, 8, 128, configOf("Qwen/Qwen3-14B"), ""},
	{"qwen3-32b", nil, 32_762_123_264, 64, 64, 8, 128, configOf("Qwen/Qwen3-32B"), ""},
	{"mistral-7b", []string{"mistral-7b-v0.3"}, 7_248_023_552, 32, 32, 8, 128, configOf("mistralai/Mistral-7B-v0.3"), ""},
	{"gemma-2-27b", nil, 27_227_128_320, 46, 32, 16, 128, configOf("google/gemma-2-27b"), slidingGemma2},
}

// apply makes r a server of this model.
func (m *ModelPreset) apply(r *Replica) {
	r.Parameters = m.Parameters
	r.Layers, r.KVHeads, r.HeadDim = m.Layers, m.KVHeads, m.HeadDim
}
