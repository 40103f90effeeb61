package config

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/recommender"
)

// A decoder fills values from YAML nodes. It does by itself what the decoder of
// the library does up to the values without keys, because that one has no paths,
// stops at the first error of a type of its own, and does not say what was meant.
type decoder struct{ *mistakes }

// config decodes the file: the defaults before the workloads, whatever their order.
func (d decoder) config(root *yaml.Node, c *Config) {
	if root == nil {
		return
	}
	d.lines[""] = root.Line
	var workloads *yaml.Node
	d.mapping("", root, reflect.ValueOf(c).Elem(), func(path string, n *yaml.Node) bool {
		if path == "workloads" {
			workloads = n
		}
		return path == "workloads"
	})
	if workloads == nil {
		return
	}
	d.list("workloads", workloads, func(path string, n *yaml.Node) {
		entry := c.Defaults
		d.value(path, n, reflect.ValueOf(&entry).Elem())
		c.Entries = append(c.Entries, entry)
		d.names = append(d.names, entry.Name)
	})
}

// value decodes any node.
func (d decoder) value(path string, n *yaml.Node, v reflect.Value) {
	n = target(n)
	switch t := v.Type(); {
	case n.Tag == "!!null":
		d.blank[path] = true
	case t == reflect.TypeFor[ReplicaModel]() && n.Kind == yaml.ScalarNode:
		d.preset(path, n, v)
	case transparent(t):
		d.mapping(path, n, v, nil)
	case t.Kind() == reflect.Slice && transparent(t.Elem()):
		v.SetZero()
		d.list(path, n, func(path string, n *yaml.Node) {
			item := reflect.New(t.Elem()).Elem()
			d.value(path, n, item)
			v.Set(reflect.Append(v, item))
		})
	default:
		d.leaf(path, n, v)
	}
}

// target returns what an alias stands for.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

// list calls item for each item of a sequence.
func (d decoder) list(path string, n *yaml.Node, item func(path string, n *yaml.Node)) {
	if n = target(n); n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.SequenceNode {
		d.add(path, "must be a list, got %s", describe(n))
		return
	}
	for i, n := range n.Content {
		path := fmt.Sprintf("%s[%d]", path, i)
		d.lines[path] = n.Line
		item(path, n)
	}
}

// mapping fills the fields of a struct. It leaves alone the keys that skip takes.
func (d decoder) mapping(path string, n *yaml.Node, v reflect.Value, skip func(path string, n *yaml.Node) bool) {
	if n.Kind != yaml.MappingNode {
		d.add(path, "must be a mapping of keys to values, got %s", describe(n))
		return
	}
	fields := fieldsOf(v.Type())
	d.keys(path, n, keysOf(v.Type()), func(at, key string, n *yaml.Node) {
		if skip == nil || !skip(at, n) {
			d.value(at, n, v.FieldByIndex(fields[key]))
		}
	})
}

// keys calls each for the known keys of a mapping and notes the others.
func (d decoder) keys(path string, n *yaml.Node, known []string, each func(at, key string, n *yaml.Node)) {
	seen := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		k, value := n.Content[i], n.Content[i+1]
		if k.Tag == "!!merge" {
			d.merge(path, value, n, known, each)
			continue
		}
		at := strings.TrimPrefix(path+"."+k.Value, ".")
		first, twice := seen[k.Value]
		seen[k.Value] = k.Line
		d.lines[at] = k.Line
		switch {
		case twice:
			d.add(at, "is given twice, first on line %d", first)
		case !slices.Contains(known, k.Value):
			d.unknown(path, k.Value, value, known)
		default:
			each(at, k.Value, value)
		}
	}
}

// merge handles <<: what it brings gives way to what is written in the mapping.
func (d decoder) merge(path string, from, into *yaml.Node, known []string, each func(at, key string, n *yaml.Node)) {
	from = target(from)
	if from.Kind != yaml.MappingNode {
		d.add(strings.TrimPrefix(path+".<<", "."), "must be one mapping, got %s", describe(from))
		return
	}
	for i := 0; i < len(from.Content); i += 2 {
		key := from.Content[i].Value
		if !has(into, key) && slices.Contains(known, key) {
			at := strings.TrimPrefix(path+"."+key, ".")
			d.lines[at] = from.Content[i].Line
			each(at, key, from.Content[i+1])
		}
	}
}

// has reports whether a mapping has a key written in it.
func has(n *yaml.Node, key string) bool {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return true
		}
	}
	return false
}

// unknown notes a key that does not exist, with the one that was meant. A key that is like
// no other may be a secret that slipped: behind an equals sign, or alone after a comma.
func (d decoder) unknown(path, key string, value *yaml.Node, known []string) {
	at := strings.TrimPrefix(path+"."+key, ".")
	meant, ok := elsewhere[key]
	if !ok {
		meant, ok = recommender.Nearest(key, known)
	}
	if ok {
		d.add(at, "unknown key, did you mean %s?", meant)
		d.known[strings.TrimPrefix(path+"."+meant, ".")] = true
		return
	}
	most := strings.Join(known, ", ")
	name := keyName.FindString(key)
	switch {
	case path != "" && value.Tag == "!!null" && value.Value == "":
		d.lines[path] = cmp.Or(d.lines[path], value.Line)
		d.add(path, "unknown key without a value, must be one of %s", most)
	case name != key:
		d.lines[at[:len(at)-len(key)+len(name)]] = d.lines[at]
		d.add(at[:len(at)-len(key)+len(name)], "unknown key, want a colon behind a key, and one of %s", most)
	default:
		d.add(at, "unknown key, must be one of %s", most)
	}
}

// keyName is what keys are made of.
var keyName = regexp.MustCompile(`^[A-Za-z0-9_./-]*`)

// elsewhere are keys that mean the same in an HPA or a KEDA ScaledObject.
var elsewhere = map[string]string{
	"minReplicas": "replicas.min", "maxReplicas": "replicas.max",
	"minReplicaCount": "replicas.min", "maxReplicaCount": "replicas.max",
	"min_replicas": "replicas.min", "max_replicas": "replicas.max",
	"pollingInterval": "interval", "cooldownPeriod": "cooldown", "metrics": "signals", "triggers": "signals",
	"scaleUp": "scale_up", "scaleDown": "scale_down", "selectPolicy": "select",
	"stabilizationWindowSeconds": "window", "periodSeconds": "period", "threshold": "target",
	"desiredReplicas": "min", "serverAddress": "url", "cron": "schedules",
}

// leaf decodes a value without keys of ours.
func (d decoder) leaf(path string, n *yaml.Node, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		v.SetZero() // what it points to may be that of the defaults
	}
	if v.Type() == reflect.TypeFor[*model.Duration]() {
		v.Set(reflect.ValueOf(new(model.Duration)))
		v = v.Elem()
	}
	if duration, ok := reflect.TypeAssert[*model.Duration](v.Addr()); ok {
		parsed, err := parseDuration(n.Value)
		if err != nil || n.Kind != yaml.ScalarNode {
			d.add(path, "%s", durationError(n, err))
			return
		}
		*duration = parsed
		return
	}
	if text := numberError(n, v.Type()); text != "" {
		d.add(path, "%s", text)
		return
	}
	d.foreign(path, n, v.Type())
	if err := n.Decode(v.Addr().Interface()); err != nil {
		d.add(path, "%s", leafError(n, v.Type(), err))
	}
}

// foreign notes unknown keys inside types of other packages.
func (d decoder) foreign(path string, n *yaml.Node, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	n = target(n)
	if n.Kind != yaml.MappingNode || t.Kind() != reflect.Struct {
		return
	}
	known := keysOf(t)
	if len(known) == 0 {
		return
	}
	fields := fieldsOf(t)
	d.keys(path, n, known, func(at, key string, n *yaml.Node) {
		d.foreign(at, n, t.FieldByIndex(fields[key]).Type)
	})
}

// transparent reports whether the decoder looks into a struct by itself.
func transparent(t reflect.Type) bool {
	own := t.PkgPath() == reflect.TypeFor[Config]().PkgPath()
	return own && t.Kind() == reflect.Struct && t != reflect.TypeFor[Lookahead]()
}
