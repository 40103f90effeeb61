package recommender

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// A script is a source of random numbers that are written down: a byte decides one choice,
// so that fuzzing changes one and keeps the others. At its end it goes on by itself.
type script struct {
	bytes []byte
	rest  rand.PCG
}

func (s *script) Uint64() uint64 {
	if len(s.bytes) == 0 {
		return s.rest.Uint64()
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return uint64(b) * 0x0101010101010101
}

// FuzzDecide lets the input choose a policy and the observations that follow each other.
func FuzzDecide(f *testing.F) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, size := range []int{0, 1, 40, 200, 1000, 3000} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { walk(t, rand.New(&script{bytes: data}), 25) })
}

// checkDecision reports what can never be true of a decision.
func checkDecision(t *testing.T, p *Policy, before *State, d *Decision) {
	t.Helper()
	if !slices.Contains(Reasons, d.Reason) {
		t.Fatalf("reason %q is not in the closed set", d.Reason)
	}
	if d.Known && (d.Desired < 0 || d.Desired > p.Max) {
		t.Fatalf("desired %d is outside 0..%d", d.Desired, p.Max)
	}
	if !d.Known && (d.Desired != 0 || d.Valid) {
		t.Fatalf("no recommendation, but desired %d valid %v", d.Desired, d.Valid)
	}
	if d.Known && d.Valid && d.Desired < p.Min {
		t.Fatalf("desired %d is below the minimum %d", d.Desired, p.Min)
	}
	if d.Known && d.Unbounded < d.Desired {
		t.Fatalf("unbounded %d is below desired %d", d.Unbounded, d.Desired)
	}
	if d.Valid && !d.Current.Known() {
		t.Fatal("valid without a current count")
	}
	checkNumbers(t, d)
	checkHeld(t, p, before, d)
}

// checkNumbers reports numbers that nobody can have meant, and a recommendation that its
// own steps do not lead to.
func checkNumbers(t *testing.T, d *Decision) {
	t.Helper()
	e := d.Explain()
	mustJSON(t, e) // which knows no NaN and no infinity
	if text := d.Headline() + e.Text(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
		t.Fatalf("got a number that is none in\n%s", text)
	}
	if d.Min > d.Max {
		t.Fatalf("the minimum in force %d is above the maximum %d", d.Min, d.Max)
	}
	if d.RawKnown && d.Raw < 0 {
		t.Fatalf("raw is %d", d.Raw)
	}
	steps := d.Steps()
	if d.Known && (len(steps) == 0 || steps[len(steps)-1].Out != d.Desired) {
		t.Fatalf("desired %d does not follow from %+v", d.Desired, steps)
	}
}

// checkHeld reports a fall on evidence that is not complete.
func checkHeld(t *testing.T, p *Policy, before *State, d *Decision) {
	t.Helper()
	if !d.Known || d.Valid || d.Reason == ReasonSuspectSignal {
		return
	}
	if n := min(count(d.Current), p.Max); d.Current.Known() && d.Desired < n {
		t.Fatalf("desired %d is below the current %d on incomplete evidence (%s)", d.Desired, n, d.Reason)
	}
	good := before.Good.Replicas
	if !before.Good.Time.IsZero() && d.Desired < min(good, p.Max) {
		t.Fatalf("desired fell from %d to %d on incomplete evidence (%s)", good, d.Desired, d.Reason)
	}
}

// walk runs n random ticks and checks each.
func walk(t *testing.T, rng *rand.Rand, n int) {
	p := randomPolicy(rng)
	var s State
	now := start
	for range n {
		o := randomObservation(rng, now)
		before, frozen := s, mustJSON(t, s)
		d, next := Decide(p, s, o)
		checkDecision(t, &p, &before, &d)
		again, nextAgain := Decide(p, before, o)
		if !same(d.Explain(), again.Explain()) || string(mustJSON(t, next)) != string(mustJSON(t, nextAgain)) {
			t.Fatal("the same inputs decide differently")
		}
		if string(mustJSON(t, before)) != string(frozen) {
			t.Fatal("Decide changed the state that it was given")
		}
		s = next
		now = now.Add(time.Duration(rng.IntN(120)) * time.Second)
	}
}
