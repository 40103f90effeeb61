package recommender

import (
	"testing"
	"time"
)

// What lies further back than a replay must not matter, or a daemon that was started again
// would decide otherwise than one that never stopped.
func TestWhatIsTooLongAgo(t *testing.T) {
	const m, s = time.Minute, time.Second
	ahead := func(p *Policy) { p.Lookahead = 5 * time.Minute }
	for name, test := range map[string]struct {
		policy Policy
		ticks  []tick
	}{
		"after blindness of a whole window a fall takes another window": {queue(), []tick{
			{0, 7, demand(28), 7, ReasonTolerance, false},
			{15 * s, none, failed, 7, ReasonQueryError, true},
			{5 * m, none, failed, 7, ReasonQueryError, true},
			{5*m + 15*s, 7, demand(2), 7, ReasonStabilised, false},
			{10 * m, 7, demand(2), 7, ReasonStabilised, false},
			{10*m + 15*s, 7, demand(2), 1, ReasonMetric, false},
		}},
		"and what was asked for before it counts, as the follower may have been blind too": {queue(), []tick{
			{0, 3, demand(28), 7, ReasonMetric, false},
			{15 * s, none, failed, 7, ReasonQueryError, true},
			{6 * m, none, failed, 7, ReasonQueryError, true},
			{6*m + 15*s, 3, demand(2), 7, ReasonStabilised, false},
		}},
		"after blindness longer than the hold limit the current count does": {queue(), []tick{
			{0, 3, demand(28), 7, ReasonMetric, false},
			{15 * s, none, failed, 7, ReasonQueryError, true},
			{11 * m, none, failed, none, ReasonQueryError, true},
			{11*m + 15*s, 3, demand(2), 3, ReasonStabilised, false},
			{16*m + 15*s, 3, demand(2), 1, ReasonMetric, false},
		}},
		"what was only assumed before it is no proposal": {queue(), []tick{
			{0, 2, silent, 2, ReasonNoData, true},
			{15 * s, none, failed, 2, ReasonQueryError, true},
			{4 * m, none, failed, 2, ReasonQueryError, true},
			{4*m + 15*s, 5, demand(2), 5, ReasonStabilised, false},
			{9 * m, 5, demand(2), 5, ReasonStabilised, false},
			{9*m + 15*s, 5, demand(2), 1, ReasonMetric, false},
		}},
		"shorter blindness prolongs nothing": {queue(), []tick{
			{0, 7, demand(28), 7, ReasonTolerance, false},
			{15 * s, 7, demand(2), 7, ReasonStabilised, false},
			{30 * s, none, failed, 7, ReasonQueryError, true},
			{4 * m, none, failed, 7, ReasonQueryError, true},
			{5 * m, 7, demand(2), 1, ReasonMetric, false},
		}},
		"growth since a value of ten minutes ago is projected": {queue(ahead), []tick{
			{0, 2, demand(8), 2, ReasonTolerance, false},
			{15 * s, 2, silent, 2, ReasonNoData, true},
			{10 * m, 2, demand(10), 3, ReasonMetric, false},
		}},
		"growth since an older one is not": {queue(ahead, target(1), atMost(20)), []tick{
			{0, 8, demand(8), 8, ReasonTolerance, false},
			{15 * s, 8, silent, 8, ReasonNoData, true},
			{10*m + s, 10, demand(10), 10, ReasonTolerance, false},
		}},
	} {
		t.Run(name, func(t *testing.T) { timeline(t, test.policy, State{}, test.ticks) })
	}
}

// What was asked for above the maximum was never recommended, so it cannot be on its way.
// It must not let the number without a maximum grow past the rate limit.
func TestWhatIsAskedForEndsAtTheMaximum(t *testing.T) {
	p := queue(atMost(4))
	var long, short State
	for i := range 100 {
		current := min(4, 1+i)
		if i > 50 {
			current = 4
		}
		k := tick{at: time.Duration(i) * 15 * time.Second, current: current, see: demand(200)}
		var d, e Decision
		d, long = Decide(p, long, k.observe())
		if i < 90 {
			continue
		}
		if e, short = Decide(p, short, k.observe()); d.Unbounded != e.Unbounded {
			t.Errorf("tick %d: got %d without a maximum, want %d as from the beginning", i, e.Unbounded, d.Unbounded)
		}
	}
	if long.Asked != 4 {
		t.Errorf("got %d asked for, want the maximum 4", long.Asked)
	}
}

func TestARecommendationOfOldIsHeld(t *testing.T) {
	for name, test := range map[string]tick{
		"on partial evidence":   {0, 3, unheard(2, demand(4)), 7, ReasonPartialData, true},
		"for a window":          {0, 3, demand(4), 7, ReasonStabilised, false},
		"and less than current": {0, 9, unheard(2, demand(4)), 8, ReasonPartialData, true},
	} {
		t.Run(name, func(t *testing.T) {
			timeline(t, queue(), Recommended(7, start.Add(-15*time.Second)), []tick{test})
		})
	}
}

// Somebody else may know of a rise that nobody follows, and whose cause is too long ago.
func TestWhatATwinAsksForCounts(t *testing.T) {
	p := queue()
	_, s := Decide(p, State{}, (&tick{current: 3, see: demand(28)}).observe())
	for name, test := range map[string]struct {
		state State
		asked int32
		want  int32
	}{
		"more than here":                 {s, 8, 8},
		"but not less":                   {s, 2, 7},
		"of a workload that is not seen": {State{}, 4, 4},
	} {
		d, _ := Decide(p, test.state.Asking(test.asked, start), (&tick{at: time.Second, current: 3, see: broken}).observe())
		if !d.Known || d.Desired != test.want {
			t.Errorf("%s: got desired %d, known %v, want %d", name, d.Desired, d.Known, test.want)
		}
	}
}
