package recommender

import (
	"testing"
	"time"
)

// The gate opens after two minutes in which the batches were known to be less than half full.
func TestWhatTheGateWaitsFor(t *testing.T) {
	const m = time.Minute
	gate := func(p *Policy) {
		p.MaxNumSeqs, p.Gate = 8, Gate{BatchFill: 0.5, For: 2 * m}
		p.ScaleDown.Window = 0
	}
	for name, between := range map[string]struct {
		see  func(*Observation)
		open bool // two minutes after the start, one after this
	}{
		"nearly empty batches":                       {held(0, demand(4)), true},
		"nothing to hear, all requests held":         {held(0, loading), true},
		"batches at the gate":                        {held(0, demand(16)), false},
		"full batches":                               {held(0, demand(30)), false},
		"a replica that is not heard":                {unheard(3, held(0, demand(4))), false},
		"an answer that may be a part":               {held(0, func(o *Observation) { demand(4)(o); o.Running.LowerBound = true }), false},
		"no answer":                                  {held(0, broken), false},
		"nothing to hear of a replica that is ready": {held(0), false},
	} {
		p := queue(fromZero, gate)
		var s State
		var d Decision
		for i, see := range []func(*Observation){held(0, demand(4)), between.see, held(0, demand(4))} {
			k := tick{at: time.Duration(i) * m, current: 4, see: see}
			d, s = Decide(p, s, k.observe())
		}
		want := int32(4)
		if between.open {
			want = 1
		}
		if d.Desired != want || !between.open && d.Reason != ReasonScaleDownGate {
			t.Errorf("%s: got %s, want %d", name, d.Headline(), want)
		}
	}
}

// A gate without a time asks only what is now.
func TestAGateWithoutATime(t *testing.T) {
	p := queue(target(16), func(p *Policy) {
		p.MaxNumSeqs, p.Gate, p.ScaleDown.Window = 8, Gate{BatchFill: 0.5}, 0
	})
	timeline(t, p, State{}, []tick{
		{0, 4, demand(20), 4, ReasonScaleDownGate, false},
		{15 * time.Second, 4, demand(20), 4, ReasonScaleDownGate, false},
		{30 * time.Second, 4, demand(15), 1, ReasonMetric, false},
	})
}
