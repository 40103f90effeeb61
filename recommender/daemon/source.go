package daemon

import (
	"context"
	"errors"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// A reading is what was read of every workload for one instant.
type reading struct {
	// observations and reports are in the order of the world's workloads.
	observations []recommender.Observation
	reports      []promapi.WorkloadReport
	// err is an outage; nil if all queries were answered.
	err error
	// failed is how many queries failed.
	failed int
	// unanswered says that some query may be answered when it is asked again. A
	// query that the server refused for what it says is not one of them.
	unanswered bool
}

// A source reads the workloads that it was built for.
type source interface {
	// observe reads one instant. Queries without an answer are in the reading.
	observe(ctx context.Context, at time.Time) reading
	// history reads the instants from start to end, both included, and passes them to
	// each, oldest first. It fails if any query may be answered when it is asked again.
	history(ctx context.Context, start, end time.Time, step time.Duration, each func(*reading)) error
	// recommended returns what was recommended just before an instant, in the order of
	// the world's workloads, where Prometheus knows it.
	recommended(ctx context.Context, at time.Time) ([]recommender.Quantity, error)
	// apart returns a source of the same that remembers nothing of what was read. It is
	// for use beside this one, and ends with it.
	apart() source
	// close gives back the connections.
	close()
}

// A prometheusSource reads a Prometheus-compatible API.
type prometheusSource struct {
	client *promapi.Client
	reader *promapi.Reader
}

func (s *prometheusSource) apart() source {
	return &prometheusSource{client: s.client, reader: s.reader.Apart()}
}

func (s *prometheusSource) observe(ctx context.Context, at time.Time) reading {
	observations, report := s.reader.Observe(ctx, at)
	return newReading(observations, &report)
}

func (s *prometheusSource) history(ctx context.Context, start, end time.Time, step time.Duration, each func(*reading)) error {
	for tick, err := range s.reader.Ticks(ctx, start, end, step) {
		if err != nil {
			return err
		}
		r := newReading(tick.Observations, &tick.Report)
		if r.unanswered {
			return r.err
		}
		each(&r)
	}
	return nil
}

func (s *prometheusSource) recommended(ctx context.Context, at time.Time) ([]recommender.Quantity, error) {
	return s.reader.Recommended(ctx, at)
}

func (s *prometheusSource) close() { s.client.CloseIdleConnections() }

// newReading sums up a report.
func newReading(observations []recommender.Observation, report *promapi.Report) reading {
	r := reading{observations: observations, reports: report.Workloads}
	o := newOutage(report)
	if o == nil {
		return r
	}
	r.err, r.failed = o, len(o.failed)
	r.unanswered = !refused(o.first)
	return r
}

// refused reports whether the server answered that it will not answer this query.
func refused(err error) bool {
	e, ok := errors.AsType[*promapi.QueryError](err)
	return ok && (e.Cause == promapi.CauseBadRequest || e.Cause == promapi.CauseExecution)
}
