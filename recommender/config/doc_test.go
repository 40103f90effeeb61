package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/recommender"
)

// A section of CONFIGURATION.md is a heading with its YAML blocks.
type section struct {
	title     string
	reference []string // lines of placeholders
	examples  []string
}

// sections reads CONFIGURATION.md.
func sections(t *testing.T) []section {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "CONFIGURATION.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	var list []section
	for part := range strings.SplitSeq(string(data), "\n## ") {
		title, _, _ := strings.Cut(part, "\n")
		s := section{title: strings.Trim(title, "`<>")}
		for _, block := range blocks.FindAllStringSubmatch(part, -1) {
			if placeholder.MatchString(block[1]) {
				s.reference = append(s.reference, strings.Split(block[1], "\n")...)
			} else {
				s.examples = append(s.examples, block[1])
			}
		}
		list = append(list, s)
	}
	return list
}

var (
	placeholder  = regexp.MustCompile(`(?m)^(\[ )?\w+:.*<\w+>|^\w+:\n  - <`)
	documented   = regexp.MustCompile(`^(\[ )?(\w+):`)
	defaultValue = regexp.MustCompile(`\| default = (.*) \]$`)
)

// documentedTypes are the sections and the values with the defaults that they describe.
func documentedTypes() map[string]any {
	file := Default()
	return map[string]any{
		"The file": file, "prometheus": file.Prometheus, "labels": file.Labels, "workload": file.Defaults,
		"replicas": file.Defaults.Replicas, "signal": Signal{}, "tolerance": file.Defaults.Tolerance,
		"scale_up": file.Defaults.ScaleUp, "scale_down": file.Defaults.ScaleDown, "rate_policy": RatePolicy{},
		"gate": Gate{}, "schedule": Schedule{}, "held": Held{}, "slo": SLO{},
		"replica_model": ReplicaModel{},
	}
}

func TestEveryKeyIsDocumented(t *testing.T) {
	left := documentedTypes()
	for _, s := range sections(t) {
		value, ok := left[s.title]
		if !ok {
			if len(s.reference) > 0 {
				t.Errorf("%s: got keys of an unknown type", s.title)
			}
			continue
		}
		delete(left, s.title)
		v := reflect.ValueOf(value)
		fields := fieldsOf(v.Type())
		var keys []string
		for _, line := range s.reference {
			match := documented.FindStringSubmatch(line)
			if match == nil {
				continue
			}
			key := match[2]
			keys = append(keys, key)
			if index, ok := fields[key]; ok {
				checkDefault(t, s.title+"."+key, line, v.FieldByIndex(index))
			}
		}
		want := keysOf(v.Type())
		slices.Sort(keys)
		slices.Sort(want)
		if !slices.Equal(keys, want) {
			t.Errorf("%s: got documented keys\n%v, want\n%v", s.title, keys, want)
		}
	}
	for title := range left {
		t.Errorf("got no section for %s", title)
	}
}

// checkDefault compares the default in a line with the one in the code.
func checkDefault(t *testing.T, path, line string, v reflect.Value) {
	t.Helper()
	match := defaultValue.FindStringSubmatch(line)
	if match == nil {
		if !v.IsZero() && !transparent(v.Type()) {
			t.Errorf("%s: got no documented default, want %v", path, v)
		}
		return
	}
	if got, want := normal(t, match[1]), normal(t, v.Interface()); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got documented default %v, want %v", path, got, want)
	}
}

// normal turns a value, or the text of one, into what YAML makes of it.
func normal(t *testing.T, value any) any {
	t.Helper()
	text, isText := value.(string)
	if !isText {
		data, err := yaml.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		text = string(data)
	}
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestExamplesOfTheDocumentation reads every example. One that is not a file of
// its own is put into the smallest file, at its place.
func TestExamplesOfTheDocumentation(t *testing.T) {
	count := 0
	for _, s := range sections(t) {
		for _, example := range s.examples {
			count++
			var file, part map[string]any
			if err := yaml.Unmarshal([]byte(smallest), &file); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal([]byte(example), &part); err != nil {
				t.Errorf("%s: got %v in\n%s", s.title, err, example)
				continue
			}
			workload := file["workloads"].([]any)[0].(map[string]any)
			for key, value := range part {
				if slices.Contains(keysOf(reflect.TypeFor[Config]()), key) {
					file[key] = value
				} else {
					workload[key] = value
				}
			}
			text, err := yaml.Marshal(file)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Parse(text, "example"); err != nil {
				t.Errorf("%s: got %v from\n%s", s.title, err, example)
			}
		}
	}
	if count < 10 {
		t.Errorf("got %d examples, want one for most sections", count)
	}
}

func TestEveryMetricIsDocumented(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "CONFIGURATION.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(data), "| metric | unit of target |")
	if !found {
		t.Fatal("got no table of metrics")
	}
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)`.*\\|$").FindAllStringSubmatch(table, -1) {
		got = append(got, row[1])
	}
	var want []string
	for _, m := range recommender.Metrics {
		want = append(want, string(m))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got rows for %v, want %v", got, want)
	}
}
