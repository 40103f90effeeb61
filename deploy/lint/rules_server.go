package lint

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// engineImages and engineCommands are how a model server is recognised. A module, as in
// python -m vllm.entrypoints..., goes on after a dot.
var (
	engineImages = []string{
		"vllm-openai", "sglang", "llama.cpp", "text-generation-inference", "huggingfaceserver",
		"tensorrt-llm", "tritonserver",
	}
	engineCommands = []string{
		"vllm serve", "vllm.entrypoints", "sglang.launch_server", "llama-server", "text-generation-launcher",
		"trtllm-serve", "tritonserver",
	}
)

// words splits the command and arguments of a container as a shell would, nearly.
func (c *container) words() []string {
	var list []string
	for _, f := range append(slices.Clone(c.Command), c.Args...) {
		list = append(list, strings.Fields(f.v)...)
	}
	return list
}

// engine returns the name by which the container is a model server, or nothing.
func (c *container) engine() string {
	image, _, _ := strings.Cut(path.Base(c.Image.v), "@")
	image, _, _ = strings.Cut(image, ":")
	for _, known := range engineImages {
		if image == known || strings.HasPrefix(image, known+"-") {
			return known
		}
	}
	line := " " + strings.ReplaceAll(strings.Join(c.words(), " "), "/", " ")
	for _, known := range engineCommands {
		if strings.Contains(line, " "+known) {
			return known
		}
	}
	return ""
}

// flag returns the value of a flag and whether it is there.
func (c *container) flag(names ...string) (string, bool) {
	list := c.words()
	for i, word := range list {
		name, text, joined := strings.Cut(word, "=")
		switch {
		case !slices.Contains(names, name):
		case joined:
			return text, true
		case i+1 < len(list):
			return list[i+1], true
		default:
			return "", true
		}
	}
	return "", false
}

// gpu reports whether the container asks for an accelerator.
func (c *container) gpu() bool {
	for name := range maps.Keys(c.Resources.Limits) {
		if strings.HasSuffix(name, ".com/gpu") || strings.Contains(name, "/mig-") || strings.HasPrefix(name, "google.com/tpu") {
			return true
		}
	}
	return false
}

// modelServer returns the container of a pod that serves a model, nil if none does.
func (p *podSpec) modelServer() *container {
	for _, c := range p.Containers {
		if c.engine() != "" {
			return c
		}
	}
	return nil
}

// slots returns how many requests a replica of the target runs at once, 0 if unknown.
// llama.cpp has one slot unless it is given more.
func (w *world) slots(s *scaler) int {
	o := w.serverOf(s)
	if o == nil || o.pod.modelServer() == nil {
		return 0
	}
	c := o.pod.modelServer()
	if text, ok := c.flag("--max-num-seqs", "--max-running-requests", "--parallel", "-np"); ok {
		n, _ := strconv.Atoi(text)
		return n
	}
	if e := c.engine(); e == "llama-server" || e == "llama.cpp" {
		return 1
	}
	return 0
}

// preStop returns how many seconds the hook waits.
func (c *container) preStop() int {
	h := &c.Lifecycle.PreStop.v
	seconds := h.Sleep.Seconds.v
	for i, list := 0, strings.Fields(strings.Join(h.Exec.Command, " ")); i+1 < len(list); i++ {
		if n, err := strconv.Atoi(strings.Trim(list[i+1], ";s")); err == nil && path.Base(list[i]) == "sleep" {
			seconds += n
		}
	}
	return seconds
}

// shutdown returns how many seconds vLLM itself waits for what runs.
func (c *container) shutdown() int {
	text, _ := c.flag("--shutdown-timeout")
	n, _ := strconv.Atoi(text)
	return n
}

// defaultGrace is what Kubernetes leaves a pod that names nothing, in seconds.
const defaultGrace = 30

// eachServer collects what a function says of every pod that serves a model.
func eachServer(w *world, check func(*server, *container) []hit) []hit {
	var hits []hit
	for _, o := range w.servers {
		if c := o.pod.modelServer(); c != nil {
			hits = append(hits, check(o, c)...)
		}
	}
	return hits
}

func shortGrace(w *world) []hit {
	return eachServer(w, func(o *server, c *container) []hit {
		grace, needed := o.pod.Grace.or(defaultGrace), c.preStop()+c.shutdown()
		at := o.src.at(firstNode(o.pod.Grace.node, c.Name.node))
		switch {
		case !o.pod.Grace.set():
			return []hit{{place: at, what: o.called() + " is killed 30 s after it was asked to stop, the default, with the answers that it was writing"}}
		case grace <= defaultGrace:
			return []hit{{place: at, what: fmt.Sprintf("%s is killed %d s after it was asked to stop, with the answers that it was writing", o.called(), grace)}}
		case needed >= grace:
			return []hit{{place: at, what: fmt.Sprintf("preStop and --shutdown-timeout take %d s, and the pod is killed after %d s", needed, grace)}}
		}
		return nil
	})
}

func noSuchDrain(w *world) []hit {
	return eachServer(w, func(o *server, c *container) []hit {
		var hits []hit
		for _, f := range append(slices.Clone(c.Command), c.Args...) {
			if strings.Contains(f.v, "--enable-graceful-shutdown") {
				hits = append(hits, hit{place: o.src.at(f.node), what: "no engine has a flag --enable-graceful-shutdown: it does not start"})
			}
		}
		if p := &c.Lifecycle.PreStop.v.HTTP.Path; strings.HasPrefix(p.v, "/shutdown") {
			hits = append(hits, hit{place: o.src.at(p.node), what: "no engine answers GET " + p.v + ": the hook fails and nothing waits"})
		}
		return hits
	})
}

// noDrain finds servers that stop with what they run. A hook that sleeps keeps the server
// alive while its endpoint is taken away, and so does vLLM's own flag.
func noDrain(w *world) []hit {
	return eachServer(w, func(o *server, c *container) []hit {
		_, own := c.flag("--shutdown-timeout")
		if !strings.HasPrefix(c.engine(), "vllm") || own && c.shutdown() > 0 || c.preStop() > defaultGrace {
			return nil
		}
		return []hit{{place: o.src.at(c.Name.node), what: "vLLM aborts what it runs when it is asked to stop: --shutdown-timeout is 0 s by default"}}
	})
}

// cpuOfServer finds scalers that take the processor or the memory of a model server for its load.
func cpuOfServer(w *world) []hit {
	return eachScaler(w, func(s *scaler) (*yaml.Node, string) {
		node, name := s.resource()
		if name == "" || !w.servesModel(s) {
			return nil, ""
		}
		return node, fmt.Sprintf("%s of a model server is flat while its queue grows: the work is on the GPU", name)
	})
}

// resource returns the first resource of the node that a scaler scales by.
func (s *scaler) resource() (*yaml.Node, string) {
	for _, t := range s.triggers("cpu", "memory") {
		return t.Type.node, t.Type.v
	}
	for _, f := range s.resources() {
		if f.set() {
			return f.node, f.v.Name.v
		}
	}
	if s.hpa != nil && s.hpa.Spec.CPU.set() {
		return s.hpa.Spec.CPU.node, "cpu"
	}
	if s.service != nil {
		if m := &s.service.Spec.Predictor.ScaleMetric; m.v == "cpu" || m.v == "memory" {
			return m.node, m.v
		}
	}
	for _, q := range s.queries {
		if slices.ContainsFunc(q.names(), func(name string) bool { return strings.HasPrefix(name, "container_cpu_usage") }) {
			return q.node, "cpu"
		}
	}
	return nil, ""
}

// resources lists the metrics of an HPA or an InferenceService that are resources; most are absent.
func (s *scaler) resources() []*field[resourceMetric] {
	var list []*field[resourceMetric]
	if s.hpa != nil {
		for i := range s.hpa.Spec.Metrics {
			m := &s.hpa.Spec.Metrics[i]
			list = append(list, &m.Resource, &m.ContainerResource)
		}
	}
	if s.service != nil {
		metrics := s.service.Spec.Predictor.AutoScaling.Metrics
		for i := range metrics {
			list = append(list, &metrics[i].Resource)
		}
	}
	return list
}

// servesModel reports whether the target is known to serve a model.
func (w *world) servesModel(s *scaler) bool {
	if s.service != nil {
		p := &s.service.Spec.Predictor
		return p.Model.Format.Name.v == "huggingface" || p.modelServer() != nil || p.Model.gpu()
	}
	o := w.serverOf(s)
	return s.onEngine() || o != nil && (o.pod.modelServer() != nil ||
		slices.ContainsFunc(o.pod.Containers, func(c *container) bool { return c.gpu() }))
}
