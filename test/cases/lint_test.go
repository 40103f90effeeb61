package cases

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/deploy/lint"
	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/rules"
)

// linted runs a case of manifests, or of a configuration beside the page of an engine.
func linted(_ *testing.T, in *input, _ map[string]any) (*run, error) {
	if in.FixturePage != nil {
		s, err := translate(in.YAML)
		if err != nil {
			return nil, err
		}
		r := rejected(s)
		if r.rejected != nil {
			r.lint, r.rejected = map[string]string{"config": r.rejected.Error()}, nil
		}
		return r, nil
	}
	manifests, err := whole(in.YAML)
	if err != nil {
		return nil, err
	}
	findings, unreadable := lint.Check([]lint.File{{Name: "case.yaml", Data: manifests}}, lint.Options{})
	r := &run{lint: map[string]string{}}
	for i := range findings {
		r.lint[findings[i].Rule] = findings[i].String()
		r.texts = append(r.texts, findings[i].String())
	}
	return r, errors.Join(unreadable...)
}

// whole makes manifests of parts of some: what every object has and no case is about.
func whole(text string) ([]byte, error) {
	documents, d := []map[string]any{}, yaml.NewDecoder(strings.NewReader(text))
	name := "chat"
	for {
		var m map[string]any
		err := d.Decode(&m)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("the manifest of the case: %w", err)
		}
		if ref, ok := dig(m, "spec", "scaleTargetRef", "name").(string); ok {
			name = ref
		}
		documents = append(documents, m)
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	for _, m := range documents {
		if err := e.Encode(object(m, name)); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), e.Close()
}

// dig returns a value of nested maps.
func dig(v any, path ...string) any {
	for _, key := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[key]
	}
	return v
}

// versions are those of the kinds.
var versions = map[string]string{
	"Deployment": "apps/v1", "StatefulSet": "apps/v1", "ScaledObject": "keda.sh/v1alpha1", "HorizontalPodAutoscaler": "autoscaling/v2",
}

// object completes a manifest, or makes the object of which it is the middle.
func object(m map[string]any, name string) map[string]any {
	target := map[string]any{"apiVersion": "apps/v1", "kind": "Deployment", "name": name}
	switch {
	case m["triggers"] != nil:
		return map[string]any{
			"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "metadata": map[string]any{"name": name},
			"spec": with(m, map[string]any{"scaleTargetRef": map[string]any{"name": name}, "maxReplicaCount": 8}),
		}
	case m["metrics"] != nil:
		return map[string]any{
			"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": map[string]any{"name": name},
			"spec": with(m, map[string]any{"scaleTargetRef": target, "maxReplicas": 8}),
		}
	case m["metadata"] == nil && m["kind"] != nil:
		return with(m, map[string]any{"apiVersion": versions[fmt.Sprint(m["kind"])], "metadata": map[string]any{"name": name}})
	}
	return m
}

// with adds what a map lacks.
func with(m, more map[string]any) map[string]any {
	for key, value := range more {
		if m[key] == nil {
			m[key] = value
		}
	}
	return m
}

// rule judges which rules found something.
func (j *judge) rule(key string, _ []string, want any) {
	list, ok := want.([]any)
	if !ok {
		list = []any{want}
	}
	for _, phrase := range list {
		j.judged++
		names := append(named(lintRules, fmt.Sprint(phrase)), named(dashboardRules, fmt.Sprint(phrase))...)
		found := slices.ContainsFunc(names, func(name string) bool { _, ok := j.run.lint[name]; return ok })
		switch {
		case names == nil:
			j.errorf("%s: no rule of ours for %q", key, phrase)
		case !found:
			j.errorf("%s: got %v, want one of %v", key, j.run.lint, names)
		}
	}
}

// drawn runs a case of dashboards: each fixture in a dashboard that is right otherwise.
func drawn(_ *testing.T, in *input, _ map[string]any) (*run, error) {
	fixtures := in.Fixtures
	if in.Fixture != "" {
		fixtures = append(fixtures, in.Fixture)
	}
	r := &run{lint: map[string]string{}}
	clean := 0
	for _, fixture := range fixtures {
		d, err := dashboardOf(fixture)
		if err != nil {
			return nil, err
		}
		mistakes := dashboards.Check(d, readable)
		if len(mistakes) == 0 {
			clean++
		}
		for _, m := range mistakes {
			r.lint[m.Rule] = m.What
		}
	}
	if clean > 0 { // "for both": one that passes is a failure of the check
		r.lint = nil
	}
	return r, nil
}

// sound is a dashboard without mistakes.
const sound = `{"templating": {"list": [
	{"name": "datasource", "type": "datasource", "query": "prometheus"},
	{"name": "workload", "type": "query", "query": "label_values(infscale_max_replicas, workload)", "datasource": {"uid": "${datasource}"}}
]}, "panels": [{"title": "Desired", "type": "timeseries", "datasource": {"uid": "${datasource}"},
	"targets": [{"expr": "max(infscale_desired_replicas)", "datasource": {"uid": "${datasource}"}}]}]}`

var (
	panelFixture    = regexp.MustCompile(`^panel expr: (.+)$`)
	variableFixture = regexp.MustCompile(`^templating query: "(.+)"$`)
	sourceFixture   = regexp.MustCompile(`^"uid": "([^"]+)"(.*)$`)
)

// dashboardOf puts a fixture into a sound dashboard.
func dashboardOf(fixture string) (*dashboards.Dashboard, error) {
	var d dashboards.Dashboard
	if err := json.Unmarshal([]byte(sound), &d); err != nil {
		return nil, err
	}
	if m := panelFixture.FindStringSubmatch(fixture); m != nil {
		d.Panels[0].Targets[0].Expr = m[1]
		return &d, nil
	}
	if m := variableFixture.FindStringSubmatch(fixture); m != nil {
		d.Templating.List[1].Query = m[1]
		return &d, nil
	}
	if m := sourceFixture.FindStringSubmatch(fixture); m != nil {
		d.Panels[0].Datasource.UID, d.Panels[0].Targets[0].Datasource.UID = m[1], m[1]
		if strings.Contains(m[2], "empty templating.list") {
			d.Templating.List = nil
		}
		return &d, nil
	}
	return nil, fmt.Errorf("nobody can put %q into a dashboard", fixture)
}

var (
	descName   = regexp.MustCompile(`fqName: "([^"]+)"`)
	recordName = regexp.MustCompile(`(?m)^ +- record: (\S+)$`)
)

// readable reports whether infscale exports a metric, or a rule records it.
func readable(name string) bool {
	ch, found := make(chan *prometheus.Desc), false
	go func() {
		export.NewCollector().Describe(ch)
		close(ch)
	}()
	for desc := range ch {
		found = found || descName.FindStringSubmatch(desc.String())[1] == name
	}
	names, _ := fs.Glob(rules.Files, "*.yaml")
	for _, file := range names {
		content, err := rules.Files.ReadFile(file)
		for _, m := range recordName.FindAllStringSubmatch(string(content), -1) {
			found = found || (err == nil && m[1] == name)
		}
	}
	return found || name == "up"
}
