package lint

import (
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A field is a value of a manifest that knows where it stands, and whether it does.
type field[T any] struct {
	v    T
	node *yaml.Node // nil if absent or null
}

// UnmarshalYAML keeps the node beside the value.
func (f *field[T]) UnmarshalYAML(n *yaml.Node) error {
	f.node = n
	return n.Decode(&f.v)
}

func (f *field[T]) set() bool { return f.node != nil }

// or returns the value, or what an absent one means.
func (f *field[T]) or(absent T) T {
	if f.set() {
		return f.v
	}
	return absent
}

// inner is the type of the value, for those who walk types.
func (f *field[T]) inner() reflect.Type { return reflect.TypeFor[T]() }

// decode fills v from a node as far as that goes, and returns what did not fit: fields of
// another type and, as the API server would, fields that do not exist.
func decode(src *source, n *yaml.Node, v any, strict bool) []hit {
	var hits []hit
	if err := n.Decode(v); err != nil {
		hits = append(hits, hit{place: src.at(n), what: "the manifest has values of the wrong type: " + plainTypes(err)})
	}
	if strict {
		hits = append(hits, unknownFields(src, n, reflect.TypeOf(v).Elem(), "")...)
	}
	return hits
}

func plainTypes(err error) string {
	text := strings.TrimPrefix(plain(err).Error(), "unmarshal errors:\n")
	return strings.Join(strings.Fields(strings.ReplaceAll(text, "\n", ";")), " ")
}

// unknownFields walks a node beside the type that it is decoded into.
func unknownFields(src *source, n *yaml.Node, t reflect.Type, path string) []hit {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if f, ok := reflect.TypeAssert[interface{ inner() reflect.Type }](reflect.New(t)); ok {
		t = f.inner()
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Slice && n.Kind == yaml.SequenceNode:
		var hits []hit
		for i, item := range n.Content {
			hits = append(hits, unknownFields(src, item, t.Elem(), fmt.Sprintf("%s[%d]", path, i))...)
		}
		return hits
	case t.Kind() == reflect.Struct && n.Kind == yaml.MappingNode:
		return unknownKeys(src, n, t, path)
	}
	return nil
}

func unknownKeys(src *source, n *yaml.Node, t reflect.Type, path string) []hit {
	types := map[string]reflect.Type{}
	open := keys(t, types)
	var hits []hit
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		at := strings.TrimPrefix(path+"."+key.Value, ".")
		switch of, ok := types[key.Value]; {
		case ok:
			hits = append(hits, unknownFields(src, n.Content[i+1], of, at)...)
		case !open && key.Value != "<<":
			hits = append(hits, hit{place: src.at(key), what: "there is no field " + at})
		}
	}
	return hits
}

// keys collects the types of the keys of a struct, with those of inlined structs. A struct
// with a blank field of type open has more than are listed here.
func keys(t reflect.Type, into map[string]reflect.Type) (open bool) {
	for f := range t.Fields() {
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case f.Type == reflect.TypeFor[openStruct]():
			open = true
		case strings.Contains(options, "inline"):
			open = keys(f.Type, into) || open
		case key != "" && key != "-":
			into[key] = f.Type
		}
	}
	return open
}

// An openStruct marks a struct that lists only the keys that are looked at.
type openStruct struct{}
