package cases

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/alerts"
	"github.com/infscale/infscale/deploy/generate"
	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/rules"
)

// evaluationInterval is that of the shipped groups.
const evaluationInterval = 30 * time.Second

// An evaluator evaluates the shipped rules and alerts, as Prometheus does.
type evaluator struct {
	lab   *lab
	rules []rulefmt.Rule
	// since is when each alert became true, by its name and labels; recorded are the series
	// that rules gave last, by their text.
	since    map[string]time.Time
	recorded map[string]labels.Labels
	firing   map[string][]labels.Labels
}

// newEvaluator reads the shipped files, the recording rules first.
func newEvaluator(l *lab) (*evaluator, error) {
	e := &evaluator{lab: l, since: map[string]time.Time{}, recorded: map[string]labels.Labels{}}
	for _, files := range []fs.ReadFileFS{rules.Files, alerts.Files} {
		names, err := fs.Glob(files, "*.yaml")
		if err != nil {
			return nil, err
		}
		slices.SortFunc(names, func(a, b string) int { return rank(a) - rank(b) })
		for _, name := range names {
			content, err := files.ReadFile(name)
			if err != nil {
				return nil, err
			}
			groups, errs := rulefmt.Parse(content, false, model.LegacyValidation, promQL, promslog.NewNopLogger())
			if len(errs) > 0 {
				return nil, errs[0]
			}
			for _, g := range groups.Groups {
				e.rules = append(e.rules, g.Rules...)
			}
		}
	}
	return e, nil
}

// rank puts rules before those that read them.
func rank(file string) int {
	if strings.HasPrefix(file, "requests_in_flight") {
		return 0
	}
	return 1
}

// evaluate evaluates everything at one time.
func (e *evaluator) evaluate(at time.Time) error {
	e.firing = map[string][]labels.Labels{}
	since, recorded := map[string]time.Time{}, map[string]labels.Labels{}
	for i := range e.rules {
		r := &e.rules[i]
		vector, err := e.lab.prom.Query(e.lab.t.Context(), r.Expr, at)
		if err != nil {
			return err
		}
		for _, s := range vector {
			if r.Alert != "" {
				key := r.Alert + s.Metric.String()
				since[key] = e.began(key, at)
				if at.Sub(since[key]) >= time.Duration(r.For) {
					e.firing[r.Alert] = append(e.firing[r.Alert], s.Metric)
				}
				continue
			}
			ls := labels.NewBuilder(s.Metric).Set(model.MetricNameLabel, r.Record).Labels()
			recorded[ls.String()] = ls
			if err := e.lab.prom.Append(embedded.Sample{Labels: ls, T: at, V: s.F}); err != nil {
				return err
			}
		}
	}
	gone := maps.Clone(e.recorded)
	maps.DeleteFunc(gone, func(text string, _ labels.Labels) bool { _, ok := recorded[text]; return ok })
	e.since, e.recorded = since, recorded
	for _, ls := range gone {
		if err := e.lab.prom.Append(embedded.Sample{Labels: ls, T: at, V: embedded.Stale()}); err != nil {
			return err
		}
	}
	return nil
}

// began is since when an alert is true that is true now.
func (e *evaluator) began(key string, now time.Time) time.Time {
	if t, ok := e.since[key]; ok {
		return t
	}
	return now
}

// watch evaluates from the beginning to a time, and returns what fires then.
func (e *evaluator) watch(from, to time.Time) (map[string][]labels.Labels, error) {
	for at := from; !at.After(to); at = at.Add(evaluationInterval) {
		if err := e.evaluate(at); err != nil {
			return nil, err
		}
	}
	return e.firing, nil
}

// alerting adds what the shipped alerts say at the end of what is stored.
func (c *recorded) alerting(r *run) error {
	firing, err := alertsOf(r.lab, epoch, epoch.Add(time.Duration(c.samples-1)*c.step))
	r.firing = firing
	return err
}

// alertsOf returns what fires at the end of a span.
func alertsOf(l *lab, from, to time.Time) (map[string][]labels.Labels, error) {
	e, err := newEvaluator(l)
	if err != nil {
		return nil, err
	}
	return e.watch(from, to)
}

var within = regexp.MustCompile(`<= ?(\d+) min`)

// alert judges "no alert", "not firing" and what names an alert in other words.
func (j *judge) alert(key string, _ []string, want any) {
	j.judged++
	text, r := fmt.Sprint(want), j.run
	if part := r.part(key); part != nil {
		r = part
	}
	firing, err := r.fires(text)
	if err != nil {
		j.errorf("%s: %v", key, err)
		return
	}
	all := slices.Sorted(maps.Keys(firing))
	names := named(alertWords, text)
	if names == nil {
		names = named(alertWords, key)
	}
	fires := slices.ContainsFunc(names, func(name string) bool { return len(firing[name]) > 0 })
	switch none := strings.Contains(text, "no alert") || strings.Contains(text, "not firing"); {
	case none && names == nil && len(all) > 0, none && fires:
		j.errorf("%s: got %v firing, want none", key, all)
	case none:
	case names == nil:
		j.errorf("%s: no alert of ours for %q", key, text)
	case !fires:
		j.errorf("%s: got %v firing, want one of %v", key, all, names)
	}
}

// fires returns what fires at the end, to one who has looked so many minutes if the case says so.
func (r *run) fires(text string) (map[string][]labels.Labels, error) {
	if r.firing != nil {
		return r.firing, nil
	}
	if r.last() == nil {
		return nil, errors.New("nothing was decided")
	}
	from, to := r.all[0].at, r.last().at
	if m := within.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		from = to.Add(-time.Duration(n) * time.Minute)
	}
	var err error
	r.firing, err = alertsOf(r.lab, from, to)
	return r.firing, err
}

// alertLabels judges which labels an alert has.
func (j *judge) alertLabels(key string, _ []string, want any) {
	j.judged++
	list, _ := want.([]any)
	for _, found := range j.run.firing {
		for _, ls := range found {
			lacks := slices.ContainsFunc(list, func(name any) bool {
				return ls.Get(cmp.Or(labelWords[fmt.Sprint(name)], fmt.Sprint(name))) == ""
			})
			if !lacks {
				return
			}
		}
	}
	j.errorf("%s: got %v firing, want one with labels %v", key, j.run.firing, want)
}

// consumed judges series of our own: what the shipped queries of consumers give, and alerts.
func (c *recorded) consumed() (*run, error) {
	r, err := c.standing(nil)
	if err != nil {
		return nil, err
	}
	for key := range c.expected {
		name, ok := strings.CutPrefix(key, "value_for_")
		if !ok {
			name = ""
		}
		if !ok && key != "consumer_value" {
			continue
		}
		v, err := c.consumer(r.lab, name)
		if err != nil {
			return nil, err
		}
		r.fact(key, v)
	}
	if !c.expects("heartbeat_missing") {
		return r, nil
	}
	dead, err := c.standing(func(s *series) bool { return strings.Contains(s.Series, "decision_timestamp") })
	if err != nil {
		return nil, err
	}
	r.add("heartbeat_missing", dead)
	return r, nil
}

// standing stores the series, those that stop not any further than their first value, and
// evaluates the alerts.
func (c *recorded) standing(stops func(*series) bool) (*run, error) {
	l := newLab(c.t)
	long := "x" + fmt.Sprint(c.samples+1)
	lines := []string{`up{job="infscale",instance="a"} 1` + long, `infscale_evaluation_interval_seconds{job="infscale",instance="a"} 15` + long}
	for _, s := range c.in.Series {
		ls, values, err := promQL.ParseSeriesDesc(s.Series + " " + s.Values)
		if err != nil {
			return nil, err
		}
		b := labels.NewBuilder(ls).Set("job", "infscale")
		if ls.Get("instance") == "" {
			b.Set("instance", "a")
		}
		text := s.Values
		if stops != nil && stops(&s) {
			text = fmt.Sprintf("%vx%d", values[0].Value, len(values))
		}
		if strings.HasSuffix(ls.Get(model.MetricNameLabel), "timestamp_seconds") {
			text = shifted(values, stops != nil && stops(&s))
		}
		lines = append(lines, b.Labels().String()+" "+text)
	}
	for _, line := range lines {
		if err := l.prom.Load(epoch, c.step, line); err != nil {
			return nil, err
		}
	}
	r := &run{lab: l}
	return r, c.alerting(r)
}

// shifted writes times since the beginning as times since the epoch.
func shifted(values []parser.SequenceValue, stops bool) string {
	var list []string
	for _, v := range values {
		n := v.Value
		if stops {
			n = values[0].Value
		}
		list = append(list, fmt.Sprintf("%.0f", n+float64(epoch.Unix())))
	}
	return strings.Join(list, " ")
}

// consumer is what the shipped ScaledObject of a workload reads.
func (c *recorded) consumer(l *lab, name string) (float64, error) {
	namespace := "ns1"
	for _, ls := range c.series {
		if w := ls.Get("workload"); w != "" && (name == "" || w == name) {
			name, namespace = w, ls.Get("workload_namespace")
		}
	}
	set := &settings{url: "http://prometheus:9090", namespace: namespace, targets: []target{{name: name}}}
	cfg, err := set.parse()
	if err != nil {
		return 0, err
	}
	files, err := generate.KEDA(cfg, generate.Options{})
	if err != nil {
		return 0, err
	}
	var object struct {
		Spec struct {
			Triggers []struct {
				Metadata map[string]string `yaml:"metadata"`
			} `yaml:"triggers"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal(files[0].Data, &object); err != nil {
		return 0, err
	}
	return l.value(object.Spec.Triggers[0].Metadata["query"], epoch.Add(c.at))
}

// configured judges a configuration that comes with series: "queue: sum(x)".
func (c *recorded) configured() (*run, error) {
	_, query, ok := strings.Cut(c.in.Config, ": ")
	if !ok {
		return nil, fmt.Errorf("nobody can read the configuration %q", c.in.Config)
	}
	set := &settings{url: "http://prometheus:9090", namespace: c.namespace(), targets: []target{{name: "chat"}}, query: query, policy: c.policy()}
	return refused(set)
}
