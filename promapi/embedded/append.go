package embedded

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/timestamp"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
)

// batch is how many samples AppendSeries commits at once: enough to make the cost of a
// commit vanish, few enough to keep its buffers small.
const batch = 50_000

// A Sample is one number of one series. Its labels include the metric's name as __name__.
type Sample struct {
	Labels labels.Labels
	T      time.Time
	V      float64
}

// Stale is the value of a stale marker: from its time on the series is absent, until its
// next sample. It is a NaN, so it equals nothing.
func Stale() float64 { return math.Float64frombits(value.StaleNaN) }

// Append stores samples, all or none.
func (p *Prometheus) Append(samples ...Sample) error {
	return p.commit(func(app storage.AppenderV2) error {
		for _, s := range samples {
			if _, err := app.Append(0, s.Labels, 0, timestamp.FromTime(s.T), s.V, nil, nil, storage.AOptions{}); err != nil {
				return fmt.Errorf("append %s at %d: %w", s.Labels, timestamp.FromTime(s.T), err)
			}
		}
		return nil
	})
}

// AppendSeries stores value(series, time) for every series at every time, both counted
// from 0. It is for histories too large for Append: millions of samples a second.
func (p *Prometheus) AppendSeries(series []labels.Labels, times []time.Time, value func(series, time int) float64) error {
	refs := make([]storage.SeriesRef, len(series))
	for j, at := range times {
		t := timestamp.FromTime(at)
		for from := 0; from < len(series); from += batch {
			err := p.commit(func(app storage.AppenderV2) error {
				for i := from; i < min(from+batch, len(series)); i++ {
					ref, err := app.Append(refs[i], series[i], 0, t, value(i, j), nil, nil, storage.AOptions{})
					if err != nil {
						return fmt.Errorf("append %s at %d: %w", series[i], t, err)
					}
					refs[i] = ref
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Load stores series in the notation of Prometheus' rule tests, the first value at start
// and each next one an interval later: `http_requests_total{job="api"} 0+10x5 _ stale`.
func (p *Prometheus) Load(start time.Time, interval time.Duration, series ...string) error {
	for _, s := range series {
		lset, values, err := p.parser.ParseSeriesDesc(s)
		if err != nil {
			return fmt.Errorf("series %q: %w", s, err)
		}
		if err := p.Append(placed(lset, values, start, interval)...); err != nil {
			return err
		}
	}
	return nil
}

// placed gives the values of a series their times, leaving out the gaps.
func placed(lset labels.Labels, values []parser.SequenceValue, start time.Time, interval time.Duration) []Sample {
	var samples []Sample
	for i, v := range values {
		if !v.Omitted {
			samples = append(samples, Sample{lset, start.Add(time.Duration(i) * interval), v.Value})
		}
	}
	return samples
}

// commit runs fill on an appender and commits what it appended, or nothing if it fails.
func (p *Prometheus) commit(fill func(storage.AppenderV2) error) error {
	app := announcing{p.db, &p.commits}.AppenderV2(context.Background())
	if err := fill(app); err != nil {
		_ = app.Rollback()
		return err
	}
	return app.Commit()
}
