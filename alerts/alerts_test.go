package alerts_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/alerts"
)

const runbooks = "https://github.com/infscale/infscale/blob/main/alerts/runbooks/"

// each calls check with every alert of every embedded file. Prometheus' own loader has
// checked them: strict YAML, parsed expressions, templates that expand.
func each(t *testing.T, check func(t *testing.T, file string, a rulefmt.Rule)) {
	t.Helper()
	names, err := fs.Glob(alerts.Files, "*")
	if err != nil || len(names) == 0 {
		t.Fatalf("got alert files %v and error %v, want some", names, err)
	}
	for _, name := range names {
		content, err := alerts.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		groups, errs := rulefmt.Parse(content, false, model.LegacyValidation,
			parser.NewParser(parser.Options{}), promslog.NewNopLogger())
		if len(errs) > 0 {
			t.Fatalf("%s: %v", name, errs)
		}
		for _, g := range groups.Groups {
			for _, r := range g.Rules {
				t.Run(r.Alert, func(t *testing.T) { check(t, name, r) })
			}
		}
	}
}

func TestAlertsFollowTheConventions(t *testing.T) {
	each(t, func(t *testing.T, _ string, a rulefmt.Rule) {
		if !strings.HasPrefix(a.Alert, "Infscale") {
			t.Errorf("got name %q, want the common first word Infscale", a.Alert)
		}
		if a.For == 0 {
			t.Error("got no `for`: one bad scrape would page")
		}
		if s := a.Labels["severity"]; !slices.Contains([]string{"critical", "warning", "info"}, s) {
			t.Errorf("got severity %q, want critical, warning or info", s)
		}
		summary := a.Annotations["summary"]
		if !strings.HasSuffix(summary, ".") || strings.Contains(summary, "{{") {
			t.Errorf("got summary %q, want one static sentence", summary)
		}
		if a.Annotations["description"] == "" {
			t.Error("got no description")
		}
	})
}

func TestEveryAlertHasItsRunbook(t *testing.T) {
	each(t, func(t *testing.T, _ string, a rulefmt.Rule) {
		if got, want := a.Annotations["runbook_url"], runbooks+a.Alert+".md"; got != want {
			t.Errorf("got runbook_url %q, want %q", got, want)
		}
		page, err := alerts.Runbooks.ReadFile("runbooks/" + a.Alert + ".md")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(page), "# "+a.Alert+"\n") {
			t.Errorf("got a runbook that does not start with # %s", a.Alert)
		}
		for _, section := range []string{"Meaning", "Impact", "Diagnosis", "Mitigation"} {
			if !strings.Contains(string(page), "\n## "+section+"\n") {
				t.Errorf("got no section %s in the runbook", section)
			}
		}
	})
}

func TestEveryRunbookHasItsAlert(t *testing.T) {
	var known []string
	each(t, func(_ *testing.T, _ string, a rulefmt.Rule) {
		known = append(known, "runbooks/"+a.Alert+".md")
	})
	pages, err := fs.Glob(alerts.Runbooks, "runbooks/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if !slices.Contains(known, page) {
			t.Errorf("got %s, which no alert links", page)
		}
	}
}

// promtool runs the unit tests; this one sees that no alert is without: one evaluation that
// expects nothing, and one that expects the alert.
func TestEveryAlertHasAUnitTest(t *testing.T) {
	each(t, func(t *testing.T, file string, a rulefmt.Rule) {
		name := filepath.Join("tests", strings.Replace(file, ".rules.", ".test.", 1))
		tests, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(tests), "- alertname: "+a.Alert+"\n"); n < 3 {
			t.Errorf("got %d evaluations of %s in %s, want it silent before `for`, firing, and silent when healthy", n, a.Alert, name)
		}
	})
}
