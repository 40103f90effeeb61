package promapi

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/infscale/infscale/recommender"
)

// A Querier answers queries: a [Client], or another source of the same answers.
type Querier interface {
	Query(ctx context.Context, query string, at time.Time) (Result, error)
	QueryRange(ctx context.Context, query string, start, end time.Time, step time.Duration) (Result, error)
}

// A Reader turns the answers of a Prometheus-compatible API into observations of
// workloads. It is safe for use by several goroutines.
type Reader struct {
	querier Querier
	options Options
	index   *index
	plan    *Plan
	// custom are the numbers in Plan.Custom of the queries of the configuration.
	custom map[string]int

	mu sync.Mutex
	// rare are the answers to occasional queries, by family, newest last.
	rare map[Family][]*rareOutcome
	// flights are the requests in flight at the ticks of the last window.
	flights []inFlight
	// heard says which workloads were ever heard.
	heard []bool
	// heldSeen says when each match of a held source last found a series.
	heldSeen map[heldProof]time.Time
	// rows is how many rows the answers for the latest tick had, or those for some ticks.
	rows int
}

// NewReader plans how to read the workloads. All mistakes in them come at once.
func NewReader(q Querier, workloads []Workload, o Options) (*Reader, error) {
	o = o.withDefaults()
	targets, plan, err := compile(workloads, o)
	if err != nil {
		return nil, err
	}
	r := (&Reader{
		querier: q, options: o, plan: plan,
		index:  newIndex(targets, o.Labels),
		custom: map[string]int{},
	}).Apart()
	for i, text := range newNeeds(targets).queries {
		r.custom[text] = i
	}
	return r, nil
}

// Apart returns a reader of the same that remembers nothing of what r read.
func (r *Reader) Apart() *Reader {
	return &Reader{
		querier: r.querier, options: r.options, plan: r.plan, index: r.index, custom: r.custom,
		rare: map[Family][]*rareOutcome{}, heard: make([]bool, len(r.index.targets)),
	}
}

// Plan returns what a tick asks.
func (r *Reader) Plan() *Plan { return r.plan }

// Observe reads all workloads at one instant. The observations are in the order of
// the workloads. It never fails: what could not be read is a quantity that says so.
func (r *Reader) Observe(ctx context.Context, at time.Time) ([]recommender.Observation, Report) {
	when := at.Add(-r.options.QueryOffset)
	var wait sync.WaitGroup
	wait.Go(func() { r.occasional(ctx, FamilyColdStart, when, coldStartEvery) }) // The tick finds it kept.
	outcomes := r.ask(func(query string) (Result, error) { return r.querier.Query(ctx, query, when) })
	wait.Wait()
	return r.tick(ctx, at, outcomes, nil)
}

// ask sends the queries of a tick at the same time and waits for all of them.
func (r *Reader) ask(send func(query string) (Result, error)) []*outcome {
	queries := slices.Concat(r.plan.Queries, r.plan.Custom)
	outcomes := make([]*outcome, len(queries))
	var wait sync.WaitGroup
	for i, q := range queries {
		wait.Go(func() { outcomes[i] = settle(q, send) })
	}
	wait.Wait()
	r.countRows(outcomes)
	return outcomes
}

// settle sends one query and notes what came of it.
func settle(q PlannedQuery, send func(query string) (Result, error)) *outcome {
	began := time.Now()
	result, err := send(q.Text)
	o := &outcome{family: q.Family, FamilyReport: FamilyReport{Family: q.Family, Text: q.Text, Err: err}}
	o.Duration = time.Since(began)
	if err == nil {
		o.rows, o.Warnings, o.Rows = result.Series, result.Warnings, len(result.Series)
	}
	return o
}
