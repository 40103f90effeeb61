package recommender

import "time"

// stuckAfter is how long engines with waiting requests may finish nothing before
// their signals are suspect.
const stuckAfter = 10 * time.Minute

// suspect stops growth while requests wait and nothing is finished: more replicas
// do not help a stuck engine. An engine that does not count what it finishes is
// judged by its tokens alone.
func (r *run) suspect() {
	waits := r.o.Waiting.Known() && r.o.Waiting.Value > 0
	finishes := !still(r.o.Completions) && !r.o.Completions.absent()
	if !waits || finishes || !still(r.o.OutputTokens) || r.s.Progress.IsZero() {
		r.s.Progress = r.now
		return
	}
	lasted := r.now.Sub(r.s.Progress)
	if r.stuck = lasted >= stuckAfter; r.stuck {
		r.step(RuleSuspect, min(r.n, max(r.current, r.asked)), ReasonSuspectSignal, 0, lasted, stuckAfter)
	}
}

// still reports whether a rate is known in full to be zero.
func still(rate Quantity) bool { return rate.Complete() && rate.Value == 0 }
