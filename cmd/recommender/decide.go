package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/promapi"
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
	return `Prints the pages as parse does (- is unknown), the decision, a sentence for each signal, and one for each rule that ran. Of the decision, up and down say which way it goes from the current replicas, stays that it is where they are, held that they are unknown, none that there is no recommendation; then comes the reason.

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
	// object is what was read from Prometheus, and file the configuration that names it; nil and
	// empty without.
	object *promapi.Workload
	file   string
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
		return fmt.Errorf("the replicas of the workload are unknown: %s", r.unseen())
	}
	e := r.explain()
	reasons := make([]string, len(e.Signals))
	for i := range e.Signals {
		reasons[i] = e.Signals[i].Text
	}
	text := strings.Join(reasons, "; ")
	if r.object != nil {
		text += ": " + r.check()
	}
	return fmt.Errorf("nothing to decide on: %s", text)
}

// unseen says why the replicas of an object may be unknown, and what to do.
func (r *result) unseen() string {
	const instead = ", or set --current"
	if r.object == nil {
		return "set --current"
	}
	kind, name := cmp.Or(r.object.Kind, promapi.Deployment), r.object.Namespace+"/"+r.object.Name
	if e := r.decision.Current.Evidence; e != recommender.Absent {
		return fmt.Sprintf("what Prometheus says of %s %s is %s: %s%s", kind, name, e, r.check(), instead)
	}
	return fmt.Sprintf("Prometheus has no %s of %s %s, so the name or kind is wrong, or kube-state-metrics is not scraped: %s%s",
		kind.SpecSeries(), kind, name, r.check(), instead)
}

// check says how to find out what is wrong.
func (r *result) check() string {
	return "`recommender check prometheus --config.file " + cmp.Or(r.file, "FILE") + "` finds out which"
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
	if len(r.rows) > 0 {
		if err := printRows(w, r.rows); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s (min %d, max %d): %s\n", signalText(r.policy), r.decision.Min, r.decision.Max, r.decision.Headline())
	if err != nil {
		return err
	}
	return printExplanation(w, &explained)
}

// printExplanation writes the sentence of each signal, and of each rule behind its name.
func printExplanation(w io.Writer, e *recommender.Explanation) error {
	t := tabwriter.NewWriter(w, 0, 0, 1, ' ', 0)
	for i := range e.Signals {
		fmt.Fprintln(t, e.Signals[i].Text)
	}
	for i := range e.Steps {
		fmt.Fprintf(t, "%s\t%s\n", e.Steps[i].Rule, e.Steps[i].Text)
	}
	return t.Flush()
}

// signalText writes the signals as metric:target.
func signalText(p *recommender.Policy) string {
	words := make([]string, len(p.Signals))
	for i := range p.Signals {
		words[i] = p.Signals[i].ID() + ":" + strconv.FormatFloat(p.Signals[i].Target, 'g', -1, 64)
	}
	return strings.Join(words, " ")
}
