package promapi

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/infscale/infscale/recommender"
)

// FewRequests is how many requests there must be before their latency says anything.
const FewRequests = 5

// A Bucket counts what was observed up to a bound: cumulative, as Prometheus does.
type Bucket struct{ Bound, Count float64 }

// Buckets are a histogram, in ascending order of their bounds.
type Buckets []Bucket

// add merges a count into the bucket of that bound. Bounds are compared as numbers.
func (b *Buckets) add(bound, count float64) {
	i, found := slices.BinarySearchFunc(*b, bound, func(x Bucket, bound float64) int { return cmp.Compare(x.Bound, bound) })
	if !found {
		*b = slices.Insert(*b, i, Bucket{Bound: bound})
	}
	(*b)[i].Count += count
}

// monotonic returns the buckets with no count below an earlier one: scrapes of
// several replicas are not of one instant.
func (b Buckets) monotonic() Buckets {
	m := slices.Clone(b)
	for i := 1; i < len(m); i++ {
		m[i].Count = max(m[i].Count, m[i-1].Count)
	}
	return m
}

// Total returns how much was observed: the bucket without a bound. It is NaN without one.
func (b Buckets) Total() float64 {
	if len(b) == 0 || !math.IsInf(b[len(b)-1].Bound, 1) {
		return math.NaN()
	}
	return b.monotonic()[len(b)-1].Count
}

// Quantile interpolates inside the bucket in which the quantile lies, as
// histogram_quantile does. If that is the last one, all that is known is that the
// quantile is above the highest finite bound: atLeast is true. It is NaN if nothing
// was observed.
func (b Buckets) Quantile(q float64) (v float64, atLeast bool) {
	total := b.Total()
	if len(b) < 2 || !(total > 0) {
		return math.NaN(), false
	}
	m := b.monotonic()
	rank := q * total
	i := slices.IndexFunc(m, func(x Bucket) bool { return x.Count >= rank })
	if i < 0 || i == len(m)-1 {
		return m[len(m)-2].Bound, true
	}
	start, below := 0.0, 0.0
	if i > 0 {
		start, below = m[i-1].Bound, m[i-1].Count
	} else if m[0].Bound <= 0 {
		return m[0].Bound, false
	}
	if m[i].Count == below {
		return start, false
	}
	return start + (m[i].Bound-start)*(rank-below)/(m[i].Count-below), false
}

// Above returns the fraction over the bound next to the objective, and that bound.
// Both are NaN if nothing was observed.
func (b Buckets) Above(objective float64) (fraction, bound float64) {
	total := b.Total()
	if len(b) < 2 || !(total > 0) {
		return math.NaN(), math.NaN()
	}
	m := b.monotonic()
	bounds := make([]float64, len(m)-1)
	for i := range bounds {
		bounds[i] = m[i].Bound
	}
	bound = snapBound(bounds, objective)
	i, _ := slices.BinarySearch(bounds, bound)
	return 1 - m[i].Count/total, bound
}

// A latency is what the rows of one engine say about the time to the first token.
type latency struct {
	buckets Buckets
	native  map[string]*nativeGroup
	// broken says that a count was none.
	broken bool
}

// A nativeGroup is a native histogram of one group of pods, as far as it was asked for.
type nativeGroup struct {
	requests         float64
	quantiles, below map[string]float64
}

func (m *moment) readLatencies(f Family) {
	for ls, v := range m.rows(f) {
		is, ok := meanings[ls.Get(signalLabel)]
		if !ok {
			continue
		}
		m.members.ofGroup(ls, false, func(i int) {
			m.readings[i].latency[is.engine].read(is.aspect, ls, v)
		})
	}
}

func (l *latency) read(a aspect, ls Labels, v float64) {
	if a == value || a == requests {
		l.broken = l.broken || math.IsNaN(countable(v))
	}
	if a == value {
		if bound, err := strconv.ParseFloat(ls.Get(boundLabel), 64); err == nil {
			l.buckets.add(bound, v)
		}
		return
	}
	g := l.group(ls)
	switch a {
	case requests:
		g.requests += v
	case quantile:
		g.quantiles[ls.Get(percentileLabel)] = v
	case below:
		g.below[ls.Get(boundLabel)] = v
	default:
	}
}

// group returns the group of pods that a row of a native histogram is about.
func (l *latency) group(ls Labels) *nativeGroup {
	own := slices.DeleteFunc(slices.Clone(ls), func(x Label) bool {
		return x.Name == signalLabel || x.Name == percentileLabel || x.Name == boundLabel
	})
	key := own.String()
	if l.native == nil {
		l.native = map[string]*nativeGroup{}
	}
	g := l.native[key]
	if g == nil {
		g = &nativeGroup{quantiles: map[string]float64{}, below: map[string]float64{}}
		l.native[key] = g
	}
	return g
}

// groups returns the native histograms in a fixed order, so that sums are the same bits.
func (l *latency) groups() []*nativeGroup {
	var list []*nativeGroup
	for _, key := range slices.Sorted(maps.Keys(l.native)) {
		list = append(list, l.native[key])
	}
	return list
}

// quantile returns a percentile, and how many requests per second it is of. Native
// histograms of several groups do not add up outside of Prometheus, so during a
// rollout it is the largest of theirs.
func (l *latency) quantile(p float64) (v float64, atLeast bool, rate float64) {
	if len(l.native) == 0 {
		v, atLeast = l.buckets.Quantile(p)
		return v, atLeast, l.buckets.Total()
	}
	v = math.NaN()
	for _, g := range l.groups() {
		rate += g.requests
		if x := g.quantiles[number(p)]; g.requests > 0 && !(x <= v) {
			v = x
		}
	}
	return v, false, rate
}

// above returns the fraction over the objective, the bound it is exact for, and how
// many requests per second it is of.
func (l *latency) above(objective float64) (fraction, bound, rate float64) {
	if len(l.native) == 0 {
		fraction, bound = l.buckets.Above(objective)
		return fraction, bound, l.buckets.Total()
	}
	var late float64
	for _, g := range l.groups() {
		rate += g.requests
		if g.requests > 0 {
			late += g.requests * (1 - g.below[number(objective)])
		}
	}
	return late / rate, objective, rate
}

// latencyFamily is the family that latencies were asked with; nil if none was.
func (m *moment) latencyFamily() *outcome {
	if o := m.outcomes[FamilyTTFT]; o != nil {
		return o
	}
	return m.outcomes[FamilyObjective]
}

// latencyOf returns the latency of the workload's engine, or why there is none.
func (m *moment) latencyOf(i int, s *summary) (*latency, recommender.Evidence) {
	o := m.latencyFamily()
	switch {
	case o == nil:
		return nil, recommender.Absent
	case o.failed():
		return nil, recommender.Failed
	}
	r := &m.readings[i]
	for e := range profiles {
		l := &r.latency[e]
		switch {
		case !s.runs(e) || (len(l.buckets) == 0 && len(l.native) == 0):
		case l.broken:
			return nil, recommender.Invalid
		default:
			return l, recommender.Known
		}
	}
	return nil, s.noLatency()
}

// noLatency says why there is no latency of replicas that were asked for it.
func (s *summary) noLatency() recommender.Evidence {
	switch {
	case s.heard == 0:
		return s.silence
	case s.shared:
		return recommender.Absent
	}
	for e := range profiles {
		if s.engines[e] && len(profiles[e].names[ttft]) > 0 {
			return recommender.Unobserved // The first request makes the series.
		}
	}
	return recommender.Absent
}

// percentile returns the time to the first token at a percentile.
func (m *moment) percentile(i int, s *summary, p float64) recommender.Quantity {
	l, why := m.latencyOf(i, s)
	if why != recommender.Known {
		return recommender.Missing(why)
	}
	v, atLeast, rate := l.quantile(p)
	q := m.measuredLatency(s, v, rate)
	q.LowerBound = q.LowerBound || (atLeast && q.Known())
	return q
}

// measuredLatency is a value of so many requests per second; too few say nothing.
func (m *moment) measuredLatency(s *summary, v, rate float64) recommender.Quantity {
	if !(rate*m.options.LatencyWindow.Seconds() >= FewRequests) {
		return recommender.Missing(recommender.Unobserved)
	}
	q := s.quantity(v, s.reporting, m.latencyFamily())
	q.LowerBound = q.LowerBound || (s.shared && q.Known())
	return q
}

// slo returns the fraction of requests over the objective, and the bound it is for.
func (m *moment) slo(i int, s *summary) (miss, bound recommender.Quantity) {
	objective := m.index.targets[i].objective()
	if objective <= 0 {
		return miss, bound
	}
	l, why := m.latencyOf(i, s)
	if why != recommender.Known {
		return recommender.Missing(why), recommender.Missing(why)
	}
	fraction, at, rate := l.above(objective)
	return m.measuredLatency(s, fraction, rate), m.measuredLatency(s, at, rate)
}
