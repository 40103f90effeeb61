package promapi

import (
	"time"

	"github.com/infscale/infscale/recommender"
)

// A Kind is what kind of object a workload is.
type Kind string

// The kinds of workloads.
const (
	Deployment       Kind = "Deployment"
	StatefulSet      Kind = "StatefulSet"
	LeaderWorkerSet  Kind = "LeaderWorkerSet"  // a replica is a group; its leader is what is heard
	InferenceService Kind = "InferenceService" // its predictor Deployment
)

// Kinds lists every kind.
var Kinds = []Kind{Deployment, StatefulSet, LeaderWorkerSet, InferenceService}

// SpecSeries is the series of kube-state-metrics that has the replicas in the object's spec.
func (k Kind) SpecSeries() string {
	if k == StatefulSet || k == LeaderWorkerSet {
		return "kube_statefulset_replicas"
	}
	return "kube_deployment_spec_replicas"
}

// EngineAuto lets each replica's own metrics say which engine it runs.
const EngineAuto = "auto"

// A Workload says what is to be known about one scaled thing.
type Workload struct {
	Namespace, Name string
	// Kind is a Deployment if empty.
	Kind Kind
	// Selector picks the workload's series by their labels, as in PromQL:
	// {model_name="llama", role="decode"}. If empty, its pods are found by their
	// owner, or by their name where nobody exports owners.
	Selector string
	// Engine is the name of a profile. Empty and "auto" detect it.
	Engine string
	// Policy says which signals, percentiles and objectives are needed.
	Policy *recommender.Policy
	// Queries are the custom queries of its signals.
	Queries []NamedQuery
	// Held are the places that hold requests in front of the pods; they add up.
	Held []HeldSource
}

// A NamedQuery is the PromQL of one custom signal: one number, or one row for each
// workload with labels that say whose it is. A row whose labels are another workload's,
// its namespace or pod among them, is not taken.
type NamedQuery struct{ Name, Text string }

// The presets of held sources.
const (
	HeldKEDA    = "keda_http"
	HeldKnative = "knative"
)

// A HeldSource says where requests wait in front of the pods: a preset, or PromQL.
type HeldSource struct {
	// Preset is HeldKEDA or HeldKnative, or empty for a query.
	Preset string
	// Match are the labels of the preset's series that belong to the workload, of those
	// that HeldLabels lists. If empty, they are the workload's namespace and name.
	Match map[string]string
	// Query is PromQL, as of a NamedQuery.
	Query string
}

// LabelNames maps what infscale looks for to the names that labels of the
// engines' series have in this Prometheus.
type LabelNames struct {
	Namespace string // [namespace]
	Pod       string // [pod]
	Model     string // [model_name]
}

// Options say how the signals are read. The zero value is usable.
type Options struct {
	// Matchers are injected into every selector of every query, custom ones
	// included: cluster="a". Braces around them are optional.
	Matchers string
	// Labels are the label names of the engines' series.
	Labels LabelNames
	// StaleAfter is how old a sample may be [1m].
	StaleAfter time.Duration
	// QueryOffset is how long before the instant of an observation it is read, so
	// that the samples of that instant have been stored.
	QueryOffset time.Duration
	// RateWindow is the window of rates of tokens and requests [2m]: at least four
	// scrapes.
	RateWindow time.Duration
	// LatencyWindow is the window of latency histograms [5m], longer because a
	// percentile needs many requests.
	LatencyWindow time.Duration
	// Detailed says that reports list every replica.
	Detailed bool
}

func (o Options) withDefaults() Options {
	for _, d := range []struct {
		field    *time.Duration
		fallback time.Duration
	}{{&o.StaleAfter, time.Minute}, {&o.RateWindow, 2 * time.Minute}, {&o.LatencyWindow, 5 * time.Minute}} {
		if *d.field <= 0 {
			*d.field = d.fallback
		}
	}
	for _, d := range []struct {
		field    *string
		fallback string
	}{{&o.Labels.Namespace, "namespace"}, {&o.Labels.Pod, "pod"}, {&o.Labels.Model, "model_name"}} {
		if *d.field == "" {
			*d.field = d.fallback
		}
	}
	return o
}
