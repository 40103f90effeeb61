package main

import (
	"strings"
	"testing"

	"github.com/infscale/infscale/promapi/diagnose"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"plain, café, 日本\nline": "plain, café, 日本\nline",
		"\x1b[31mred\a\r\t":     `\x1b[31mred\a\r\t`,
		"left\u202eright\u200b": `left\u202eright\u200b`,
		"\u009b2J\x7f":          `\u009b2J\x7f`,
		"\xff\ufffd":            `\xff` + "\ufffd",
		`a\b"c"`:                `a\b"c"`,
	} {
		if got := visible(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// Wherever words of others stand in a report, a terminal does not obey them.
func TestCheckIsFitForATerminal(t *testing.T) {
	const attack = "\x1b[31m\u202e\u009b"
	r := &diagnose.Report{
		Prometheus: diagnose.Prometheus{URL: "http://" + attack, Application: attack, Version: attack},
		Workloads:  []diagnose.Workload{{Namespace: "ns", Name: attack, Engines: []string{attack}, Signals: []diagnose.Signal{{Signal: attack}}}},
		Findings: []diagnose.Finding{{
			Severity: diagnose.Warning, Code: diagnose.PartialAnswers, Signal: attack, Place: attack, Found: "instance " + attack, Why: attack, Fix: attack,
		}},
	}
	var b strings.Builder
	if err := printCheck(&b, "infscale.yaml", r); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); strings.ContainsAny(got, attack[:1]+"\u202e\u009b") || strings.Count(got, `\x1b[31m\u202e\u009b`) != 11 {
		t.Errorf("got %q, want all that came escaped, and shown", got)
	}
}
