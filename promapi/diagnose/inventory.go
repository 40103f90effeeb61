package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"github.com/infscale/infscale/promapi"
)

// An inventory are the groups of pods that engines were heard of, with the time of their
// newest sample in seconds since the epoch.
type inventory struct {
	rows []row
	// span is how far back it reaches; 0 if nobody answered.
	span time.Duration
}

// Label names that series have where relabelling or another collector chose them.
var (
	namespaceNames = []string{"namespace", "exported_namespace", "kubernetes_namespace", "k8s_namespace_name"}
	podNames       = []string{"pod", "exported_pod", "kubernetes_pod_name", "k8s_pod_name", "pod_name"}
	modelNames     = []string{"model_name", "model", "exported_model_name"}
)

// groupPrefix marks a label that holds the name of a pod without its random suffix.
const groupPrefix = "group_of_"

// suffixed is the name of a pod with a random suffix, or any other.
const suffixed = "(.{1,56})-[a-z0-9]{1,5}|(.*)"

// The looks at the past, each a span and a step, after one at the present: what came
// lately in small steps, and what was there at any time in large ones. Long ones are given up for shorter ones.
const (
	lately     = 2 * time.Hour
	lateStep   = time.Minute
	coarseStep = time.Hour
)

// lookBack asks once who was heard in the past.
func (c *checker) lookBack(ctx context.Context) *inventory {
	if c.past != nil {
		return c.past
	}
	c.past = &inventory{}
	// What is younger than a step of the looks below is in no step of theirs.
	if result, err := c.source.Query(ctx, c.heardQuery("timestamp(%s)"), c.when); err == nil {
		c.past.rows = rowsOf(result)
	}
	if result, err := c.source.Query(ctx, c.heardQuery(stepping(min(lately, c.o.Lookback), lateStep)), c.when); err == nil {
		c.past.rows, c.past.span = append(c.past.rows, rowsOf(result)...), min(lately, c.o.Lookback)
	}
	var failed error
	for _, span := range []time.Duration{c.o.Lookback, 24 * time.Hour} {
		if span <= lately || span > c.o.Lookback {
			continue
		}
		result, err := c.source.Query(ctx, c.heardQuery(stepping(span, coarseStep)), c.when)
		if err == nil {
			c.past.rows, c.past.span = append(c.past.rows, rowsOf(result)...), span
			return c.past
		}
		failed = err
	}
	if failed != nil {
		c.unsaid = append(c.unsaid, failed)
	}
	return c.past
}

// stepping is the newest time of a selector's samples in a span that is looked at in steps.
func stepping(span, step time.Duration) string {
	return fmt.Sprintf("max_over_time(timestamp(%%s)[%s:%s])", model.Duration(span), model.Duration(step))
}

// heardQuery asks when each group of pods was last heard, under every name that a label
// may have. The format makes the time of a selector.
func (c *checker) heardQuery(format string) string {
	var parts []string
	by := strings.Join(c.inventoryLabels(), ", ")
	for _, s := range planned(c.wide.Queries, promapi.FamilyEvidence) {
		expr := fmt.Sprintf(format, s)
		for _, pod := range c.podNames() {
			expr = fmt.Sprintf("label_replace(%s, %q, %q, %q, %q)", expr, groupPrefix+pod, "$1$2", pod, suffixed)
		}
		parts = append(parts, fmt.Sprintf("label_replace(max by (%s) (%s), %q, %q, %q, %q)", by, expr, "metric", s.metric(), "", ""))
	}
	return strings.Join(parts, " or ")
}

// inventoryLabels are those by which groups of pods are told apart.
func (c *checker) inventoryLabels() []string {
	list := slices.Concat(c.namespaceNames(), modelNames, []string{c.labels.Model})
	for _, pod := range c.podNames() {
		list = append(list, groupPrefix+pod)
	}
	for i := range c.o.Workloads {
		list = append(list, names(c.selectorOf(i))...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// namespaceNames are those that the label of the namespace may have, the configured first.
func (c *checker) namespaceNames() []string { return first(c.labels.Namespace, namespaceNames) }

// podNames are those that the label of the pod may have, the configured first.
func (c *checker) podNames() []string { return first(c.labels.Pod, podNames) }

// first returns the list with a name at its beginning, once.
func first(name string, list []string) []string {
	return append([]string{name}, slices.DeleteFunc(slices.Clone(list), func(x string) bool { return x == name })...)
}
