package daemon

import (
	"reflect"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/infscale/infscale/recommender/config"
)

func TestOriginIsWhatObservationsDependOn(t *testing.T) {
	const text = `
rate_window: 2m
prometheus: {url: "http://a", headers: {X-Scope-OrgID: one}}
workloads:
  - namespace: inference
    name: chat
    replicas: {min: 1, max: 8}
    selector: '{a="b"}'
    signals: [{query: sum(one), name: one, type: total, target: 1}]
    held: [{query: sum(held)}]
`
	originOf := func(text string) origin {
		t.Helper()
		load := func() (*config.Config, error) { return config.Parse([]byte(text), "infscale.yaml") }
		w, err := build(load, prometheus.NewRegistry())
		if err != nil {
			t.Fatal(err)
		}
		return w.workloads[0].origin
	}
	tests := map[string]struct {
		old, new string
		same     bool
	}{
		"nothing":        {"", "", true},
		"the policy":     {"max: 8", "max: 9", true},
		"a window":       {"rate_window: 2m", "rate_window: 3m", false},
		"the server":     {"http://a", "http://b", false},
		"a header":       {"OrgID: one", "OrgID: two", false},
		"the selector":   {`a="b"`, `a="c"`, false},
		"a query":        {"sum(one)", "sum(two)", false},
		"a held query":   {"sum(held)", "max(held)", false},
		"its own engine": {"    name: chat", "    name: chat\n    engine: vllm", false},
	}
	for name, test := range tests {
		changed := strings.Replace(text, test.old, test.new, 1)
		if same := reflect.DeepEqual(originOf(text), originOf(changed)); same != test.same {
			t.Errorf("%s: got the same origin %t, want %t", name, same, test.same)
		}
	}
}
