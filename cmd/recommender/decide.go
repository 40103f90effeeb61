package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/recommender"
)

// DecideCmd makes one decision and explains it.
type DecideCmd struct {
	Sources []string `arg:"" optional:"" name:"page" help:"One page of /metrics for each replica: files, http(s) URLs, or - for the standard input. With --config.file it is the workload instead: NAME or NAMESPACE/NAME."`

	Current *int32   `placeholder:"N" help:"Replicas in the workload's spec [the number of pages]."`
	Ready   *int32   `placeholder:"N" help:"Replicas that are ready; with fewer pages nothing falls [--current, else the number of pages]."`
	Held    *float64 `placeholder:"N" help:"Requests held in front of the pods, by a gateway or an activator."`

	CPURequest float64 `name:"cpu-request" placeholder:"CORES" help:"CPU that each pod asks for, to see its use in percent; needs --state."`
	State      string  `placeholder:"FILE" help:"Remember windows and counters here between runs. Without it nothing is remembered: the past was quiet."`
	Now        instant `placeholder:"TIME" help:"Decide as of this time, RFC 3339 or Unix seconds [now]."`

	policyFlags     `embed:"" group:"Policy"`
	prometheusFlags `embed:"" group:"From Prometheus instead of pages"`
	fetchFlags
	outputFlag
}

// Help explains the output.
func (c *DecideCmd) Help() string {
	return `Prints the pages (source, engine, running, waiting, in flight, KV cache usage, output tokens/s, CPU percent; - is unknown), the decision, and a sentence for each signal and rule that made it.

Rates, ttft and cpu are measured between two runs with the same --state FILE.

A DURATION is a number of seconds, or has units: 90, 90s, 5m, 1h30m.

The exit status is 0 for a recommendation, also one that holds because some of the evidence is missing; 1 if there is none, or if no signal is known; 2 for refused input.`
}

// Run decides once.
func (c *DecideCmd) Run(ctx context.Context, k *kong.Context) error {
	if c.Now.IsZero() {
		c.Now.Time = time.Now()
	}
	if c.fromPrometheus() {
		return c.decidePrometheus(ctx, k)
	}
	p, err := c.policy(c.Held != nil)
	if err != nil {
		return refuse(err)
	}
	if err := c.checkCounts(); err != nil {
		return refuse(err)
	}
	if err := c.checkPages(k); err != nil {
		return refuse(err)
	}
	if len(c.Sources) == 0 && c.Current == nil {
		return refuse(errors.New("want a page for each replica, or --current where there is none"))
	}
	return c.decidePages(ctx, k, &p)
}

// checkCounts reports numbers that count nothing.
func (c *DecideCmd) checkCounts() error {
	var errs []error
	for _, n := range []struct {
		flag  string
		count *int32
	}{{"current", c.Current}, {"ready", c.Ready}} {
		if n.count != nil && *n.count < 0 {
			errs = append(errs, fmt.Errorf("--%s: must not be negative, got %d", n.flag, *n.count))
		}
	}
	if held := orElse(c.Held, 0); !(held >= 0) || math.IsInf(held, 0) {
		errs = append(errs, fmt.Errorf("--held: must not be negative, got %v", held))
	}
	if !(c.CPURequest >= 0) || math.IsInf(c.CPURequest, 0) {
		errs = append(errs, fmt.Errorf("--cpu-request: must be positive, got %v", c.CPURequest))
	}
	return listed("mistakes", errs)
}

// checkPages refuses flags that say nothing about pages.
func (c *DecideCmd) checkPages(k *kong.Context) error {
	if name := given(k, "namespace", "name", "replay"); name != "" {
		return fmt.Errorf("--%s: is only for a workload in Prometheus, add --prometheus.url", name)
	}
	if c.Lookahead > 0 && c.State == "" {
		return errors.New("--lookahead: needs --state to see growth")
	}
	return nil
}

// given returns the first of these flags that the command line has.
func given(k *kong.Context, names ...string) string {
	for _, step := range k.Path {
		if step.Flag != nil && slices.Contains(names, step.Flag.Name) {
			return step.Flag.Name
		}
	}
	return ""
}

// decidePages decides on pages.
func (c *DecideCmd) decidePages(ctx context.Context, k *kong.Context, p *recommender.Policy) error {
	m, err := recall(c.State, newOrigin("pages", p), c.Now.Time)
	if err != nil {
		return err
	}
	pages, errs := c.readAll(ctx, c.Sources)
	if len(errs) > 0 {
		return listed("pages cannot be read", errs)
	}
	fleet := newFleet(pages, m.Pages, c.Now.Time, c.CPURequest)
	o := fleet.observe(p)
	c.count(&o, len(pages))
	r := result{rows: fleet.rows(), policy: p, missing: fleet.missing(p, c.State != "")}
	r.decision, m.State = recommender.Decide(*p, m.State, o)
	m.Pages = fleet.snapshots
	if err := m.keep(c.State); err != nil {
		return err
	}
	if err := r.print(k.Stdout, c.json()); err != nil {
		return err
	}
	return r.useless(nil)
}

// count fills in what the command line says of the workload.
func (c *DecideCmd) count(o *recommender.Observation, pages int) {
	at := c.Now.Time
	reporting := int32(pages)
	current := orElse(c.Current, reporting)
	o.Current = recommender.Exactly(float64(current), at, 0)
	o.Ready = recommender.Exactly(float64(orElse(c.Ready, current)), at, 0)
	o.Reporting = recommender.Exactly(float64(reporting), at, 0)
	if c.Held != nil {
		o.Held = recommender.Exactly(*c.Held, at, 0)
	}
}

// A result is a decision with what it was made from.
type result struct {
	rows     []row
	policy   *recommender.Policy
	decision recommender.Decision
	// missing says why the signal is unknown, where the page is not why.
	missing string
}

// explain is the explanation of the decision. Only here it is known that a rate needs two runs.
func (r *result) explain() recommender.Explanation {
	e := r.decision.Explain()
	if r.missing != "" && len(e.Signals) == 1 {
		e.Signals[0].Text = r.missing
	}
	return e
}

// useless is the error of a run that recommends nothing, or on nothing known: what
// got no answer, if something didn't, or what was missing.
func (r *result) useless(failed []error) error {
	d := &r.decision
	if d.Known && slices.ContainsFunc(d.Proposals(), usable) {
		return nil
	}
	switch {
	case len(failed) > 0:
		return listed("queries got no answer", failed)
	case !d.Current.Known():
		return errors.New("the replicas of the workload are unknown: nothing exports its spec, set --current")
	}
	e := r.explain()
	reasons := make([]string, len(e.Signals))
	for i := range e.Signals {
		reasons[i] = e.Signals[i].Text
	}
	return fmt.Errorf("nothing to decide on: %s", strings.Join(reasons, "; "))
}

// usable reports whether a signal was read: nothing to measure is an answer too.
func usable(p recommender.Proposal) bool {
	return p.Quantity.Known() || p.Quantity.Evidence == recommender.Unobserved
}

// print writes the rows, the decision in one line and what led to it; or all of it as JSON.
func (r *result) print(w io.Writer, asJSON bool) error {
	explained := r.explain()
	if asJSON {
		return printJSON(w, struct {
			recommender.Explanation
			Policy policyReport `json:"policy"`
			Pages  []row        `json:"pages"`
		}{explained, newPolicyReport(r.policy), append([]row{}, r.rows...)})
	}
	if err := printRows(w, false, r.rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%s (min %d, max %d): %s\n%s",
		signalText(r.policy), r.decision.Min, r.decision.Max, r.decision.Headline(), explained.Text())
	return err
}

// signalText writes the signals as metric:target.
func signalText(p *recommender.Policy) string {
	words := make([]string, len(p.Signals))
	for i := range p.Signals {
		words[i] = p.Signals[i].ID() + ":" + strconv.FormatFloat(p.Signals[i].Target, 'g', -1, 64)
	}
	return strings.Join(words, " ")
}
