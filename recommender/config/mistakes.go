package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A mistake is something wrong at a path of the file.
type mistake struct {
	path, text string
	line       int
}

// mistakes collects what is wrong with a file.
type mistakes struct {
	name  string         // of the file
	lines map[string]int // of every key and item, by path
	names []string       // of the workloads
	list  []mistake
	known map[string]bool // paths that need no further complaint
	blank map[string]bool // paths of keys without a value
}

func newMistakes(name string) *mistakes {
	return &mistakes{name: name, lines: map[string]int{}, known: map[string]bool{}, blank: map[string]bool{}}
}

// add notes a mistake. Only the first at a path is kept, and none below a path
// that has one: the rest follows from it.
func (m *mistakes) add(path, format string, args ...any) {
	if m.knows(path) {
		return
	}
	m.known[path] = true
	m.list = append(m.list, mistake{path, fmt.Sprintf(format, args...), m.line(path)})
}

// addError notes errors whose texts start with a path below the given one, as
// those of recommender and promapi do.
func (m *mistakes) addError(path string, err error) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			m.addError(path, err)
		}
		return
	}
	if err == nil {
		return
	}
	key, text, ok := strings.Cut(err.Error(), ": ")
	if !ok || strings.ContainsAny(key, " \"") {
		m.addWhole(path, err)
		return
	}
	at := path + "." + key
	if rest, zero := withoutZero(text); zero && !m.written(at) {
		text = "is not set, " + rest
	}
	m.add(at, "%s", text)
}

// addWhole notes what is wrong with how the keys of a path go together. Each of them may
// have mistakes of its own.
func (m *mistakes) addWhole(path string, err error) {
	if !m.knows(path) {
		m.list = append(m.list, mistake{path, err.Error(), m.line(path)})
	}
}

// withoutZero returns what a value must be, if it is the one of a key that nobody wrote.
func withoutZero(text string) (string, bool) {
	if rest, ok := strings.CutPrefix(text, `unknown metric "", `); ok {
		return rest, true
	}
	for _, zero := range []string{", got 0", ", got 0s", `, got ""`} {
		if rest, ok := strings.CutSuffix(text, zero); ok {
			return rest, true
		}
	}
	return "", false
}

// written reports whether the file has a value at path, in the workload or in the defaults.
func (m *mistakes) written(path string) bool {
	from, ok := m.inherited(path)
	return m.has(path) || ok && m.has(from)
}

func (m *mistakes) has(path string) bool { return m.lines[path] != 0 && !m.blank[path] }

// inherited returns the path in the defaults of what a workload may have from there. A
// list of the workload replaces that of the defaults as a whole.
func (m *mistakes) inherited(path string) (string, bool) {
	inner, ok := inWorkload(path)
	if !ok {
		return "", false
	}
	list, _, item := strings.Cut(inner, "[")
	if item && m.has(strings.TrimSuffix(path, inner)+list) {
		return "", false
	}
	return "defaults." + inner, true
}

// knows reports whether path or something above it has a mistake, in the
// workload or in the defaults.
func (m *mistakes) knows(path string) bool {
	if m.known[""] {
		return true
	}
	for at := path; at != ""; at = parent(at) {
		if m.known[at] {
			return true
		}
		if from, ok := m.inherited(at); ok && m.known[from] {
			return true
		}
	}
	return false
}

// line returns the line of the nearest thing above path that was written, in the
// workload or in the defaults. It is 0 if there is none.
func (m *mistakes) line(path string) int {
	for at := path; ; at = parent(at) {
		if at == "" {
			return m.lines[""]
		}
		if line := m.lines[at]; line != 0 {
			return line
		}
		if from, ok := m.inherited(at); ok && m.lines[from] != 0 {
			return m.lines[from]
		}
	}
}

// parent returns the path without its last key or index.
func parent(path string) string { return path[:max(0, strings.LastIndexAny(path, ".["))] }

// inWorkload returns the part of a path below a workload.
func inWorkload(path string) (string, bool) {
	if !strings.HasPrefix(path, "workloads[") {
		return "", false
	}
	_, inner, ok := strings.Cut(path, "].")
	return inner, ok
}

// err joins the mistakes in the order of the file.
func (m *mistakes) err() error { return errors.Join(m.errs()...) }

// errs returns the mistakes in the order of the file.
func (m *mistakes) errs() []error {
	slices.SortStableFunc(m.list, func(a, b mistake) int { return cmp.Compare(a.line, b.line) })
	errs := make([]error, len(m.list))
	for i, mistake := range m.list {
		errs[i] = errors.New(m.place(mistake.line) + printable(m.label(mistake.path)+mistake.text))
	}
	return errs
}

// printable writes what would not show, such as a tab in a key, as a Go string does.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// place writes the name and the line.
func (m *mistakes) place(line int) string {
	if line == 0 {
		return m.name + ": "
	}
	return m.name + ":" + strconv.Itoa(line) + ": "
}

// label writes a path for people: a workload is shown with its name.
func (m *mistakes) label(path string) string {
	if path == "" {
		return ""
	}
	var i int
	if _, err := fmt.Sscanf(path, "workloads[%d]", &i); err == nil && i < len(m.names) {
		inner, _ := inWorkload(path)
		return fmt.Sprintf("workloads[%d] %q: ", i, m.names[i]) + m.label(inner)
	}
	return path + ": "
}
