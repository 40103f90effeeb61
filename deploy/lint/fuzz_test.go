package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/infscale/infscale/deploy/lint"
)

// Whatever a file holds, every finding stands at a line of it and says all that it must.
func FuzzCheck(f *testing.F) {
	for _, pattern := range []string{"testdata/planted/*", "testdata/right/*"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(data), filepath.Ext(name) == ".promql")
		}
	}
	f.Add("&x {kind: List, items: [*x, {kind: List, items: [*x]}]}", false)
	f.Add("kind: ScaledObject\nspec: {triggers: [~, {type: prometheus, metadata: {query: \"a\\x41\"}}]}", false)
	f.Add("kind: Deployment\nspec: {template: {spec: {containers: [~, {image: vllm-openai}]}}}", false)
	f.Add("kind: ConfigMap\ndata: {a: \"seriesQuery: a\"}", false)
	f.Fuzz(func(t *testing.T, text string, query bool) {
		name := "m.yaml"
		if query {
			name = "m.promql"
		}
		lines := strings.Count(text, "\n") + 1
		findings, _ := lint.Check([]lint.File{{Name: name, Data: []byte(text)}}, lint.Options{})
		for i := range findings {
			f := &findings[i]
			if f.Line < 1 || f.Line > lines+1 || f.Column < 1 {
				t.Errorf("got a finding at %d:%d, want a line up to %d", f.Line, f.Column, lines)
			}
			if f.What == "" || f.Why == "" || f.Fix == "" || f.File != name {
				t.Errorf("got %+v, want what, why and fix", f)
			}
		}
	})
}
