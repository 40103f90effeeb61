package recommender

import (
	"fmt"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// Two futures of one state do not see each other: lists that grow are not shared.
func TestStatesThatPartDoNotMeetAgain(t *testing.T) {
	p := queue(atMost(40), func(p *Policy) {
		p.ScaleUp.Policies = []hpa.Policy{{Type: hpa.Pods, Value: 40, Period: 10 * time.Minute}}
		p.ScaleDown.Policies = []hpa.Policy{{Type: hpa.Pods, Value: 40, Period: 10 * time.Minute}}
	})
	at, count := 0, 10
	future := func(s State, counts ...int) State {
		for i, current := range counts {
			k := tick{at: time.Duration(at+i) * 15 * time.Second, current: current, see: demand(float64(4 * current))}
			_, s = Decide(p, s, k.observe())
		}
		return s
	}
	var s State
	for at < 12 { // every number of entries that leaves room behind them
		s = future(s, count)
		at++
		for _, way := range []int{1, -1} {
			one := future(s, count+5*way, count+3*way, count+6*way)
			want := fmt.Sprint(one)
			future(s, count+2*way, count+4*way, count+7*way)
			future(s, count-2*way, count-4*way, count-7*way)
			if got := fmt.Sprint(one); got != want {
				t.Fatalf("after %d ticks: another future changed a state from\n%s to\n%s", at, want, got)
			}
		}
		count += 1 - 2*(at/3%2)
	}
}

// A replay spans the longest of all that a decision can depend on.
func TestReplaySpansWhatDecisionsDependOn(t *testing.T) {
	base := func() Policy {
		p := queue()
		p.ScaleUp.Window, p.ScaleDown.Window = time.Second, time.Second
		p.ColdStart, p.Cooldown, p.HoldLimit = time.Second, time.Second, time.Second
		return p
	}
	for name, c := range map[string]struct {
		edit func(*Policy)
		want time.Duration
	}{
		"engines that are stuck":   {func(*Policy) {}, stuckAfter},
		"the up window":            {func(p *Policy) { p.ScaleUp.Window = 20 * time.Minute }, 20 * time.Minute},
		"the down window":          {func(p *Policy) { p.ScaleDown.Window = 20 * time.Minute }, 20 * time.Minute},
		"a cold start, then idle":  {func(p *Policy) { p.ColdStart, p.Cooldown = 12*time.Minute, 9*time.Minute }, 21 * time.Minute},
		"the gate":                 {func(p *Policy) { p.Gate.For = 20 * time.Minute }, 20 * time.Minute},
		"the hold limit, and more": {func(p *Policy) { p.HoldLimit = 20 * time.Minute }, 21 * time.Minute},
		"the period of rises":      {func(p *Policy) { p.ScaleUp.Policies[1].Period = 25 * time.Minute }, 25 * time.Minute},
		"the period of falls":      {func(p *Policy) { p.ScaleDown.Policies[0].Period = 25 * time.Minute }, 25 * time.Minute},
	} {
		p := base()
		c.edit(&p)
		if got := p.Replay(); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// A workload that was woken is not idle before its replicas are due, however long they take.
func TestReplaySpansAMeasuredColdStart(t *testing.T) {
	p := queue(fromZero)
	measured := func(d time.Duration) *Observation {
		return &Observation{ColdStart: []Percentile{{0.95, Exactly(d.Seconds(), start, 0)}}}
	}
	for d, want := range map[time.Duration]time.Duration{
		time.Minute: p.Replay(), 25 * time.Minute: 30 * time.Minute, 5 * time.Hour: 2*time.Hour + 5*time.Minute,
	} {
		if got := p.ReplayWith(measured(d)); got != want {
			t.Errorf("a cold start of %v: got %v, want %v", d, got, want)
		}
	}
	if p.Min = 1; p.ReplayWith(measured(time.Hour)) != p.Replay() {
		t.Errorf("without zero: got %v, want %v", p.ReplayWith(measured(time.Hour)), p.Replay())
	}
}
