package risk

import (
	"math"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
)

// A situation is what is known of a workload at one instant, as numbers to simulate from.
type situation struct {
	current, ready         int
	running, waiting, held float64
	ages                   []float64 // of the starting replicas
	cohorts                []cohort  // of the ready ones
	cold                   coldStart
	lengths                lengths
	// size is how large the running requests are, compared with what is to be expected.
	size      float64
	forecast  forecast
	replica   sim.Replica
	engine    sim.Engine
	objective time.Duration
	horizon   float64 // in seconds
	seed      uint64
}

// situation puts together what the tracker and the workload know, or says what is missing.
func (e *Estimator) situation(t *Tracker, w *Workload, o *recommender.Observation) (*situation, Reason) {
	s := &e.now
	*s = situation{ages: s.ages[:0], engine: w.Engine, objective: w.Policy.SLO.TTFT, seed: seed(w.Name, o.Time)}
	k := t.latest()
	if s.objective <= 0 {
		return s, NoObjective
	}
	if why := s.observed(t, k, o); why != None {
		return s, why
	}
	window := w.RateWindow
	if window <= 0 {
		window = 2 * time.Minute
	}
	var ok bool
	if s.lengths, ok = t.lengths(window); !ok {
		return s, NoTokenLengths
	}
	if s.replica, ok = model(t, w, s.lengths, window); !ok {
		return s, NoReplicaModel
	}
	var fallback float64
	if w.Replica != nil {
		fallback = w.Replica.ColdStart().Seconds()
	}
	if s.cold = coldStartOf(o, w.Policy, fallback); !(s.cold.median > 0) {
		return s, NoColdStart
	}
	s.horizon = w.Horizon.Seconds()
	if s.horizon <= 0 {
		s.horizon = s.cold.median + w.Interval.Seconds()
	}
	if s.forecast, ok = e.forecast(t, window, s.horizon); !ok {
		return s, NoArrivals
	}
	s.size = s.sizeOf(k)
	s.cohorts = e.cohortsOf(t, s.batch())
	s.widen(k)
	return s, None
}

// observed takes over the counts of the last tick.
func (s *situation) observed(t *Tracker, k *tick, o *recommender.Observation) Reason {
	switch {
	case k == nil || k.at != o.Time.UnixNano():
		return StaleData
	case math.IsNaN(k.current) || math.IsNaN(k.ready):
		return because(NoReplicas, o.Current, o.Ready)
	case math.IsNaN(k.running) || math.IsNaN(k.waiting):
		return because(NoRequests, o.Running, o.Waiting)
	case math.IsNaN(k.arrivals):
		return because(NoArrivals, o.Arrivals)
	}
	s.current, s.ready = int(k.current), int(min(k.ready, k.current))
	s.running, s.waiting, s.held = k.running, k.waiting, orZero(k.held)
	s.ages = t.starting(s.ages)
	return None
}

// because returns stale data as the reason if that is what the quantities are, else why.
func because(why Reason, quantities ...recommender.Quantity) Reason {
	for _, q := range quantities {
		if q.Evidence == recommender.Stale {
			return StaleData
		}
	}
	return why
}

// model is the replica that is configured, else the one that fits what was observed.
func model(t *Tracker, w *Workload, l lengths, window time.Duration) (sim.Replica, bool) {
	if w.Replica == nil {
		return t.fit(l, window, int(w.Policy.MaxNumSeqs))
	}
	r := *w.Replica
	if w.Policy.MaxNumSeqs > 0 {
		r.MaxNumSeqs = int(w.Policy.MaxNumSeqs)
	}
	return r, true
}

// sizeOf compares how full the caches are with what the running requests should take.
func (s *situation) sizeOf(k *tick) float64 {
	const enough = 8 // requests, so that it is not chance
	if !(k.usage > 0 && k.running >= enough) {
		return 1
	}
	expected := k.running * s.lengths.context()
	size := k.usage * k.ready * float64(s.replica.KVCapacityTokens()) / expected
	return min(max(size, 0.25), 4)
}

// lowerVariance is the variance that a lower bound adds to the logarithm of the rate.
const lowerVariance = 0.1

// widen takes account of replicas that were not heard: what they have is not in the
// counts. They may be new and have nothing yet, so half of their share is added, and the
// other half either way is uncertain.
func (s *situation) widen(k *tick) {
	if k.arrivalsAreLower || k.countsAreLower {
		s.forecast.variance += lowerVariance
	}
	if !(k.reporting >= 1 && k.reporting < k.ready) {
		return
	}
	missing := math.Log(k.ready / k.reporting)
	half := math.Exp(missing / 2)
	s.running *= half
	s.waiting *= half
	if k.arrivalsAreLower {
		s.forecast.level += missing / 2
	}
	s.forecast.variance += missing * missing / 4
}

// seed makes a number of a name and a time.
func seed(name string, at time.Time) uint64 {
	h := uint64(0xcbf29ce484222325) // FNV-1a
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return mix(h ^ mix(uint64(at.UnixNano())))
}

// mix makes far numbers of near ones, as SplitMix64 does.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
