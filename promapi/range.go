package promapi

import (
	"context"
	"errors"
	"iter"
	"slices"
	"time"

	"github.com/infscale/infscale/recommender"
)

// A Tick is what Observe would have returned at a time.
type Tick struct {
	Time         time.Time
	Observations []recommender.Observation
	Report       Report
}

// One range query spans chunkSpan at most, and less if all answers together would have
// more than chunkPoints: they have to fit into memory, on both sides. A workload is
// taken to have rowsGuessed rows until the first answers tell how many there are.
const (
	chunkSpan   = 15 * time.Minute
	chunkPoints = 1_500_000
	rowsGuessed = 150
)

// ObserveRange returns all ticks of a range at once.
func (r *Reader) ObserveRange(ctx context.Context, start, end time.Time, step time.Duration) ([]Tick, error) {
	var ticks []Tick
	for tick, err := range r.Ticks(ctx, start, end, step) {
		if err != nil {
			return nil, err
		}
		ticks = append(ticks, *tick)
	}
	return ticks, nil
}

// Ticks reads all workloads at every step from start to end, both included, with the
// same queries and the same code as Observe. Ticks come one by one, oldest first, and the
// answers for some of them at a time, so that memory does not grow with the range. What is
// too much for the server to answer at once is asked for in halves. An occasional query
// that fails is not asked again. It yields an error only if ctx ends, and then nothing more.
func (r *Reader) Ticks(ctx context.Context, start, end time.Time, step time.Duration) iter.Seq2[*Tick, error] {
	return func(yield func(*Tick, error) bool) {
		failed := map[Family]*rareOutcome{}
		most := int(chunkSpan / step)
		for from := start; !from.After(end); {
			n := max(1, min(most, r.perChunk(step), int(end.Sub(from)/step)+1))
			s := &span{start: from, end: from.Add(time.Duration(n-1) * step), step: step, whole: map[Family]*rareOutcome{}, failed: failed}
			outcomes := r.ask(func(query string) (Result, error) { return s.query(ctx, r, query) })
			if n > 1 && ctx.Err() == nil && slices.ContainsFunc(outcomes, (*outcome).tooMuch) {
				most = n / 2
				continue
			}
			if !r.chunk(ctx, s, outcomes, yield) {
				return
			}
			from = s.end.Add(step)
		}
	}
}

// tooMuch reports whether the query might be answered for fewer ticks. One of a
// configuration may be wrong whatever it is asked for.
func (r *outcome) tooMuch() bool {
	e, ok := errors.AsType[*QueryError](r.Err)
	if !ok {
		return false
	}
	return e.Cause == CauseTimeout || e.Cause == CauseTooLarge || (e.Cause == CauseExecution && r.family != FamilyCustom)
}

// perChunk returns for how many ticks the answers fit into memory.
func (r *Reader) perChunk(step time.Duration) int {
	r.mu.Lock()
	rows := r.rows
	r.mu.Unlock()
	if rows == 0 {
		rows = rowsGuessed * len(r.index.targets)
	}
	return max(1, min(int(chunkSpan/step), chunkPoints/max(1, rows)))
}

// countRows notes how many rows the answers have. A missing answer tells nothing.
func (r *Reader) countRows(outcomes []*outcome) {
	rows, failed := 0, false
	for _, o := range outcomes {
		rows += len(o.rows)
		failed = failed || o.failed()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if rows > r.rows || !failed {
		r.rows = rows
	}
}

// A span is a part of a range that is short enough for one query a family.
type span struct {
	start, end time.Time
	step       time.Duration
	// whole are the answers for every tick of the span to the occasional queries that
	// are of no round time; failed are those of the range that got none.
	whole, failed map[Family]*rareOutcome
}

// chunk makes the ticks of one span of its answers, and reports whether to go on.
func (r *Reader) chunk(ctx context.Context, s *span, outcomes []*outcome, yield func(*Tick, error) bool) bool {
	for _, o := range outcomes {
		o.next = make([]int, len(o.rows))
	}
	for at := s.start; !at.After(s.end); at = at.Add(s.step) {
		observations, report := r.tick(ctx, at, outcomes, s)
		if err := ctx.Err(); err != nil {
			yield(nil, err)
			return false
		}
		if !yield(&Tick{Time: at, Observations: observations, Report: report}, nil) {
			return false
		}
	}
	return true
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
