package risk

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

var start = time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)

// known is an observation at a second in which everything is known.
func known(second int, current, ready float64) recommender.Observation {
	at := start.Add(time.Duration(second) * time.Second)
	q := func(v float64) recommender.Quantity { return recommender.Exactly(v, at, int32(ready)) }
	return recommender.Observation{
		Time: at, Current: q(current), Ready: q(ready), Reporting: q(ready),
		Running: q(8 * ready), Waiting: q(0), Held: q(0), KVCacheUsage: q(0),
		Arrivals: q(5), Completions: q(5), PromptTokens: q(5000), OutputTokens: q(1000),
	}
}

func TestStartingReplicasHaveAges(t *testing.T) {
	type at struct {
		second         int
		current, ready float64
		ages           []float64
	}
	for name, line := range map[string][]at{
		"a change is dated to the tick before": {
			{0, 2, 2, nil},
			{15, 4, 2, []float64{15, 15}},
			{30, 4, 2, []float64{30, 30}},
			{45, 5, 2, []float64{45, 45, 15}},
		},
		"the first to be asked for is ready first": {
			{0, 2, 2, nil},
			{15, 3, 2, []float64{15}},
			{30, 4, 2, []float64{30, 15}},
			{45, 4, 3, []float64{30}},
			{60, 4, 4, nil},
		},
		"the youngest is taken away first": {
			{0, 2, 2, nil},
			{15, 3, 2, []float64{15}},
			{30, 4, 2, []float64{30, 15}},
			{45, 3, 2, []float64{45}},
		},
		"one that is taken away while another gets ready": {
			{0, 1, 1, nil},
			{15, 3, 1, []float64{15, 15}},
			{30, 2, 2, nil},
		},
		"one that fails starts anew": {
			{0, 2, 2, nil},
			{15, 2, 1, []float64{15}},
		},
		"what was there before is as old as what is remembered": {
			{0, 3, 1, []float64{0, 0}},
			{15, 3, 1, []float64{15, 15}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var tracker Tracker
			for _, x := range line {
				o := known(x.second, x.current, x.ready)
				tracker.Observe(&o)
				if got := tracker.starting(nil); !slices.Equal(got, x.ages) {
					t.Errorf("second %d: got ages %v, want %v", x.second, got, x.ages)
				}
			}
		})
	}
}

func TestAnUnknownCountChangesNoAges(t *testing.T) {
	var tracker Tracker
	for _, o := range []recommender.Observation{known(0, 1, 1), known(15, 2, 1), known(30, 2, 1), known(45, 2, 1)} {
		if o.Time.Equal(start.Add(30 * time.Second)) {
			o.Ready = recommender.Missing(recommender.Stale)
		}
		tracker.Observe(&o)
	}
	if got, want := tracker.starting(nil), []float64{45}; !slices.Equal(got, want) {
		t.Errorf("got ages %v, want %v", got, want)
	}
}

func TestReplayGivesTheSameTracker(t *testing.T) {
	var live, restarted Tracker
	const interval, last = 15, 3600
	replayFrom := last - int(Memory.Seconds())
	for second := 0; second <= last; second += interval {
		o := known(second, 4, float64(2+second/60%3))
		o.Arrivals = recommender.Exactly(5+3*math.Sin(float64(second)/300), o.Time, 4)
		live.Observe(&o)
		if second >= replayFrom {
			restarted.Observe(&o)
		}
	}
	if !slices.Equal(live.ticks, restarted.ticks) {
		t.Errorf("got %d ticks after a replay, want the %d of the one that was always there", len(restarted.ticks), len(live.ticks))
	}
}

func TestObservationsAreTakenOnceAndInOrder(t *testing.T) {
	var tracker Tracker
	for _, second := range []int{0, 15, 15, 0, 30} {
		o := known(second, 1, 1)
		tracker.Observe(&o)
	}
	if len(tracker.ticks) != 3 {
		t.Errorf("got %d ticks, want 3", len(tracker.ticks))
	}
}

func TestMemoryIsBounded(t *testing.T) {
	var tracker Tracker
	for second := range 3000 {
		o := known(second, 1, 1)
		tracker.Observe(&o)
	}
	if len(tracker.ticks) > mostTicks {
		t.Errorf("got %d ticks, want at most %d", len(tracker.ticks), mostTicks)
	}
}

// What arrives in bursts is seen through a window of two minutes, and found again.
func TestArrivalsAreFoundInTheRates(t *testing.T) {
	came := make([]float64, 60) // in each slot of 15 seconds
	for i := range came {
		came[i] = 30
		if i > 30 && i < 34 {
			came[i] = 300
		}
	}
	var tracker Tracker
	for i := 8; i < len(came); i++ {
		sum := 0.0
		for _, n := range came[i-8 : i] {
			sum += n
		}
		o := known(i*15, 1, 1)
		o.Arrivals = recommender.Exactly(sum/120, o.Time, 1)
		tracker.Observe(&o)
	}
	slots := tracker.arrivals(nil, 2*time.Minute)
	for i, s := range slots[1:] { // the first is the window before the first rate
		if want := came[8+i]; math.Abs(s.count-want) > 0.1*want+1 {
			t.Errorf("slot %d: got %.1f requests, want %v", i, s.count, want)
		}
	}
}

func TestLengthsAreTokensByRequest(t *testing.T) {
	var tracker Tracker
	for second := 0; second < 600; second += 15 {
		o := known(second, 1, 1)
		tracker.Observe(&o)
	}
	got, ok := tracker.lengths(2 * time.Minute)
	if want := (lengths{prompt: 1000, output: 200}); !ok || got != want {
		t.Errorf("got %v, %v, want %v", got, ok, want)
	}
}

// Requests that have come in and not gone out have read their prompts and written half of
// their outputs.
func TestLengthsWhileTheBatchGrows(t *testing.T) {
	var tracker Tracker
	for second := 0; second <= 120; second += 15 {
		o := known(second, 1, 1)
		q := func(v float64) recommender.Quantity { return recommender.Exactly(v, o.Time, 1) }
		o.Running = q(float64(second) * 2) // 2 more each second
		o.Completions, o.PromptTokens, o.OutputTokens = q(3), q(5*1000), q(4*200)
		tracker.Observe(&o)
	}
	tracker.ticks = tracker.ticks[len(tracker.ticks)-9:]
	got, ok := tracker.lengths(2 * time.Minute)
	if !ok || math.Abs(got.prompt-1000) > 450 || got.prompt <= 1000 {
		t.Errorf("got %v, %v, want prompts of 1000 or a little more", got, ok)
	}
	i := len(tracker.ticks) - 1
	if g := tracker.growth(i, 2*time.Minute); g != 2 {
		t.Errorf("got a growth of %v per second, want 2", g)
	}
}
