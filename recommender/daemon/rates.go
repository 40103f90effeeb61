package daemon

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/infscale/infscale/recommender"
)

// lacksRates reports whether replicas were heard while their counters, which exist, had
// too few samples for a rate.
func lacksRates(o *recommender.Observation) bool {
	return o.Running.Known() && o.OutputTokens.Evidence == recommender.Unobserved &&
		o.PromptTokens.Evidence == recommender.Unobserved
}

// lookForRates notes since when workloads have no rates, and logs it once. A replica
// that has just begun has one sample, but not for longer than it takes to hear it twice.
func (l *loop) lookForRates(slot time.Time) {
	late := 0
	for _, m := range l.memories {
		switch {
		case !lacksRates(&m.observation):
			m.rateless = time.Time{}
		case m.rateless.IsZero():
			m.rateless = slot
		case m.waitedForRates(slot, l.world.rateWait):
			late++
		}
	}
	if late > 0 && !l.rateless {
		l.log.Warn("rates have no value although the engines are heard, "+
			"rate_window is too short for the scrape interval", zap.Int("workloads", late))
	}
	l.rateless = late > 0
}

// waitedForRates reports whether the rates should have come by now.
func (m *memory) waitedForRates(now time.Time, wait time.Duration) bool {
	return wait > 0 && !m.rateless.IsZero() && now.Sub(m.rateless) > wait
}

// notes are those of the reading, that held requests are not seen, and that the rates are late.
func (m *memory) notes(now time.Time, wait time.Duration) []string {
	notes := slices.Clip(m.report.Notes)
	if unseen := m.unseen(); unseen != "" {
		notes = append(notes, unseen)
	}
	if !m.waitedForRates(now, wait) {
		return notes
	}
	return append(notes, fmt.Sprintf("rates: no value for %s although the engines are heard, "+
		"rate_window must be at least four times the scrape interval", now.Sub(m.rateless)))
}

// unseen says that requests held in front of the pods are not seen, unless a note of the
// reading does.
func (m *memory) unseen() string {
	held := checked(m.observation.Held)
	noted := slices.ContainsFunc(m.report.Notes, func(n string) bool { return strings.HasPrefix(n, "held") })
	if !m.policy.Held || held.Known() || noted || m.decision.Time.IsZero() {
		return ""
	}
	return fmt.Sprintf("held: %s, requests held in front of the pods are not seen", held.Evidence)
}
