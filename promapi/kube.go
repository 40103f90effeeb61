package promapi

import (
	"math"
	"slices"

	"github.com/infscale/infscale/recommender"
)

// An objectState is what kube-state-metrics says of a Deployment or StatefulSet.
type objectState struct {
	spec, ready tally
	seen        float64
}

func (m *moment) readReplicas() {
	m.objects = make([]objectState, len(m.index.of))
	for ls, v := range m.rows(FamilyReplicas) {
		signal := ls.Get(signalLabel)
		name, stateful := ls.Get("deployment"), false
		if name == "" {
			name, stateful = ls.Get("statefulset"), true
		}
		o := m.index.lookup(kubeLabel(ls, "namespace"), name, stateful)
		if o < 0 {
			continue
		}
		switch s := &m.objects[o]; signal {
		case deploymentSpec, statefulSetSpec:
			s.spec.most(v)
		case deploymentReady, statefulSetReady:
			s.ready.most(v)
		case deploymentSeen, statefulSetSeen:
			s.seen = max(s.seen, v)
		}
	}
}

// object returns the number of the object that has the workload's replicas.
func (m *moment) object(i int) int {
	t := &m.index.targets[i]
	return m.index.lookup(t.Namespace, t.object, t.statefulSet())
}

// current returns the replicas asked for in the spec.
func (m *moment) current(i int) recommender.Quantity {
	o, s := m.outcomes[FamilyReplicas], &m.objects[m.object(i)]
	switch {
	case o.failed():
		return recommender.Missing(recommender.Failed)
	case s.spec.rows > 0:
		q := recommender.Exactly(s.spec.sum, m.sampled(s.seen), 0)
		q.LowerBound = q.Known() && o.partial()
		return q
	case s.seen > 0:
		return recommender.Quantity{Evidence: recommender.Stale, At: m.sampled(s.seen)}
	default:
		return recommender.Missing(recommender.Absent)
	}
}

// ready returns how many replicas are ready: those of the list of pods, or what the status
// says, where none of them says or the status knows of more: some are not on the list then.
func (m *moment) ready(i int) recommender.Quantity {
	pods, status, s := m.outcomes[FamilyPods], m.outcomes[FamilyReplicas], &m.objects[m.object(i)]
	v, listed := m.readyOfList(i)
	switch {
	case pods.failed():
		return recommender.Missing(recommender.Failed)
	case listed && !(s.ready.sum > v):
	case status.failed():
		return recommender.Missing(recommender.Failed)
	case s.ready.rows == 0:
		return recommender.Missing(recommender.Absent)
	default:
		v, listed = s.ready.sum, false
	}
	q := recommender.Exactly(v, m.sampled(s.seen), 0)
	q.LowerBound = q.Known() && (pods.partial() || (!listed && status.partial()))
	return q
}

// readyOfList counts the pods of the list that are ready, if the list says so.
func (m *moment) readyOfList(i int) (n float64, listed bool) {
	number := m.object(i)
	pods := m.members.podsOf[number]
	if len(pods) == 0 || !m.members.readiness[m.index.targets[i].Namespace] {
		return 0, false
	}
	for _, key := range pods {
		if m.members.pods[key].ready {
			n++
		}
	}
	return n, m.members.told[number] || m.objects[number].ready.rows == 0
}

// reporting returns how many replicas are ready and were heard, pod by pod where the
// pods are known.
func (m *moment) reporting(s *summary, ready recommender.Quantity) recommender.Quantity {
	if m.outcomes[FamilyGauges].failed() {
		return recommender.Missing(recommender.Failed)
	}
	q := s.gauge(float64(s.reporting), s.reporting)
	q.LowerBound = q.LowerBound || ready.LowerBound
	return q
}

// A cpuShare is what one pod uses and has requested.
type cpuShare struct{ used, requested tally }

func (m *moment) readCPU() {
	m.cpus = map[podKey]cpuShare{}
	for ls, v := range m.rows(FamilyCPU) {
		key := podOf(ls)
		c := m.cpus[key]
		switch ls.Get(signalLabel) {
		case cpuUsed:
			c.used.most(v)
		case cpuRequested:
			c.requested.most(v)
		}
		m.cpus[key] = c
	}
}

// cpu returns the mean over ready pods of the CPU used, in percent of the request.
func (m *moment) cpu(i int, s *summary) recommender.Quantity {
	o := m.outcomes[FamilyCPU]
	switch {
	case o == nil || !m.index.targets[i].needsCPU():
		return recommender.Missing(recommender.Absent)
	case o.failed():
		return recommender.Missing(recommender.Failed)
	}
	pods := m.readyPods(i)
	mean, n := m.meanCPU(pods)
	if n == 0 {
		return recommender.Missing(recommender.Absent)
	}
	all := int(n) == len(pods)
	if ready := m.ready(i); ready.Known() {
		n = min(n, int32(ready.Value))
	}
	q := s.quantity(mean, n, o)
	q.LowerBound = q.Known() && (q.LowerBound || !all)
	return q
}

// meanCPU returns the mean over the pods of which it is known, and how many they are.
func (m *moment) meanCPU(pods []podKey) (mean float64, n int32) {
	for _, key := range pods {
		c, ok := m.cpus[key]
		if ok && c.used.rows > 0 && c.requested.rows > 0 && c.requested.sum != 0 {
			mean += 100 * c.used.sum / c.requested.sum
			n++
		}
	}
	return mean / max(1, float64(n)), n
}

// readyPods lists the ready pods of a workload, or those that were heard where
// nobody exports a list.
func (m *moment) readyPods(i int) []podKey {
	var keys []podKey
	for _, key := range m.members.podsOf[m.object(i)] {
		if m.members.mayBeReady(m.members.pods[key]) {
			keys = append(keys, key)
		}
	}
	if len(keys) > 0 {
		return keys
	}
	for _, r := range m.readings[i].replicas {
		if r.ready || !r.exists {
			keys = append(keys, r.key)
		}
	}
	return keys
}

// longestColdStart is above any cold start: a later ready time is readiness that came back.
const longestColdStart = 3600

// mostDuplicates bounds the list in the report.
const mostDuplicates = 20

func (m *moment) readColdStarts() {
	m.cold = m.rarely(FamilyColdStart, coldStartEvery)
	defer func() { slices.Sort(m.report.Duplicates) }()
	seen := map[podKey]bool{} // kube-state-metrics may be scraped twice.
	for ls, v := range m.cold.at(m.when.UnixMilli()) {
		if ls.Get(signalLabel) == duplicates {
			if len(m.report.Duplicates) < mostDuplicates {
				m.report.Duplicates = append(m.report.Duplicates, m.index.name(ls))
			}
			continue
		}
		if !(v >= 0 && v <= longestColdStart) {
			continue
		}
		key := podOf(ls)
		o := m.members.objectOf(key)
		if o < 0 || seen[key] {
			continue
		}
		seen[key] = true
		for _, i := range m.index.of[o] {
			m.readings[i].cold = append(m.readings[i].cold, v)
		}
	}
}

// coldPercentiles are those reported; plans are made for the last.
var coldPercentiles = []float64{0.5, 0.95}

// coldStarts returns how long replicas took from created to ready. Nothing is
// returned where no replica did.
func (m *moment) coldStarts(i int) []recommender.Percentile {
	list := m.readings[i].cold
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	var percentiles []recommender.Percentile
	for _, p := range coldPercentiles {
		rank := int(math.Ceil(p*float64(len(list)))) - 1 // Nearest rank.
		percentiles = append(percentiles, recommender.Percentile{
			P: p, Quantity: recommender.Exactly(list[max(rank, 0)], m.cold.when, int32(len(list))),
		})
	}
	return percentiles
}
