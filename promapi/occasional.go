package promapi

import (
	"context"
	"slices"
	"time"
)

// A rareOutcome is the answer to an occasional query at a round time.
type rareOutcome struct {
	*outcome
	when     time.Time
	reported bool
}

// How often the occasional queries are asked, and how many answers are kept: enough
// for a range that is read twice.
const (
	coldStartEvery = 5 * time.Minute
	rarelyEvery    = 10 * time.Minute
	rareKept       = 4
)

// occasional returns the answer to a query that is asked at round times only, so that
// two readers ask the same and a range is read as its instants were. An answer is
// asked for once, errors excepted.
func (r *Reader) occasional(ctx context.Context, f Family, at time.Time, every time.Duration) *rareOutcome {
	when := at
	if every > 0 {
		when = at.Truncate(every)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, kept := range r.rare[f] {
		if kept.when.Equal(when) {
			return kept
		}
	}
	rare := r.askRarely(f, when, func(query string) (Result, error) { return r.querier.Query(ctx, query, when) })
	if rare.outcome != nil && rare.Err == nil {
		kept := append(r.rare[f], rare)
		r.rare[f] = kept[max(0, len(kept)-rareKept):]
	}
	return rare
}

// askRarely sends an occasional query, if the plan has it.
func (r *Reader) askRarely(f Family, when time.Time, send func(query string) (Result, error)) *rareOutcome {
	i := slices.IndexFunc(r.plan.Occasional, func(q PlannedQuery) bool { return q.Family == f })
	if i < 0 {
		return &rareOutcome{when: when, reported: true}
	}
	return &rareOutcome{outcome: settle(r.plan.Occasional[i], send), when: when}
}
