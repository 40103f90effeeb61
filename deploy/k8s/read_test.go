// Package k8s_test checks the Kubernetes manifests of this folder.
package k8s_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/recommender/config"
)

// kinds are the objects that a manifest may hold. There is no Role and no RoleBinding.
var kinds = map[string]func() any{
	"v1/Namespace":                               func() any { return new(namespace) },
	"v1/ConfigMap":                               func() any { return new(configMap) },
	"v1/ServiceAccount":                          func() any { return new(serviceAccount) },
	"v1/Service":                                 func() any { return new(service) },
	"v1/PersistentVolumeClaim":                   func() any { return new(persistentVolumeClaim) },
	"apps/v1/Deployment":                         func() any { return new(deployment) },
	"apps/v1/DaemonSet":                          func() any { return new(daemonSet) },
	"batch/v1/Job":                               func() any { return new(job) },
	"policy/v1/PodDisruptionBudget":              func() any { return new(podDisruptionBudget) },
	"networking.k8s.io/v1/NetworkPolicy":         func() any { return new(networkPolicy) },
	"autoscaling/v2/HorizontalPodAutoscaler":     func() any { return new(horizontalPodAutoscaler) },
	"monitoring.coreos.com/v1/ServiceMonitor":    func() any { return new(serviceMonitor) },
	"monitoring.coreos.com/v1/PodMonitor":        func() any { return new(podMonitor) },
	"monitoring.coreos.com/v1/PrometheusRule":    func() any { return new(prometheusRule) },
	"keda.sh/v1alpha1/ScaledObject":              func() any { return new(scaledObject) },
	"keda.sh/v1alpha1/TriggerAuthentication":     func() any { return new(triggerAuthentication) },
	"http.keda.sh/v1beta1/InterceptorRoute":      func() any { return new(interceptorRoute) },
	"serving.kserve.io/v1beta1/InferenceService": func() any { return new(inferenceService) },
	"karpenter.sh/v1/NodePool":                   func() any { return new(nodePool) },
	"kustomize.config.k8s.io/v1beta1/Kustomization": func() any {
		return new(kustomization)
	},
	"kustomize.config.k8s.io/v1alpha1/Component": func() any { return new(kustomization) },
}

// content reads a file, with slashes.
func content(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// decode reads one YAML document strictly.
func decode(t *testing.T, where string, content []byte, into any) {
	t.Helper()
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	if d.Decode(&yaml.Node{}) == nil {
		t.Errorf("%s: got a second document, want one object per file", where)
	}
}

// yamlFiles lists every YAML file of the folder and below, with slashes.
func yamlFiles(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")) {
			names = append(names, filepath.ToSlash(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// isConfig reports whether the file is a configuration of infscale, and no manifest.
func isConfig(name string) bool { return strings.HasSuffix("/"+name, "/infscale.yaml") }

// parsed holds what manifests returns; no test changes it.
var parsed map[string]any

// manifests decodes every manifest, by file.
func manifests(t *testing.T) map[string]any {
	t.Helper()
	if parsed != nil {
		return parsed
	}
	all := map[string]any{}
	for _, name := range yamlFiles(t) {
		if isConfig(name) {
			continue
		}
		b := content(t, name)
		var head struct {
			APIVersion string `yaml:"apiVersion"`
			Kind       string `yaml:"kind"`
		}
		if err := yaml.Unmarshal(b, &head); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		blank, ok := kinds[head.APIVersion+"/"+head.Kind]
		if !ok {
			t.Fatalf("%s: got %s of %s, want a kind that is known here", name, head.Kind, head.APIVersion)
		}
		o := blank()
		decode(t, name, b, o)
		all[name] = o
	}
	parsed = all
	return all
}

// each calls check with every manifest of type T, in the order of the file names.
func each[T any](t *testing.T, check func(t *testing.T, name string, o T)) {
	t.Helper()
	all := manifests(t)
	n := 0
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if o, ok := all[name].(T); ok {
			n++
			t.Run(name, func(t *testing.T) { check(t, name, o) })
		}
	}
	if n == 0 {
		t.Error("got no manifest of this kind, want some")
	}
}

// read decodes one manifest.
func read[T any](t *testing.T, name string) *T {
	t.Helper()
	o := new(T)
	decode(t, name, content(t, name), o)
	return o
}

func TestEveryManifestIsComplete(t *testing.T) {
	each(t, func(t *testing.T, _ string, o interface{ head() *object }) {
		m := o.head().Metadata
		kustomizes := strings.HasPrefix(o.head().APIVersion, "kustomize")
		if named := m.Name != "" || m.GenerateName != ""; named == kustomizes {
			t.Errorf("got name %q and generateName %q of a %s", m.Name, m.GenerateName, o.head().Kind)
		}
	})
}

// configs parses every configuration of infscale, by file.
func configs(t *testing.T) map[string]*config.Config {
	t.Helper()
	all := map[string]*config.Config{}
	for _, name := range yamlFiles(t) {
		if !isConfig(name) {
			continue
		}
		c, err := config.Parse(content(t, name), name)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Workloads()) == 0 {
			t.Errorf("%s: got no workload, want an example of one", name)
		}
		all[name] = c
	}
	if len(all) < 2 {
		t.Errorf("got configurations %v, want that of the base and those of the examples", slices.Collect(maps.Keys(all)))
	}
	return all
}

func TestEveryConfigurationIsValid(t *testing.T) { configs(t) }
