package diagnose

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// silence is what follows when a workload is not heard.
const silence = "no signal of its pods has a value: the last recommendation is held, and withdrawn after hold_limit"

// silent finds out why no engine of a workload is heard. The first cause wins: what
// comes after would follow from it.
func (c *checker) silent(ctx context.Context, s *subject) {
	if c.failed(promapi.FamilyGauges) || c.blamed || c.skewed {
		return
	}
	if s.o.Running.Evidence == recommender.Stale {
		c.staleSamples(s)
		return
	}
	past := c.lookBack(ctx)
	own := picked(past.rows, c.wanted(s, c.labels.Namespace, c.labels.Pod))
	s.never, s.last = past.span > 0 && len(own) == 0, newest(own)
	switch {
	case c.unknownObject(s), c.notListed(s, own):
	case len(own) > 0:
		c.wentSilent(ctx, s, own)
	case c.otherLabels(s), c.otherNamespace(s), c.killed(s), c.noPods(s), c.unlabelled(ctx, s):
	case s.zero():
		c.add(Finding{
			Severity: Info, Code: ScaledToZero, Workload: s.id, Place: s.place,
			Found: "it has no replicas, and none was heard in " + c.lookedBack(),
			Why:   "whether its series will be found is not known before one runs",
			Fix:   "check again with a replica",
		})
	default:
		c.looksAtTargets(ctx, s)
	}
}

// picked returns the rows that satisfy every matcher.
func picked(rows []row, matchers []*labels.Matcher) []row {
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !picks(matchers, r) })
}

// newest is the time of the newest sample of the rows; zero if there is none.
func newest(rows []row) time.Time {
	last := 0.0
	for _, r := range rows {
		last = max(last, r.v)
	}
	if last == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(math.Round(last * 1000))).UTC()
}

// lookedBack says how far back was looked.
func (c *checker) lookedBack() string {
	if c.past == nil || c.past.span == 0 {
		return "the past, which nobody answered for"
	}
	return "the last " + span(c.past.span)
}

// span writes a duration in its largest unit.
func span(d time.Duration) string {
	switch {
	case d >= 48*time.Hour && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d >= time.Hour && d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	default:
		return d.Round(time.Second).String()
	}
}

func (c *checker) staleSamples(s *subject) {
	s.last = s.o.Running.At
	c.add(Finding{
		Severity: Error, Code: StaleSamples, Workload: s.id, Place: "stale_after",
		Found: fmt.Sprintf("the newest sample of its engines is %v old", c.age(s.o.Running.At)),
		Why:   fmt.Sprintf("it is older than stale_after %v: %s", c.o.Read.StaleAfter, silence),
		Fix:   "if the scrape interval is as long, raise stale_after to twice that; else look at the targets in Prometheus",
	})
}

// unknownObject says that kube-state-metrics knows no such object, and which it knows.
func (c *checker) unknownObject(s *subject) bool {
	rows := c.source.rows(c.plan.Queries, promapi.FamilyReplicas)
	if s.o.Current.Evidence != recommender.Absent || len(rows) == 0 {
		return false
	}
	c.add(Finding{
		Severity: Error, Code: UnknownObject, Workload: s.id, Place: s.place + ".name",
		Found: fmt.Sprintf("kube-state-metrics knows no %s %s/%s", s.objectKind(), s.Namespace, s.object),
		Why:   "how many replicas it has is unknown: there is no recommendation",
		Fix:   s.nearObject(rows),
	})
	return true
}

// objectKind is the kind that kube-state-metrics counts the replicas of.
func (s *subject) objectKind() string {
	if s.stateful() {
		return string(promapi.StatefulSet)
	}
	return string(promapi.Deployment)
}

// nearObject says which object may be meant.
func (s *subject) nearObject(rows []row) string {
	own := strings.ToLower(s.objectKind())
	var here, elsewhere, spaces []string
	var kinds []promapi.Kind
	for _, r := range rows {
		namespace := cmp.Or(r.Get("exported_namespace"), r.Get("namespace"))
		spaces = append(spaces, namespace)
		switch {
		case namespace == s.Namespace && s.namesake(r) != "":
			kinds = append(kinds, s.namesake(r))
		case namespace == s.Namespace && r.Get(own) != "":
			here = append(here, r.Get(own))
		case r.Get(own) == s.object:
			elsewhere = append(elsewhere, namespace)
		}
	}
	names, meant := near(s.object, here)
	switch {
	case len(kinds) > 0:
		return fmt.Sprintf("there is a %s of that name: set kind", kinds[0])
	case len(elsewhere) > 0:
		list, _ := near(s.Namespace, elsewhere)
		return fmt.Sprintf("there is one in %s", oneOf("namespace", list))
	case meant:
		return fmt.Sprintf("did you mean name: %s?", names[0])
	case len(here) > 0:
		return fmt.Sprintf("the namespace has %s; kube-state-metrics may be told to leave objects out", oneOf(own, names))
	default:
		return nearNamespace(s.Namespace, spaces)
	}
}

// namesake is the kind of the object that a row is about, if it has the workload's name.
func (s *subject) namesake(r row) promapi.Kind {
	switch s.Name {
	case r.Get("deployment"):
		return promapi.Deployment
	case r.Get("statefulset"):
		return promapi.StatefulSet
	}
	return ""
}

func nearNamespace(want string, spaces []string) string {
	list, meant := near(want, spaces)
	if meant {
		return fmt.Sprintf("the namespace has no objects; did you mean namespace: %s?", list[0])
	}
	return fmt.Sprintf("the namespace has no objects, others have: %s; kube-state-metrics may be told to leave namespaces out", strings.Join(list, ", "))
}

// notListed says that series are there now, and dropped: to kube-state-metrics their pods
// are gone, or another object's.
func (c *checker) notListed(s *subject, own []row) bool {
	if c.when.Sub(s.last) > c.o.Read.StaleAfter || s.wrongEngine(c.enginesOf(own)) {
		return false
	}
	r := own[slices.IndexFunc(own, func(r row) bool { return newest([]row{r}).Equal(s.last) })]
	fix := "if another label has the pod, name it in labels.pod; else let kube-state-metrics list all pods of the namespace"
	for _, pod := range c.podNames()[1:] {
		if group := r.Get(groupPrefix + pod); group != "" {
			fix = fmt.Sprintf("set labels: {pod: %s}, which is %s-..., or honor_labels (honorLabels) in the scrape", pod, group)
		}
	}
	c.add(Finding{
		Severity: s.severity(), Code: NotListed, Workload: s.id, Place: "labels.pod",
		Found: fmt.Sprintf("its series are there, of pods %s-..., and kube-state-metrics lists no such pod of it", r.Get(groupPrefix+c.labels.Pod)),
		Why:   "series of pods that are gone are not read: " + silence,
		Fix:   fix,
	})
	return true
}

// enginesOf lists what runs in groups of pods.
func (c *checker) enginesOf(rows []row) []string {
	engines := map[string]bool{}
	for _, r := range rows {
		engines[c.engines[r.Get("metric")]] = true
	}
	return slices.DeleteFunc(promapi.Engines(), func(e string) bool { return !engines[e] })
}

// wrongEngine reports whether the engine is set, and none of these.
func (s *subject) wrongEngine(runs []string) bool {
	return s.Engine != "" && s.Engine != promapi.EngineAuto && !slices.Contains(runs, s.Engine)
}

// wentSilent says of a workload that was heard why it is not now.
func (c *checker) wentSilent(ctx context.Context, s *subject, own []row) {
	if runs := c.enginesOf(own); s.wrongEngine(runs) {
		c.add(Finding{
			Severity: Error, Code: WrongEngine, Workload: s.id, Place: s.place + ".engine",
			Found: fmt.Sprintf("its pods export metrics of %s, and the engine is set to %s", strings.Join(runs, " and "), s.Engine),
			Why:   silence,
			Fix:   fmt.Sprintf("set engine: %s, or leave it out", runs[0]),
		})
		return
	}
	if !s.zero() {
		c.looksAtTargets(ctx, s)
	}
}

// severity is that of a cause that silences a workload, or will once it has replicas.
func (s *subject) severity() Severity {
	if s.zero() {
		return Warning
	}
	return Error
}
