package promapi

import (
	"math"

	"github.com/infscale/infscale/recommender"
)

// observations makes an observation of every reading.
func (m *moment) observations() []recommender.Observation {
	list := make([]recommender.Observation, len(m.readings))
	m.report.Workloads = make([]WorkloadReport, len(m.readings))
	flights := make([]tally, len(m.readings))
	for i := range m.readings {
		s := m.summarise(i)
		if now := s.inFlight(); s.heard > 0 && !math.IsNaN(now) {
			flights[i].add(now)
		}
		list[i] = m.observation(i, s)
		m.report.Workloads[i] = m.reportOf(i, s, &list[i])
	}
	m.keepInFlight(flights)
	return list
}

// observation is what is known of one workload.
func (m *moment) observation(i int, s *summary) recommender.Observation {
	o := recommender.Observation{Time: m.at, Current: m.current(i), Ready: m.ready(i)}
	s.atMost(o.Ready)
	o.Reporting = m.reporting(s, o.Ready)
	o.Running, o.Waiting = s.level(running), s.level(waiting)
	o.Held = m.held(i, s, o.Ready)
	o.KVCacheUsage, o.KVCacheUsageMax = s.kvCache()
	o.OutputTokens, o.PromptTokens = m.rate(i, s, outputTokens), m.rate(i, s, promptTokens)
	o.Completions = m.rate(i, s, completions)
	o.Arrivals = m.arrivals(i, s, o.Completions)
	o.SLOMiss, o.SLOBound = m.slo(i, s)
	o.CPU = m.cpu(i, s)
	o.Queries = m.queries(i, s)
	o.ColdStart = m.coldStarts(i)
	for _, p := range m.index.targets[i].percentiles() {
		o.TTFT = append(o.TTFT, recommender.Percentile{P: p, Quantity: m.percentile(i, s, p)})
	}
	return o
}

// reportOf says how a workload was read.
func (m *moment) reportOf(i int, s *summary, o *recommender.Observation) WorkloadReport {
	r := WorkloadReport{Matched: m.readings[i].matched, Notes: m.readings[i].notes}
	for e := range profiles {
		if s.engines[e] {
			r.Engines = append(r.Engines, profiles[e].name)
		}
	}
	if m.options.Detailed {
		r.Replicas = m.replicaReports(i)
	}
	if s.heard == 0 {
		r.Notes = append(r.Notes, "no engine was heard: "+s.silence.String())
	}
	if !o.Current.Known() {
		r.Notes = append(r.Notes, m.index.targets[i].unseen(o.Current.Evidence))
	}
	return r
}
