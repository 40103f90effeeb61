package recommender

import (
	"testing"
	"time"
)

// What the maximum cut off was never on its way: when demand ebbs, the number without a
// maximum falls to what the demand asks for.
func TestWhatIsAboveTheMaximumIsNotOnItsWay(t *testing.T) {
	p := queue(func(p *Policy) { p.ScaleDown.Window = time.Minute })
	var s State
	for _, k := range []struct {
		tick
		unbounded int32
	}{
		{tick{at: 0, current: 8, see: demand(60)}, 15},
		{tick{at: 15 * time.Second, current: 8, see: demand(40)}, 10},
	} {
		var d Decision
		if d, s = Decide(p, s, k.observe()); d.Desired != 8 || d.Unbounded != k.unbounded {
			t.Errorf("at %v: got %s, unbounded %d, want 8, unbounded %d", k.at, d.Headline(), d.Unbounded, k.unbounded)
		}
	}
}
