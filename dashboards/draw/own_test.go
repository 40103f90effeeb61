package draw

import (
	"context"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/infscale/infscale/recommender/config"
	"github.com/infscale/infscale/recommender/daemon"
)

const small = `
prometheus:
  url: http://127.0.0.1:9
workloads:
  - namespace: inference
    name: chat
    replicas: {min: 1, max: 8}
    signals: [{metric: queue, target: 24}]
`

// shapes are the metrics of a registry: the type and the labels of each name.
func shapes(t *testing.T, registry *prometheus.Registry) map[string][]string {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for _, f := range families {
		shape := []string{f.GetType().String()}
		for _, l := range f.GetMetric()[0].GetLabel() {
			shape = append(shape, l.GetName())
		}
		found[f.GetName()] = shape
	}
	return found
}

// What the pictures invent has the names, types and labels of what the daemon exports.
func TestOwnMetricsAreThoseOfTheDaemon(t *testing.T) {
	exported := prometheus.NewRegistry()
	d, err := daemon.New(daemon.Options{
		Load:     func() (*config.Config, error) { return config.Parse([]byte(small), "small.yaml") },
		Registry: exported,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := shapes(t, exported)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.Run(ctx); err != nil {
		t.Fatal(err)
	}
	invented := prometheus.NewRegistry()
	o := newOwn(invented, 0)
	o.decided(&moment{})
	for name, shape := range shapes(t, invented) {
		if !slices.Equal(shape, want[name]) {
			t.Errorf("%s: got %v, want %v", name, shape, want[name])
		}
	}
}
