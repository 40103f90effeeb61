package draw

import (
	"math/rand/v2"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// own are the daemon's metrics of itself, under the names that the daemon gives them. Their
// values are invented; those of decisions are counted.
type own struct {
	random *rand.Rand

	decisions, scaleEvents, failures    *prometheus.CounterVec
	missed, queries, cpu                prometheus.Counter
	evaluation, query                   prometheus.Histogram
	resident, heap, goroutines, openFDs prometheus.Gauge
}

func newOwn(registry prometheus.Registerer, number int) *own {
	counter := func(name string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: name})
	}
	counters := func(name string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: name}, labels)
	}
	gauge := func(name string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: name})
	}
	histogram := func(name string) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: name, Help: name, Buckets: []float64{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30},
		})
	}
	o := &own{
		random:      rand.New(rand.NewPCG(seed, uint64(number))),
		decisions:   counters("infscale_decisions_total", "workload_namespace", "workload", "reason"),
		scaleEvents: counters("infscale_scale_events_total", "workload_namespace", "workload", "direction"),
		failures:    counters("infscale_prometheus_query_failures_total", "cause"),
		missed:      counter("infscale_evaluations_missed_total"),
		queries:     counter("infscale_prometheus_queries_total"),
		cpu:         counter("process_cpu_seconds_total"),
		evaluation:  histogram("infscale_evaluation_duration_seconds"),
		query:       histogram("infscale_prometheus_query_duration_seconds"),
		resident:    gauge("process_resident_memory_bytes"),
		heap:        gauge("go_memstats_heap_inuse_bytes"),
		goroutines:  gauge("go_goroutines"),
		openFDs:     gauge("process_open_fds"),
	}
	registry.MustRegister(o.decisions, o.scaleEvents, o.failures, o.missed, o.queries, o.cpu,
		o.evaluation, o.query, o.resident, o.heap, o.goroutines, o.openFDs)
	o.constant(registry, number, gauge)
	return o
}

// constant registers what stays as it is all day.
func (o *own) constant(registry prometheus.Registerer, number int, gauge func(string) prometheus.Gauge) {
	began := float64(start.Add(-time.Duration(30+5*number) * time.Hour).Unix())
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "infscale_build_info", Help: "infscale_build_info"},
		[]string{"branch", "goarch", "goos", "goversion", "revision", "tags", "version"})
	build.WithLabelValues("main", "amd64", "linux", "go1.26.0", "4f2c1d9", "unknown", "0.1.0").Set(1)
	registry.MustRegister(build)
	for name, value := range map[string]float64{
		"infscale_config_last_reload_successful":                1,
		"infscale_config_last_reload_success_timestamp_seconds": began + 2*hour,
		"infscale_evaluation_interval_seconds":                  interval.Seconds(),
		"process_start_time_seconds":                            began,
	} {
		g := gauge(name)
		g.Set(value)
		registry.MustRegister(g)
	}
	for _, cause := range promapi.Causes() {
		o.failures.WithLabelValues(string(cause))
	}
}

// decided counts the decisions of a moment.
func (o *own) decided(m *moment) {
	w := &m.workload
	for _, r := range recommender.Reasons {
		o.decisions.WithLabelValues(w.Namespace, w.Name, string(r)).Add(float64(m.reasons[r]))
	}
	o.scaleEvents.WithLabelValues(w.Namespace, w.Name, "up").Add(float64(m.ups))
	o.scaleEvents.WithLabelValues(w.Namespace, w.Name, "down").Add(float64(m.downs))
}

// queriesPerSlot is about what three workloads take.
const queriesPerSlot = 9

// worked invents the work of moment m, which ends at that time.
func (o *own) worked(m int, at time.Time) {
	failing := outage.holds(at.Sub(start))
	for range int(scrape / interval) {
		took := 0.02 + 0.02*o.random.ExpFloat64()
		if failing {
			took = 10 + o.random.Float64()
			o.failures.WithLabelValues(string(promapi.CauseTimeout)).Add(queriesPerSlot)
		}
		o.evaluation.Observe(took)
		o.queries.Add(queriesPerSlot)
		for range queriesPerSlot {
			o.query.Observe(took * (0.3 + 0.6*o.random.Float64()))
		}
	}
	if failing && m%4 == 0 {
		o.missed.Inc()
	}
	o.cpu.Add(scrape.Seconds() * (0.01 + 0.005*o.random.Float64()))
	saw := float64(m % 9) // the heap grows until it is collected
	o.heap.Set(9e6 + 0.6e6*saw + 0.2e6*o.random.Float64())
	o.resident.Set(41e6 + 0.3e6*saw + 0.5e6*o.random.Float64())
	o.goroutines.Set(float64(21 + o.random.IntN(4)))
	o.openFDs.Set(float64(12 + o.random.IntN(3)))
}
