package cases

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/infscale/infscale/deploy/lint"
	"github.com/infscale/infscale/recommender/hpa"
)

// A step is a recommendation, and the replicas that an HPA sees.
type step struct {
	Desired int32 `json:"desired"`
	Current int32 `json:"current"`
}

// simulated runs rows of recommendations through the HPA's arithmetic, with the tolerance of
// the case and with none.
func simulated(_ *testing.T, in *input, _ map[string]any) (*run, error) {
	var rows []step
	if err := refuseUnknown(in.Rows, &rows); err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	tolerance, ok := in.HPA["tolerance"].(float64)
	kind, isText := in.HPA["metric_target"].(string)
	m := regexp.MustCompile(`^(AverageValue|Value) ([\d.]+)$`).FindStringSubmatch(kind)
	if !ok || !isText || m == nil {
		return nil, fmt.Errorf("nobody knows the HPA %v", in.HPA)
	}
	r := &run{}
	r.fact("hpa_result", replicas(rows, m, tolerance))
	r.fact("with_tolerance_0", replicas(rows, m, 0))
	r.checks = map[string]func() error{"stuck rows": stuck}
	return r, nil
}

// replicas are what the controller writes for each row.
func replicas(rows []step, target []string, tolerance float64) []any {
	kind := hpa.ExternalAverage
	if target[1] == "Value" {
		kind = hpa.ExternalValue
	}
	b := hpa.DefaultBehaviour(hpa.DefaultFlags())
	b.Up.Tolerance, b.Down.Tolerance, b.Down.Window = tolerance, tolerance, 0
	spec := &hpa.Spec{
		Min: 1, Max: 1000, Behaviour: &b, Flags: hpa.DefaultFlags(),
		Metrics: []hpa.Metric{{Kind: kind, Name: "desired", Target: int64(number(target[2]) * 1000)}},
	}
	var list []any
	for _, s := range rows {
		d := new(hpa.State).Reconcile(epoch, spec, &hpa.Observation{
			Replicas: s.Current, Status: s.Current, Values: [][]int64{{int64(s.Desired) * 1000}},
		})
		list = append(list, float64(d.Desired))
	}
	return list
}

// deadBand is an HPA that follows us with a tolerance of its own.
const deadBand = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
  maxReplicas: 40
  metrics:
    - type: External
      external:
        metric: {name: infscale_desired_replicas, selector: {matchLabels: {workload: chat}}}
        target: {type: AverageValue, averageValue: "1"}
`

// stuck returns nil if whoever has such an HPA is told which steps it swallows.
func stuck() error {
	findings, unreadable := lint.Check([]lint.File{{Name: "hpa.yaml", Data: []byte(deadBand)}}, lint.Options{})
	for i := range findings {
		if findings[i].Rule == "swallowed-count" && strings.Contains(findings[i].What, "stay") {
			return nil
		}
	}
	return errors.Join(append(unreadable, fmt.Errorf("got %d findings, want swallowed-count", len(findings)))...)
}
