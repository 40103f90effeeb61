package promapi

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// clientMetrics count the work of clients.
type clientMetrics struct {
	queries  prometheus.Counter
	failures *prometheus.CounterVec
	duration prometheus.Histogram
}

// newClientMetrics registers the metrics, or takes those that an earlier client
// registered: after a reload the counters go on.
func newClientMetrics(reg prometheus.Registerer) (*clientMetrics, error) {
	m := &clientMetrics{
		queries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "infscale_prometheus_queries_total",
			Help: "Queries asked of the Prometheus API, those that failed and those not sent during a rate limit included.",
		}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "infscale_prometheus_query_failures_total",
			Help: "Queries that got no usable answer, by cause.",
		}, []string{"cause"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:                            "infscale_prometheus_query_duration_seconds",
			Help:                            "Time from sending a query to its decoded answer or its failure. Time spent waiting for a free slot is not in it.",
			Buckets:                         []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}),
	}
	if reg != nil {
		err := errors.Join(reuse(reg, &m.queries), reuse(reg, &m.failures), reuse(reg, &m.duration))
		if err != nil {
			return nil, err
		}
	}
	for _, c := range Causes() {
		m.failures.WithLabelValues(string(c))
	}
	return m, nil
}

// reuse registers a collector, or replaces it by its registered twin.
func reuse[C prometheus.Collector](reg prometheus.Registerer, c *C) error {
	err := reg.Register(*c)
	if twin, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); ok {
		if existing, ok := twin.ExistingCollector.(C); ok {
			*c = existing
			return nil
		}
	}
	return err
}
