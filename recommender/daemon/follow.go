package daemon

import (
	"cmp"
	"fmt"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
)

// A follower finds out whether anything acts on a recommendation, from what the
// replicas do. It looks only at live decisions: what was replayed was not exported
// by this daemon, and another scaler may have moved the replicas then.
type follower struct {
	// up and down are how long a consumer may take to act. A fall may take longer:
	// an HPA waits out a window of its own.
	up, down time.Duration

	verdict export.Following
	current int32     // the replicas at the previous decision
	way     int       // where they should have gone then: 1 up, -1 down, 0 nowhere
	apart   time.Time // since when they should go that way
	seen    bool      // whether the above are known
}

// consumerWindow is the window for a fall of an HPA that says nothing about it.
const consumerWindow = 5 * time.Minute

// newFollower returns a follower without a verdict.
func newFollower(interval, coldStart time.Duration) follower {
	f := follower{verdict: export.FollowingUnknown}
	f.expect(interval, coldStart)
	return f
}

// expect says that an action comes within two intervals, the cold start and some scrapes.
func (f *follower) expect(interval, coldStart time.Duration) {
	f.up = max(2*interval, coldStart, 2*time.Minute)
	f.down = f.up + consumerWindow
}

// look takes in the next decision.
func (f *follower) look(d *recommender.Decision) {
	if !d.Known || !d.Current.Known() {
		f.seen = false
		return
	}
	current := int32(min(d.Current.Value, 1<<30))
	way := cmp.Compare(d.Desired, current)
	moved := f.seen && current != f.current
	if moved && f.way != 0 {
		f.verdict = export.FollowingNo
		if cmp.Compare(current, f.current) == f.way {
			f.verdict = export.FollowingYes
		}
	}
	if !f.seen || moved || way != f.way {
		f.apart = d.Time
	}
	f.current, f.way, f.seen = current, way, true
	if way != 0 && d.Time.Sub(f.apart) > f.wait() {
		f.verdict = export.FollowingNo
	}
}

// wait returns how long the replicas may stay where they are.
func (f *follower) wait() time.Duration {
	if f.way < 0 {
		return f.down
	}
	return f.up
}

// waits returns since when the replicas should go where the recommendation is, and until when
// they may take; zero if they are there.
func (f *follower) waits() export.Wait {
	if !f.seen || f.way == 0 {
		return export.Wait{}
	}
	return export.Wait{Since: f.apart, Until: f.apart.Add(f.wait())}
}

// follow says whether anything acts on the recommendation of a workload.
func follow(v *view, now time.Time) string {
	switch since := v.FollowingSince; {
	case v.Following == export.FollowingYes:
		return "The replicas follow the recommendation."
	case v.Following == export.FollowingNo && since != nil:
		return fmt.Sprintf("The replicas do not follow the recommendation: they have not been where it is for %s.", span(now.Sub(*since)))
	case v.Following == export.FollowingNo:
		return "The replicas do not follow the recommendation."
	case since != nil:
		return fmt.Sprintf("Whether anything follows is not known yet: the replicas have not been where the recommendation is for %s, and have until %s UTC.",
			span(now.Sub(*since)), clock(*v.FollowingUntil))
	case v.Desired == nil:
		return "There is nothing to follow."
	case v.Current == nil:
		return "Whether anything follows is not known: how many replicas are asked for is not."
	case move(v) != "":
		return "Whether anything follows is not known yet: the replicas are not where the recommendation is."
	default:
		return "Whether anything follows is not known yet: nothing had to move."
	}
}
