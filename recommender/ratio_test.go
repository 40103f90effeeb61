package recommender

import (
	"testing"
	"time"
)

// A ratio stands for the replicas that it was measured on, not for those asked for.
func TestARatioStandsForThoseThatReported(t *testing.T) {
	p := queue(func(p *Policy) { p.Signals = []Signal{{Metric: Query, Name: "load", Type: Ratio, Target: 0.5}} })
	for name, c := range map[string]struct {
		load Quantity
		want int32
	}{
		"those that contributed":          {Quantity{Value: 1, Replicas: 2, Evidence: Known}, 4},
		"else those that reported":        {Quantity{Value: 1, Evidence: Known}, 6},
		"absurd load asks for the most":   {Quantity{Value: 1e300, Replicas: 3, Evidence: Known}, 1<<31 - 1},
		"within the tolerance, no change": {Quantity{Value: 0.5, Replicas: 2, Evidence: Known}, 5},
	} {
		k := tick{current: 5, see: func(o *Observation) {
			o.Ready, o.Reporting = Exactly(3, o.Time, 0), Exactly(3, o.Time, 0)
			o.Queries = []Answer{{"load", c.load}}
		}}
		if d, _ := Decide(p, State{}, k.observe()); !d.RawKnown || d.Raw != c.want {
			t.Errorf("%s: got %d (%v), want %d", name, d.Raw, d.RawKnown, c.want)
		}
	}
}

// Where no signal has a number there is no raw number: not zero.
func TestUnknownSignalsAskForNothing(t *testing.T) {
	p := queue()
	p.Signals = append(p.Signals, Signal{Metric: KVCacheUsage, Target: 0.85})
	for _, why := range []Evidence{Absent, Stale, Invalid, Failed, NeverMatched} {
		k := tick{current: 3, see: func(o *Observation) {
			o.Running, o.Waiting, o.KVCacheUsage = Missing(why), Missing(why), Missing(why)
		}}
		d, s := Decide(p, State{}, k.observe())
		if d.RawKnown || s.Latest.Replicas != 3 {
			t.Errorf("%s: got raw %d and the proposal %d in the window, want none and 3", why, d.Raw, s.Latest.Replicas)
		}
	}
}

// A decision is as old as the oldest sample that it rests on, whichever signal has it.
func TestTheOldestSampleDatesADecision(t *testing.T) {
	p := queue()
	p.Signals = append(p.Signals, Signal{Metric: KVCacheUsage, Target: 0.85})
	old := start.Add(-40 * time.Second)
	for name, age := range map[string]func(*Observation){
		"the first signal's": func(o *Observation) { o.Running.At = old },
		"a part of a signal": func(o *Observation) { o.Waiting.At = old },
		"the last signal's":  func(o *Observation) { o.KVCacheUsage.At = old },
	} {
		k := tick{current: 3, see: func(o *Observation) {
			demand(12)(o)
			o.KVCacheUsage = known(o, 0.5)
			age(o)
		}}
		if d, _ := Decide(p, State{}, k.observe()); !d.Evidence.Equal(old) {
			t.Errorf("%s: got evidence of %v, want of %v", name, d.Evidence, old)
		}
	}
}
