package daemon

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// httpSection returns what the documentation says of HTTP.
func httpSection(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../CONFIGURATION.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## HTTP\n")
	if !ok {
		t.Fatal("CONFIGURATION.md has no section HTTP")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return section
}

// fieldsOf lists the JSON names of a type and of all within.
func fieldsOf(t reflect.Type) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return fieldsOf(t.Elem())
	case reflect.Struct:
	default:
		return nil
	}
	var names []string
	for f := range t.Fields() {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
		names = append(names, fieldsOf(f.Type)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestEveryFieldOfTheAPIIsDocumented(t *testing.T) {
	section := httpSection(t)
	fields := fieldsOf(reflect.TypeFor[listing]())
	fields = append(fields, fieldsOf(reflect.TypeFor[refusal]())...)
	if len(fields) < 30 {
		t.Fatalf("got the fields %v, want more", fields)
	}
	for _, name := range fields {
		if !strings.Contains(section, "| `"+name+"` |") {
			t.Errorf("the field %s is not in the tables", name)
		}
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(section, -1) {
		if !slices.Contains(fields, m[1]) {
			t.Errorf("the documented field %s does not exist", m[1])
		}
	}
}

func TestEveryQuantityIsDocumented(t *testing.T) {
	section := httpSection(t)
	for name := range titles {
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("the quantity %s is not documented", name)
		}
	}
}

func TestEveryDocumentedAddressIsAnswered(t *testing.T) {
	b := newBench(t, worldOf(newScripted(), "chat"))
	addresses := regexp.MustCompile("`GET (/[^`]*)`").FindAllStringSubmatch(httpSection(t), -1)
	if len(addresses) < 8 {
		t.Fatalf("got the addresses %v, want more", addresses)
	}
	for _, m := range addresses {
		path := strings.NewReplacer("NAMESPACE", "inference", "NAME", "chat").Replace(m[1])
		if rec := b.ask(t, "GET", path); rec.Code >= 400 && path != "/-/ready" {
			t.Errorf("GET %s: got %d", path, rec.Code)
		}
	}
}
