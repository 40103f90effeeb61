package hpa

import (
	"testing"
	"time"
)

// Where the bound and the rate limit are the same number, the bound is named.
func TestTheBoundIsNamedBeforeAnEqualLimit(t *testing.T) {
	if n, why := above(1, 2, 2); n != 2 || why != TooFewReplicas {
		t.Errorf("got %d, %s, want 2, %s", n, why, TooFewReplicas)
	}
	if n, why := below(9, 8, 8); n != 8 || why != TooManyReplicas {
		t.Errorf("got %d, %s, want 8, %s", n, why, TooManyReplicas)
	}
}

// A workload whose metrics come from its pods would never wake: the controller does not say
// that it took it to zero, and so leaves it alone.
func TestZeroWithoutAMetricFromOutsideIsNotOurs(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	spec := Spec{
		Max: 4, Flags: DefaultFlags(),
		Metrics: []Metric{{Kind: PodsAverage, Name: "queue", Target: 1000}},
	}
	idle := Observation{Replicas: 1, Status: 1, Pods: []Pod{{Ready: Ready, Samples: []Sample{{Amount: Amount{Known: true}}}}}}
	var s State
	s.Reconcile(now, &spec, &idle)
	d := s.Reconcile(now.Add(time.Hour), &spec, &idle)
	if d.Desired != 0 {
		t.Fatalf("got %d, want 0", d.Desired)
	}
	for _, c := range d.Conditions.All() {
		if c.Type == ScaledToZero && c.True {
			t.Errorf("got %s", c)
		}
	}
}
