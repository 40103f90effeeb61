package lint

import (
	"math"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// A world is everything that was given, as views.
type world struct {
	coldStart time.Duration
	keda      int // the minor version of KEDA 2
	sources   []*source
	seen      inventory
	misfits   []hit // what does not fit the types

	scaledObjects   []*scaledObject
	authentications []*triggerAuthentication
	autoscalers     []*autoscaler
	servers         []*server
	services        []*inferenceService
	scalers         []*scaler
	queries         []*query
	// relabelled are the labels that monitors add to what they scrape.
	relabelled map[string]bool
}

// addDocument adds the views of one YAML document.
func (w *world) addDocument(src *source, n *yaml.Node) {
	var head object
	if n.Kind != yaml.MappingNode || n.Decode(&head) != nil {
		w.seen.foreign(noObject)
		return // not what a cluster takes
	}
	switch add, known := views[head.Kind.v]; {
	case head.Kind.v == "List":
		w.addList(src, n)
	case head.Kind.v == "":
		w.addPlain(src, n)
	case known:
		w.seen.known = true
		add(w, src, n)
	default:
		w.seen.foreign("of kind " + head.Kind.v)
	}
}

// views add an object of a kind to the world.
var views = map[string]func(*world, *source, *yaml.Node){
	"ScaledObject":                 (*world).addScaledObject,
	"TriggerAuthentication":        (*world).addAuthentication,
	"ClusterTriggerAuthentication": (*world).addAuthentication,
	"HorizontalPodAutoscaler":      (*world).addAutoscaler,
	"Deployment":                   (*world).addServer,
	"StatefulSet":                  (*world).addServer,
	"LeaderWorkerSet":              (*world).addServer,
	"InferenceService":             (*world).addService,
	"PodMonitor":                   (*world).addMonitor,
	"ServiceMonitor":               (*world).addMonitor,
	"PrometheusRule":               (*world).addRuleObject,
	"ConfigMap":                    (*world).addConfigMap,
}

func (w *world) addList(src *source, n *yaml.Node) {
	var list struct {
		Items []yaml.Node `yaml:"items"`
	}
	_ = n.Decode(&list)
	if len(list.Items) == 0 {
		w.seen.foreign("of kind List without items")
	}
	for i := range list.Items {
		w.addDocument(src, &list.Items[i])
	}
}

// addPlain adds rules of Prometheus or of prometheus-adapter that are no object.
func (w *world) addPlain(src *source, n *yaml.Node) {
	var groups ruleGroups
	_ = n.Decode(&groups)
	w.addRules(src, &groups)
	var adapter adapterRules
	_ = n.Decode(&adapter)
	w.addAdapter(src, &adapter)
	if len(groups.Groups) > 0 || len(adapter.ExternalRules) > 0 || !adapter.Rules.IsZero() {
		w.seen.known = true
	} else {
		w.seen.foreign("without a kind")
	}
}

// addConfigMap adds the rules of prometheus-adapter that are text in a ConfigMap. Positions
// are those of the text, moved to where it starts: it is a block, as everybody writes it.
func (w *world) addConfigMap(src *source, n *yaml.Node) {
	var m struct {
		Data map[string]field[string] `yaml:"data"`
	}
	_ = n.Decode(&m)
	for _, text := range m.Data {
		var inner yaml.Node
		if !strings.Contains(text.v, "seriesQuery") || yaml.Unmarshal([]byte(text.v), &inner) != nil || len(inner.Content) == 0 {
			continue
		}
		shift(&inner, text.node.Line)
		w.addPlain(src, inner.Content[0])
	}
}

// shift moves every node down by a number of lines.
func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, child := range n.Content {
		shift(child, lines)
	}
}

func (w *world) addScaledObject(src *source, n *yaml.Node) {
	o := &scaledObject{}
	w.misfits = append(w.misfits, decode(src, n, o, true)...)
	o.src = src
	o.Spec.Triggers = present(o.Spec.Triggers)
	w.scaledObjects = append(w.scaledObjects, o)
	s := &scaler{
		object: &o.object, target: o.Spec.Target, keda: o,
		low: o.Spec.Min, high: o.Spec.Max, behavior: o.Spec.Advanced.HPA.Behavior,
	}
	w.scalers = append(w.scalers, s)
	for _, t := range o.Spec.Triggers {
		w.addTrigger(s, t)
	}
}

// present drops items that are null.
func present[T any](list []*T) []*T {
	return slices.DeleteFunc(list, func(item *T) bool { return item == nil })
}

// addTrigger adds the query of a trigger that asks Prometheus.
func (w *world) addTrigger(s *scaler, t *trigger) {
	text := t.meta("query")
	if t.Type.v != "prometheus" || !text.set() {
		return
	}
	q := &query{
		place: s.src.at(text.node), node: text.node, text: text.v, use: useScaler,
		target: averageValue, threshold: number(t.meta("threshold").v), scaler: s, trigger: t,
	}
	switch {
	case s.composed():
		q.target, q.threshold = "", math.NaN() // the target is that of the formula
	case t.MetricType.set():
		q.target = t.MetricType.v
	}
	w.addQuery(q)
}

func (w *world) addAutoscaler(src *source, n *yaml.Node) {
	a := &autoscaler{}
	misfits := decode(src, n, a, true)
	a.src = src
	if oldAPI(a.APIVersion.v) == "" {
		w.misfits = append(w.misfits, misfits...)
	}
	w.autoscalers = append(w.autoscalers, a)
	s := &scaler{
		object: &a.object, target: a.Spec.Target, hpa: a,
		low: a.Spec.Min, high: a.Spec.Max, behavior: a.Spec.Behavior,
	}
	w.scalers = append(w.scalers, s)
	for i := range a.Spec.Metrics {
		w.addMetric(s, &a.Spec.Metrics[i])
	}
}

// addMetric adds the selector of an external metric as a query of that name. An adapter may
// compute anything under it, so only names of series that are known say something.
func (w *world) addMetric(s *scaler, m *hpaMetric) {
	e := &m.External
	name := &e.v.Metric.Name
	if !e.set() || !name.set() {
		return
	}
	t := &e.v.Target
	q := &query{
		place: s.src.at(name.node), use: useMetric, target: t.Type.v, scaler: s,
		threshold: number(t.AverageValue.or(t.Value.v)),
	}
	q.expr = selectorOf(name.v, e.v.Metric.Selector.Labels)
	if q.expr != nil {
		q.text = q.expr.String()
		w.queries = append(w.queries, q)
		s.queries = append(s.queries, q)
	}
}

func (w *world) addServer(src *source, n *yaml.Node) {
	o := &podOwner{}
	w.misfits = append(w.misfits, decode(src, n, o, false)...)
	o.src = src
	pod := o.Spec.Template.Spec
	switch g := &o.Spec.Group; {
	case len(g.Leader.Spec.Containers) > 0:
		pod = g.Leader.Spec
	case len(g.Worker.Spec.Containers) > 0:
		pod = g.Worker.Spec
	}
	pod.Containers = present(pod.Containers)
	w.servers = append(w.servers, &server{object: o.object, replicas: o.Spec.Replicas, pod: pod})
}

func (w *world) addService(src *source, n *yaml.Node) {
	o := &inferenceService{}
	w.misfits = append(w.misfits, decode(src, n, o, false)...)
	o.src = src
	w.services = append(w.services, o)
	p := &o.Spec.Predictor
	p.Containers = present(p.Containers)
	s := &scaler{object: &o.object, service: o, low: p.Min, high: p.Max}
	w.scalers = append(w.scalers, s)
	for i := range p.AutoScaling.Metrics {
		e := &p.AutoScaling.Metrics[i].External.v
		if text := &e.Metric.Query; text.set() {
			w.addQuery(&query{
				place: src.at(text.node), node: text.node, text: text.v, use: useScaler,
				target: e.Target.Type.or(averageValue), threshold: number(e.Target.AverageValue.or(e.Target.Value.v)), scaler: s,
			})
		}
	}
}

func (w *world) addMonitor(_ *source, n *yaml.Node) {
	var m monitor
	_ = n.Decode(&m)
	if w.relabelled == nil {
		w.relabelled = map[string]bool{}
	}
	for _, name := range append(m.Spec.PodLabels, m.Spec.Labels...) {
		w.relabelled[strings.NewReplacer("/", "_", ".", "_", "-", "_").Replace(name)] = true
	}
	for _, e := range append(m.Spec.PodEndpoints, m.Spec.Endpoints...) {
		for _, r := range append(e.Relabel, e.MetricRelabel...) {
			w.relabelled[r.Target] = true
		}
	}
}

// addRuleObject adds the rules in a PrometheusRule.
func (w *world) addRuleObject(src *source, n *yaml.Node) {
	var rule struct {
		Spec ruleGroups `yaml:"spec"`
	}
	_ = n.Decode(&rule) // what does not fit is another program's
	w.addRules(src, &rule.Spec)
}

func (w *world) addRules(src *source, g *ruleGroups) {
	for i := range g.Groups {
		for _, r := range g.Groups[i].Rules {
			if r.Expr.set() {
				w.addQuery(&query{place: src.at(r.Expr.node), node: r.Expr.node, text: r.Expr.v, use: useRule})
			}
		}
	}
}

// addAdapter adds the queries of prometheus-adapter. In the values of its chart the rules are
// a mapping of lists, in its own file a list.
func (w *world) addAdapter(src *source, a *adapterRules) {
	list := a.ExternalRules
	var chart struct {
		External []adapterRule `yaml:"external"`
		Custom   []adapterRule `yaml:"custom"`
	}
	var own []adapterRule
	if a.Rules.Decode(&chart) == nil {
		list = append(append(list, chart.External...), chart.Custom...)
	}
	if a.Rules.Decode(&own) == nil {
		list = append(list, own...)
	}
	for i := range list {
		if text := &list[i].MetricsQuery; text.set() {
			w.addQuery(&query{
				place: src.at(text.node), node: text.node, use: useAdapter,
				text: fillTemplate(text.v, list[i].SeriesQuery.v),
			})
		}
	}
}

// serverOf returns the server that a scaler scales, nil if it was not given.
func (w *world) serverOf(s *scaler) *server {
	for _, o := range w.servers {
		if s.scales(&o.object) {
			return o
		}
	}
	return nil
}
