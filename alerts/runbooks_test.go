package alerts_test

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/alerts"
)

const runbooks = "https://github.com/infscale/infscale/blob/main/alerts/runbooks/"

// sections of a runbook, in their order.
var sections = []string{"Meaning", "Impact", "Diagnosis", "Mitigation"}

func TestEveryAlertHasItsRunbook(t *testing.T) {
	each(t, func(t *testing.T, _ string, a rulefmt.Rule) {
		if got, want := a.Annotations["runbook_url"], runbooks+a.Alert+".md"; got != want {
			t.Errorf("got runbook_url %q, want %q", got, want)
		}
		page := runbook(t, a.Alert)
		if !strings.HasPrefix(page, "# "+a.Alert+"\n") {
			t.Errorf("got a runbook that does not start with # %s", a.Alert)
		}
		if got := headings(page); !slices.Equal(got, sections) {
			t.Errorf("got sections %v, want %v", got, sections)
		}
	})
}

func runbook(t *testing.T, alert string) string {
	t.Helper()
	page, err := alerts.Runbooks.ReadFile("runbooks/" + alert + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// headings returns the sections of a page that say something.
func headings(page string) []string {
	var found []string
	for _, section := range strings.Split(page, "\n## ")[1:] {
		heading, text, _ := strings.Cut(section, "\n")
		if strings.TrimSpace(text) != "" {
			found = append(found, heading)
		}
	}
	return found
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

// queries returns the lines of the fenced blocks of PromQL: each is one query.
func queries(page string) []string {
	var found []string
	var inside bool
	for line := range strings.Lines(page) {
		switch line = strings.TrimSpace(line); {
		case line == "```promql":
			inside = true
		case line == "```":
			inside = false
		case inside:
			found = append(found, line)
		}
	}
	return found
}

// Somebody pastes these at night: they have to parse, and to read series that exist.
func TestQueriesOfRunbooks(t *testing.T) {
	known := names(t)
	count := 0
	each(t, func(t *testing.T, _ string, a rulefmt.Rule) {
		list := queries(runbook(t, a.Alert))
		if len(list) == 0 {
			t.Error("got a runbook without a query")
		}
		count += len(list)
		for _, query := range list {
			parser.Inspect(parse(t, query), func(n parser.Node, _ []parser.Node) error {
				vs, ok := n.(*parser.VectorSelector)
				ours := ok && (strings.HasPrefix(vs.Name, "infscale_") || strings.Contains(vs.Name, ":inference_"))
				if ours && !known(vs.Name) {
					t.Errorf("got metric %q, which infscale does not export and no rule records", vs.Name)
				}
				return nil
			})
		}
	})
	t.Logf("%d queries in the runbooks", count)
}

// A link to a runbook that was renamed is found before the night.
func TestLinksOfRunbooks(t *testing.T) {
	link := regexp.MustCompile(`\]\((Infscale\w+)\.md\)`)
	each(t, func(t *testing.T, _ string, a rulefmt.Rule) {
		for _, m := range link.FindAllStringSubmatch(runbook(t, a.Alert), -1) {
			if _, err := alerts.Runbooks.Open("runbooks/" + m[1] + ".md"); err != nil {
				t.Error(err)
			}
			if m[1] == a.Alert {
				t.Errorf("got a runbook that sends its reader to itself")
			}
		}
	})
}

// The table of the README is what a user sees of the alerts first.
func TestReadmeListsEveryAlert(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	each(t, func(t *testing.T, _ string, a rulefmt.Rule) {
		row := fmt.Sprintf("| [%s](runbooks/%s.md) | %s | %s | %s |",
			a.Alert, a.Alert, a.Labels["severity"], a.For, strings.TrimSuffix(a.Annotations["summary"], "."))
		if !strings.Contains(string(page), row) {
			t.Errorf("got no row %s", row)
		}
	})
}
