package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/recommender/config"
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
	Interval span  `default:"15s" placeholder:"DURATION" help:"Time between two decisions [${default}]."`
	Initial  int   `placeholder:"N" help:"Replicas that are ready at the start [the minimum of the policy, at least 1]."`
	Pool     int   `name:"max-gpu-replicas" placeholder:"N" help:"Replicas for which there are GPUs; more are pending [no limit]."`
	DT       span  `name:"dt" placeholder:"DURATION" help:"Move in fixed steps of this length, as 0.25, and not from event to event. A prompt that is read beyond the end of its step is read for free [off]."`
	Carry    bool  `name:"dt-carry" help:"In fixed steps, take what was read beyond the end of a step off the next one."`
	Scrape   span  `name:"scrape-interval" placeholder:"DURATION" help:"Time between two reads of the replicas [one at each decision]."`
	Age      span  `name:"signal-age" placeholder:"DURATION" help:"How old a read is at least when it is decided on [0s]."`
	Phases   *cold `name:"cold-start" placeholder:"PHASES" help:"Phases of a cold start with their spread, such as image=30s-90s,load=1m-5m, or typical for a slow one [image, weights and warm-up of the replica]."`

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

SLO miss counts requests whose first token came later than --slo-ttft, or never, or that were refused; "unavoidable" are those of them that the largest fleet would have missed too, had it been asked for at the first decision. "x floor" is the cost over that of the clairvoyant, who knows the future and may miss --floor-miss of the requests. Replicas are billed while they start, serve and drain.

--model=fluid prints a demo without replicas instead: a queue that reactive, scheduled and static fleets empty.

Policies meet the same requests. A single seed proves nothing: use --seeds.`
}

// Run simulates.
func (c *SimulateCmd) Run(ctx context.Context, k *kong.Context) error {
	if strings.EqualFold(c.Model, fluidModel) {
		f := sim.DefaultFluid()
		return f.WriteTable(k.Stdout)
	}
	p, err := c.prepare()
	if err != nil {
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

// compare runs the comparison, with its progress on stderr if it takes long.
func (c *SimulateCmd) compare(ctx context.Context, k *kong.Context, p *score.Comparison) (*score.Report, error) {
	progress := newProgress(k.Stderr, time.Now)
	p.Progress = progress.note
	report, err := p.Do(ctx)
	progress.end()
	if err != nil && ctx.Err() == nil {
		return nil, refuse(err) // a trace that can't be read
	}
	return report, err
}

// prepare turns the flags into a comparison. All mistakes are reported at once.
func (c *SimulateCmd) prepare() (*score.Comparison, error) {
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, parts(err)...)
		}
	}
	p := &score.Comparison{Floors: c.floors(), MissBudget: c.FloorMiss}
	var err error
	p.Trace, err = c.trace()
	note(err)
	p.Run = c.run()
	p.Run.Replica, err = c.replica()
	note(err)
	p.Candidates, err = c.candidates(p.Run.Replica.ColdStart())
	note(err)
	note(c.checkNumbers())
	if len(errs) == 0 {
		note(p.Run.Validate())
	}
	for i := range max(c.Seeds, 0) {
		p.Seeds = append(p.Seeds, c.Seed+uint64(i))
	}
	return p, listed("mistakes", errs)
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
	r.Initial, r.GPUs = c.Initial, c.Pool
	r.Interval, r.Step, r.Carry = time.Duration(c.Interval), time.Duration(c.DT), c.Carry
	r.Scrape, r.Age = time.Duration(c.Scrape), time.Duration(c.Age)
	r.TTFT, r.Horizon = time.Duration(c.SLOTTFT), time.Duration(c.Horizon)
	if c.Phases != nil {
		r.ColdStart = func(rng *rand.Rand) time.Duration { return c.Phases.Sample(rng) }
	}
	return r
}

// longestRun and mostSimulated bound what a run takes.
const (
	longestRun    = span(366 * 24 * time.Hour)
	mostSimulated = 100_000
)

// checkNumbers reports numbers that mean nothing.
func (c *SimulateCmd) checkNumbers() error {
	var errs []error
	if c.Seeds < 1 || c.Seeds > 10_000 {
		errs = append(errs, fmt.Errorf("--seeds: must be 1 to 10000, got %d", c.Seeds))
	}
	if !(c.RateScale > 0) || c.RateScale > 1000 {
		errs = append(errs, fmt.Errorf("--rate-scale: must be above 0 and at most 1000, got %v", c.RateScale))
	}
	if c.Horizon > longestRun {
		errs = append(errs, fmt.Errorf("--horizon: must be at most 366 days, got %s", time.Duration(c.Horizon)))
	}
	if !(c.FloorMiss <= 1) {
		errs = append(errs, fmt.Errorf("--floor-miss: must be at most 1, got %v", c.FloorMiss))
	}
	if !(c.GPUPrice >= 0) || math.IsInf(c.GPUPrice, 0) {
		errs = append(errs, fmt.Errorf("--gpu-price: must not be negative, got %v", c.GPUPrice))
	}
	return errors.Join(errs...)
}

// trace returns what is replayed.
func (c *SimulateCmd) trace() (trace.Trace, error) {
	t, err := openTrace(c.Trace)
	if err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	if c.TimeWindow.to > 0 {
		t = trace.Window(t, c.TimeWindow.from, c.TimeWindow.to)
	}
	if c.RateScale > 0 && c.RateScale != 1 {
		t = trace.Scale(t, c.RateScale)
	}
	if seconds, known := trace.Length(t); known && c.Horizon == 0 {
		c.Horizon = span(seconds * float64(time.Second))
	}
	return t, nil
}

// openTrace finds the trace that a word means. A file is read once to the end of its
// first line, so that what is no trace is refused before anything runs.
func openTrace(word string) (trace.Trace, error) {
	if t, ok := trace.Builtin(word); ok {
		return t, nil
	}
	if _, err := os.Stat(word); err != nil && strings.Contains(word, ":") {
		return trace.Parse(word)
	}
	t := trace.File(word)
	r, err := t.Open(0)
	if err != nil {
		return nil, err
	}
	return t, r.Close()
}

// candidates are the policies, by their text or the name of their workload.
func (c *SimulateCmd) candidates(coldStart time.Duration) ([]score.Candidate, error) {
	var errs []error
	var list []score.Candidate
	add := func(k score.Candidate) {
		if k.Policy.ColdStart == 0 {
			k.Policy.ColdStart = coldStart
		}
		k.Policy.Held = true
		list = append(list, k)
	}
	texts := c.Policy
	if len(texts) == 0 && c.ConfigFile == "" {
		texts = seedPolicies
	}
	for i, text := range texts {
		policy, err := config.ParsePolicy(text)
		if err == nil && slices.Contains(texts[:i], text) {
			err = fmt.Errorf("policy %q: is there twice", text)
		}
		if err != nil {
			errs = append(errs, parts(err)...)
			continue
		}
		add(score.Candidate{Name: text, Policy: policy})
	}
	if c.ConfigFile != "" {
		cfg, err := loadConfig(c.ConfigFile)
		if err != nil {
			return nil, errors.Join(append(errs, err)...)
		}
		for _, w := range cfg.Workloads() {
			add(score.Candidate{Name: w.Namespace + "/" + w.Name, Policy: *w.Policy})
		}
	}
	for i := range list {
		errs = append(errs, measurable(&list[i])...)
		if n := list[i].Policy.Max; n > mostSimulated {
			errs = append(errs, fmt.Errorf("policy %q: max must be at most %d to be simulated, got %d", list[i].Name, mostSimulated, n))
		}
	}
	return list, errors.Join(errs...)
}

// A window is a part of a trace on the command line: FROM-TO.
type window struct{ from, to float64 }

// UnmarshalText reads a window.
func (w *window) UnmarshalText(text []byte) error {
	first, second, ok := strings.Cut(string(text), "-")
	var from, to span
	if !ok || from.UnmarshalText([]byte(first)) != nil || to.UnmarshalText([]byte(second)) != nil || to <= from {
		return fmt.Errorf("%q is not a part of a trace: want FROM-TO, such as 1h-2h or 3600-7200", text)
	}
	w.from, w.to = time.Duration(from).Seconds(), time.Duration(to).Seconds()
	return nil
}

// cold is the phases of a cold start on the command line.
type cold struct{ sim.ColdStart }

// UnmarshalText reads phases.
func (c *cold) UnmarshalText(text []byte) (err error) {
	if string(text) == "typical" {
		c.ColdStart = sim.DefaultColdStart()
		return nil
	}
	c.ColdStart, err = sim.ParsePhases(string(text))
	return err
}
