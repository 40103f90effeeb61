package daemon

import (
	"context"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/recommender/risk"
)

// historyPatience bounds the reading of history.
const historyPatience = 2 * time.Minute

// A past is what the instants before a slot leave of every workload. The instants
// themselves are dropped one by one, so it does not grow with their number.
type past struct {
	workloads []replayed // in the order of the world's
	slots     int
}

// A replayed is one workload after its past.
type replayed struct {
	state   recommender.State
	tracker risk.Tracker
	last    recommender.Decision
	changes []export.Change // newest first, never changed in place
}

// newPast begins before all instants. What was recommended then rests on evidence that is
// not read, and may be on its way still.
func newPast(w *world, recommended []recommender.Quantity, at time.Time) *past {
	p := &past{workloads: make([]replayed, len(w.workloads))}
	for i, q := range recommended {
		if q.Known() {
			p.workloads[i].state = recommender.Recommended(int32(min(q.Value, float64(w.workloads[i].policy.Max))), at)
		}
	}
	return p
}

// fold takes in the next instant.
func (p *past) fold(w *world, r *reading) {
	for i := range p.workloads {
		p.workloads[i].fold(w.workloads[i].policy, &r.observations[i], p.slots > 0)
	}
	p.slots++
}

// fold decides on the next observation. The first is no change of anything: the past only
// begins there.
func (p *replayed) fold(policy *recommender.Policy, o *recommender.Observation, changes bool) {
	p.tracker.Observe(o)
	d, state := recommender.Decide(*policy, p.state, *o)
	if changes {
		p.changes = noted(p.changes, &p.last, &d, true)
	}
	p.state, p.last = state, d
}

// heed takes in what was recommended just before a slot, where that is more than the past
// leads to: something older led to it, such as a rise that nobody follows yet.
func (p *past) heed(w *world, recommended []recommender.Quantity, slot time.Time) {
	for i, q := range recommended {
		r := &p.workloads[i]
		if q.Known() && (!r.last.Known || q.Value > float64(r.last.Desired)) {
			r.state = r.state.Asking(int32(min(q.Value, float64(w.workloads[i].policy.Max))), slot.Add(-w.interval))
		}
	}
}

// span returns how far back anything may matter that is remembered of any workload. The
// live reading knows the cold starts that are measured.
func (w *world) span(live *reading) time.Duration {
	var longest time.Duration
	for i := range w.workloads {
		p := w.workloads[i].policy
		longest = max(longest, p.ReplayWith(&live.observations[i]))
		if p.SLO.TTFT > 0 {
			// The first rates rest on what was in flight a window before.
			longest = max(longest, risk.Memory+w.rateWindow)
		}
	}
	return longest
}

// readPast replays everything before slot that matters, and what passes meanwhile. It
// returns the slot that comes next, and what was read of it if that was among the rest.
func (w *world) readPast(ctx context.Context, slot time.Time, span time.Duration, now func() time.Time) (time.Time, *reading, *past, error) {
	ctx, cancel := context.WithTimeout(ctx, historyPatience)
	defer cancel()
	from := slotOf(slot.Add(-span), w.interval)
	recommended, err := w.source.recommended(ctx, from)
	if err != nil {
		return later(slot, slotOf(now(), w.interval)), nil, nil, err
	}
	p := newPast(w, recommended, from.Add(-w.interval))
	var newest *reading // not folded yet
	for {
		err := w.source.history(ctx, from, slot, w.interval, func(r *reading) {
			if newest != nil {
				p.fold(w, newest)
			}
			newest = r
		})
		next := later(slot, slotOf(now(), w.interval))
		switch {
		case err != nil:
			return next, nil, nil, err
		case next.Equal(slot):
			recommended, err := w.source.recommended(ctx, slot)
			p.heed(w, recommended, slot)
			return slot, newest, p, err
		}
		from, slot = slot.Add(w.interval), next
	}
}
