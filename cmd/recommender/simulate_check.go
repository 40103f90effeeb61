package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/score"
)

// longestRun and mostSimulated bound what a run takes.
const (
	longestRun    = span(366 * 24 * time.Hour)
	mostSimulated = 10_000
)

// checkNumbers reports numbers that mean nothing.
func (c *SimulateCmd) checkNumbers() error {
	var errs []error
	for _, m := range [...]struct {
		wrong bool
		flag  string
		want  string
		got   any
	}{
		{c.Seeds < 1 || c.Seeds > 10_000, "seeds", "must be 1 to 10000", c.Seeds},
		{!(c.RateScale > 0) || c.RateScale > 1000, "rate-scale", "must be above 0 and at most 1000", c.RateScale},
		{c.Horizon > longestRun, "horizon", "must be at most 366 days", time.Duration(c.Horizon)},
		{!(c.FloorMiss <= 1) || math.IsInf(c.FloorMiss, 0), "floor-miss", "must be a number, at most 1", c.FloorMiss},
		{!(c.GPUPrice >= 0) || math.IsInf(c.GPUPrice, 0), "gpu-price", "must be a number, not negative", c.GPUPrice},
		{c.Interval < span(time.Second), "interval", "must be at least 1s", time.Duration(c.Interval)},
	} {
		if m.wrong {
			errs = append(errs, fmt.Errorf("--%s: %s, got %v", m.flag, m.want, m.got))
		}
	}
	if c.Carry && c.DT == 0 {
		errs = append(errs, errors.New("--dt-carry: needs --dt"))
	}
	if c.Timeline && c.Output == "csv" {
		errs = append(errs, errors.New("--timeline: has no place in --output=csv, use text or json"))
	}
	return errors.Join(errs...)
}

// checkGiven refuses zeros that could be meant as more than no limit.
func checkGiven(k *kong.Context) error {
	var errs []error
	for _, step := range k.Path {
		if f := step.Flag; f != nil && slices.Contains(notZero, f.Name) && f.Target.IsZero() {
			errs = append(errs, fmt.Errorf("--%s: must not be 0, leave it out", f.Name))
		}
	}
	return errors.Join(errs...)
}

var notZero = []string{"horizon", "dt", "scrape-interval", "max-gpu-replicas", "max-queue", "chunk-tokens"}

// fleetFlagOf names the flags behind what a run calls its parts.
var fleetFlagOf = []struct{ part, flag string }{
	{"interval", "interval"},
	{"the interval", "dt"},
	{"objective", "slo-ttft"},
	{"horizon", "horizon"},
	{"step", "dt"},
	{"the step", "dt"},
	{"scrape interval", "scrape-interval"},
	{"age", "signal-age"},
	{"initial replicas", "initial"},
	{"replicas", "initial"},
	{"chunk tokens", "chunk-tokens"},
	{"prefix cache", "prefix-cache"},
	{"queue", "max-queue"},
}

// asFleetFlags makes the mistakes of a run those of a command line.
func asFleetFlags(err error) error {
	if err == nil {
		return nil
	}
	mistakes := parts(err)
	for i, mistake := range mistakes {
		for _, f := range fleetFlagOf {
			if strings.HasPrefix(mistake.Error(), f.part+" ") {
				mistakes[i] = fmt.Errorf("--%s: %w", f.flag, mistake)
				break
			}
		}
	}
	return errors.Join(mistakes...)
}

// measurable reports what of a policy cannot be simulated.
func measurable(k *score.Candidate) []error {
	var errs []error
	for i := range k.Policy.Signals {
		if s := &k.Policy.Signals[i]; s.Metric == recommender.Query {
			errs = append(errs, fmt.Errorf("%s: the query %q cannot be simulated, only what replicas say of themselves", k.Name, s.Name))
		}
	}
	if n := k.Policy.Max; n > mostSimulated {
		errs = append(errs, fmt.Errorf("policy %q: max must be at most %d to be simulated, got %d", k.Name, mostSimulated, n))
	}
	return errs
}
