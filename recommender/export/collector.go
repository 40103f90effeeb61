package export

import (
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/infscale/infscale/recommender"
)

// A Collector exports the latest snapshot. It is safe for concurrent use.
type Collector struct {
	// Now is the clock that tells how old decisions are. It is set before the collector is
	// used; if it is nil, none grows old.
	Now func() time.Time

	latest atomic.Pointer[Snapshot]
	descs  []*prometheus.Desc // of metrics, in that order
}

// NewCollector returns a collector of an empty snapshot.
func NewCollector() *Collector {
	c := &Collector{}
	for i := range metrics {
		c.descs = append(c.descs, metrics[i].desc())
	}
	c.Publish(&Snapshot{})
	return c
}

// Publish makes s the snapshot that is exported. The caller does not change it any more.
func (c *Collector) Publish(s *Snapshot) { c.latest.Store(s) }

// Latest returns what is exported: of the snapshot that was published, what holds now.
func (c *Collector) Latest() *Snapshot {
	s := c.latest.Load()
	if c.Now == nil {
		return s
	}
	return s.At(c.Now())
}

// Describe implements [prometheus.Collector].
func (c *Collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descs {
		ch <- d
	}
}

// Collect implements [prometheus.Collector].
func (c *Collector) Collect(ch chan<- prometheus.Metric) {
	s := c.Latest()
	for i := range metrics {
		for w := range s.Workloads {
			collect(ch, c.descs[i], &metrics[i], &s.Workloads[w])
		}
	}
}

// collect sends the series of one family and workload. A value that cannot be
// exported is an error of the scrape, and not a crash.
func collect(ch chan<- prometheus.Metric, desc *prometheus.Desc, m *metric, w *Workload) {
	m.collect(w, func(value float64, label ...string) {
		values := append([]string{w.Namespace, w.Name}, label...)
		series, err := prometheus.NewConstMetric(desc, prometheus.GaugeValue, value, values...)
		if err != nil {
			series = prometheus.NewInvalidMetric(desc, err)
		}
		ch <- series
	})
}

// raw emits what each signal asks for. Signals of one name are one series, the largest.
func raw(w *Workload, emit func(float64, ...string)) {
	asks := map[string]int32{}
	for _, p := range w.Decision.Proposals() {
		if p.Quantity.Known() {
			asks[p.Signal.ID()] = max(asks[p.Signal.ID()], p.Asks())
		}
	}
	for id, n := range asks {
		emit(float64(n), id)
	}
}

// reasons emits every reason: exactly one is 1.
func reasons(w *Workload, emit func(float64, ...string)) {
	for _, r := range recommender.Reasons {
		emit(zeroOrOne(r == w.Decision.Reason), string(r))
	}
}

// observed emits a quantity of the observation.
func observed(of func(*recommender.Observation) recommender.Quantity) func(*Workload, func(float64, ...string)) {
	return func(w *Workload, emit func(float64, ...string)) {
		known(of(&w.Observation), emit)
	}
}

// signal emits a metric as a signal would use it.
func signal(m recommender.Metric) func(*Workload, func(float64, ...string)) {
	return func(w *Workload, emit func(float64, ...string)) { known(w.Quantity(m), emit) }
}

// percentiles emits a distribution, each percentile once.
func percentiles(of func(*Workload) []recommender.Percentile) func(*Workload, func(float64, ...string)) {
	return func(w *Workload, emit func(float64, ...string)) {
		list := of(w)
		for i := range list {
			if !repeated(list, i) {
				label := strconv.FormatFloat(list[i].P, 'g', -1, 64)
				known(list[i].Quantity, func(v float64, _ ...string) { emit(v, label) })
			}
		}
	}
}

// repeated reports whether list[i] is a percentile that stands in front of it already.
func repeated(list []recommender.Percentile, i int) bool {
	for j := range i {
		if list[j].P == list[i].P {
			return true
		}
	}
	return false
}

// agreed emits a part of the objective, if there is one.
func agreed(of func(*recommender.SLO) float64) func(*Workload, func(float64, ...string)) {
	return func(w *Workload, emit func(float64, ...string)) {
		if w.Policy.SLO.TTFT > 0 {
			emit(of(&w.Policy.SLO))
		}
	}
}

// coldStart returns what was measured, else what is configured.
func coldStart(w *Workload) []recommender.Percentile {
	for _, p := range w.Observation.ColdStart {
		if p.Known() {
			return w.Observation.ColdStart
		}
	}
	if w.Policy.ColdStart <= 0 {
		return nil
	}
	configured := recommender.Exactly(w.Policy.ColdStart.Seconds(), time.Time{}, 0)
	return []recommender.Percentile{{P: 0.5, Quantity: configured}, {P: 0.95, Quantity: configured}}
}

// known emits a quantity that is a number.
func known(q recommender.Quantity, emit func(float64, ...string)) {
	if q.Known() && recommender.Exactly(q.Value, q.At, q.Replicas).Known() {
		emit(q.Value)
	}
}

// instant emits a time, unless it is none.
func instant(t time.Time, emit func(float64, ...string)) {
	if !t.IsZero() {
		emit(float64(t.UnixNano()) / 1e9)
	}
}

func zeroOrOne(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
