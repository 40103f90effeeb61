package daemon

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/infscale/infscale/recommender"
)

// A rateless source hears engines whose rates have no value in a span.
type rateless struct {
	*scripted
	from, until time.Time
}

func (s rateless) observe(ctx context.Context, at time.Time) reading {
	r := s.scripted.observe(ctx, at)
	for i := range r.observations {
		r.reports[i].Notes = []string{"of the reading"}
		if !at.Before(s.from) && at.Before(s.until) {
			o := &r.observations[i]
			o.OutputTokens, o.PromptTokens = recommender.Missing(recommender.Unobserved), recommender.Missing(recommender.Unobserved)
		}
	}
	return r
}

func TestRatesThatNeverComeAreNoted(t *testing.T) {
	const warning = "rates have no value although the engines are heard, rate_window is too short for the scrape interval"
	late := []string{
		"of the reading",
		"rates: no value for 1m15s although the engines are heard, rate_window must be at least four times the scrape interval",
	}
	tests := map[string]struct {
		wait, lasts time.Duration
		notes       []string
		warned      int
	}{
		"longer than it takes to hear a replica twice": {time.Minute, time.Hour, late, 1},
		"only as long as a replica is new":             {time.Minute, time.Minute, late[:1], 0},
		"where nobody knows how long":                  {0, time.Hour, late[:1], 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScripted()
				w := worldOf(s, "chat", "code")
				w.rateWait = test.wait
				w.source = rateless{s, epoch.Add(interval), epoch.Add(interval + test.lasts)}
				b := newBench(t, w)
				stop := b.run(t)
				defer stop()
				time.Sleep(90 * time.Second)
				synctest.Wait()
				if got := b.loop.collector.Latest().Find("inference", "chat").Notes; !slices.Equal(got, test.notes) {
					t.Errorf("got the notes %q, want %q", got, test.notes)
				}
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				if n := b.logged(warning); n != test.warned {
					t.Errorf("warned %d times, want %d", n, test.warned)
				}
			})
		})
	}
}
