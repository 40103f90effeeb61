package alerts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/rulefmt"
	"go.yaml.in/yaml/v3"
)

// A testFile is what this package reads of a file of promtool.
type testFile struct {
	RuleFiles          []string       `yaml:"rule_files"`
	EvaluationInterval model.Duration `yaml:"evaluation_interval"`
	Tests              []testGroup    `yaml:"tests"`
}

// A testGroup is one scenario: series, and what is expected at some instants.
type testGroup struct {
	Name   string      `yaml:"name"`
	Series []yaml.Node `yaml:"input_series"`
	Alerts []alertTest `yaml:"alert_rule_test"`
}

type alertTest struct {
	Alert string `yaml:"alertname"`
	// At is a duration, since the start of the series.
	At       model.Duration `yaml:"eval_time"`
	Expected []struct {
		Labels      map[string]string `yaml:"exp_labels"`
		Annotations map[string]string `yaml:"exp_annotations"`
	} `yaml:"exp_alerts"`
}

func (a *alertTest) fires() bool { return len(a.Expected) > 0 }

// read returns the promtool tests of an alert file.
func read(t *testing.T, file string) *testFile {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("tests", strings.Replace(file, ".rules.", ".test.", 1)))
	if err != nil {
		t.Fatal(err)
	}
	var f testFile
	if err := yaml.Unmarshal(content, &f); err != nil {
		t.Fatal(err)
	}
	return &f
}

// scenario returns the evaluations of an alert in the group of that name, in order.
func (f *testFile) scenario(t *testing.T, alert, kind string) (*testGroup, []alertTest) {
	t.Helper()
	for i := range f.Tests {
		g := &f.Tests[i]
		if g.Name != alert+": "+kind {
			continue
		}
		for _, a := range g.Alerts {
			if a.Alert != alert {
				t.Errorf("%s: got an evaluation of %s", g.Name, a.Alert)
			}
		}
		if len(g.Alerts) > 0 {
			return g, g.Alerts
		}
	}
	t.Errorf("got no test %q", alert+": "+kind)
	return &testGroup{}, []alertTest{{}}
}

// promtool says whether the tests hold; this says that none is missing. By their names: fires,
// silent before for, silent when healthy, no data, resolves.
func TestEveryAlertHasTheFivePromtoolTests(t *testing.T) {
	var alerts, scenarios int
	files := map[string]bool{}
	each(t, func(t *testing.T, file string, a rulefmt.Rule) {
		f := read(t, file)
		alerts++
		if !files[file] {
			files[file] = true
			scenarios += len(f.Tests)
		}
		firing := checkFiring(t, f, a)
		checkBefore(t, f, a, firing)
		for _, kind := range []string{"silent when healthy", "no data"} {
			group, evaluations := f.scenario(t, a.Alert, kind)
			last := evaluations[len(evaluations)-1]
			if kind == "silent when healthy" && last.fires() {
				t.Errorf("%s: got an alert", group.Name)
			}
			// Silence that is shorter than `for` shows nothing.
			if last.At < a.For {
				t.Errorf("%s: got it looked at after %s, want at least %s", group.Name, last.At, a.For)
			}
			if len(group.Series) == 0 {
				t.Errorf("%s: got no series", group.Name)
			}
		}
		checkResolving(t, f, a)
	})
	t.Logf("%d alerts, each with 5 promtool tests: %d; with the others %d scenarios in %d files",
		alerts, 5*alerts, scenarios, len(files))
}

// checkFiring returns when the alert fires. Not before `for` is over, and with everything in it
// that a receiver is shown.
func checkFiring(t *testing.T, f *testFile, a rulefmt.Rule) time.Duration {
	t.Helper()
	group, evaluations := f.scenario(t, a.Alert, "fires")
	first := evaluations[0]
	if !first.fires() || first.At < a.For {
		t.Errorf("%s: got firing %t at %s, want it to fire once %s are over", group.Name, first.fires(), first.At, a.For)
		return 0
	}
	for name := range a.Labels {
		if first.Expected[0].Labels[name] == "" {
			t.Errorf("%s: got no label %s expected", group.Name, name)
		}
	}
	for name := range a.Annotations {
		if got := first.Expected[0].Annotations[name]; got == "" || strings.Contains(got, "<no value>") {
			t.Errorf("%s: got annotation %s expected to be %q", group.Name, name, got)
		}
	}
	return time.Duration(first.At)
}

// checkBefore wants silence one evaluation before, on the same series.
func checkBefore(t *testing.T, f *testFile, a rulefmt.Rule, firing time.Duration) {
	t.Helper()
	bad, _ := f.scenario(t, a.Alert, "fires")
	group, evaluations := f.scenario(t, a.Alert, "silent before for")
	if evaluations[0].fires() {
		t.Errorf("%s: got an alert", group.Name)
	}
	if got, want := time.Duration(evaluations[0].At), firing-time.Duration(f.EvaluationInterval); got != want {
		t.Errorf("%s: got it looked at after %s, want %s, one step before it fires", group.Name, got, want)
	}
	if len(group.Series) != len(bad.Series) {
		t.Fatalf("%s: got %d series, want the %d that fire", group.Name, len(group.Series), len(bad.Series))
	}
	for i := range group.Series {
		if group.Series[i].Line != bad.Series[i].Line {
			t.Errorf("%s: got other series than those that fire", group.Name)
		}
	}
}

// checkResolving wants an alert, and none later.
func checkResolving(t *testing.T, f *testFile, a rulefmt.Rule) {
	t.Helper()
	group, evaluations := f.scenario(t, a.Alert, "resolves")
	if len(evaluations) < 2 {
		t.Errorf("%s: got %d evaluations, want it firing and then silent", group.Name, len(evaluations))
		return
	}
	first, last := evaluations[0], evaluations[len(evaluations)-1]
	if !first.fires() || last.fires() || last.At <= first.At {
		t.Errorf("%s: got firing %t at %s and %t at %s, want it firing and later silent",
			group.Name, first.fires(), first.At, last.fires(), last.At)
	}
}

// What the tests load has to be what is shipped.
func TestPromtoolTestsLoadTheirRules(t *testing.T) {
	each(t, func(t *testing.T, file string, _ rulefmt.Rule) {
		var found bool
		for _, name := range read(t, file).RuleFiles {
			if _, err := os.Stat(filepath.Join("tests", name)); err != nil {
				t.Error(err)
			}
			found = found || filepath.Base(name) == file
		}
		if !found {
			t.Errorf("got tests of %s that do not load it", file)
		}
	})
}
