package embedded

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/scrape"
)

// targetDelay is how long a change of targets may wait before it takes effect. Prometheus
// itself takes 5 s, which would be most of a test.
const targetDelay = 20 * time.Millisecond

// A Job is a set of targets scraped alike.
type Job struct {
	// Name becomes the label job.
	Name string
	// Interval is the time between two scrapes of a target [1s].
	Interval time.Duration
	// Timeout bounds one scrape [the interval, at most 10s].
	Timeout time.Duration
	// Path is where the page is [/metrics].
	Path string
	// HonorLabels keeps a label of the page where the target has one of that name; by
	// default the page's becomes exported_*.
	HonorLabels bool
	// Targets are scraped from the start.
	Targets []Target
}

// A Target is one address to scrape.
type Target struct {
	// Address is host:port. It becomes the label instance unless Labels have one.
	Address string
	// Labels are added to every series of the target.
	Labels map[string]string
}

// startScraping gives the scrape manager its jobs and their first targets.
func (p *Prometheus) startScraping(jobs []Job) error {
	cfg, err := config.Load("", p.logger)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		sc, err := j.config(cfg.GlobalConfig)
		if err != nil {
			return err
		}
		if _, ok := p.groups[j.Name]; ok {
			return fmt.Errorf("job %q: defined twice", j.Name)
		}
		cfg.ScrapeConfigs = append(cfg.ScrapeConfigs, sc)
		p.groups[j.Name] = group(j.Targets)
	}
	opts := &scrape.Options{
		DiscoveryReloadInterval:  model.Duration(targetDelay),
		DiscoveryReloadOnStartup: true,
	}
	p.scraper, err = scrape.NewManager(opts, p.logger, nil, nil, announcing{p.db, &p.commits}, p.registry)
	if err != nil {
		return err
	}
	if err := p.scraper.ApplyConfig(cfg); err != nil {
		return err
	}
	p.running.Go(func() { _ = p.scraper.Run(p.targets) })
	return p.sendTargets()
}

// config is the scrape configuration of the job, with Prometheus' own defaults.
func (j Job) config(global config.GlobalConfig) (*config.ScrapeConfig, error) {
	if j.Name == "" {
		return nil, errors.New("job without a name")
	}
	c := config.DefaultScrapeConfig
	c.JobName = j.Name
	c.HonorLabels = j.HonorLabels
	c.MetricsPath = cmp.Or(j.Path, c.MetricsPath)
	c.ScrapeInterval = model.Duration(cmp.Or(j.Interval, time.Second))
	c.ScrapeTimeout = model.Duration(j.Timeout)
	if err := c.Validate(global); err != nil {
		return nil, fmt.Errorf("job %q: %w", j.Name, err)
	}
	return &c, nil
}

// SetTargets replaces the targets of a job. A target that is no longer there gets stale
// markers some two intervals later, as under any service discovery.
func (p *Prometheus) SetTargets(job string, targets ...Target) error {
	p.jobs.Lock()
	defer p.jobs.Unlock()
	if _, ok := p.groups[job]; !ok {
		return fmt.Errorf("embedded prometheus: no job %q, have %q", job, slices.Sorted(maps.Keys(p.groups)))
	}
	p.groups[job] = group(targets)
	return p.sendTargets()
}

// sendTargets tells the scrape manager all targets of all jobs, as it expects.
func (p *Prometheus) sendTargets() error {
	select {
	case p.targets <- maps.Clone(p.groups):
		return nil
	case <-p.done:
		return errors.New("embedded prometheus: closed")
	}
}

// group is one target group a target, since labels belong to the group's members.
func group(targets []Target) []*targetgroup.Group {
	g := &targetgroup.Group{Source: "static"}
	for _, t := range targets {
		set := model.LabelSet{model.AddressLabel: model.LabelValue(t.Address)}
		for k, v := range t.Labels {
			set[model.LabelName(k)] = model.LabelValue(v)
		}
		g.Targets = append(g.Targets, set)
	}
	return []*targetgroup.Group{g}
}
