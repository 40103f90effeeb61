package trace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
)

const (
	maxCV       = 100
	minCV       = 0.01
	maxExpected = 1e9
	minExpected = 1e-6 // still one in a million seeds; below, numbers lose their digits
)

// A Generator is a trace drawn at random, anew for each seed. Its streams of random numbers
// are apart: with the same seed, other lengths come at the same arrivals, and other arrivals
// bring the same lengths.
type Generator struct {
	Rate     Rate
	Arrivals Arrivals
	// Prompt and Output are the tokens of a request.
	Prompt, Output Lengths
	// End of the trace in seconds. The requests arrive before.
	End float64
}

// Arrivals is how regular or bursty arrivals are at a given rate. The zero Arrivals is
// [Poisson].
type Arrivals struct {
	renewal bool
	cv      float64
}

// Poisson arrivals are independent of each other.
func Poisson() Arrivals { return Arrivals{} }

// Gamma arrivals have gaps of that coefficient of variation (standard deviation by mean),
// measured in requests expected at the rate rather than in seconds, so that a change of the
// rate is no burst. 1 is like Poisson, more comes in bursts, less is more even, and 0 like
// a clock's ticks.
func Gamma(cv float64) Arrivals { return Arrivals{renewal: true, cv: cv} }

func (a Arrivals) validate() error {
	if !a.renewal || a.cv == 0 || a.cv >= minCV && a.cv <= maxCV {
		return nil
	}
	return fmt.Errorf("cv must be 0 or from %v to %d, got %s", minCV, maxCV, plain(a.cv))
}

// gaps returns a function that draws the requests expected from one arrival to the next,
// 1 on average.
func (a Arrivals) gaps(random *rand.Rand) func() float64 {
	switch {
	case !a.renewal:
		return random.ExpFloat64
	case a.cv == 0:
		return func() float64 { return 1 }
	}
	shape := 1 / (a.cv * a.cv)
	return func() float64 { return gamma(random, shape) / shape }
}

// first draws the gap before the first arrival. The trace begins somewhere between two, and
// more likely in a long gap than in a short one; a whole gap would be too few requests early on.
func (a Arrivals) first(random *rand.Rand) float64 {
	switch {
	case !a.renewal:
		return random.ExpFloat64()
	case a.cv == 0:
		return random.Float64()
	}
	shape := 1 / (a.cv * a.cv)
	return random.Float64() * gamma(random, shape+1) / shape
}

// Open returns a reader at the first request.
func (g Generator) Open(seed uint64) (Reader, error) {
	if err := g.validate(); err != nil {
		return nil, err
	}
	random := newRandom(seed, streamArrivals)
	return &generated{
		Generator: g,
		clock:     g.Rate.walk(g.End),
		gap:       g.Arrivals.first(random),
		gaps:      g.Arrivals.gaps(random),
		prompts:   newRandom(seed, streamPrompts),
		outputs:   newRandom(seed, streamOutputs),
	}, nil
}

// validate says what is wrong with the generator first.
func (g Generator) validate() error {
	if g.Rate == nil {
		return errors.New("rate must be set")
	}
	if err := within("end", g.End, 1, maxSeconds); err != nil {
		return err
	}
	return cmp.Or(g.validateRate(), g.Arrivals.validate(),
		prefix("prompt", g.Prompt.validate()), prefix("output", g.Output.validate()))
}

func (g Generator) validateRate() error {
	if err := g.Rate.validate(g.End); err != nil {
		return err
	}
	return within("requests expected until the end", g.Rate.expected(g.End), minExpected, maxExpected)
}

// prefix says which part an error is about.
func prefix(part string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", part, err)
}

type generated struct {
	Generator

	clock            walker
	now, gap         float64
	gaps             func() float64
	prompts, outputs *rand.Rand
}

func (g *generated) Next() (Request, error) {
	// Where two pieces of the rate meet, rounding could step back.
	g.now = max(g.now, g.clock.next(g.gap))
	if g.now >= g.End {
		return Request{}, io.EOF
	}
	g.gap = g.gaps()
	return Request{
		At:     g.now,
		Prompt: g.Prompt.next(g.prompts),
		Output: g.Output.next(g.outputs),
	}, nil
}

func (g *generated) Close() error {
	return nil
}
