package cases

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A phraseRule looks up what a phrase says. It returns an error if that is not so.
type phraseRule struct {
	form  *regexp.Regexp
	holds func(r *run, groups []string) error
}

func phraseForm(form string, holds func(r *run, groups []string) error) phraseRule {
	return phraseRule{regexp.MustCompile("(?i)^(?:" + form + ")"), holds}
}

// phraseRules are the phrases that say something about answers. The first that fits counts.
var phraseRules = []phraseRule{
	phraseForm(`(?:demand )?(\d+)(?: or (\d+))? as demand|demand (\d+)`, func(r *run, m []string) error {
		for _, n := range m[1:] {
			if err := r.anyAnswer("demand "+n, func(a *answer) bool { return n != "" && facts["demand"](r, a) == number(n) }); err == nil {
				return nil
			}
		}
		return errors.New("the demand is another")
	}),
	phraseForm(`(?:desired )?(\d+)\b(?: at t=(\d+)(?: or t=(\d+))?)?$|desired (\d+) \(`, func(r *run, m []string) error {
		n := number(cmp.Or(m[1], m[4]))
		for key, value := range r.facts {
			if value == n && m[2] == "" {
				return fmt.Errorf("%s is", key)
			}
		}
		return r.anyAnswer("desired "+m[1], func(a *answer) bool {
			at := fmt.Sprint(a.offset)
			return desiredOf(a) == n && (m[2] == "" || at == m[2] || at == m[3])
		})
	}),
	phraseForm(`desired = max`, func(r *run, _ []string) error {
		return r.anyAnswer("desired max", func(a *answer) bool { return a.decision.Known && a.decision.Desired == a.decision.Max })
	}),
	phraseForm(`negative desired`, func(r *run, _ []string) error {
		return r.anyAnswer("negative", func(a *answer) bool { return a.decision.Known && a.decision.Desired < 0 })
	}),
	phraseForm(`negative rate`, func(r *run, _ []string) error {
		return r.anyAnswer("negative", func(a *answer) bool { return a.observed.OutputTokens.Value < 0 })
	}),
	phraseForm(`any recommendation`, func(r *run, _ []string) error {
		return r.anyAnswer("a recommendation", func(a *answer) bool { return a.decision.Known })
	}),
	phraseForm(`up\b`, func(r *run, _ []string) error {
		return r.anyAnswer("more", func(a *answer) bool {
			return a.decision.Known && float64(a.decision.Desired) > a.decision.Current.Value
		})
	}),
	phraseForm(`idle clock advances`, func(r *run, _ []string) error {
		return r.anyAnswer("an idle clock", func(a *answer) bool {
			return !a.state.Unsure.Equal(a.at) && !a.state.Active.Equal(a.at)
		})
	}),
	phraseForm(`zero cooldown started`, func(r *run, _ []string) error { return r.anyReason("zero-cooldown") }),
	phraseForm(`nan exported`, func(r *run, _ []string) error {
		return r.anyAnswer("NaN", func(a *answer) bool { return strings.Contains(a.page, " NaN") })
	}),
	phraseForm(`label value containing '(.+)'`, func(r *run, m []string) error {
		return r.anyAnswer(m[1], func(a *answer) bool { return strings.Contains(a.page, m[1]) })
	}),
	phraseForm(`exactly one reason series equals 1 \(([\w-]+)\)`, func(r *run, m []string) error {
		want, _ := reasonOf(m[1])
		list := reasonsOf(r.last().page)
		if on := slices.Sorted(maps.Keys(list)); !slices.Equal(on, []string{string(want)}) {
			return fmt.Errorf("got %v", on)
		}
		return nil
	}),
	phraseForm(`([\w-]+) is 0 or gone`, func(r *run, m []string) error {
		if want, ok := reasonOf(m[1]); !ok || reasonsOf(r.last().page)[string(want)] {
			return fmt.Errorf("got %v", reasonsOf(r.last().page))
		}
		return nil
	}),
	phraseForm(`bounded`, func(r *run, _ []string) error { return r.bounded() }),
	phraseForm(`panic$`, func(*run, []string) error { return errors.New("it came back") }),
	phraseForm(`message names (.+)`, func(r *run, m []string) error {
		all := strings.ToLower(strings.Join(r.texts, "\n"))
		for word := range strings.SplitSeq(m[1], "/") {
			if !strings.Contains(all, strings.Trim(strings.ToLower(word), "'")) && !strings.Contains(m[1], "'"+word+"/") {
				return fmt.Errorf("got %q", all)
			}
		}
		return nil
	}),
	phraseForm(`'(.+)' alone`, func(r *run, m []string) error {
		for _, text := range r.texts {
			if strings.HasSuffix(text, m[1]) {
				return nil
			}
		}
		return errors.New("no message is that")
	}),
	phraseForm(`password or token in the log`, func(r *run, _ []string) error {
		if strings.Contains(strings.Join(r.texts, "\n"), secret) {
			return nil
		}
		return errors.New("no message has it")
	}),
	phraseForm(`([a-z-]+)$`, func(r *run, m []string) error { return r.anyReason(m[1]) }),
}

// anyAnswer returns nil if some answer is so.
func (r *run) anyAnswer(what string, is func(*answer) bool) error {
	for i := range r.all {
		if is(&r.all[i]) {
			return nil
		}
	}
	return fmt.Errorf("nowhere %s", what)
}

// anyReason returns nil if some answer has the reason.
func (r *run) anyReason(class string) error {
	want, ok := reasonOf(class)
	if !ok {
		return errUnknown
	}
	return r.anyAnswer(class, func(a *answer) bool { return a.decision.Reason == want })
}

// errUnknown says that a phrase only looks like one that can be looked up.
var errUnknown = errors.New("nobody knows the word")

var reasonSample = regexp.MustCompile(`(?m)^infscale_decision_reason\{reason="(\w+)".*\} 1$`)

// reasonsOf are the reasons that are 1 on a page.
func reasonsOf(page string) map[string]bool {
	list := map[string]bool{}
	for _, m := range reasonSample.FindAllStringSubmatch(page, -1) {
		list[m[1]] = true
	}
	return list
}

var ownSeries = regexp.MustCompile(`(?m)^(infscale_\w+\{.*workload=".*\}) `)

// bounded returns nil if the series of the workload are always the same few.
func (r *run) bounded() error {
	ever := map[string]bool{}
	largest := 0
	for i := range r.all {
		found := ownSeries.FindAllStringSubmatch(r.all[i].page, -1)
		largest = max(largest, len(found))
		for _, m := range found {
			ever[m[1]] = true
		}
	}
	if len(ever) == 0 || len(ever) > largest {
		return fmt.Errorf("got %d different series, at most %d at once", len(ever), largest)
	}
	return nil
}

// phrases judges a list of phrases.
func (j *judge) phrases(want any, holds bool) {
	list, ok := want.([]any)
	if !ok {
		list = []any{want}
	}
	for _, phrase := range list {
		j.phrase(fmt.Sprint(phrase), holds)
	}
}

// phrase judges one phrase, which must hold or must not. What must not be and says nothing
// that can be looked up is left to what must be; it is shown.
func (j *judge) phrase(phrase string, holds bool) {
	for word, check := range j.run.checks {
		if strings.Contains(strings.ToLower(phrase), word) {
			j.judged++
			if err := check(); (err == nil) != holds {
				j.errorf("%q: %v", phrase, err)
			}
			return
		}
	}
	for _, r := range phraseRules {
		if m := r.form.FindStringSubmatch(phrase); m != nil {
			err := r.holds(j.run, m)
			if errors.Is(err, errUnknown) {
				break
			}
			j.judged++
			if (err == nil) != holds {
				j.errorf("%q must be %t: %v", phrase, holds, err)
			}
			return
		}
	}
	if holds {
		j.errorf("nobody can judge %q", phrase)
		return
	}
	j.open = append(j.open, phrase)
}
