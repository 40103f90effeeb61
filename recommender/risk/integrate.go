package risk

import (
	"math"
	"slices"
)

// most counts of replicas in one estimate.
const mostCounts = 4

// A node is one simulated course of the traffic: that of the p-th quantile of its growth.
type node struct {
	p float64
	// missed is the fraction of its requests that miss the objective, for each run.
	missed [mostCounts]float64
	// weight is the probability that any request arrives at all.
	weight float64
	// part is how much of the integral it stands for.
	part float64
}

// The first node is in the middle, and the next ones where traffic shrinks and grows as
// far as matters. They stand for what lies beyond them too.
const (
	lowest  = 0.04
	middle  = 0.5
	highest = 0.96
)

// precise is the error of the integral at which it is good enough, and mostNodes how many
// nodes it takes at most.
const (
	precise   = 0.01
	mostNodes = 48
)

// fewestRequests are simulated in all nodes together. With less, that all of them met the
// same fate may be chance.
const fewestRequests = 200

// fewNodes are too few to look where the integrand changes: a search that ends early has
// seen the extremes first, and takes what lies before them for as bad.
const fewNodes = 5

// sample replaces the nodes by n that lie evenly, each for as much of the integral. That is
// coarse, and leans neither way.
func (e *Estimator) sample(s *situation, n int) {
	first := e.nodes[0]
	e.nodes, e.even = e.nodes[:0], true
	for i := range n {
		if p := (float64(i) + 0.5) / float64(n); p != middle {
			e.nodes = append(e.nodes, e.simulate(s, p, i+1))
			continue
		}
		e.nodes = append(e.nodes, first)
	}
}

// integrate returns the fraction of the requests that miss the objective for each of the
// counts of replicas, NaN for one that is absent, over everything that traffic may do.
//
// The more traffic grows, the more of it misses: the integrand rises with p, from no less
// than 0 to no more than 1. That bounds the error between two nodes by their difference,
// and the next node goes where that bound is largest. Where nothing can happen, or the
// worst is certain, two nodes are enough.
func (e *Estimator) integrate(s *situation, counts []int, w *Workload) [mostCounts]float64 {
	budget := w.Budget
	if budget <= 0 {
		budget = DefaultBudget
	}
	e.prepare(s, counts, budget)
	e.even = false
	e.nodes = append(e.nodes[:0], e.simulate(s, middle, 0))
	requests := len(e.requests)
	if affordable := budget / max(e.spent, 1); affordable < fewNodes {
		e.sample(s, max(affordable, fewestNodes))
		return e.areas(counts)
	}
	for len(e.nodes) < mostNodes && e.spent+e.spent/len(e.nodes) <= budget {
		place, p, bound := e.widest()
		if bound < precise {
			if requests >= fewestRequests {
				break
			}
			place, p = e.farthest()
		}
		e.nodes = slices.Insert(e.nodes, place, e.simulate(s, p, len(e.nodes)))
		requests += len(e.requests)
	}
	return e.areas(counts)
}

// widest returns where the error may be largest: the place of a new node and its p. The
// bound is that of the whole error, as far as more nodes can lower it.
func (e *Estimator) widest() (place int, p, bound float64) {
	first, last := &e.nodes[0], &e.nodes[len(e.nodes)-1]
	largest := 0.0
	consider := func(i int, at, area float64) {
		bound += area
		if area > largest {
			place, p, largest = i, at, area
		}
	}
	if last.p < highest {
		consider(len(e.nodes), highest, (1-e.least(last))*(highest-last.p)/2)
	}
	if first.p > lowest {
		consider(0, lowest, e.most(first)*(first.p-lowest)/2)
	}
	for i := 1; i < len(e.nodes); i++ {
		a, b := &e.nodes[i-1], &e.nodes[i]
		consider(i, between(a.p, b.p), e.difference(a, b)*(b.p-a.p)/2)
	}
	return place, p, bound
}

// farthest returns the place in the middle of the largest gap, and its p.
func (e *Estimator) farthest() (place int, p float64) {
	before, largest := 0.0, 0.0
	for i := range len(e.nodes) + 1 {
		at := 1.0
		if i < len(e.nodes) {
			at = e.nodes[i].p
		}
		if at-before > largest {
			place, p, largest = i, (before+at)/2, at-before
		}
		before = at
	}
	return place, p
}

// least and most are of the fractions of all runs.
func (e *Estimator) least(n *node) float64 { return slices.Min(n.missed[:len(e.runs)]) }

func (e *Estimator) most(n *node) float64 { return slices.Max(n.missed[:len(e.runs)]) }

// difference is the largest one of any run.
func (e *Estimator) difference(a, b *node) float64 {
	d := 0.0
	for i := range e.runs {
		d = max(d, math.Abs(a.missed[i]-b.missed[i]))
	}
	return d
}

// areas integrates over the nodes, each run by itself, and hands out the results. Between
// two nodes the fraction is taken to be a straight line in the logarithm of the rate. With
// one replica more no more requests miss, and what says so is noise.
func (e *Estimator) areas(counts []int) [mostCounts]float64 {
	var y [mostCounts]float64
	e.share()
	for j := range e.runs {
		area, weight := 0.0, 0.0
		for i := range e.nodes {
			n := &e.nodes[i]
			weight += n.part * n.weight
			area += n.part * n.weight * n.missed[j]
		}
		e.runs[j].risk = min(max(area/weight, 0), 1)
		if j > 0 {
			e.runs[j].risk = min(e.runs[j].risk, e.runs[j-1].risk)
		}
	}
	for i, n := range counts {
		y[i] = math.NaN()
		for _, r := range e.runs {
			if r.asked == n {
				y[i] = r.risk
			}
		}
	}
	return y
}

// share gives every node its part of the integral. Nodes that lie evenly have equal ones.
func (e *Estimator) share() {
	for i := range e.nodes {
		e.nodes[i].part = 0
		if e.even {
			e.nodes[i].part = 1 / float64(len(e.nodes))
		}
	}
	if e.even {
		return
	}
	first, last := &e.nodes[0], &e.nodes[len(e.nodes)-1]
	first.part += first.p
	last.part += 1 - last.p
	for i := 1; i < len(e.nodes); i++ {
		a, b := &e.nodes[i-1], &e.nodes[i]
		part := meanBetween(a.p, b.p)
		a.part += (b.p - a.p) * (1 - part)
		b.part += (b.p - a.p) * part
	}
}
