package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/common/version"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/config"
)

// prometheusFlags say which workload to read from where. A configuration brings its own policy.
type prometheusFlags struct {
	ConfigFile    string `name:"config.file" placeholder:"FILE" help:"Decide on a workload of this configuration, or of - the standard input, as the daemon would."`
	PrometheusURL string `name:"prometheus.url" placeholder:"URL" help:"Read from here, with the policy of the flags above."`
	Namespace     string `default:"default" help:"Namespace of the workload [${default}]."`
	Name          string `help:"Name of the workload, a Deployment."`
	Replay        bool   `default:"true" negatable:"" help:"First rebuild the past from Prometheus, as the daemon does when it starts. Not with --state."`
}

func (f *prometheusFlags) fromPrometheus() bool { return f.ConfigFile != "" || f.PrometheusURL != "" }

// A subject is one workload and how to read it.
type subject struct {
	workload promapi.Workload
	options  promapi.Options
	client   promapi.Config
	interval time.Duration
}

// decidePrometheus decides on what Prometheus knows.
func (c *DecideCmd) decidePrometheus(ctx context.Context, k *kong.Context) error {
	if err := c.checkCounts(); err != nil {
		return refuse(err)
	}
	s, err := c.subject(k)
	if err != nil {
		return err
	}
	reader, err := s.reader()
	if err != nil {
		return refuse(err)
	}
	p := s.workload.Policy
	m, err := recall(c.State, newOrigin(s.workload.Namespace+"/"+s.workload.Name, p), c.Now.Time)
	if err != nil {
		return err
	}
	observations, report := reader.Observe(ctx, c.Now.Time)
	o := observations[0]
	// Who does not answer about the present is not asked about the past.
	if c.Replay && c.State == "" && len(failures(&report)) == 0 {
		if m.State, err = s.replay(ctx, reader, c.Now.Time, k.Stderr); err != nil {
			return err
		}
	}
	c.override(&o)
	r := result{
		policy: p, rows: []row{observedRow(&s.workload, &o, &report.Workloads[0])},
		object: &s.workload, file: c.ConfigFile,
	}
	r.decision, m.State = recommender.Decide(*p, m.State, o)
	if err := m.keep(c.State); err != nil {
		return err
	}
	if err := r.print(k.Stdout, c.json()); err != nil {
		return err
	}
	return complaints(k.Stderr, &report, &r)
}

// override replaces what Prometheus knows by what the command line says.
func (c *DecideCmd) override(o *recommender.Observation) {
	for _, by := range []struct {
		count *int32
		field *recommender.Quantity
	}{{c.Current, &o.Current}, {c.Ready, &o.Ready}} {
		if by.count != nil {
			*by.field = recommender.Exactly(float64(*by.count), c.Now.Time, 0)
		}
	}
	if c.Held != nil {
		o.Held = recommender.Exactly(*c.Held, c.Now.Time, 0)
	}
}

// observedRow is what is known of a workload, over all its replicas.
func observedRow(w *promapi.Workload, o *recommender.Observation, report *promapi.WorkloadReport) row {
	r := row{
		Source: w.Namespace + "/" + w.Name, Engine: cmp.Or(strings.Join(report.Engines, "+"), "-"),
		Running: known(o.Running), Waiting: known(o.Waiting),
		KVCacheUsage: known(o.KVCacheUsageMax), OutputTokens: known(o.OutputTokens), CPU: known(o.CPU),
	}
	r.addInFlight()
	return r
}

// complaints says which queries got no answer. They fail the command where nothing
// could be decided. Notes on the evidence are no failure.
func complaints(w io.Writer, report *promapi.Report, r *result) error {
	failed := failures(report)
	if err := r.useless(failed); err != nil {
		return err
	}
	for _, err := range failed {
		fmt.Fprintf(w, "recommender: %v\n", err)
	}
	for _, note := range report.Workloads[0].Notes {
		fmt.Fprintf(w, "recommender: %s\n", note)
	}
	return nil
}

// failures are the errors of the queries of a tick.
func failures(report *promapi.Report) []error {
	var errs []error
	for i := range report.Families {
		if f := &report.Families[i]; f.Err != nil {
			errs = append(errs, named(f))
		}
	}
	return errs
}

// named is the error of a query with the query's name in place of its long text.
func named(f *promapi.FamilyReport) error {
	e, ok := errors.AsType[*promapi.QueryError](f.Err)
	if !ok {
		return fmt.Errorf("query %q: %w", f.Family, f.Err)
	}
	short := *e
	short.Query = string(f.Family)
	return &short
}

// subject returns the workload that the command line names.
func (c *DecideCmd) subject(k *kong.Context) (*subject, error) {
	if err := c.checkSubject(k); err != nil {
		return nil, refuse(err)
	}
	if c.ConfigFile == "" {
		return c.ownSubject()
	}
	cfg, err := loadConfig(c.ConfigFile)
	if err != nil {
		return nil, err
	}
	w, err := pick(cfg.Workloads(), c.Sources)
	if err != nil {
		return nil, refuse(fmt.Errorf("%s: %w", c.ConfigFile, err))
	}
	return &subject{w, cfg.Options(), cfg.Prometheus.Config, time.Duration(cfg.Interval)}, nil
}

// ownSubject is a workload with the policy of the flags.
func (c *DecideCmd) ownSubject() (*subject, error) {
	p, err := c.policy(c.Held != nil)
	if err != nil {
		return nil, refuse(err)
	}
	cfg := config.Default()
	cfg.Prometheus.URL = c.PrometheusURL
	if errs := cfg.Prometheus.Validate(); len(errs) > 0 {
		return nil, refuse(fmt.Errorf("--prometheus.%w", errs[0]))
	}
	w := promapi.Workload{Namespace: c.Namespace, Name: c.Name, Policy: &p}
	return &subject{w, cfg.Options(), cfg.Prometheus.Config, time.Duration(cfg.Interval)}, nil
}

// checkSubject refuses what contradicts the source.
func (c *DecideCmd) checkSubject(k *kong.Context) error {
	if c.Lookahead > 0 && c.State == "" && !c.Replay {
		return errors.New("--lookahead: needs --state or --replay to see growth")
	}
	if given(k, "cpu-request") != "" {
		return errors.New("--cpu-request: is only for pages, Prometheus knows what pods ask for")
	}
	if c.ConfigFile == "" {
		return c.checkName()
	}
	if c.PrometheusURL != "" || given(k, "name", "namespace") != "" {
		return errors.New("--config.file: says where Prometheus is and names the workloads, so leave out --prometheus.url, --name and --namespace")
	}
	for _, step := range k.Path {
		if step.Flag != nil && step.Flag.Group != nil && step.Flag.Group.Key == policyGroup {
			return fmt.Errorf("--config.file: brings the policy, so leave out --%s", step.Flag.Name)
		}
	}
	return nil
}

// checkName refuses what names no workload.
func (c *DecideCmd) checkName() error {
	switch {
	case len(c.Sources) > 0:
		return errors.New("--prometheus.url: pages are read without it, and it without pages")
	case c.Name == "":
		return errors.New("--name: must be set with --prometheus.url")
	}
	if err := config.CheckNamespace(c.Namespace); err != nil {
		return fmt.Errorf("--namespace: %w", err)
	}
	if err := config.CheckName(c.Name); err != nil {
		return fmt.Errorf("--name: %w", err)
	}
	return nil
}

// pick returns the workload of that name, or the only one.
func pick(workloads []promapi.Workload, names []string) (promapi.Workload, error) {
	known := make([]string, len(workloads))
	for i := range workloads {
		known[i] = workloads[i].Namespace + "/" + workloads[i].Name
	}
	switch {
	case len(names) == 0 && len(workloads) == 1:
		return workloads[0], nil
	case len(names) != 1:
		return promapi.Workload{}, fmt.Errorf("want one workload of %s", strings.Join(known, ", "))
	}
	found := slices.DeleteFunc(slices.Clone(workloads), func(w promapi.Workload) bool {
		return names[0] != w.Name && names[0] != w.Namespace+"/"+w.Name
	})
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return promapi.Workload{}, fmt.Errorf("no workload %q, want one of %s", names[0], strings.Join(known, ", "))
	default:
		return promapi.Workload{}, fmt.Errorf("%d workloads are called %q, want NAMESPACE/NAME", len(found), names[0])
	}
}

func (s *subject) reader() (*promapi.Reader, error) {
	client, err := promapi.New(s.client, promapi.WithVersion(version.Version))
	if err != nil {
		return nil, err
	}
	return promapi.NewReader(client, []promapi.Workload{s.workload}, s.options)
}

// replay decides on the past, at the instants at which the daemon did, and returns the
// state that this leaves. What could not be read is unknown, as it was to the daemon.
func (s *subject) replay(ctx context.Context, reader *promapi.Reader, now time.Time, stderr io.Writer) (recommender.State, error) {
	p := s.workload.Policy
	last := now.Truncate(s.interval)
	if last.Equal(now) {
		last = last.Add(-s.interval)
	}
	ticks, err := reader.ObserveRange(ctx, now.Add(-p.Replay()).Truncate(s.interval), last, s.interval)
	if err != nil {
		return recommender.State{}, fmt.Errorf("replay of the past: %w", err)
	}
	var state recommender.State
	var failed []error
	for i := range ticks {
		_, state = recommender.Decide(*p, state, ticks[i].Observations[0])
		failed = append(failed, failures(&ticks[i].Report)...)
	}
	if len(failed) > 0 {
		fmt.Fprintf(stderr, "recommender: replay of the past: %v\n", failed[0])
	}
	return state, nil
}
