package k8s_test

import (
	"bytes"
	"path"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/deploy/generate"
	"github.com/infscale/infscale/deploy/lint"
	"github.com/infscale/infscale/recommender/config"
)

// plain writes YAML anew, without comments and in one style, so that only what it says is left.
func plain(t *testing.T, where string, content []byte) string {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal(content, &n); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	strip(&n)
	b, err := yaml.Marshal(&n)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	return string(b)
}

func strip(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment, n.Style = "", "", "", 0
	for _, child := range n.Content {
		strip(child)
	}
}

// beside returns the configuration in the folder of a manifest.
func beside(t *testing.T, name string) *config.Config {
	t.Helper()
	c, ok := configs(t)[path.Dir(name)+"/infscale.yaml"]
	if !ok {
		t.Fatalf("got no infscale.yaml beside %s", name)
	}
	return c
}

// What explains itself here and what `recommender generate keda` prints are one object.
func TestScaledObjectsAreWhatIsGenerated(t *testing.T) {
	each(t, func(t *testing.T, name string, s *scaledObject) {
		if !s.follows() {
			return
		}
		files, err := generate.KEDA(beside(t, name), generate.Options{})
		if err != nil || len(files) != 1 {
			t.Fatalf("got %d files and error %v, want one", len(files), err)
		}
		got, want := plain(t, name, content(t, name)), plain(t, "generated", files[0].Data)
		if got != want {
			t.Errorf("got\n%s\nwant what is generated for infscale.yaml beside it\n%s", got, want)
		}
	})
}

// The same with `recommender generate hpa`, and the rule of prometheus-adapter that comes with it.
func TestHPAIsWhatIsGenerated(t *testing.T) {
	const name = "examples/hpa/hpa.yaml"
	files, err := generate.HPA(beside(t, name), generate.Options{})
	if err != nil || len(files) != 2 {
		t.Fatalf("got %d files and error %v, want the HPA and the adapter's rule", len(files), err)
	}
	if got, want := plain(t, name, content(t, name)), plain(t, "generated", files[0].Data); got != want {
		t.Errorf("got\n%s\nwant what is generated\n%s", got, want)
	}
	var shown, generated struct {
		Rules []yaml.Node `yaml:"externalRules"`
	}
	adapter := read[configMap](t, "examples/hpa/adapter.yaml").Data["config.yaml"]
	if err := yaml.Unmarshal([]byte(adapter), &shown); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(files[1].Data, &generated); err != nil {
		t.Fatal(err)
	}
	if len(shown.Rules) != 2 || len(generated.Rules) != 1 {
		t.Fatalf("got %d rules here and %d generated, want 2 and 1", len(shown.Rules), len(generated.Rules))
	}
	texts := [2]string{}
	for i, n := range []*yaml.Node{&shown.Rules[0], &generated.Rules[0]} {
		strip(n)
		b, err := yaml.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(b)
	}
	if texts[0] != texts[1] {
		t.Errorf("got rule\n%s\nwant the generated\n%s", texts[0], texts[1])
	}
}

// Each of the three gives what KEDA needs for its mode, and not what it needs for another.
func TestTriggerAuthenticationsGiveTheirMode(t *testing.T) {
	const folder = "examples/keda/auth/"
	object := content(t, folder+"scaledobject.yaml")
	for name, mode := range map[string]string{"": "basic", "bearer/": "bearer", "tls/": "tls"} {
		file := folder + name + "triggerauthentication.yaml"
		for _, asked := range []string{"basic", "bearer", "tls"} {
			with := bytes.Replace(object, []byte("authModes: basic"), []byte("authModes: "+asked), 1)
			findings, unreadable := lint.Check([]lint.File{{Name: "scaledobject.yaml", Data: with}, {Name: file, Data: content(t, file)}}, lint.Options{})
			if len(unreadable) > 0 {
				t.Fatal(unreadable)
			}
			if silent := len(findings) == 0; silent != (asked == mode) {
				t.Errorf("%s: got findings %v with the mode %s, want them unless it is %s", file, findings, asked, mode)
			}
		}
		checkSecrets(t, file)
	}
}

// checkSecrets compares what is read from the Secret with the command that makes it.
func checkSecrets(t *testing.T, file string) {
	t.Helper()
	a := read[triggerAuthentication](t, file)
	text := string(content(t, file))
	ref := read[scaledObject](t, "examples/keda/auth/scaledobject.yaml")
	if a.Metadata.Name != ref.Spec.Triggers[0].Auth.Name || a.Metadata.Namespace != ref.Metadata.Namespace {
		t.Errorf("%s: got %s/%s, want the one that the ScaledObject refers to", file, a.Metadata.Namespace, a.Metadata.Name)
	}
	for _, s := range a.Spec.Secrets {
		made := slices.ContainsFunc([]string{"--from-literal=" + s.Key + "=", "--from-file=" + s.Key}, func(option string) bool {
			return strings.Contains(text, option)
		})
		if !made || !strings.Contains(text, "create secret generic "+s.Name+" ") {
			t.Errorf("%s: got key %s of the Secret %s, which the command above does not make", file, s.Key, s.Name)
		}
	}
}
