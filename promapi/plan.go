package promapi

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/recommender"
)

// A Plan is what one tick asks. It depends on the configuration only: the texts stay
// the same from tick to tick, and their number does not grow with the workloads.
type Plan struct {
	// Queries are asked on every tick.
	Queries []PlannedQuery
	// Occasional are asked every few minutes, or when a workload is silent.
	Occasional []PlannedQuery
	// Start is asked once, before the past is read.
	Start []PlannedQuery
	// Custom are the distinct queries of the configuration, asked on every tick.
	Custom []PlannedQuery
}

// A PlannedQuery is the text of one query.
type PlannedQuery struct {
	Family Family
	Text   string
}

// promQL is strict: no experimental function, no name that older servers refuse.
var promQL = parser.NewParser(parser.Options{})

// reserved are labels that the queries write themselves.
var reserved = []string{signalLabel, groupLabel, percentileLabel, boundLabel}

// NewPlan returns what has to be asked to know the workloads. All mistakes come at once.
func NewPlan(workloads []Workload, o Options) (*Plan, error) {
	_, plan, err := compile(workloads, o)
	return plan, err
}

// compile checks the workloads and plans their queries.
func compile(workloads []Workload, o Options) ([]target, *Plan, error) {
	o = o.withDefaults()
	errs := o.Labels.check()
	matchers, err := ParseMatchers(o.Matchers)
	if err != nil {
		errs = append(errs, fmt.Errorf("matchers: %w", err))
	}
	targets := make([]target, len(workloads))
	for i := range workloads {
		if targets[i], err = newTarget(&workloads[i], o.Labels); err != nil {
			errs = append(errs, fmt.Errorf("workload %s/%s: %w", workloads[i].Namespace, workloads[i].Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	plan, err := newNeeds(targets).plan(newShape(o, selectorLabels(targets)), matchers)
	return targets, plan, err
}

// check refuses names that could not stand in a query as they are.
func (l LabelNames) check() []error {
	var errs []error
	for _, name := range []string{l.Namespace, l.Pod, l.Model} {
		if !model.LegacyValidation.IsValidLabelName(name) {
			errs = append(errs, fmt.Errorf("labels: %q is not the name of a label", name))
		}
	}
	return errs
}

// ParseMatchers reads label matchers as in PromQL, with or without their braces:
// cluster="a", tenant=~"b|c".
func ParseMatchers(text string) ([]*labels.Matcher, error) {
	inner := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(inner, "{"); ok {
		if inner, ok = strings.CutSuffix(rest, "}"); !ok {
			return nil, fmt.Errorf("%q: the brace is not closed", text)
		}
	}
	if strings.TrimSpace(inner) == "" {
		return nil, nil
	}
	// A name in front makes a selector of matchers that match everything.
	const name = "x"
	matchers, err := promQL.ParseMetricSelector(name + "{" + inner + "}")
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return slices.DeleteFunc(matchers, func(m *labels.Matcher) bool {
		return m.Name == model.MetricNameLabel && m.Value == name
	}), nil
}

// injected parses a query and adds the matchers to every selector in it.
func injected(text string, matchers []*labels.Matcher) (string, error) {
	expr, err := promQL.ParseExpr(text)
	if err != nil {
		return "", err
	}
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			selector.LabelMatchers = slices.Concat(selector.LabelMatchers, matchers)
		}
		return nil
	})
	return expr.String(), nil
}

// selectorLabels returns the labels that any selector looks at.
func selectorLabels(targets []target) []string {
	names := map[string]bool{}
	for i := range targets {
		for _, m := range targets[i].selector {
			names[m.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// needs are what all workloads together need to know.
type needs struct {
	engines     []*profile
	percentiles []float64
	objectives  []float64
	presets     []string
	cpu         bool
	queries     []string
}

func newNeeds(targets []target) *needs {
	n := &needs{}
	var engines, presets []string
	for i := range targets {
		t := &targets[i]
		engines = append(engines, t.Engine)
		for j := range t.Policy.Signals {
			n.addSignal(&t.Policy.Signals[j])
		}
		if t.objective() > 0 {
			n.objectives = append(n.objectives, t.objective())
		}
		for _, q := range t.Queries {
			n.queries = append(n.queries, q.Text)
		}
		for _, h := range t.Held {
			if h.Query != "" {
				n.queries = append(n.queries, h.Query)
			} else {
				presets = append(presets, h.Preset)
			}
		}
	}
	for i := range profiles {
		if slices.Contains(engines, EngineAuto) || slices.Contains(engines, profiles[i].name) {
			n.engines = append(n.engines, &profiles[i])
		}
	}
	n.presets, n.queries = distinct(presets), distinct(n.queries)
	n.percentiles, n.objectives = distinct(n.percentiles), distinct(n.objectives)
	return n
}

func (n *needs) addSignal(s *recommender.Signal) {
	switch s.Metric {
	case recommender.TTFT:
		n.percentiles = append(n.percentiles, s.Percentile)
	case recommender.CPU:
		n.cpu = true
	default:
	}
}

// distinct sorts and drops repeated values.
func distinct[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return slices.Compact(list)
}

// plan renders the families that somebody needs.
func (n *needs) plan(s shape, matchers []*labels.Matcher) (*Plan, error) {
	if len(n.engines) == 0 {
		return &Plan{}, nil
	}
	every := []PlannedQuery{
		{FamilyGauges, s.gauges(n.engines)},
		{FamilyEvidence, s.evidence(n.engines)},
		{FamilyCounters, s.counters(n.engines)},
		{FamilyReplicas, s.replicas()},
		{FamilyPods, s.pods()},
	}
	every = append(every, n.latency(s)...)
	if len(n.presets) > 0 {
		every = append(every, PlannedQuery{FamilyHeld, s.held(n.presets)})
	}
	if n.cpu {
		every = append(every, PlannedQuery{FamilyCPU, s.cpu()})
	}
	plan := &Plan{
		Queries: every,
		Occasional: []PlannedQuery{
			{FamilyColdStart, either([]string{coldStarts(), s.duplicates(n.engines)})},
			{FamilyInFlight, s.inFlight(n.engines)},
			{FamilyEver, either(append([]string{s.ever(n.engines)}, s.heldEver(n.presets)...))},
			{FamilySeries, s.series(n.engines)},
		},
		Start: []PlannedQuery{{FamilyRecommended, s.recommended()}},
	}
	for _, text := range n.queries {
		plan.Custom = append(plan.Custom, PlannedQuery{FamilyCustom, text})
	}
	return plan, plan.inject(matchers)
}

// latency asks for all buckets where a percentile is needed, and otherwise for two: a
// tenth of the samples.
func (n *needs) latency(s shape) []PlannedQuery {
	native := s.native(n.engines, n.percentiles, n.objectives)
	classic, family := s.latencies(n.engines, ""), FamilyTTFT
	switch {
	case len(n.percentiles) > 0:
	case len(n.objectives) > 0:
		classic, family = s.latencies(n.engines, boundMatcher(n.engines, n.objectives)), FamilyObjective
	default:
		return nil
	}
	if classic == "" {
		return nil
	}
	return []PlannedQuery{{family, either(append([]string{classic}, native...))}}
}

// inject puts the matchers into every query of the plan.
func (p *Plan) inject(matchers []*labels.Matcher) error {
	for _, list := range [][]PlannedQuery{p.Queries, p.Occasional, p.Start, p.Custom} {
		for i := range list {
			text, err := injected(list[i].Text, matchers)
			if err != nil {
				return fmt.Errorf("%s query: %w", list[i].Family, err)
			}
			list[i].Text = text
		}
	}
	return nil
}
