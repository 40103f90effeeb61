package daemon

import (
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
)

func TestEveryReasonHasItsSentence(t *testing.T) {
	seen := map[string]recommender.Reason{}
	for _, r := range recommender.Reasons {
		v := &view{Time: &epoch}
		v.Reason, v.Current = r, new(int32(2))
		text := why(v)
		if other, ok := seen[text]; ok || !strings.HasSuffix(text, ".") {
			t.Errorf("reason %s says %q, as %q does", r, text, other)
		}
		seen[text] = r
	}
}

// A tale is what a workload went through until the page is looked at.
type tale struct {
	at    time.Duration
	state func(*recommender.Observation)
}

// as returns a state in which neither the engines nor, if it says so, the spec are read.
func as(engines, spec recommender.Evidence) func(*recommender.Observation) {
	return func(o *recommender.Observation) {
		if engines != recommender.Known {
			o.Running, o.Waiting = recommender.Missing(engines), recommender.Missing(engines)
		}
		if spec != recommender.Known {
			o.Current = recommender.Missing(spec)
		}
	}
}

func TestPageSaysWhatBecomesOfTheRecommendation(t *testing.T) {
	const (
		known, failed, absent = recommender.Known, recommender.Failed, recommender.Absent
		never, stale          = recommender.NeverMatched, recommender.Stale
		m                     = time.Minute
	)
	good := as(known, known)
	tests := map[string]struct {
		tale    []tale
		why     string
		step    string // of the rule hold, as far as it is on the page
		desired string
	}{
		"evidence went missing": {
			[]tale{{0, good}, {m, as(stale, known)}},
			"The evidence is too old, so the last recommendation is held, for at most 10 min 0 s (hold_limit).",
			"<b>3</b></span><span class=\"text\">evidence is missing, last good 1m ago, held for at most 10m: no change", "3",
		},
		"it is missing for too long": {
			[]tale{{0, good}, {11 * m, as(failed, known)}},
			"A query got no answer, and nothing usable was known for longer than 10 min 0 s (hold_limit): the recommendation is withdrawn, so the fallback of its consumer engages.",
			"<b>–</b></span><span class=\"text\">no usable evidence for 11m, held for at most 10m: the recommendation is withdrawn", unknown,
		},
		"the selector never matched": {
			[]tale{{0, as(never, known)}, {m, as(never, known)}},
			"A selector has never matched any series, and there never was a recommendation that could be held: there is none, so the fallback of its consumer engages.",
			"<b>–</b></span><span class=\"text\">no selector has ever matched a series, so there is nothing to hold: no recommendation", unknown,
		},
		"it is known late that the selector never matched": {
			[]tale{{0, as(failed, known)}, {m, as(never, known)}},
			"A selector has never matched any series, and there never was a recommendation that could be held: there is none, so the fallback of its consumer engages.",
			"<b>–</b></span><span class=\"text\">no selector has ever matched a series, so there is nothing to hold: no recommendation", unknown,
		},
		"there was no evidence yet": {
			[]tale{{0, as(failed, known)}},
			"A query got no answer, so what was asked for so far stays, for at most 10 min 0 s (hold_limit).",
			"<b>3</b></span><span class=\"text\">there was no evidence yet, so what is there stays, for at most 10m: no change", "3",
		},
		"there was no evidence for too long": {
			[]tale{{0, as(failed, known)}, {11 * m, as(failed, known)}},
			"A query got no answer, and nothing usable was known for longer than 10 min 0 s (hold_limit): the recommendation is withdrawn, so the fallback of its consumer engages.",
			"<b>–</b></span><span class=\"text\">no usable evidence for 11m, held for at most 10m: the recommendation is withdrawn", unknown,
		},
		"the count went missing": {
			[]tale{{0, good}, {m, as(known, stale)}},
			"The number of replicas in the spec is not known (stale), so the last recommendation is held, for at most 10 min 0 s (hold_limit).",
			"<b>3</b></span><span class=\"text\">evidence is missing, last good 1m ago, held for at most 10m: no change", "3",
		},
		"the count is missing for too long": {
			[]tale{{0, good}, {11 * m, as(known, stale)}},
			"The number of replicas in the spec is not known (stale), and nothing usable was known for longer than 10 min 0 s (hold_limit): the recommendation is withdrawn, so the fallback of its consumer engages.",
			"No rule ran.", unknown,
		},
		"the count was never known": {
			[]tale{{0, as(known, absent)}},
			"The number of replicas in the spec is not known (absent), and there never was a recommendation that could be held: there is none, so the fallback of its consumer engages.",
			"No rule ran.", unknown,
		},
		"nothing was decided": {
			nil, "Nothing has been decided yet.", "No rule ran.", unknown,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := newScripted()
			b := newBench(t, worldOf(s, "chat"))
			id := identity{"inference", "chat"}
			for _, k := range test.tale {
				s.extend = k.state
				at := epoch.Add(k.at)
				b.loop.now = func() time.Time { return at }
				b.loop.fold(&result{slot: at, live: reading{
					observations: []recommender.Observation{s.observation(id, at)}, reports: make([]promapi.WorkloadReport, 1),
				}})
			}
			page := b.ask(t, "GET", "/workloads/inference/chat").Body.String()
			for _, want := range []string{"</span> " + test.why + "</p>", test.step, `<span class="figure">` + test.desired + "</span>"} {
				if !strings.Contains(page, want) {
					t.Errorf("got\n%s\nwant %s", page, want)
				}
			}
			if list := b.ask(t, "GET", "/").Body.String(); !strings.Contains(list, `title="`+test.why+`"`) {
				t.Errorf("the landing page does not say %q:\n%s", test.why, list)
			}
		})
	}
}

func TestPagesSayWhetherTheEvidenceIsComplete(t *testing.T) {
	for reason, want := range map[recommender.Reason][2]string{
		recommender.ReasonMetric:        {"</b>complete<", "The evidence is complete and fresh; "},
		recommender.ReasonNoData:        {"</b>incomplete<", "The evidence is not complete; "},
		recommender.ReasonSuspectSignal: {"</b>doubtful<", "The evidence is complete, but it cannot be true of a healthy engine; "},
	} {
		b := newBench(t, worldOf(newScripted(), "chat"))
		w := export.Undecided("inference", "chat", "Deployment", asksPolicy())
		w.Decision.Time, w.Decision.Reason, w.Decision.Valid = epoch, reason, reason == recommender.ReasonMetric
		b.loop.collector.Publish(&export.Snapshot{Workloads: []export.Workload{w}})
		for i, path := range []string{"/", "/workloads/inference/chat"} {
			if page := b.ask(t, "GET", path).Body.String(); !strings.Contains(page, want[i]) {
				t.Errorf("%s with %s: got\n%s\nwant %s", path, reason, page, want[i])
			}
		}
	}
}

func TestPagesPointToTheCheckWhereItFindsOutMore(t *testing.T) {
	for name, test := range map[string]struct {
		reason recommender.Reason
		want   bool
	}{
		"nothing is there":       {recommender.ReasonNoData, true},
		"nothing ever was":       {recommender.ReasonNeverMatched, true},
		"nobody answers":         {recommender.ReasonQueryError, false},
		"everything is in order": {recommender.ReasonMetric, false},
	} {
		b := newBench(t, worldOf(newScripted(), "chat"))
		w := export.Undecided("inference", "chat", "Deployment", asksPolicy())
		w.Decision.Time, w.Decision.Reason = epoch, test.reason
		b.loop.collector.Publish(&export.Snapshot{Workloads: []export.Workload{w}})
		for _, path := range []string{"/", "/workloads/inference/chat"} {
			page := b.ask(t, "GET", path).Body.String()
			if got := strings.Contains(page, "<code>recommender check prometheus --config.file FILE</code>"); got != test.want {
				t.Errorf("%s: %s points to the check: %v, want %v", name, path, got, test.want)
			}
		}
	}
}

func TestStabilisedSaysWhatTheWindowDid(t *testing.T) {
	rule := recommender.RuleStabilise.String()
	for name, test := range map[string]struct {
		step recommender.StepExplanation
		want string
	}{
		"a fall that waits": {
			recommender.StepExplanation{Rule: rule, In: 0, Out: 2},
			"The load asks for 0 now, but within the window it asked for more: it falls no lower than 2 yet.",
		},
		"a rise that waits": {
			recommender.StepExplanation{Rule: rule, In: 9, Out: 4},
			"The load asks for 9 now, but within the window it asked for less: it rises no higher than 4 yet.",
		},
		"a window that changed nothing": {
			recommender.StepExplanation{Rule: rule, In: 4, Out: 4},
			"What was asked for within the window decides, not only what is asked for now.",
		},
	} {
		v := &view{Time: &epoch}
		v.Reason, v.Steps = recommender.ReasonStabilised, []recommender.StepExplanation{{Rule: "signals", In: 1, Out: 0}, test.step}
		if got := why(v); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
