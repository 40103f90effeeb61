package draw

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/promapi/embedded"
)

func TestNoVariableIsLeftInAQuery(t *testing.T) {
	day := Day{Start: start, End: start.Add(time.Hour)}
	for _, d := range dashboards.All() {
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				if expr := view(&d, day).Expression(&d, q.Expr); strings.Contains(expr, "$") {
					t.Errorf("%s: %s: got %s, want it without variables", d.Name, p.Title, expr)
				}
			}
		}
	}
}

// Three replicas for two hours of four, seen by two infscale, are six replica-hours; the
// maximum would have been twice that.
func TestReplicaHours(t *testing.T) {
	p, err := embedded.Start(embedded.Options{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	const of = `{job="infscale", workload_namespace="inference", workload="chat", instance=`
	for _, instance := range []string{`"a"`, `"b"`} {
		err := p.Load(start, time.Minute,
			"infscale_current_replicas"+of+instance+"} 3x60 stale _x118 3x60",
			"infscale_max_replicas"+of+instance+"} 6x240")
		if err != nil {
			t.Fatal(err)
		}
	}
	overview := dashboards.Overview()
	v := View{Start: start, End: start.Add(4 * time.Hour), Step: time.Minute}
	got := map[string]float64{}
	for _, panel := range overview.Panels {
		if panel.Type != "stat" || !strings.Contains(panel.Targets[0].Expr, "$__range") {
			continue
		}
		answer, err := p.Query(t.Context(), v.Expression(&overview, panel.Targets[0].Expr), v.End)
		if err != nil || len(answer) != 1 {
			t.Fatalf("%s: got %v and error %v, want one number", panel.Title, answer, err)
		}
		got[panel.Title] = answer[0].F
	}
	for title, want := range map[string]float64{"Replica-hours": 6, "Share of the maxima": 0.5} {
		if v, ok := got[title]; !ok || math.Abs(v-want) > 0.1 {
			t.Errorf("%s: got %v, want %v", title, v, want)
		}
	}
}
