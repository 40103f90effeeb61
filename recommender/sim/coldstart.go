package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Phase is one part of a cold start, which takes between Low and High.
type Phase struct {
	Name      string
	Low, High time.Duration
}

// A ColdStart is what happens one after the other between the decision for a replica
// and its first request.
type ColdStart []Phase

// DefaultColdStart returns the phases of a server of a large model (140 GB) that does
// not keep image or weights near the GPU: 155 s to 585 s in all.
func DefaultColdStart() ColdStart {
	const s = time.Second
	return ColdStart{
		{"image", 30 * s, 90 * s},
		{"download", 60 * s, 300 * s},
		{"load", 30 * s, 90 * s},
		{"graphs", 20 * s, 60 * s},
		{"warm-up", 5 * s, 15 * s},
		{"probe", 10 * s, 30 * s},
	}
}

// Phases returns the cold start of r, which has no spread.
func (r *Replica) Phases() ColdStart {
	if r.KnownColdStart > 0 {
		return ColdStart{{"all", r.KnownColdStart, r.KnownColdStart}}
	}
	return ColdStart{
		{"image", r.ImagePull, r.ImagePull},
		{"load", r.WeightLoad(), r.WeightLoad()},
		{"warm-up", r.WarmUp, r.WarmUp},
	}
}

// Low is the shortest that c takes.
func (c ColdStart) Low() (sum time.Duration) {
	for i := range c {
		sum += c[i].Low
	}
	return sum
}

// High is the longest that c takes.
func (c ColdStart) High() (sum time.Duration) {
	for i := range c {
		sum += c[i].High
	}
	return sum
}

// Mean is what c takes on average.
func (c ColdStart) Mean() time.Duration { return c.Low() + (c.High()-c.Low())/2 }

// Sample draws how long one cold start takes: each phase by itself, every duration
// between its ends as likely as the others. So the sum is most often near the mean. It
// draws one number for each phase, whether that has a spread or not.
func (c ColdStart) Sample(rng *rand.Rand) time.Duration {
	sum := c.Low()
	for i := range c {
		sum += time.Duration(rng.Float64() * float64(c[i].High-c[i].Low))
	}
	return sum
}

// String returns c as [ParsePhases] reads it.
func (c ColdStart) String() string {
	texts := make([]string, len(c))
	for i, p := range c {
		texts[i] = p.Name + "=" + p.Low.String()
		if p.High != p.Low {
			texts[i] += "-" + p.High.String()
		}
	}
	return strings.Join(texts, ",")
}

// longestPhase keeps sums far below the longest duration.
const longestPhase = 24 * time.Hour

// ParsePhases reads phases such as image=30s-90s,download=60s-300s,probe=10s. A number
// without a unit is seconds. Its error joins every mistake.
func ParsePhases(text string) (ColdStart, error) {
	var c ColdStart
	var errs []error
	for part := range strings.SplitSeq(text, ",") {
		p, err := parsePhase(strings.TrimSpace(part))
		if err == nil && slices.ContainsFunc(c, func(q Phase) bool { return q.Name == p.Name }) {
			err = fmt.Errorf("phase %s: is given twice", p.Name)
		}
		c = append(c, p)
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c, nil
}

func parsePhase(text string) (Phase, error) {
	name, span, ok := strings.Cut(text, "=")
	if name = strings.TrimSpace(name); !ok || name == "" {
		return Phase{}, fmt.Errorf("phase %q: must be NAME=LOW-HIGH or NAME=DURATION, such as image=30s-90s", text)
	}
	from, to, ranged := strings.Cut(strings.TrimSpace(span), "-")
	if !ranged || from == "" { // a duration alone, or one with a minus sign
		from, to = span, span
	}
	p := Phase{Name: name}
	var err error
	if p.Low, err = phaseDuration(from); err == nil {
		p.High, err = phaseDuration(to)
	}
	switch {
	case err != nil:
		return p, fmt.Errorf("phase %s: %w", name, err)
	case p.High < p.Low:
		return p, fmt.Errorf("phase %s: must not end below where it begins, got %v-%v", name, p.Low, p.High)
	}
	return p, nil
}

func phaseDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	d, err := time.ParseDuration(text)
	if seconds, number := strconv.ParseFloat(text, 64); number == nil {
		// Only as a float is it known to fit.
		if !(seconds >= 0 && seconds <= longestPhase.Seconds()) { // NaN too
			return 0, fmt.Errorf("must be 0s to %v, got %q", longestPhase, text)
		}
		return time.Duration(seconds * float64(time.Second)), nil
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("must be a duration such as 30s or 1m30s, got %q", text)
	case d < 0 || d > longestPhase:
		return 0, fmt.Errorf("must be 0s to %v, got %q", longestPhase, text)
	}
	return d, nil
}
