package promapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

func TestHeldRequests(t *testing.T) {
	keda := HeldSource{Preset: HeldKEDA}
	knative := HeldSource{Preset: HeldKnative}
	empty := []string{
		`kube_deployment_spec_replicas{namespace="ns",deployment="chat"} 0x80`,
		`kube_deployment_status_replicas_ready{namespace="ns",deployment="chat"} 0x80`,
	}
	serving := append(kubeSeries("chat", 1, chatPod(0)), queueOf(chatPod(0), "3x80", "1x80")...)
	for name, c := range map[string]struct {
		held   []HeldSource
		base   []string
		series []string
		want   float64
		why    recommender.Evidence
	}{
		"the add-on for HTTP": {
			[]HeldSource{keda}, empty, []string{
				`interceptor_request_concurrency{route_name="chat",route_namespace="ns",pod="i-0"} 20x80`,
				`interceptor_request_concurrency{route_name="chat",route_namespace="ns",pod="i-1"} 11x80`, // The interceptors add up.
				`interceptor_request_concurrency{route_name="other",route_namespace="ns",pod="i-0"} 4x80`,
			}, 31, recommender.Known,
		},
		"an interceptor that is scraped twice": {
			[]HeldSource{keda}, empty, []string{
				`interceptor_request_concurrency{route_name="chat",route_namespace="ns",pod="i-0",job="a"} 20x80`,
				`interceptor_request_concurrency{route_name="chat",route_namespace="ns",pod="i-0",job="b"} 20x80`,
			}, 20, recommender.Known,
		},
		"its older series, by host": {
			[]HeldSource{{Preset: HeldKEDA, Match: map[string]string{"host": "chat.example.com"}}},
			empty,
			[]string{`interceptor_pending_request_count{host="chat.example.com"} 31x80`, `interceptor_pending_request_count{host="x"} 4x80`},
			31, recommender.Known,
		},
		"what passes through to ready pods is not held": {
			[]HeldSource{keda},
			serving,
			[]string{`interceptor_request_concurrency{route_name="chat",route_namespace="ns"} 31x80`},
			0, recommender.Known,
		},
		"no series of this route yet": {
			[]HeldSource{keda},
			empty,
			[]string{`interceptor_request_concurrency{route_name="other",route_namespace="ns"} 4x80`},
			0, recommender.NeverMatched,
		},
		"no interceptor": {[]HeldSource{keda}, empty, nil, 0, recommender.Absent},
		"not a number": {
			[]HeldSource{keda},
			empty,
			[]string{`interceptor_request_concurrency{route_name="chat",route_namespace="ns"} ` + strings.Repeat("NaN ", 40)},
			0, recommender.Invalid,
		},
		"Knative's queue is held also while pods serve": {
			[]HeldSource{knative}, serving, []string{
				`kn_revision_request_queued{k8s_namespace_name="ns",kn_revision_name="chat-00003"} 7x80`,
				`kn_revision_request_concurrency{k8s_namespace_name="ns",kn_revision_name="chat-00003",kn_service_name="chat"} 9x80`,
				`kn_revision_request_queued{k8s_namespace_name="ns",kn_revision_name="chat-lora-00003"} 50x80`,
			}, 7, recommender.Known,
		},
		"Knative's older activator": {
			[]HeldSource{knative}, empty, []string{
				`activator_request_concurrency{namespace_name="ns",revision_name="chat-00003",service_name="chat",pod_name="a"} 7x80`,
			}, 7, recommender.Known,
		},
		"a label of the series itself": {
			[]HeldSource{{Preset: HeldKnative, Match: map[string]string{"kn_service_name": "chat"}}},
			empty,
			[]string{`kn_revision_request_queued{k8s_namespace_name="ns",kn_revision_name="chat-00003"} 6x80`},
			6, recommender.Known,
		},
		"a query": {[]HeldSource{{Query: `sum(gateway_queue{app="chat"})`}}, empty, []string{`gateway_queue{app="chat"} 5x80`}, 5, recommender.Known},
		"a query that answers for another": {
			[]HeldSource{{Query: `sum by (deployment) (gateway_queue)`}},
			empty,
			[]string{`gateway_queue{deployment="other"} 5x80`},
			0, recommender.Absent,
		},
		"sources add up": {
			[]HeldSource{keda, {Query: `sum(gateway_queue{app="chat"})`}},
			empty,
			[]string{`gateway_queue{app="chat"} 5x80`, `interceptor_request_concurrency{route_name="chat",route_namespace="ns"} 2x80`},
			7, recommender.Known,
		},
		"no source": {nil, empty, nil, 0, recommender.Absent},
	} {
		t.Run(name, func(t *testing.T) {
			w := chat()
			w.Held = c.held
			o, _ := newLab(t, append(slices.Clip(c.base), c.series...)...).observe(t, 5*time.Minute, Options{}, w)
			if c.why != recommender.Known {
				lacks(t, "held", o.Held, c.why)
				return
			}
			known(t, "held", o.Held, c.want)
		})
	}
}

func TestOneOfTwoHeldSourcesIsALowerBound(t *testing.T) {
	w := chat()
	w.Held = []HeldSource{{Preset: HeldKEDA}, {Query: "sum(gateway_queue)"}}
	o, _ := newLab(t, `gateway_queue 5x80`).observe(t, 5*time.Minute, Options{}, w)
	atLeastIs(t, "held", o.Held, 5)
	w.Held[0], w.Held[1] = w.Held[1], w.Held[0]
	o, _ = newLab(t, `gateway_queue 5x80`).observe(t, 5*time.Minute, Options{}, w)
	atLeastIs(t, "held", o.Held, 5)
}

func TestCustomQueries(t *testing.T) {
	series := append(kubeSeries("chat", 1, chatPod(0)),
		`depth{namespace="ns",app="chat",pod="`+chatPod(0)+`",deployment="chat",model_name="m"} 5x80`,
		`depth{namespace="ns",app="other",pod="x",deployment="other",model_name="n"} 7x80`,
		`depth{namespace="far",app="far",pod="y",deployment="chat",model_name="m"} 9x80`)
	l := newLab(t, series...)
	for name, c := range map[string]struct {
		query, selector string
		want            float64
		why             recommender.Evidence
	}{
		"a number":                       {"2 * 3", "", 6, recommender.Known},
		"one row":                        {`sum(depth)`, "", 21, recommender.Known},
		"by pod":                         {`sum by (namespace, pod) (depth)`, "", 5, recommender.Known},
		"by the name of the workload":    {`sum by (namespace, deployment) (depth)`, "", 5, recommender.Known},
		"by the labels it selects by":    {`sum by (namespace, model_name) (depth)`, `{model_name="m"}`, 5, recommender.Known},
		"by namespace":                   {`max by (namespace) (depth) - 2`, "", 5, recommender.Known},
		"nothing":                        {`absent_series`, "", 0, recommender.Absent},
		"not of this workload":           {`depth{deployment="other"} or depth{namespace="far"}`, "", 0, recommender.Absent},
		"one row, another's":             {`depth{deployment="other"}`, "", 0, recommender.Absent},
		"one row, of another Deployment": {`sum by (deployment) (depth{app="other"})`, "", 0, recommender.Absent},
		"one row, of another namespace":  {`sum by (namespace) (depth{app="far"})`, "", 0, recommender.Absent},
		"one row, of another namespace, though its name is right": {`sum by (namespace, deployment) (depth{app="far"})`, "", 0, recommender.Absent},
		"one row, of another pod":                                 {`sum by (pod) (depth{app="other"})`, "", 0, recommender.Absent},
		"one row, of a pod of ours":                               {`sum by (pod) (depth{app="chat"})`, "", 5, recommender.Known},
		"one row, not what it selects":                            {`sum by (model_name) (depth{app="other"})`, `{model_name="m"}`, 0, recommender.Absent},
		"one row, part of what it selects":                        {`sum by (model_name) (depth{app="chat"})`, `{model_name="m",role="a"}`, 5, recommender.Known},
		"one row that says something else":                        {`sum by (app) (depth{app="other"})`, "", 7, recommender.Known},
		"several, and whose":                                      {`sum by (app) (depth)`, "", 0, recommender.Failed},
		"several of the workload":                                 {`label_replace(depth, "deployment", "chat", "namespace", "ns")`, "", 0, recommender.Failed},
		"not a number":                                            {`sum(depth) / 0 - sum(depth) / 0`, "", 0, recommender.Invalid},
		"an error of the server alone":                            {`depth * on () depth`, "", 0, recommender.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			w := chat()
			w.Selector = c.selector
			w.Queries = []NamedQuery{{Name: "depth", Text: c.query}}
			o, report := l.reader(t, Options{}, w).Observe(t.Context(), epoch.Add(5*time.Minute))
			q := o[0].Queries[0]
			if c.why == recommender.Known {
				known(t, "query", q.Quantity, c.want)
				return
			}
			lacks(t, "query", q.Quantity, c.why)
			told := c.why == recommender.Failed || strings.HasPrefix(name, "one row")
			if notes := fmt.Sprint(report.Workloads[0].Notes); told && !strings.Contains(notes, "query depth: ") {
				t.Errorf("notes: got %s, want why the query failed", notes)
			}
		})
	}
}

func TestARowThatAnotherSelectsIsNotOurs(t *testing.T) {
	w, other := chat(), chat()
	other.Name, other.Selector = "other", `{model_name="n"}`
	w.Queries = []NamedQuery{{Name: "depth", Text: `sum by (model_name) (depth)`}}
	other.Queries = w.Queries
	o, _ := newLab(t, `depth{model_name="n"} 7x80`).reader(t, Options{}, w, other).Observe(t.Context(), epoch.Add(5*time.Minute))
	lacks(t, "without selector", o[0].Queries[0].Quantity, recommender.Absent)
	known(t, "with it", o[1].Queries[0].Quantity, 7)
}

func TestEqualQueriesAreAskedOnce(t *testing.T) {
	a, b := chat(), chat()
	b.Name = "other"
	a.Queries = []NamedQuery{{Name: "depth", Text: "sum(depth)"}}
	b.Queries = []NamedQuery{{Name: "load", Text: "sum(depth)"}, {Name: "more", Text: "sum(more)"}}
	l := newLab(t, `depth 5x80`, `more 6x80`)
	r := l.reader(t, Options{}, a, b)
	if got := len(r.Plan().Custom); got != 2 {
		t.Errorf("got %d custom queries, want 2", got)
	}
	o, _ := r.Observe(t.Context(), epoch.Add(5*time.Minute))
	known(t, "depth", o[0].Queries[0].Quantity, 5)
	known(t, "load", o[1].Queries[0].Quantity, 5)
	known(t, "more", o[1].Queries[1].Quantity, 6)
}
