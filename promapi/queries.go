package promapi

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

// A Family is what one query of a tick asks for, for all workloads at once.
type Family string

// The families. Those nobody needs are not asked for.
const (
	FamilyGauges    Family = "gauges"
	FamilyEvidence  Family = "evidence"
	FamilyCounters  Family = "counters"
	FamilyReplicas  Family = "replicas"
	FamilyPods      Family = "pods"
	FamilyTTFT      Family = "ttft"           // all buckets: percentiles and objectives
	FamilyObjective Family = "ttft_objective" // two buckets: objectives only
	FamilyHeld      Family = "held"
	FamilyCPU       Family = "cpu"
	FamilyColdStart Family = "cold_start" // every few minutes: cold starts, and replicas scraped twice
	FamilyInFlight  Family = "in_flight"  // only when the tick one window ago was not read
	FamilyEver      Family = "ever"       // rarely, and only when a workload is silent or its gateway does not know it
	FamilySeries    Family = "series"     // only when a replica has a queue and no rates
	// FamilyRecommended is asked once at the start: what was recommended before the past that is read.
	FamilyRecommended Family = "recommended"
	FamilyCustom      Family = "custom" // one for each distinct text
)

// Labels that the queries add to their rows.
const (
	signalLabel     = "signal"     // what the row is: vllm.running
	groupLabel      = "pod_group"  // a pod's name without its random suffix
	percentileLabel = "percentile" // of a quantile
	boundLabel      = "le"         // the upper bound of a bucket
)

// instanceLabel tells replicas apart where series have no pod.
const instanceLabel = "instance"

// What the signal label says besides "engine.measure".
const (
	evidenceSignal   = "evidence"  // time of the newest sample of a replica's gauges
	seriesSuffix     = ".series"   // counters that exist, rate or not
	beforeSuffix     = ".before"   // a gauge one window ago
	quantileSuffix   = ".quantile" // from a native histogram
	countSuffix      = ".count"    // from a native histogram
	belowSuffix      = ".below"    // from a native histogram
	podNotReady      = "pod.not_ready"
	podUnsaid        = "pod.unsaid"    // no readiness
	podReadiness     = "pod.readiness" // how many pods say whether they are ready
	deploymentSpec   = "deployment.spec"
	deploymentReady  = "deployment.ready"
	deploymentSeen   = "deployment.evidence"
	statefulSetSpec  = "statefulset.spec"
	statefulSetReady = "statefulset.ready"
	statefulSetSeen  = "statefulset.evidence"
	cpuUsed          = "cpu.used"
	cpuRequested     = "cpu.requested"
	coldStart        = "cold_start"
	duplicates       = "duplicates"
)

// Pods of a Deployment are named after their ReplicaSet, with a dash and five random
// letters; those of a StatefulSet end in a number. Names of 63 letters may have lost
// part of the ReplicaSet's name, so they stay whole: one row a pod, and exact.
const (
	groupPattern  = "(.{1,56})-[a-z0-9]{1,5}|(.*)"
	longestStem   = 56
	longestSuffix = 5
)

// podGroup returns what groupPattern makes of a pod's name.
func podGroup(pod string) string {
	dash := strings.LastIndexByte(pod, '-')
	if dash < 1 || dash > longestStem || len(pod)-dash-1 > longestSuffix || !isSuffix(pod[dash+1:]) {
		return pod
	}
	return pod[:dash]
}

// isSuffix reports whether s is one or more of the letters and digits of random suffixes.
func isSuffix(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// A shape holds the label names and windows that the texts of the queries are made with.
type shape struct {
	labels    LabelNames
	selectors []string // the labels that selectors of workloads look at
	stale     string
	rate      string
	latency   string
}

func newShape(o Options, selectors []string) shape {
	return shape{
		labels: o.Labels, selectors: selectors,
		stale: promDuration(o.StaleAfter), rate: promDuration(o.RateWindow), latency: promDuration(o.LatencyWindow),
	}
}

// promDuration writes a duration as PromQL reads it.
func promDuration(d time.Duration) string {
	return model.Duration(d.Truncate(time.Millisecond)).String()
}

// replica are the labels that tell one replica from another.
func (s *shape) replica(more ...string) string {
	return s.by(append([]string{s.labels.Namespace, s.labels.Pod, instanceLabel}, more...)...)
}

// group are the labels that tell one group of pods from another.
func (s *shape) group(more ...string) string {
	return s.by(append([]string{s.labels.Namespace, groupLabel}, more...)...)
}

// by joins label names and those of the selectors, each once.
func (s *shape) by(names ...string) string {
	for _, name := range s.selectors {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// kube are the labels that identify an object in kube-state-metrics, also where its
// scrape was told to rename them.
func kube(more ...string) string {
	return strings.Join(append([]string{"namespace", "exported_namespace"}, more...), ", ")
}

// kubePod are the labels that identify a pod in kube-state-metrics.
func kubePod(more ...string) string { return kube(append([]string{"pod", "exported_pod"}, more...)...) }

// either joins expressions, of which an earlier one wins. The tree is balanced: an
// `or` hashes every row on both of its sides.
func either(list []string) string {
	switch len(list) {
	case 0:
		return ""
	case 1:
		return list[0]
	}
	middle := (len(list) + 1) / 2
	return either(list[:middle]) + " or (" + either(list[middle:]) + ")"
}

// prefer joins expressions of which mostly the first has rows: it is hashed once.
func prefer(list []string) string {
	expr := ""
	for _, next := range slices.Backward(list) {
		if expr != "" {
			next += " or (" + expr + ")"
		}
		expr = next
	}
	return expr
}

// tag gives every row of the expression a label.
func tag(expr, label, value string) string {
	return fmt.Sprintf("label_replace(%s, %q, %q, \"\", \"\")", expr, label, value)
}

// named tags the expressions of one signal, one for each alias.
func named(signal string, aliases []string) string { return tag(prefer(aliases), signalLabel, signal) }

// perPod adds up what a pod says. Fewer rows with fewer labels are cheaper to relabel.
func (s *shape) perPod(expr string) string {
	return fmt.Sprintf("sum by (%s) (%s)", s.by(s.labels.Namespace, s.labels.Pod), expr)
}

// withGroup adds the label of the group to every row.
func (s *shape) withGroup(expr string) string {
	return fmt.Sprintf("label_replace(%s, %q, \"$1$2\", %q, %q)", expr, groupLabel, s.labels.Pod, groupPattern)
}

// withoutTwins merges the series of one quantity that was read twice. Where a selector
// looks at a twin label, the label stays, and Go merges.
func (s *shape) withoutTwins(expr string) string {
	merged := slices.DeleteFunc(slices.Clone(twins), func(name string) bool { return slices.Contains(s.selectors, name) })
	return fmt.Sprintf("max without (%s) (%s)", strings.Join(merged, ", "), expr)
}

// signalOf names a measure of an engine.
func signalOf(p *profile, m measure) string { return p.name + "." + measured[m].name }

// selectors are those of a gauge, without series of the same name that belong to
// another program. Where one label value is the total of the others, it goes first.
func (p *profile) selectors(name string) []string {
	switch {
	case p.own != nil:
		return []string{fmt.Sprintf("%s{%s}", name, p.own)}
	case p.total != "":
		return []string{fmt.Sprintf("%s{%s=\"\"}", name, p.total), fmt.Sprintf("%s{%s!=\"\"}", name, p.total)}
	default:
		return []string{name}
	}
}

// each renders a measure of a profile: one expression for each selector of each alias.
func (p *profile) each(m measure, render func(selector string) string) []string {
	var list []string
	for _, alias := range p.aliases(m) {
		for _, selector := range p.selectors(alias) {
			list = append(list, render(selector))
		}
	}
	return list
}

// gauges asks for the level of every gauge of every replica, under all its names at
// once; Go takes the first. One selector for all is twice as fast as an `or` of each,
// and possible because last_over_time keeps the names apart, unlike rate. A missed
// scrape is bridged.
func (s *shape) gauges(engines []*profile) string {
	var list []string
	for _, largest := range []bool{false, true} {
		names, own, totals := allGauges(engines, largest)
		if len(names) == 0 {
			continue
		}
		level := fmt.Sprintf("label_replace(last_over_time({__name__=~%q%s}[%s]), %q, \"$1\", \"__name__\", \"(.*)\")",
			strings.Join(names, "|"), own, s.stale, signalLabel)
		by := s.replica(append(totals, signalLabel)...)
		if largest {
			list = append(list, fmt.Sprintf("max by (%s) (%s)", by, level))
		} else {
			list = append(list, fmt.Sprintf("sum by (%s) (%s)", by, s.withoutTwins(level)))
		}
	}
	return either(list)
}

// allGauges returns the names of all gauges that add up, or of all that do not, the
// matchers that leave out foreign series, and the labels whose empty value is a total.
func allGauges(engines []*profile, largest bool) (names []string, own string, totals []string) {
	for _, p := range engines {
		for m := range measures {
			if measured[m].kind == gauge && measured[m].max == largest {
				names = append(names, p.aliases(m)...)
			}
		}
		if p.own != nil {
			own += ", " + p.own.String()
		}
		if p.total != "" {
			totals = append(totals, p.total)
		}
	}
	return names, own, totals
}

// evidence asks for the time of the newest sample of every replica, of the bare
// series: last_over_time would answer with the time of the question.
func (s *shape) evidence(engines []*profile) string {
	var list []string
	for _, p := range engines {
		list = append(list, p.each(running, func(selector string) string {
			return fmt.Sprintf("max by (%s) (timestamp(%s))", s.replica(), selector)
		})...)
	}
	return tag(prefer(list), signalLabel, evidenceSignal)
}

// duplicates asks for the replicas that several jobs scrape.
func (s *shape) duplicates(engines []*profile) string {
	var list []string
	for _, p := range engines {
		list = append(list, p.each(running, func(selector string) string {
			return fmt.Sprintf("count by (%s) (count by (%s, job) (%s)) > 1", s.replica(), s.replica(), selector)
		})...)
	}
	return tag(prefer(list), signalLabel, duplicates)
}

// counters asks for the rates of all counters by group.
func (s *shape) counters(engines []*profile) string {
	var list []string
	for _, p := range engines {
		for m := range measures {
			if measured[m].kind == counter && len(p.names[m]) > 0 {
				list = append(list, s.counter(p, m))
			}
		}
	}
	return either(list)
}

// inFlight asks for the requests in flight one window ago, by group.
func (s *shape) inFlight(engines []*profile) string {
	var list []string
	for _, p := range engines {
		for _, m := range []measure{running, waiting} {
			list = append(list, named(signalOf(p, m)+beforeSuffix, p.each(m, func(selector string) string {
				newest := fmt.Sprintf("last_over_time(%s[%s] offset %s)", selector, s.stale, s.rate)
				return fmt.Sprintf("sum by (%s) (%s)", s.group(), s.withGroup(s.perPod(s.withoutTwins(newest))))
			})))
		}
	}
	return either(list)
}

func (s *shape) counter(p *profile, m measure) string {
	var rates []string
	for _, alias := range p.aliases(m) {
		rate := s.withoutTwins(fmt.Sprintf("rate(%s[%s])", alias, s.rate))
		rates = append(rates, fmt.Sprintf("sum by (%s) (%s)", s.group(), s.withGroup(s.perPod(rate))))
	}
	return named(signalOf(p, m), rates)
}

// series asks which counters exist at all, rate or not.
func (s *shape) series(engines []*profile) string {
	var list []string
	for _, p := range engines {
		for m := range measures {
			if measured[m].kind != counter || len(p.names[m]) == 0 {
				continue
			}
			var exist []string
			for _, alias := range p.aliases(m) {
				exist = append(exist, fmt.Sprintf("count by (%s) (%s)", s.group(), s.withGroup(alias)))
			}
			list = append(list, named(signalOf(p, m)+seriesSuffix, exist))
		}
	}
	return either(list)
}
