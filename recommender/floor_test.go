package recommender

import "testing"

// Of several schedules the largest that is active counts, above what the signals ask for and
// below the maximum.
func TestFloorsOfSchedules(t *testing.T) {
	always := func(n int32) Schedule {
		return Schedule{Start: must(ParseCron("* * * * *")), End: must(ParseCron("0 0 29 2 *")), Min: n}
	}
	over := Schedule{Start: must(ParseCron("0 7 * * *")), End: must(ParseCron("0 8 * * *")), Min: 7}
	for name, c := range map[string]struct {
		schedules      []Schedule
		demand         float64
		desired, floor int32
		reason         Reason
	}{
		"none":                         {nil, 8, 2, 1, ReasonTolerance},
		"the largest first":            {[]Schedule{always(5), always(3)}, 8, 5, 5, ReasonSchedule},
		"the largest last":             {[]Schedule{always(3), always(5)}, 8, 5, 5, ReasonSchedule},
		"one that is over":             {[]Schedule{over, always(3)}, 8, 3, 3, ReasonSchedule},
		"only one that is over":        {[]Schedule{over}, 8, 2, 1, ReasonTolerance},
		"signals ask for more":         {[]Schedule{always(3)}, 16, 4, 3, ReasonMetric},
		"above the maximum is at most": {[]Schedule{always(20)}, 8, 8, 8, ReasonMaxReplicas},
	} {
		k := tick{current: 2, see: demand(c.demand)}
		p := queue(func(p *Policy) { p.Schedules = c.schedules })
		d, _ := Decide(p, State{}, k.observe())
		if d.Desired != c.desired || d.Min != c.floor || d.Max != 8 || d.Reason != c.reason {
			t.Errorf("%s: got %s, at least %d, want %d, %s, at least %d", name, d.Headline(), d.Min, c.desired, c.reason, c.floor)
		}
	}
}
