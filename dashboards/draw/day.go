package draw

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/recommender/export"
)

const (
	// interval is between two decisions, scrape between two pages.
	interval = 15 * time.Second
	scrape   = 2 * time.Minute
	// job and the twins that are scraped.
	job = "infscale"
)

var twins = []string{"10.0.0.11:9099", "10.0.1.23:9099"}

// A Day is a stretch of simulated time, scraped every two minutes.
type Day struct {
	Start, End time.Time
}

// Fill stores what two replicas of infscale export during a day with three workloads: one
// that follows the day, one whose maximum is too low for its bursts, and one that sleeps at
// night. For a while Prometheus answers nothing, and for another a replica is not heard.
func Fill(ctx context.Context, p *embedded.Prometheus, length time.Duration) (Day, error) {
	// The last scrape is over when the day ends.
	day := Day{Start: start, End: start.Add(length + 10*time.Second)}
	list := fleet()
	moments := make([][]moment, len(list))
	for i := range list {
		var err error
		if moments[i], err = list[i].simulate(ctx, length); err != nil {
			return day, fmt.Errorf("%s: %w", list[i].name, err)
		}
	}
	for i, address := range twins {
		if err := scrapeTwin(p, address, i, moments); err != nil {
			return day, err
		}
	}
	return day, nil
}

// scrapeTwin stores the pages of one replica of infscale. All decide alike.
func scrapeTwin(p *embedded.Prometheus, address string, number int, moments [][]moment) error {
	registry := prometheus.NewRegistry()
	collector := export.NewCollector()
	if err := registry.Register(collector); err != nil {
		return err
	}
	own := newOwn(registry, number)
	for m := range moments[0] {
		s := &export.Snapshot{}
		for i := range moments {
			s.Workloads = append(s.Workloads, moments[i][m].workload)
			s.Slot = moments[i][m].workload.Decision.Time
			own.decided(&moments[i][m])
		}
		collector.Publish(s)
		own.worked(m, s.Slot)
		page, err := pageOf(registry)
		if err != nil {
			return err
		}
		// A scrape comes some seconds after the decision.
		at := s.Slot.Add(time.Duration(3+2*number) * time.Second)
		if err := p.AppendPage(at, job, embedded.Target{Address: address}, page, "text/plain"); err != nil {
			return err
		}
	}
	return nil
}

// pageOf is what /metrics would show.
func pageOf(g prometheus.Gatherer) ([]byte, error) {
	families, err := g.Gather()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&b, family); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
