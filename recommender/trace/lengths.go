package trace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Lengths is how many tokens prompts or outputs have. Start from [Fixed], [Uniform] or
// [LogNormal].
type Lengths struct {
	draw func(*rand.Rand) float64
	// Draws are rounded to 1 to most.
	most int
	err  error
}

// Fixed is always n tokens.
func Fixed(n int) Lengths {
	return Lengths{
		draw: func(*rand.Rand) float64 { return float64(n) },
		most: maxTokens,
		err:  validTokens(n),
	}
}

// Uniform is lo to hi tokens, each number as likely as another.
func Uniform(lo, hi int) Lengths {
	l := Lengths{
		draw: func(random *rand.Rand) float64 { return float64(lo + random.IntN(hi-lo+1)) },
		most: maxTokens,
		err:  cmp.Or(validTokens(lo), validTokens(hi)),
	}
	if l.err == nil && lo > hi {
		l.err = fmt.Errorf("must not run backwards, got %d-%d", lo, hi)
	}
	return l
}

// LogNormal has that mean and coefficient of variation (standard deviation by mean) before
// it is rounded. Lengths that users write are like it: many short ones, a few very long.
func LogNormal(mean, cv float64) Lengths {
	variance := math.Log1p(cv * cv)
	mu, sigma := math.Log(mean)-variance/2, math.Sqrt(variance)
	return Lengths{
		draw: func(random *rand.Rand) float64 { return math.Exp(mu + sigma*random.NormFloat64()) },
		most: maxTokens,
		err:  cmp.Or(within("mean of tokens", mean, 1, maxTokens), within("cv of tokens", cv, 0, maxCV)),
	}
}

// AtMost shortens what is longer than n tokens to n, as the context of a model does.
func (l Lengths) AtMost(n int) Lengths {
	l.most = n
	l.err = cmp.Or(l.err, validTokens(n))
	return l
}

func (l Lengths) validate() error {
	if l.draw == nil {
		return errors.New("must be set")
	}
	return l.err
}

// next draws a length. The bounds come before the conversion: a float too large for an
// integer converts to anything.
func (l Lengths) next(random *rand.Rand) int32 {
	return int32(max(1, min(math.Round(l.draw(random)), float64(l.most))))
}

func validTokens(n int) error {
	if n < 1 || n > maxTokens {
		return fmt.Errorf("must be 1 to %d tokens, got %d", maxTokens, n)
	}
	return nil
}
