package cases

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A judge compares what a case gave with what it expects.
type judge struct {
	run      *run
	expected map[string]any
	wrong    []string
	judged   int
	// open are phrases that say nothing that can be looked up. They are shown.
	open []string
}

// judge judges every key. One that nobody understands is wrong.
func (j *judge) judge(expected map[string]any) {
	j.expected = expected
	for _, key := range slices.Sorted(maps.Keys(expected)) {
		j.key(key, expected[key])
	}
}

func (j *judge) errorf(format string, args ...any) {
	j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
}

// verdictWords are verdicts by the words of the cases.
var verdictWords = regexp.MustCompile(`^(ok|hold|degraded|config-warning|config|refuse|lint-error|error)\b`)

// A rule judges keys of a form.
type keyRule struct {
	form  *regexp.Regexp
	check func(j *judge, key string, groups []string, want any)
}

var keyRules []keyRule

func init() {
	rule := func(form string, check func(j *judge, key string, groups []string, want any)) {
		keyRules = append(keyRules, keyRule{regexp.MustCompile("^(?:" + form + ")$"), check})
	}
	comment := func(*judge, string, []string, any) {}
	rule(`note|option`, comment)
	rule(`must`, func(j *judge, _ string, _ []string, want any) { j.phrases(want, true) })
	rule(`must_not`, func(j *judge, _ string, _ []string, want any) { j.phrases(want, false) })
	rule(`t(\d+)`, func(j *judge, key string, m []string, want any) { j.window(key, number(m[1]), number(m[1]), want) })
	rule(`t(\d+)_(\d+)`, func(j *judge, key string, m []string, want any) { j.window(key, number(m[1]), number(m[2]), want) })
	rule(`desired`, (*judge).desired)
	rule(`reasons`, (*judge).reasons)
	rule(`verdict|config_verdict`, (*judge).verdict)
	rule(alertForm, (*judge).alert)
	rule(`(\w+)_with_(\w+)_policy`, (*judge).engine)
	rule(`max_series_per_target`, func(j *judge, _ string, _ []string, want any) { j.phrases(want, true) })
	rule(`alert_labels`, (*judge).alertLabels)
	rule(`typo`, (*judge).typo)
	rule(`message_contains|suggestion|hint`, (*judge).contains)
	rule(`until_last_nonzero_plus_(\d+)s`, (*judge).until)
	rule(`after`, func(j *judge, key string, _ []string, want any) {
		j.window(key, j.run.busyUntil+300, math.Inf(1), want)
	})
	rule(`others|each`, (*judge).others)
	rule(`exit_nonzero_in_check|check_exit_nonzero`, (*judge).exits)
	rule(`rules?`, (*judge).rule)
	rule(`counter`, (*judge).counter)
	rule(`changes`, func(j *judge, key string, _ []string, want any) { j.equal(key, changes(j.run.answers), want) })
	for key := range facts {
		rule(key, func(j *judge, key string, _ []string, want any) { j.fact(key, want) })
	}
}

// alertForm are the keys of which alerts are expected.
const alertForm = `alert|slo_alert|twins_alert|idle|at_zero|\w*_missing`

var alertKey = regexp.MustCompile("^(?:" + alertForm + ")$")

// engine judges a policy with a signal that an engine may not have: "llamacpp_with_kv_policy".
func (j *judge) engine(key string, m []string, want any) {
	metric, known := signalWords[m[2]]
	if !known {
		j.errorf("%s: no signal of ours for %q", key, m[2])
		return
	}
	s := &settings{
		url: "http://prometheus:9090", namespace: "ns1", targets: []target{{name: "chat"}},
		engine: engineWords[m[1]], policy: map[string]any{"signals": map[string]any{string(metric): "required"}},
	}
	j.part(key, rejected(s), want)
}

func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// key judges one key.
func (j *judge) key(key string, want any) {
	if got, ok := j.run.facts[key]; ok {
		j.equal(key, got, want)
		return
	}
	_, sentence := want.(string)
	if part := j.run.part(key); part != nil && (!sentence || !alertKey.MatchString(key)) {
		j.part(key, part, want)
		return
	}
	for _, r := range keyRules {
		if m := r.form.FindStringSubmatch(key); m != nil {
			r.check(j, key, m, want)
			return
		}
	}
	j.errorf("nobody can judge %q: %v", key, want)
}

// part judges a part of its own. A text is what its verdict says.
func (j *judge) part(key string, part *run, want any) {
	inner := &judge{run: part}
	inner.whole(want)
	j.judged += inner.judged
	for _, w := range inner.wrong {
		j.errorf("%s: %s", key, w)
	}
	j.open = append(j.open, inner.open...)
}

// whole judges what is expected of all of a run: a mapping, or a verdict in words.
func (j *judge) whole(want any) {
	switch want := want.(type) {
	case map[string]any:
		j.judge(want)
	case string:
		j.sentence(want)
	default:
		j.errorf("nobody can judge %v", want)
	}
}

// sentence judges "hold, auth-error" and "exactly one reason series equals 1 (query-error)".
func (j *judge) sentence(want string) {
	if m := verdictWords.FindString(want); m != "" {
		j.verdict("verdict", nil, want)
		for _, word := range strings.FieldsFunc(want[len(m):], func(r rune) bool { return strings.ContainsRune(" ,;", r) }) {
			if _, ok := reasonWords[word]; ok {
				j.fact("reason_class", word)
			}
		}
		return
	}
	j.phrase(want, true)
}

// window judges the answers from one time to another. If there is none in between, the
// latest before it holds.
func (j *judge) window(key string, from, to float64, want any) {
	var in []answer
	for _, a := range j.run.all {
		if a.offset >= from && a.offset <= to {
			in = append(in, a)
		}
	}
	for i := len(j.run.all) - 1; i >= 0 && len(in) == 0; i-- {
		if j.run.all[i].offset <= from {
			in = append(in, j.run.all[i])
		}
	}
	if len(in) == 0 {
		j.errorf("%s: no answer then", key)
		return
	}
	j.each(key, in, want)
}

// each judges every one of some answers, and says which was the first that is wrong.
func (j *judge) each(key string, list []answer, want any) {
	for i := range list {
		part := *j.run
		part.answers, part.parts = list[i:i+1], nil
		inner := &judge{run: &part}
		inner.whole(want)
		j.judged += inner.judged
		if len(inner.wrong) > 0 {
			j.errorf("%s: at %v s: %s", key, list[i].offset, strings.Join(inner.wrong, "; "))
			return
		}
		if i == 0 {
			j.open = append(j.open, inner.open...)
		}
	}
}

// desired judges the recommendation: of the last tick, of each listed one, or of all.
func (j *judge) desired(key string, _ []string, want any) {
	if list, ok := want.([]any); ok {
		if len(list) != len(j.run.answers) {
			j.errorf("%s: got %d answers, want %d", key, len(j.run.answers), len(list))
			return
		}
		for i := range list {
			j.equal(fmt.Sprintf("%s at %v s", key, j.run.answers[i].offset), desiredOf(&j.run.answers[i]), list[i])
		}
		return
	}
	answers := j.run.answers
	text, _ := want.(string)
	if !strings.Contains(text, "all") && len(answers) > 0 {
		answers = answers[len(answers)-1:]
	}
	if len(answers) == 0 {
		j.errorf("%s: nothing was decided, want %v", key, want)
		return
	}
	if rest, ok := strings.CutPrefix(text, "hold "); ok {
		want = rest
		j.held(rest)
	}
	for i := range answers {
		j.equal(key, desiredOf(&answers[i]), want)
	}
}

// held judges "0, valid=0, alert".
func (j *judge) held(text string) {
	if strings.Contains(text, "valid=0") {
		j.fact("valid", 0.0)
	}
	if strings.Contains(text, "alert") {
		j.alert("alert", nil, "no data")
	}
}

func desiredOf(a *answer) any {
	if !a.decision.Known {
		return absent
	}
	return float64(a.decision.Desired)
}

// reasons judges the reason of each listed tick.
func (j *judge) reasons(key string, _ []string, want any) {
	list, _ := want.([]any)
	if len(list) != len(j.run.answers) {
		j.errorf("%s: got %d answers, want %v", key, len(j.run.answers), want)
		return
	}
	for i := range list {
		j.reason(&j.run.answers[i], list[i])
	}
}

// reason judges a reason.
func (j *judge) reason(a *answer, want any) {
	j.judged++
	r, ok := reasonOf(fmt.Sprint(want))
	switch {
	case !ok:
		j.errorf("nobody knows the reason %v", want)
	case !sameReason(a.decision.Reason, r):
		j.errorf("reason at %v s: got %s, want %s", a.offset, a.decision.Reason, r)
	}
}

// verdict judges what kind of answer it is.
func (j *judge) verdict(key string, _ []string, want any) {
	text := fmt.Sprint(want)
	word := verdictWords.FindString(text)
	j.judged++
	switch got := j.run.verdict(); {
	case word == "":
		j.errorf("nobody knows the verdict %v", want)
	case word == "error" && (got == verdictHold || got == verdictRefuse):
	case word == verdictConfig && got == verdictRefuse:
	case word == verdictWarning && got == verdictConfig:
	case got != word:
		j.errorf("%s: got %s, want %s", key, got, word)
	}
}

// until judges the answers after the last sample that was not zero, for so long.
func (j *judge) until(key string, m []string, want any) {
	j.window(key, j.run.busyUntil+interval, j.run.busyUntil+number(m[1])-interval, want)
}

// others judges the parts that the case names nowhere else.
func (j *judge) others(key string, _ []string, want any) {
	rest := 0
	for _, name := range slices.Sorted(maps.Keys(j.run.parts)) {
		if _, named := j.expected[name]; !named && (key != "others" || name != "first") {
			rest++
			j.part(name, j.run.parts[name], want)
		}
	}
	if rest == 0 {
		j.errorf("%s: there are no others", key)
	}
}

// typo judges "key: value -> verdict".
func (j *judge) typo(key string, _ []string, want any) {
	_, verdict, _ := strings.Cut(fmt.Sprint(want), "-> ")
	part := j.run.part("with the typo")
	if part == nil {
		j.errorf("%s: nothing was misspelt", key)
		return
	}
	j.part(key, part, verdict)
}

// contains judges what a message says.
func (j *judge) contains(key string, _ []string, want any) {
	j.judged++
	all := strings.ToLower(strings.Join(j.run.texts, "\n"))
	if !strings.Contains(all, strings.ToLower(fmt.Sprint(want))) {
		j.errorf("%s: got %q, want %v in it", key, all, want)
	}
}

// verdict says what became of the case.
func (r *run) verdict() string {
	switch a := r.last(); {
	case r.rejected != nil:
		return verdictRefuse
	case len(r.lint) > 0:
		return verdictLint
	case r.configured && r.fails():
		return verdictConfig
	case r.configured && len(r.findings) > 0:
		return verdictWarning
	case a != nil:
		return a.verdict()
	default:
		return verdictOK
	}
}

// changes counts how often the recommendation changed.
func changes(list []answer) any {
	n := 0.0
	for i := 1; i < len(list); i++ {
		if desiredOf(&list[i]) != desiredOf(&list[i-1]) {
			n++
		}
	}
	return n
}

// fact judges what the last answer says.
func (j *judge) fact(key string, want any) {
	a := j.run.last()
	if a == nil {
		j.errorf("%s: nothing was decided, want %v", key, want)
		return
	}
	if key == "reason_class" {
		j.reason(a, want)
		return
	}
	j.equal(key, facts[key](j.run, a), want)
}
