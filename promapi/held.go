package promapi

import (
	"fmt"
	"strings"

	"github.com/infscale/infscale/recommender"
)

// A heldRow is a row of requests in front of pods.
type heldRow struct {
	labels Labels
	v      float64
	seen   float64
}

// readHeld collects the rows of every held series; workloads look for theirs.
func (m *moment) readHeld() {
	m.heldRows = map[string][]heldRow{}
	seen := map[string]float64{} // by signal and labels
	for ls, v := range m.rows(FamilyHeld) {
		signal := ls.Get(signalLabel)
		if of, ok := strings.CutSuffix(signal, "."+evidenceSignal); ok {
			seen[heldKey(of, ls)] = v
			continue
		}
		m.heldRows[signal] = append(m.heldRows[signal], heldRow{labels: ls, v: v})
	}
	for signal, rows := range m.heldRows {
		for i := range rows {
			rows[i].seen = seen[heldKey(signal, rows[i].labels)]
		}
	}
}

// heldKey is a row without its signal.
func heldKey(signal string, ls Labels) string {
	var b strings.Builder
	b.WriteString(signal)
	for _, l := range ls {
		if l.Name != signalLabel {
			b.WriteString("\xff" + l.Name + "\xff" + l.Value)
		}
	}
	return b.String()
}

// held returns the requests in front of the pods, over all sources of the workload.
func (m *moment) held(i int, s *summary, ready recommender.Quantity) recommender.Quantity {
	t := &m.index.targets[i]
	serving := s.reporting > 0 || (ready.Known() && ready.Value > 0)
	var total recommender.Quantity
	for n := range t.Held {
		q := m.heldAt(i, n, serving)
		if n == 0 {
			total = q
		} else {
			total = sum(total, q)
		}
	}
	return total
}

// sum adds two quantities. What one lacks makes the other a lower bound.
func sum(a, b recommender.Quantity) recommender.Quantity {
	switch {
	case a.Known() && b.Known():
		at := a.At
		if b.At.Before(at) {
			at = b.At
		}
		q := recommender.Exactly(a.Value+b.Value, at, 0)
		q.LowerBound = q.Known() && (a.LowerBound || b.LowerBound)
		return q
	case b.Known():
		a, b = b, a
		fallthrough
	case a.Known():
		a.LowerBound = true
	}
	return a
}

// heldAt returns the requests held by one source.
func (m *moment) heldAt(i, n int, serving bool) recommender.Quantity {
	h := &m.index.targets[i].Held[n]
	if h.Query != "" {
		q, err := m.answer(i, h.Query, 0)
		m.note(i, "held query", err)
		return q
	}
	o := m.outcomes[FamilyHeld]
	if o.failed() {
		return recommender.Missing(recommender.Failed)
	}
	presets := heldPresets[h.Preset]
	for p := range presets {
		if q, ok := m.heldBy(i, n, &presets[p], serving); ok {
			return q
		}
	}
	if o.partial() {
		return recommender.Missing(recommender.Absent)
	}
	return m.unheld(i, n)
}

// heldBy returns the requests that one kind of series counts for the workload.
func (m *moment) heldBy(i, n int, preset *heldMetric, serving bool) (recommender.Quantity, bool) {
	var total tally
	oldest := 0.0
	match := m.index.targets[i].heldMatch(n, preset)
	for _, row := range m.heldRows[preset.signal] {
		if !preset.matches(match, row.labels) {
			continue
		}
		total.add(row.v)
		if oldest == 0 || row.seen < oldest {
			oldest = row.seen
		}
	}
	if total.rows == 0 {
		return recommender.Quantity{}, false
	}
	m.rememberHeld(heldProof{i, n, preset.signal}, m.when)
	if preset.proxied && serving && total.sum >= 0 {
		// Requests on their way through are in the pods, and counted there.
		total.sum = 0
	}
	q := recommender.Exactly(total.sum, m.sampled(oldest), 0)
	q.LowerBound = q.Known() && m.outcomes[FamilyHeld].partial()
	return q, true
}

// note keeps what went wrong with a query of a workload for the report.
func (m *moment) note(i int, what string, err error) {
	if err != nil {
		m.readings[i].notes = append(m.readings[i].notes, fmt.Sprintf("%s: %v", what, err))
	}
}
