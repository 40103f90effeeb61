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
)

// A targetList are the targets and images in the namespaces of the workloads.
type targetList struct {
	up, images []row
	known      bool
}

// listTargets asks for the targets, once.
func (c *checker) listTargets(ctx context.Context) *targetList {
	if c.targets != nil {
		return c.targets
	}
	var spaces []string
	for i := range c.o.Workloads {
		spaces = append(spaces, regexp.QuoteMeta(c.o.Workloads[i].Namespace))
	}
	slices.Sort(spaces)
	in := labels.MustNewMatcher(labels.MatchRegexp, c.labels.Namespace, strings.Join(slices.Compact(spaces), "|"))
	up := c.injected("up", in)
	image := c.injected("kube_pod_container_info", labels.MustNewMatcher(labels.MatchRegexp, "image", "(?i).*(vllm|sglang|llama).*"))
	t := &targetList{}
	t.up, t.known = c.ask(ctx, fmt.Sprintf("max by (%s, %s, job, instance) (%s)", c.labels.Namespace, c.labels.Pod, up))
	t.images, _ = c.ask(ctx, fmt.Sprintf("max by (namespace, exported_namespace, pod, exported_pod, image) (%s)", image))
	c.targets = t
	return t
}

// of returns the targets of pods: of those in the list, or where there is none of those
// of the right name.
func (t *targetList) of(c *checker, s *subject, pods []string) []row {
	name := regexp.MustCompile("^(?:" + s.pod() + ")$")
	return slices.DeleteFunc(slices.Clone(t.up), func(r row) bool {
		pod := r.Get(c.labels.Pod)
		if r.Get(c.labels.Namespace) != s.Namespace || pod == "" {
			return true
		}
		if len(pods) > 0 {
			return !slices.Contains(pods, pod)
		}
		return !name.MatchString(pod)
	})
}

// engine guesses what the pods of a workload run from their image.
func (t *targetList) engine(s *subject) string {
	if s.Engine != "" && s.Engine != promapi.EngineAuto {
		return s.Engine
	}
	name := regexp.MustCompile("^(?:" + s.pod() + ")$")
	for _, r := range t.images {
		namespace, pod := kubePod(r)
		if namespace != s.Namespace || !name.MatchString(pod) {
			continue
		}
		image := strings.ToLower(r.Get("image"))
		switch {
		case strings.Contains(image, "vllm"):
			return "vllm"
		case strings.Contains(image, "sglang"):
			return "sglang"
		case strings.Contains(image, "llama.cpp"), strings.Contains(image, "llama-server"), strings.Contains(image, "llamacpp"):
			return "llama.cpp"
		}
	}
	return ""
}

// flags says how the engine is made to export its metrics.
func flags(engine string) string {
	switch engine {
	case "vllm":
		return "remove --disable-log-stats: vLLM exports no metrics of its own with it"
	case "sglang":
		return "start SGLang with --enable-metrics"
	case "llama.cpp":
		return "start llama.cpp (llama-server) with --metrics"
	default:
		var hints []string
		for _, e := range promapi.Engines() {
			hints = append(hints, promapi.EngineHint(e))
		}
		return strings.Join(hints, "; ")
	}
}

// looksAtTargets says of pods that are not heard whether they are scraped.
func (c *checker) looksAtTargets(ctx context.Context, s *subject) {
	pods := s.unheard(false)
	f := c.targetFinding(ctx, s, pods)
	f.Severity, f.Workload = Error, s.id // however new its pods are: nothing is heard
	if f.Place == "" {
		f.Place = s.place
	}
	if !s.last.IsZero() {
		f.Found += fmt.Sprintf("; its engines were last heard %s ago", span(c.age(s.last)))
	}
	switch {
	case len(pods) == 0 && s.o.Ready.Known() && s.o.Ready.Value == 0:
		f.Severity, f.Code = Warning, SilentNow
		f.Found = fmt.Sprintf("%s asked for, and no pod is ready or heard", plural(int(s.o.Current.Value), "replica"))
		f.Fix = "look at the events of its object: quota, nodes, image"
	case len(pods) > 0 && len(s.unheard(true)) == 0:
		f.Severity = Warning
		f.Found += "; none of its pods is ready, so they may still be loading"
	}
	c.add(f)
}

// targetFinding says what the targets of some pods look like.
func (c *checker) targetFinding(ctx context.Context, s *subject, pods []string) Finding {
	t := c.listTargets(ctx)
	list := t.of(c, s, pods)
	up := slices.DeleteFunc(slices.Clone(list), func(r row) bool { return r.v == 0 })
	f := Finding{Why: silence}
	switch {
	case !t.known:
		f.Code, f.Found = SilentNow, "its engines are not heard"
		f.Fix = "look at the targets in Prometheus"
	case len(list) == 0 && c.isNew(ctx, s, pods):
		f.Severity, f.Code = Warning, NotScraped
		f.Found = "no target of Prometheus is a pod of it yet, and two minutes ago there were no such pods"
		f.Fix = "check again in two minutes; if there is none then, add a PodMonitor or ServiceMonitor"
	case len(list) == 0:
		f.Code, f.Found = NotScraped, "no target of Prometheus is a pod of it"
		f.Fix = "add a PodMonitor or ServiceMonitor; look at its namespaceSelector, its port and whether Prometheus selects it"
	case len(up) == 0:
		f.Code, f.Found = ScrapeFails, fmt.Sprintf("every target of its pods is down (%d), %s of job %s among them",
			len(list), list[0].Get("instance"), list[0].Get("job"))
		f.Fix = "look at the error of the target in Prometheus: port, path, TLS, scrape timeout; an engine that loads has no page yet"
	default:
		engine := t.engine(s)
		f.Code, f.Found = EngineFlags, fmt.Sprintf("its pods are scraped (%s) and export no metrics of an engine", plural(len(up), "target"))
		f.Fix = flags(engine) + "; or look at the port and path of the scrape, and for metric relabelling that drops them"
		f.Place = s.place + ".engine"
	}
	return f
}

// unheard lists the pods that are listed and not heard; only ready ones if so asked.
func (s *subject) unheard(ready bool) []string {
	var pods []string
	for _, r := range s.read.Replicas {
		if r.Listed && r.Engine == "" && (r.Ready || !ready) {
			pods = append(pods, r.Name)
		}
	}
	return pods
}

// A scrapeList is how often pods are scraped, by namespace and pod.
type scrapeList map[[2]string]time.Duration

// scrapes asks how often the engines are scraped: the time from the newest sample before
// a window to the newest in it, by how many are in it. So an interval is judged from three
// samples or more, and not of pods that are younger than the window.
func (c *checker) scrapes(ctx context.Context) scrapeList {
	var parts []string
	for _, s := range planned(c.plan.Queries, promapi.FamilyEvidence) {
		parts = append(parts, fmt.Sprintf("min by (%s, %s) ((timestamp(%s) - timestamp(%s offset 10m)) / (count_over_time(%s[10m]) > 1))",
			c.labels.Namespace, c.labels.Pod, s, s, s))
	}
	list := scrapeList{}
	if len(parts) == 0 || c.failed(promapi.FamilyGauges) {
		return list
	}
	rows, _ := c.ask(ctx, strings.Join(parts, " or "))
	for _, r := range rows {
		if r.v > 0 {
			list[[2]string{r.Get(c.labels.Namespace), r.Get(c.labels.Pod)}] = time.Duration(r.v * float64(time.Second)).Round(time.Second)
		}
	}
	return list
}
