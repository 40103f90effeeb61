package daemon

import (
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
)

func TestFollowing(t *testing.T) {
	type look struct {
		at               time.Duration
		current, desired float64 // negative is unknown
		want             export.Following
	}
	const (
		unknown = export.FollowingUnknown
		yes     = export.FollowingYes
		no      = export.FollowingNo
	)
	tests := map[string][]look{
		"nothing to follow": {
			{0, 3, 3, unknown},
			{time.Hour, 3, 3, unknown},
		},
		"replicas that go where they should": {
			{0, 3, 5, unknown},
			{15 * time.Second, 3, 5, unknown},
			{30 * time.Second, 5, 5, yes},
			{time.Hour, 5, 5, yes},
		},
		"replicas that go part of the way, at a limit of their own": {
			{0, 3, 9, unknown},
			{15 * time.Second, 5, 9, yes},
		},
		"growth that nobody acts on": {
			{0, 3, 5, unknown},
			{2 * time.Minute, 3, 5, unknown}, // the edge is still patience
			{2*time.Minute + 15*time.Second, 3, 5, no},
		},
		"a recommendation that moves on is still not followed": {
			{0, 3, 5, unknown},
			{time.Minute, 3, 7, unknown},
			{2*time.Minute + 15*time.Second, 3, 9, no},
		},
		"a fall may wait out the window of an HPA": {
			{0, 5, 3, unknown},
			{7 * time.Minute, 5, 3, unknown},
			{7*time.Minute + 15*time.Second, 5, 3, no},
		},
		"a recommendation that comes back was not followed": {
			{0, 3, 4, unknown},
			{15 * time.Second, 3, 3, unknown},
			{time.Hour, 3, 3, unknown},
			{time.Hour + 15*time.Second, 3, 4, unknown}, // the patience begins anew
		},
		"replicas that go the other way": {
			{0, 3, 5, unknown},
			{15 * time.Second, 2, 5, no},
		},
		"replicas that move when they need not": {
			{0, 3, 3, unknown},
			{15 * time.Second, 4, 3, unknown},
		},
		"a consumer that is connected later": {
			{0, 3, 5, unknown},
			{time.Hour, 3, 5, no},
			{time.Hour + 15*time.Second, 5, 5, yes},
		},
		"time without a recommendation does not count": {
			{0, 3, 5, unknown},
			{time.Minute, 3, -1, unknown},
			{10 * time.Minute, 3, 5, unknown},
			{11 * time.Minute, -1, 5, unknown},
			{20 * time.Minute, 5, 5, unknown},
		},
	}
	for name, looks := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFollower(15*time.Second, 90*time.Second)
			for _, l := range looks {
				d := recommender.Decision{Time: epoch.Add(l.at), Known: l.desired >= 0, Desired: int32(l.desired)}
				d.Current = recommender.Exactly(l.current, epoch, 0)
				if f.look(&d); f.verdict != l.want {
					t.Errorf("after %s with current %v, desired %v: got %s, want %s", l.at, l.current, l.desired, f.verdict, l.want)
				}
			}
		})
	}
}

func TestPatienceOfAFollower(t *testing.T) {
	tests := map[string]struct{ interval, coldStart, up time.Duration }{
		"some scrapes":       {15 * time.Second, 0, 2 * time.Minute},
		"two long intervals": {2 * time.Minute, 0, 4 * time.Minute},
		"a cold start":       {15 * time.Second, 5 * time.Minute, 5 * time.Minute},
	}
	for name, test := range tests {
		if f := newFollower(test.interval, test.coldStart); f.up != test.up || f.down != test.up+consumerWindow {
			t.Errorf("%s: got %s up and %s down, want %s and five minutes more", name, f.up, f.down, test.up)
		}
	}
}

func TestFollowSaysHowLongIsGiven(t *testing.T) {
	decide := func(at time.Duration, current, desired float64) *recommender.Decision {
		d := &recommender.Decision{Time: epoch.Add(at), Known: desired >= 0, Desired: int32(desired)}
		d.Current = recommender.Exactly(current, epoch, 0) // negative is unknown
		return d
	}
	const undecided = "Whether anything follows is not known yet: "
	for name, test := range map[string]struct {
		looks []*recommender.Decision
		want  string
	}{
		"nothing to move":   {[]*recommender.Decision{decide(0, 3, 3)}, undecided + "nothing had to move."},
		"no recommendation": {[]*recommender.Decision{decide(0, 3, -1)}, "There is nothing to follow."},
		"no current count": {
			[]*recommender.Decision{decide(0, 3, 3), decide(time.Minute, -1, 3)},
			"Whether anything follows is not known: how many replicas are asked for is not.",
		},
		"growth to wait for":  {[]*recommender.Decision{decide(0, 2, 5), decide(45*time.Second, 2, 5)}, undecided + "the replicas have not been where the recommendation is for 45 s, and have until 2000-01-01 00:02:00 UTC."},
		"growth that goes on": {[]*recommender.Decision{decide(0, 2, 5), decide(time.Minute, 2, 7)}, undecided + "the replicas have not been where the recommendation is for 1 min 0 s, and have until 2000-01-01 00:02:00 UTC."},
		"a fall to wait for":  {[]*recommender.Decision{decide(0, 5, 2), decide(45*time.Second, 5, 2)}, undecided + "the replicas have not been where the recommendation is for 45 s, and have until 2000-01-01 00:07:00 UTC."},
		"growth for too long": {[]*recommender.Decision{decide(0, 2, 5), decide(3*time.Minute, 2, 5)}, "The replicas do not follow the recommendation: they have not been where it is for 3 min 0 s."},
		"the other way":       {[]*recommender.Decision{decide(0, 2, 5), decide(time.Minute, 1, 1)}, "The replicas do not follow the recommendation."},
		"growth that came":    {[]*recommender.Decision{decide(0, 2, 5), decide(time.Minute, 5, 5)}, "The replicas follow the recommendation."},
	} {
		f := newFollower(15*time.Second, 0)
		w := export.Undecided("inference", "chat", "Deployment", asksPolicy())
		for _, d := range test.looks {
			f.look(d)
			w.Decision = *d
		}
		w.Following, w.Wait = f.verdict, f.waits()
		v := newView(&w)
		if got := follow(&v, w.Decision.Time); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestFollowWithoutTheTimes(t *testing.T) {
	v := &view{Following: export.FollowingUnknown}
	v.Current, v.Desired = new(int32(2)), new(int32(5))
	if got, want := follow(v, epoch), "Whether anything follows is not known yet: the replicas are not where the recommendation is."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
