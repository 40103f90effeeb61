package main

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"
)

// epoch is the invented present of the simulation.
var epoch = time.Unix(1_700_000_000, 0)

// steady is traffic that never changes.
func steady(rate float64) pattern { return pattern{{"holds", time.Hour, rate, rate}} }

// at moves a fleet to some time after its start.
func (f *fleet) at(t time.Duration) { f.advance(epoch.Add(t)) }

// outstanding are the requests that have arrived and are not answered.
func (f *fleet) outstanding() int {
	n := len(f.interceptor.held)
	for _, p := range f.cluster.pods {
		n += p.engine.outstanding()
	}
	return n
}

func TestTrafficRates(t *testing.T) {
	p := pattern{{"climbs", 10 * time.Second, 0, 20}, {"holds", 10 * time.Second, 20, 20}, {"silent", 10 * time.Second, 0, 0}}
	for _, tc := range []struct {
		at   time.Duration
		name string
		rate float64
	}{
		{0, "climbs", 0},
		{5 * time.Second, "climbs", 10},
		{10 * time.Second, "holds", 20}, // A phase ends before its edge.
		{29 * time.Second, "silent", 0},
		{35 * time.Second, "climbs", 10}, // And again from the start.
	} {
		ph, rate := p.at(tc.at)
		if ph.name != tc.name || rate != tc.rate {
			t.Errorf("at %s: got %s %v/s, want %s %v/s", tc.at, ph.name, rate, tc.name, tc.rate)
		}
	}
}

func TestArrivalsAddUpToTheRates(t *testing.T) {
	tr, got := traffic{pattern: usual}, 0
	for at := stepLength; at <= usual.length(); at += stepLength {
		got += tr.arrivals(at, stepLength)
	}
	want := 0.0
	for _, ph := range usual {
		want += (ph.from + ph.to) / 2 * ph.length.Seconds()
	}
	if math.Abs(float64(got)-want) > 3 { // What a step at an edge may shift.
		t.Errorf("got %d requests, want %v", got, want)
	}
}

func TestALoneRequestTakesItsPrefillAndDecode(t *testing.T) {
	var e engine
	r := &request{prompt: 400, output: 41} // 0.1 s of prefill, then 40 more tokens in 1 s.
	e.accept(r, epoch)
	var first, last time.Duration
	for at := stepLength; at <= 3*time.Second; at += stepLength {
		started, done := e.step(epoch.Add(at), stepLength)
		if len(started) > 0 {
			first = at
		}
		if len(done) > 0 {
			last = at
		}
	}
	if first != 100*time.Millisecond || last != 1100*time.Millisecond {
		t.Errorf("got first token after %s and last after %s, want 100ms and 1.1s", first, last)
	}
	if e.promptTokens != 400 || e.outputTokens != 41 || e.served != 1 || e.outstanding() != 0 {
		t.Errorf("got %d prompt tokens, %d generated, %d served, %d left, want 400, 41, 1, 0",
			e.promptTokens, e.outputTokens, e.served, e.outstanding())
	}
	if i := slices.Index(ttftBounds, 0.1); e.ttft.counts[i] != 1 || e.ttft.sum != 0.1 {
		t.Errorf("got TTFT counts %v and sum %v, want one in the bucket up to 0.1", e.ttft.counts, e.ttft.sum)
	}
}

func TestTheBatchIsBoundedAndTheRestWaits(t *testing.T) {
	var e engine
	for range 3 * slots {
		e.accept(&request{prompt: 400, output: 40}, epoch)
	}
	for at := stepLength; e.outstanding() > 0; at += stepLength {
		if at > time.Minute {
			t.Fatalf("got %d requests left after a minute, want none", e.outstanding())
		}
		e.step(epoch.Add(at), stepLength)
		if len(e.running) > slots {
			t.Fatalf("at %s: got %d running, want at most %d", at, len(e.running), slots)
		}
		if u := e.kvUsage(); u < 0 || u > 1 {
			t.Fatalf("at %s: got KV usage %v, want within [0, 1]", at, u)
		}
	}
	if e.served != 3*slots {
		t.Errorf("got %d served, want %d", e.served, 3*slots)
	}
}

func TestATTFTBeyondAllBucketsIsCounted(t *testing.T) {
	var h histogram
	h.observe(1e6)
	if h.counts[len(ttftBounds)] != 1 {
		t.Errorf("got counts %v, want one in the last", h.counts)
	}
}

func TestNoRequestIsLost(t *testing.T) {
	f := newFleet(epoch, usual, 5*time.Second)
	arrivals, expected := traffic{pattern: usual}, 0
	scales := map[time.Duration]int{
		5 * time.Second: 4, 20 * time.Second: 6, 21 * time.Second: 1, 45 * time.Second: 0, 70 * time.Second: 2,
	}
	for at := stepLength; at <= 90*time.Second; at += stepLength {
		expected += arrivals.arrivals(at, stepLength)
		f.at(at)
		if n, ok := scales[at]; ok {
			f.scale(n)
		}
		if got := f.tally.served + f.outstanding(); got != expected {
			t.Fatalf("at %s: got %d served or outstanding, want %d that arrived", at, got, expected)
		}
		if got := len(f.interceptor.held) + f.interceptor.proxied; got != f.outstanding() {
			t.Fatalf("at %s: got a concurrency of %d, want %d", at, got, f.outstanding())
		}
	}
	if f.tally.served == 0 || f.tally.missed == 0 {
		t.Errorf("got %d served and %d missed, want both", f.tally.served, f.tally.missed)
	}
}

func TestTheSameStepsGiveTheSameRun(t *testing.T) {
	run := func(ticks ...time.Duration) string {
		f := newFleet(epoch, steady(9), 5*time.Second)
		f.scale(2)
		for _, at := range ticks {
			f.at(at)
		}
		return fmt.Sprint(f.tally, f.podNames(), string(f.podPage(f.podNames()[1])))
	}
	a := run(20 * time.Second)
	b := run(time.Second, 7*time.Second+13*time.Millisecond, 20*time.Second) // However late the ticks come.
	if a != b {
		t.Errorf("got two runs:\n%s\n%s", a, b)
	}
}

func TestAColdStartDelaysARelief(t *testing.T) {
	f := newFleet(epoch, steady(13), 5*time.Second) // More than twice what one serves.
	f.at(10 * time.Second)
	f.scale(4)
	if got := len(f.cluster.serving(f.now)); got != 1 {
		t.Errorf("at once: got %d ready, want 1", got)
	}
	f.at(15*time.Second - stepLength)
	if got := len(f.cluster.serving(f.now)); got != 1 {
		t.Errorf("just before: got %d ready, want 1", got)
	}
	before := f.outstanding()
	f.at(15 * time.Second)
	if got := len(f.cluster.serving(f.now)); got != 4 {
		t.Errorf("when loaded: got %d ready, want 4", got)
	}
	f.at(40 * time.Second)
	if after := f.outstanding(); after >= before {
		t.Errorf("got %d outstanding, want fewer than the %d before the relief", after, before)
	}
}

func TestAtZeroRequestsAreHeldAndThenSent(t *testing.T) {
	f := newFleet(epoch, pattern{{"silent", 10 * time.Second, 0, 0}, {"wakes", time.Hour, 2, 2}}, 5*time.Second)
	f.scale(0)
	f.at(9 * time.Second)
	if n := len(f.podNames()); n != 0 {
		t.Fatalf("got %d pods, want none", n)
	}
	f.at(13 * time.Second)
	if n := len(f.interceptor.held); n != 6 {
		t.Errorf("got %d held, want 6", n)
	}
	f.scale(1)
	f.at(18*time.Second - stepLength)
	if n := len(f.interceptor.held); n != 15 {
		t.Errorf("before it is ready: got %d held, want 15", n)
	}
	f.at(18 * time.Second)
	if n := len(f.interceptor.held); n != 0 {
		t.Errorf("when it is ready: got %d held, want none", n)
	}
	f.at(20 * time.Second)
	if f.tally.missed == 0 {
		t.Error("got no missed request, want those that waited out the cold start")
	}
}

func TestADeletedPodDrainsAndGetsNoMore(t *testing.T) {
	f := newFleet(epoch, steady(8), 0)
	f.scale(2)
	f.at(10 * time.Second)
	young := f.cluster.pods[1]
	f.scale(1)
	if young.deleted.IsZero() || !f.cluster.pods[0].deleted.IsZero() {
		t.Fatal("got the oldest deleted, want the youngest")
	}
	left := young.engine.outstanding()
	for at := 10 * time.Second; len(f.podNames()) == 2; at += stepLength {
		if at > 20*time.Second {
			t.Fatal("got a pod that drains for ever")
		}
		f.at(at)
		if n := young.engine.outstanding(); n > left {
			t.Fatalf("got %d outstanding after %d, want it to fall", n, left)
		} else {
			left = n
		}
	}
	if left != 0 {
		t.Errorf("got a pod that left with %d requests, want none", left)
	}
}

func TestAPodDeletedWhileItLoadsIsGoneAtOnce(t *testing.T) {
	f := newFleet(epoch, steady(0), 5*time.Second)
	f.scale(3)
	f.at(time.Second)
	f.scale(1)
	f.at(time.Second + stepLength)
	if n := len(f.podNames()); n != 1 {
		t.Errorf("got %d pods, want 1", n)
	}
}

func TestRequestsGoToTheLeastLoaded(t *testing.T) {
	pods := []*pod{{name: "a"}, {name: "b"}, {name: "c"}}
	for range 3 {
		pods[0].engine.accept(&request{}, epoch)
	}
	i := interceptor{held: []*request{{}, {}, {}, {}}}
	i.dispatch(pods, epoch)
	var got []int
	for _, p := range pods {
		got = append(got, p.engine.outstanding())
	}
	if want := []int{3, 2, 2}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestReplicaSecondsCountEveryPodThatExists(t *testing.T) {
	f := newFleet(epoch, steady(0), 5*time.Second)
	f.at(10 * time.Second)
	f.scale(3)
	f.at(20 * time.Second)
	if got := f.tally.replicaSeconds; math.Abs(got-40) > 0.01 {
		t.Errorf("got %v replica-seconds, want 40", got)
	}
}
