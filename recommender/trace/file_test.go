package trace_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

func TestFilesOfPublicTraces(t *testing.T) {
	tests := map[string]struct {
		last                   float64
		prompt, output, prefix int
	}{
		"azure-llm-2023-code.csv.gz":                 {199.09, 414_215, 4_907, 0},
		"azure-llm-2023-conv.csv.gz":                 {61.264, 180_695, 47_050, 0},
		"mooncake-fast25-conversation-prefix.csv.gz": {72, 2_782_179, 71_379, 164_864},
		"servegen-deepseek-r1.csv.gz":                {103.78, 254_844, 233_288, 0},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			all, err := trace.ReadAll(trace.File(filepath.Join("testdata", name)), 0)
			if err != nil || len(all) != 200 {
				t.Fatalf("got %d requests, %v, want 200", len(all), err)
			}
			got := want
			got.last, got.prompt, got.output, got.prefix = all[199].At, 0, 0, 0
			for _, q := range all {
				got.prompt += int(q.Prompt)
				got.output += int(q.Output)
				got.prefix += int(q.Prefix)
			}
			if got != want {
				t.Errorf("got the last arrival and sums of tokens %v, want %v", got, want)
			}
		})
	}
}

func TestFileIsReadAnewEachTime(t *testing.T) {
	// The name says nothing: this one is compressed.
	path := filepath.Join(t.TempDir(), "trace.csv")
	if err := os.WriteFile(path, []byte(compressed(t, header+"1,10,20\n2,30,40\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	file := trace.File(path)
	first, err1 := trace.ReadAll(file, 1)
	again, err2 := trace.ReadAll(file, 2)
	if err := errors.Join(err1, err2); err != nil || len(first) != 2 || !slices.Equal(first, again) {
		t.Errorf("got %v, then %v, %v, want 2 requests twice", first, again, err)
	}
}

func TestFileErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.csv")
	if _, err := trace.File(missing).Open(0); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("missing file: got %v, want %v with its name", err, fs.ErrNotExist)
	}
	if _, err := trace.File(dir).Open(0); err == nil || !strings.HasPrefix(err.Error(), dir+":") {
		t.Errorf("folder: got %v, want an error with its name", err)
	}
	table := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(table, []byte("minute,tokens_per_s\n0,30.1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := trace.File(table).Open(0); err == nil || !strings.HasPrefix(err.Error(), table+":1: column must be one of") {
		t.Errorf("table of something else: got %v, want an error with its name and line", err)
	}
	bad := filepath.Join(dir, "bad.csv")
	if err := os.WriteFile(bad, []byte(header+"1,10,20\n0,10,20\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := trace.ReadAll(trace.File(bad), 0)
	if want := bad + `:3: timestamp_s must not be before 1 of the line above, got "0"`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestFileIsClosed(t *testing.T) {
	r, err := trace.File(filepath.Join("testdata", "azure-llm-2023-code.csv.gz")).Open(0)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if _, err := r.Next(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Next: got %v, want %v", err, fs.ErrClosed)
	}
	// Only a file that was closed refuses it.
	if err := r.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close: got %v, want %v", err, fs.ErrClosed)
	}
}
