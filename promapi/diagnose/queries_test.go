package diagnose

import (
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// asking is a workload with the signal that a query gives.
func asking(query string, optional bool) []promapi.Workload {
	return []promapi.Workload{chat(
		signals(recommender.Signal{Metric: recommender.Query, Name: "backlog", Type: recommender.Total, Target: 10, Optional: optional}),
		func(w *promapi.Workload) { w.Queries = []promapi.NamedQuery{{Name: "backlog", Text: query}} },
	)}
}

var queryFaults = map[string]fault{
	"a query that gives a number": {workloads: asking(`sum(queue_depth{topic="chat"})`, false)},
	"a query with a typo in a value": {
		workloads: asking(`sum(queue_depth{topic="chta"})`, false), want: QueryEmpty,
		says: []string{`queue_depth{topic="chta"} matches no series, and without {topic="chta"} it does`, `did you mean topic="chat"?`},
	},
	"a query by a label that is not there": {
		workloads: asking(`sum(queue_depth{queue="chat"})`, false), want: QueryEmpty,
		says: []string{"the series have no label queue"},
	},
	"a query with a typo in the metric": {
		workloads: asking(`sum(queue_dept)`, false), want: QueryEmpty, says: []string{"did you mean queue_depth?"},
	},
	"a query of a metric that is nowhere": {
		workloads: asking(`sum(kafka_lag)`, true), want: QueryEmpty, severity: Warning,
		says: []string{"kafka_lag matches no series", "nor one that begins alike"},
	},
	"a query whose comparison drops everything": {
		workloads: asking(`sum(queue_depth > 1000)`, false), want: QueryEmpty, says: []string{"each of its selectors matches series"},
	},
	"a query of several rows": {
		workloads: asking(`queue_depth`, false), want: QueryAmbiguous, says: []string{"got 2 rows", "sum()"},
	},
	"a query about another workload": {
		workloads: asking(`queue_depth{topic="chat"} * on () group_left (deployment) kube_deployment_spec_replicas{deployment="other"}`, false),
		want:      QueryOthers, says: []string{"another workload's"},
	},
	"a query that divides by zero": {
		workloads: asking(`sum(queue_depth{topic="chat"}) * 0 / 0`, false), want: InvalidValue, says: []string{"clamp_min"},
	},
	"a query that the server cannot evaluate": {
		workloads: asking(`label_replace(queue_depth, "topic", "x", "topic", ".*")`, false), want: QueryFailed, says: []string{"execution"},
	},
}

func TestEveryFaultOfAQueryIsNamed(t *testing.T) {
	l := newLab(t)
	l.load(t, epoch, healthy()...)
	l.load(t, epoch,
		every(`queue_depth{topic="chat"}`, 12), every(`queue_depth{topic="code"}`, 3),
		every(`kube_deployment_spec_replicas{namespace="inference",deployment="other"}`, 1))
	for name, f := range queryFaults {
		t.Run(name, func(t *testing.T) {
			if f.want != "" {
				f.signal, f.place = "backlog", "workloads[0].signals[0].query"
			}
			f.judge(t, check(t, l.client, Options{Lookback: time.Hour}, epoch, f.workloads...))
		})
	}
}

// holding is a workload with a gateway in front of it.
func holding(h promapi.HeldSource) []promapi.Workload {
	return []promapi.Workload{chat(func(w *promapi.Workload) { w.Held, w.Policy.Held = []promapi.HeldSource{h}, true })}
}

var heldFaults = map[string]fault{
	"a gateway that knows the workload": {workloads: holding(promapi.HeldSource{Preset: promapi.HeldKEDA})},
	"a match with a typo": {
		workloads: holding(promapi.HeldSource{Preset: promapi.HeldKEDA, Match: map[string]string{"route": "chta"}}),
		want:      HeldNeverMatched, says: []string{`no series of keda_http matched {route="chta"}`, `did you mean route_name="chat"?`, "send one request"},
	},
	"a gateway that is not there": {
		workloads: holding(promapi.HeldSource{Preset: promapi.HeldKnative}),
		want:      HeldAbsent, says: []string{"no series of knative at all", "scrape the gateway"},
	},
	"a query for what is held without a row": {
		workloads: holding(promapi.HeldSource{Query: "sum(gateway_held_requests)"}),
		want:      HeldAbsent, says: []string{"the query gives no row: gateway_held_requests matches no series", "nor one that begins alike"},
	},
	"a query for what is held with a typo in the metric": {
		workloads: holding(promapi.HeldSource{Query: "sum(gw_heldd)"}),
		want:      HeldAbsent, says: []string{"gw_heldd matches no series", "did you mean gw_held?"},
	},
	"a query for what is held with a typo in a value": {
		workloads: holding(promapi.HeldSource{Query: `gw_held{route="x"}`}),
		want:      HeldAbsent, says: []string{`without {route="x"} it does`, `route="chat"`},
	},
	"a query for what is held whose comparison drops everything": {
		workloads: holding(promapi.HeldSource{Query: "sum(gw_held > 1000)"}),
		want:      HeldAbsent, says: []string{"the query gives no row: ", "each of its selectors matches series"},
	},
	"a query for what is held of several rows": {
		workloads: holding(promapi.HeldSource{Query: "gw_held"}),
		want:      QueryAmbiguous, says: []string{"got 2 rows", "sum()"},
	},
	"a query for what is held by another workload": {
		workloads: holding(promapi.HeldSource{Query: `label_replace(gw_held{route="code"}, "deployment", "code", "", "")`}),
		want:      QueryOthers, says: []string{"another workload's"},
	},
	"a query for what is held that the server cannot evaluate": {
		workloads: holding(promapi.HeldSource{Query: `label_replace(gw_held, "route", "x", "route", ".*")`}),
		want:      QueryFailed, says: []string{"execution"},
	},
	"one source of two": {
		workloads: []promapi.Workload{chat(func(w *promapi.Workload) {
			w.Held, w.Policy.Held = []promapi.HeldSource{{Preset: promapi.HeldKEDA}, {Query: "sum(gw_heldd)"}}, true
		})},
		want: HeldAbsent, severity: Warning, says: []string{"one of its sources has no number: the query gives no row: gw_heldd", "did you mean gw_held?"},
	},
}

func TestEveryFaultOfAGatewayIsNamed(t *testing.T) {
	l := newLab(t)
	l.load(t, epoch, healthy()...)
	l.load(t, epoch, every(`interceptor_request_concurrency{route_namespace="inference",route_name="chat"}`, 0),
		every(`interceptor_request_concurrency{route_namespace="inference",route_name="code"}`, 0),
		every(`gw_held{route="chat"}`, 3), every(`gw_held{route="code"}`, 4))
	for name, f := range heldFaults {
		t.Run(name, func(t *testing.T) {
			if f.want != "" {
				f.signal, f.place = "held", "workloads[0].held"
			}
			f.judge(t, check(t, l.client, Options{}, epoch, f.workloads...))
		})
	}
}
