package score

import (
	"cmp"
	"context"
	"slices"
)

// A move is a patch of the best schedule with its effect.
type move struct {
	patch
	outcome
}

// worth is what an outcome costs where a miss costs price.
func (o outcome) worth(price float64) float64 { return o.cost + price*float64(o.misses) }

// small returns the moves from the best schedule that shift changes a little, with what
// each of them does.
func (s *search) small(ctx context.Context) []move {
	var moves []move
	for i := range s.best.schedule.changes {
		moves = s.effects(ctx, moves, s.shifts(nil, i, 1, 2, 3, 5, 8))
	}
	return moves
}

// large returns those that shift them far or take them out, do without a replica for some
// time, or do there what the fluid model said.
func (s *search) large(ctx context.Context) []move {
	moves := s.planned(ctx)
	cold := s.ahead()
	for i := range s.best.schedule.changes {
		moves = s.effects(ctx, moves, s.shifts(s.pairs(nil, i), i, 1+cold/6, 1+cold/3, 1+2*cold/3))
	}
	return s.dips(ctx, moves)
}

// planned returns the moves that turn the best schedule into one of the plans for some time.
// Only the first time there are any.
func (s *search) planned(ctx context.Context) []move {
	var moves []move
	slices.SortStableFunc(s.plans, func(a, b candidate) int {
		return cmp.Compare(abs(a.misses-s.allowed), abs(b.misses-s.allowed))
	})
	for i := range min(len(s.plans), mostPlans) {
		for _, d := range s.best.schedule.differences(&s.plans[i].schedule, s.slots) {
			moves = s.effects(ctx, moves, []patch{d})
		}
	}
	s.plans = nil
	return moves
}

const mostPlans = 6

func abs(n int) int { return max(n, -n) }

// shifts appends the patches that shift change i by so many slots, back and forth.
func (s *search) shifts(list []patch, i int, steps ...int) []patch {
	c := &s.best.schedule
	for _, step := range steps {
		at := c.changes[i].slot
		list = append(list, c.shift(s.problem, i, at-step), c.shift(s.problem, i, at+step))
	}
	return list
}

// dips appends the moves that do without one replica for some time anywhere, or with one
// more.
func (s *search) dips(ctx context.Context, moves []move) []move {
	c := &s.best.schedule
	ahead := s.ahead() + 1
	for _, length := range [...]int{2, 4, 8} {
		for from := 1; from < s.slots; from += length * ahead / 2 {
			to := min(from+length*ahead, s.slots)
			moves = s.effects(ctx, moves, []patch{c.more(s.problem, from, to, -1), c.more(s.problem, from, to, 1)})
		}
	}
	return moves
}

// pairs appends the patches that take out change i together with a later one of the other
// direction.
func (s *search) pairs(list []patch, i int) []patch {
	c := &s.best.schedule
	at, found := c.changes[i], 0
	for _, other := range c.changes[i+1:] {
		if other.by != at.by && other.slot > at.slot {
			list = append(list, c.more(s.problem, at.slot, other.slot, -at.by))
			if found++; found == 2 {
				break
			}
		}
	}
	return list
}

const (
	// warm is the seconds before a change that a window begins, settle those after its
	// effect that it ends.
	warm, settle = 45, 75
)

// effects appends the patches that are possible, with their effects, all of which are
// measured in one window.
func (s *search) effects(ctx context.Context, moves []move, list []patch) []move {
	c := &s.best.schedule
	from, to := s.slots, 0
	list = slices.DeleteFunc(list, func(p patch) bool {
		n := c.patched(p)
		return p.from == p.to || !n.possible(s.problem)
	})
	for _, p := range list {
		from, to = min(from, p.from), max(to, p.to)
	}
	if len(list) == 0 || s.left() <= 0 || ctx.Err() != nil {
		return moves
	}
	begin, end := max(float64(from)*s.slot-warm, 0), float64(to)*s.slot+s.cold+settle
	before := s.window.replay(c, begin, end)
	for _, p := range list {
		n := c.patched(p)
		after := s.window.replay(&n, begin, end)
		moves = append(moves, move{p, outcome{after.cost - before.cost, after.misses - before.misses}})
	}
	return moves
}

// choose returns moves that save the most together and add no more than slack misses: for
// a range of prices those that pay, each before the ones next to it that pay less.
func choose(moves []move, slack int) []move {
	var best []move
	least := 0.0
	for price := 1e-3; price < 1e3; price *= 1.5 {
		chosen := affordable(moves, price, slack)
		sum := 0.0
		for i := range chosen {
			sum += chosen[i].cost
		}
		if sum < least-1e-9 {
			best, least = chosen, sum
		}
	}
	return best
}

// affordable returns moves that pay at that price of a miss and fill the slack, those that
// pay the most first.
func affordable(moves []move, price float64, slack int) []move {
	order := slices.Clone(moves)
	slices.SortStableFunc(order, func(a, b move) int { return cmp.Compare(a.worth(price), b.worth(price)) })
	var chosen []move
	misses := 0
	for _, m := range order {
		if m.worth(price) >= 0 {
			break
		}
		if misses+m.misses <= slack && !slices.ContainsFunc(chosen, m.touches) {
			chosen, misses = append(chosen, m), misses+m.misses
		}
	}
	return chosen
}

// touches reports whether two moves change the same slots.
func (m *move) touches(other move) bool { return m.from <= other.to && other.from <= m.to }
