package lint_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/infscale/infscale/deploy/lint"
)

// checkFiles lints files together, and fails where one cannot be read.
func checkFiles(t *testing.T, names ...string) []lint.Finding {
	t.Helper()
	var files []lint.File
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, lint.File{Name: name, Data: data})
	}
	return check(t, files...)
}

func check(t *testing.T, files ...lint.File) []lint.Finding {
	t.Helper()
	findings, unreadable := lint.Check(files, lint.Options{})
	for _, err := range unreadable {
		t.Error(err)
	}
	return findings
}

// rulesOf lists the rules that found something.
func rulesOf(findings []lint.Finding) []string {
	var ids []string
	for i := range findings {
		ids = append(ids, findings[i].Rule)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// planted returns the rules that a file says it breaks.
func planted(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for line := range strings.Lines(string(data)) {
		if list, ok := strings.CutPrefix(line, "# Must be found:"); ok {
			ids = append(ids, strings.Fields(list)...)
		}
	}
	slices.Sort(ids)
	return ids
}

func TestPlantedMistakesAreFound(t *testing.T) {
	names, err := filepath.Glob("testdata/planted/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("got files %v and error %v, want planted mistakes", names, err)
	}
	var all []string
	count := 0
	for _, name := range names {
		findings := checkFiles(t, name)
		want := planted(t, name)
		if got := rulesOf(findings); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		all = append(all, want...)
		count += len(findings)
	}
	for _, r := range lint.Rules() {
		if !slices.Contains(all, r.ID) {
			t.Errorf("no planted file breaks %s, want each rule shown once", r.ID)
		}
	}
	t.Logf("%d findings of %d rules in %d files", count, len(lint.Rules()), len(names))
}

func TestRightManifestsAreSilent(t *testing.T) {
	names, err := filepath.Glob("testdata/right/*")
	if err != nil || len(names) == 0 {
		t.Fatalf("got files %v and error %v, want right manifests", names, err)
	}
	for _, name := range names {
		silent(t, checkFiles(t, name))
	}
}

func silent(t *testing.T, findings []lint.Finding) {
	t.Helper()
	for i := range findings {
		t.Errorf("got %s\nwant silence", &findings[i])
	}
}

// What is applied together stands in one folder; people also give a folder with all below it,
// or all of them at once.
func TestOwnManifestsAreSilent(t *testing.T) {
	alone, below := map[string][]string{}, map[string][]string{}
	for _, root := range []string{"../k8s", "../../rules", "../../alerts"} {
		err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(name) != ".yaml" {
				return err
			}
			folder := filepath.Dir(name)
			alone[folder] = append(alone[folder], name)
			for ; strings.HasPrefix(folder, root); folder = filepath.Dir(folder) {
				below[folder] = append(below[folder], name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if all := len(below["../k8s"]); all < 40 || len(below["../k8s/examples/keda/auth"]) < 5 {
		t.Fatalf("got %d manifests, want all of deploy/k8s", all)
	}
	for _, folders := range []map[string][]string{alone, below} {
		for _, names := range folders {
			silent(t, checkFiles(t, names...))
		}
	}
}

func TestReadmeIsSilent(t *testing.T) {
	data, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for i, block := range strings.Split(string(data), "```") {
		yaml, ok := strings.CutPrefix(block, "yaml\n")
		if i%2 == 1 && ok {
			found = found || strings.Contains(yaml, "kind: ScaledObject")
			silent(t, check(t, lint.File{Name: "README.md", Data: []byte(yaml)}))
		}
	}
	if !found {
		t.Error("got no ScaledObject in README.md, want the one that follows infscale")
	}
}
