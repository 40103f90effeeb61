package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// eachQuery collects what a function says of every query that could be parsed: nothing, or
// what is wrong.
func eachQuery(w *world, check func(*query) string) []hit {
	var hits []hit
	for _, q := range w.queries {
		if q.expr == nil {
			continue
		}
		if what := check(q); what != "" {
			hits = append(hits, hit{place: q.start(), what: what})
		}
	}
	return hits
}

// eachSelector collects what a function says of every selector of every query.
func eachSelector(w *world, check func(*query, *parser.VectorSelector) string) []hit {
	var hits []hit
	for _, q := range w.queries {
		for _, s := range q.selectors() {
			if what := check(q, s); what != "" {
				hits = append(hits, hit{place: q.at(int(s.PosRange.Start)), what: what})
			}
		}
	}
	return hits
}

func querySyntax(w *world) []hit {
	var hits []hit
	for _, q := range w.queries {
		if q.err != nil {
			at, what := q.errorAt()
			hits = append(hits, hit{place: at, what: "Prometheus cannot parse the query: " + what})
		}
	}
	return hits
}

func queryType(w *world) []hit {
	return eachQuery(w, func(q *query) string {
		if t := q.expr.Type(); q.use == useScaler && t != parser.ValueTypeVector {
			return "the query gives a " + parser.DocumentedType(t) + ", where KEDA reads an instant vector"
		}
		return ""
	})
}

func rawVector(w *world) []hit {
	return eachQuery(w, func(q *query) string {
		if q.use != useScaler || q.expr.Type() != parser.ValueTypeVector || elements(q.expr) != many {
			return ""
		}
		return "the query gives one element for each series, and KEDA takes one in all"
	})
}

func doubleAverage(w *world) []hit {
	return eachQuery(w, func(q *query) string {
		// An adapter may give an external metric as several series, which the HPA sums.
		if q.use != useScaler || q.target != averageValue || q.kind() != mean {
			return ""
		}
		return "the value is a mean over the replicas already, and AverageValue divides it by the replicas again"
	})
}

func latencyAverage(w *world) []hit {
	return eachQuery(w, func(q *query) string {
		if !q.scales() || q.target != averageValue || q.kind() != latency {
			return ""
		}
		return "the value is a latency, and AverageValue divides it by the replicas"
	})
}

func valueOfTotal(w *world) []hit {
	return eachQuery(w, func(q *query) string {
		if k := q.kind(); !q.scales() || q.target != value || k != total && k != replicaCount {
			return ""
		}
		return "the value is a total over the replicas, and Value multiplies its ratio to the target by the replicas"
	})
}

// emptyIsZero finds the two ways in which nothing becomes zero.
func emptyIsZero(w *world) []hit {
	hits := eachQuery(w, func(q *query) string {
		if q.use == useRule || !orZero(q.expr) {
			return ""
		}
		return "vector(0) turns an empty answer into a load of zero"
	})
	for _, q := range w.queries {
		// Without requests there is no latency, and as an error that would hold the fleet all night.
		if q.trigger == nil || q.kind() == latency {
			continue
		}
		if f := q.trigger.meta("ignoreNullValues"); !f.set() || f.v != "false" {
			hits = append(hits, hit{
				place: q.scaler.at(firstNode(f.node, q.trigger.Type.node)),
				what:  "an empty answer of Prometheus counts as a load of zero: ignoreNullValues is " + f.or("true, its default"),
			})
		}
	}
	return hits
}

// orZero reports whether an `or` replaces what is missing by zeros.
func orZero(expr parser.Expr) bool {
	found := false
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		b, ok := node.(*parser.BinaryExpr)
		if !ok || b.Op != parser.LOR {
			return nil
		}
		call, ok := unparen(b.RHS).(*parser.Call)
		found = found || ok && call.Func.Name == "vector" && isNumber(call.Args[0])
		return nil
	})
	return found
}

func noSelector(w *world) []hit {
	return eachSelector(w, func(q *query, s *parser.VectorSelector) string {
		if q.use == useRule || q.use == useMetric || !isEngine(nameOf(s)) || len(matchersOf(s)) > 0 {
			return ""
		}
		return nameOf(s) + " without a matcher is every model of every namespace"
	})
}

func renamedMetric(w *world) []hit {
	var hits []hit
	for _, q := range w.queries {
		for _, s := range q.selectors() {
			r := renamedTo(nameOf(s))
			if r == nil || q.forOld(r) {
				continue
			}
			h := hit{place: q.at(int(s.PosRange.Start)), what: fmt.Sprintf("%s does not exist: %s", nameOf(s), r.since)}
			if r.now != "" {
				h.fix = "Read " + successor(nameOf(s), r) + "; to serve old and new servers join the two with `or`."
			}
			hits = append(hits, h)
		}
	}
	return hits
}

// forOld reports whether an old name is there for old servers: beside its successor, or, where
// it has none, as one side of an `or`.
func (q *query) forOld(r *renaming) bool {
	if r.now != "" {
		return slices.ContainsFunc(q.names(), func(name string) bool { return strings.Contains(name, r.now) })
	}
	found := false
	parser.Inspect(q.expr, func(node parser.Node, _ []parser.Node) error {
		b, ok := node.(*parser.BinaryExpr)
		found = found || ok && b.Op == parser.LOR
		return nil
	})
	return found
}

// successor writes the new name as the old one is written.
func successor(name string, r *renaming) string {
	if strings.Contains(r.now, "(") {
		return r.now
	}
	_, rest, _ := base(name)
	return strings.TrimSuffix(name, rest) + r.now + strings.TrimPrefix(rest, r.old)
}

// changes are functions that look at how a counter grows.
var changes = []string{"rate", "irate", "increase", "resets"}

func rateOfGauge(w *world) []hit {
	var hits []hit
	for _, q := range w.queries {
		if q.expr == nil {
			continue
		}
		parser.Inspect(q.expr, func(node parser.Node, _ []parser.Node) error {
			call, ok := node.(*parser.Call)
			if ok && slices.Contains(changes, call.Func.Name) && readsOnly(call.Args[0], isGauge) {
				what := fmt.Sprintf("%s() of %s, which goes up and down", call.Func.Name, namesIn(call.Args[0])[0])
				hits = append(hits, hit{place: q.at(int(call.PosRange.Start)), what: what})
			}
			return nil
		})
	}
	return hits
}

// counterLevel finds counters whose value is used as it is. Functions like absent() and
// aggregations that count look at something else than the value.
func counterLevel(w *world) []hit {
	var hits []hit
	for _, q := range w.queries {
		if q.expr == nil || !q.scales() {
			continue
		}
		parser.Inspect(q.expr, func(node parser.Node, above []parser.Node) error {
			s, ok := node.(*parser.VectorSelector)
			if ok && isCounter(nameOf(s)) && !slices.ContainsFunc(above, looksElsewhere) {
				what := nameOf(s) + " only grows: its level is no load"
				hits = append(hits, hit{place: q.at(int(s.PosRange.Start)), what: what})
			}
			return nil
		})
	}
	return hits
}

func looksElsewhere(node parser.Node) bool {
	switch n := node.(type) {
	case *parser.Call:
		return slices.Contains(append([]string{
			"delta", "idelta", "deriv", "changes", "predict_linear", "timestamp",
			"absent", "absent_over_time", "count_over_time", "present_over_time",
		}, changes...), n.Func.Name)
	case *parser.AggregateExpr:
		return n.Op == parser.COUNT || n.Op == parser.GROUP
	}
	return false
}

func gpuUtilisation(w *world) []hit {
	return eachSelector(w, func(q *query, s *parser.VectorSelector) string {
		if q.use == useRule || !slices.Contains(gpuMetrics, nameOf(s)) {
			return ""
		}
		return nameOf(s) + " is the share of time in which any kernel ran, near 100 % with one request and with sixty-four"
	})
}

// twinsSummed finds sums over the replicas of infscale, which all recommend for the same
// workload.
func twinsSummed(w *world) []hit {
	var hits []hit
	for _, q := range w.queries {
		if q.expr == nil || !q.scales() {
			continue
		}
		parser.Inspect(q.expr, func(node parser.Node, _ []parser.Node) error {
			a, ok := node.(*parser.AggregateExpr)
			if ok && a.Op == parser.SUM && elements(a.Expr) == many && kindOf(a.Expr) == replicaCount {
				hits = append(hits, hit{place: q.at(int(a.PosRange.Start)), what: "the sum over infscale's own replicas: two of them double the fleet"})
			}
			return nil
		})
	}
	return hits
}

func replicaThreshold(w *world) []hit {
	return eachQuery(w, func(q *query) string {
		// Not a number is another rule's.
		if !q.scales() || q.kind() != replicaCount || q.threshold != q.threshold || q.threshold == 1 {
			return ""
		}
		return fmt.Sprintf("the value is a number of replicas, and a target of %v divides it", q.threshold)
	})
}

// unreachable finds targets that a value cannot exceed: a fraction, or the requests of one
// replica beyond its slots.
func unreachable(w *world) []hit {
	return eachQuery(w, func(q *query) string {
		if !q.scales() {
			return ""
		}
		if readsOnly(q.expr, isRatio) && q.kind() == mean && !scaled(q.expr) && q.threshold >= 1 {
			return fmt.Sprintf("the value is a fraction between 0 and 1 and never exceeds %v", q.threshold)
		}
		slots := 0
		if s := q.scaler; s != nil {
			slots = w.slots(s)
		}
		if slots > 0 && readsOnly(q.expr, isRunning) && q.threshold >= float64(slots) {
			return fmt.Sprintf("a replica runs at most %d requests at once, so %v for each is never exceeded", slots, q.threshold)
		}
		return ""
	})
}

// scaled reports whether an expression multiplies or divides by a number, as in percent.
func scaled(expr parser.Expr) bool {
	found := false
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		b, ok := node.(*parser.BinaryExpr)
		found = found || ok && (isNumber(b.LHS) || isNumber(b.RHS))
		return nil
	})
	return found
}

// waitingOnly finds scalers that see nothing but what waits.
func waitingOnly(w *world) []hit {
	var hits []hit
	for _, s := range w.scalers {
		if len(s.queries) == 0 || s.composed() {
			continue
		}
		only := !slices.ContainsFunc(s.queries, func(q *query) bool {
			return q.expr == nil || !readsOnly(q.expr, isWaiting) || q.kind() == mean
		})
		if only && len(s.triggers("cpu", "memory", "external", "external-push")) == 0 {
			hits = append(hits, hit{place: s.queries[0].start(), what: "the only load that counts is what waits: with an empty queue the answer is the minimum"})
		}
	}
	return hits
}
