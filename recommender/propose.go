package recommender

import (
	"math"

	"github.com/infscale/infscale/recommender/hpa"
)

// signals turns every signal into a proposal; the largest is the raw recommendation.
func (r *run) signals() {
	r.complete = r.d.Current.Complete()
	for i := range min(len(r.p.Signals), MaxSignals) {
		p := &r.d.proposals[i]
		p.Signal = r.p.Signals[i]
		p.Quantity = r.o.Quantity(&r.p, &p.Signal)
		r.d.signals++
		r.weigh(p)
		if !p.Quantity.Known() {
			continue
		}
		p.Replicas, p.Ratio, p.Tolerated = r.needs(p, p.Quantity.Value)
		if !r.d.RawKnown || p.Replicas > r.d.Raw {
			r.d.Raw, r.d.RawKnown, r.winner = p.Replicas, true, i
		}
	}
	if !r.usable && r.complete {
		r.complete, r.missing = false, r.d.proposals[0].Quantity.Evidence
	}
	if r.d.RawKnown {
		r.step(RuleSignals, r.d.Raw, ReasonMetric, 0, 0, 0)
	}
}

// weigh notes what the evidence of a proposal allows.
func (r *run) weigh(p *Proposal) {
	q := &p.Quantity
	if q.Known() || q.Evidence == Unobserved {
		r.usable = true
	}
	if q.Known() {
		r.d.Evidence = older(r.d.Evidence, q.At)
	}
	if q.Complete() || r.idle(p) || (p.Signal.Optional && !q.Known()) {
		return
	}
	if r.complete {
		r.missing = q.Evidence
	}
	r.complete = false
}

// idle reports whether there was nothing to measure, and every replica was heard that says so.
func (r *run) idle(p *Proposal) bool {
	return p.Quantity.Evidence == Unobserved && !p.Signal.isRate() && (!p.Signal.FromPods() || r.o.covered() || r.o.silent(&r.p))
}

// needs returns the replicas that p needs for value, and the ratio to what the
// current ones should carry: a ratio within the tolerance asks for the current ones.
func (r *run) needs(p *Proposal, value float64) (n int32, ratio float64, tolerated bool) {
	v, target := milli(value), max(milli(p.Signal.Target), 1)
	share, replicas := float64(target), int64(1)
	if p.Signal.Additive() {
		share *= float64(r.current)
	} else {
		replicas = int64(r.contributors(&p.Quantity))
	}
	ratio = float64(v) / share
	if r.current > 0 && hpa.Within(ratio, r.p.Tolerance.Down, r.p.Tolerance.Up) {
		return r.current, ratio, true
	}
	return scaled(v, replicas, target), ratio, false
}

// contributors returns the number of replicas that a ratio stands for.
func (r *run) contributors(q *Quantity) int32 {
	switch {
	case q.Replicas > 0:
		return q.Replicas
	case r.o.Reporting.Known() && r.o.Reporting.Value > 0:
		return count(r.o.Reporting)
	default:
		return r.current
	}
}

// scaled returns value x replicas / target, rounded up and at most the largest int32.
func scaled(value, replicas, target int64) int32 {
	if replicas > 0 && value > math.MaxInt64/replicas {
		return math.MaxInt32
	}
	return ceilDiv(value*replicas, target)
}
