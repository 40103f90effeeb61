package promapi

import (
	"math"
	"slices"
	"time"

	"github.com/infscale/infscale/recommender"
)

// largest returns a tally of the twin that has the most of it.
func (r *reading) largest(of func(*rateSet) tally) tally {
	var most tally
	for _, set := range r.rates {
		if t := of(set); most.rows == 0 || !(t.sum <= most.sum) {
			most = t
		}
	}
	return most
}

// rate returns the rate of a counter over all replicas.
func (m *moment) rate(i int, s *summary, c measure) recommender.Quantity {
	o := m.outcomes[FamilyCounters]
	rates, series, exported := m.counters(i, s, c)
	switch {
	case o.failed():
		return recommender.Missing(recommender.Failed)
	case s.heard == 0:
		return s.missing()
	case rates.rows > 0:
		q := s.quantity(rates.sum, s.reporting, o)
		q.LowerBound = q.LowerBound || (s.shared && q.Known())
		return q
	case s.shared:
		return recommender.Missing(recommender.Absent)
	case series.rows > 0:
		// One sample is no rate yet.
		return recommender.Missing(recommender.Unobserved)
	case exported && !o.partial() && !m.series.lacking():
		// The first request makes the series; until then there was none.
		return s.quantity(0, s.reporting, o)
	default:
		return recommender.Missing(recommender.Absent)
	}
}

// counters adds up the rates of a counter, and the series that may have no rate. It
// reports whether an engine of the workload exports it.
func (m *moment) counters(i int, s *summary, c measure) (rates, series tally, exported bool) {
	r := &m.readings[i]
	for e := range profiles {
		if !s.runs(e) {
			continue
		}
		rates.plus(r.largest(func(s *rateSet) tally { return s.rate[e][c] }))
		series.plus(r.largest(func(s *rateSet) tally { return s.series[e][c] }))
		exported = exported || len(profiles[e].names[c]) > 0
	}
	return rates, series, exported
}

// arrivals returns the requests that came per second: those that were finished, and
// the change of those in flight. What finishes is less than what comes while queues grow.
func (m *moment) arrivals(i int, s *summary, completions recommender.Quantity) recommender.Quantity {
	if !completions.Known() {
		return completions
	}
	before := m.inFlightBefore(i, s)
	q := completions
	if before.rows == 0 {
		q.LowerBound = true
		return q
	}
	now := s.inFlight()
	lower := q.LowerBound || s.gauge(now, s.reporting).LowerBound
	change := (now - before.sum) / m.options.RateWindow.Seconds()
	q = recommender.Exactly(max(0, q.Value+change), q.At, q.Replicas)
	q.LowerBound = lower && q.Known()
	return q
}

// inFlight returns the requests in flight, or NaN if those of some replica are not known.
func (s *summary) inFlight() float64 {
	if s.nonsense[running]+s.nonsense[waiting] > 0 {
		return math.NaN()
	}
	return s.sums[running].sum + s.sums[waiting].sum
}

// inFlightBefore returns the requests in flight one window ago.
func (m *moment) inFlightBefore(i int, s *summary) tally {
	if m.past != nil {
		return m.past[i]
	}
	var before tally
	if s.shared {
		return before
	}
	for e := range profiles {
		if s.runs(e) {
			for _, queue := range []measure{running, waiting} {
				before.plus(m.readings[i].largest(func(s *rateSet) tally { return s.before[e][queue] }))
			}
		}
	}
	return before
}

// An inFlight is how many requests of every workload were in flight at a time.
type inFlight struct {
	when time.Time
	of   []tally
}

// readInFlight finds the requests in flight one window ago: among the ticks that were
// read, or by asking, which is for the first ticks of a reader.
func (m *moment) readInFlight() {
	then := m.when.Add(-m.options.RateWindow)
	m.mu.Lock()
	for i := range m.flights {
		if m.flights[i].when.Equal(then) {
			m.past = m.flights[i].of
		}
	}
	m.mu.Unlock()
	if m.past != nil {
		return
	}
	for ls, v := range m.rarely(FamilyInFlight, 0).at(m.when.UnixMilli()) {
		if is, ok := meanings[ls.Get(signalLabel)]; ok {
			m.members.ofGroup(ls, false, func(i int) {
				m.readings[i].of(m.index.twin(ls)).before[is.engine][is.measure].add(v)
			})
		}
	}
}

// mostFlights is above the ticks of one window at any sensible interval.
const mostFlights = 256

// keepInFlight remembers what is in flight for the tick one window from now.
func (m *moment) keepInFlight(of []tally) {
	m.mu.Lock()
	defer m.mu.Unlock()
	oldest := m.when.Add(-m.options.RateWindow)
	m.flights = slices.DeleteFunc(m.flights, func(f inFlight) bool {
		return f.when.Before(oldest) || f.when.Equal(m.when)
	})
	if len(m.flights) < mostFlights {
		m.flights = append(m.flights, inFlight{m.when, of})
	}
}
