package sim

import (
	"math"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/trace"
)

// busy is traffic that keeps n replicas busy, most of the time too busy.
func busy(t *testing.T, n int) (trace.Slice, Run) {
	t.Helper()
	requests, err := trace.ReadAll(trace.Generator{
		Rate: trace.Constant(12 * float64(n)), Prompt: trace.Uniform(200, 2000), Output: trace.Uniform(50, 400), End: 300,
	}, 1)
	if err != nil {
		t.Fatal(err)
	}
	r := DefaultRun()
	r.Initial = n
	r.Horizon = 400 * time.Second
	return requests, r
}

// distance is how far a result in fixed steps is from the exact one, in the figures that
// move smoothly with the step.
func distance(got, exact *Result) float64 {
	relative := func(a, b float64) float64 { return math.Abs(a-b) / b }
	return relative(got.SojournSeconds, exact.SojournSeconds) +
		relative(got.ReplicaSeconds, exact.ReplicaSeconds) +
		relative(float64(got.Misses), float64(exact.Misses)) +
		relative(got.TTFT.P95, exact.TTFT.P95)
}

// As the step goes to zero, the two modes become one: a fifth of the step is about a
// fifth of the error.
func TestModesAgreeAsTheStepGoesToZero(t *testing.T) {
	requests, r := busy(t, 1)
	exact := replay(t, r, requests, keep, nil)
	r.Carry = true
	before := math.Inf(1)
	for _, step := range []time.Duration{250, 50, 10, 2} {
		r.Step = step * time.Millisecond
		got := replay(t, r, requests, keep, nil)
		d := distance(&got, &exact)
		t.Logf("step %v: distance %.5f: %s, exact %s", r.Step, d, row(&got), row(&exact))
		if d > before/3 {
			t.Errorf("step %v: got a distance of %v, want a third of %v at most", r.Step, d, before)
		}
		before = d
	}
	if before > 0.01 {
		t.Errorf("got a distance of %v in the end, want at most 0.01", before)
	}
}

// In a fleet a little less time decides who is the least loaded, so that requests go other
// ways. The figures stay together, while a replica leaves and one comes.
func TestModesAgreeInAFleet(t *testing.T) {
	requests, r := busy(t, 4)
	r.Carry = true
	scale := script(r.Start, map[float64]int{60: 3, 90: 4})
	exact := replay(t, r, requests, scale, nil)
	r.Step = 2 * time.Millisecond
	got := replay(t, r, requests, scale, nil)
	t.Logf("got %s, exact %s", row(&got), row(&exact))
	if d := distance(&got, &exact); d > 0.03 {
		t.Errorf("got a distance of %v, want at most 0.03", d)
	}
}

// Without Carry they do not: a prompt that is read beyond the end of its step is read for
// free, and the shorter the step, the more of every prompt that is. In steps of 2 ms a
// prompt of 40 ms costs 2 ms, so that a fleet which is overloaded seems to be idle.
func TestWithoutCarryShortStepsAreFree(t *testing.T) {
	requests, r := busy(t, 1)
	exact := replay(t, r, requests, keep, nil)
	r.Step = 2 * time.Millisecond
	got := replay(t, r, requests, keep, nil)
	if got.Misses*2 > exact.Misses || got.SojournSeconds > 0.7*exact.SojournSeconds {
		t.Errorf("got %s and %v request-seconds, want far less than %s and %v",
			row(&got), got.SojournSeconds, row(&exact), exact.SojournSeconds)
	}
}

// A horizon that is no multiple of the step ends the last step early.
func TestTheLastStepEndsAtTheHorizon(t *testing.T) {
	r := DefaultRun()
	r.Step, r.Interval, r.Horizon = 400*time.Millisecond, 12*time.Second, 1500*time.Millisecond
	got := replay(t, r, trace.Slice{{At: 0, Prompt: 100, Output: 10}}, keep, nil)
	if got.Seconds != 1.5 || got.ReplicaSeconds != 1.5 {
		t.Errorf("got %v s at a cost of %v, want 1.5 of both", got.Seconds, got.ReplicaSeconds)
	}
}
