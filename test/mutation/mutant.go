package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A mutant is one broken rule.
type mutant struct {
	id string
	// rule is what holds in the product, and not in the mutant.
	rule string
	// old stands in the file exactly once; new takes its place.
	old, new string
}

// A file is a source file with its mutants.
type file struct {
	name    string // from the root of the module, with slashes
	mutants []mutant
}

// all are the mutants of infscale.
var all = slices.Concat(decide, signals, damping, zero, controller, around)

// folder returns the folder of the package whose tests must notice.
func (f *file) folder() string { return path.Dir(f.name) }

// read returns the text of the file in the module at root.
func (f *file) read(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(f.name)))
	return string(data), err
}

// apply returns the text of the file with the rule broken.
func (m *mutant) apply(text string) (string, error) {
	switch n := strings.Count(text, m.old); {
	case m.old == "" || m.old == m.new:
		return "", fmt.Errorf("%s: changes nothing", m.id)
	case n != 1:
		return "", fmt.Errorf("%s: the text stands in the file %d times, want once: %q", m.id, n, m.old)
	}
	return strings.Replace(text, m.old, m.new, 1), nil
}

// line returns where the mutant is in the text.
func (m *mutant) line(text string) int {
	before, _, _ := strings.Cut(text, m.old)
	// The text may begin with the end of the line above.
	before += m.old[:len(m.old)-len(strings.TrimLeft(m.old, "\n\t}"))]
	return 1 + strings.Count(before, "\n")
}

// chosen returns the files with the mutants whose name or file contains one of the words,
// or all without words.
func chosen(files []file, words []string) []file {
	var some []file
	for _, f := range files {
		all := f.mutants
		f.mutants = nil
		for _, m := range all {
			if matches(words, m.id) || matches(words, f.name) {
				f.mutants = append(f.mutants, m)
			}
		}
		if len(f.mutants) > 0 {
			some = append(some, f)
		}
	}
	return some
}

func matches(words []string, text string) bool {
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return len(words) == 0
}
