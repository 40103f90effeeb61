package config

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Numbers are decimal. YAML has others, and reads 010 as 8.
var (
	wholeNumber   = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	decimalNumber = regexp.MustCompile(`^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
)

// numberError returns what is wrong with a node that must be a number, where t is one.
func numberError(n *yaml.Node, t reflect.Type) string {
	n = target(n)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		return intError(n, t.Bits())
	case reflect.Float64:
		return floatError(n)
	default:
		return ""
	}
}

func intError(n *yaml.Node, bits int) string {
	switch {
	case n.Kind != yaml.ScalarNode || !wholeNumber.MatchString(n.Value):
		return "must be a whole number, got " + describe(n)
	case n.Tag == "!!str":
		return fmt.Sprintf("is quoted, must be a whole number, got %q", n.Value)
	}
	if _, err := strconv.ParseInt(n.Value, 10, bits); err != nil {
		most := int64(math.MaxInt64 >> (64 - bits))
		if n.Value[0] == '-' {
			return fmt.Sprintf("is too small, must be at least %d, got %s", -most-1, n.Value)
		}
		return fmt.Sprintf("is too large, must be at most %d, got %s", most, n.Value)
	}
	return ""
}

func floatError(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!float" {
		if v := math.NaN(); n.Decode(&v) == nil && (math.IsInf(v, 0) || math.IsNaN(v)) {
			return "must be finite, got " + n.Value
		}
	}
	switch {
	case n.Kind != yaml.ScalarNode || !decimalNumber.MatchString(n.Value):
		return "must be a number, got " + describe(n)
	case n.Tag == "!!str" && n.Style != 0:
		return fmt.Sprintf("is quoted, must be a number, got %q", n.Value)
	case n.Tag == "!!str":
		return "must be finite, got " + n.Value // 1e999, which is text to YAML
	}
	return ""
}
