package k8s_test

import (
	"bytes"
	"flag"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

var update = flag.Bool("update", false, "write the rendered PrometheusRules")

const operator = "components/prometheus-operator/"

// rendered are the PrometheusRules, each of all rule files of one folder of the repository.
var rendered = map[string]string{
	operator + "prometheusrule-rules.yaml":  "rules",
	operator + "prometheusrule-alerts.yaml": "alerts",
}

// ruleFiles lists the rule files of a folder.
func ruleFiles(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*.rules.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: got rule files %v and error %v, want some", folder, files, err)
	}
	return files
}

// render wraps the rule files of a folder in one object, their comments with them. Every
// line moves to the right by the same number of blanks, so that block scalars stay what
// they are.
func render(t *testing.T, folder string) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("# Rendered from the folder " + folder + "/ by the tests of deploy/k8s. Edit it there.\n" +
		"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: infscale-" + folder + "\n" +
		"  labels:\n    app.kubernetes.io/name: infscale\n    app.kubernetes.io/component: recommender\n" +
		"spec:\n  groups:\n")
	for _, f := range ruleFiles(t, folder) {
		text := string(content(t, f))
		head, groups, ok := strings.Cut(text, "\ngroups:\n")
		if !ok {
			t.Fatalf("%s: got no line `groups:`", f)
		}
		b.WriteString("    # " + path.Join(folder, filepath.Base(f)) + "\n")
		move(&b, head, "    ")
		move(&b, groups, strings.Repeat(" ", 4-listIndent(groups)))
	}
	return b.Bytes()
}

// listIndent returns the blanks in front of the first item.
func listIndent(text string) int {
	for line := range strings.Lines(text) {
		if item := strings.TrimLeft(line, " "); strings.HasPrefix(item, "- ") {
			return len(line) - len(item)
		}
	}
	return 0
}

func move(b *bytes.Buffer, text, by string) {
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if line != "\n" && line != "---\n" {
			b.WriteString(by)
		}
		if line != "---\n" {
			b.WriteString(line)
		}
	}
}

func TestRendering(t *testing.T) {
	for name, folder := range rendered {
		want := render(t, folder)
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := content(t, name); !bytes.Equal(got, want) {
			t.Errorf("got a %s that is not the rendering of %s/, want it as `go test ./deploy/k8s -run TestRendering -update` writes it", name, folder)
		}
	}
}

// The groups of the object are those of the files: nothing is lost on the way, and no text
// has changed its meaning with its place.
func TestRenderingKeepsEveryGroup(t *testing.T) {
	type ruleFile struct {
		Groups []any `yaml:"groups"`
	}
	for name, folder := range rendered {
		var want []any
		for _, f := range ruleFiles(t, folder) {
			var file ruleFile
			if err := yaml.Unmarshal(content(t, f), &file); err != nil {
				t.Fatalf("%s: %v", f, err)
			}
			want = append(want, file.Groups...)
		}
		var got struct {
			Spec ruleFile `yaml:"spec"`
		}
		if err := yaml.Unmarshal(content(t, name), &got); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if encode(t, got.Spec.Groups) != encode(t, want) {
			t.Errorf("%s: got %d groups that differ from the %d of %s/", name, len(got.Spec.Groups), len(want), folder)
		}
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGroupNamesAreUnique(t *testing.T) {
	for name := range rendered {
		var seen []string
		for _, g := range read[prometheusRule](t, name).Spec.Groups {
			if slices.Contains(seen, g.Name) {
				t.Errorf("%s: got two groups %s", name, g.Name)
			}
			seen = append(seen, g.Name)
		}
	}
}
