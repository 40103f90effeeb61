package main

import (
	"slices"
	"testing"
)

func TestPlaceHasNoSecrets(t *testing.T) {
	tests := map[string]string{
		"pages/a.prom":             "pages/a.prom",
		"-":                        "stdin",
		"http://host:8000/metrics": "http://host:8000/metrics",
		"https://reader:hunter2@host/m?token=secret": "https://host/m",
		"HTTPS://host/m#secret":                      "https://host/m",
		"http://host:port\x7f/secret":                "http://...",
	}
	for source, want := range tests {
		if got := place(source); got != want {
			t.Errorf("%q: got %q, want %q", source, got, want)
		}
	}
}

func TestRowNamesAreShortWhereThatTellsThemApart(t *testing.T) {
	got := rowNames([]string{"a/x.prom", "b/x.prom", "b/y.prom", "http://h/m?token=s"})
	if want := []string{"a/x.prom", "b/x.prom", "y.prom", "http://h/m"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
