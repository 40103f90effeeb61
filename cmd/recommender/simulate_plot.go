package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/infscale/infscale/recommender/plot"
	"github.com/infscale/infscale/recommender/score"
	"github.com/infscale/infscale/recommender/sim"
)

// plot writes the page of the first seed to a file.
func (s *simulation) plot(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := plot.Write(f, s.page()); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// page is the table, the traffic, and what each policy did with it.
func (s *simulation) page() *plot.Page {
	rows := s.rows()
	p := &plot.Page{
		Title:    "recommender simulate",
		Subtitle: strings.Join(s.notes(), ". ") + ".",
		Tables:   []plot.Table{{Header: rows[0], Rows: rows[1:]}},
	}
	if len(s.watch.ticks) > 0 {
		p.Panels = append(p.Panels, s.arrivals())
	}
	for i := range s.plan.Candidates {
		p.Panels = append(p.Panels, s.replicas(i), s.requests(i), s.latency(i))
	}
	return p
}

// series is one quantity of the ticks of a policy.
func series(name string, kind plot.Kind, role plot.Role, ticks []sim.Tick, of func(*sim.Tick) float64) plot.Series {
	points := make([]plot.Point, len(ticks))
	for i := range ticks {
		points[i] = plot.Point{X: ticks[i].At, Y: of(&ticks[i])}
	}
	return plot.Series{Name: name, Kind: kind, Role: role, Points: points}
}

// arrivals is the traffic, which all policies met.
func (s *simulation) arrivals() plot.Panel {
	every := s.plan.Run.Interval.Seconds()
	return plot.Panel{
		Title: "Arrivals", Unit: "requests/s", Description: "The same for every policy.",
		Series: []plot.Series{series("arrivals", plot.Area, plot.Auto, s.watch.ticks[0], func(t *sim.Tick) float64 { return t.Arrived / every })},
	}
}

// requests is where the requests were under one policy.
func (s *simulation) requests(i int) plot.Panel {
	ticks := s.watch.ticks[i]
	return plot.Panel{
		Title: s.plan.Candidates[i].Name + ": requests", Unit: "requests", Description: "In the batches, in the queues of replicas, and in front of them.",
		Width: plot.Half,
		Series: []plot.Series{
			series("running", plot.StackedStep, plot.OK, ticks, func(t *sim.Tick) float64 { return t.Running }),
			series("waiting", plot.StackedStep, plot.Warn, ticks, func(t *sim.Tick) float64 { return t.Waiting }),
			series("held", plot.StackedStep, plot.Bad, ticks, func(t *sim.Tick) float64 { return t.Held }),
		},
	}
}

// latency is how long users waited under one policy.
func (s *simulation) latency(i int) plot.Panel {
	ticks, objective := s.watch.ticks[i], s.plan.Run.TTFT.Seconds()
	return plot.Panel{
		Title: s.plan.Candidates[i].Name + ": time to first token", Unit: "s",
		Description: "As read off the buckets of an engine: of the requests that got their first token since the decision before.",
		Width:       plot.Half, Log: true,
		Thresholds: []plot.Threshold{{Label: fmt.Sprintf("objective %gs", objective), Y: objective, Role: plot.Bad}},
		Series: []plot.Series{
			series("p50", plot.Line, plot.Auto, ticks, func(t *sim.Tick) float64 { return positive(t.TTFTp50) }),
			series("p95", plot.Line, plot.Auto, ticks, func(t *sim.Tick) float64 { return positive(t.TTFTp95) }),
		},
	}
}

// positive leaves out what a logarithm does not have.
func positive(v float64) float64 {
	if v > 0 {
		return v
	}
	return math.NaN()
}

// replicas is what one policy did, and why: what there is after each decision.
func (s *simulation) replicas(i int) plot.Panel {
	ticks := s.watch.ticks[i]
	p := plot.Panel{
		Title: s.plan.Candidates[i].Name + ": replicas", Unit: "replicas", Description: s.sentence(i),
		Series: []plot.Series{
			series("ready", plot.StackedStep, plot.OK, ticks, func(t *sim.Tick) float64 { return float64(min(t.Ready, t.Desired)) }),
			series("starting", plot.StackedStep, plot.Warn, ticks, func(t *sim.Tick) float64 { return float64(max(t.Desired-t.Ready, 0)) }),
			series("draining", plot.StackedStep, plot.Muted, ticks, func(t *sim.Tick) float64 { return float64(t.Draining + max(t.Ready-t.Desired, 0)) }),
			series("desired", plot.Step, plot.Strong, ticks, func(t *sim.Tick) float64 { return float64(t.Desired) }),
		},
	}
	if slices.ContainsFunc(ticks, func(t sim.Tick) bool { return t.Pending > 0 }) {
		p.Series = append(p.Series, series("pending", plot.Step, plot.Bad, ticks, func(t *sim.Tick) float64 { return float64(t.Pending) }))
	}
	for j := range ticks {
		if len(ticks) <= everyTick || j == 0 || ticks[j].Current != ticks[j].Desired ||
			ticks[j].Decision.Reason != ticks[j-1].Decision.Reason {
			p.Marks = append(p.Marks, mark(&ticks[j]))
		}
	}
	return p
}

// everyTick is up to how many decisions each has a mark. Of more, those have one that
// changed something, or that have another reason than the one before.
const everyTick = 500

// mark is a decision: only one that changed something is labelled.
func mark(t *sim.Tick) plot.Mark {
	explained := t.Decision.Explain()
	m := plot.Mark{X: t.At, Text: t.Decision.Headline() + "\n" + explained.Text(), Role: plot.Muted}
	if t.Current != t.Desired {
		m.Label, m.Role = fmt.Sprintf("%d→%d", t.Current, t.Desired), plot.Strong
	}
	return m
}

// sentence sums one policy up.
func (s *simulation) sentence(i int) string {
	for j := range s.report.Outcomes {
		if o := &s.report.Outcomes[j]; o.Candidate == i && o.Seed == 0 {
			return summary(o)
		}
	}
	return ""
}

func summary(o *score.Outcome) string {
	return fmt.Sprintf("%d of %d requests missed the objective (%s), %.1f replica-minutes, %d scale events.",
		o.Misses, o.Requests, percent(o.MissRatio()), o.ReplicaMinutes(), o.Events)
}
