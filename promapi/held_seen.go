package promapi

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/infscale/infscale/recommender"
)

// How far back a match must have found a series for its silence to mean that nothing is
// held, and how closely that is looked at: gateways live longer than one step.
const (
	heldSpan = 7 * 24 * time.Hour
	heldStep = 10 * time.Minute
)

// A heldProof says that a match is right: a source of a workload found a kind of series.
type heldProof struct {
	workload, source int
	signal           string
}

// rememberHeld notes when a match last found a series.
func (r *Reader) rememberHeld(p heldProof, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.heldSeen == nil {
		r.heldSeen = map[heldProof]time.Time{}
	}
	r.heldSeen[p] = at
}

// proven reports whether a match found any of the series within the span before now.
func (m *moment) proven(i, n int, list []*heldMetric) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.ContainsFunc(list, func(metric *heldMetric) bool {
		seen, ok := m.heldSeen[heldProof{i, n, metric.signal}]
		age := m.when.Sub(seen)
		return ok && 0 <= age && age <= heldSpan
	})
}

// unheld is what it says that a workload has no series. A gateway makes one with the
// workload's first request, and is up if it has series of others: nothing is held, if the
// match has found something before. One that is wrong finds nothing while requests wait.
func (m *moment) unheld(i, n int) recommender.Quantity {
	t := &m.index.targets[i]
	var up []*heldMetric
	presets := heldPresets[t.Held[n].Preset]
	for p := range presets {
		if len(m.heldRows[presets[p].signal]) > 0 {
			up = append(up, &presets[p])
		}
	}
	if len(up) == 0 {
		return recommender.Missing(recommender.Absent)
	}
	nothing := recommender.Exactly(0, m.sampled(0), 0)
	if m.proven(i, n, up) {
		return nothing
	}
	ever := m.rarely(FamilyEver, rarelyEvery)
	m.recallHeld(i, n, up, ever)
	switch {
	case m.proven(i, n, up):
		return nothing
	case ever.failed():
		m.note(i, "held: whether the match was ever right", ever.Err)
		return recommender.Missing(recommender.Failed)
	case ever.partial():
		return recommender.Missing(recommender.Absent)
	}
	m.readings[i].notes = append(m.readings[i].notes, fmt.Sprintf("held: no series of %s matched %s in the last %s",
		t.Held[n].Preset, braced(t.heldMatch(n, up[0])), promDuration(heldSpan)))
	return recommender.Missing(recommender.NeverMatched)
}

// recallHeld notes which series of old a match finds.
func (m *moment) recallHeld(i, n int, list []*heldMetric, ever *rareOutcome) {
	if m.heldEver == nil {
		m.heldEver = map[string][]heldRow{}
		for ls, v := range ever.at(m.when.UnixMilli()) {
			if signal, ok := strings.CutSuffix(ls.Get(signalLabel), "."+string(FamilyEver)); ok {
				m.heldEver[signal] = append(m.heldEver[signal], heldRow{labels: ls, v: v})
			}
		}
	}
	for _, metric := range list {
		match, newest := m.index.targets[i].heldMatch(n, metric), 0.0
		for _, row := range m.heldEver[metric.signal] {
			if metric.matches(match, row.labels) {
				newest = max(newest, row.v)
			}
		}
		if newest > 0 {
			m.rememberHeld(heldProof{i, n, metric.signal}, time.UnixMilli(int64(math.Round(newest*1000))))
		}
	}
}

// braced writes a match as PromQL does.
func braced(match map[string]string) string {
	var list []string
	for _, word := range slices.Sorted(maps.Keys(match)) {
		list = append(list, fmt.Sprintf("%s=%q", word, match[word]))
	}
	return "{" + strings.Join(list, ", ") + "}"
}
