package k8s_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// The labels that select never change; a version would.
var stable = texts{"app.kubernetes.io/name": "infscale", "app.kubernetes.io/component": "recommender"}

// ours calls check with the objects of the base and of the component for the operator.
func ours(t *testing.T, check func(t *testing.T, o *object)) {
	t.Helper()
	each(t, func(t *testing.T, name string, o interface{ head() *object }) {
		part := strings.HasPrefix(name, "base/") || strings.HasPrefix(name, "components/")
		if part && !strings.HasPrefix(o.head().APIVersion, "kustomize") {
			check(t, o.head())
		}
	})
}

func TestBaseNamesNoNamespace(t *testing.T) {
	ours(t, func(t *testing.T, o *object) {
		if o.Metadata.Namespace != "" {
			t.Errorf("got namespace %q, want none", o.Metadata.Namespace)
		}
		if !strings.HasPrefix(o.Metadata.Name, "infscale") {
			t.Errorf("got name %q, want infscale in front", o.Metadata.Name)
		}
	})
}

// The recommended labels are on every object, and only those that never change select.
func TestLabels(t *testing.T) {
	base := read[kustomization](t, "base/kustomization.yaml")
	if len(base.Labels) != 1 || base.Labels[0].Selectors || !base.Labels[0].Templates {
		t.Fatalf("got labels %+v, want one set, on templates and not on selectors", base.Labels)
	}
	want := []string{"component", "instance", "managed-by", "name", "part-of", "version"}
	ours(t, func(t *testing.T, o *object) { checkLabels(t, base.Labels[0].Pairs, o.Metadata.Labels, want) })
	d := read[deployment](t, "base/deployment.yaml")
	checkLabels(t, base.Labels[0].Pairs, d.Spec.Template.Metadata.Labels, want)
}

func checkLabels(t *testing.T, added, own texts, want []string) {
	t.Helper()
	all := maps.Clone(added)
	maps.Copy(all, own)
	var got []string
	for _, l := range slices.Sorted(maps.Keys(all)) {
		got = append(got, strings.TrimPrefix(l, "app.kubernetes.io/"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got labels %v, want %v", got, want)
	}
}

func TestSelectorsAreStable(t *testing.T) {
	for who, got := range map[string]texts{
		"deployment":        read[deployment](t, "base/deployment.yaml").Spec.Selector.MatchLabels,
		"service":           read[service](t, "base/service.yaml").Spec.Selector,
		"disruption budget": read[podDisruptionBudget](t, "base/poddisruptionbudget.yaml").Spec.Selector.MatchLabels,
		"network policy":    read[networkPolicy](t, "base/networkpolicy.yaml").Spec.Pods.MatchLabels,
		"service monitor":   read[serviceMonitor](t, "components/prometheus-operator/servicemonitor.yaml").Spec.Selector.MatchLabels,
	} {
		if !maps.Equal(got, stable) {
			t.Errorf("%s: got selector %v, want %v", who, got, stable)
		}
	}
}

func TestVersionIsTheRepositorys(t *testing.T) {
	version := strings.TrimSpace(string(content(t, "../../VERSION")))
	base := read[kustomization](t, "base/kustomization.yaml")
	image := read[deployment](t, "base/deployment.yaml").Spec.Template.Spec.Containers[0].Image
	if len(base.Images) != 1 || base.Images[0].Name != image || base.Images[0].Tag != version {
		t.Errorf("got images %+v, want %s at %s", base.Images, image, version)
	}
	if got := base.Labels[0].Pairs["app.kubernetes.io/version"]; string(got) != version {
		t.Errorf("got version label %q, want %q", got, version)
	}
}

// The pod security standard "restricted", and no way to the Kubernetes API.
func TestPodIsRestricted(t *testing.T) {
	p := read[deployment](t, "base/deployment.yaml").Spec.Template.Spec
	account := read[serviceAccount](t, "base/serviceaccount.yaml")
	if mount := account.MountToken; mount == nil || *mount {
		t.Error("got a token of the account mounted, want automountServiceAccountToken: false")
	}
	if p.ServiceAccount != account.Metadata.Name {
		t.Errorf("got service account %q, want %q", p.ServiceAccount, account.Metadata.Name)
	}
	if s := p.SecurityContext; !s.NonRoot || s.User != 65532 {
		t.Errorf("got pod security %+v, want the non-root user 65532", s)
	}
	for _, c := range p.Containers {
		if !c.SecurityContext.ReadOnlyRoot {
			t.Errorf("%s: got a writable root, want it read-only", c.Name)
		}
	}
}

func TestTwoReplicasThatADrainTakesOneByOne(t *testing.T) {
	d := read[deployment](t, "base/deployment.yaml")
	if show(d.Spec.Replicas) != "2" {
		t.Errorf("got %s replicas, want 2", show(d.Spec.Replicas))
	}
	if u := d.Spec.Strategy.RollingUpdate; u["maxUnavailable"] != 0 || u["maxSurge"] != 1 {
		t.Errorf("got rolling update %v, want the new pod before the old one goes", u)
	}
	if got := read[podDisruptionBudget](t, "base/poddisruptionbudget.yaml").Spec.MaxUnavailable; got != 1 {
		t.Errorf("got maxUnavailable %d, want 1", got)
	}
	if spread := d.Spec.Template.Spec.Spread; len(spread) != 1 || spread[0].When != "ScheduleAnyway" ||
		!maps.Equal(spread[0].Selector.MatchLabels, stable) {
		t.Errorf("got spread %+v, want one over the nodes, and both on one node where there is one", spread)
	}
}

func TestProbesReachTheDaemon(t *testing.T) {
	c := read[deployment](t, "base/deployment.yaml").Spec.Template.Spec.Containers[0]
	for name, want := range map[string]struct {
		*probe
		path string
	}{
		"a slow start is not a failure":           {c.Startup, "/-/healthy"},
		"ready when Prometheus has answered":      {c.Readiness, "/-/ready"},
		"alive whether or not Prometheus answers": {c.Liveness, "/-/healthy"},
	} {
		if want.probe == nil || want.HTTP.Path != want.path || want.HTTP.Port != c.Ports[0].Name {
			t.Errorf("%s: got %+v, want %s on port %s", name, want.probe, want.path, c.Ports[0].Name)
		}
	}
	s := read[service](t, "base/service.yaml").Spec.Ports[0]
	if s.TargetPort != c.Ports[0].Name || s.Port != c.Ports[0].Port {
		t.Errorf("got service port %d to %s, want %d to %s", s.Port, s.TargetPort, c.Ports[0].Port, c.Ports[0].Name)
	}
	if !slices.Contains(c.Args, "--web.listen-address=:9099") || c.Ports[0].Port != 9099 {
		t.Errorf("got port %d and arguments %v, want both to say 9099", c.Ports[0].Port, c.Args)
	}
}

// Prometheus in, Prometheus and DNS out, and nothing else: an empty peer would be everybody.
func TestNetworkPolicyIsClosed(t *testing.T) {
	p := read[networkPolicy](t, "base/networkpolicy.yaml").Spec
	if !slices.Equal(p.Types, []string{"Ingress", "Egress"}) {
		t.Errorf("got policy types %v, want both", p.Types)
	}
	if len(p.Ingress) != 1 || len(p.Egress) != 2 {
		t.Fatalf("got %d rules in and %d out, want one and two", len(p.Ingress), len(p.Egress))
	}
	prometheus := texts{"app.kubernetes.io/name": "prometheus"}
	dns := texts{"k8s-app": "kube-dns"}
	for name, rule := range map[string]struct {
		peers []peer
		ports []policyPort
		pods  texts
		want  []policyPort
	}{
		"Prometheus scrapes":    {p.Ingress[0].From, p.Ingress[0].Ports, prometheus, []policyPort{{"TCP", "http"}}},
		"Prometheus is queried": {p.Egress[0].To, p.Egress[0].Ports, prometheus, []policyPort{{"TCP", "9090"}}},
		"names are looked up":   {p.Egress[1].To, p.Egress[1].Ports, dns, []policyPort{{"UDP", "53"}, {"TCP", "53"}}},
	} {
		if len(rule.peers) != 1 || rule.peers[0].Pods == nil || rule.peers[0].Namespaces == nil {
			t.Errorf("%s: got peers %+v, want one, of pods and namespace", name, rule.peers)
			continue
		}
		if !maps.Equal(rule.peers[0].Pods.MatchLabels, rule.pods) {
			t.Errorf("%s: got pods %v, want %v", name, rule.peers[0].Pods.MatchLabels, rule.pods)
		}
		if !slices.Equal(rule.ports, rule.want) {
			t.Errorf("%s: got ports %v, want %v", name, rule.ports, rule.want)
		}
	}
}

func TestMemoryIsLimitedAndCPUIsNot(t *testing.T) {
	c := read[deployment](t, "base/deployment.yaml").Spec.Template.Spec.Containers[0]
	r := c.Resources
	if r.Limits["memory"] == "" || r.Limits["cpu"] != "" || r.Requests["cpu"] == "" || r.Requests["memory"] == "" {
		t.Errorf("got resources %+v, want requests and a memory limit, no CPU limit", r)
	}
	if e := c.Env[0]; e.Name != "GOMEMLIMIT" || e.ValueFrom["resourceFieldRef"]["resource"] != "limits.memory" {
		t.Errorf("got environment %+v, want GOMEMLIMIT from the memory limit", e)
	}
}

func TestConfigurationIsMountedWhereTheFlagLooks(t *testing.T) {
	base := read[kustomization](t, "base/kustomization.yaml")
	p := read[deployment](t, "base/deployment.yaml").Spec.Template.Spec
	c, v := p.Containers[0], p.Volumes[0]
	if v.ConfigMap["name"] != base.ConfigMaps[0].Name || c.Mounts[0].Name != v.Name || !c.Mounts[0].ReadOnly {
		t.Errorf("got volume %+v and mounts %+v, want the generated ConfigMap, read-only", v, c.Mounts)
	}
	want := text("--config.file=" + c.Mounts[0].Path + "/" + base.ConfigMaps[0].Files[0])
	if !slices.Contains(c.Args, want) {
		t.Errorf("got arguments %v, want %s among them", c.Args, want)
	}
}
