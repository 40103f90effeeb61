package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stand is a module of a few rules, of which only one is tested.
var stand = map[string]string{
	"go.mod": "module stand\n\ngo 1.26\n",
	"a/a.go": `// Package a has rules.
package a

const most = 9

// Bound keeps n within 1 and 9.
func Bound(n int) int {
	return min(max(n, 1), most)
}

type sum int

func (s *sum) add(numbers ...int) {
	for _, n := range numbers {
		*s += sum(n)
	}
}

func half(int) (n int) { return most / 2 }
`,
	"a/a_test.go": `package a

import "testing"

func TestBound(t *testing.T) {
	t.Run("low", func(t *testing.T) {
		if got := Bound(0); got != 1 {
			t.Errorf("got %d, want 1", got)
		}
	})
	var s sum
	if s.add(1, 2); s != 3 {
		t.Errorf("got %d, want 3", s)
	}
}
`,
}

var (
	low  = mutant{"low", "there is a minimum", "max(n, 1)", "max(n, 0)"}
	high = mutant{"high", "there is a maximum", ", most)", ", 10*most)"}
	sum  = mutant{"sum", "numbers add up", "*s += sum(n)", "*s = sum(n)"}
	most = mutant{"most", "the maximum is 9", "most = 9", "most = 0"} // outside of a function
	half = mutant{"half", "half is rounded down", "most / 2", "most/2 + 1"}
)

func newStand(t *testing.T) *runner {
	t.Helper()
	r := &runner{root: t.TempDir(), temp: t.TempDir()}
	for name, text := range stand {
		name = filepath.Join(r.root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func report(t *testing.T, r *runner, mutants ...mutant) (string, error) {
	t.Helper()
	var out strings.Builder
	err := r.report(t.Context(), []file{{"a/a.go", mutants}}, &out)
	return out.String(), err
}

func TestSurvivorsAreMissingTests(t *testing.T) {
	got, err := report(t, newStand(t), low, high, sum, most, half)
	if err == nil || err.Error() != "a mutant that survives is a missing test" {
		t.Errorf("got %v, want that a test is missing", err)
	}
	want := `noticed   low                        a/a.go:8: TestBound/low
SURVIVED  high                       a/a.go:8: no test protects that there is a maximum
noticed   sum                        a/a.go:15: TestBound
noticed   most                       a/a.go:4: TestBound/low
SURVIVED  half                       a/a.go:19: no test protects that half is rounded down

mutants: 5, noticed 3, survived 2
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNoSurvivorIsGood(t *testing.T) {
	got, err := report(t, newStand(t), low)
	if err != nil || !strings.HasSuffix(got, "\nmutants: 1, noticed 1, survived 0\n") {
		t.Errorf("got\n%s and %v, want none that survived", got, err)
	}
}

func TestFailingTestsSayNothing(t *testing.T) {
	r := newStand(t)
	name := filepath.Join(r.root, "a", "a.go")
	if err := os.WriteFile(name, []byte(strings.Replace(stand["a/a.go"], "(n, 1)", "(n, 2)", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := report(t, r, high)
	if want := "a: the tests fail while nothing is broken: TestBound/low"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestMutantsThatAreNone(t *testing.T) {
	r := newStand(t)
	for _, c := range []struct {
		mutant
		want string
	}{
		{mutant{id: "typo", old: "min(", new: "m("}, "undefined: m"},
		{mutant{id: "gone", old: "max(m", new: ""}, `a/a.go: gone: the text stands in the file 0 times, want once: "max(m"`},
		{mutant{id: "twice", old: "most", new: "1"}, `a/a.go: twice: the text stands in the file 3 times, want once: "most"`},
		{mutant{id: "same", old: "9", new: "9"}, "a/a.go: same: changes nothing"},
	} {
		if _, err := report(t, r, c.mutant); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.id, err, c.want)
		}
	}
}

func TestWordsChoose(t *testing.T) {
	files := []file{{"a/zero.go", []mutant{{id: "x"}, {id: "y"}}}, {"b.go", []mutant{{id: "zero-b"}, {id: "z"}}}}
	for words, want := range map[string]int{"": 4, "zero": 3, "y z": 4, "x": 1, "none": 0} {
		got := 0
		for _, f := range chosen(files, strings.Fields(words)) {
			got += len(f.mutants)
		}
		if got != want {
			t.Errorf("%q: got %d mutants, want %d", words, got, want)
		}
	}
}
