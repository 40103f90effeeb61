package cases

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The verdicts on a case.
const (
	right         = "right"
	wrong         = "WRONG"
	differently   = "differs" // and our own answer is the one that is wanted
	notApplicable = "not applicable"
)

// A line is what is printed of one case.
type line struct{ id, verdict, test, text string }

// A table collects lines.
type table struct {
	mu    sync.Mutex
	lines []line
}

func (b *table) add(l line) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lines = append(b.lines, l)
}

// print writes the lines in the order of the cases, and how many were right.
func (b *table) print() {
	slices.SortFunc(b.lines, func(x, y line) int { return cmp.Compare(x.id, y.id) })
	count := map[string]int{}
	for _, l := range b.lines {
		count[l.verdict]++
		fmt.Fprintf(os.Stdout, "%s  %-14s  %s  %s\n", l.id, l.verdict, l.test, l.text)
	}
	fmt.Fprintf(os.Stdout, "cases: %d run, %d right, %d not applicable\n", len(b.lines), count[right]+count[differently], count[notApplicable])
}

// TestCases runs every case, and prints a line of each: whether it is right, and what was answered.
func TestCases(t *testing.T) {
	table := &table{}
	t.Cleanup(table.print)
	for _, f := range load(t) {
		t.Run(f.ID, func(t *testing.T) {
			t.Parallel()
			l := line{id: f.ID, test: t.Name(), verdict: wrong, text: "it stopped, as the test says"}
			defer func() { table.add(l) }()
			l.verdict, l.text = f.verdict(t)
			if l.verdict == wrong {
				t.Errorf("%s: %s", f.Title, l.text)
			}
		})
	}
}

// verdict runs and judges a case.
func (f *fault) verdict(t *testing.T) (verdict, text string) {
	t.Helper()
	r, err := f.play(t)
	if why, ok := errors.AsType[forLater](err); ok {
		return notApplicable, string(why)
	}
	if err != nil {
		return wrong, err.Error()
	}
	j := &judge{run: r}
	j.judge(f.wanted())
	if j.judged == 0 && len(j.wrong) == 0 {
		j.errorf("nothing of it could be judged")
	}
	if len(j.wrong) > 0 {
		return wrong, strings.Join(j.wrong, "; ")
	}
	if d, ok := differs[f.ID]; ok {
		return differently, d.why + ": " + j.summary()
	}
	return right, j.summary()
}

// summary says what was answered, and which phrases say nothing that can be looked up.
func (j *judge) summary() string {
	text := fmt.Sprintf("%d facts", j.judged)
	if said := j.run.said(); said != "" {
		text += ": " + said
	}
	if len(j.open) > 0 {
		text += fmt.Sprintf("; not judged by itself: %q", j.open)
	}
	return text
}

// said is what was answered, in short.
func (r *run) said() string {
	switch {
	case r.rejected != nil:
		first, _, _ := strings.Cut(r.rejected.Error(), "\n")
		return "refused, " + first
	case len(r.lint) > 0:
		var rules []string
		for name := range r.lint {
			rules = append(rules, name)
		}
		slices.Sort(rules)
		return "found " + strings.Join(rules, ", ")
	case len(r.answers) > 0:
		return said(r.answers)
	}
	var parts []string
	for name, part := range r.parts {
		if text := part.said(); text != "" {
			parts = append(parts, name+" "+text)
		}
	}
	slices.Sort(parts)
	for key, value := range r.facts {
		parts = append(parts, fmt.Sprintf("%s %v", key, value))
	}
	return strings.Join(parts, "; ")
}

// said writes answers, equal neighbours once.
func said(list []answer) string {
	var words []string
	for i := range list {
		d := &list[i].decision
		word := fmt.Sprintf("%v %s", show(desiredOf(&list[i])), d.Reason)
		if n := len(words); n == 0 || words[n-1] != word {
			words = append(words, word)
		}
	}
	return strings.Join(words, ", ")
}
