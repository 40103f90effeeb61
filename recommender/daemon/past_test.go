package daemon

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/infscale/infscale/recommender"
)

// onlyPart says that one of the ready replicas is not heard.
func onlyPart(o *recommender.Observation) { o.Reporting = recommender.Exactly(2, o.Time, 0) }

func TestThePastBeginsAndEndsWithWhatWasRecommended(t *testing.T) {
	const minute = time.Minute
	for name, test := range map[string]struct {
		said recommender.Quantity
		when time.Duration // how long before now
		want int
	}{
		"and was not followed yet":                 {recommender.Exactly(7, epoch, 0), 11 * minute, 7},
		"of which no daemon's series tells":        {recommender.Missing(recommender.Absent), 11 * minute, 3},
		"of a daemon that allowed more replicas":   {recommender.Exactly(1e9, epoch, 0), 11 * minute, 10},
		"and is less than there are":               {recommender.Exactly(1, epoch, 0), 11 * minute, 3},
		"and is no number of replicas that can be": {recommender.Missing(recommender.Invalid), 11 * minute, 3},
		"by a twin, at the end":                    {recommender.Exactly(7, epoch, 0), 0, 7},
		"by a twin that allows more, at the end":   {recommender.Exactly(1e9, epoch, 0), 0, 10},
		"by a twin that knows less, at the end":    {recommender.Exactly(1, epoch, 0), 0, 3},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScripted()
				s.load, s.extend = func(identity, time.Time) float64 { return 8 }, onlyPart
				now := time.Now()
				s.said = func(_ identity, at time.Time) recommender.Quantity {
					if ago := now.Sub(at); ago >= test.when && ago < test.when+minute {
						return test.said
					}
					return recommender.Missing(recommender.Absent)
				}
				b := newBench(t, worldOf(s, "chat"))
				stop := b.run(t)
				defer stop()
				time.Sleep(time.Second)
				synctest.Wait()
				if got := b.desired("chat"); got != test.want {
					t.Errorf("got desired %d, want %d", got, test.want)
				}
			})
		})
	}
}

func TestThePastReachesBackAsFarAsAnythingMatters(t *testing.T) {
	minutes := func(n time.Duration) time.Duration { return n * time.Minute }
	for name, test := range map[string]struct {
		change func(p *recommender.Policy)
		start  float64 // measured cold start in seconds
		want   time.Duration
	}{
		"by default a minute more than the hold limit": {func(*recommender.Policy) {}, 0, minutes(11)},
		"a longer window":            {func(p *recommender.Policy) { p.ScaleDown.Window = minutes(30) }, 0, minutes(30)},
		"a longer period":            {func(p *recommender.Policy) { p.ScaleUp.Policies[0].Period = minutes(25) }, 0, minutes(25)},
		"a longer gate":              {func(p *recommender.Policy) { p.Gate.For = minutes(40) }, 0, minutes(40)},
		"the risk":                   {func(p *recommender.Policy) { p.SLO.TTFT = time.Second }, 0, minutes(15)},
		"the cooldown after a start": {func(p *recommender.Policy) { p.Min, p.Cooldown, p.ColdStart = 0, minutes(20), minutes(5) }, 0, minutes(25)},
		"a start that takes longer than configured": {func(p *recommender.Policy) { p.Min = 0 }, 1800, minutes(35)},
		"which does not matter without zero":        {func(*recommender.Policy) {}, 1800, minutes(11)},
		"nor is it believed to take days":           {func(p *recommender.Policy) { p.Min = 0 }, 1e6, minutes(125)},
	} {
		s := newScripted()
		w := worldOf(s, "chat", "other")
		test.change(w.workloads[1].policy)
		live := s.read(epoch, nil)
		if test.start > 0 {
			live.observations[1].ColdStart = []recommender.Percentile{{P: 0.5, Quantity: recommender.Exactly(test.start, epoch, 1)}}
		}
		if got := w.span(&live); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}
