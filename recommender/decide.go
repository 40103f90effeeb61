package recommender

import (
	"slices"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// Decide returns what p asks for given o, and the state to pass to the next call.
// It never fails: missing knowledge is a reason to hold, not an error.
// Observations come in the order of their times.
func Decide(p Policy, s State, o Observation) (Decision, State) {
	r := run{p: p, s: s, o: o, now: o.Time}
	r.d = Decision{Time: o.Time, Current: o.Current.replicas(), Min: p.Min, Max: p.Max}
	if !r.d.Current.Known() {
		r.blind()
		return r.d, r.s
	}
	r.begin()
	r.signals()
	r.lookahead()
	r.stabilise()
	r.rateLimit()
	r.suspect()
	r.gate()
	r.min()
	r.zero()
	r.ask()
	r.schedule()
	r.max()
	r.hold()
	r.conclude()
	return r.d, r.s
}

// A run is one decision in the making. It holds values, not pointers, so that it
// stays on the stack.
type run struct {
	p Policy
	s State
	o Observation
	d Decision

	now     time.Time
	current int32
	// asked is what was recommended before, floors of schedules aside, if that is
	// not too long ago; else the current count.
	asked int32
	// n is the number of replicas so far.
	n int32
	// usable says that some signal was read, complete that all required ones were, in full.
	usable, complete bool
	// missing is the evidence of the first required signal that has no number.
	missing Evidence
	// trusted says that raw may enter the windows.
	trusted bool
	// stuck says that the engines finish nothing.
	stuck bool
	// winner is the index of the largest proposal.
	winner int
}

// step notes what a rule made of the number and goes on with its result.
func (r *run) step(rule Rule, out int32, reason Reason, limit int32, span, needs time.Duration) {
	r.d.steps[rule] = Step{Rule: rule, In: r.n, Out: out, Ran: true, Reason: reason, Limit: limit, Span: span, Needs: needs}
	r.n = out
}

// blind holds the last good recommendation while the current count is unknown.
// Unknown time is neither idle nor empty nor stuck.
func (r *run) blind() {
	r.d.Reason = reasonOf(r.d.Current.Evidence)
	if r.s.Time.IsZero() {
		return
	}
	r.s.Time = r.now
	r.s.Unsure, r.s.Filled, r.s.Progress = r.now, r.now, r.now
	r.d.Evidence = r.s.Evidence
	r.rouse()
	r.keep(r.s.Good.Replicas)
}

// rouse asks for one replica where requests are held and none was recommended: whatever
// the count is that nobody says, one is more than what is held on to.
func (r *run) rouse() {
	if !r.holds() || r.s.Good.Replicas > 0 || r.s.Good.Time.IsZero() || !r.fresh() {
		return
	}
	r.s.Active, r.s.Good.Replicas, r.s.Asked = r.now, 1, max(r.s.Asked, 1)
	r.wake()
}

// keep recommends n as long as the last good recommendation is within the hold limit.
func (r *run) keep(n int32) {
	if r.s.Good.Time.IsZero() || !r.fresh() {
		return
	}
	r.d.Known, r.d.Unbounded, r.d.Desired = true, n, min(n, r.p.Max)
	r.d.steps[RuleHold] = Step{Rule: RuleHold, In: n, Out: r.d.Desired, Ran: true, Span: r.now.Sub(r.s.Good.Time), Needs: r.p.HoldLimit}
}

// begin opens the state on the first observation and notes a changed count.
func (r *run) begin() {
	r.current = count(r.d.Current)
	r.n = r.current
	r.s.begin(r.current, r.now, r.current > 0 && !(r.o.Ready.Value > 0))
	if !r.fresh() {
		r.s.Asked = r.current
	}
	r.asked = r.s.Asked
	r.s.resume(max(r.current, r.asked), r.now, r.p.ScaleDown.Window)
	r.s.observe(r.current, r.now, r.p.longestPeriod())
}

// fresh reports whether the last good recommendation is within the hold limit.
func (r *run) fresh() bool { return r.now.Sub(r.s.Good.Time) <= r.p.HoldLimit }

// ask notes what is asked for before schedules raise it.
func (r *run) ask() {
	if r.complete || r.trusted {
		r.s.Asked = min(r.n, r.p.Max)
	}
}

// hold lets nothing fall on evidence that is not complete.
func (r *run) hold() {
	if r.complete {
		return
	}
	held := r.current
	if r.fresh() {
		held = max(held, r.s.Good.Replicas)
	}
	r.d.Unbounded = max(r.d.Unbounded, held)
	r.step(RuleHold, max(r.n, min(held, r.p.Max)), "", held, r.now.Sub(r.s.Good.Time), r.p.HoldLimit)
}

// conclude makes the number a recommendation, unless nothing was known for too long.
func (r *run) conclude() {
	r.d.Reason = r.reason()
	r.d.Valid = r.complete && !r.stuck
	r.d.Desired = r.n
	r.s.Good.Replicas = r.n
	if r.usable {
		r.s.Good.Time, r.s.Evidence = r.now, r.d.Evidence
	}
	r.d.Evidence = r.s.Evidence
	r.d.Known = r.fresh()
	if r.unheard() {
		r.d.Known, r.s.Good = false, hpa.Recommendation{}
	}
	if !r.d.Known {
		r.d.Desired, r.d.Unbounded = 0, 0
	}
}

// unheard reports whether no signal ever matched anything, in as much of the past as the
// state rests on: a name in the configuration is wrong, and there is nothing to hold. What
// failed, or was there before, is an outage.
func (r *run) unheard() bool {
	if r.complete || r.usable || !r.s.Evidence.IsZero() {
		return false
	}
	return !slices.ContainsFunc(r.d.Proposals(), func(p Proposal) bool { return p.Quantity.Evidence != NeverMatched })
}

// reason returns the evidence reason, else that of the last rule that changed the number.
func (r *run) reason() Reason {
	switch {
	case !r.complete && r.usable:
		return ReasonPartialData
	case !r.complete:
		return reasonOf(r.missing)
	case r.stuck:
		return ReasonSuspectSignal
	}
	for i := RuleHold - 1; i > RuleSignals; i-- {
		if s := &r.d.steps[i]; s.changed() {
			return s.Reason
		}
	}
	if r.d.RawKnown && r.d.proposals[r.winner].Tolerated {
		return ReasonTolerance
	}
	return ReasonMetric
}
