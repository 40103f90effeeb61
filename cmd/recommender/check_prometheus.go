package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/common/version"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/diagnose"
	"github.com/infscale/infscale/recommender/config"
)

// CheckPrometheusCmd checks whether what a configuration asks for is there.
type CheckPrometheusCmd struct {
	ConfigFile string  `name:"config.file" default:"infscale.yaml" placeholder:"FILE" help:"The configuration [${default}], or - for the standard input."`
	Lookback   span    `default:"7d" placeholder:"DURATION" help:"How far back to look for what is silent now [${default}]."`
	Timeout    span    `default:"1m" placeholder:"DURATION" help:"How long the check may take [${default}]."`
	Now        instant `placeholder:"TIME" help:"Check as of this time, RFC 3339 or Unix seconds [now]."`
	outputFlag
}

// Help explains the output.
func (c *CheckPrometheusCmd) Help() string {
	return `Asks Prometheus what the daemon asks on every tick, and says for each workload and signal whether it is read. Where something is silent it looks for the cause: which matcher takes the series away and which value is nearly right, labels that a scrape renamed, targets that are down or missing, an engine without its metrics, no kube-state-metrics, clocks that differ, a Prometheus that is too old.

States of a signal: ok; partial, which may be too small; idle, there is nothing to measure; never, nothing was ever there; gone, it was there before; stale; absent; invalid; failed.

The exit status is 0 if nothing would stay silent, warnings included; 1 if something would; 2 for refused input.`
}

// mostLookback is longer than anybody keeps samples of this resolution.
const mostLookback = 31 * 24 * time.Hour

// Run checks once.
func (c *CheckPrometheusCmd) Run(ctx context.Context, k *kong.Context) error {
	if c.Now.IsZero() {
		c.Now.Time = time.Now()
	}
	if c.Lookback <= 0 || time.Duration(c.Lookback) > mostLookback {
		return refuse(errors.New("--lookback: must be above 0 and at most 31d"))
	}
	if c.Timeout <= 0 {
		return refuse(errors.New("--timeout: must be above 0"))
	}
	cfg, err := loadConfig(c.ConfigFile)
	if err != nil {
		return err
	}
	report, err := c.check(ctx, cfg)
	if err != nil {
		return refuse(err)
	}
	if c.json() {
		err = printJSON(k.Stdout, report)
	} else {
		err = printCheck(k.Stdout, c.ConfigFile, report)
	}
	if err != nil || report.OK {
		return err
	}
	return fmt.Errorf("something would stay silent: %s", plural(report.Count(diagnose.Error), "error"))
}

func (c *CheckPrometheusCmd) check(ctx context.Context, cfg *config.Config) (*diagnose.Report, error) {
	client, err := promapi.New(cfg.Prometheus.Config, promapi.WithVersion(version.Version))
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.Timeout))
	defer cancel()
	return diagnose.Run(ctx, client, diagnose.Options{
		Workloads: cfg.Workloads(), Read: cfg.Options(), Now: c.Now.Time, Lookback: time.Duration(c.Lookback),
	})
}
