package risk

import (
	"math"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

// served is what replicas with a decode step of a + b x running show, whose batches swing
// by a fraction around 20.
func served(a, b, swing float64) *Tracker {
	var t Tracker
	for i := range 60 {
		o := known(15*i, 2, 2)
		running := 20 * (1 + swing*math.Sin(float64(i)/8)) // of each
		q := func(v float64) recommender.Quantity { return recommender.Exactly(v, o.Time, 2) }
		o.Running = q(2 * running)
		o.OutputTokens = q(2 * running / (a + b*running))
		o.PromptTokens = q(0)
		o.KVCacheUsage = q(running * 0.01)
		t.Observe(&o)
	}
	return &t
}

func TestAReplicaIsFittedToWhatItServed(t *testing.T) {
	l := lengths{prompt: 1000, output: 200}
	r, ok := served(0.008, 0.0002, 0.7).fit(l, 15*time.Second, 64)
	if !ok {
		t.Fatal("got no replica")
	}
	if got, want := r.DecodeStep(0), 0.008; math.Abs(got-want) > 0.1*want {
		t.Errorf("got a step of %v s in an empty batch, want %v", got, want)
	}
	if got, want := r.DecodeStep(30*l.context()), 0.008+30*0.0002; math.Abs(got-want) > 0.05*want {
		t.Errorf("got a step of %v s with 30 running, want %v", got, want)
	}
	if got, want := float64(r.KVCapacityTokens()), l.context()/0.01; math.Abs(got-want) > 0.05*want {
		t.Errorf("got a cache of %v tokens, want %v", got, want)
	}
	if r.MaxNumSeqs != 64 {
		t.Errorf("got %d slots, want the 64 that are configured", r.MaxNumSeqs)
	}
	if err := r.Validate(); err != nil {
		t.Error(err)
	}
}

func TestWhatDoesNotDetermineAReplicaFitsNone(t *testing.T) {
	l := lengths{prompt: 1000, output: 200}
	few := served(0.008, 0.0002, 0.7)
	few.ticks = few.ticks[:fitTicks-1]
	for name, tracker := range map[string]*Tracker{
		"batches that hardly vary":  served(0.008, 0.0002, 0.05),
		"faster the more it runs":   served(0.02, -0.0003, 0.7),
		"no step in an empty batch": served(-0.001, 0.0005, 0.7),
		"too few observations":      few,
		"nothing observed":          {},
	} {
		if r, ok := tracker.fit(l, 15*time.Second, 64); ok {
			t.Errorf("%s: got a step of %v s, want no replica", name, r.DecodeStep(0))
		}
	}
}

func TestSlotsAreConfiguredElseSeenElseUsual(t *testing.T) {
	var full Tracker
	for i := range 4 {
		o := known(15*i, 2, 2)
		o.Running, o.Waiting = recommender.Exactly(64, o.Time, 2), recommender.Exactly(50, o.Time, 2)
		full.Observe(&o)
	}
	if got := full.slots(48); got != 48 {
		t.Errorf("got %d slots, want the 48 that are configured", got)
	}
	if got := full.slots(0); got != 32 {
		t.Errorf("got %d slots, want the 32 that ran while others waited", got)
	}
	if got := new(Tracker).slots(0); got != defaultSlots {
		t.Errorf("got %d slots, want %d", got, defaultSlots)
	}
}
