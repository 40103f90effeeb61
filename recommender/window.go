package recommender

import (
	"github.com/infscale/infscale/recommender/hpa"
)

// lookahead projects growing demand over the cold start. It never lowers. What piles
// up in front of replicas of which none is ready is a backlog, not growth.
func (r *run) lookahead() {
	ahead := r.p.Lookahead
	if r.p.LookaheadColdStart {
		ahead = r.p.coldStart(&r.o)
	}
	if ahead <= 0 || !r.d.RawKnown {
		return
	}
	out := r.n
	for i := range r.d.Proposals() {
		p := &r.d.proposals[i]
		if !p.Signal.Additive() || !p.Quantity.Complete() {
			continue
		}
		slope := r.s.slope(i, p.Quantity.Value, r.now)
		if p.Signal.FromPods() && !(r.o.Ready.Value > 0) {
			continue
		}
		p.Lookahead = ahead
		p.Ahead = p.Quantity.Value + ahead.Seconds()*slope
		p.AheadReplicas, _, _ = r.needs(p, p.Ahead)
		out = max(out, p.AheadReplicas)
	}
	r.step(RuleLookahead, out, ReasonLookahead, 0, ahead, 0)
	r.d.Raw = out
}

// stabilise goes down only to the highest proposal of the down window and up only
// to the lowest of the up window. What was asked for already and is still on its way
// counts like the current count, or a follower that lags would make desired swing.
// A proposal on partial evidence counts only if it does not ask for less. Where
// there was nothing to measure, what was asked for stays.
func (r *run) stabilise() {
	r.trusted = r.d.RawKnown && (r.complete || r.d.Raw >= r.current)
	if !r.trusted {
		r.n = r.current
		if r.complete {
			r.n = r.asked
		}
		return
	}
	low := r.s.lowest(r.d.Raw, r.now, r.p.ScaleUp.Window)
	high := r.s.highest(r.d.Raw, r.now, r.p.ScaleDown.Window)
	limit, window := high, r.p.ScaleDown.Window
	if low > r.current || r.d.Raw > r.current {
		limit, window = low, r.p.ScaleUp.Window
	}
	out := max(hpa.Stabilise(r.current, low, high), min(r.asked, high))
	r.step(RuleStabilise, out, ReasonStabilised, limit, window, 0)
	r.s.propose(r.d.Raw, r.now, max(r.p.ScaleUp.Window, r.p.ScaleDown.Window))
}
