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

// FuzzParse checks that any input is read or refused with lines, and that what is
// read prints as a file that is read as the same.
func FuzzParse(f *testing.F) {
	full, err := os.ReadFile(filepath.Join("testdata", "full.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(full)
	f.Add([]byte(smallest))
	f.Add([]byte("a: &a [*a]\nworkloads: *a"))
	f.Add([]byte(smallest + "    replica_model: llama-3.1-8b/2xh100/fp8\n"))
	f.Add([]byte("defaults: {replica_model: {gpu: l4, warm_up: 1m, layers: 3}}" + smallest + "    replica_model: {model: qwen3-8b, layers: 0x}\n"))
	f.Add([]byte("<<: [1]\nworkloads: [~, {<<: 1}, []]\n"))
	f.Add([]byte("prometheus: {http_headers: {a: 1}, tls_config: []}\nworkloads: [{signals: [{target: .nan, percentile: x}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse(data, "f")
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if strings.TrimSpace(line) == "" {
					t.Errorf("got an empty line in %q", err)
				}
			}
			return
		}
		text := c.String()
		if strings.Contains(text, "<secret>") || len(c.Prometheus.Params) > 0 {
			return // it cannot be read back
		}
		again, err := Parse([]byte(text), "again")
		if err != nil {
			t.Fatalf("got %v from\n%s", err, text)
		}
		if got := again.String(); got != text {
			t.Errorf("got\n%s\nwant\n%s", got, text)
		}
	})
}
