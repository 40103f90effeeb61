package export

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/infscale/infscale/recommender"
)

// aging is a registry of one workload with a decision, and the clock that it is scraped by.
func aging(t *testing.T) (c *Collector, reg *prometheus.Registry, now *time.Time) {
	t.Helper()
	c, reg, now = NewCollector(), prometheus.NewPedanticRegistry(), new(slot)
	c.Now = func() time.Time { return *now }
	c.Publish(&Snapshot{Slot: slot, Interval: 15 * time.Second, Workloads: []Workload{risky("chat"), Undecided("inference", "new", "Deployment", policy())}})
	if err := reg.Register(c); err != nil {
		t.Fatal(err)
	}
	return c, reg, now
}

// namesOf returns the families that have a series of the workload that was decided on.
func namesOf(t *testing.T, reg *prometheus.Registry) map[string]bool {
	t.Helper()
	gathered, err := reg.Gather()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, family := range gathered {
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				names[family.GetName()] = names[family.GetName()] || l.GetName() == "workload" && l.GetValue() == "chat"
			}
		}
	}
	return names
}

func TestARecommendationThatNobodyRenewsIsWithdrawn(t *testing.T) {
	c, reg, now := aging(t)
	last := slot.Add(policy().HoldLimit + 15*time.Second)
	*now = last
	if got := namesOf(t, reg); !got["infscale_desired_replicas"] || !got["infscale_requests_running"] || c.Latest().Overdue {
		t.Errorf("as old as it may be: got %v, want the recommendation", got)
	}
	*now = last.Add(1)
	w := c.Latest().Find("inference", "chat")
	if d := &w.Decision; d.Known || d.Valid || d.Reason != recommender.ReasonStaleData || !d.Time.Equal(slot) || d.Evidence.IsZero() {
		t.Errorf("got %+v, want it withdrawn on stale data, and the times as they were", d)
	}
	if len(w.Notes) != 1 || w.Notes[0] != "nothing was decided since 2023-11-14 22:13:30 UTC" {
		t.Errorf("got notes %q, want since when", w.Notes)
	}
	if !c.Latest().Overdue {
		t.Error("the snapshot is not overdue, want that it is")
	}
	*now = slot
	if got := namesOf(t, reg); !got["infscale_desired_replicas"] {
		t.Errorf("the clock is back: got %v, want the recommendation, what was published is not changed", got)
	}
}

// TestWithdrawnByAgeIsExportedAsWithdrawnByDecision compares the series with those of an outage
// in which the count is unknown for longer than hold_limit.
func TestWithdrawnByAgeIsExportedAsWithdrawnByDecision(t *testing.T) {
	_, reg, now := aging(t)
	*now = slot.Add(time.Hour)
	p := policy()
	w := decided("chat", p, busy())
	_, state := recommender.Decide(*p, recommender.State{}, busy())
	w.Observation = recommender.Observation{Time: slot.Add(time.Hour), Current: recommender.Missing(recommender.Stale)}
	w.Decision, _ = recommender.Decide(*p, state, w.Observation)
	want := namesOf(t, registryOf(t, w))
	got := namesOf(t, reg)
	for _, name := range families() {
		if got[name] != want[name] {
			t.Errorf("%s: exported %t, want %t", name, got[name], want[name])
		}
	}
	if !want["infscale_decision_valid"] || !want["infscale_evidence_timestamp_seconds"] || want["infscale_desired_replicas"] {
		t.Errorf("got %v of an outage, want it withdrawn", want)
	}
}

func TestWhatWasNeverDecidedDoesNotAge(t *testing.T) {
	c, _, now := aging(t)
	*now = slot.Add(time.Hour)
	w := c.Latest().Find("inference", "new")
	if w.Decision.Reason != recommender.ReasonNoData || strings.Join(w.Notes, "") != "" {
		t.Errorf("got %s with notes %q, want no_data without any", w.Decision.Reason, w.Notes)
	}
	c.Publish(&Snapshot{Slot: slot, Interval: 15 * time.Second, Workloads: []Workload{*w}})
	if c.Latest().Overdue {
		t.Error("a daemon that has not decided yet is overdue, want that it is not")
	}
}
