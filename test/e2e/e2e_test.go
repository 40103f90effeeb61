package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

const repository = "../.."

// A workload's name and bounds stand here and in the manifests.
func TestExamplesScaleTheWorkloads(t *testing.T) {
	p := &proof{repo: repository}
	for _, e := range []struct {
		workload workload
		path     []string
	}{
		{chat, []string{"keda", "scaledobject.yaml"}},
		{summariser, []string{"keda", "zero", "scaledobject.yaml"}},
		{code, []string{"hpa", "hpa.yaml"}},
	} {
		if _, err := p.example(e.workload, e.path...); err != nil {
			t.Error(err)
		}
	}
	if _, err := p.example(large, "keda", "scaledobject.yaml"); err == nil {
		t.Error("example of another workload: got no error, want one")
	}
}

func TestRenamedScalesAnother(t *testing.T) {
	p := &proof{repo: repository}
	o, err := p.example(chat, "keda", "scaledobject.yaml")
	if err != nil {
		t.Fatal(err)
	}
	r, err := renamed(o, large)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.at("metadata").text("name") + " " + r.at("spec", "scaleTargetRef").text("name"); got != "large large" {
		t.Errorf("got names %s, want large twice", got)
	}
	if got := r.at("spec")["maxReplicaCount"]; got != large.Max {
		t.Errorf("got maximum %v, want %d", got, large.Max)
	}
	content, err := r.json()
	if err != nil {
		t.Fatal(err)
	}
	if text := string(content); strings.Contains(text, "chat") || strings.Count(text, `workload=\"large\"`) != 3 {
		t.Errorf("got\n%s\nwant large in each selector and no chat", text)
	}
}

func TestAdapterAsksByTheShippedRules(t *testing.T) {
	rules, err := (&proof{repo: repository}).adapterRules()
	if err != nil {
		t.Fatal(err)
	}
	var asked string
	prometheus := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.FormValue("query")
		_, _ = w.Write([]byte(`{"status":"success","data":{"resultType":"vector","result":[{"metric":{"workload":"code"},"value":[1,"11.9996"]}]}}`))
	}))
	defer prometheus.Close()
	handler := (&adapter{prometheus: prometheus.URL, rules: rules}).handler()
	answer := func(metric string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		path := externalMetrics + "/namespaces/inference/" + metric + "?labelSelector=workload%3Dcode"
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		return w
	}
	got := answer("infscale_desired_replicas")
	if body := got.Body.String(); got.Code != http.StatusOK || !strings.Contains(body, `"value":"11999m"`) {
		t.Errorf("got %d %s, want 200 and a value of 11999m", got.Code, body)
	}
	const matchers = `{workload_namespace="inference",workload="code"}`
	if strings.Count(asked, matchers) != 3 || strings.Contains(asked, "<<") {
		t.Errorf("got query %s, want %s in each selector", asked, matchers)
	}
	if got := answer("infscale_no_such_metric"); got.Code != http.StatusNotFound {
		t.Errorf("metric without a rule: got %d, want %d", got.Code, http.StatusNotFound)
	}
}

// fixture is a Deployment with two pods, one of which is ready.
func fixture() (*fleet, workload) {
	w := workload{Namespace: "inference", Name: "chat"}
	f := newFleet(nil, []workload{w})
	var c cluster
	for _, decode := range []struct {
		text string
		into any
	}{
		{`[{metadata: {name: chat, namespace: inference}, spec: {replicas: 2}, status: {replicas: 2, readyreplicas: 1}}]`, &c.deployments},
		{`[{metadata: {name: chat-1, namespace: inference, ownerreferences: [{kind: Deployment, name: chat, controller: true}]}}]`, &c.replicaSets},
		{`[{metadata: {name: chat-1-a, uid: a, namespace: inference, ownerreferences: [{kind: ReplicaSet, name: chat-1, controller: true}]},
    status: {phase: Running, conditions: [{type: Ready, status: "True", lasttransitiontime: 2026-01-01T00:00:00Z}]}},
   {metadata: {name: chat-1-b, uid: b, namespace: inference, ownerreferences: [{kind: ReplicaSet, name: chat-1, controller: true}]},
    status: {phase: Pending}}]`, &c.pods},
	} {
		if err := yaml.Unmarshal([]byte(decode.text), decode.into); err != nil {
			panic(err) // A mistake in the text above.
		}
	}
	f.ask(w, 100)
	f.move(c, nil, f.moved)
	f.move(c, nil, f.moved.Add(10*time.Second))
	return f, w
}

func TestPagesOfTheFleet(t *testing.T) {
	f, w := fixture()
	if got, want := f.state(w), (state{load: 100, spec: 2, ready: 1}); got != want {
		t.Errorf("got state %+v, want %+v", got, want)
	}
	for path, want := range map[string][]string{
		"/pods/inference/chat-1-a": {
			`vllm:num_requests_running{engine="0",model_name="Qwen/Qwen3-8B",} 64`,
			`vllm:num_requests_waiting{engine="0",model_name="Qwen/Qwen3-8B",} 36`,
			`vllm:generation_tokens_total{engine="0",model_name="Qwen/Qwen3-8B",} 12800`,
		},
		"/interceptor": {`interceptor_request_concurrency{route_name="chat",route_namespace="inference",} 100`},
		"/kube-state-metrics": {
			`kube_deployment_spec_replicas{namespace="inference",deployment="chat",} 2`,
			`kube_pod_status_ready{namespace="inference",pod="chat-1-a",uid="a",condition="true",} 1`,
			`kube_pod_status_ready{namespace="inference",pod="chat-1-b",uid="b",condition="true",} 0`,
			`kube_pod_status_ready_time{namespace="inference",pod="chat-1-a",uid="a",} 1.7672256e+09`,
		},
		"/targets": {`"pod":"chat-1-b"`},
	} {
		r := httptest.NewRecorder()
		f.handler().ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		for _, line := range want {
			if !strings.Contains(r.Body.String(), line) {
				t.Errorf("%s: got %d and no %s in\n%s", path, r.Code, line, r.Body)
			}
		}
	}
}

// What is not known has no page: an old or empty one would be read as no load.
func TestPagesThatAreRefused(t *testing.T) {
	f, _ := fixture()
	refused := func(path string) {
		t.Helper()
		r := httptest.NewRecorder()
		f.handler().ServeHTTP(r, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		if r.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: got %d, want %d", path, r.Code, http.StatusServiceUnavailable)
		}
	}
	refused("/pods/inference/chat-1-b")
	f.move(cluster{}, http.ErrServerClosed, f.moved)
	refused("/kube-state-metrics")
	refused("/interceptor")
}

func TestManifestsRender(t *testing.T) {
	data := map[string]any{
		"Fleet": "f", "Daemon": "d", "Prometheus": "p", "Target": target, "Workloads": []workload{chat, summariser},
		"Port": "1", "CA": []byte("ca"), "Namespace": "n", "Name": "w", "Server": "s", "Certs": "c",
	}
	files, err := manifests.ReadDir("manifests")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		content, err := fill(f.Name(), data)
		if err != nil {
			t.Errorf("%s: %v", f.Name(), err)
			continue
		}
		if _, err := parse(content); err != nil {
			t.Errorf("%s: %v\n%s", f.Name(), err, content)
		}
	}
	content, err := fill("infscale.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(content), "held:"); got != 1 {
		t.Errorf("got %d workloads with held, want 1, that with a minimum of 0", got)
	}
}

func TestRecordsOfAStretch(t *testing.T) {
	w := &watcher{records: []record{{state: state{spec: 1}}, {state: state{spec: 7}}}}
	if seen, next := w.since(0); len(seen) != 2 || next != 2 {
		t.Errorf("from the start: got %d records and mark %d, want 2 and 2", len(seen), next)
	}
	_, mark := w.since(0)
	w.records = append(w.records, record{state: state{spec: 8}})
	var specs []int
	seen, _ := w.since(mark)
	for _, r := range seen {
		specs = append(specs, r.spec)
	}
	if want := []int{7, 8}; !slices.Equal(specs, want) {
		t.Errorf("from a mark: got %v, want %v, with the one in force then", specs, want)
	}
}
