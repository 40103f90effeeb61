package promapi

import (
	"context"
	"fmt"
	"time"

	"github.com/infscale/infscale/recommender"
)

// Labels of what infscale itself exports. They cannot be mapped.
const (
	workloadLabel          = "workload"
	workloadNamespaceLabel = "workload_namespace"
)

// recommended asks what was recommended, by whichever twin asked for most.
func (s *shape) recommended() string {
	return fmt.Sprintf("max by (%s, %s) (last_over_time(infscale_desired_replicas[%s]))",
		workloadNamespaceLabel, workloadLabel, s.stale)
}

// Recommended returns what infscale itself recommended just before an instant, in the
// order of the workloads. That is absent where nothing was recommended, or where this
// Prometheus does not scrape infscale. It fails if the query got no answer.
func (r *Reader) Recommended(ctx context.Context, at time.Time) ([]recommender.Quantity, error) {
	when := at.Add(-r.options.QueryOffset)
	list := make([]recommender.Quantity, len(r.index.targets))
	for _, q := range r.plan.Start {
		result, err := r.querier.Query(ctx, q.Text, when)
		if err != nil {
			return nil, err
		}
		said := make(map[[2]string]float64, len(result.Series))
		for _, s := range result.Series {
			said[[2]string{s.Labels.Get(workloadNamespaceLabel), s.Labels.Get(workloadLabel)}] = s.Points[0].V
		}
		for i := range r.index.targets {
			t := &r.index.targets[i]
			if v, ok := said[[2]string{t.Namespace, t.Name}]; ok {
				list[i] = recommender.Exactly(v, when, 0)
			}
		}
	}
	return list, nil
}
