package hpa

// wakes reports whether a workload at zero may be scaled up: only if this HPA itself
// took it there. One found at zero, or set to zero by anyone else, sleeps for ever.
func (s *State) wakes(spec *Spec) bool {
	return spec.Flags.ScaleToZero && s.conditions.Is(ScaledToZero) &&
		(spec.Min != 0 || spec.outside())
}

// disabled leaves a workload at zero alone.
func (s *State) disabled(spec *Spec) Decision {
	s.conditions.set(ScalingActive, false, ScalingDisabled)
	if !spec.Flags.ScaleToZero {
		s.conditions.remove(ScaledToZero)
	}
	return Decision{Winner: -1}
}

// raise lifts a workload that this HPA took to zero to a minimum raised meanwhile,
// load or no load, past windows and limits.
func raise(d *Decision, spec *Spec, current int32) {
	if current != 0 || d.Desired >= spec.Min {
		return
	}
	d.Desired = spec.Min
	if d.Rescale == Unexplained {
		d.Rescale = BelowMin
	}
}

// noteZero remembers, in the status, who took the workload to zero.
func (s *State) noteZero(spec *Spec, to int32) {
	switch {
	case !spec.Flags.ScaleToZero:
		s.conditions.remove(ScaledToZero)
	case to == 0 && spec.Min == 0 && spec.outside():
		s.conditions.set(ScaledToZero, true, ReasonScaledToZero)
	default:
		s.conditions.set(ScaledToZero, false, ReasonNotScaledToZero)
	}
}
