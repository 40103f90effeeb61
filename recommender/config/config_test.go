package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests must not depend on the machine's zones

	"github.com/prometheus/common/model"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/hpa"
)

const smallest = `
prometheus:
  url: http://prometheus:9090
workloads:
  - namespace: inference
    name: chat
    replicas: {min: 1, max: 8}
    signals: [{metric: queue, target: 24}]
`

func parse(t testing.TB, text string) *Config {
	t.Helper()
	c, err := Parse([]byte(text), "infscale.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSmallestFileHasTheDefaults(t *testing.T) {
	c := parse(t, smallest)
	want := recommender.DefaultPolicy()
	want.Max = 8
	want.Signals = []recommender.Signal{{Metric: recommender.Queue, Target: 24}}
	want.ScaleUp.Select, want.ScaleDown.Select = hpa.Max, hpa.Max
	want.Schedules = []recommender.Schedule{}
	workloads := c.Workloads()
	if len(workloads) != 1 {
		t.Fatalf("got %d workloads, want 1", len(workloads))
	}
	got := workloads[0]
	if !reflect.DeepEqual(*got.Policy, want) {
		t.Errorf("got  %+v\nwant %+v", *got.Policy, want)
	}
	if got.Namespace != "inference" || got.Name != "chat" || got.Kind != promapi.Deployment || got.Engine != promapi.EngineAuto {
		t.Errorf("got %+v, want the Deployment inference/chat with any engine", got)
	}
	if got, want := c.Options(), (promapi.Options{
		Labels:     promapi.LabelNames{Namespace: "namespace", Pod: "pod", Model: "model_name"},
		StaleAfter: time.Minute, QueryOffset: 5 * time.Second,
		RateWindow: 2 * time.Minute, LatencyWindow: 5 * time.Minute,
	}); got != want {
		t.Errorf("got options %+v, want %+v", got, want)
	}
}

func TestFullFile(t *testing.T) {
	c, err := Read(filepath.Join("testdata", "full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	chat, summariser, embedder := c.Workloads()[0], c.Workloads()[1], c.Workloads()[2]
	p := chat.Policy
	check := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
	}
	check("namespace of defaults", chat.Namespace, "inference")
	check("hold limit", p.HoldLimit, 20*time.Minute)
	check("tolerance of defaults", p.Tolerance, recommender.Tolerance{Up: 0.1, Down: 0.2})
	check("window of defaults beside a gate", p.ScaleDown.Window, 10*time.Minute)
	check("gate", p.Gate, recommender.Gate{BatchFill: 0.4, For: 10 * time.Minute})
	check("policies", p.ScaleUp, hpa.Rules{Select: hpa.Min, Policies: []hpa.Policy{
		{Type: hpa.Pods, Value: 4, Period: time.Minute}, {Type: hpa.Percent, Value: 50, Period: time.Minute},
	}})
	check("lookahead", p.LookaheadColdStart, true)
	check("percentile", p.Signals[3].Percentile, 0.9)
	check("schedules", len(p.Schedules), 2)
	check("zone", p.Schedules[0].Location.String(), "Europe/Madrid")
	check("start", p.Schedules[0].Start.String(), "30 8 * * mon-fri")
	check("replica model", c.Replica(0).WeightLoad().Truncate(time.Second), 58*time.Second)
	check("GPUs", c.Replica(0).GPUs, 2)
	check("no replica model", c.Replica(1) == nil, true)
	check("slo", p.SLO, recommender.SLO{TTFT: 2 * time.Second, Objective: 0.95})
	check("held policy", summariser.Policy.Held, true)
	check("held", summariser.Held, []promapi.HeldSource{
		{Preset: promapi.HeldKEDA, Match: map[string]string{"route_namespace": "inference", "route_name": "summariser"}},
		{Query: `sum(kafka_consumergroup_lag{consumergroup="summariser"})`},
	})
	check("selector", summariser.Selector, `{model_name="summariser-8b", role!="prefill"}`)
	check("no gate beside the other's", summariser.Policy.Gate, recommender.Gate{})
	check("namespace over defaults", embedder.Namespace, "batch")
	check("objective of defaults", embedder.Policy.SLO, recommender.SLO{TTFT: 10 * time.Second, Objective: 0.95})
	check("queries", embedder.Queries, []promapi.NamedQuery{{Name: "jobs", Text: "sum(rate(jobs_submitted_total[5m])) * 60"}})
	check("disabled", embedder.Policy.ScaleDown.Select, hpa.Disabled)
	check("password beside the file", c.Prometheus.HTTP.BasicAuth.PasswordFile, filepath.Join("testdata", "password"))
	check("matchers", c.Options().Matchers, `{cluster="eu-1"}`)
}

func TestShorthands(t *testing.T) {
	c := parse(t, `
interval: 3s
prometheus: {url: "http://prometheus:9090"}
defaults:
  signals: [{metric: kv, target: 0.8}, {metric: ttft, target: 2}]
workloads:
  - {namespace: a, name: one, replicas: {max: 3}}
  - &two
    namespace: a
    name: two
    replicas: {max: 4}
    lookahead: 2m
    signals: [{query: sum(lag), name: lag, type: ratio, target: 7}]
  - <<: *two
    name: three
    lookahead:
`)
	one, two, three := c.Workloads()[0].Policy, c.Workloads()[1].Policy, c.Workloads()[2]
	if one.Signals[0].Metric != recommender.KVCacheUsage {
		t.Errorf("kv: got %q, want kv_cache_usage", one.Signals[0].Metric)
	}
	if one.Signals[1].Percentile != 0.95 {
		t.Errorf("ttft: got percentile %v, want 0.95", one.Signals[1].Percentile)
	}
	if two.Signals[0].Metric != recommender.Query || two.Lookahead != 2*time.Minute {
		t.Errorf("query: got %+v, want a query and a lookahead of 2m", two)
	}
	if three.Name != "three" || three.Policy.Max != 4 || three.Policy.Lookahead != 0 {
		t.Errorf("merge: got %s with %+v, want three as two with the default lookahead", three.Name, three.Policy)
	}
	if got := c.Prometheus.Timeout; got != model.Duration(2*time.Second) {
		t.Errorf("timeout: got %v, want two thirds of a short interval", got)
	}
}

func TestStringHidesSecretsAndReadsBack(t *testing.T) {
	text := strings.Replace(smallest, "url: http://prometheus:9090", `url: http://prometheus:9090
  headers: {X-Scope-OrgID: hunter2-header}
  params: {token: hunter2-param}
  basic_auth: {username: me, password: hunter2-password}
  http_headers: {X-Key: {secrets: [hunter2-http]}}
  tls_config: {key: hunter2-key, cert: c}
  proxy_url: http://me:hunter2-proxy@proxy:3128`, 1)
	shown := parse(t, text).String()
	if strings.Contains(shown, "hunter2") {
		t.Errorf("got a secret in\n%s", shown)
	}
	for _, want := range []string{"interval: 15s", "password: <secret>", "X-Scope-OrgID: <secret>", "target: 24", "window: 5m"} {
		if !strings.Contains(shown, want) {
			t.Errorf("got no %q in\n%s", want, shown)
		}
	}

	full, err := os.ReadFile(filepath.Join("testdata", "full.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	c := parse(t, string(full))
	again := parse(t, c.String())
	for i, w := range c.Workloads() {
		if got := again.Workloads()[i]; !reflect.DeepEqual(got, w) {
			t.Errorf("got %+v from the own text, want %+v", got, w)
		}
	}
	if got, want := again.String(), c.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestMistakesShowNoSecret(t *testing.T) {
	for _, line := range []string{
		"headers: hunter2", "params: hunter2", "headers: {a: [hunter2]}", "basic_auth: hunter2", "basic_auth: [hunter2]",
		"authorization: hunter2", "oauth2: hunter2", "tls_config: hunter2", "http_headers: hunter2",
		"http_headers: {a: hunter2}", "bearer_token: [hunter2]", "proxy_url: 'http://me:hunter2@ %'",
		"basic_auth: {password: {a: hunter2}}", "follow_redirects: hunter2", "url: 'http://me:hunter2@host'",
	} {
		text := "prometheus:\n  " + line + "\n"
		_, err := Parse([]byte(text), "infscale.yaml")
		switch {
		case err == nil:
			t.Errorf("%s: got no error, want one", line)
		case !strings.Contains(err.Error(), "infscale.yaml:2: prometheus."):
			t.Errorf("%s: got %v, want one with its line and path", line, err)
		case strings.Contains(err.Error(), "hunter") && line != "follow_redirects: hunter2":
			t.Errorf("%s: got the secret in %v", line, err)
		}
	}
}

func TestLoadWithoutFile(t *testing.T) {
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that the file does not exist", err)
	}
	bad := filepath.Join(t.TempDir(), "bad.yaml")
	if err := os.WriteFile(bad, []byte("interval: 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(bad); err == nil || !strings.Contains(err.Error(), bad+":1: interval: needs a unit") {
		t.Errorf("got %v, want the mistake with the name of the file", err)
	}
}
