package k8s_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A workload has pods, and the selector that must find them.
type workload interface {
	head() *object
	pods() (*template, *selector)
}

// selects reports whether the selector finds pods of these labels.
func (s *selector) selects(labels texts) bool {
	for k, v := range s.MatchLabels {
		if labels[k] != v {
			return false
		}
	}
	for _, e := range s.MatchExpressions {
		if e.Operator != "In" || !slices.Contains(e.Values, labels[e.Key]) {
			return false
		}
	}
	return len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

func TestSelectorsFindTheirPods(t *testing.T) {
	each(t, func(t *testing.T, _ string, w workload) {
		if template, own := w.pods(); own != nil && !own.selects(template.Metadata.Labels) {
			t.Errorf("got selector %+v and labels %v, want them to match", own, template.Metadata.Labels)
		}
	})
}

// podsOf returns the pods in the folder of a manifest that the selector finds.
func podsOf(t *testing.T, name string, s *selector) *template {
	t.Helper()
	folder := name[:strings.LastIndex(name, "/")+1]
	for other, o := range manifests(t) {
		if w, ok := o.(workload); ok && strings.HasPrefix(other, folder) {
			if template, _ := w.pods(); s.selects(template.Metadata.Labels) {
				return template
			}
		}
	}
	return nil
}

func (t *template) port(name string) *containerPort {
	for _, c := range t.Spec.Containers {
		for i := range c.Ports {
			if c.Ports[i].Name == name {
				return &c.Ports[i]
			}
		}
	}
	return nil
}

func TestServicesReachAPortOfTheirPods(t *testing.T) {
	each(t, func(t *testing.T, name string, s *service) {
		pods := podsOf(t, name, &selector{MatchLabels: s.Spec.Selector})
		if pods == nil {
			t.Fatalf("got selector %v, want one that finds pods of this folder", s.Spec.Selector)
		}
		for _, p := range s.Spec.Ports {
			if pods.port(p.TargetPort) == nil {
				t.Errorf("got target port %q, want the name of a port of the pods", p.TargetPort)
			}
		}
	})
}

// The interceptor of the HTTP add-on is not among the manifests, nor is the reader's Deployment.
func TestPodMonitorsReachAPortOfTheirPods(t *testing.T) {
	each(t, func(t *testing.T, name string, m *podMonitor) {
		if len(m.Spec.Namespaces.Names) > 0 || name == "examples/keda/podmonitor.yaml" {
			return
		}
		for _, e := range m.Spec.Endpoints {
			if port := monitored(t, name, m, e.Port); port == nil {
				t.Errorf("got selector %+v and port %q, want pods of this folder with that port", m.Spec.Selector, e.Port)
			}
			if every, err := time.ParseDuration(e.Interval); err != nil || every > 15*time.Second {
				t.Errorf("got interval %q, want 15s at most: infscale decides as often", e.Interval)
			}
		}
	})
}

// monitored returns the port that a PodMonitor scrapes, of a pod template or of the pods that
// KServe makes.
func monitored(t *testing.T, name string, m *podMonitor, port string) *containerPort {
	t.Helper()
	if pods := podsOf(t, name, &m.Spec.Selector); pods != nil {
		return pods.port(port)
	}
	for _, o := range manifests(t) {
		is, ok := o.(*inferenceService)
		if !ok || is.Metadata.Namespace != m.Metadata.Namespace ||
			!m.Spec.Selector.selects(texts{"serving.kserve.io/inferenceservice": text(is.Metadata.Name)}) {
			continue
		}
		for i, p := range is.Spec.Predictor.Model.Ports {
			if p.Name == port {
				return &is.Spec.Predictor.Model.Ports[i]
			}
		}
	}
	return nil
}

func TestServiceMonitorReachesTheService(t *testing.T) {
	m := read[serviceMonitor](t, "components/prometheus-operator/servicemonitor.yaml")
	s := read[service](t, "base/service.yaml")
	if !m.Spec.Selector.selects(s.Metadata.Labels) || m.Spec.Endpoints[0].Port != s.Spec.Ports[0].Name {
		t.Errorf("got selector %+v and endpoints %+v, want those of the Service", m.Spec.Selector, m.Spec.Endpoints)
	}
}

func TestDisruptionBudgetsFindPods(t *testing.T) {
	each(t, func(t *testing.T, name string, b *podDisruptionBudget) {
		if podsOf(t, name, &b.Spec.Selector) == nil {
			t.Errorf("got selector %+v, want one that finds pods of this folder", b.Spec.Selector)
		}
	})
}

// No pod of these manifests needs the Kubernetes API, a capability or a way to more rights.
func TestPodsAreClosed(t *testing.T) {
	each(t, func(t *testing.T, _ string, w workload) {
		template, _ := w.pods()
		p := template.Spec
		if p.MountToken == nil || *p.MountToken {
			t.Error("got a token mounted, want automountServiceAccountToken: false")
		}
		if p.SecurityContext.Seccomp["type"] != "RuntimeDefault" {
			t.Errorf("got seccomp profile %v, want RuntimeDefault", p.SecurityContext.Seccomp)
		}
		// The image of vLLM has its caches in the home of root.
		if engine := strings.HasPrefix(w.head().Metadata.Name, "vllm-llama"); !engine && !p.SecurityContext.NonRoot {
			t.Error("got a pod that may run as root, want runAsNonRoot")
		}
		for _, c := range slices.Concat(p.Init, p.Containers) {
			s := c.SecurityContext
			if s.Escalation == nil || *s.Escalation || !slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
				t.Errorf("%s: got security %+v, want no escalation and no capability", c.Name, s)
			}
			if c.Resources.Requests["cpu"] == "" || c.Resources.Limits["memory"] == "" || c.Resources.Limits["cpu"] != "" {
				t.Errorf("%s: got resources %+v, want a CPU request, a memory limit and no CPU limit", c.Name, c.Resources)
			}
		}
	})
}

func TestVolumesAreMounted(t *testing.T) {
	each(t, func(t *testing.T, _ string, w workload) {
		template, _ := w.pods()
		known, used := map[string]bool{}, map[string]bool{}
		for _, v := range template.Spec.Volumes {
			known[v.Name] = true
		}
		for _, c := range slices.Concat(template.Spec.Init, template.Spec.Containers) {
			for _, m := range c.Mounts {
				used[m.Name] = true
			}
		}
		if !maps.Equal(known, used) {
			t.Errorf("got volumes %v and mounts of %v, want the same", known, used)
		}
	})
}

func TestClaimsExist(t *testing.T) {
	var claims []string
	each(t, func(_ *testing.T, _ string, c *persistentVolumeClaim) { claims = append(claims, c.Metadata.Name) })
	each(t, func(t *testing.T, _ string, w workload) {
		template, _ := w.pods()
		for _, v := range template.Spec.Volumes {
			if v.Claim != nil && !slices.Contains(claims, v.Claim.Name) {
				t.Errorf("got claim %q, want one of %v", v.Claim.Name, claims)
			}
		}
	})
}

func TestProbesNameAPort(t *testing.T) {
	each(t, func(t *testing.T, _ string, d *deployment) {
		for _, c := range d.Spec.Template.Spec.Containers {
			for _, p := range []*probe{c.Startup, c.Readiness, c.Liveness} {
				if p != nil && d.Spec.Template.port(p.HTTP.Port) == nil {
					t.Errorf("got a probe of port %q, want the name of a port", p.HTTP.Port)
				}
			}
		}
	})
}

// flag returns the value of --name=value among the arguments.
func (c *container) flag(name string) (string, bool) {
	for _, a := range slices.Concat(c.Command, c.Args) {
		if v, ok := strings.CutPrefix(string(a), "--"+name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// number returns a flag as a number.
func (c *container) number(t *testing.T, name string) int {
	t.Helper()
	v, ok := c.flag(name)
	n, err := strconv.Atoi(v)
	if !ok || err != nil {
		t.Fatalf("got --%s=%q, want a number", name, v)
	}
	return n
}

// One token takes 30 ms in a full batch of this server: what the manifest counts with.
const perToken = 30 * time.Millisecond

func TestStreamsAreNotCut(t *testing.T) {
	d := read[deployment](t, "examples/vllm/deployment.yaml")
	p := d.Spec.Template.Spec
	c := &p.Containers[0]
	var longest int
	limit, _ := c.flag("override-generation-config")
	if _, err := fmt.Sscanf(limit, `{"max_new_tokens": %d}`, &longest); err != nil {
		t.Fatalf("got generation config %q: %v", limit, err)
	}
	drain := time.Duration(c.number(t, "shutdown-timeout")) * time.Second
	if answer := time.Duration(longest) * perToken; drain <= answer {
		t.Errorf("got a drain of %s, want more than the longest answer, %s", drain, answer)
	}
	wait := time.Duration(c.Lifecycle.PreStop.Sleep.Seconds) * time.Second
	if grace := time.Duration(p.Grace) * time.Second; wait <= 0 || grace <= wait+drain {
		t.Errorf("got a grace period of %s, want more than the wait of %s and the drain of %s", grace, wait, drain)
	}
}

func TestGracePeriodsCoverTheWait(t *testing.T) {
	each(t, func(t *testing.T, _ string, d *deployment) {
		for _, c := range d.Spec.Template.Spec.Containers {
			if wait := c.Lifecycle.PreStop.Sleep.Seconds; d.Spec.Template.Spec.Grace <= wait {
				t.Errorf("got a grace period of %d s, want more than the wait of %d s", d.Spec.Template.Spec.Grace, wait)
			}
		}
	})
	each(t, func(t *testing.T, _ string, s *inferenceService) {
		if p := s.Spec.Predictor; p.Grace <= 30+p.Model.Lifecycle.PreStop.Sleep.Seconds {
			t.Errorf("got a grace period of %d s, want more than the default of 30 s beside the wait", p.Grace)
		}
	})
}

// The phases of a cold start without any of the levers, at their longest: 585 s.
const slowestStart = 585 * time.Second

func TestStartIsGivenTime(t *testing.T) {
	d := read[deployment](t, "examples/vllm/deployment.yaml")
	p := d.Spec.Template.Spec.Containers[0].Startup
	given := time.Duration(p.Period*p.Threshold) * time.Second
	configured := time.Duration(configs(t)["examples/vllm/infscale.yaml"].Entries[0].ColdStart)
	if given < max(slowestStart, configured) {
		t.Errorf("got %s to start, want %s at least", given, max(slowestStart, configured))
	}
	if deadline := time.Duration(d.Spec.Deadline) * time.Second; deadline <= given {
		t.Errorf("got a progress deadline of %s, want more than the %s that a start may take", deadline, given)
	}
}

// A replica, the nodes that hold it, and what pulls its image ahead agree.
func TestGPUNodesFitTheServer(t *testing.T) {
	d := read[deployment](t, "examples/vllm/deployment.yaml")
	pull := read[daemonSet](t, "examples/nodes/daemonset.yaml")
	pool := read[nodePool](t, "examples/nodes/nodepool.yaml")
	server := d.Spec.Template.Spec.Containers[0]
	if got := pull.Spec.Template.Spec.Init[0].Image; got != server.Image {
		t.Errorf("got %s pulled ahead, want %s", got, server.Image)
	}
	for who, p := range map[string]pod{"server": d.Spec.Template.Spec, "image": pull.Spec.Template.Spec} {
		if !(&selector{MatchLabels: p.NodeSelector}).selects(pool.Spec.Template.Metadata.Labels) {
			t.Errorf("%s: got node selector %v, want labels of the pool", who, p.NodeSelector)
		}
		taint := pool.Spec.Template.Spec.Taints[0]
		if tol := p.Tolerations; len(tol) != 1 || tol[0].Key != taint.Key || tol[0].Effect != taint.Effect || tol[0].Operator != "Exists" {
			t.Errorf("%s: got tolerations %+v, want the pool's taint %+v tolerated", who, tol, taint)
		}
	}
	gpus, err := strconv.Atoi(server.Resources.Limits["nvidia.com/gpu"])
	if err != nil || gpus != server.number(t, "tensor-parallel-size") {
		t.Errorf("got %d GPUs, want --tensor-parallel-size of them: %v", gpus, err)
	}
	limit, err := strconv.Atoi(string(pool.Spec.Limits["nvidia.com/gpu"]))
	if most := read[scaledObject](t, "examples/vllm/scaledobject.yaml").Spec.Max; err != nil || most*gpus > limit {
		t.Errorf("got %d replicas of %d GPUs at most, want what a pool of %d holds: %v", most, gpus, limit, err)
	}
	entry := configs(t)["examples/vllm/infscale.yaml"].Entries[0]
	if got := server.number(t, "max-num-seqs"); got != int(entry.MaxNumSeqs) {
		t.Errorf("got --max-num-seqs=%d, want max_num_seqs of infscale, %d", got, entry.MaxNumSeqs)
	}
}
