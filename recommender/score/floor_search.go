package score

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// A search looks for the cheapest schedule. What it keeps was simulated as a whole.
type search struct {
	*problem
	window *window
	plan   *plan
	// best is the cheapest schedule so far that misses no more than allowed.
	best    candidate
	reached bool
	// plans is what the fluid model gave.
	plans []candidate
	// effort is how many requests may be replayed in all.
	effort int
}

// A candidate is a schedule with its outcome.
type candidate struct {
	schedule schedule
	outcome
}

// The effort is what a short trace takes for more than is ever found later, and for long
// ones all that there is time for.
const (
	leastEffort      = 4_000_000
	effortPerRequest = 110
)

const (
	// attempts is how often a round is tried with fewer misses.
	attempts = 6
	// singles is how many moves are tried by themselves where no attempt did better.
	singles = 12
	// leastGain is the fraction by which a round has to improve for another one.
	leastGain = 1e-4
)

func (s *search) do(ctx context.Context) error {
	s.window = newWindow(s.problem)
	s.effort = leastEffort + effortPerRequest*len(s.requests)
	if err := s.constants(ctx); err != nil {
		return err
	}
	s.plan = newPlan(s.problem)
	if err := s.fluid(ctx); err != nil {
		return err
	}
	return s.rounds(ctx)
}

// try simulates a schedule and keeps it if it is the best.
func (s *search) try(ctx context.Context, c schedule) (candidate, error) {
	tried := candidate{schedule: c}
	if s.plain() {
		tried.outcome = s.window.replay(&c, 0, s.end)
		if tried.misses > s.allowed || tried.cost >= s.best.cost {
			return tried, ctx.Err()
		}
	}
	var err error
	tried.outcome, err = s.simulate(ctx, &c)
	s.effort -= len(s.requests)
	if err == nil && tried.misses <= s.allowed && tried.cost < s.best.cost {
		s.best = tried
	}
	return tried, err
}

// constants tries fleets that never change after the first order, from the largest down.
func (s *search) constants(ctx context.Context) error {
	s.best.cost = math.Inf(1)
	for n := s.most; n >= 0; n-- {
		c := schedule{initial: s.run.Initial}
		c.add(1, n-s.run.Initial)
		if !c.possible(s.problem) {
			return nil
		}
		tried, err := s.try(ctx, c)
		if err != nil {
			return err
		}
		if n == s.most {
			s.reached = tried.misses <= s.allowed
			s.allowed = max(s.allowed, tried.misses)
			s.best = tried
		}
		if tried.misses > s.allowed {
			return nil
		}
	}
	return nil
}

// fluid tries what the fluid model says, for a range of factors at prices that close in on
// the allowed misses.
func (s *search) fluid(ctx context.Context) error {
	for _, factor := range factors {
		low, high := 1e-2, 10*(s.cold+s.slot)
		for range planPrices {
			price := math.Sqrt(low * high)
			c := s.plan.schedule(price, factor)
			if !c.possible(s.problem) {
				low = price
				continue
			}
			tried, err := s.try(ctx, c)
			if err != nil {
				return err
			}
			s.plans = append(s.plans, tried)
			if tried.misses > s.allowed {
				low = price
			} else {
				high = price
			}
		}
	}
	return nil
}

// factors are by how much the work of the fluid is multiplied.
var factors = [...]float64{1, 1.15, 1.35, 1.7, 2.5}

const planPrices = 5

// left is the requests that may still be replayed.
func (s *search) left() int { return s.effort - s.window.replayed }

// rounds improves the best schedule until nothing does, or there is no effort left: in
// each round moves are measured by themselves, and those made that save the most together.
// Large and small ones take turns.
func (s *search) rounds(ctx context.Context) error {
	idle := 0
	for round := 0; s.left() > 0 && idle < 2; round++ {
		before := s.best.cost
		moves := s.small
		if round%2 == 0 {
			moves = s.large
		}
		if err := s.improve(ctx, moves(ctx)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		idle++
		if s.best.cost < before-leastGain*before {
			idle = 0
		}
	}
	return nil
}

// improve tries the best moves together, and if they miss too much, fewer of them, and then
// each by itself.
func (s *search) improve(ctx context.Context, moves []move) error {
	from := s.best
	slack := s.allowed - from.misses
	for range attempts {
		chosen := choose(moves, slack)
		if len(chosen) == 0 {
			break
		}
		tried, err := s.tryMoves(ctx, from.schedule, chosen)
		if err != nil || s.best.cost < from.cost {
			return err
		}
		// Together they miss more than each of them by itself.
		slack -= max(tried.misses-s.allowed, 1)
	}
	slices.SortStableFunc(moves, func(a, b move) int { return cmp.Compare(a.cost, b.cost) })
	tries := 0
	for _, m := range moves {
		if m.cost >= 0 || tries == singles {
			break
		}
		if m.misses > s.allowed-from.misses {
			continue
		}
		if _, err := s.tryMoves(ctx, from.schedule, []move{m}); err != nil || s.best.cost < from.cost {
			return err
		}
		tries++
	}
	return nil
}

// tryMoves tries a schedule with those moves.
func (s *search) tryMoves(ctx context.Context, c schedule, moves []move) (candidate, error) {
	for _, m := range moves {
		c = c.patched(m.patch)
	}
	return s.try(ctx, c)
}
