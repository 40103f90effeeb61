package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/config"
)

// policyFlags are a policy with one signal on the command line. What they leave out
// is as in [recommender.DefaultPolicy].
type policyFlags struct {
	Min        int32    `default:"1" placeholder:"N" help:"Least replicas; 0 needs --held [${default}]."`
	Max        int32    `default:"8" placeholder:"N" help:"Most replicas [${default}]."`
	Metric     string   `default:"queue" help:"What to scale on: queue (running, waiting and held requests), waiting, running, kv (or kv_cache_usage), batch_fill, ttft, cpu, output_tokens or prompt_tokens [${default}]."`
	Target     *float64 `placeholder:"VALUE" help:"What one replica should carry, in the metric's own unit: requests [queue, running 24; waiting 2], a fraction of 1 [kv, batch_fill 0.8], seconds [ttft 2], percent of the request [cpu 60], tokens per second [none]."`
	Percentile *float64 `placeholder:"FRACTION" help:"Which percentile of ttft [0.95]."`

	Tolerance     float64  `default:"0.1" placeholder:"FRACTION" help:"How far from the target nothing moves [${default}]."`
	ToleranceUp   *float64 `placeholder:"FRACTION" help:"The same, only upwards."`
	ToleranceDown *float64 `placeholder:"FRACTION" help:"The same, only downwards."`

	UpWindow    span   `default:"0s" placeholder:"DURATION" help:"Go up only to the lowest proposal of this window [${default}]."`
	DownWindow  span   `default:"300s" placeholder:"DURATION" help:"Go down only to the highest proposal of this window [${default}]."`
	UpPods      int32  `default:"4" placeholder:"N" help:"Replicas that a period may add; 0 for no such limit [${default}]."`
	UpPercent   int32  `default:"100" placeholder:"N" help:"Percent that a period may add, the larger of both counts; 0 for no such limit [${default}]."`
	DownPods    *int32 `placeholder:"N" help:"Replicas that a period may take away."`
	DownPercent *int32 `placeholder:"N" help:"Percent that a period may take away, the larger of both counts [100 without --down-pods]."`
	Period      span   `default:"15s" placeholder:"DURATION" help:"Period of these limits [${default}]."`

	Lookahead  span  `default:"0s" placeholder:"DURATION" help:"Project growing demand so far ahead, such as a cold start; needs --state [off]."`
	ColdStart  span  `default:"0s" placeholder:"DURATION" help:"How long a replica takes from the decision to ready; a workload that was woken stays at least so long."`
	Cooldown   span  `default:"300s" placeholder:"DURATION" help:"How long a workload is idle before it goes to zero [${default}]."`
	MaxNumSeqs int32 `placeholder:"N" help:"Most requests in the batch of one replica, for batch_fill."`
}

// policyGroup is the group of these flags in the help.
const policyGroup = "Policy"

// defaultTargets are what one replica carries well, where a number fits most models.
// Tokens per second depend on model and hardware alone.
var defaultTargets = map[recommender.Metric]float64{
	recommender.Queue: 24, recommender.Running: 24, recommender.Waiting: 2,
	recommender.KVCacheUsage: 0.8, recommender.BatchFill: 0.8,
	recommender.TTFT: 2, recommender.CPU: 60,
}

// policy returns the policy, checked. Held says that a source of held requests exists.
func (f *policyFlags) policy(held bool) (recommender.Policy, error) {
	signal, err := f.signal()
	if err != nil {
		return recommender.Policy{}, err
	}
	p := recommender.DefaultPolicy()
	p.Min, p.Max, p.Held = f.Min, f.Max, held
	p.Signals = []recommender.Signal{signal}
	p.Tolerance = recommender.Tolerance{Up: orElse(f.ToleranceUp, f.Tolerance), Down: orElse(f.ToleranceDown, f.Tolerance)}
	up := config.Limits{Window: time.Duration(f.UpWindow), Period: time.Duration(f.Period), Pods: &f.UpPods, Percent: &f.UpPercent}
	down := config.Limits{Window: time.Duration(f.DownWindow), Period: time.Duration(f.Period), Pods: f.DownPods, Percent: f.DownPercent}
	p.ScaleUp, p.ScaleDown = up.Up(), down.Down()
	p.Lookahead, p.ColdStart, p.Cooldown = time.Duration(f.Lookahead), time.Duration(f.ColdStart), time.Duration(f.Cooldown)
	p.MaxNumSeqs = f.MaxNumSeqs
	return p, asFlags(p.Validate())
}

func (f *policyFlags) signal() (recommender.Signal, error) {
	metric := recommender.Metric(f.Metric)
	if metric == "kv" {
		metric = recommender.KVCacheUsage
	}
	if metric == recommender.Query {
		return recommender.Signal{}, errors.New("--metric: a query has its place in a configuration, use --config.file")
	}
	target, usual := defaultTargets[metric]
	if !usual {
		target = 1 // the metric is the mistake, and not its target
	}
	s := recommender.Signal{Metric: metric, Target: orElse(f.Target, target)}
	if metric == recommender.TTFT {
		s.Percentile = orElse(f.Percentile, 0.95)
	} else if f.Percentile != nil {
		return s, fmt.Errorf("--percentile: is only for ttft, and --metric is %s", metric)
	}
	if f.Target == nil && (metric == recommender.OutputTokens || metric == recommender.PromptTokens) {
		return s, fmt.Errorf("--target: must be set for %s, there is no number that fits most models", metric)
	}
	return s, nil
}

func orElse[T any](p *T, fallback T) T {
	if p == nil {
		return fallback
	}
	return *p
}

// flagOf names the flags behind the paths of a configuration.
var flagOf = strings.NewReplacer(
	"replicas.min", "--min", "replicas.max", "--max",
	"signals[0].metric", "--metric", "signals[0].target", "--target", "signals[0].percentile", "--percentile",
	"tolerance.up", "--tolerance", "tolerance.down", "--tolerance",
	"scale_up.window", "--up-window", "scale_down.window", "--down-window",
	"max_num_seqs", "--max-num-seqs", "cold_start", "--cold-start",
	"lookahead", "--lookahead", "cooldown", "--cooldown", "add held,", "add --held,",
)

// asFlags makes the mistakes of a policy those of a command line.
func asFlags(err error) error {
	if err == nil {
		return nil
	}
	mistakes := parts(err)
	for i, mistake := range mistakes {
		mistakes[i] = errors.New(flagOf.Replace(mistake.Error()))
	}
	return listed("mistakes", mistakes)
}
