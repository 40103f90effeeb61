package hpa

import "time"

// legacy is the path of an HPA without spec.behavior: a scale-down window, a limit
// per reconcile, and the bounds. Recommendations are the raw proposals.
//
// The highest recommendation of the window may exceed current, and then the count
// rises although the metrics do not ask for it: to what was proposed before someone
// lowered it by hand, for one.
func (s *State) legacy(now time.Time, spec *Spec, current, want int32) int32 {
	window := spec.Flags.DownWindow
	stable := highestInclusive(s.recs, want, now, window)
	s.recs = record(s.recs, Recommendation{want, now}, window)
	s.noteWindow(stable != want, ScaleDownStabilized)

	desired, reason := legacyLimit(spec, current, stable)
	s.conditions.set(ScalingLimited, desired != stable, reason)
	return desired
}

// legacyLimit allows twice the count or 4 in every reconcile, however close they are,
// and any fall.
func legacyLimit(spec *Spec, current, stable int32) (int32, Reason) {
	top, reason := spec.Max, TooManyReplicas
	if limit := toInt32(max(2*float64(current), 4)); top > limit {
		top, reason = limit, ScaleUpLimit
	}
	switch {
	case stable < spec.Min:
		return spec.Min, TooFewReplicas
	case stable > top:
		return top, reason
	}
	return stable, DesiredWithinRange
}

// behave is the path of an HPA with spec.behavior: windows, rate limits and bounds
// for each direction. Recommendations are the raw proposals.
func (s *State) behave(now time.Time, spec *Spec, current, want int32) int32 {
	up, down := &spec.Behaviour.Up, &spec.Behaviour.Down
	lowest := Lowest(s.recs, want, now, up.Window)
	highest := Highest(s.recs, want, now, down.Window)
	stable := Stabilise(current, lowest, highest)
	s.recs = record(s.recs, Recommendation{want, now}, max(up.Window, down.Window))
	reason := ScaleDownStabilized
	if want >= current {
		reason = ScaleUpStabilized
	}
	s.noteWindow(stable != want, reason)

	desired, reason := s.limit(now, spec, current, stable)
	s.conditions.set(ScalingLimited, desired != stable, reason)
	return desired
}

// limit applies the rate limit and the bound of the direction in which stable lies.
func (s *State) limit(now time.Time, spec *Spec, current, stable int32) (int32, Reason) {
	switch {
	case stable > current:
		limit := UpLimit(current, spec.Behaviour.Up.Rules, s.ups.events, s.downs.events, now)
		return below(stable, spec.Max, max(limit, current))
	case stable < current:
		limit := DownLimit(current, spec.Behaviour.Down.Rules, s.ups.events, s.downs.events, now)
		return above(stable, spec.Min, min(limit, current))
	}
	return stable, DesiredWithinRange
}

// below keeps stable at or below bound and limit, and names the tighter one.
func below(stable, bound, limit int32) (int32, Reason) {
	switch {
	case stable <= min(bound, limit):
		return stable, DesiredWithinRange
	case bound > limit:
		return limit, ScaleUpLimit
	}
	return bound, TooManyReplicas
}

// above keeps stable at or above bound and limit, and names the tighter one.
func above(stable, bound, limit int32) (int32, Reason) {
	switch {
	case stable >= max(bound, limit):
		return stable, DesiredWithinRange
	case bound < limit:
		return limit, ScaleDownLimit
	}
	return bound, TooFewReplicas
}

func (s *State) noteWindow(moved bool, r Reason) {
	if !moved {
		r = ReadyForNewScale
	}
	s.conditions.set(AbleToScale, true, r)
}
