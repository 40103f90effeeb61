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
