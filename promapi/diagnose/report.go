package diagnose

import (
	"slices"
	"time"

	"github.com/infscale/infscale/promapi"
)

// A Severity says what a finding means for the daemon.
type Severity string

// The severities, the worst first.
const (
	// Error: something would stay silent.
	Error Severity = "error"
	// Warning: it works, and not as well as it should.
	Warning Severity = "warning"
	// Info: nothing is wrong.
	Info Severity = "info"
)

// Severities lists all of them, the worst first.
var Severities = []Severity{Error, Warning, Info}

// A Code names a kind of finding.
type Code string

// The codes.
const (
	Unreachable      Code = "unreachable"           // no answer
	TooOld           Code = "prometheus_too_old"    // it lacks a function that queries use
	ClockSkew        Code = "clock_skew"            // its clock and this one differ
	QueryFailed      Code = "query_failed"          // one family of queries gets no answer
	PartialAnswers   Code = "partial_answers"       // answers come with warnings
	MatchersKill     Code = "matchers"              // prometheus.matchers take everything away
	NoKubeState      Code = "no_kube_state_metrics" // nobody says how many replicas there are
	NoPodOwner       Code = "no_pod_owner"          // pods are found by their names
	NoReadiness      Code = "no_pod_readiness"      // nobody says which pods are ready
	UnknownObject    Code = "unknown_object"        // there is no such Deployment
	StaleReplicas    Code = "stale_replicas"        // the count of replicas is old
	LabelClash       Code = "label_clash"           // the series have other label names
	NoPodLabel       Code = "no_pod_label"          // the series do not say whose they are
	NeverMatched     Code = "never_matched"         // a matcher takes all series away
	NotListed        Code = "pods_not_listed"       // the series are of pods that are gone
	SilentNow        Code = "silent_now"            // heard before and not now
	StaleSamples     Code = "stale_samples"         // the newest samples are too old
	NotScraped       Code = "not_scraped"           // there is no target
	ScrapeFails      Code = "scrape_fails"          // the target is down
	EngineFlags      Code = "engine_metrics_off"    // the target is up and has no engine metrics
	WrongEngine      Code = "wrong_engine"          // it runs another engine than configured
	MissingReplicas  Code = "missing_replicas"      // ready and not heard
	SignalPartial    Code = "signal_partial"        // some replicas that are ready do not count in it
	SignalMissing    Code = "signal_missing"        // the engine is heard and the signal is not
	NotExported      Code = "not_exported"          // the engine does not export it
	InvalidValue     Code = "invalid_value"         // NaN, infinite or out of range
	QueryEmpty       Code = "query_empty"           // a custom query gives no row
	QueryAmbiguous   Code = "query_ambiguous"       // a custom query gives rows that are not told apart
	QueryOthers      Code = "query_others"          // the rows name another workload
	HeldNeverMatched Code = "held_never_matched"    // a gateway does not know the workload
	HeldAbsent       Code = "held_absent"           // no gateway
	Duplicates       Code = "duplicates"            // several jobs scrape the same pod
	HAPair           Code = "ha_pair"               // two servers answer side by side
	SlowScrapes      Code = "scrape_interval"       // too slow for stale_after or a window
	SnappedBound     Code = "slo_bound"             // the objective is between two buckets
	ScaledToZero     Code = "no_replicas"           // nothing can be heard, as it should be
)

// A Finding is one thing that was found, and what to do about it.
type Finding struct {
	Severity Severity `json:"severity"`
	Code     Code     `json:"code"`
	// Workload is NAMESPACE/NAME, empty for what is about all.
	Workload string `json:"workload,omitempty"`
	// Signal is that of the policy, or held; empty for what is about all of them.
	Signal string `json:"signal,omitempty"`
	// Place is the key of the configuration that it is about.
	Place string `json:"place,omitempty"`
	// Found is what is there, Why what follows from it, Fix what to do.
	Found string `json:"found"`
	Why   string `json:"why,omitempty"`
	Fix   string `json:"fix,omitempty"`
}

// A State says in one word what a signal has.
type State string

// The states of a signal.
const (
	OK      State = "ok"      // a number
	Partial State = "partial" // a number that may be too small
	Idle    State = "idle"    // nothing to measure, which is no fault
	Never   State = "never"   // it was never there
	Gone    State = "gone"    // it was there, and is not now
	Old     State = "stale"   // its newest sample is too old
	Absent  State = "absent"  // it is not there, and whether it ever was is not known
	Invalid State = "invalid" // NaN, infinite, negative
	Failed  State = "failed"  // the query got no answer
)

// A Signal is how one signal of a workload is read.
type Signal struct {
	Signal   string   `json:"signal"`
	State    State    `json:"state"`
	Optional bool     `json:"optional"`
	Value    *float64 `json:"value"`
	// Age is how old the evidence is, in seconds.
	Age *float64 `json:"age_seconds"`
	// LastSeen is when there last was a series, as far as that was looked for.
	LastSeen *time.Time `json:"last_seen,omitempty"`
}

// A Workload is how one workload is read.
type Workload struct {
	Namespace string       `json:"namespace"`
	Name      string       `json:"name"`
	Kind      promapi.Kind `json:"kind"`
	// Membership is how its replicas were found; empty if they were not.
	Membership promapi.Source `json:"membership"`
	Engines    []string       `json:"engines"`
	// Replicas in the spec, ready, and ready and heard; nil is unknown.
	Current   *int     `json:"current"`
	Ready     *int     `json:"ready"`
	Reporting *int     `json:"reporting"`
	Signals   []Signal `json:"signals"`
}

// ID is the namespace and the name.
func (w *Workload) ID() string { return w.Namespace + "/" + w.Name }

// A Prometheus is who was asked.
type Prometheus struct {
	URL         string `json:"url"`
	Application string `json:"application,omitempty"`
	Version     string `json:"version,omitempty"`
	// Skew is how far this clock is ahead of the server's in seconds; nil is unknown.
	Skew *float64 `json:"clock_skew_seconds"`
	// Queries is how many were sent.
	Queries int `json:"queries"`
}

// A Report is all that was found.
type Report struct {
	OK   bool      `json:"ok"`
	Time time.Time `json:"time"`
	// Lookback is how far back was looked, in seconds; nil if nothing was silent.
	Lookback   *float64   `json:"lookback_seconds"`
	Prometheus Prometheus `json:"prometheus"`
	Workloads  []Workload `json:"workloads"`
	// Findings are those about all workloads, then those of each, errors first.
	Findings []Finding `json:"findings"`
}

// Count returns how many findings have the severity.
func (r *Report) Count(s Severity) int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Severity == s {
			n++
		}
	}
	return n
}

// Of returns the findings about a workload; those about all for "".
func (r *Report) Of(workload string) []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Workload != workload })
}
