package promapi

import (
	"math"
	"time"

	"github.com/infscale/infscale/recommender"
)

// A summary is what the replicas of a workload say together.
type summary struct {
	moment *moment
	// heard counts replicas with a queue, reporting those of them that are ready and say all
	// of it: the replicas that a ratio stands for. Sums are over all that were heard.
	heard, reporting int32
	engines          [len(profiles)]bool
	fixed            int
	sums             [levels]tally
	fullest          float64
	// nonsense counts the replicas whose gauge is no number. The others make a lower bound.
	nonsense [levels]int
	// at is the time of the oldest sample that the sums rest on.
	at time.Time
	// silence is why nothing was heard, if nothing was.
	silence recommender.Evidence
	newest  float64 // the newest sample of replicas that are stale
	// shared says that rates and latencies of some pods are not told from another's.
	shared bool
}

func (m *moment) summarise(i int) *summary {
	s := &summary{moment: m, fixed: m.index.targets[i].engine, silence: recommender.Absent, shared: m.sharesGroup(i)}
	oldest := math.Inf(1)
	for _, r := range m.readings[i].replicas {
		e := r.speaks(s.fixed)
		if e < 0 {
			s.newest = max(s.newest, r.seen)
			continue
		}
		s.heard++
		s.engines[e] = true
		s.add(r, e)
		oldest = min(oldest, m.atLeast(r.seen))
	}
	if s.heard > 0 {
		s.at = m.sampled(oldest)
		return s
	}
	s.silence = m.silence(i, s.newest)
	return s
}

// add merges one replica. One that says half of its queue is up, and what it has is not
// known: it is no replica that was heard in full.
func (s *summary) add(r *replica, e int) {
	s.count(running, r.level[e][running])
	s.count(waiting, r.level[e][waiting])
	if r.exists && !r.ready {
		return // Its requests count. It is no replica to spread load over.
	}
	if r.has[e][kvCacheUsage] && s.count(kvCacheUsage, r.level[e][kvCacheUsage]) {
		s.fullest = max(s.fullest, r.level[e][kvCacheUsage])
	}
	if r.sound(e) {
		s.reporting++
	}
}

// count adds the gauge of one replica, and reports whether it is a number.
func (s *summary) count(m measure, v float64) bool {
	if math.IsNaN(v) {
		s.nonsense[m]++
		return false
	}
	s.sums[m].add(v)
	return true
}

// sum is a sum of gauges, and NaN if none of them is a number.
func (s *summary) sum(m measure) float64 {
	if s.sums[m].rows == 0 && s.nonsense[m] > 0 {
		return math.NaN()
	}
	return s.sums[m].sum
}

// silence says why a workload was not heard.
func (m *moment) silence(i int, newest float64) recommender.Evidence {
	o := m.outcomes[FamilyGauges]
	switch {
	case o.failed():
		return recommender.Failed
	case newest > 0:
		return recommender.Stale
	case m.shouldSpeak(i) && m.neverMatched(i):
		return recommender.NeverMatched
	default:
		return recommender.Absent
	}
}

// neverMatched reports whether no engine was ever heard of the workload: not in the
// last day, and not by this reader.
func (m *moment) neverMatched(i int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ever != nil && m.ever.outcome != nil && !m.ever.lacking() && !m.readings[i].ever && !m.heard[i]
}

// runs reports whether replicas of the workload run the engine, or may.
func (s *summary) runs(e int) bool {
	if s.heard > 0 {
		return s.engines[e]
	}
	return s.fixed < 0 || s.fixed == e
}

// sampled returns the time of a sample, in seconds since the epoch. Where it is not
// known it is the earliest it can be: older samples are not read.
func (m *moment) sampled(t float64) time.Time {
	return time.UnixMilli(int64(math.Round(m.atLeast(t) * 1000))).UTC()
}

// atLeast does not believe in samples that are newer than the question.
func (m *moment) atLeast(t float64) float64 {
	if t > 0 && t <= seconds(m.when)+1 {
		return t
	}
	return seconds(m.when.Add(-m.options.StaleAfter))
}

// sharesGroup reports whether rows of groups of pods may be missing from the workload,
// because another has pods in the group.
func (m *moment) sharesGroup(i int) bool {
	return len(m.index.targets[i].selector) == 0 && m.members.shared[m.object(i)]
}

// atMost drops replicas that were heard and cannot be ready: pods that are gone are
// heard for a while where nobody lists pods.
func (s *summary) atMost(ready recommender.Quantity) {
	if ready.Known() && float64(s.reporting) > ready.Value {
		s.reporting = int32(ready.Value)
	}
}

// quantity is a value of what was heard, from the answer of a family. If pods may be
// missing from their list, so may what was heard of them.
func (s *summary) quantity(v float64, replicas int32, o *outcome) recommender.Quantity {
	at := s.at
	if at.IsZero() {
		at = s.moment.sampled(0)
	}
	q := recommender.Exactly(v, at, replicas)
	q.LowerBound = q.Known() && (o.partial() || s.moment.outcomes[FamilyPods].partial())
	return q
}

// level is the sum of a queue gauge over all replicas.
func (s *summary) level(m measure) recommender.Quantity {
	if s.heard == 0 {
		return s.missing()
	}
	q := s.gauge(s.sum(m), s.reporting)
	q.LowerBound = q.Known() && (q.LowerBound || s.nonsense[m] > 0)
	return q
}

// gauge is a value from the gauges.
func (s *summary) gauge(v float64, replicas int32) recommender.Quantity {
	return s.quantity(v, replicas, s.moment.outcomes[FamilyGauges])
}

// missing is a quantity of a workload that was not heard.
func (s *summary) missing() recommender.Quantity {
	q := recommender.Missing(s.silence)
	if s.silence == recommender.Stale {
		q.At = s.moment.sampled(s.newest)
	}
	return q
}

// kvCache returns the mean over reporting replicas of the fullest cache of each, and
// the fullest of all.
func (s *summary) kvCache() (mean, fullest recommender.Quantity) {
	n := s.sums[kvCacheUsage].rows
	switch {
	case s.heard == 0:
		return s.missing(), s.missing()
	case n == 0 && s.nonsense[kvCacheUsage] > 0:
		return recommender.Missing(recommender.Invalid), recommender.Missing(recommender.Invalid)
	case n == 0 && s.reporting == 0:
		return recommender.Missing(recommender.Unobserved), recommender.Missing(recommender.Unobserved)
	case n == 0:
		return recommender.Missing(recommender.Absent), recommender.Missing(recommender.Absent)
	}
	return s.fraction(s.sums[kvCacheUsage].sum / float64(n)), s.fraction(s.fullest)
}

// fraction is a gauge between 0 and 1. An exporter that counts to 100 is not believed.
func (s *summary) fraction(v float64) recommender.Quantity {
	const rounding = 0.01
	if s.fullest > 1+rounding {
		v = math.NaN()
	}
	n := int32(s.sums[kvCacheUsage].rows)
	q := s.gauge(v, min(n, s.reporting))
	q.LowerBound = q.Known() && (q.LowerBound || n < s.reporting)
	return q
}
