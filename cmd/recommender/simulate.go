package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/recommender/score"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// SimulateCmd replays traffic under policies.
type SimulateCmd struct {
	Trace      string  `default:"seed000" placeholder:"TRACE" help:"Requests: a file of CSV, plain or gzipped, with the columns timestamp_s, prompt_tokens, output_tokens; a generator such as poisson:rate=10,end=600; or seed000 or seed000-ramp [${default}]."`
	RateScale  float64 `default:"1" placeholder:"FACTOR" help:"Make that many requests of each, the pattern over time stays [${default}]."`
	TimeWindow window  `placeholder:"FROM-TO" help:"Only this part of the trace, such as 1h-2h [all of it]."`
	Horizon    span    `placeholder:"DURATION" help:"When the run ends [when the trace or its part does; for a whole file, when everything is served]."`

	Policy     []string `sep:"none" placeholder:"POLICY" help:"METRIC:TARGET[,KEY=VALUE]..., such as queue:24,lookahead=90,min=0,cooldown=120; repeat it to compare [five typical ones]."`
	ConfigFile string   `name:"config.file" placeholder:"FILE" help:"Take the policies of this configuration's workloads too."`
	Seeds      int      `default:"1" placeholder:"N" help:"Replay that many draws of what is random, and show means and intervals [${default}]."`
	Seed       uint64   `default:"0" placeholder:"N" help:"The first of them; 0 is the trace as it is published [${default}]."`

	SLOTTFT   span    `name:"slo-ttft" default:"2s" placeholder:"DURATION" help:"Objective for the time to the first token [${default}]."`
	FloorMiss float64 `name:"floor-miss" default:"0.01" placeholder:"FRACTION" help:"Misses that the clairvoyant floor may have; negative for no floors [${default}]."`
	GPUPrice  float64 `name:"gpu-price" default:"2" placeholder:"PRICE" help:"Price of one GPU for an hour [${default}]."`

	Timeline bool   `help:"Print every decision of the first seed."`
	Plot     string `placeholder:"FILE" help:"Write an HTML page with pictures of the first seed."`
	Output   string `default:"text" enum:"text,json,csv" help:"Format of the result: ${enum}."`

	replicaFlags `embed:"" group:"Replica"`
	fleetFlags   `embed:"" group:"Fleet"`
}

// fleetFlags are how replicas are scaled and requests scheduled.
type fleetFlags struct {
	Interval span    `default:"15s" placeholder:"DURATION" help:"Time between two decisions [${default}]."`
	Initial  *int    `placeholder:"N" help:"Replicas that are ready at the start [the minimum of the policy, at least 1]."`
	Start    instant `default:"2026-01-05T00:00:00Z" placeholder:"TIME" help:"Time at which the trace begins, for schedules [${default}]."`
	Pool     int     `name:"max-gpu-replicas" placeholder:"N" help:"Replicas for which there are GPUs; more are pending [no limit]."`
	DT       span    `name:"dt" placeholder:"DURATION" help:"Move in fixed steps of this length, as 0.25, and not from event to event. A prompt that is read beyond the end of its step is read for free [off]."`
	Carry    bool    `name:"dt-carry" help:"In fixed steps, take what was read beyond the end of a step off the next one."`
	Scrape   span    `name:"scrape-interval" placeholder:"DURATION" help:"Time between two reads of the replicas [one at each decision]."`
	Age      span    `name:"signal-age" placeholder:"DURATION" help:"How old a read is at least when it is decided on [0s]."`
	Phases   *cold   `name:"cold-start" placeholder:"PHASES" help:"Phases of a cold start with their spread, such as image=30s-90s,load=1m-5m, or typical for a slow one [image, weights and warm-up of the replica]."`

	ChunkTokens int     `placeholder:"N" help:"Prompt tokens mixed into each decode step, as chunked prefill does [a prompt stalls decoding]."`
	PrefixCache float64 `placeholder:"FRACTION" help:"Part of a shared prefix that is found in the cache of a replica that has served before [0]."`
	Preemption  bool    `help:"Admit a request once its prompt fits, and preempt the youngest when the cache is full [reserve prompt and output]."`
	MaxQueue    int     `placeholder:"N" help:"Requests that may wait in one replica; one more is answered with 429 [no limit]."`
}

// seedPolicies are compared where no policy is given.
var seedPolicies = []string{"cpu:60", "cpu:25", "queue:24", "queue:24,lookahead=90", "queue:24,min=0,cooldown=120"}

// fluidModel is the value of --model for the fluid demo.
const fluidModel = "fluid"

// Help explains the columns.
func (c *SimulateCmd) Help() string {
	return `Replays a trace through simulated replicas that each policy scales, and prints what that cost and whom it kept waiting.

SLO miss counts requests whose first token came later than --slo-ttft, that have none when the run ends, or that were refused; "unavoidable" are those of them that the largest fleet would have missed too, had it been asked for at the first decision. "x floor" is the cost over that of a schedule that knows the future and misses at most --floor-miss of the requests; a star marks a policy that misses more. Replicas are billed while they start, serve and drain.

Policies meet the same requests. A single seed proves nothing: use --seeds.

A POLICY is one or more METRIC:TARGET joined by +, and KEY=VALUE after commas, in the words of the configuration. Metrics: queue, waiting, running, kv, batch_fill, ttft, cpu, output_tokens, prompt_tokens. Keys: min [1], max [8], tolerance, tolerance_up, tolerance_down, up_window, up_pods, up_percent, up_select, down_window, down_pods, down_percent, down_select, period, up_period, down_period, lookahead (or auto), cold_start, cooldown, gate, gate_for, max_num_seqs, percentile, hold_limit. Schedules and several rate limits have their place in a configuration: --config.file.

A generated TRACE is KIND:KEY=VALUE,... with end= in every kind, and prompt= and output= as N, LO-HI or lognormal:MEAN:CV. Kinds: poisson:rate=10; gamma:rate=10,cv=3 (bursts); steps:0=3,180=10; ramp:0=3,180=30; diurnal:mean=10,amplitude=8,period=1d; schedule:idle=1,9h-17h=20; wake:rate=5,on=60,off=600.

--model=fluid prints a demo without replicas instead, as it was published: a queue that reactive, scheduled and larger fleets empty. Its static fleet is not static: a backlog adds to it.`
}

// Run simulates.
func (c *SimulateCmd) Run(ctx context.Context, k *kong.Context) error {
	if strings.EqualFold(c.Model, fluidModel) {
		return c.fluid(k)
	}
	p, err := c.prepare(k)
	if err != nil {
		return refuse(err)
	}
	if err := c.openPlot(); err != nil {
		return refuse(err)
	}
	if c.Seeds > 1 && c.Phases == nil && trace.Recorded(p.Trace) {
		fmt.Fprintf(k.Stderr, "recommender: nothing in %s is random, every seed will be the same; add --cold-start with a spread, or --rate-scale\n", c.Trace)
	}
	watch := &recorder{}
	if c.Timeline || c.Plot != "" {
		watch.start(len(p.Candidates))
		p.Watch = watch.note
	}
	report, err := c.compare(ctx, k, p)
	if err != nil {
		return err
	}
	return c.write(k, p, report, watch)
}

// fluid prints the demo without replicas, to which nothing else on the command line applies.
func (c *SimulateCmd) fluid(k *kong.Context) error {
	for _, step := range k.Path {
		if step.Flag != nil && step.Flag.Name != "model" {
			return refuse(fmt.Errorf("--%s: means nothing to --model=fluid", step.Flag.Name))
		}
	}
	f := sim.DefaultFluid()
	return f.WriteTable(k.Stdout)
}

// openPlot creates the file of the picture, so that a long run does not end in an error.
func (c *SimulateCmd) openPlot() error {
	if c.Plot == "" {
		return nil
	}
	f, err := os.OpenFile(c.Plot, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return f.Close()
}

// compare runs the comparison, with its progress on stderr if it takes long.
func (c *SimulateCmd) compare(ctx context.Context, k *kong.Context, p *score.Comparison) (*score.Report, error) {
	progress := newProgress(k.Stderr, time.Now)
	p.Progress = progress.note
	report, err := p.Do(ctx)
	progress.end(err)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("interrupted after %d of %d replays", progress.done, progress.total)
	case err != nil:
		return nil, refuse(err) // a trace that can't be read
	case report.Outcomes[0].Requests == 0:
		return nil, refuse(fmt.Errorf("--trace: %s has no request in the time that is simulated", c.Trace))
	}
	return report, nil
}

// prepare turns the flags into a comparison. All mistakes are reported at once.
func (c *SimulateCmd) prepare(k *kong.Context) (*score.Comparison, error) {
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, parts(err)...)
		}
	}
	p := &score.Comparison{Floors: c.floors(), MissBudget: c.FloorMiss, Initial: c.Initial}
	var err error
	p.Trace, err = c.trace()
	note(err)
	p.Run = c.run()
	p.Run.Replica, err = c.replica()
	note(err)
	p.Candidates, err = c.candidates(p.Run.Replica.ColdStart())
	note(err)
	note(c.checkNumbers())
	note(checkGiven(k))
	if len(errs) == 0 {
		note(asFleetFlags(p.Run.Validate()))
	}
	if len(errs) > 0 {
		return nil, listed("mistakes", errs)
	}
	for i := range c.Seeds {
		p.Seeds = append(p.Seeds, c.Seed+uint64(i))
	}
	return p, nil
}

// floors is for how many seeds the floors are worked out: people see those of the first.
func (c *SimulateCmd) floors() int {
	switch {
	case c.FloorMiss < 0:
		return 0
	case c.Output == "text":
		return 1
	default:
		return c.Seeds
	}
}

// run is the fleet without its replica.
func (c *SimulateCmd) run() sim.Run {
	r := sim.DefaultRun()
	r.Engine = sim.Engine{ChunkTokens: c.ChunkTokens, PrefixCache: c.PrefixCache, Preemption: c.Preemption, MaxQueue: c.MaxQueue}
	r.Initial, r.GPUs = orElse(c.Initial, 1), c.Pool
	r.Interval, r.Step, r.Carry = time.Duration(c.Interval), time.Duration(c.DT), c.Carry
	r.Scrape, r.Age = time.Duration(c.Scrape), time.Duration(c.Age)
	r.TTFT, r.Horizon = time.Duration(c.SLOTTFT), time.Duration(c.Horizon)
	r.Start = c.Start.Time
	if c.Phases != nil {
		r.ColdStart = func(rng *rand.Rand) time.Duration { return c.Phases.Sample(rng) }
	}
	return r
}
