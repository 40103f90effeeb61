package soak

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

var (
	length = flag.Duration("soak", 0, "how long to go on with one seed after another")
	first  = flag.Uint64("soak.seed", 1, "the first seed")
)

func TestSoak(t *testing.T) {
	var sum report
	defer func() { t.Log("\n" + sum.String()) }()
	begun, seed := time.Now(), *first
	for seed == *first || time.Since(begun) < *length {
		t.Run("seeds", func(t *testing.T) {
			// Waiting for one costs the other nothing.
			for range 2 {
				own := seed
				t.Run(fmt.Sprint(own), func(t *testing.T) {
					t.Parallel()
					soak(t, own, &sum)
				})
				seed++
			}
		})
	}
	if lacks := sum.lacks(); lacks != "" && !t.Failed() && !testing.Short() {
		t.Errorf("%s: nothing is proven", lacks)
	}
}

// soak plays the schedule of one seed.
func soak(t *testing.T, seed uint64, sum *report) {
	faults := schedule(rand.New(rand.NewPCG(seed, 1)), 1)
	last := 0
	for _, f := range faults {
		last = max(last, f.to)
	}
	s := newStage(t, seed, faults)
	defer s.end()
	ticks := last + settled + 10
	if testing.Short() {
		ticks = min(ticks, 80)
	}
	defer func() { s.report(sum, ticks) }()
	s.run(ticks)
}

// report tells what was found, also of a run that broke off.
func (s *stage) report(sum *report, ticks int) {
	sum.add(s, ticks)
	for i, v := range append(s.judge.violations, s.witness.violations...) {
		if i == 20 {
			s.t.Errorf("and more")
			break
		}
		s.t.Errorf("%s\n\tunder %v\n\trepeat: go test ./test/soak -run TestSoak -soak.seed %d", v, lasting(s.faults, v.tick), s.seed)
	}
}
