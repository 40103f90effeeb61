package config

import (
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/sim"
)

// workloads returns the smallest file with defaults and workloads.
func workloads(defaults, list string) string {
	return "prometheus: {url: 'http://prometheus:9090'}\ndefaults:\n  namespace: a\n  replicas: {max: 8}\n" +
		"  signals: [{metric: queue, target: 24}]\n" + defaults + "workloads:\n" + list
}

func preset(t *testing.T, text string, change func(*sim.Replica)) sim.Replica {
	t.Helper()
	r, err := sim.ParseReplica(text)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&r)
	}
	return r
}

func TestReplicaModel(t *testing.T) {
	tests := map[string]struct {
		defaults, workload string
		want               sim.Replica
	}{
		"a text":                       {"", "replica_model: llama-3.1-8b/h100", preset(t, "llama-3.1-8b/h100", nil)},
		"a text with all its parts":    {"", "replica_model: Llama-3.1-70B/4xH100/FP8", preset(t, "llama-3.1-70b/4xh100/fp8", nil)},
		"the same as a mapping":        {"", "replica_model: {model: llama-3.1-70b, gpu: h100, precision: fp8, tensor_parallel: 4}", preset(t, "llama-3.1-70b/4xh100/fp8", nil)},
		"numbers win over the words":   {"", "replica_model: {model: llama-3.1-8b, gpu: h100, kv_bytes: 1, load_rate: 0.5, warm_up: 0s}", preset(t, "llama-3.1-8b/h100", func(r *sim.Replica) { r.KVBytes, r.LoadRate, r.WarmUp = 1, 0.5e9, 0 })},
		"max_num_seqs of its own":      {"", "replica_model: {model: llama-3.1-8b, gpu: h100, max_num_seqs: 128}", preset(t, "llama-3.1-8b/h100", func(r *sim.Replica) { r.MaxNumSeqs = 128 })},
		"that of the workload wins":    {"", "replica_model: {model: llama-3.1-8b, gpu: h100, max_num_seqs: 128}\n    max_num_seqs: 256", preset(t, "llama-3.1-8b/h100", func(r *sim.Replica) { r.MaxNumSeqs = 256 })},
		"so does its cold start":       {"  cold_start: 3m\n", "replica_model: llama-3.1-8b/h100", preset(t, "llama-3.1-8b/h100", func(r *sim.Replica) { r.KnownColdStart = 3 * time.Minute })},
		"all of the defaults":          {"  replica_model: qwen3-8b/l4/fp8\n", "kind: Deployment", preset(t, "qwen3-8b/l4/fp8", nil)},
		"hardware of the defaults":     {"  replica_model: {gpu: h200, load_rate: 2}\n", "replica_model: {model: qwen3-32b}", preset(t, "qwen3-32b/h200", func(r *sim.Replica) { r.LoadRate = 2e9 })},
		"a text over the defaults":     {"  replica_model: {gpu: h200, load_rate: 2}\n", "replica_model: qwen3-32b/b200", preset(t, "qwen3-32b/b200", func(r *sim.Replica) { r.LoadRate = 2e9 })},
		"an empty key leaves defaults": {"  replica_model: qwen3-8b/l4/fp8\n", "replica_model:", preset(t, "qwen3-8b/l4/fp8", nil)},
		"numbers alone": {
			"", "replica_model: {params: 8, layers: 32, kv_heads: 8, head_dim: 128, memory: 80, bandwidth: 3350, tflops: 990}", sim.DefaultReplica(),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := parse(t, workloads(test.defaults, "  - name: chat\n    "+test.workload+"\n"))
			got := c.Replica(0)
			if got == nil || *got != test.want {
				t.Fatalf("got %+v, want %+v", got, test.want)
			}
			again := parse(t, c.String()).Replica(0)
			if again == nil || *again != test.want {
				t.Errorf("got %+v from the own text, want %+v", again, test.want)
			}
		})
	}
}

func TestWorkloadsWithoutReplicaModel(t *testing.T) {
	for name, text := range map[string]string{
		"nothing is said":          workloads("", "  - {name: chat}\n"),
		"no model for the default": workloads("  replica_model: {gpu: h100, load_rate: 2}\n", "  - {name: chat}\n  - {name: other, replica_model: {model: qwen3-8b}}\n"),
		"an empty key":             workloads("", "  - name: chat\n    replica_model:\n"),
	} {
		t.Run(name, func(t *testing.T) {
			c := parse(t, text)
			if r := c.Replica(0); r != nil {
				t.Errorf("got %+v, want none: what nobody said is not known", r)
			}
			if r := parse(t, c.String()).Replica(0); r != nil {
				t.Errorf("got %+v from the own text, want none", r)
			}
		})
	}
}

// A number of one workload must not become that of the defaults, and so of the others.
func TestReplicaModelsDoNotShareNumbers(t *testing.T) {
	c := parse(t, workloads("  replica_model: {model: llama-3.1-8b, gpu: h100, load_rate: 2, warm_up: 20s}\n",
		"  - {name: one, replica_model: {load_rate: 5, warm_up: 50s}}\n  - {name: other}\n"))
	one, other := c.Replica(0), c.Replica(1)
	if one.LoadRate != 5e9 || one.WarmUp != 50*time.Second {
		t.Errorf("got %v and %v, want its own 5 GB/s and 50s", one.LoadRate, one.WarmUp)
	}
	if other.LoadRate != 2e9 || other.WarmUp != 20*time.Second {
		t.Errorf("got %v and %v, want 2 GB/s and 20s of the defaults", other.LoadRate, other.WarmUp)
	}
}
