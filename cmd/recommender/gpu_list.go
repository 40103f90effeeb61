package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/infscale/infscale/recommender/sim"
)

// A modelReport is a preset of a model as JSON.
type modelReport struct {
	Name       string   `json:"name"`
	Aliases    []string `json:"aliases"`
	Parameters float64  `json:"parameters"`
	Layers     int      `json:"layers"`
	Heads      int      `json:"heads"`
	KVHeads    int      `json:"kv_heads"`
	HeadDim    int      `json:"head_dim"`
	Note       string   `json:"note"`
	Source     string   `json:"source"`
}

// A cardReport is a preset of a GPU as JSON, in base units.
type cardReport struct {
	Name        string   `json:"name"`
	Aliases     []string `json:"aliases"`
	MemoryBytes float64  `json:"memory_bytes"`
	Bandwidth   float64  `json:"bandwidth_bytes_per_second"`
	FLOPS       float64  `json:"bf16_flops"`
	// FP8FLOPS is null where the card has no arithmetic in FP8.
	FP8FLOPS *float64 `json:"fp8_flops"`
	Source   string   `json:"source"`
}

// list prints the presets.
func (c *GPUCmd) list(w io.Writer) error {
	if !c.json() {
		return listPresets(w)
	}
	var report struct {
		Models []modelReport `json:"models"`
		GPUs   []cardReport  `json:"gpus"`
	}
	for _, m := range sim.ModelPresets() {
		report.Models = append(report.Models, modelReport{
			Name: m.Name, Aliases: names(m.Aliases), Parameters: m.Parameters,
			Layers: m.Layers, Heads: m.Heads, KVHeads: m.KVHeads, HeadDim: m.HeadDim, Note: m.Note, Source: m.Source,
		})
	}
	for _, g := range sim.GPUPresets() {
		card := cardReport{
			Name: g.Name, Aliases: names(g.Aliases),
			MemoryBytes: g.MemoryBytes, Bandwidth: g.Bandwidth, FLOPS: g.FLOPS, Source: g.Source,
		}
		if g.FP8FLOPS > 0 {
			card.FP8FLOPS = &g.FP8FLOPS
		}
		report.GPUs = append(report.GPUs, card)
	}
	return printJSON(w, report)
}

// names is a list that is empty and not null.
func names(list []string) []string { return append([]string{}, list...) }

func listPresets(w io.Writer) error {
	const giga, tera = 1e9, 1e12
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "model\tparams (B)\tlayers\tKV heads\thead dim\tsource")
	for _, m := range sim.ModelPresets() {
		fmt.Fprintf(t, "%s\t%.4g\t%d\t%d\t%d\t%s\n", withAliases(m.Name, m.Aliases), m.Parameters/giga, m.Layers, m.KVHeads, m.HeadDim, m.Source)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, m := range sim.ModelPresets() {
		if m.Note != "" {
			fmt.Fprintf(w, "%s: %s.\n", m.Name, m.Note)
		}
	}
	fmt.Fprintln(t, "\nGPU\tmemory (GB)\tGB/s\tBF16 TFLOPS\tFP8 TFLOPS\tsource")
	for _, g := range sim.GPUPresets() {
		fp8 := "-"
		if g.FP8FLOPS > 0 {
			fp8 = fmt.Sprintf("%.5g", g.FP8FLOPS/tera)
		}
		fmt.Fprintf(t, "%s\t%g\t%g\t%.5g\t%s\t%s\n", withAliases(g.Name, g.Aliases), g.MemoryBytes/giga, g.Bandwidth/giga, g.FLOPS/tera, fp8, g.Source)
	}
	return t.Flush()
}

func withAliases(name string, aliases []string) string {
	return strings.Join(append([]string{name}, aliases...), ", ")
}
