package hpa

import (
	"slices"
	"time"
)

// An Observation is what the controller sees in one reconcile.
type Observation struct {
	Replicas int32 // of the scale's spec
	Status   int32 // replicas of the scale's status, where average targets look
	// Values has one entry per metric: the series of an external metric or the one
	// value of an object, in milli. An empty entry is a metrics API without an answer.
	// Entries of per-pod metrics are not used.
	Values [][]int64
	Pods   []Pod
}

// A Rescale says why the controller changes the scale, as far as it says so. It is
// worked out before windows and limits and can contradict the change that follows.
type Rescale uint8

// The rescales.
const (
	Unexplained Rescale = iota // no change, or one that no metric asks for now
	AboveMax
	BelowMin
	AboveTarget // of the metric that is the Winner
	BelowTarget // of all metrics
)

// A Decision is the outcome of one reconcile.
type Decision struct {
	Desired int32
	// Winner is the index of the metric that proposed Raw. It is -1, and Raw means
	// nothing, when metrics were not used or too few of them had an answer.
	Winner     int
	Raw        int32
	Rescale    Rescale
	Conditions Conditions
}

// Reason is the controller's text for a change of the scale; it can be empty.
func (d *Decision) Reason(spec *Spec) string {
	switch d.Rescale {
	case AboveMax:
		return "Current number of replicas above Spec.MaxReplicas"
	case BelowMin:
		return "Current number of replicas below Spec.MinReplicas"
	case AboveTarget:
		return spec.Metrics[d.Winner].String() + " above target"
	case BelowTarget:
		return "All metrics below target"
	case Unexplained:
	}
	return ""
}

// A State is what the controller remembers of one HPA. The zero State is that of an
// HPA just created; a restart of the controller keeps the conditions only.
type State struct {
	recs       []Recommendation
	ups, downs slots
	conditions Conditions
}

// Clone is a copy of s that shares nothing with it.
func (s *State) Clone() *State {
	c := *s
	c.recs = slices.Clone(s.recs)
	for _, list := range []*slots{&c.ups, &c.downs} {
		list.events, list.stale = slices.Clone(list.events), slices.Clone(list.stale)
	}
	return &c
}

// Reconcile decides once. It takes for granted that the scale, if it is to change,
// is written with success: the next Observation should show Desired, unless someone
// else scaled.
func (s *State) Reconcile(now time.Time, spec *Spec, o *Observation) Decision {
	s.conditions.set(AbleToScale, true, SucceededGetScale)
	s.seed(o.Replicas, now)
	d := s.decide(now, spec, o)
	if d.Desired != o.Replicas {
		s.rescaled(now, spec, o.Replicas, d.Desired)
	} else {
		d.Rescale = Unexplained
	}
	d.Conditions = s.conditions
	return d
}

// seed makes the count at first sight the first recommendation, so that a new
// controller waits out its windows.
func (s *State) seed(current int32, now time.Time) {
	if len(s.recs) == 0 {
		s.recs = append(s.recs, Recommendation{current, now})
	}
}

// decide puts the bounds before everything else: a count outside them goes to them
// at once, whatever the metrics, windows and limits say.
func (s *State) decide(now time.Time, spec *Spec, o *Observation) Decision {
	switch {
	case o.Replicas == 0 && !s.wakes(spec):
		return s.disabled(spec)
	case o.Replicas > spec.Max:
		return Decision{Desired: spec.Max, Winner: -1, Rescale: AboveMax}
	case o.Replicas != 0 && o.Replicas < spec.Min:
		return Decision{Desired: spec.Min, Winner: -1, Rescale: BelowMin}
	}
	return s.follow(now, spec, o)
}

// follow does what the metrics ask for, within windows, limits and bounds.
func (s *State) follow(now time.Time, spec *Spec, o *Observation) Decision {
	raw, winner, ok := s.raw(now, spec, o)
	if !ok {
		return Decision{Desired: o.Replicas, Winner: -1}
	}
	want := max(raw, 0)
	d := Decision{Raw: raw, Winner: winner, Rescale: explain(o.Replicas, want)}
	if spec.Behaviour == nil {
		d.Desired = s.legacy(now, spec, o.Replicas, want)
	} else {
		d.Desired = s.behave(now, spec, o.Replicas, want)
	}
	raise(&d, spec, o.Replicas)
	return d
}

func explain(current, want int32) Rescale {
	switch {
	case want > current:
		return AboveTarget
	case want < current:
		return BelowTarget
	}
	return Unexplained
}

// rescaled keeps the books after the scale was written. The jumps to the bounds are
// events like any other; without a behaviour nothing would read them.
func (s *State) rescaled(now time.Time, spec *Spec, from, to int32) {
	s.conditions.set(AbleToScale, true, SucceededRescale)
	if b := spec.Behaviour; b != nil && to > from {
		s.ups.store(Event{to - from, now}, b.Up.longest())
	} else if b != nil {
		s.downs.store(Event{from - to, now}, b.Down.longest())
	}
	s.noteZero(spec, to)
}
