package config

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"
)

// fieldsOf returns the index of the field of each key of a struct, with those of
// inlined structs.
func fieldsOf(t reflect.Type) map[string][]int {
	fields := map[string][]int{}
	eachKey(t, nil, func(key string, index []int) { fields[key] = index })
	return fields
}

// keysOf returns the keys of a struct in the order of its fields.
func keysOf(t reflect.Type) []string {
	var keys []string
	eachKey(t, nil, func(key string, _ []int) { keys = append(keys, key) })
	return keys
}

func eachKey(t reflect.Type, above []int, each func(key string, index []int)) {
	for f := range t.Fields() {
		index := append(slices.Clip(above), f.Index...)
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case !f.IsExported() || key == "-":
		case strings.Contains(options, "inline"):
			if f.Type.Kind() == reflect.Struct {
				eachKey(f.Type, index, each)
			}
		case key != "":
			each(key, index)
		}
	}
}

// parseDuration reads a number with a unit.
func parseDuration(text string) (model.Duration, error) {
	d, err := model.ParseDuration(text)
	switch {
	case err == nil:
		return d, nil
	case strings.HasPrefix(text, "-") && validDuration(text[1:]):
		return 0, fmt.Errorf("must not be negative, got %q", text)
	case strings.Contains(err.Error(), "out of range") || manyDigits.MatchString(text):
		return 0, fmt.Errorf("is too long, must be at most %v, got %q", longest, text)
	case text != "" && strings.Trim(text, "0123456789.") == "":
		return 0, fmt.Errorf("needs a unit, such as %ss, got %q", text, text)
	default:
		return 0, fmt.Errorf("must be a duration such as 90s, 5m or 1h30m, got %q", text)
	}
}

// longest is the longest duration, in whole years.
const longest = model.Duration(292 * 365 * 24 * time.Hour)

// manyDigits is a number that no integer holds.
var manyDigits = regexp.MustCompile(`^[0-9]{20,}(ms|[ywdhms])`)

func validDuration(text string) bool {
	_, err := model.ParseDuration(text)
	return err == nil
}

func durationError(n *yaml.Node, err error) string {
	if n.Kind != yaml.ScalarNode {
		return "must be a duration such as 90s, 5m or 1h30m, got " + describe(n)
	}
	return err.Error()
}

// leafError says what a value must be in words of the file.
func leafError(n *yaml.Node, t reflect.Type, err error) string {
	if parse, ok := errors.AsType[*url.Error](err); ok {
		return "not a URL: " + doubleQuoted.ReplaceAllString(parse.Err.Error(), "") // there may be a password in any part
	}
	typed, ok := errors.AsType[*yaml.TypeError](err)
	if !ok {
		return withoutValues(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 && (n.Value == "true" || n.Value == "false") {
			return fmt.Sprintf("is quoted, must be true or false, got %q", n.Value)
		}
		return "must be true or false, got " + describe(n)
	case reflect.String:
		return "must be text, got " + describe(n)
	default:
		// The value may hold a secret: it is not shown.
		if n.Kind == yaml.ScalarNode {
			return "must be a mapping, got text"
		}
		return withoutValues(strings.Join(typed.Errors, "; "))
	}
}

// How errors show a value or a tag of one's own.
var (
	quoted       = regexp.MustCompile(" `[^`]*`")
	anchorName   = regexp.MustCompile("unknown anchor '.*' referenced")
	ownTag       = regexp.MustCompile(` ![^! ][^ ]*`)
	doubleQuoted = regexp.MustCompile(` "(?:[^"\\]|\\.)*"`)
)

// withoutValues returns the text of an error of the YAML library without what the file says.
func withoutValues(text string) string {
	text = anchorName.ReplaceAllString(text, "unknown anchor, or text that begins with * and is not quoted")
	return ownTag.ReplaceAllString(quoted.ReplaceAllString(text, ""), " a tag")
}

// Hushed returns an error of any YAML file with secrets, without what the file says.
func Hushed(err error) error {
	if err == nil || withoutValues(err.Error()) == err.Error() {
		return err
	}
	return errors.New(withoutValues(err.Error()))
}

// describe says what a node is.
func describe(n *yaml.Node) string {
	switch n = target(n); n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	default:
		return fmt.Sprintf("%q", n.Value)
	}
}
