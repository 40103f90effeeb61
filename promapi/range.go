package promapi

import (
	"context"
	"time"

	"github.com/infscale/infscale/recommender"
)

// A Tick is what Observe would have returned at a time.
type Tick struct {
	Time         time.Time
	Observations []recommender.Observation
	Report       Report
}

// rangeChunk is how much one range query spans at most: an answer of many workloads
// has to fit into memory, on both sides.
const rangeChunk = 15 * time.Minute

// ObserveRange reads all workloads at every step from start to end, both included, with
// the same queries and the same code as Observe. An occasional query that fails is not
// asked again. It fails only if ctx ends.
func (r *Reader) ObserveRange(ctx context.Context, start, end time.Time, step time.Duration) ([]Tick, error) {
	var ticks []Tick
	failed := map[Family]*rareOutcome{}
	perChunk := max(1, int(rangeChunk/step))
	for !start.After(end) {
		last := start.Add(time.Duration(perChunk-1) * step)
		if last.After(end) {
			last = start.Add(end.Sub(start).Truncate(step))
		}
		ticks = append(ticks, r.chunk(ctx, &span{start: start, end: last, step: step, whole: map[Family]*rareOutcome{}, failed: failed})...)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start = last.Add(step)
	}
	return ticks, nil
}

// A span is a part of a range that is short enough for one query a family.
type span struct {
	start, end time.Time
	step       time.Duration
	// whole are the answers for every tick of the span to the occasional queries that
	// are of no round time; failed are those of the range that got none.
	whole, failed map[Family]*rareOutcome
}

// chunk reads one span.
func (r *Reader) chunk(ctx context.Context, s *span) []Tick {
	outcomes := r.ask(func(query string) (Result, error) { return s.query(ctx, r, query) })
	for _, o := range outcomes {
		o.next = make([]int, len(o.rows))
	}
	var ticks []Tick
	for at := s.start; !at.After(s.end); at = at.Add(s.step) {
		observations, report := r.tick(ctx, at, outcomes, s)
		ticks = append(ticks, Tick{Time: at, Observations: observations, Report: report})
	}
	return ticks
}

// query asks for every tick of the span at once.
func (s *span) query(ctx context.Context, r *Reader, query string) (Result, error) {
	offset := -r.options.QueryOffset
	return r.querier.QueryRange(ctx, query, s.start.Add(offset), s.end.Add(offset), s.step)
}

// occasional returns the answer to an occasional query at a moment of the span, or at
// one that is read alone, if s is nil.
func (s *span) occasional(m *moment, f Family, every time.Duration) *rareOutcome {
	if s == nil {
		return m.occasional(m.ctx, f, m.when, every)
	}
	if rare := s.failed[f]; rare != nil {
		return rare
	}
	rare := s.whole[f]
	switch {
	case every > 0:
		rare = m.occasional(m.ctx, f, m.when, every)
	case rare == nil:
		rare = m.askRarely(f, m.when, func(query string) (Result, error) { return s.query(m.ctx, m.Reader, query) })
		if rare.outcome != nil {
			rare.next = make([]int, len(rare.rows))
		}
		s.whole[f] = rare
	}
	if rare.failed() {
		s.failed[f] = rare
	}
	return rare
}
