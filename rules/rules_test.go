package rules_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/rules"
)

// load returns the recording rules of every embedded file, which Prometheus' own loader has
// checked: strict YAML, parsed expressions, valid names.
func load(t *testing.T) map[string][]rulefmt.Rule {
	t.Helper()
	names, err := fs.Glob(rules.Files, "*")
	if err != nil || len(names) == 0 {
		t.Fatalf("got rule files %v and error %v, want some", names, err)
	}
	loaded := map[string][]rulefmt.Rule{}
	for _, name := range names {
		content, err := rules.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		groups, errs := rulefmt.Parse(content, false, model.LegacyValidation,
			parser.NewParser(parser.Options{}), promslog.NewNopLogger())
		if len(errs) > 0 {
			t.Fatalf("%s: %v", name, errs)
		}
		for _, g := range groups.Groups {
			if g.Interval == 0 {
				t.Errorf("%s: got group %s without an interval", name, g.Name)
			}
			loaded[name] = append(loaded[name], g.Rules...)
		}
	}
	return loaded
}

// each calls check with every recording rule.
func each(t *testing.T, check func(t *testing.T, r rulefmt.Rule)) {
	t.Helper()
	for _, recorded := range load(t) {
		for _, r := range recorded {
			t.Run(r.Record, func(t *testing.T) { check(t, r) })
		}
	}
}

// parse reads an expression without experimental functions, which an installation would have
// to switch on.
func parse(t *testing.T, expr string) parser.Expr {
	t.Helper()
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return tree
}

// selectors returns every selector of the expression.
func selectors(t *testing.T, expr string) []*parser.VectorSelector {
	t.Helper()
	var found []*parser.VectorSelector
	parser.Inspect(parse(t, expr), func(n parser.Node, _ []parser.Node) error {
		if vs, ok := n.(*parser.VectorSelector); ok {
			found = append(found, vs)
		}
		return nil
	})
	return found
}

// adapterNames are recorded without a level, because metrics adapters refuse colons.
var adapterNames = []string{"vllm_requests_in_flight"}

func TestNamesSayLevelMetricAndOperation(t *testing.T) {
	form := regexp.MustCompile(`^[a-z_]+:[a-z_]+:[a-z0-9_]+$`)
	each(t, func(t *testing.T, r rulefmt.Rule) {
		if r.Record == "" {
			t.Errorf("got alert %q among the recording rules", r.Alert)
		} else if !form.MatchString(r.Record) && !slices.Contains(adapterNames, r.Record) {
			t.Errorf("got name %q, want level:metric:operations", r.Record)
		}
	})
}

func TestNamesAreRecordedOnce(t *testing.T) {
	seen := map[string]string{}
	for file, recorded := range load(t) {
		for _, r := range recorded {
			if before, ok := seen[r.Record]; ok {
				t.Errorf("got %s in %s and in %s, want it once", r.Record, before, file)
			}
			seen[r.Record] = file
		}
	}
	t.Logf("%d recording rules in %d files", len(seen), len(load(t)))
}

// A level is what the labels on the left of an aggregation say. Every level but the
// cluster's own, which most series lack, must be in the name, in the expression's order. A
// rule that aggregates nothing has the level of what it reads, or that without its bounds.
func TestLevelsAreTheLabelsLeft(t *testing.T) {
	each(t, func(t *testing.T, r rulefmt.Rule) {
		level, _, ok := strings.Cut(r.Record, ":")
		if !ok {
			return
		}
		groups := groupings(t, r.Expr)
		for _, by := range groups {
			if got := strings.Join(by, "_"); got != "cluster_"+level {
				t.Errorf("got an aggregation by %v, want cluster_%s", by, level)
			}
		}
		if len(groups) > 0 {
			return
		}
		for _, vs := range selectors(t, r.Expr) {
			read, _, _ := strings.Cut(vs.Name, ":")
			if strings.TrimSuffix(read, "_le") != strings.TrimSuffix(level, "_le") {
				t.Errorf("got %s read as it is, want the level %s", vs.Name, level)
			}
		}
	})
}

// groupings returns the labels of every outermost aggregation of the expression. topk only
// chooses, and keeps the labels of what is in it.
func groupings(t *testing.T, expr string) [][]string {
	t.Helper()
	var found [][]string
	aggregates := func(n parser.Node) bool {
		agg, ok := n.(*parser.AggregateExpr)
		return ok && agg.Op != parser.TOPK
	}
	parser.Inspect(parse(t, expr), func(n parser.Node, path []parser.Node) error {
		if aggregates(n) && !slices.ContainsFunc(path, aggregates) {
			found = append(found, n.(*parser.AggregateExpr).Grouping)
		}
		return nil
	})
	return found
}

// A rate is taken of each series before anything is added, over four scrapes of a minute.
func TestRatesAreTakenFirstAndOverFiveMinutes(t *testing.T) {
	each(t, func(t *testing.T, r rulefmt.Rule) {
		parser.Inspect(parse(t, r.Expr), func(n parser.Node, _ []parser.Node) error {
			call, ok := n.(*parser.Call)
			if !ok || call.Func.Name != "rate" {
				return nil
			}
			selector, ok := call.Args[0].(*parser.MatrixSelector)
			if !ok {
				t.Errorf("got %s, want the rate of series as they come", call)
			} else if selector.Range.Minutes() != 5 {
				t.Errorf("got a window of %s, want 5m", selector.Range)
			}
			return nil
		})
	})
}

// What the rules read is recorded before, or named by an engine, kube-state-metrics or infscale.
func TestRulesReadWhatExists(t *testing.T) {
	recorded := map[string]bool{}
	each(t, func(_ *testing.T, r rulefmt.Rule) { recorded[r.Record] = true })
	known := engineNames(t)
	each(t, func(t *testing.T, r rulefmt.Rule) {
		for _, vs := range selectors(t, r.Expr) {
			name := vs.Name
			switch {
			case recorded[name], strings.HasPrefix(name, "kube_"), known[strings.TrimSuffix(name, "_bucket")]:
			case strings.HasPrefix(name, "infscale_") && exported(t, name):
			default:
				t.Errorf("got metric %q, which nobody exports or records", name)
			}
		}
	})
}

// exported reports whether the source of infscale has the name of the metric in it.
func exported(t *testing.T, name string) bool {
	t.Helper()
	for _, pattern := range []string{"../recommender/export/*.go", "../recommender/daemon/*.go", "../promapi/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") && strings.Contains(string(source), `"`+name+`"`) {
				return true
			}
		}
	}
	return false
}

func TestEveryRuleHasAUnitTest(t *testing.T) {
	files, err := filepath.Glob("tests/*.test.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			if expr, ok := strings.CutPrefix(line, "      - expr: "); ok {
				tests.WriteString(expr)
			}
		}
	}
	each(t, func(t *testing.T, r rulefmt.Rule) {
		named := regexp.MustCompile(`(^|[^a-z0-9_:])` + r.Record + `($|[^a-z0-9_:])`)
		if !named.MatchString(tests.String()) {
			t.Errorf("got no promtool test of %s", r.Record)
		}
	})
}
