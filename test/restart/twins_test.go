package restart

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/rules"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/alerts"
	"github.com/infscale/infscale/promapi/embedded"
)

// begin is when twins start, a slot.
var begin = time.Unix(1_700_000_400, 0).UTC()

// after returns the instant some minutes after the twins have started.
func after(minutes float64) time.Time {
	return begin.Add(time.Duration(minutes * float64(time.Minute)))
}

// twinConfig is what both twins run.
const twinConfig = `
prometheus: {url: %q}
workloads:
  - {namespace: inference, name: chat-0000, replicas: {min: 1, max: 12}, signals: [{metric: queue, target: 8}]}
`

// tide is a load that rises after five minutes and falls after twenty, and replicas that
// follow what is right.
func tide() *fleet {
	current := func(at time.Time) int {
		if at.After(after(5.5)) && at.Before(after(25.5)) {
			return 8
		}
		return 2
	}
	return &fleet{
		workloads: 1, pods: 8,
		current: func(_ int, at time.Time) int { return current(at) },
		load: func(_ int, at time.Time) float64 {
			if !at.Before(after(5)) && at.Before(after(20)) {
				return 64 / float64(current(at))
			}
			return 16 / float64(current(at))
		},
	}
}

// A pair is two daemons, and the Prometheus that scrapes them.
type pair struct {
	monitoring *embedded.Prometheus
	twins      [2]*clocked
	pages      [2]map[string]string
}

// newPair starts twins that read these addresses.
func newPair(t *testing.T, monitoring *embedded.Prometheus, a, b string) *pair {
	t.Helper()
	p := &pair{monitoring: monitoring}
	for i, address := range []string{a, b} {
		p.twins[i] = startClocked(t, write(t, fmt.Sprintf(twinConfig, address)), begin)
	}
	return p
}

// tick lets both decide on a slot and scrapes them.
func (p *pair) tick(t *testing.T, slot time.Time) {
	t.Helper()
	for i, twin := range p.twins {
		twin.tick(t, slot)
		page := twin.page(t)
		p.pages[i] = gauges(string(page))
		target := embedded.Target{Address: fmt.Sprintf("10.0.0.%d:8080", i)}
		if err := p.monitoring.AppendPage(slot.Add(time.Second), "infscale", target, page, "text/plain; version=0.0.4"); err != nil {
			t.Fatal(err)
		}
	}
}

// desired returns what a twin recommends; NaN is nothing.
func (p *pair) desired(twin int) float64 {
	v, err := strconv.ParseFloat(p.pages[twin][`infscale_desired_replicas{workload="chat-0000",workload_namespace="inference"}`], 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

func TestTwinsExportTheSameNumbers(t *testing.T) {
	prometheus := startPrometheus(t)
	tide().store(t, prometheus, after(-16), after(31), slots)
	p := newPair(t, prometheus, prometheus.URL(), prometheus.URL())
	seen := map[float64]bool{}
	for slot := begin; slot.Before(after(30)); slot = slot.Add(slots) {
		p.tick(t, slot)
		if !maps.Equal(p.pages[0], p.pages[1]) {
			t.Errorf("at %s:\n%s", slot, difference(p.pages[1], p.pages[0]))
		}
		seen[p.desired(0)] = true
	}
	if !seen[2] || !seen[8] {
		t.Errorf("got the recommendations %v, want a rise to 8 and a fall to 2 among them", seen)
	}
}

// A gate answers for a Prometheus, or cuts connections.
type gate struct {
	cut atomic.Bool
	url string
}

func newGate(t *testing.T, p *embedded.Prometheus) *gate {
	t.Helper()
	g := &gate{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.cut.Load() {
			panic(http.ErrAbortHandler)
		}
		p.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

// A twin that is cut off while the load rises, and again while it falls, holds, and later
// recommends nothing. The consumer gets what the other one says.
func TestAConsumerFollowsTheTwinThatSees(t *testing.T) {
	prometheus := startPrometheus(t)
	tide().store(t, prometheus, after(-16), after(41), slots)
	g := newGate(t, prometheus)
	p := newPair(t, prometheus, prometheus.URL(), g.url)
	query := consumer(t)
	apart := 0
	for slot := begin; slot.Before(after(40)); slot = slot.Add(slots) {
		blind := (slot.After(after(2)) && slot.Before(after(14))) || slot.After(after(19))
		g.cut.Store(blind)
		p.tick(t, slot)
		if p.desired(0) != p.desired(1) {
			apart++
		}
		wantConsumed(t, p, query, slot)
	}
	if apart < 40 {
		t.Errorf("the twins differed at %d slots, want a blind one to hold other numbers", apart)
	}
	wantTide(t, p, query)
}

// A twin whose Prometheus scrapes half of the replicas holds for ever: it must not block the
// fall, and somebody is told.
func TestTwinsThatDisagreeAreReported(t *testing.T) {
	whole, half := startPrometheus(t), startPrometheus(t)
	tide().store(t, whole, after(-16), after(46), slots)
	blinkered := tide()
	blinkered.silent = func(pod int) bool { return pod%2 == 1 }
	blinkered.store(t, half, after(-16), after(46), slots)
	p := newPair(t, whole, whole.URL(), half.URL())
	query, alert := consumer(t), disagree(t)
	fired := time.Time{}
	for slot := begin; slot.Before(after(45)); slot = slot.Add(slots) {
		p.tick(t, slot)
		wantConsumed(t, p, query, slot)
		if _, err := alert.Eval(t.Context(), 0, slot.Add(2*time.Second), whole.Query, &url.URL{}, 0); err != nil {
			t.Fatal(err)
		}
		alert.SetEvaluationTimestamp(slot)
		if alert.State() == rules.StateFiring && fired.IsZero() {
			fired = slot
		}
	}
	if p.desired(0) != 2 || p.desired(1) != 8 {
		t.Errorf("got %v and %v, want 2 of the twin that sees and 8 of the one that holds", p.desired(0), p.desired(1))
	}
	// The load falls after 20 minutes, the window is 5, and the alert has 2 and then 10.
	if fired.Before(after(36)) || fired.After(after(38)) {
		t.Errorf("the alert fired %s after the start, want about 37 minutes", fired.Sub(begin))
	}
	wantTide(t, p, query)
}

// wantConsumed fails unless the consumer gets what the twin that sees recommends.
func wantConsumed(t *testing.T, p *pair, query string, slot time.Time) {
	t.Helper()
	v, err := p.monitoring.Query(t.Context(), query, slot.Add(2*time.Second))
	switch {
	case err != nil:
		t.Fatal(err)
	case len(v) != 1 || v[0].F != p.desired(0):
		t.Errorf("%s after the start: the consumer got %v, want %v", slot.Sub(begin), v, p.desired(0))
	}
}

// wantTide fails unless the consumer got the rise and the fall when they were due.
func wantTide(t *testing.T, p *pair, query string) {
	t.Helper()
	for minutes, want := range map[float64]float64{4: 2, 6: 8, 19: 8, 24: 8, 26: 2, 39: 2} {
		v, err := p.monitoring.Query(t.Context(), query, after(minutes).Add(2*time.Second))
		if err != nil || len(v) != 1 || v[0].F != want {
			t.Errorf("after %v minutes the consumer got %v, %v, want %v", minutes, v, err, want)
		}
	}
}

// consumer returns the expression that is shipped for KEDA, for the workload of the tests.
func consumer(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../deploy/k8s/examples/keda/scaledobject.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Spec struct {
			Triggers []struct{ Metadata struct{ Query string } }
		}
	}
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	if len(object.Spec.Triggers) != 1 {
		t.Fatalf("got %d triggers, want one", len(object.Spec.Triggers))
	}
	return strings.ReplaceAll(object.Spec.Triggers[0].Metadata.Query, `workload="chat"`, `workload="chat-0000"`)
}

// disagree returns the alert that is shipped.
func disagree(t *testing.T) *rules.AlertingRule {
	t.Helper()
	text, err := alerts.Files.ReadFile("infscale.rules.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				For         time.Duration
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			if r.Alert != "InfscaleTwinsDisagree" {
				continue
			}
			expr, err := parser.NewParser(parser.Options{}).ParseExpr(r.Expr)
			if err != nil {
				t.Fatal(err)
			}
			none := labels.EmptyLabels()
			return rules.NewAlertingRule(r.Alert, expr, r.For, 0, none, none, none, "", true, promslog.NewNopLogger())
		}
	}
	t.Fatal("no such alert")
	return nil
}
