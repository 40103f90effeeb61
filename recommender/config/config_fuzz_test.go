package config

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mistakeLine is one mistake: the file, the line if it is about one, and what is wrong where.
var mistakeLine = regexp.MustCompile(`^f(:[1-9][0-9]*)?: [^ ].*[^ ]$`)

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
			checkMistakes(t, data, err)
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

// checkMistakes checks that every line says where, that none is said twice, and that the
// mistakes are the same the second time.
func checkMistakes(t *testing.T, data []byte, err error) {
	t.Helper()
	seen := map[string]bool{}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !mistakeLine.MatchString(line) || strings.ContainsFunc(line, func(r rune) bool { return r < ' ' }) {
			t.Errorf("got the mistake %q, want one printable line that begins with the place", line)
		}
		if seen[line] {
			t.Errorf("got the mistake %q twice", line)
		}
		seen[line] = true
	}
	if _, again := Parse(data, "f"); again == nil || again.Error() != err.Error() {
		t.Errorf("got\n%v\nand then\n%v", err, again)
	}
}
