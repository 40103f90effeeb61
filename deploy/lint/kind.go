package lint

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/promql/parser"
)

// A kind is what a number measures, which decides how it may become replicas.
type kind int

const (
	unknown kind = iota
	// total adds up over replicas: twice the load, twice the number.
	total
	// mean is per replica already: twice the replicas, half the number.
	mean
	// latency is neither: it tells that there are too few, not how many are missing.
	latency
	// replicaCount is a number of replicas.
	replicaCount
)

// kindOf returns what an expression measures.
func kindOf(expr parser.Expr) kind {
	switch e := expr.(type) {
	case *parser.ParenExpr:
		return kindOf(e.Expr)
	case *parser.StepInvariantExpr:
		return kindOf(e.Expr)
	case *parser.VectorSelector:
		return kindOfName(nameOf(e))
	case *parser.AggregateExpr:
		return kindOfAggregate(e)
	case *parser.BinaryExpr:
		return kindOfBinary(e)
	case *parser.Call:
		return kindOfCall(e)
	case *parser.MatrixSelector:
		return kindOf(e.VectorSelector)
	case *parser.SubqueryExpr:
		return kindOf(e.Expr)
	}
	return unknown
}

func kindOfName(name string) kind {
	switch {
	case isReplicas(name):
		return replicaCount
	case isRatio(name) || isGPU(name):
		return mean
	default:
		return unknown
	}
}

func kindOfAggregate(e *parser.AggregateExpr) kind {
	inner := kindOf(e.Expr)
	switch {
	case inner == replicaCount:
		return replicaCount
	case inner == latency:
		return latency
	case e.Op == parser.AVG || e.Op == parser.QUANTILE:
		return mean
	case e.Op == parser.SUM || e.Op == parser.COUNT:
		return total
	case e.Op == parser.MAX || e.Op == parser.MIN:
		if readsOnly(e.Expr, onPods) { // of one replica, so it does not add up
			return mean
		}
		return inner
	}
	return unknown
}

func kindOfBinary(e *parser.BinaryExpr) kind {
	switch {
	case e.Op == parser.LOR || e.Op == parser.LAND || e.Op == parser.LUNLESS:
		return kindOf(e.LHS)
	case isNumber(e.RHS):
		return kindOf(e.LHS)
	case isNumber(e.LHS):
		return kindOf(e.RHS)
	case e.Op == parser.DIV:
		return kindOfQuotient(e)
	case kindOf(e.LHS) == kindOf(e.RHS) && (e.Op == parser.ADD || e.Op == parser.SUB):
		return kindOf(e.LHS)
	}
	return unknown
}

// kindOfQuotient knows the means that are written out: sum over count, and the parts of a
// histogram.
func kindOfQuotient(e *parser.BinaryExpr) kind {
	over, under := namesIn(e.LHS), namesIn(e.RHS)
	if len(over) == 1 && len(under) == 1 {
		whole, ok := strings.CutSuffix(over[0], "_sum")
		if ok && under[0] == whole+"_count" {
			if strings.HasSuffix(whole, "_seconds") {
				return latency
			}
			return mean
		}
	}
	divisor := unparen(e.RHS)
	if a, ok := divisor.(*parser.AggregateExpr); ok && a.Op == parser.COUNT {
		return mean
	}
	if len(under) > 0 && !slices.ContainsFunc(under, func(name string) bool { return !countsReplicas(name) }) {
		return mean
	}
	return unknown
}

// countsReplicas reports whether a metric is a number of replicas, or one for each.
func countsReplicas(name string) bool {
	return name == "up" || isReplicas(name) || strings.HasPrefix(name, "kube_") && strings.Contains(name, "replicas")
}

func kindOfCall(e *parser.Call) kind {
	switch e.Func.Name {
	case "histogram_quantile", "histogram_avg":
		return latency
	case "vector", "scalar", "absent", "time", "absent_over_time":
		return unknown
	case "rate", "irate", "increase":
		return unknown
	}
	for _, arg := range e.Args {
		if t := arg.Type(); t == parser.ValueTypeVector || t == parser.ValueTypeMatrix {
			return kindOf(arg)
		}
	}
	return unknown
}

func unparen(expr parser.Expr) parser.Expr {
	for {
		p, ok := expr.(*parser.ParenExpr)
		if !ok {
			return expr
		}
		expr = p.Expr
	}
}

func isNumber(expr parser.Expr) bool {
	switch e := unparen(expr).(type) {
	case *parser.NumberLiteral:
		return true
	case *parser.UnaryExpr:
		return isNumber(e.Expr)
	case *parser.BinaryExpr:
		return isNumber(e.LHS) && isNumber(e.RHS)
	}
	return false
}

// namesIn lists the metrics of an expression.
func namesIn(expr parser.Expr) []string { return (&query{expr: expr}).names() }

// readsOnly reports whether every metric of an expression, and there is one, is such.
func readsOnly(expr parser.Expr, such func(string) bool) bool {
	names := namesIn(expr)
	return len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool { return !such(name) })
}

// labelled says which labels tell the elements of a result apart: none, so that there is at
// most one, or some.
type labelled int

const (
	single labelled = iota // one element without labels
	pinned                 // one element
	many
)

// elements returns how many elements an expression can have.
func elements(expr parser.Expr) labelled {
	switch e := expr.(type) {
	case *parser.ParenExpr:
		return elements(e.Expr)
	case *parser.StepInvariantExpr:
		return elements(e.Expr)
	case *parser.UnaryExpr:
		return elements(e.Expr)
	case *parser.SubqueryExpr:
		return elements(e.Expr)
	case *parser.NumberLiteral:
		return single
	case *parser.AggregateExpr:
		return elementsOfAggregate(e)
	case *parser.BinaryExpr:
		return elementsOfBinary(e)
	case *parser.Call:
		return elementsOfCall(e)
	}
	return many
}

func elementsOfAggregate(e *parser.AggregateExpr) labelled {
	switch {
	case e.Op == parser.TOPK || e.Op == parser.BOTTOMK:
		if n, ok := unparen(e.Param).(*parser.NumberLiteral); ok && n.Val == 1 && len(e.Grouping) == 0 && !e.Without {
			return pinned
		}
		return many
	case e.Op == parser.COUNT_VALUES || e.Without:
		return many
	case len(e.Grouping) == 0:
		return single
	}
	return elements(e.Expr) // a grouping keeps one element one
}

func elementsOfBinary(e *parser.BinaryExpr) labelled {
	left, right := elements(e.LHS), elements(e.RHS)
	switch {
	case isScalar(e.LHS):
		return right
	case isScalar(e.RHS) || e.Op == parser.LAND || e.Op == parser.LUNLESS:
		return left
	case e.Op == parser.LOR:
		if left == single && right == single {
			return single // of equal labels the left one is kept
		}
		return many
	}
	return min(max(left, right), many)
}

func isScalar(expr parser.Expr) bool { return expr.Type() == parser.ValueTypeScalar }

func elementsOfCall(e *parser.Call) labelled {
	switch e.Func.Name {
	case "vector", "scalar", "time", "absent", "absent_over_time":
		return single
	case "histogram_quantile":
		return elementsOfBuckets(e.Args[1])
	}
	for _, arg := range e.Args {
		if t := arg.Type(); t == parser.ValueTypeVector || t == parser.ValueTypeMatrix {
			return elements(arg)
		}
	}
	return single
}

// elementsOfBuckets looks below the label of the buckets, which a quantile takes away.
func elementsOfBuckets(expr parser.Expr) labelled {
	a, ok := unparen(expr).(*parser.AggregateExpr)
	if ok && !a.Without && (len(a.Grouping) == 0 || slices.Equal(a.Grouping, []string{"le"})) {
		return single
	}
	return elements(expr)
}
