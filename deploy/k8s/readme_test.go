package k8s_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
)

func TestReadmeLinksExist(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(content(t, "README.md")), -1)
	if len(links) < 16 {
		t.Errorf("got %d links, want those of the table", len(links))
	}
	for _, link := range links {
		if _, err := os.Stat(filepath.FromSlash(link[1])); err != nil {
			t.Errorf("got a link to %s: %v", link[1], err)
		}
	}
}

// Every folder with manifests has its row in the table.
func TestReadmeShowsEveryFolder(t *testing.T) {
	readme := string(content(t, "README.md"))
	for _, name := range yamlFiles(t) {
		folder := path.Dir(name)
		if folder == "." {
			continue
		}
		if row := "| [" + folder + "/](" + folder + ") |"; !strings.Contains(readme, row) {
			t.Errorf("got no row that starts with %q", row)
		}
	}
}

// What somebody pastes into a terminal: files that exist, and PromQL that parses and reads what
// is exported.
func TestReadmeCommands(t *testing.T) {
	readme := string(content(t, "README.md"))
	paths := regexp.MustCompile(`deploy/k8s(/[\w./-]+)`).FindAllStringSubmatch(readme, -1)
	for _, p := range paths {
		if _, err := os.Stat("." + filepath.FromSlash(p[1])); err != nil {
			t.Errorf("got deploy/k8s%s: %v", p[1], err)
		}
	}
	asked := regexp.MustCompile(`(?m)ask '([^']+)'`).FindAllStringSubmatch(readme, -1)
	if len(paths) < 6 || len(asked) < 9 {
		t.Errorf("got %d paths and %d queries, want those of every step", len(paths), len(asked))
	}
	known := names(t)
	for _, q := range asked {
		tree, err := parser.NewParser(parser.Options{}).ParseExpr(q[1])
		if err != nil {
			t.Errorf("%s: %v", q[1], err)
			continue
		}
		parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
			vs, ok := n.(*parser.VectorSelector)
			if ok && vs.Name != "up" && !strings.HasPrefix(vs.Name, "kube_") && !known[vs.Name] {
				t.Errorf("%s: got metric %s, which nobody exports", q[1], vs.Name)
			}
			return nil
		})
	}
}

// The overlay that the README makes is one that kustomize takes, of what is here.
func TestReadmeOverlay(t *testing.T) {
	_, rest, found := strings.Cut(string(content(t, "README.md")), "cat > my-infscale/kustomization.yaml <<EOF\n")
	text, _, closed := strings.Cut(rest, "    EOF\n")
	if !found || !closed {
		t.Fatal("got no overlay in the README")
	}
	var k kustomization
	decode(t, "README.md", []byte(text), &k)
	base := read[kustomization](t, "base/kustomization.yaml")
	operator := read[kustomization](t, "overlays/prometheus-operator/kustomization.yaml")
	if len(k.Resources) != 1 || k.Resources[0] != "../deploy/k8s/overlays/prometheus-operator" || k.Namespace != operator.Namespace {
		t.Errorf("got resources %v in %s, want the overlay for the operator in its namespace", k.Resources, k.Namespace)
	}
	if k.ConfigMaps[0].Name != base.ConfigMaps[0].Name || !slices.Equal(k.ConfigMaps[0].Files, base.ConfigMaps[0].Files) {
		t.Errorf("got ConfigMap %+v, want that of the base replaced", k.ConfigMaps[0])
	}
	if k.Images[0].Name != base.Images[0].Name || k.Images[0].Tag != base.Images[0].Tag {
		t.Errorf("got image %+v, want that of the base, %+v", k.Images[0], base.Images[0])
	}
}

// A tag that moves makes two replicas of one Deployment two programs.
func TestImagesArePinned(t *testing.T) {
	full := regexp.MustCompile(`^[\w./-]+:v?\d+\.\d+(\.\d+)?$`)
	each(t, func(t *testing.T, name string, w workload) {
		if strings.HasPrefix(name, "base/") {
			return // kustomize sets the tag
		}
		pods, _ := w.pods()
		for _, c := range slices.Concat(pods.Spec.Init, pods.Spec.Containers) {
			if !full.MatchString(c.Image) {
				t.Errorf("got image %q, want a full version", c.Image)
			}
		}
	})
}
