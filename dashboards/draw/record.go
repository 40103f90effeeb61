package draw

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/embedded"
)

// A rule is one recording rule.
type rule struct {
	Record string `yaml:"record"`
	Expr   string `yaml:"expr"`
}

// Record evaluates a file of recording rules at every scrape of the day and stores what
// they record, as Prometheus would have.
func Record(ctx context.Context, p *embedded.Prometheus, c *promapi.Client, day Day, folder fs.FS, file string) error {
	list, err := readRules(folder, file)
	if err != nil {
		return err
	}
	for _, r := range list {
		// Each rule reads what those before it recorded.
		answer, err := c.QueryRange(ctx, r.Expr, day.Start.Add(scrape), day.End, scrape)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", file, r.Record, err)
		}
		if err := store(p, r.Record, &answer); err != nil {
			return err
		}
	}
	return nil
}

func readRules(folder fs.FS, file string) ([]rule, error) {
	data, err := fs.ReadFile(folder, file)
	if err != nil {
		return nil, err
	}
	var f struct {
		Groups []struct {
			Rules []rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var list []rule
	for _, g := range f.Groups {
		list = append(list, g.Rules...)
	}
	return list, nil
}

// store stores an answer under a name, with a stale marker where a series ends.
func store(p *embedded.Prometheus, name string, answer *promapi.Result) error {
	var samples []embedded.Sample
	for _, s := range answer.Series {
		b := labels.NewBuilder(labels.FromStrings(model.MetricNameLabel, name))
		for _, l := range s.Labels {
			if l.Name != model.MetricNameLabel {
				b.Set(l.Name, l.Value)
			}
		}
		lset := b.Labels()
		var last time.Time
		for _, point := range s.Points {
			at := point.Time()
			if !last.IsZero() && at.Sub(last) > scrape {
				samples = append(samples, embedded.Sample{Labels: lset, T: last.Add(scrape), V: embedded.Stale()})
			}
			samples = append(samples, embedded.Sample{Labels: lset, T: at, V: point.V})
			last = at
		}
	}
	return p.Append(samples...)
}
