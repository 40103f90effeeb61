package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/promapi"
)

// promQL takes no experimental functions, since not every server has them.
var promQL = parser.NewParser(parser.Options{})

// CheckQuery returns what is wrong with a query that must give the load of a
// workload as one number.
func CheckQuery(text string) error {
	if strings.TrimSpace(text) == "" {
		return errors.New("must be set for a query")
	}
	expr, err := promQL.ParseExpr(text)
	if err != nil {
		return err
	}
	if t := expr.Type(); t != parser.ValueTypeVector && t != parser.ValueTypeScalar {
		return fmt.Errorf("must give one number now, got a %s", parser.DocumentedType(t))
	}
	if name := counterLevel(expr); name != "" {
		return fmt.Errorf("%s is a counter, which only grows: its level is not a load, use rate(%s[5m])", name, name)
	}
	return checkNames(expr)
}

// checkHeldQuery returns what is wrong with a query of held requests. To leave zero it
// must see them while there is no pod.
func checkHeldQuery(text string, minReplicas int32) error {
	if err := CheckQuery(text); err != nil || minReplicas > 0 {
		return err
	}
	expr, err := promQL.ParseExpr(text)
	if err != nil {
		return err
	}
	if name := engineMetric(expr); name != "" {
		return fmt.Errorf("cannot scale from zero: %s comes from the pods and ends with them; "+
			"count requests where they wait in front of the pods", name)
	}
	return nil
}

// checkNames refuses names that an engine does not have where another name of it
// was meant: they would never have a value.
func checkNames(expr parser.Expr) error {
	var wrong error
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok && wrong == nil {
			name := metricName(selector)
			if meant, ok := meantName(name); ok {
				wrong = fmt.Errorf("%s does not exist, did you mean %s?", name, meant)
			}
		}
		return nil
	})
	return wrong
}

// checkMatchers returns what is wrong with matchers that go into every selector.
func checkMatchers(text string) error {
	matchers, err := promapi.ParseMatchers(text)
	if err != nil {
		return err
	}
	for _, m := range matchers {
		if m.Name == model.MetricNameLabel {
			return fmt.Errorf("must not choose a metric, got %s", m)
		}
	}
	return nil
}

// counterLevel returns the name of a counter whose value is used as it is.
func counterLevel(expr parser.Expr) string {
	var found string
	parser.Inspect(expr, func(node parser.Node, above []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok || found != "" || slices.ContainsFunc(above, takesChange) || onlyFilters(node, above) {
			return nil
		}
		if name := metricName(selector); isCounter(name) {
			found = name
		}
		return nil
	})
	return found
}

// metricName returns the name that a selector asks for, if it asks for one.
func metricName(s *parser.VectorSelector) string {
	for _, m := range s.LabelMatchers {
		if m.Name == model.MetricNameLabel && m.Type == labels.MatchEqual {
			return m.Value
		}
	}
	return s.Name
}

// isCounter reports whether a metric is a counter by its name. The add-on for HTTP
// of KEDA once had a gauge that is named like one.
func isCounter(name string) bool {
	switch name {
	case "interceptor_pending_request_count", "vllm:healthy_pods_total":
		return false
	}
	// A colon in a recorded name separates what was done to it: requests_total:rate5m.
	return slices.ContainsFunc([]string{"_total", "_count", "_sum", "_bucket"}, func(suffix string) bool {
		return strings.HasSuffix(name, suffix)
	})
}

// changes are functions that look at how a counter changes, or only whether it is there.
var changes = []string{
	"rate", "irate", "increase", "delta", "idelta", "deriv", "resets", "changes", "predict_linear",
	"absent", "absent_over_time", "count_over_time", "present_over_time", "timestamp",
}

// takesChange reports whether what is below a node is not used as a level.
func takesChange(node parser.Node) bool {
	switch n := node.(type) {
	case *parser.Call:
		return slices.Contains(changes, n.Func.Name)
	case *parser.AggregateExpr:
		return n.Op == parser.COUNT || n.Op == parser.GROUP
	}
	return false
}

// onlyFilters reports whether a node is on the side of an operator that selects
// series and gives no values.
func onlyFilters(node parser.Node, above []parser.Node) bool {
	for _, over := range slices.Backward(above) {
		if b, ok := over.(*parser.BinaryExpr); ok && b.RHS == node && (b.Op == parser.LAND || b.Op == parser.LUNLESS) {
			return true
		}
		node = over
	}
	return false
}
