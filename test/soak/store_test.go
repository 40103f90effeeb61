package soak

import (
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi/embedded"
)

// A store appends to Prometheus what it will accept, and knows what that is.
type store struct {
	prom  *embedded.Prometheus
	last  map[string]int64 // by series, its newest time in milliseconds
	batch []embedded.Sample
}

func newStore(prom *embedded.Prometheus) *store {
	return &store{prom: prom, last: map[string]int64{}}
}

// put adds one number. It reports whether Prometheus takes it: within one series time goes
// forwards, and a sample that is late is dropped.
func (s *store) put(at time.Time, v float64, name string, pairs ...string) bool {
	lset := labels.FromStrings(append([]string{model.MetricNameLabel, name}, pairs...)...)
	key, t := lset.String(), at.UnixMilli()
	if last, ok := s.last[key]; ok && t <= last {
		return false
	}
	s.last[key] = t
	s.batch = append(s.batch, embedded.Sample{Labels: lset, T: at, V: v})
	return true
}

// flush stores what was put.
func (s *store) flush() error {
	err := s.prom.Append(s.batch...)
	s.batch = s.batch[:0]
	return err
}
