package recommender

// gate allows a fall only after batches were nearly empty for long enough.
func (r *run) gate() {
	gate := r.p.Gate
	if gate.BatchFill <= 0 {
		return
	}
	fill := r.o.BatchFill(r.p.MaxNumSeqs).checked()
	below := fill.Complete() && fill.Value < gate.BatchFill && r.o.covered()
	if !below && !r.o.silent(&r.p) {
		r.s.Filled = r.now
	}
	if r.n >= r.current {
		return
	}
	out, lasted := r.n, r.now.Sub(r.s.Filled)
	if lasted <= 0 || lasted < gate.For {
		out = r.current
	}
	r.step(RuleGate, out, ReasonScaleDownGate, 0, lasted, gate.For)
}

// min keeps the configured minimum.
func (r *run) min() {
	r.step(RuleMin, max(r.n, r.p.Min), ReasonMinReplicas, r.p.Min, 0, 0)
}

// schedule raises the minimum to the largest of the schedules that are active.
func (r *run) schedule() {
	var floor int32
	for i := range r.p.Schedules {
		if s := &r.p.Schedules[i]; s.Min > floor && s.Active(r.now) {
			floor = s.Min
		}
	}
	if floor == 0 {
		return
	}
	r.d.Min = min(max(r.d.Min, floor), max(r.p.Max, r.p.Min))
	r.step(RuleSchedule, max(r.n, floor), ReasonSchedule, floor, 0, 0)
}

// max keeps the configured maximum.
func (r *run) max() {
	r.d.Unbounded = r.n
	r.step(RuleMax, min(r.n, r.p.Max), ReasonMaxReplicas, r.p.Max, 0, 0)
}
