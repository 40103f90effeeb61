package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/sim"
)

func ExampleColdStart() {
	c := sim.DefaultColdStart()
	fmt.Println(c)
	fmt.Println(c.Low(), c.Mean(), c.High())
	r := sim.DefaultReplica()
	fmt.Println(r.Phases(), r.Phases().Mean())
	// Output:
	// image=30s-1m30s,download=1m0s-5m0s,load=30s-1m30s,graphs=20s-1m0s,warm-up=5s-15s,probe=10s-30s
	// 2m35s 6m10s 9m45s
	// image=45s,load=16s,warm-up=30s 1m31s
}

func TestAKnownColdStartIsTheWholeOfIt(t *testing.T) {
	r := sim.DefaultReplica()
	r.KnownColdStart = 3 * time.Minute
	if got := r.Phases().String(); got != "all=3m0s" || r.ColdStart() != 3*time.Minute {
		t.Errorf("got %s and %v, want 3m of both", got, r.ColdStart())
	}
	r.KnownColdStart = -time.Second
	if err := r.Validate(); err == nil || err.Error() != "cold start must not be negative, got -1" {
		t.Errorf("got %v, want a negative cold start refused", err)
	}
}

func TestSamplesStayWithinTheirEndsAndMeetTheMean(t *testing.T) {
	c := sim.DefaultColdStart()
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 20_000
	sum, low, high := 0.0, c.High(), c.Low()
	for range n {
		d := c.Sample(rng)
		low, high, sum = min(low, d), max(high, d), sum+d.Seconds()
	}
	if low < c.Low() || high > c.High() {
		t.Errorf("got samples from %v to %v, want them between %v and %v", low, high, c.Low(), c.High())
	}
	// The deviation of the sum of uniform phases is the root of the sum of width²/12: 76 s.
	if mean := sum / n; math.Abs(mean-c.Mean().Seconds()) > 4*76/math.Sqrt(n) {
		t.Errorf("got a mean of %.1f s, want %v", mean, c.Mean())
	}
	if spread := (high - low).Seconds(); spread < 5*76 {
		t.Errorf("got samples within %.0f s, want them spread", spread)
	}
}

func TestSamplesAreThoseOfTheirSeed(t *testing.T) {
	c := sim.DefaultColdStart()
	fixed := sim.ColdStart{{Name: "a", Low: time.Second, High: time.Second}}
	one, other := rand.New(rand.NewPCG(7, 7)), rand.New(rand.NewPCG(7, 7))
	for range 100 {
		if a, b := c.Sample(one), c.Sample(other); a != b {
			t.Fatalf("got %v and %v of one seed, want the same", a, b)
		}
		if got := fixed.Sample(one); got != time.Second {
			t.Fatalf("got %v of a phase without spread, want 1s", got)
		}
		other.Float64() // the phase without spread has drawn one too
	}
}

func TestParsePhases(t *testing.T) {
	for text, want := range map[string]string{
		"image=30s-90s,download=60s-300s,load=30s-90s,graphs=20s-60s,warm-up=5s-15s,probe=10s-30s": sim.DefaultColdStart().String(),
		"all=91":                         "all=1m31s",
		" a = 1.5s - 2s , b=0-0":         "a=1.5s-2s,b=0s",
		"node=5m-15m,image=0s,load=1m5s": "node=5m0s-15m0s,image=0s,load=1m5s",
	} {
		c, err := sim.ParsePhases(text)
		if err != nil || c.String() != want {
			t.Errorf("%s: got %s and %v, want %s", text, c, err, want)
			continue
		}
		if again, err := sim.ParsePhases(c.String()); err != nil || again.String() != want {
			t.Errorf("%s: got %s and %v again", c, again, err)
		}
	}
}

func TestPhasesWithMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"":                  `phase "": must be NAME=LOW-HIGH or NAME=DURATION, such as image=30s-90s`,
		"30s":               `phase "30s": must be NAME=LOW-HIGH or NAME=DURATION, such as image=30s-90s`,
		"=30s":              `phase "=30s": must be NAME=LOW-HIGH or NAME=DURATION, such as image=30s-90s`,
		"image=soon":        `phase image: must be a duration such as 30s or 1m30s, got "soon"`,
		"image=":            `phase image: must be a duration such as 30s or 1m30s, got ""`,
		"image=30s-":        `phase image: must be a duration such as 30s or 1m30s, got ""`,
		"image=-30s":        `phase image: must be 0s to 24h0m0s, got "-30s"`,
		"image=25h":         `phase image: must be 0s to 24h0m0s, got "25h"`,
		"image=1e300":       `phase image: must be 0s to 24h0m0s, got "1e300"`,
		"image=NaN":         `phase image: must be 0s to 24h0m0s, got "NaN"`,
		"image=90s-30s":     `phase image: must not end below where it begins, got 1m30s-30s`,
		"a=1s,b=x,a=2s,c=y": "phase b: must be a duration such as 30s or 1m30s, got \"x\"\nphase a: is given twice\nphase c: must be a duration such as 30s or 1m30s, got \"y\"",
	} {
		c, err := sim.ParsePhases(text)
		switch {
		case err == nil:
			t.Errorf("%q: got %s, want an error", text, c)
		case err.Error() != want:
			t.Errorf("%q: got\n%v, want\n%s", text, err, want)
		}
	}
}

func FuzzParsePhases(f *testing.F) {
	f.Add("image=30s-90s,download=60s-300s")
	f.Add("a=1e9-2e9,b=-1,c=NaN")
	f.Add("a=1ns-9223372036s")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := sim.ParsePhases(text)
		if err != nil {
			if strings.TrimSpace(err.Error()) == "" {
				t.Errorf("%q: got an empty error", text)
			}
			return
		}
		if c.Low() < 0 || c.Low() > c.Mean() || c.Mean() > c.High() {
			t.Errorf("%q: got %v, %v and %v, want them in order", text, c.Low(), c.Mean(), c.High())
		}
	})
}
