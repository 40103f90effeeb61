package promapi

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/infscale/infscale/recommender"
)

// Why an answer to a custom query is none for a workload.
var (
	errAmbiguous = errors.New("several rows, and no labels that say which is the workload's")
	errOthers    = errors.New("the labels say that they are another workload's; sum(...) drops labels that mean something else")
)

// queries returns the answers to the custom queries of a workload.
func (m *moment) queries(i int, s *summary) []recommender.Answer {
	t := &m.index.targets[i]
	var answers []recommender.Answer
	for _, q := range t.Queries {
		quantity, err := m.answer(i, q.Text, s.reporting)
		m.note(i, "query "+q.Name, err)
		if quantity.Known() && t.isRatio(q.Name) {
			// So are the replicas that it is multiplied by.
			quantity.LowerBound = quantity.LowerBound || m.outcomes[FamilyPods].partial()
		}
		answers = append(answers, recommender.Answer{Name: q.Name, Quantity: quantity})
	}
	return answers
}

// answer returns the number that a custom query gives for a workload of so many replicas.
func (m *moment) answer(i int, text string, replicas int32) (recommender.Quantity, error) {
	o := m.custom[m.Reader.custom[text]]
	if o.failed() {
		return recommender.Missing(recommender.Failed), o.Err
	}
	row, why, err := m.pick(i, o)
	if why != recommender.Known {
		return recommender.Missing(why), err
	}
	q := recommender.Exactly(row.v, m.when, replicas)
	byPod := row.labels.Get(m.options.Labels.Pod) != "" && m.outcomes[FamilyPods].partial()
	q.LowerBound = q.Known() && (o.partial() || byPod)
	return q, nil
}

// pick returns the one row of an answer that is about the workload, or why there is none.
func (m *moment) pick(i int, o *outcome) (heldRow, recommender.Evidence, error) {
	var of [anothers + 1][]heldRow
	rows := 0
	for ls, v := range o.at(m.when.UnixMilli()) {
		c := m.whose(i, ls)
		of[c] = append(of[c], heldRow{labels: ls, v: v})
		rows++
	}
	own, unsaid := of[ours], of[nobodys]
	switch {
	case rows == 1 && len(unsaid) == 1:
		return unsaid[0], recommender.Known, nil // The only row has not to say anything.
	case len(own) > 1 || len(unsaid) > 0:
		return heldRow{}, recommender.Failed, fmt.Errorf("%w, got %d rows", errAmbiguous, rows)
	case len(own) == 1:
		return own[0], recommender.Known, nil
	case rows > 0:
		return heldRow{}, recommender.Absent, fmt.Errorf("got %d row(s), %w", rows, errOthers)
	default:
		return heldRow{}, recommender.Absent, nil
	}
}

// A claim is what the labels of a row say about a workload.
type claim uint8

const (
	nobodys claim = iota
	ours
	anothers
)

// workloadLabels name a workload in the rows of a query.
var workloadLabels = []string{"deployment", "statefulset", "workload"}

// whose says whether a row is about the workload. One label that cannot be the
// workload's outweighs all that can.
func (m *moment) whose(i int, ls Labels) claim {
	t := &m.index.targets[i]
	namespace, pod := kubeLabel(ls, m.options.Labels.Namespace), ls.Get(m.options.Labels.Pod)
	if (namespace != "" && namespace != t.Namespace) || t.contradicts(ls) {
		return anothers
	}
	for _, label := range workloadLabels {
		switch ls.Get(label) {
		case "":
		case t.object, t.Name:
			return ours
		default:
			return anothers
		}
	}
	switch {
	case pod != "" && !m.hasPod(i, podKey{cmp.Or(namespace, t.Namespace), pod}):
		return anothers
	case pod != "", t.selectsBy(ls), len(ls) == 1 && namespace != "":
		return ours
	case m.claimed(ls):
		return anothers
	default:
		return nobodys
	}
}

// hasPod reports whether a pod is one of the workload's: it was heard, or is on the
// list, or has the right name where there is no list.
func (m *moment) hasPod(i int, key podKey) bool {
	for _, r := range m.readings[i].replicas {
		if r.key == key || (r.key == podKey{name: key.name}) {
			return true
		}
	}
	if p, ok := m.members.pods[key]; ok || m.members.listed[key.namespace] {
		return ok && p.object == m.object(i)
	}
	return m.index.byPodName(key.namespace, key.name) == m.object(i)
}

// claimed reports whether the selector of any workload looks at labels of the row only
// and picks it.
func (m *moment) claimed(ls Labels) bool {
	claimed := false
	m.index.selected(ls, func(j int) { claimed = claimed || m.index.targets[j].selectsBy(ls) })
	return claimed
}
