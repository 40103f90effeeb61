package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/infscale/infscale/deploy/lint"
)

// A place inside a query is the place in the file, however the text is written.
func TestPlacesInsideOfQueries(t *testing.T) {
	const head = `apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: a}
spec:
  groups:
    - rules:
`
	for name, rule := range map[string]string{
		"plain":                  "        - expr: max(x) > HERE{a=\"b\"}\n",
		"single quotes":          "        - expr: 'max(x{a=\"b\"}) > HERE'\n",
		"double quotes":          "        - expr: \"max(x{a=\\\"b\\\"}) > HERE\"\n",
		"a literal block":        "        - expr: |\n            max(x)\n              > HERE{a=\"b\"}\n",
		"with an indentation":    "        - expr: |2\n              max(x)\n            > HERE\n",
		"a folded block":         "        - expr: >-\n            max(x)\n            > HERE\n            or y\n",
		"a folded block, kept":   "        - expr: >+ # a comment\n\n            max(x)\n\n              > HERE\n\n",
		"plain over lines":       "        - expr: max(x)\n            > HERE\n",
		"quoted over lines":      "        - expr: \"max(x)\n            > HERE\"\n",
		"with comments of its":   "        - expr: |\n            # HERE-not\n            max(x) > HERE\n",
		"with tabs and returns":  "        - expr: |\r\n            max(x)\t>\tHERE\r\n",
		"at the start":           "        - expr: HERE\n",
		"behind other documents": "        - expr: x\n---\nkind: PrometheusRule\nspec:\n  groups:\n    - rules:\n        - {record: a, expr: HERE}\n",
	} {
		text := head + rule
		const here = "vllm:gpu_cache_usage_perc"
		text = strings.ReplaceAll(strings.ReplaceAll(text, "HERE-not", "here"), "HERE", here)
		at := strings.LastIndex(text, here)
		line := 1 + strings.Count(text[:at], "\n")
		want := fmt.Sprintf("%d:%d", line, at-strings.LastIndexByte(text[:at], '\n'))
		findings := check(t, lint.File{Name: "m.yaml", Data: []byte(text)})
		if len(findings) != 1 {
			t.Errorf("%s: got %d findings, want one", name, len(findings))
			continue
		}
		if got := fmt.Sprintf("%d:%d", findings[0].Line, findings[0].Column); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// The rules of prometheus-adapter are text in a ConfigMap, and stand at lines of it.
func TestPlacesInsideOfConfigMaps(t *testing.T) {
	const text = `kind: ConfigMap
metadata: {name: adapter-config}
data:
  other: text
  config.yaml: |
    # The rules.
    externalRules:
      - seriesQuery: a
        metricsQuery: sum(<<.Series>>)
      - seriesQuery: 'vllm:num_requests_waiting'
        metricsQuery: sum(<<.Series>>)
`
	findings := check(t, lint.File{Name: "m.yaml", Data: []byte(text)})
	if len(findings) != 1 || findings[0].Line != 11 || findings[0].Rule != "no-selector" {
		t.Errorf("got %v, want no-selector at line 11", findings)
	}
}

func TestAllowingComments(t *testing.T) {
	for name, row := range map[string]struct {
		comment string
		want    int
	}{
		"above, with a reason":   {"      # lint:allow renamed-metric: an old server\n      - expr: QUERY\n", 0},
		"on the line":            {"      - expr: QUERY # lint:allow renamed-metric: an old server\n", 0},
		"above other comments":   {"      # lint:allow renamed-metric: an old server\n      # It is old.\n      - expr: QUERY\n", 0},
		"without a reason":       {"      # lint:allow renamed-metric:\n      - expr: QUERY\n", 1},
		"of another rule":        {"      # lint:allow raw-vector: an old server\n      - expr: QUERY\n", 1},
		"two lines above":        {"      # lint:allow renamed-metric: an old server\n      - expr: x\n      - expr: QUERY\n", 1},
		"of the line above only": {"      - expr: x # lint:allow renamed-metric: an old server\n      - expr: QUERY\n", 1},
	} {
		text := "groups:\n  - rules:\n" + strings.ReplaceAll(row.comment, "QUERY", "vllm:gpu_cache_usage_perc")
		if got := len(check(t, lint.File{Name: "m.yaml", Data: []byte(text)})); got != row.want {
			t.Errorf("%s: got %d findings, want %d", name, got, row.want)
		}
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"a: [":                         "m.yaml: line 1: did not find expected node content",
		"{{- if .Values.keda }}\na: b": "m.yaml: did not find expected node content: render a template first, as helm template does",
		"a: b\n---\nb: {":              "m.yaml: line 3: did not find expected node content",
		"\x00":                         "m.yaml: control characters are not allowed",
	} {
		_, unreadable := lint.Check([]lint.File{{Name: "m.yaml", Data: []byte(text)}}, lint.Options{})
		if len(unreadable) != 1 || !strings.HasPrefix(unreadable[0].Error(), "m.yaml: ") {
			t.Errorf("%q: got errors %v, want %s", text, unreadable, want)
			continue
		}
		if got := unreadable[0].Error(); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// What is no manifest is nobody's mistake.
func TestOtherFilesAreSilent(t *testing.T) {
	for _, text := range []string{"", "---\n---\n", "text", "[1, 2]", "a: b", "kind: [a]", "kind: Secret\ndata: {query: avg(x)}", "groups: 5", "rules: 5"} {
		silent(t, check(t, lint.File{Name: "m.yaml", Data: []byte(text)}))
	}
}
