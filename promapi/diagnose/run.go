package diagnose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// Options say what is checked.
type Options struct {
	Workloads []promapi.Workload
	Read      promapi.Options
	// Now is the instant that is read.
	Now time.Time
	// Lookback is how far back a silent selector is looked for [7d].
	Lookback time.Duration
}

// A checker collects what is found.
type checker struct {
	o        Options
	source   *recorder
	labels   promapi.LabelNames
	matchers []*labels.Matcher // of prometheus.matchers
	plan     *promapi.Plan
	wide     *promapi.Plan // of the same workloads, whatever engine they run
	when     time.Time     // that the queries are asked for

	observations []recommender.Observation
	tick         promapi.Report
	report       *Report
	// unsaid are questions that got no answer.
	unsaid []error
	// engines knows what runs by the name of its gauge.
	engines map[string]string
	past    *inventory
	targets *targetList
	// skewed says that the clocks are too far apart for any sample to be fresh; blamed
	// that prometheus.matchers take the engines' series away.
	skewed, blamed bool
	// old are families that the server is too old for.
	old map[promapi.Family]bool
}

// Run asks the source and says what would stay silent. It fails only if the options
// are no plan: that nobody answers is a finding.
func Run(ctx context.Context, source Source, o Options) (*Report, error) {
	c, reader, err := newChecker(source, o)
	if err != nil {
		return nil, err
	}
	if c.reach(ctx) {
		c.observations, c.tick = reader.Observe(ctx, o.Now)
		c.checkFamilies()
		c.checkMatchers(ctx)
		c.checkKube(ctx)
		c.checkWorkloads(ctx)
		c.checkDuplicates()
		c.checkPair(ctx)
		c.checkUnsaid()
	}
	c.finish()
	return c.report, nil
}

func newChecker(source Source, o Options) (*checker, *promapi.Reader, error) {
	o.Lookback = cmp.Or(o.Lookback, 7*24*time.Hour)
	o.Read.Detailed = true
	o.Read.StaleAfter = cmp.Or(o.Read.StaleAfter, time.Minute)
	o.Read.RateWindow = cmp.Or(o.Read.RateWindow, 2*time.Minute)
	o.Read.LatencyWindow = cmp.Or(o.Read.LatencyWindow, 5*time.Minute)
	c := &checker{
		o: o, source: &recorder{Source: source, answers: map[string]promapi.Result{}},
		when: o.Now.Add(-o.Read.QueryOffset), old: map[promapi.Family]bool{},
		labels: promapi.LabelNames{
			Namespace: cmp.Or(o.Read.Labels.Namespace, "namespace"),
			Pod:       cmp.Or(o.Read.Labels.Pod, "pod"),
			Model:     cmp.Or(o.Read.Labels.Model, "model_name"),
		},
		report: &Report{Time: o.Now, Workloads: []Workload{}, Findings: []Finding{}},
	}
	reader, err := promapi.NewReader(c.source, o.Workloads, o.Read)
	if err != nil {
		return nil, nil, err
	}
	c.plan = reader.Plan()
	if c.matchers, err = promapi.ParseMatchers(o.Read.Matchers); err != nil {
		return nil, nil, err
	}
	if c.wide, err = promapi.NewPlan(withEngine(o.Workloads, promapi.EngineAuto), o.Read); err != nil {
		return nil, nil, err
	}
	c.engines, err = engineNames(o)
	return c, reader, err
}

// withEngine returns the workloads as if they ran an engine.
func withEngine(workloads []promapi.Workload, engine string) []promapi.Workload {
	list := slices.Clone(workloads)
	for i := range list {
		list[i].Engine = engine
	}
	return list
}

// engineNames maps the names of the gauges that tell engines apart to the engines.
func engineNames(o Options) (map[string]string, error) {
	found := map[string]string{}
	for _, engine := range promapi.Engines() {
		plan, err := promapi.NewPlan(withEngine(o.Workloads, engine), o.Read)
		if err != nil {
			return nil, err
		}
		for _, s := range planned(plan.Queries, promapi.FamilyEvidence) {
			found[s.metric()] = engine
		}
	}
	return found, nil
}

// add notes a finding.
func (c *checker) add(f Finding) { c.report.Findings = append(c.report.Findings, f) }

// ask sends a question beside the plan, once however many workloads have it. If it gets
// no answer, that is noted.
func (c *checker) ask(ctx context.Context, query string) ([]row, bool) {
	if kept, ok := c.source.kept(query); ok {
		return kept, true
	}
	result, err := c.source.Query(ctx, query, c.when)
	if err != nil {
		c.unsaid = append(c.unsaid, err)
		return nil, false
	}
	return rowsOf(result), true
}

// injected is a selector of a metric with prometheus.matchers.
func (c *checker) injected(metric string, more ...*labels.Matcher) selector {
	name := labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, metric)
	return slices.Concat(selector{name}, more, c.matchers)
}

// checkUnsaid says that the check itself did not see all.
func (c *checker) checkUnsaid() {
	if len(c.unsaid) == 0 {
		return
	}
	c.add(Finding{
		Severity: Warning, Code: QueryFailed, Place: "prometheus",
		Found: fmt.Sprintf("%s of the check itself got no answer: %s", plural(len(c.unsaid), "question"), brief(c.unsaid[0], "check")),
		Why:   "the check could not look for causes everywhere; the daemon does not ask these",
		Fix:   "raise prometheus.timeout, or look back less with --lookback",
	})
}

// brief is an error with a word in place of the query.
func brief(err error, name string) string {
	e, ok := errors.AsType[*promapi.QueryError](err)
	if !ok {
		return err.Error()
	}
	short := *e
	short.Query = name
	return short.Error()
}

// plural counts things.
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// finish sorts the findings: those about all first, then by workload, errors first.
func (c *checker) finish() {
	r := c.report
	order := map[string]int{"": -1}
	for i := range c.o.Workloads {
		order[c.id(i)] = i
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(order[a.Workload], order[b.Workload]),
			cmp.Compare(slices.Index(Severities, a.Severity), slices.Index(Severities, b.Severity)),
		)
	})
	r.OK = r.Count(Error) == 0
	r.Prometheus.Queries = c.source.asked
	if c.past != nil && c.past.span > 0 {
		s := c.past.span.Seconds()
		r.Lookback = &s
	}
}

// id names a workload in findings.
func (c *checker) id(i int) string { return c.o.Workloads[i].Namespace + "/" + c.o.Workloads[i].Name }
