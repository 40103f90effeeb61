package diagnose

import (
	"context"
	"sync"
	"time"

	"github.com/infscale/infscale/promapi"
)

// A Source answers questions: a [promapi.Client].
type Source interface {
	promapi.Querier
	Server(ctx context.Context) (promapi.Server, error)
}

// A recorder keeps the answers that a reader got, by the text of the query.
type recorder struct {
	Source

	mu      sync.Mutex
	answers map[string]promapi.Result
	asked   int
}

// Query asks and remembers.
func (r *recorder) Query(ctx context.Context, query string, at time.Time) (promapi.Result, error) {
	result, err := r.Source.Query(ctx, query, at)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asked++
	if err == nil {
		r.answers[query] = result
	}
	return result, err
}

// kept returns an answer from before.
func (r *recorder) kept(query string) ([]row, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	result, ok := r.answers[query]
	return rowsOf(result), ok
}

// rows returns the labels of what a query of the plan was answered with.
func (r *recorder) rows(list []promapi.PlannedQuery, f promapi.Family) []row {
	r.mu.Lock()
	defer r.mu.Unlock()
	var rows []row
	for _, q := range list {
		if q.Family == f {
			rows = append(rows, rowsOf(r.answers[q.Text])...)
		}
	}
	return rows
}

// A row is one series of an answer.
type row struct {
	promapi.Labels
	v float64
}

func rowsOf(result promapi.Result) []row {
	rows := make([]row, 0, len(result.Series))
	for _, s := range result.Series {
		rows = append(rows, row{s.Labels, s.Points[len(s.Points)-1].V})
	}
	return rows
}
