package recommender

import (
	"testing"
	"time"
)

// The lookahead of the cold start looks as far ahead as replicas were seen to take.
func TestTheLookaheadIsTheColdStartInForce(t *testing.T) {
	p := queue(atMost(40), func(p *Policy) { p.LookaheadColdStart = true })
	for name, c := range map[string]struct {
		coldStart []Percentile
		want      time.Duration
	}{
		"configured": {nil, 90 * time.Second},
		"measured, the slowest": {
			[]Percentile{{0.5, Exactly(40, start, 0)}, {0.95, Exactly(200, start, 0)}}, 200 * time.Second,
		},
		"measured, as far as known": {
			[]Percentile{{0.5, Exactly(40, start, 0)}, {0.95, Missing(Absent)}}, 40 * time.Second,
		},
	} {
		var s State
		var d Decision
		for i, n := range []float64{8, 9} {
			k := tick{at: time.Duration(i) * 15 * time.Second, current: 2, see: func(o *Observation) {
				demand(n)(o)
				o.ColdStart = c.coldStart
			}}
			d, s = Decide(p, s, k.observe())
		}
		ahead := d.Proposals()[0]
		if want := 9 + c.want.Seconds()/15; ahead.Lookahead != c.want || ahead.Ahead != want {
			t.Errorf("%s: got %v requests in %v, want %v in %v", name, ahead.Ahead, ahead.Lookahead, want, c.want)
		}
	}
}

// What is and what is not projected, from one tick to the next a quarter of a minute later.
func TestWhatIsProjected(t *testing.T) {
	kv := Signal{Metric: KVCacheUsage, Target: 0.5}
	base := queue(atMost(40), func(p *Policy) { p.Lookahead = time.Minute })
	cache := func(v float64) func(*Observation) {
		return func(o *Observation) { demand(8)(o); o.KVCacheUsage = known(o, v) }
	}
	for name, c := range map[string]struct {
		signals []Signal
		see     []func(*Observation) // a tick each, with 2 replicas
		raw     int32
		ahead   float64 // of the last signal; 0 is not projected
	}{
		"requests that grow are": {base.Signals, []func(*Observation){demand(8), demand(11)}, 6, 23},
		"a fraction is not":      {[]Signal{kv}, []func(*Observation){cache(0.1), cache(0.5)}, 2, 0},
		"what only a part of the replicas says is not": {
			base.Signals, []func(*Observation){unheard(1, demand(8)), unheard(1, demand(11))}, 3, 0,
		},
		"a backlog in front of loading replicas is not, and is not growth when they are ready": {
			base.Signals, []func(*Observation){demand(8), func(o *Observation) { loading(o); demand(20)(o) }, demand(21)}, 7, 25,
		},
		"a signal that asks for less lowers nothing": {
			[]Signal{{Metric: Queue, Target: 4}, {Metric: Waiting, Target: 4}}, []func(*Observation){demand(8), demand(11)}, 6, 0,
		},
	} {
		p := base
		p.Signals = c.signals
		var s State
		var d Decision
		for i, see := range c.see {
			k := tick{at: time.Duration(i) * 15 * time.Second, current: 2, see: see}
			d, s = Decide(p, s, k.observe())
		}
		last := d.Proposals()[len(c.signals)-1]
		if d.Raw != c.raw || last.Ahead != c.ahead {
			t.Errorf("%s: got %d, projected %v, want %d, projected %v", name, d.Raw, last.Ahead, c.raw, c.ahead)
		}
	}
}

// What was long ago says nothing of how fast demand grows, nor do two values of one instant.
func TestSlopesNeedTwoValuesOfLately(t *testing.T) {
	for gap, want := range map[time.Duration]float64{
		0: 0, time.Second: 2, stuckAfter: 1.0 / 300, stuckAfter + time.Second: 0, time.Hour: 0, -time.Second: 0,
	} {
		var s State
		s.slope(0, 8, start)
		if got := s.slope(0, 10, start.Add(gap)); got != want {
			t.Errorf("%v later: got a slope of %v, want %v", gap, got, want)
		}
	}
}
