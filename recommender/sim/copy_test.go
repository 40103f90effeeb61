package sim

import (
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/trace"
)

// A copy and its original go on alike, and each by itself.
func TestACopyGoesOnAsItsOriginal(t *testing.T) {
	r := DefaultReplica()
	g, f := NewFleet(&r, Engine{}, 2*time.Second), NewFleet(&r, Engine{}, 2*time.Second)
	arrive := func(f *Fleet, from, to int) {
		for i := from; i < to; i++ {
			at := float64(i) / 30
			f.Advance(at)
			f.Arrive(trace.Request{At: at, Prompt: int32(500 + i%700), Output: int32(100 + i%300)})
		}
	}
	g.Reset()
	g.AddReady(3)
	g.AddStarting(20)
	for i := range 90 {
		g.Place(i%3, 1000, float64(i), 200)
		g.Queue(i%3, 1000, 200)
	}
	g.Open()
	g.Resize(3, 0)
	arrive(g, 0, 300)
	f.Reset()
	f.AddReady(7) // what was in the copy before is gone
	f.CopyFrom(g)
	missed := g.Missed(10)
	arrive(f, 300, 1500)
	f.Advance(60)
	if got := g.Missed(10); got != missed || g.arrived != 300 {
		t.Errorf("got %d missed of %d in the original after the copy went on, want %d of 300", got, g.arrived, missed)
	}
	arrive(g, 300, 1500)
	g.Advance(60)
	if got, want := f.Missed(60), g.Missed(60); got != want || want == 0 {
		t.Errorf("got %d missed in the copy, want the %d of the original and more than none", got, want)
	}
	if got, want := f.outstanding(), g.outstanding(); got != want {
		t.Errorf("got %d requests outstanding in the copy, want %d", got, want)
	}
}

func TestAFleetServesAsTheReplicaThatItIsGiven(t *testing.T) {
	r := DefaultReplica()
	slow := r
	slow.FLOPS /= 10
	missed := func(f *Fleet) int {
		f.AddReady(1)
		f.Open()
		for i := range 100 {
			f.Arrive(trace.Request{At: float64(i) / 10, Prompt: 1000, Output: 10})
		}
		f.Advance(30)
		return f.Missed(30)
	}
	f := NewFleet(&r, Engine{}, 2*time.Second)
	f.Reset()
	if n := missed(f); n != 0 {
		t.Errorf("got %d missed, want none", n)
	}
	f.Reset()
	f.Use(&slow, Engine{}, 2*time.Second)
	want := NewFleet(&slow, Engine{}, 2*time.Second)
	want.Reset()
	if got, want := missed(f), missed(want); got != want || got == 0 {
		t.Errorf("got %d missed of a slow replica, want %d and more than none", got, want)
	}
}
