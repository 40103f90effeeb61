package cases

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/promapi"
)

// A recorded case is a case of series in a real Prometheus.
type recorded struct {
	t        *testing.T
	in       *input
	expected map[string]any
	step     time.Duration
	series   []labels.Labels
	// samples is how many values the longest series has, at the time that is looked at.
	samples int
	at      time.Duration
	// zeroFrom is when the last sample that is not zero was.
	busyUntil time.Duration
}

// promQL reads series and queries.
var promQL = parser.NewParser(parser.Options{})

// promql runs a case of series.
func promql(t *testing.T, in *input, expected map[string]any) (*run, error) {
	c := &recorded{t: t, in: in, expected: expected}
	if err := c.read(); err != nil {
		return nil, err
	}
	switch {
	case in.Config != "":
		return c.configured()
	case c.own():
		return c.consumed()
	}
	return c.observed()
}

// read reads the series and the times.
func (c *recorded) read() error {
	step, err := model.ParseDuration(c.in.Interval)
	if err != nil {
		return fmt.Errorf("interval: %w", err)
	}
	c.step = time.Duration(step)
	for i := range c.in.Series {
		s := &c.in.Series[i]
		s.Series = seriesWords.Replace(s.Series)
		ls, values, err := promQL.ParseSeriesDesc(s.Series + " " + s.Values)
		if err != nil {
			return fmt.Errorf("series %q: %w", s.Series, err)
		}
		c.series = append(c.series, ls)
		c.samples = max(c.samples, len(values))
		for j, v := range values {
			if !v.Omitted && v.Value > 0 {
				c.busyUntil = max(c.busyUntil, time.Duration(j)*c.step)
			}
		}
	}
	c.at = time.Duration(c.samples-1) * c.step
	if n := len(c.in.Checks); n > 0 && !c.expects("after") {
		at, err := model.ParseDuration(c.in.Checks[n-1].At)
		if err != nil {
			return fmt.Errorf("the time of a check: %w", err)
		}
		c.at = time.Duration(at)
	}
	return nil
}

func (c *recorded) expects(key string) bool { _, ok := c.expected[key]; return ok }

// own reports whether the series are those that infscale exports itself.
func (c *recorded) own() bool {
	return slices.ContainsFunc(c.series, func(ls labels.Labels) bool {
		return strings.HasPrefix(ls.Get(model.MetricNameLabel), "infscale_")
	})
}

// lab starts a Prometheus with the series of the case.
func (c *recorded) lab() (*lab, error) {
	l := newLab(c.t)
	for _, s := range append(slices.Clone(c.in.Series), c.rest()...) {
		if err := l.prom.Load(epoch, c.step, s.Series+" "+s.Values); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// policy is what the case says of it, in either place.
func (c *recorded) policy() map[string]any {
	policy := maps.Clone(c.in.Policy)
	if policy == nil {
		policy = map[string]any{}
	}
	maps.Copy(policy, c.in.State.Policy)
	return policy
}

// settings are those of all the runs of the case.
func (c *recorded) settings(targets []target) *settings {
	s := &settings{
		namespace: c.namespace(), targets: targets, policy: c.policy(), top: map[string]any{},
		ttft: strings.Contains(strings.Join(slices.Sorted(c.keys()), " "), "ttft") || c.mentions("ttft"),
	}
	if window := c.window(); window != "" {
		s.top["rate_window"], s.top["latency_window"] = window, window
	}
	if wake, ok := s.policy["wake_on"].(string); ok {
		s.held = c.wakes(wake)
	} else if s.policy["min"] == 0.0 {
		s.held = heldQuery
	}
	return s
}

// keys yields the keys of what is expected, also of parts.
func (c *recorded) keys() func(func(string) bool) { return keysOf(c.expected) }

func keysOf(m map[string]any) func(func(string) bool) {
	return func(yield func(string) bool) {
		for key, value := range m {
			if inner, ok := value.(map[string]any); ok {
				for k := range keysOf(inner) {
					if !yield(k) {
						return
					}
				}
			}
			if !yield(key) {
				return
			}
		}
	}
}

// mentions reports whether an expected key has the word in it.
func (c *recorded) mentions(word string) bool {
	for key := range c.keys() {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}

// wakes is the query of what wakes a workload: "increase(incoming)>0".
func (c *recorded) wakes(wake string) string {
	m := regexp.MustCompile(`^(\w+)\((\w+)\) ?> ?0$`).FindStringSubmatch(wake)
	if m == nil {
		return heldQuery
	}
	for _, ls := range c.series {
		if strings.Contains(ls.Get(model.MetricNameLabel), m[2]) {
			return fmt.Sprintf("sum(%s(%s[2m])) > bool 0", m[1], ls)
		}
	}
	return heldQuery
}

// namespace is that of the workload, wherever it is written.
func (c *recorded) namespace() string {
	for _, name := range []string{"exported_namespace", "namespace", "workload_namespace"} {
		for _, ls := range c.series {
			if v := ls.Get(name); v != "" {
				return v
			}
		}
	}
	return "ns1"
}

// everything matches every series.
const everything = `{pod=~".*"}`

// observed reads the series of engines.
func (c *recorded) observed() (*run, error) {
	whole := &run{}
	if c.expects("default_config") || c.expects("with_mapping") {
		mapping := map[string]string{"namespace": "exported_namespace", "pod": "exported_pod"}
		for name, names := range map[string]map[string]string{"default_config": nil, "with_mapping": mapping} {
			part, err := c.watch([]target{c.target("chat", everything)}, names)
			if err != nil {
				return nil, err
			}
			only := part.parts["chat"]
			if err := only.lab.check(only, only.last().at); err != nil {
				return nil, err
			}
			whole.add(name, only)
		}
		return whole, nil
	}
	scopes, err := c.targets()
	if err != nil {
		return nil, err
	}
	var list []target
	for key, selector := range scopes {
		list = append(list, c.target(key, selector))
	}
	slices.SortFunc(list, func(a, b target) int { return cmp.Compare(a.name, b.name) })
	if len(list) == 0 {
		only, err := c.watch([]target{c.target("chat", everything)}, nil)
		if err != nil {
			return nil, err
		}
		return only.parts["chat"], c.engines(only.parts["chat"])
	}
	return c.watch(list, nil)
}

// target is a workload of the case.
func (c *recorded) target(key, selector string) target {
	t := target{key: key, name: strings.ReplaceAll(key, "_", "-"), selector: selector, current: 1}
	switch n := c.in.State.Current.(type) {
	case float64:
		t.current = n
	case map[string]any:
		if v, ok := n[key].(float64); ok {
			t.current = v
		}
	}
	return t
}

// watch decides on the targets from well before the time that is looked at.
func (c *recorded) watch(targets []target, names map[string]string) (*run, error) {
	l, err := c.lab()
	if err != nil {
		return nil, err
	}
	set := c.settings(targets)
	set.labels = names
	l.scraped = c.mentions("alert") || c.expects("idle")
	l.start(set)
	if err := c.surround(l, set); err != nil {
		return nil, err
	}
	whole := &run{lab: l}
	for _, t := range targets {
		whole.add(t.key, &run{lab: l, busyUntil: c.busyUntil.Seconds()})
	}
	from := c.at // a decision alone: what was before equals what is
	if c.expects("after") || l.scraped {
		from = 0
	}
	for at := from; ; at = min(at+interval*time.Second, c.at) {
		for i, a := range l.tick(epoch.Add(at)) {
			part := whole.parts[targets[i].key]
			a.offset = at.Seconds()
			part.all = append(part.all, a)
			part.answers = []answer{a}
		}
		if at >= c.at {
			break
		}
	}
	return whole, nil
}

// surround stores what the case says in other words than series: the replicas and the load.
func (c *recorded) surround(l *lab, set *settings) error {
	long := "x" + strconv.Itoa(c.samples+1)
	var lines []string
	for _, t := range set.targets {
		ready := min(t.current, c.heard(t.selector))
		if n := c.in.State.ReadyPods; n != nil {
			ready = *n
		}
		if of := c.in.State.Target; c.in.State.Inflight != nil && (of == "" || strings.HasSuffix(t.name, "-"+of)) {
			on := ""
			if of != "" {
				on = "," + strings.Trim(c.selector(of), "{}")
			}
			lines = append(lines, fmt.Sprintf(`vllm:num_requests_running{namespace=%q,pod="case-0"%s} %v%s`, set.namespace, on, *c.in.State.Inflight, long))
			ready = min(t.current, 1)
		}
		lines = append(lines,
			fmt.Sprintf(`kube_deployment_spec_replicas{namespace=%q,deployment=%q} %v%s`, set.namespace, t.name, t.current, long),
			fmt.Sprintf(`kube_deployment_status_replicas_ready{namespace=%q,deployment=%q} %v%s`, set.namespace, t.name, ready, long))
	}
	lines = append(lines, `up{job="infscale",instance="infscale-1:9099"} 1`+long)
	if set.held == heldQuery {
		lines = append(lines, "gateway_requests_held 0"+long)
	}
	return l.prom.Load(epoch, c.step, lines...)
}

// engines adds what a case of engines' series may ask for besides a decision.
func (c *recorded) engines(r *run) error {
	a := r.last()
	if c.expects("dropped_series") {
		if err := c.dropped(r, a); err != nil {
			return err
		}
	}
	if len(a.tick.Duplicates) > 0 {
		r.fact("warning", "duplicate scrape")
	}
	if strings.Contains(fmt.Sprint(c.expected["verdict"]), "warning") {
		r.configured = true // at the end, when it is known how often the engines are scraped
		if err := r.lab.check(r, epoch.Add(time.Duration(c.samples-1)*c.step)); err != nil {
			return err
		}
	}
	if c.mentions("alert") || c.expects("idle") {
		return c.alerting(r)
	}
	return nil
}

// dropped counts the series of the case that a naive query sees and ours does not.
func (c *recorded) dropped(r *run, a *answer) error {
	var names []string
	for _, ls := range c.series {
		names = append(names, ls.Get(model.MetricNameLabel))
	}
	naive, err := r.lab.value(fmt.Sprintf("count({__name__=~%q})", strings.Join(names, "|")), a.at)
	if err != nil {
		return err
	}
	read := 0
	for _, f := range a.tick.Families {
		if f.Family != promapi.FamilyGauges {
			continue
		}
		rows, err := r.lab.prom.Query(c.t.Context(), f.Text, a.at)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if slices.Contains(names, row.Metric.Get("signal")) {
				read++
			}
		}
	}
	r.fact("dropped_series", naive-float64(read))
	return nil
}

// value is the one number of a query, not a number if it has none.
func (l *lab) value(query string, at time.Time) (float64, error) {
	v, err := l.prom.Query(l.t.Context(), query, at)
	if err != nil || len(v) == 0 {
		return math.NaN(), err
	}
	if len(v) > 1 {
		return 0, fmt.Errorf("query %s: got %d series, want one", query, len(v))
	}
	return v[0].F, nil
}
