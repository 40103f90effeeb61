package embedded

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/model/timestamp"
	"github.com/prometheus/prometheus/storage"
)

// pages remembers what the last page of each target held, because a series that is missing
// from the next one gets a stale marker.
type pages struct {
	mu   sync.Mutex
	last map[string]map[string]labels.Labels // By target, then by series, each as text.
}

// AppendPage stores a page as a scrape of the target at that time would: parsed by
// Prometheus' own parser, given the target's labels (a label of the page in their way
// becomes exported_*), with up and the other scrape series, and with stale markers for what
// the target's previous page had and this one has not. A page that does not parse is a
// failed scrape, stored as such, and is an error too.
func (p *Prometheus) AppendPage(at time.Time, job string, target Target, page []byte, contentType string) error {
	p.pages.mu.Lock()
	defer p.pages.mu.Unlock()
	own := target.labels(job)
	samples, err := parsePage(page, contentType, timestamp.FromTime(at), own)
	if err != nil {
		return errors.Join(fmt.Errorf("page of %s: %w", own, err), p.appendScrape(at, own, nil, 0))
	}
	return p.appendScrape(at, own, samples, 1)
}

// AppendFailure stores what a failed scrape stores: up is 0 and every series of the
// target's previous page is stale.
func (p *Prometheus) AppendFailure(at time.Time, job string, target Target) error {
	p.pages.mu.Lock()
	defer p.pages.mu.Unlock()
	return p.appendScrape(at, target.labels(job), nil, 0)
}

// AppendGone stores what Prometheus stores for a target that left: all its series are
// stale, up among them.
func (p *Prometheus) AppendGone(at time.Time, job string, target Target) error {
	p.pages.mu.Lock()
	defer p.pages.mu.Unlock()
	own := target.labels(job)
	return p.commit(func(app storage.AppenderV2) error {
		if err := p.markStale(app, timestamp.FromTime(at), own, nil); err != nil {
			return err
		}
		return report(app, timestamp.FromTime(at), own, slices.Repeat([]float64{Stale()}, len(reported)))
	})
}

// labels are the target's own: job, instance and what it was given.
func (t Target) labels(job string) labels.Labels {
	b := labels.NewBuilder(labels.FromMap(t.Labels))
	b.Set(model.JobLabel, job)
	if b.Get(model.InstanceLabel) == "" {
		b.Set(model.InstanceLabel, t.Address)
	}
	return b.Labels()
}

// pageSample is one line of a page with its final labels.
type pageSample struct {
	labels labels.Labels
	t      int64
	v      float64
	timed  bool // The page gave the time itself: never marked stale, as in a scrape.
}

// parsePage reads all samples of a page; t is the time of those that name none.
func parsePage(page []byte, contentType string, t int64, target labels.Labels) ([]pageSample, error) {
	parser, err := textparse.New(page, contentType, labels.NewSymbolTable(), textparse.ParserOptions{IgnoreNativeHistograms: true})
	if parser == nil {
		return nil, err
	}
	var samples []pageSample
	for {
		entry, err := parser.Next()
		if errors.Is(err, io.EOF) {
			return samples, nil
		}
		if err != nil {
			return nil, err
		}
		if entry != textparse.EntrySeries {
			continue
		}
		s := pageSample{t: t}
		_, ts, v := parser.Series()
		s.v = v
		if ts != nil {
			s.t, s.timed = *ts, true
		}
		var lset labels.Labels
		parser.Labels(&lset)
		s.labels = withTarget(lset, target)
		samples = append(samples, s)
	}
}

// withTarget adds the target's labels to a series, which keeps its own of the same name as
// exported_*, with as many exported_ as it takes to be free. An empty label is no label, and
// shorter names give way first, both as in Prometheus.
func withTarget(lset, target labels.Labels) labels.Labels {
	b := labels.NewBuilder(lset)
	var clashes []labels.Label
	target.Range(func(l labels.Label) {
		if v := lset.Get(l.Name); v != "" {
			clashes = append(clashes, labels.Label{Name: l.Name, Value: v})
		}
		b.Set(l.Name, l.Value)
	})
	slices.SortStableFunc(clashes, func(a, b labels.Label) int { return len(a.Name) - len(b.Name) })
	for _, l := range clashes {
		name := model.ExportedLabelPrefix + l.Name
		for b.Get(name) != "" {
			name = model.ExportedLabelPrefix + name
		}
		b.Set(name, l.Value)
	}
	return b.Labels()
}

// appendScrape stores the samples of one scrape, the stale markers it causes, and the
// scrape's own series.
func (p *Prometheus) appendScrape(at time.Time, target labels.Labels, samples []pageSample, up float64) error {
	return p.commit(func(app storage.AppenderV2) error {
		t := timestamp.FromTime(at)
		now := map[string]labels.Labels{}
		added := 0
		for _, s := range samples {
			key := s.labels.String()
			if _, twice := now[key]; twice && !s.timed {
				continue // The first of two equal lines counts.
			}
			if _, err := app.Append(0, s.labels, 0, s.t, s.v, nil, nil, storage.AOptions{}); err != nil {
				return fmt.Errorf("append %s at %d: %w", key, s.t, err)
			}
			if !p.pages.had(target, key) {
				added++
			}
			if !s.timed {
				now[key] = s.labels
			}
		}
		if err := p.markStale(app, t, target, now); err != nil {
			return err
		}
		n := float64(len(samples))
		return report(app, t, target, []float64{up, 0, n, n, float64(added)})
	})
}

func (g *pages) had(target labels.Labels, series string) bool {
	_, ok := g.last[target.String()][series]
	return ok
}

// markStale ends the series of the target's last page that are not in now, and makes now
// its last page.
func (p *Prometheus) markStale(app storage.AppenderV2, t int64, target labels.Labels, now map[string]labels.Labels) error {
	for key, lset := range p.pages.last[target.String()] {
		if _, ok := now[key]; ok {
			continue
		}
		if _, err := app.Append(0, lset, 0, t, Stale(), nil, nil, storage.AOptions{}); err != nil {
			return fmt.Errorf("append stale %s at %d: %w", key, t, err)
		}
	}
	if p.pages.last == nil {
		p.pages.last = map[string]map[string]labels.Labels{}
	}
	p.pages.last[target.String()] = now
	return nil
}

// reported names the series Prometheus adds to every scrape, in the order of report.
var reported = strings.Fields("up scrape_duration_seconds scrape_samples_scraped scrape_samples_post_metric_relabeling scrape_series_added")

func report(app storage.AppenderV2, t int64, target labels.Labels, values []float64) error {
	for i, name := range reported {
		lset := labels.NewBuilder(target).Set(model.MetricNameLabel, name).Labels()
		if _, err := app.Append(0, lset, 0, t, values[i], nil, nil, storage.AOptions{}); err != nil {
			return fmt.Errorf("append %s at %d: %w", lset, t, err)
		}
	}
	return nil
}
