package lint_test

import (
	"testing"

	"github.com/infscale/infscale/deploy/lint"
)

// What holds nothing that rules look at is said to, so that a wrong path is no success.
func TestNothingToLookAt(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "nothing to look at: no document",
		"---\n---\n":                "nothing to look at: no document",
		"# a comment\n":             "nothing to look at: no document",
		"kind: Foo":                 "nothing to look at: 1 document of kind Foo",
		"kind: Foo\n---\nkind: Bar": "nothing to look at: 1 document of kind Bar, 1 document of kind Foo",
		"kind: List\nitems: [{kind: Foo}, {kind: Foo}]": "nothing to look at: 2 documents of kind Foo",
		"kind: List\nitems: []":                         "nothing to look at: 1 document of kind List without items",
		"kind: Kustomization":                           "nothing to look at: 1 document of kind Kustomization; give what kubectl kustomize prints of it",
		"a: b":                                          "nothing to look at: 1 document without a kind",
		"[1]":                                           "nothing to look at: 1 document that is no object",
		"kind: [a]":                                     "nothing to look at: 1 document that is no object",
		"kind: Foo\n---\nkind: Deployment":              "",
		"kind: List\nitems: [{kind: HorizontalPodAutoscaler}]": "",
		"groups: [{rules: [{expr: up}]}]":                      "",
		"rules: {external: [{seriesQuery: a}]}":                "",
		"externalRules: [{seriesQuery: a}]":                    "",
	} {
		got := ""
		if err := lint.Nothing([]lint.File{{Name: "m.yaml", Data: []byte(text)}}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if err := lint.Nothing([]lint.File{{Name: "m.yaml", Data: []byte("kind: Foo")}, {Name: "q.promql", Data: []byte("up")}}); err != nil {
		t.Errorf("a query beside: got %v, want none", err)
	}
	if err := lint.Nothing([]lint.File{{Name: "m.yaml", Data: []byte("a: [")}}); err != nil {
		t.Errorf("what cannot be read: got %v, want none: that is said already", err)
	}
}
