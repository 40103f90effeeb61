package daemon

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/infscale/infscale/recommender"
)

// Directions of a change of the recommendation.
const (
	up   = "up"
	down = "down"
)

// metrics count what the loop does.
type metrics struct {
	decisions    *prometheus.CounterVec
	scaleEvents  *prometheus.CounterVec
	duration     prometheus.Histogram
	missed       prometheus.Counter
	interval     prometheus.Gauge
	reloaded     prometheus.Gauge
	reloadedTime prometheus.Gauge
}

// newMetrics registers the metrics.
func newMetrics(reg prometheus.Registerer) (*metrics, error) {
	m := &metrics{
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "infscale_decisions_total",
			Help: "Decisions since the start, by their reason.",
		}, []string{"workload_namespace", "workload", "reason"}),
		scaleEvents: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "infscale_scale_events_total",
			Help: "Changes of the recommendation since the start, by direction. A recommendation that appears or is withdrawn is none.",
		}, []string{"workload_namespace", "workload", "direction"}),
		duration: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:                            "infscale_evaluation_duration_seconds",
			Help:                            "Time to read and decide one slot for all workloads. Replaying history at the start is not in it.",
			Buckets:                         []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30},
			NativeHistogramBucketFactor:     1.1,
			NativeHistogramMaxBucketNumber:  100,
			NativeHistogramMinResetDuration: time.Hour,
		}),
		missed: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "infscale_evaluations_missed_total",
			Help: "Slots that passed without an evaluation, because an earlier one was under way or the process did not run.",
		}),
		interval: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "infscale_evaluation_interval_seconds",
			Help: "Configured time between two decisions: interval.",
		}),
		reloaded: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "infscale_config_last_reload_successful",
			Help: "1 if the configuration was loaded when it was last tried, 0 if the one before is in force.",
		}),
		reloadedTime: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "infscale_config_last_reload_success_timestamp_seconds",
			Help: "When the configuration in force was loaded.",
		}),
	}
	for _, c := range []prometheus.Collector{m.decisions, m.scaleEvents, m.duration, m.missed, m.interval, m.reloaded, m.reloadedTime} {
		if err := reg.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// add begins the series of a workload at zero.
func (m *metrics) add(id identity) {
	for _, r := range recommender.Reasons {
		m.decisions.WithLabelValues(id.namespace, id.name, string(r))
	}
	for _, direction := range []string{up, down} {
		m.scaleEvents.WithLabelValues(id.namespace, id.name, direction)
	}
}

// remove ends the series of a workload.
func (m *metrics) remove(id identity) {
	labels := prometheus.Labels{"workload_namespace": id.namespace, "workload": id.name}
	m.decisions.DeletePartialMatch(labels)
	m.scaleEvents.DeletePartialMatch(labels)
}

// decided counts a decision and, if the number changed, its direction.
func (m *metrics) decided(id identity, before, after *recommender.Decision) {
	m.decisions.WithLabelValues(id.namespace, id.name, string(after.Reason)).Inc()
	if !before.Known || !after.Known || before.Desired == after.Desired {
		return
	}
	direction := up
	if after.Desired < before.Desired {
		direction = down
	}
	m.scaleEvents.WithLabelValues(id.namespace, id.name, direction).Inc()
}

// loaded notes that a configuration came into force.
func (m *metrics) loaded(at time.Time) {
	m.reloaded.Set(1)
	m.reloadedTime.Set(float64(at.UnixMilli()) / 1000)
}
