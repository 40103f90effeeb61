package embedded

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
)

// commits announces every commit to whoever waits for one.
type commits struct {
	mu   sync.Mutex
	next chan struct{} // Closed by the next commit; nil while nobody waits.
}

// wait returns a channel that the next commit closes.
func (c *commits) wait() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}

func (c *commits) announce() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// announcing is a storage whose commits are announced, so that a test can wait for a
// scrape without asking again and again.
type announcing struct {
	storage.AppendableV2
	to *commits
}

// AppenderV2 implements storage.AppendableV2.
func (a announcing) AppenderV2(ctx context.Context) storage.AppenderV2 {
	return announcingAppender{a.AppendableV2.AppenderV2(ctx), a.to}
}

type announcingAppender struct {
	storage.AppenderV2
	to *commits
}

// Commit implements storage.AppenderTransaction.
func (a announcingAppender) Commit() error {
	defer a.to.announce()
	return a.AppenderV2.Commit()
}

// Query evaluates an expression at one moment, without HTTP in between.
func (p *Prometheus) Query(ctx context.Context, expr string, at time.Time) (promql.Vector, error) {
	q, err := p.engine.NewInstantQuery(ctx, p.db, nil, expr, at)
	if err != nil {
		return nil, fmt.Errorf("query %q: %w", expr, err)
	}
	defer q.Close()
	r := q.Exec(ctx)
	if r.Err != nil {
		return nil, fmt.Errorf("query %q: %w", expr, r.Err)
	}
	switch v := r.Value.(type) {
	case promql.Vector:
		return v, nil
	case promql.Scalar:
		return promql.Vector{{T: v.T, F: v.V}}, nil
	default:
		return nil, fmt.Errorf("query %q: got a %s, want a %s", expr, r.Value.Type(), parser.ValueTypeVector)
	}
}

// Await waits until an expression, evaluated at the present after each commit, has a result,
// and returns it. A comparison makes it wait for a value: `up{job="vllm"} == 1`. To wait for
// an absence, use absent(). It fails when ctx ends first.
func (p *Prometheus) Await(ctx context.Context, expr string) (promql.Vector, error) {
	for {
		next := p.commits.wait() // Before asking, or a commit in between would be missed.
		v, err := p.Query(ctx, expr, time.Now())
		if err != nil || len(v) > 0 {
			return v, err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil, fmt.Errorf("await %q: %w", expr, ctx.Err())
		}
	}
}
