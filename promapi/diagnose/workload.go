package diagnose

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// A subject is one workload, with what was read of it.
type subject struct {
	*promapi.Workload
	id, place string
	object    string // the Deployment or StatefulSet that has the replicas
	o         *recommender.Observation
	read      *promapi.WorkloadReport
	out       Workload
	// never says that the past has nothing of it, last when there last was something.
	never bool
	last  time.Time
}

// heard reports whether the queue of any replica is read.
func (s *subject) heard() bool { return len(s.read.Engines) > 0 }

// zero reports whether the workload has no replicas, and so nothing to be heard.
func (s *subject) zero() bool { return s.o.Current.Known() && s.o.Current.Value == 0 }

// checkWorkloads looks at each workload.
func (c *checker) checkWorkloads(ctx context.Context) {
	scrapes := c.scrapes(ctx)
	for i := range c.o.Workloads {
		s := c.subject(i)
		if !s.heard() {
			c.silent(ctx, s)
		}
		c.checkStaleReplicas(s)
		c.checkMissing(ctx, s)
		c.checkScrapes(s, scrapes)
		c.checkSignals(ctx, s)
		c.checkHeld(ctx, s)
		c.checkBound(s)
		c.report.Workloads = append(c.report.Workloads, s.out)
	}
}

func (c *checker) subject(i int) *subject {
	w := &c.o.Workloads[i]
	s := &subject{
		Workload: w, id: c.id(i), place: fmt.Sprintf("workloads[%d]", i), object: w.Name,
		o: &c.observations[i], read: &c.tick.Workloads[i],
	}
	if s.Kind == "" {
		s.Kind = promapi.Deployment
	}
	if s.Kind == promapi.InferenceService {
		s.object += "-predictor"
	}
	s.out = Workload{
		Namespace: w.Namespace, Name: w.Name, Kind: s.Kind, Membership: s.read.Matched,
		Engines: append([]string{}, s.read.Engines...), Signals: []Signal{},
		Current: whole(s.o.Current), Ready: whole(s.o.Ready), Reporting: whole(s.o.Reporting),
	}
	if !s.heard() && s.o.Reporting.Known() && len(s.read.Replicas) == 0 && !s.zero() {
		s.out.Reporting = nil
	}
	return s
}

// whole returns a known count.
func whole(q recommender.Quantity) *int {
	if !q.Known() {
		return nil
	}
	n := int(q.Value)
	return &n
}

// stateful says whether the replicas are those of a StatefulSet.
func (s *subject) stateful() bool {
	return s.Kind == promapi.StatefulSet || s.Kind == promapi.LeaderWorkerSet
}

// group matches the groups of pods that are named after the object.
func (s *subject) group() string {
	if s.stateful() {
		return regexp.QuoteMeta(s.object) + "(-[0-9]+)?"
	}
	return regexp.QuoteMeta(s.object) + "-[a-z0-9]{1,10}"
}

// pod matches the names of pods of the object.
func (s *subject) pod() string {
	if s.stateful() {
		return regexp.QuoteMeta(s.object) + "-[0-9]+"
	}
	return regexp.QuoteMeta(s.object) + "-[a-z0-9]{1,10}-[a-z0-9]{5}"
}

// selectorOf returns the matchers of a workload's selector, under the names that the
// labels have here.
func (c *checker) selectorOf(i int) []*labels.Matcher {
	matchers, err := promapi.ParseMatchers(c.o.Workloads[i].Selector)
	if err != nil {
		return nil // The plan has parsed it before.
	}
	mapped := map[string]string{"namespace": c.labels.Namespace, "pod": c.labels.Pod, "model_name": c.labels.Model}
	for _, m := range matchers {
		if name := mapped[m.Name]; name != "" {
			m.Name = name
		}
	}
	return matchers
}

// wanted are the matchers that say which series are the workload's, where namespace and
// pod have these names. A series without a namespace may be anybody's with a selector.
func (c *checker) wanted(s *subject, namespace, pod string) []*labels.Matcher {
	if s.Selector != "" {
		own := c.selectorOf(slices.IndexFunc(c.o.Workloads, func(w promapi.Workload) bool {
			return w.Namespace == s.Namespace && w.Name == s.Name
		}))
		return append(own, labels.MustNewMatcher(labels.MatchRegexp, namespace, "|"+regexp.QuoteMeta(s.Namespace)))
	}
	return []*labels.Matcher{
		labels.MustNewMatcher(labels.MatchEqual, namespace, s.Namespace),
		labels.MustNewMatcher(labels.MatchRegexp, groupPrefix+pod, s.group()),
	}
}

// checkStaleReplicas says that nobody counts the replicas any more.
func (c *checker) checkStaleReplicas(s *subject) {
	if s.o.Current.Evidence != recommender.Stale || c.skewed {
		return
	}
	c.add(Finding{
		Severity: Error, Code: StaleReplicas, Workload: s.id, Place: s.place + ".name",
		Found: fmt.Sprintf("the count of replicas of %s %s is %v old", s.Kind, s.object, c.age(s.o.Current.At)),
		Why:   fmt.Sprintf("it is older than stale_after %v: there is no recommendation without it", c.o.Read.StaleAfter),
		Fix:   "look at the target of kube-state-metrics in Prometheus, and whether the object still exists",
	})
}

// age is how long before the check a time was.
func (c *checker) age(at time.Time) time.Duration { return c.o.Now.Sub(at).Round(time.Second) }

// checkBound says which bucket stands for the objective.
func (c *checker) checkBound(s *subject) {
	objective, bound := s.Policy.SLO.TTFT.Seconds(), s.o.SLOBound
	if objective <= 0 || !bound.Known() || bound.Value == objective {
		return
	}
	c.add(Finding{
		Severity: Info, Code: SnappedBound, Workload: s.id, Signal: "slo", Place: s.place + ".slo.ttft",
		Found: fmt.Sprintf("no bucket ends at the objective %v: what is counted is over %gs", s.Policy.SLO.TTFT, bound.Value),
		Why:   "requests between the two count as late",
		Fix:   fmt.Sprintf("none is needed; slo.ttft: %v would say what is counted", time.Duration(bound.Value*float64(time.Second))),
	})
}

// replicaLabels tell the servers of a pair apart, where nobody merges what they scraped.
var replicaLabels = []string{"prometheus_replica", "replica", "__replica__", "prometheus"}

// checkPair says that the samples of two servers are answered side by side. Series that
// differ in prometheus_replica are merged by the reader, others are added up.
func (c *checker) checkPair(ctx context.Context) {
	var parts []string
	for _, label := range replicaLabels {
		for _, s := range planned(c.plan.Queries, promapi.FamilyEvidence) {
			s = append(slices.Clone(s), labels.MustNewMatcher(labels.MatchNotEqual, label, ""))
			by := strings.Join([]string{c.labels.Namespace, c.labels.Pod, "instance", "job"}, ", ")
			parts = append(parts, fmt.Sprintf("label_replace(count(count by (%s) (count by (%s, %s) (%s)) > 1), %q, %q, %q, %q)",
				by, by, label, s, "by", label, "", ""))
		}
	}
	if len(parts) == 0 || c.failed(promapi.FamilyGauges) {
		return
	}
	rows, _ := c.ask(ctx, strings.Join(parts, " or "))
	for _, r := range rows {
		f := Finding{
			Severity: Warning, Code: HAPair, Place: "prometheus.params",
			Found: fmt.Sprintf("%s answered twice, by servers that differ in the label %s", plural(int(r.v), "replica"), r.Get("by")),
			Why:   "requests are counted as often: recommendations are too high",
			Fix:   `let the server merge them, such as params: {dedup: "true"} for Thanos, or ask one of them with prometheus.matchers`,
		}
		if r.Get("by") == replicaLabels[0] {
			f.Severity, f.Why = Info, "they are merged, so nothing is counted twice"
		}
		c.add(f)
	}
}

// checkDuplicates says which replicas are scraped twice.
func (c *checker) checkDuplicates() {
	list := c.tick.Duplicates
	if len(list) == 0 {
		return
	}
	c.add(Finding{
		Severity: Info, Code: Duplicates, Place: "prometheus",
		Found: fmt.Sprintf("several jobs scrape the same pods: %s", some(list)),
		Why:   "their series are merged, so nothing is counted twice here; each scrape costs the engine and Prometheus all the same",
		Fix:   "keep one of the PodMonitor, ServiceMonitor and annotations that select the pods",
	})
}
