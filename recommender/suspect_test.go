package recommender

import (
	"testing"
	"time"
)

// Engines are stuck if requests wait and it is known in full that nothing is finished.
func TestWhatIsStuck(t *testing.T) {
	bound := func(q Quantity) Quantity { q.LowerBound = true; return q }
	for name, c := range map[string]struct {
		change func(*Observation)
		stuck  bool
	}{
		"requests wait and nothing is finished": {func(*Observation) {}, true},
		"nobody waits":                          {func(o *Observation) { o.Waiting = known(o, 0) }, false},
		"it is not known whether anybody waits": {func(o *Observation) { o.Waiting = Missing(Absent) }, false},
		"requests are finished":                 {func(o *Observation) { o.Completions = known(o, 0.01) }, false},
		"tokens are generated":                  {func(o *Observation) { o.OutputTokens = known(o, 0.01) }, false},
		"finished requests are not counted":     {func(o *Observation) { o.Completions = Missing(Absent) }, true},
		"finished requests may be missing":      {func(o *Observation) { o.Completions = bound(known(o, 0)) }, false},
		"finished requests were not answered":   {func(o *Observation) { o.Completions = Missing(Failed) }, false},
		"tokens are not known":                  {func(o *Observation) { o.OutputTokens = Missing(Absent) }, false},
		"tokens may be missing":                 {func(o *Observation) { o.OutputTokens = bound(known(o, 0)) }, false},
	} {
		var s State
		for _, at := range []time.Duration{0, stuckAfter - time.Second, stuckAfter} {
			k := tick{at: at, current: 2, see: func(o *Observation) {
				o.Running, o.Waiting = known(o, 8), known(o, 40)
				o.OutputTokens, o.Completions = known(o, 0), known(o, 0)
				c.change(o)
			}}
			var d Decision
			d, s = Decide(queue(), s, k.observe())
			if got, want := d.Reason == ReasonSuspectSignal, c.stuck && at == stuckAfter; got != want {
				t.Errorf("%s: at %v: got stuck %v (%s), want %v", name, at, got, d.Headline(), want)
			}
		}
	}
}

func TestProgressStartsTheClockAgain(t *testing.T) {
	const m, s = time.Minute, time.Second
	stuck := func(o *Observation) {
		demand(4)(o)
		o.Waiting, o.OutputTokens, o.Completions = known(o, 4), known(o, 0), known(o, 0)
	}
	timeline(t, queue(), State{}, []tick{
		{0, 2, stuck, 2, ReasonTolerance, false},
		{9 * m, 2, func(o *Observation) { stuck(o); o.Completions = known(o, 1) }, 2, ReasonTolerance, false},
		{11 * m, 2, stuck, 2, ReasonTolerance, false},
		{19*m - s, 2, stuck, 2, ReasonTolerance, false},
		{19 * m, 2, stuck, 2, ReasonSuspectSignal, true},
	})
}
