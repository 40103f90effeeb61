package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/prometheus/client_golang/api"
	v1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
)

// desiredQuery is what the shipped ScaledObject asks, for the demo's workload: of several
// twins the one that sees well counts, or the largest if none does.
const desiredQuery = `max(infscale_desired_replicas{workload_namespace="inference",workload="chat"}` +
	` and on (instance) (infscale_decision_valid{workload_namespace="inference",workload="chat"} == 1))` +
	` or max(infscale_desired_replicas{workload_namespace="inference",workload="chat"})`

// explainQuery asks for the figures behind it.
const explainQuery = `{__name__=~"infscale_.+",workload_namespace="inference",workload="chat"}`

// A reader asks Prometheus over HTTP, as KEDA does.
type reader struct{ api v1.API }

func newReader(url string) (reader, error) {
	c, err := api.NewClient(api.Config{Address: url})
	if err != nil {
		return reader{}, err
	}
	return reader{v1.NewAPI(c)}, nil
}

// vector evaluates an expression at one moment.
func (r reader) vector(ctx context.Context, expr string, at time.Time) (model.Vector, error) {
	v, _, _, err := r.api.Query(ctx, expr, at, v1.WithTimeout(time.Second))
	if err != nil {
		return nil, err
	}
	vec, ok := v.(model.Vector)
	if !ok {
		return nil, fmt.Errorf("got a %s, want a vector", v.Type())
	}
	return vec, nil
}

// desired is the recommendation. It is absent until the first decision, and where absent it
// is not zero: nothing is scaled then.
func (r reader) desired(ctx context.Context, at time.Time) (replicas int, ok bool, err error) {
	vec, err := r.vector(ctx, desiredQuery, at)
	if err != nil || len(vec) == 0 {
		return 0, false, err
	}
	v := float64(vec[0].Value)
	if len(vec) > 1 || v != math.Trunc(v) || v < 0 || v > 1000 {
		return 0, false, fmt.Errorf("desired replicas: got %v, want one small whole number", vec)
	}
	return int(v), true, nil
}

// figures are the daemon's series for the workload, as Prometheus has them.
type figures struct {
	values map[string]float64 // By metric, for those without further labels.
	raw    map[string]float64 // Raw replicas by signal.
	risk   map[string]float64 // Simulated misses of the objective, by replicas.
	reason string
}

// explain reads the figures behind a recommendation.
func (r reader) explain(ctx context.Context, at time.Time) (figures, error) {
	vec, err := r.vector(ctx, explainQuery, at)
	if err != nil {
		return figures{}, err
	}
	f := figures{values: map[string]float64{}, raw: map[string]float64{}, risk: map[string]float64{}}
	for _, s := range vec {
		name, v := string(s.Metric[model.MetricNameLabel]), float64(s.Value)
		switch name {
		case "infscale_decision_reason":
			if v == 1 {
				f.reason = string(s.Metric["reason"])
			}
		case "infscale_raw_replicas":
			f.raw[string(s.Metric["signal"])] = v
		case "infscale_slo_risk_ratio":
			f.risk[string(s.Metric["replicas"])] = v
		default:
			f.values[name] = v
		}
	}
	return f, nil
}
