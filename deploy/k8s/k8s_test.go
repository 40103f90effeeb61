// Package k8s_test checks the Kubernetes manifests of this folder.
package k8s_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/recommender/config"
)

// read decodes a manifest of one object.
func read[T any](t *testing.T, name string) T {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var v T
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if d.Decode(&yaml.Node{}) == nil {
		t.Errorf("%s: got a second document, want one object per file", name)
	}
	return v
}

func TestEveryManifestIsInTheBase(t *testing.T) {
	base := read[kustomization](t, "kustomization.yaml")
	files, err := filepath.Glob("*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := append([]string{"kustomization.yaml"}, base.Resources...)
	for _, m := range base.ConfigMaps {
		want = append(want, m.Files...)
	}
	slices.Sort(want)
	if !slices.Equal(files, want) {
		t.Errorf("got files %v, want those of kustomization.yaml, %v", files, want)
	}
}

func TestBaseNamesNoNamespace(t *testing.T) {
	for _, o := range []object{
		read[serviceAccount](t, "serviceaccount.yaml").object,
		read[service](t, "service.yaml").object,
		read[deployment](t, "deployment.yaml").object,
	} {
		if o.Metadata.Namespace != "" {
			t.Errorf("%s %s: got namespace %q, want none", o.Kind, o.Metadata.Name, o.Metadata.Namespace)
		}
		if o.APIVersion == "" || o.Metadata.Name != "infscale" {
			t.Errorf("got %s of %q named %q, want infscale", o.Kind, o.APIVersion, o.Metadata.Name)
		}
	}
}

// The recommended labels are on every object, and only those that never change select.
func TestLabels(t *testing.T) {
	base := read[kustomization](t, "kustomization.yaml")
	d := read[deployment](t, "deployment.yaml")
	s := read[service](t, "service.yaml")
	if len(base.Labels) != 1 || base.Labels[0].Selectors || !base.Labels[0].Templates {
		t.Fatalf("got labels %+v, want one set, on templates and not on selectors", base.Labels)
	}
	want := []string{"component", "instance", "managed-by", "name", "part-of", "version"}
	for who, labels := range map[string]map[string]string{
		"service account": read[serviceAccount](t, "serviceaccount.yaml").Metadata.Labels,
		"service":         s.Metadata.Labels,
		"deployment":      d.Metadata.Labels,
		"pod":             d.Spec.Template.Metadata.Labels,
	} {
		all := maps.Clone(base.Labels[0].Pairs)
		maps.Copy(all, labels)
		var got []string
		for _, l := range slices.Sorted(maps.Keys(all)) {
			got = append(got, strings.TrimPrefix(l, "app.kubernetes.io/"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got labels %v, want %v", who, got, want)
		}
	}
	stable := map[string]string{"app.kubernetes.io/name": "infscale", "app.kubernetes.io/component": "recommender"}
	for who, got := range map[string]map[string]string{
		"deployment": d.Spec.Selector.MatchLabels, "service": s.Spec.Selector,
	} {
		if !maps.Equal(got, stable) {
			t.Errorf("%s: got selector %v, want %v", who, got, stable)
		}
	}
}

func TestVersionIsTheRepositorys(t *testing.T) {
	content, err := os.ReadFile("../../VERSION")
	if err != nil {
		t.Fatal(err)
	}
	version := strings.TrimSpace(string(content))
	base := read[kustomization](t, "kustomization.yaml")
	image := read[deployment](t, "deployment.yaml").Spec.Template.Spec.Containers[0].Image
	if len(base.Images) != 1 || base.Images[0].Name != image || base.Images[0].Tag != version {
		t.Errorf("got images %+v, want %s at %s", base.Images, image, version)
	}
	if got := base.Labels[0].Pairs["app.kubernetes.io/version"]; got != version {
		t.Errorf("got version label %q, want %q", got, version)
	}
}

// The pod security standard "restricted", and no way to the Kubernetes API.
func TestPodIsRestricted(t *testing.T) {
	p := read[deployment](t, "deployment.yaml").Spec.Template.Spec
	account := read[serviceAccount](t, "serviceaccount.yaml")
	for who, mount := range map[string]*bool{"pod": p.MountToken, "service account": account.MountToken} {
		if mount == nil || *mount {
			t.Errorf("%s: got a token mounted, want automountServiceAccountToken: false", who)
		}
	}
	if p.ServiceAccount != account.Metadata.Name {
		t.Errorf("got service account %q, want %q", p.ServiceAccount, account.Metadata.Name)
	}
	if s := p.SecurityContext; !s.NonRoot || s.User != 65532 || s.Seccomp["type"] != "RuntimeDefault" {
		t.Errorf("got pod security %+v, want a non-root user 65532 under RuntimeDefault", s)
	}
	for _, c := range p.Containers {
		s := c.SecurityContext
		if s.Escalation == nil || *s.Escalation || !s.ReadOnlyRoot || !slices.Equal(s.Capabilities.Drop, []string{"ALL"}) {
			t.Errorf("%s: got security %+v, want no escalation, a read-only root and no capability", c.Name, s)
		}
	}
}

func TestProbesReachTheDaemon(t *testing.T) {
	c := read[deployment](t, "deployment.yaml").Spec.Template.Spec.Containers[0]
	for name, want := range map[string]struct {
		probe
		path string
	}{
		"a slow start is not a failure":           {c.Startup, "/-/healthy"},
		"ready when Prometheus has answered":      {c.Readiness, "/-/ready"},
		"alive whether or not Prometheus answers": {c.Liveness, "/-/healthy"},
	} {
		if want.HTTP.Path != want.path || want.HTTP.Port != c.Ports[0].Name {
			t.Errorf("%s: got %s on port %s, want %s on port %s",
				name, want.HTTP.Path, want.HTTP.Port, want.path, c.Ports[0].Name)
		}
	}
	s := read[service](t, "service.yaml").Spec.Ports[0]
	if s.TargetPort != c.Ports[0].Name || s.Port != c.Ports[0].Port {
		t.Errorf("got service port %d to %s, want %d to %s", s.Port, s.TargetPort, c.Ports[0].Port, c.Ports[0].Name)
	}
	if !slices.Contains(c.Args, "--web.listen-address=:9099") || c.Ports[0].Port != 9099 {
		t.Errorf("got port %d and arguments %v, want both to say 9099", c.Ports[0].Port, c.Args)
	}
}

func TestMemoryIsLimitedAndCPUIsNot(t *testing.T) {
	c := read[deployment](t, "deployment.yaml").Spec.Template.Spec.Containers[0]
	r := c.Resources
	if r.Limits["memory"] == "" || r.Limits["cpu"] != "" || r.Requests["cpu"] == "" || r.Requests["memory"] == "" {
		t.Errorf("got resources %+v, want requests and a memory limit, no CPU limit", r)
	}
	if e := c.Env[0]; e.Name != "GOMEMLIMIT" || e.ValueFrom["resourceFieldRef"]["resource"] != "limits.memory" {
		t.Errorf("got environment %+v, want GOMEMLIMIT from the memory limit", e)
	}
}

func TestConfigurationIsMountedWhereTheFlagLooks(t *testing.T) {
	base := read[kustomization](t, "kustomization.yaml")
	p := read[deployment](t, "deployment.yaml").Spec.Template.Spec
	c, v := p.Containers[0], p.Volumes[0]
	if v.ConfigMap["name"] != base.ConfigMaps[0].Name || c.Mounts[0].Name != v.Name || !c.Mounts[0].ReadOnly {
		t.Errorf("got volume %+v and mounts %+v, want the generated ConfigMap, read-only", v, c.Mounts)
	}
	want := "--config.file=" + c.Mounts[0].Path + "/" + base.ConfigMaps[0].Files[0]
	if !slices.Contains(c.Args, want) {
		t.Errorf("got arguments %v, want %s among them", c.Args, want)
	}
}

func TestExampleConfigurationIsValid(t *testing.T) {
	for _, name := range read[kustomization](t, "kustomization.yaml").ConfigMaps[0].Files {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(content, name)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Workloads()) == 0 {
			t.Errorf("%s: got no workload, want an example of one", name)
		}
	}
}
