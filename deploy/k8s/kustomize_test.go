package k8s_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// alone are the manifests that are applied by themselves, or not at all.
var alone = []string{
	"examples/keda/", "examples/hpa/", "examples/imitated/", "examples/kserve/", "examples/nodes/",
	"examples/vllm/without-infscale/", "examples/simulator/scaledobject.yaml", "examples/simulator/load.yaml",
}

// A file that no kustomization names is installed by nobody.
func TestEveryManifestIsInAKustomization(t *testing.T) {
	var listed []string
	for name, o := range manifests(t) {
		k, ok := o.(*kustomization)
		if !ok {
			continue
		}
		listed = append(listed, name)
		folder := path.Dir(name)
		for _, r := range slices.Concat(k.Resources, k.Components) {
			listed = append(listed, path.Join(folder, r))
		}
		for _, m := range k.ConfigMaps {
			for _, f := range m.Files {
				listed = append(listed, path.Join(folder, f))
			}
		}
	}
	for _, name := range yamlFiles(t) {
		byItself := slices.ContainsFunc(alone, func(p string) bool { return strings.HasPrefix(name, p) })
		beside := isConfig(name) && strings.HasPrefix(name, "examples/")
		if !byItself && !beside && !slices.Contains(listed, name) {
			t.Errorf("got %s, which no kustomization names", name)
		}
	}
	for _, name := range listed {
		if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
			t.Errorf("got a kustomization that names %s: %v", name, err)
		}
	}
}

func TestOverlays(t *testing.T) {
	single := read[kustomization](t, "overlays/single/kustomization.yaml")
	if len(single.Replicas) != 1 || single.Replicas[0].Name != "infscale" || single.Replicas[0].Count != 1 {
		t.Errorf("got replicas %+v, want one of infscale", single.Replicas)
	}
	o := read[kustomization](t, "overlays/prometheus-operator/kustomization.yaml")
	n := read[namespace](t, "overlays/prometheus-operator/namespace.yaml")
	if o.Namespace != n.Metadata.Name {
		t.Errorf("got namespace %s, want %s, which is made here", o.Namespace, n.Metadata.Name)
	}
	if got := n.Metadata.Labels["pod-security.kubernetes.io/enforce"]; got != "restricted" {
		t.Errorf("got pod security %q, want restricted", got)
	}
}

// What kustomize makes of every folder, where kubectl is installed.
func TestKustomizeBuilds(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil || testing.Short() {
		t.Skip("needs kubectl and a few seconds")
	}
	wants := map[string][]string{
		".":               {"\n  replicas: 2\n", "kind: NetworkPolicy", "kind: PodDisruptionBudget", "image: ghcr.io/infscale/infscale:"},
		"overlays/single": {"\n  replicas: 1\n"},
		"overlays/prometheus-operator": {
			"namespace: infscale", "kubernetes.io/metadata.name: monitoring", "kind: ServiceMonitor", "name: infscale-alerts",
			"    release: kube-prometheus-stack\n",
		},
		"examples/keda/zero-push": {"interceptorRoute: summariser", "infscale_desired_replicas"},
	}
	each(t, func(t *testing.T, name string, k *kustomization) {
		if k.Kind == "Component" {
			return
		}
		folder := path.Dir(name)
		out, err := exec.CommandContext(t.Context(), "kubectl", "kustomize", folder).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for _, want := range wants[folder] {
			if !strings.Contains(string(out), want) {
				t.Errorf("got no %q in the result", want)
			}
		}
		if folder == "overlays/single" && strings.Contains(string(out), "PodDisruptionBudget") {
			t.Error("got a disruption budget of one pod, want none")
		}
	})
}
