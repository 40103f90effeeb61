package config

import (
	"errors"
	"reflect"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/recommender/sim"
)

// A ReplicaModel says what one replica of a workload is: the words of a preset, and
// numbers that win over them. In the file the words can be one text, such as
// llama-3.1-70b/4xh100/fp8.
type ReplicaModel struct {
	Model          string        `yaml:"model,omitempty"`
	GPU            string        `yaml:"gpu,omitempty"`
	Precision      sim.Precision `yaml:"precision,omitempty"`
	TensorParallel *int          `yaml:"tensor_parallel,omitempty"`

	Params              *float64        `yaml:"params,omitempty"`
	BytesPerParam       *float64        `yaml:"bytes_per_param,omitempty"`
	Layers              *int            `yaml:"layers,omitempty"`
	KVHeads             *int            `yaml:"kv_heads,omitempty"`
	HeadDim             *int            `yaml:"head_dim,omitempty"`
	KVBytes             *float64        `yaml:"kv_bytes,omitempty"`
	Memory              *float64        `yaml:"memory,omitempty"`
	MemoryUtilization   *float64        `yaml:"memory_utilization,omitempty"`
	Reserve             *float64        `yaml:"reserve,omitempty"`
	TFLOPS              *float64        `yaml:"tflops,omitempty"`
	MFU                 *float64        `yaml:"mfu,omitempty"`
	Bandwidth           *float64        `yaml:"bandwidth,omitempty"`
	BandwidthEfficiency *float64        `yaml:"bandwidth_efficiency,omitempty"`
	ParallelEfficiency  *float64        `yaml:"parallel_efficiency,omitempty"`
	MaxNumSeqs          *int            `yaml:"max_num_seqs,omitempty"`
	ImagePull           *model.Duration `yaml:"image_pull,omitempty"`
	LoadRate            *float64        `yaml:"load_rate,omitempty"`
	WarmUp              *model.Duration `yaml:"warm_up,omitempty"`
	CPURequest          *float64        `yaml:"cpu_request,omitempty"`
	CPUIdle             *float64        `yaml:"cpu_idle,omitempty"`
	CPUEngine           *float64        `yaml:"cpu_engine,omitempty"`
	CPUPerRequest       *float64        `yaml:"cpu_per_request,omitempty"`
}

// Replica returns what one replica of workload i of [Config.Workloads] is, nil where
// the file does not say. The workload's own max_num_seqs and cold_start are in it.
func (c *Config) Replica(i int) *sim.Replica { return c.replicas[i] }

// preset decodes the words of a preset written as one text. Words that it leaves out
// stay as they are.
func (d decoder) preset(path string, n *yaml.Node, v reflect.Value) {
	p, err := sim.ParsePreset(n.Value)
	if err != nil {
		d.add(path, "%v", err)
		return
	}
	f := v.Addr().Interface().(*ReplicaModel)
	f.Model, f.GPU = p.Model, p.GPU
	keys := []string{"model", "gpu"}
	if p.Precision != "" {
		f.Precision, keys = p.Precision, append(keys, "precision")
	}
	if p.TensorParallel != 0 {
		f.TensorParallel, keys = &p.TensorParallel, append(keys, "tensor_parallel")
	}
	for _, key := range keys {
		d.lines[path+"."+key] = n.Line
	}
}

// replica returns what one replica of e is, nil if e does not say or has a mistake.
func (e *Entry) replica(m *mistakes, path string) *sim.Replica {
	path += ".replica_model"
	f := &e.ReplicaModel
	own := m.has(path)
	if *f == (ReplicaModel{}) && !own || m.knows(path) {
		return nil
	}
	if !own && !f.namesModel() {
		// Hardware of the defaults, for the workloads that name a model.
		*f = ReplicaModel{}
		return nil
	}
	if !f.complete(m, path) {
		return nil
	}
	r, err := f.preset().With(f.numbers())
	if f.TensorParallel != nil && *f.TensorParallel == 0 { // which a preset takes for one
		err = errors.Join(sim.CheckGPUs(0), err)
	}
	if err != nil {
		addReplica(m, path, err)
		return nil
	}
	if e.MaxNumSeqs > 0 {
		r.MaxNumSeqs = int(e.MaxNumSeqs)
	}
	r.KnownColdStart = time.Duration(e.ColdStart)
	return &r
}

func (f *ReplicaModel) namesModel() bool {
	return f.Model != "" || f.Params != nil && f.Layers != nil && f.KVHeads != nil && f.HeadDim != nil
}

// complete notes a model or hardware that is not described: one of our choice would
// pass for that of the workload.
func (f *ReplicaModel) complete(m *mistakes, path string) bool {
	named := f.namesModel()
	if !named {
		m.add(path+".model", "must be set, or all of params, layers, kv_heads and head_dim")
	}
	equipped := f.GPU != "" || f.Memory != nil && f.Bandwidth != nil && f.TFLOPS != nil
	if !equipped {
		m.add(path+".gpu", "must be set, or all of memory, bandwidth and tflops")
	}
	return named && equipped
}

// addReplica notes what is wrong with a replica at the keys that it is about.
func addReplica(m *mistakes, path string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			addReplica(m, path, err)
		}
		return
	}
	if number, ok := errors.AsType[*sim.FieldError](err); ok {
		m.add(path+"."+number.Key, "%s", number.Problem)
		return
	}
	m.add(path, "%v", err)
}

func (f *ReplicaModel) preset() sim.Preset {
	p := sim.Preset{Model: f.Model, GPU: f.GPU, Precision: f.Precision}
	if f.TensorParallel != nil {
		p.TensorParallel = *f.TensorParallel
	}
	return p
}

func (f *ReplicaModel) numbers() *sim.Numbers {
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
