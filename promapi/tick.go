package promapi

import (
	"context"
	"math"
	"time"

	"github.com/infscale/infscale/recommender"
)

// levels is how many of the first measures are gauges.
const levels = kvCacheUsage + 1

// A replica is what was heard of one pod, or of one instance where series have no pod.
type replica struct {
	key    podKey
	exists bool // in the list of pods
	ready  bool
	// level, has and rank are per engine and gauge; rank is that of the name.
	level [len(profiles)][levels]float64
	has   [len(profiles)][levels]bool
	rank  [len(profiles)][levels]int
	// seen is the time of the newest sample in seconds since the epoch, 0 if unknown.
	seen float64
}

// speaks returns the first profile whose queue the replica exports, or -1.
func (r *replica) speaks(fixed int) int {
	for e := range profiles {
		if (fixed < 0 || fixed == e) && (r.has[e][running] || r.has[e][waiting]) {
			return e
		}
	}
	return -1
}

// sound reports whether both halves of the queue are there, and numbers.
func (r *replica) sound(e int) bool {
	return r.has[e][running] && r.has[e][waiting] && !math.IsNaN(r.level[e][running]) && !math.IsNaN(r.level[e][waiting])
}

// A tally adds up rows, and knows whether there were any. The order of rows differs from
// answer to answer, and must not show in the last digits: what sum is short of is kept.
type tally struct {
	sum, rest float64
	rows      int
}

func (t *tally) add(v float64) { t.plus(tally{sum: countable(v), rows: 1}) }

// plus adds another tally. The rounding error of a sum is a number itself, and it is what
// Knuth's TwoSum returns.
func (t *tally) plus(other tally) {
	sum := t.sum + other.sum
	part := sum - t.sum
	rest := (t.sum - (sum - part)) + (other.sum - part) + t.rest + other.rest
	t.sum = sum + rest
	t.rest = rest - (t.sum - sum)
	t.rows += other.rows
}

// most takes the largest of several rows about one thing, as of two scrapes of it.
func (t *tally) most(v float64) { t.sum = max(t.sum, countable(v)); t.rows++ }

// countable returns v, or NaN if nothing can be counted so. NaN outlasts sums and maxima,
// so that one replica's nonsense is not made up for by the others.
func countable(v float64) float64 {
	if v < 0 || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}

// A reading is what the rows of one tick say about one workload.
type reading struct {
	replicas []*replica
	rates    map[string]*rateSet // by twin; one but for unusual selectors
	latency  [len(profiles)]latency
	cold     []float64
	matched  Source
	ever     bool
	notes    []string
}

// A rateSet are the rows of the counters.
type rateSet struct {
	rate, series [len(profiles)][measures]tally
	before       [len(profiles)][levels]tally
}

// of returns the set of a twin.
func (r *reading) of(twin string) *rateSet {
	set := r.rates[twin]
	if set == nil {
		if r.rates == nil {
			r.rates = map[string]*rateSet{}
		}
		set = &rateSet{}
		r.rates[twin] = set
	}
	return set
}

// A moment is one tick being read.
type moment struct {
	*Reader
	ctx      context.Context //nolint:containedctx // It lives as long as one tick.
	span     *span           // that the tick is of; nil if it is read alone
	at       time.Time       // of the observation
	when     time.Time       // that the queries were asked for
	outcomes map[Family]*outcome
	custom   []*outcome
	members  *members
	readings []reading
	replicas map[replicaKey]*replica
	objects  []objectState
	cpus     map[podKey]cpuShare
	heldRows map[string][]heldRow // by signal
	heldEver map[string][]heldRow // by signal, with the times of samples; nil until asked for
	report   Report
	// past holds the requests in flight one window ago, if that tick was read.
	past []tally
	// What was asked now and then.
	cold, ever, series *rareOutcome
}

// A replicaKey is a replica in the eyes of one workload.
type replicaKey struct {
	workload int
	pod      podKey
	twin     string
}

// tick makes observations of the answers at one instant.
func (r *Reader) tick(ctx context.Context, at time.Time, outcomes []*outcome, s *span) ([]recommender.Observation, Report) {
	m := &moment{
		Reader: r, ctx: ctx, span: s, at: at, when: at.Add(-r.options.QueryOffset),
		outcomes: map[Family]*outcome{},
		readings: make([]reading, len(r.index.targets)),
		replicas: make(map[replicaKey]*replica, 1024),
		series:   &rareOutcome{},
		report:   Report{Time: at},
	}
	for _, o := range outcomes {
		m.report.Families = append(m.report.Families, o.FamilyReport)
		if o.family == FamilyCustom {
			m.custom = append(m.custom, o)
		} else {
			m.outcomes[o.family] = o
		}
	}
	m.read()
	m.readColdStarts()
	m.readSeries()
	m.readInFlight()
	m.readEver()
	return m.observations(), m.report
}

// rarely returns the answer to an occasional query, and reports it the first time.
func (m *moment) rarely(f Family, every time.Duration) *rareOutcome {
	rare := m.span.occasional(m, f, every)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !rare.reported {
		rare.reported = true
		m.report.Families = append(m.report.Families, rare.FamilyReport)
	}
	return rare
}

// rows yields the rows of a family at this moment.
func (m *moment) rows(f Family) func(func(Labels, float64) bool) {
	return m.outcomes[f].at(m.when.UnixMilli())
}

// read gives every row to its workload.
func (m *moment) read() {
	m.members = m.index.newMembers(m.outcomes[FamilyPods], m.outcomes[FamilyReplicas], m.when.UnixMilli())
	m.readReplicas()
	m.readGauges()
	m.readEvidence()
	m.mergeTwins()
	m.readCounters()
	m.readLatencies(FamilyTTFT)
	m.readLatencies(FamilyObjective)
	m.readCPU()
	m.readHeld()
}

func (m *moment) readGauges() {
	for ls, v := range m.rows(FamilyGauges) {
		is, ok := meanings[ls.Get(signalLabel)]
		if !ok {
			continue
		}
		// Parts of a total come after it, under the same name.
		is.rank *= 2
		if total := profiles[is.engine].total; total != "" && ls.Get(total) != "" {
			is.rank++
		}
		m.members.ofReplica(ls, func(i int, s Source) {
			m.readings[i].matched = s
			m.replica(i, ls).add(is, v)
		})
	}
}

// replica returns the replica of a workload that a row is about.
func (m *moment) replica(i int, ls Labels) *replica {
	key := podKey{ls.Get(m.options.Labels.Namespace), ls.Get(m.options.Labels.Pod)}
	if key.name == "" {
		key.name = ls.Get(instanceLabel)
	}
	at := replicaKey{i, key, m.index.twin(ls)}
	r := m.replicas[at]
	if r == nil {
		p, exists := m.members.pods[key]
		r = &replica{key: key, exists: exists, ready: exists && m.members.mayBeReady(p)}
		m.replicas[at] = r
		m.readings[i].replicas = append(m.readings[i].replicas, r)
	}
	return r
}

// add merges the level of a gauge: several servers in one pod, or several label sets.
// Of several names the one of the lowest rank counts.
func (r *replica) add(is meaning, v float64) {
	level, has, rank := &r.level[is.engine][is.measure], &r.has[is.engine][is.measure], &r.rank[is.engine][is.measure]
	v = countable(v)
	switch {
	case !*has || is.rank < *rank:
		*level, *rank = v, is.rank
	case is.rank > *rank:
	case measured[is.measure].max:
		*level = math.Max(*level, v) // NaN wins.
	default:
		*level += v
	}
	*has = true
}

func (m *moment) readEvidence() {
	for ls, v := range m.rows(FamilyEvidence) {
		m.members.ofReplica(ls, func(i int, _ Source) {
			r := m.replica(i, ls)
			r.seen = max(r.seen, v)
		})
	}
}

// mergeTwins makes one replica of those that are the same pod, read twice.
func (m *moment) mergeTwins() {
	if len(m.index.twins) == 0 {
		return
	}
	for i := range m.readings {
		merged := map[podKey]*replica{}
		list := m.readings[i].replicas
		m.readings[i].replicas = nil
		for _, r := range list {
			if merged[r.key] == nil {
				merged[r.key] = r
				m.readings[i].replicas = append(m.readings[i].replicas, r)
				continue
			}
			merged[r.key].merge(r)
		}
	}
}

// merge takes the larger of everything.
func (r *replica) merge(twin *replica) {
	r.seen = max(r.seen, twin.seen)
	for e := range profiles {
		for g := range levels {
			r.level[e][g] = max(r.level[e][g], twin.level[e][g])
			r.has[e][g] = r.has[e][g] || twin.has[e][g]
		}
	}
}

// name says which replica a row is about.
func (x *index) name(ls Labels) string {
	name := ls.Get(x.labels.Pod)
	if name == "" {
		name = ls.Get(instanceLabel)
	}
	return ls.Get(x.labels.Namespace) + "/" + name
}

func (m *moment) readCounters() {
	for ls, v := range m.rows(FamilyCounters) {
		is, ok := meanings[ls.Get(signalLabel)]
		if !ok {
			continue
		}
		m.members.ofGroup(ls, false, func(i int) {
			m.readings[i].of(m.index.twin(ls)).rate[is.engine][is.measure].add(v)
		})
	}
}

// readSeries asks which counters exist, if a replica has a queue and no rates: it may
// have had no request yet, or one sample only.
func (m *moment) readSeries() {
	if !m.anyWithoutRates() {
		return
	}
	m.series = m.rarely(FamilySeries, 0)
	for ls, v := range m.series.at(m.when.UnixMilli()) {
		if is, ok := meanings[ls.Get(signalLabel)]; ok {
			m.members.ofGroup(ls, false, func(i int) {
				m.readings[i].of(m.index.twin(ls)).series[is.engine][is.measure].add(v)
			})
		}
	}
}

func (m *moment) anyWithoutRates() bool {
	if m.outcomes[FamilyCounters].lacking() {
		return false
	}
	for i := range m.readings {
		if m.sharesGroup(i) {
			continue // Its counters are not told from another's.
		}
		for _, replica := range m.readings[i].replicas {
			e := replica.speaks(m.index.targets[i].engine)
			if e >= 0 && m.readings[i].lacksRate(e) {
				return true
			}
		}
	}
	return false
}

// lacksRate reports whether a counter of the engine has no rate.
func (r *reading) lacksRate(e int) bool {
	for c := range measures {
		if measured[c].kind == counter && len(profiles[e].names[c]) > 0 && r.largest(func(s *rateSet) tally { return s.rate[e][c] }).rows == 0 {
			return true
		}
	}
	return false
}

// anySilent reports whether a workload that should have replicas was never heard.
func (m *moment) anySilent() bool {
	silent := false
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.readings {
		if len(m.readings[i].replicas) > 0 {
			m.heard[i] = true
		}
		silent = silent || (!m.heard[i] && m.shouldSpeak(i))
	}
	return silent && !m.outcomes[FamilyGauges].failed()
}

// shouldSpeak reports whether the workload is not known to have no replicas.
func (m *moment) shouldSpeak(i int) bool {
	current := m.current(i)
	return !current.Known() || current.Value > 0
}

// readEver asks which workloads were ever heard, if one is silent.
func (m *moment) readEver() {
	if !m.anySilent() {
		return
	}
	m.ever = m.rarely(FamilyEver, rarelyEvery)
	for ls := range m.ever.at(m.when.UnixMilli()) {
		if ls.Get(signalLabel) != string(FamilyEver) {
			continue // a gateway's
		}
		m.members.ofGroup(ls, true, func(i int) { m.readings[i].ever = true })
	}
}
