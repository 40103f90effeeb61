package sim

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// A batch and a queue do what sorted and plain lists do.
func TestABatchIsInTheOrderOfItsEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var b batch
	type entry struct {
		end   float64
		index int32
	}
	var want []entry
	for i := range int32(20000) {
		switch n := len(want); {
		case n < 3 || n < 50 && rng.IntN(2) == 0:
			e := entry{float64(rng.IntN(1 << 30)), i}
			want = append(want, e)
			b.push(request{index: i}, e.end, i)
		case rng.IntN(4) == 0:
			youngest := len(want) - 1 // they are in the order of their admission
			r, end := b.popYoungest()
			if r.index != want[youngest].index || end != want[youngest].end {
				t.Fatalf("youngest: got %d ending at %v, want %+v", r.index, end, want[youngest])
			}
			want = want[:youngest]
		default:
			first := slices.MinFunc(want, func(a, b entry) int { return cmp.Compare(a.end, b.end) })
			if b.first() != first.end {
				t.Fatalf("first: got %v, want %v", b.first(), first.end)
			}
			if r := b.pop(); r.index != first.index {
				t.Fatalf("first: got %d, want %d", r.index, first.index)
			}
			want = slices.DeleteFunc(want, func(e entry) bool { return e == first })
		}
		if b.len() != len(want) || len(b.requests) > 60 {
			t.Fatalf("got %d sequences in %d places, want %d in few", b.len(), len(b.requests), len(want))
		}
	}
}

func TestAQueueIsFirstInFirstOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	var q queue
	var want []int32
	for i := range int32(20000) {
		switch n := rng.IntN(5); {
		case len(want) == 0 || n < 2:
			q.push(request{index: i})
			want = append(want, i)
		case n == 2 && len(want) < 40:
			q.pushFirst(request{index: i})
			want = slices.Insert(want, 0, i)
		default:
			if r := q.pop(); r.index != want[0] {
				t.Fatalf("got %d, want %d", r.index, want[0])
			}
			want = want[1:]
		}
		var got []int32
		q.each(func(r *request) { got = append(got, r.index) })
		if !slices.Equal(got, want) || q.len() != len(want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
	if len(q.ring) > 1024 {
		t.Errorf("got room for %d, want no more than twice what was needed at once", len(q.ring))
	}
}

func TestTokensAreWhole(t *testing.T) {
	for tokens, want := range map[float64]int32{-1: 0, 0: 0, 0.1: 1, 3: 3, 3.5: 4, 1e300: 1<<31 - 1} {
		if got := whole(tokens); got != want {
			t.Errorf("%v: got %d, want %d", tokens, got, want)
		}
	}
}
