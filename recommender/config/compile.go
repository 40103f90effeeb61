package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
)

// compile turns what was written into what is read and decided.
func (c *Config) compile(m *mistakes) {
	c.check(m)
	c.workloads = make([]promapi.Workload, len(c.Entries))
	c.replicas = make([]*sim.Replica, len(c.Entries))
	first := map[string]int{}
	for i := range c.Entries {
		e := &c.Entries[i]
		path := fmt.Sprintf("workloads[%d]", i)
		c.workloads[i] = e.compile(m, path)
		c.replicas[i] = e.replica(m, path)
		c.workloads[i].Policy.HoldLimit = time.Duration(c.HoldLimit)
		m.addError(path, c.workloads[i].Policy.Validate())
		key := e.Namespace + "/" + e.Name
		if j, twice := first[key]; twice && e.Name != "" {
			m.add(path+".name", "%s is workloads[%d] already: one workload has one recommendation", key, j)
			continue
		}
		first[key] = i
	}
	if len(m.list) > 0 {
		return
	}
	// What passes here must not fail later, where nobody knows the line.
	if _, err := promapi.NewPlan(c.workloads, c.Options()); err != nil {
		m.addError("", err)
	}
}

// check notes what is wrong outside of the workloads.
func (c *Config) check(m *mistakes) {
	c.checkDurations(m)
	c.checkTimeout(m)
	for _, err := range c.Prometheus.Validate() {
		m.addError("prometheus", err)
	}
	if err := checkMatchers(c.Prometheus.Matchers); err != nil {
		m.add("prometheus.matchers", "%v", err)
	}
	for _, l := range [...]struct{ path, name string }{
		{"labels.namespace", c.Labels.Namespace}, {"labels.pod", c.Labels.Pod}, {"labels.model", c.Labels.Model},
	} {
		if !model.LegacyValidation.IsValidLabelName(l.name) {
			m.add(l.path, "must be a label name, got %q", l.name)
		}
	}
	if len(c.Entries) == 0 {
		m.add("workloads", "must have at least one")
	}
}

// longestOffset is more than any backend hides of its newest samples.
const longestOffset = model.Duration(10 * time.Minute)

// shortestWindow is four scrapes of a second, the shortest scrape interval in use. How
// often the engines are scraped is not known here.
const shortestWindow = model.Duration(4 * time.Second)

// checkDurations notes durations with which nothing would be known.
func (c *Config) checkDurations(m *mistakes) {
	for _, d := range [...]struct {
		path         string
		value, least model.Duration
	}{
		{"interval", c.Interval, 0},
		{"stale_after", c.StaleAfter, 0},
		{"rate_window", c.RateWindow, shortestWindow},
		{"latency_window", c.LatencyWindow, shortestWindow},
	} {
		switch {
		case d.value <= 0:
			m.add(d.path, "must be positive, got %v", d.value)
		case d.value < d.least:
			m.add(d.path, "must be at least %v, four scrapes a second apart, got %v", d.least, d.value)
		}
	}
	if c.HoldLimit < c.Interval {
		m.add("hold_limit", "must be at least interval %v, got %v", c.Interval, c.HoldLimit)
	}
	switch {
	case c.QueryOffset > longestOffset:
		m.add("query_offset", "must be at most %v, got %v", longestOffset, c.QueryOffset)
	case c.QueryOffset >= c.HoldLimit && !m.knows("hold_limit"):
		m.add("query_offset", "must be below hold_limit %v, got %v", c.HoldLimit, c.QueryOffset)
	}
}

// checkTimeout keeps requests shorter than the interval, so that evaluations never
// pile up behind a slow server.
func (c *Config) checkTimeout(m *mistakes) {
	switch timeout := c.Prometheus.Timeout; {
	case timeout < c.Interval || c.Interval <= 0:
	case m.lines["prometheus.timeout"] == 0:
		c.Prometheus.Timeout = c.Interval * 2 / 3
	default:
		m.add("prometheus.timeout", "must be below interval %v, got %v", c.Interval, timeout)
	}
}

// compile turns an entry into a workload. Where a value has a mistake it leaves a
// value that gives no further ones.
func (e *Entry) compile(m *mistakes, path string) promapi.Workload {
	e.checkIdentity(m, path)
	w := promapi.Workload{Namespace: e.Namespace, Name: e.Name, Kind: e.Kind, Selector: e.Selector, Engine: e.Engine}
	w.Held = e.held(m, path+".held")
	p := recommender.Policy{
		Min: e.Replicas.Min, Max: e.Replicas.Max,
		Tolerance: recommender.Tolerance(e.Tolerance),
		ScaleUp:   e.ScaleUp.rules(), ScaleDown: e.ScaleDown.rules(),
		Gate:               recommender.Gate{BatchFill: e.ScaleDown.Gate.BatchFill, For: time.Duration(e.ScaleDown.Gate.For)},
		ColdStart:          time.Duration(e.ColdStart),
		Lookahead:          time.Duration(e.Lookahead.Duration),
		LookaheadColdStart: e.Lookahead.Auto,
		Cooldown:           time.Duration(e.Cooldown),
		Held:               len(e.Held) > 0,
		MaxNumSeqs:         e.MaxNumSeqs,
		SLO:                recommender.SLO{TTFT: time.Duration(e.SLO.TTFT), Objective: e.SLO.Objective},
	}
	p.Signals, w.Queries = e.signals(m, path+".signals")
	p.Schedules = e.schedules(m, path+".schedules")
	w.Policy = &p
	return w
}

// checkIdentity notes what is wrong with the keys that say which workload it is.
func (e *Entry) checkIdentity(m *mistakes, path string) {
	if err := CheckNamespace(e.Namespace); err != nil {
		m.add(path+".namespace", "%v", err)
	}
	if err := CheckName(e.Name); err != nil {
		m.add(path+".name", "%v", err)
	}
	if !slices.Contains(promapi.Kinds, e.Kind) {
		m.add(path+".kind", "%s", unknown("kind", e.Kind, promapi.Kinds))
	}
	if engines := append([]string{promapi.EngineAuto}, promapi.Engines()...); !slices.Contains(engines, e.Engine) {
		m.add(path+".engine", "%s", unknown("engine", e.Engine, engines))
	}
	if err := checkMatchers(e.Selector); err != nil {
		m.add(path+".selector", "%v", err)
	}
}

// unknown says that a word is none of a closed set, and which was meant.
func unknown[T ~string](what string, got T, all []T) string {
	words := make([]string, len(all))
	for i := range all {
		words[i] = string(all[i])
		if strings.EqualFold(words[i], string(got)) {
			return fmt.Sprintf("unknown %s %q, did you mean %s?", what, string(got), words[i])
		}
	}
	if near, ok := recommender.Nearest(string(got), words); ok {
		return fmt.Sprintf("unknown %s %q, did you mean %s?", what, string(got), near)
	}
	return fmt.Sprintf("unknown %s %q, must be one of %s", what, string(got), strings.Join(words, ", "))
}

// signals fills in what signals leave out, and returns them with their queries.
func (e *Entry) signals(m *mistakes, path string) ([]recommender.Signal, []promapi.NamedQuery) {
	e.Signals = slices.Clone(e.Signals) // it may be the one of the defaults
	var signals []recommender.Signal
	var queries []promapi.NamedQuery
	for i := range e.Signals {
		s := &e.Signals[i]
		at := fmt.Sprintf("%s[%d]", path, i)
		s.complete(m, at, e.Engine)
		signal := recommender.Signal{Metric: s.Metric, Name: s.Name, Type: s.Type, Target: s.Target, Optional: s.Optional}
		if s.Percentile != nil {
			signal.Percentile = *s.Percentile
		}
		signals = append(signals, signal)
		if s.Metric == recommender.Query {
			if err := CheckQuery(s.Query); err != nil {
				m.add(at+".query", "%v", err)
			}
			queries = append(queries, promapi.NamedQuery{Name: s.Name, Text: s.Query})
		}
	}
	return signals, queries
}

// complete fills in what a signal leaves out.
func (s *Signal) complete(m *mistakes, path, engine string) {
	if s.Metric == "kv" {
		s.Metric = recommender.KVCacheUsage
	}
	switch {
	case s.Query != "" && s.Metric == "":
		s.Metric = recommender.Query
	case s.Query != "" && s.Metric != recommender.Query:
		m.add(path+".query", "is only for a query, and metric is %s", s.Metric)
	}
	kvCache, firstToken := promapi.EngineExports(engine)
	if (s.Metric == recommender.KVCacheUsage && !kvCache) || (s.Metric == recommender.TTFT && !firstToken) {
		m.add(path+".metric", "%s does not export %s", engine, s.Metric)
	}
	if s.Metric == recommender.TTFT && s.Percentile == nil {
		p := defaultPercentile
		s.Percentile = &p
	}
}

// schedules reads the expressions and zones of schedules.
func (e *Entry) schedules(m *mistakes, path string) []recommender.Schedule {
	schedules := make([]recommender.Schedule, len(e.Schedules))
	for i := range e.Schedules {
		s := &e.Schedules[i]
		at := fmt.Sprintf("%s[%d]", path, i)
		schedules[i] = recommender.Schedule{Min: s.Min, Location: location(m, at+".timezone", s.Timezone)}
		for _, edge := range [...]struct {
			path, text string
			into       *recommender.Cron
		}{{at + ".start", s.Start, &schedules[i].Start}, {at + ".end", s.End, &schedules[i].End}} {
			if edge.text == "" {
				m.add(edge.path, "must be set")
				continue
			}
			cron, err := recommender.ParseCron(edge.text)
			if err != nil {
				m.add(edge.path, "%v", err)
			}
			*edge.into = cron
		}
	}
	return schedules
}

// location loads a zone. It takes none from the machine: a schedule means the
// same wherever it is read.
func location(m *mistakes, path, name string) *time.Location {
	if name == "" {
		m.add(path, "must be set, such as Europe/Madrid or UTC")
		return nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil || zone == time.Local {
		m.add(path, "unknown time zone %q", name)
		return nil
	}
	return zone
}

// held reads the sources of held requests.
func (e *Entry) held(m *mistakes, path string) []promapi.HeldSource {
	presets := []string{promapi.HeldKEDA, promapi.HeldKnative}
	sources := make([]promapi.HeldSource, len(e.Held))
	for i := range e.Held {
		h := &e.Held[i]
		at := fmt.Sprintf("%s[%d]", path, i)
		sources[i] = promapi.HeldSource(*h)
		switch {
		case (h.Preset == "") == (h.Query == ""):
			m.add(at, "must have either a preset (%s) or a query", strings.Join(presets, ", "))
		case h.Query != "":
			if err := checkHeldQuery(h.Query, e.Replicas.Min); err != nil {
				m.add(at+".query", "%v", err)
			}
			if len(h.Match) > 0 {
				m.add(at+".match", "is only for a preset")
			}
		case !slices.Contains(presets, h.Preset):
			m.add(at+".preset", "%s", unknown("preset", h.Preset, presets))
		}
		h.checkMatch(m, at+".match")
	}
	return sources
}
