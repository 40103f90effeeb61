package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the mistakes are into testdata")

// smallestHead and smallestWorkload stand in the archive for what every file needs.
const (
	smallestHead     = "HEAD\n"
	smallestWorkload = "WORKLOAD\n"
)

// TestBrokenFiles reads each file of an archive and compares its mistakes with
// those that follow it.
func TestBrokenFiles(t *testing.T) {
	path := filepath.Join("testdata", "broken.txtar")
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	abbreviations := strings.NewReplacer(
		smallestHead, "prometheus: {url: 'http://prometheus:9090'}\n",
		smallestWorkload, "workloads:\n  - namespace: inference\n    name: chat\n"+
			"    replicas: {min: 1, max: 8}\n    signals: [{metric: queue, target: 24}]\n")
	for i := 0; i+1 < len(archive.Files); i += 2 {
		file, want := archive.Files[i], &archive.Files[i+1]
		name := strings.TrimSuffix(file.Name, ".yaml")
		if want.Name != name+".err" {
			t.Fatalf("got %s after %s, want %s.err", want.Name, file.Name, name)
		}
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(abbreviations.Replace(string(file.Data))), file.Name)
			if err == nil {
				t.Fatal("got no error, want one")
			}
			got := err.Error() + "\n"
			if *update {
				want.Data = []byte(got)
			} else if got != string(want.Data) {
				t.Errorf("got\n%swant\n%s", got, want.Data)
			}
		})
	}
	if *update {
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
