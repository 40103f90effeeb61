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
	"github.com/infscale/infscale/rules"
)

// groups returns the groups of a rule file, which Prometheus' own loader has checked: strict
// YAML, parsed expressions, templates that expand.
func groups(t *testing.T, content []byte) []rulefmt.RuleGroup {
	t.Helper()
	parsed, errs := rulefmt.Parse(content, false, model.LegacyValidation,
		parser.NewParser(parser.Options{}), promslog.NewNopLogger())
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return parsed.Groups
}

// load returns the groups of every embedded rule file.
func load(t *testing.T, files fs.FS) map[string][]rulefmt.RuleGroup {
	t.Helper()
	names, err := fs.Glob(files, "*.rules.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("got rule files %v and error %v, want some", names, err)
	}
	loaded := map[string][]rulefmt.RuleGroup{}
	for _, name := range names {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		loaded[name] = groups(t, content)
	}
	return loaded
}

// each calls check with every alert of every file.
func each(t *testing.T, check func(t *testing.T, file string, a rulefmt.Rule)) {
	t.Helper()
	for file, list := range load(t, alerts.Files) {
		for _, g := range list {
			for _, r := range g.Rules {
				t.Run(r.Alert, func(t *testing.T) { check(t, file, r) })
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
		if d := a.Annotations["description"]; !strings.Contains(d, "{{ $labels.") || !strings.HasSuffix(d, ".") {
			t.Errorf("got description %q, want sentences that name what it is about", d)
		}
	})
}

func TestGroupsHaveTheirOwnInterval(t *testing.T) {
	for file, list := range load(t, alerts.Files) {
		for _, g := range list {
			if g.Interval == 0 {
				t.Errorf("%s: got group %s without an interval", file, g.Name)
			}
		}
	}
}

// Whoever routes alerts by namespace gets those of a workload under the workload's.
func TestAlertsOfAWorkloadCarryItsNamespace(t *testing.T) {
	each(t, func(t *testing.T, _ string, a rulefmt.Rule) {
		d := a.Annotations["description"]
		if !strings.Contains(d, "$labels.workload_namespace") {
			return
		}
		if got, want := a.Labels["namespace"], "{{ $labels.workload_namespace }}"; got != want {
			t.Errorf("got the label namespace %q, want %q", got, want)
		}
	})
}

// A gauge that is compared as it comes disappears with one failed scrape, and the alert starts
// its `for` again or resolves. `up` says itself that a scrape failed; recorded series of rates
// and of windows bridge one.
func TestGaugesAreReadOverAWindow(t *testing.T) {
	each(t, func(t *testing.T, _ string, a rulefmt.Rule) {
		parser.Inspect(parse(t, a.Expr), func(n parser.Node, path []parser.Node) error {
			vs, ok := n.(*parser.VectorSelector)
			if !ok || vs.Name == "up" || bridged(vs.Name) {
				return nil
			}
			overWindow := slices.ContainsFunc(path, func(n parser.Node) bool {
				_, ok := n.(*parser.MatrixSelector)
				return ok
			})
			if !overWindow {
				t.Errorf("got %s compared as it comes, want it under max_over_time or min_over_time", vs)
			}
			return nil
		})
	})
}

// bridged reports whether a recorded series outlives a failed scrape by itself.
func bridged(name string) bool {
	_, operation, _ := strings.Cut(name, "inference_")
	return strings.Contains(operation, "rate") || strings.HasPrefix(operation, "slo_budget:")
}

// parse reads an expression without experimental functions.
func parse(t *testing.T, expr string) parser.Expr {
	t.Helper()
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return tree
}

// An alert on a series that nobody exports never fires, and nobody sees that.
func TestAlertsReadWhatExists(t *testing.T) {
	known := names(t)
	each(t, func(t *testing.T, _ string, a rulefmt.Rule) {
		parser.Inspect(parse(t, a.Expr), func(n parser.Node, _ []parser.Node) error {
			if vs, ok := n.(*parser.VectorSelector); ok && vs.Name != "up" && !known(vs.Name) {
				t.Errorf("got metric %q, which infscale does not export and no rule records", vs.Name)
			}
			return nil
		})
	})
}

// names returns a function that knows the metrics infscale exports, by its source, and those
// the recording rules make.
func names(t *testing.T) func(name string) bool {
	t.Helper()
	var source strings.Builder
	for _, pattern := range []string{"../recommender/export/*.go", "../recommender/daemon/*.go", "../promapi/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(content)
		}
	}
	known := map[string]bool{"infscale_build_info": true} // by client_golang's collector of versions
	for _, list := range load(t, rules.Files) {
		for _, g := range list {
			for _, r := range g.Rules {
				known[r.Record] = true
			}
		}
	}
	return func(name string) bool {
		return known[name] || (strings.HasPrefix(name, "infscale_") &&
			strings.Contains(source.String(), `"`+strings.TrimSuffix(name, "_bucket")+`"`))
	}
}
