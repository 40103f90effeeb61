package diagnose

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// checkMissing says which replicas are ready and not heard, where others are.
func (c *checker) checkMissing(ctx context.Context, s *subject) {
	pods, nameless := s.unheard(true), s.nameless()
	if !s.heard() || len(pods) <= nameless {
		return // Each that is heard without a name may be any of those that have one.
	}
	f := Finding{
		Severity: Warning, Code: MissingReplicas, Workload: s.id, Place: s.place,
		Found: fmt.Sprintf("of %s that are ready %d not heard", plural(len(s.read.Replicas)-nameless, "replica"), len(pods)-nameless),
		Why:   "nothing falls while a ready replica is not heard",
		Fix:   "look at the targets in Prometheus; a label for the pod would say which",
	}
	if nameless == 0 {
		t := c.targetFinding(ctx, s, pods)
		f.Found += fmt.Sprintf(", %s: %s", some(pods), t.Found)
		f.Fix = t.Fix
		if t.Severity == Warning {
			f.Severity = Info
		}
	} else {
		f.Found += ", and series without a pod do not say which"
	}
	c.add(f)
}

// nameless counts the replicas that are heard under no name of a pod: the reader keeps
// others only if they are listed, wherever any is.
func (s *subject) nameless() int {
	n := 0
	for _, r := range s.read.Replicas {
		if r.Engine != "" && !r.Listed {
			n++
		}
	}
	return n
}

// isNew reports whether none of the pods was known two minutes ago, so that Prometheus may
// not have scraped them yet.
func (c *checker) isNew(ctx context.Context, s *subject, pods []string) bool {
	if len(pods) == 0 {
		return false
	}
	rows, ok := c.ask(ctx, fmt.Sprintf("max by (namespace, exported_namespace, pod, exported_pod) (%s offset 2m)", c.injected("kube_pod_owner")))
	return ok && !slices.ContainsFunc(rows, func(r row) bool {
		namespace, pod := kubePod(r)
		return namespace == s.Namespace && slices.Contains(pods, pod)
	})
}

// kubePod is the pod that a row of kube-state-metrics is about.
func kubePod(r row) (namespace, pod string) {
	return cmp.Or(r.Get("exported_namespace"), r.Get("namespace")), cmp.Or(r.Get("exported_pod"), r.Get("pod"))
}

// some names the first of a list, and how many there are more.
func some(list []string) string {
	const most = 3
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:most], ", "), len(list)-most)
}
