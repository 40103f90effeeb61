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
			loaded[name] = append(loaded[name], g.Rules...)
		}
	}
	return loaded
}

// adapterNames are recorded without a level, because metrics adapters refuse colons.
var adapterNames = []string{"vllm_requests_in_flight"}

func TestNamesSayLevelMetricAndOperation(t *testing.T) {
	form := regexp.MustCompile(`^[a-z_]+:[a-z_]+:[a-z0-9_]+$`)
	for file, recorded := range load(t) {
		for _, r := range recorded {
			if r.Record == "" {
				t.Errorf("%s: got alert %q among the recording rules", file, r.Alert)
			} else if !form.MatchString(r.Record) && !slices.Contains(adapterNames, r.Record) {
				t.Errorf("%s: got name %q, want level:metric:operations", file, r.Record)
			}
		}
	}
}

// A level is what the labels on the left of an aggregation say. Every level but the
// cluster's own, which most series lack, must be in the name, in the expression's order.
func TestLevelsAreTheLabelsLeft(t *testing.T) {
	for file, recorded := range load(t) {
		for _, r := range recorded {
			level, _, ok := strings.Cut(r.Record, ":")
			if !ok {
				continue
			}
			for _, by := range groupings(t, r.Expr) {
				if got := strings.Join(by, "_"); got != "cluster_"+level {
					t.Errorf("%s: %s: got an aggregation by %v, want cluster_%s", file, r.Record, by, level)
				}
			}
		}
	}
}

// groupings returns the labels of every outermost aggregation of the expression.
func groupings(t *testing.T, expr string) [][]string {
	t.Helper()
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatal(err)
	}
	var found [][]string
	parser.Inspect(tree, func(n parser.Node, path []parser.Node) error {
		outermost := !slices.ContainsFunc(path, func(n parser.Node) bool {
			_, ok := n.(*parser.AggregateExpr)
			return ok
		})
		if agg, ok := n.(*parser.AggregateExpr); ok && outermost {
			found = append(found, agg.Grouping)
		}
		return nil
	})
	if len(found) == 0 {
		t.Fatalf("got no aggregation in %s", expr)
	}
	return found
}

// The metric names of the two per-server rules: a name added to one and forgotten in the
// other would leave its servers without a sum.
func TestRunningAndWaitingReadTheSameEngines(t *testing.T) {
	read := map[string][]string{}
	for _, recorded := range load(t) {
		for _, r := range recorded {
			read[r.Record] = metrics(t, r.Expr)
		}
	}
	rename := strings.NewReplacer("requests_running", "requests_waiting",
		"num_running_reqs", "num_queue_reqs", "requests_processing", "requests_deferred")
	running := read["namespace_pod_instance:inference_requests_running:sum"]
	if len(running) == 0 {
		t.Fatal("got no metric in the rule of running")
	}
	for i := range running {
		running[i] = rename.Replace(running[i])
	}
	if waiting := read["namespace_pod_instance:inference_requests_waiting:sum"]; !slices.Equal(running, waiting) {
		t.Errorf("got waiting from %v, want it from %v", waiting, running)
	}
}

func metrics(t *testing.T, expr string) []string {
	t.Helper()
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	parser.Inspect(tree, func(n parser.Node, _ []parser.Node) error {
		if vs, ok := n.(*parser.VectorSelector); ok {
			names = append(names, vs.Name)
		}
		return nil
	})
	return names
}

func TestEveryRuleHasAUnitTest(t *testing.T) {
	for file, recorded := range load(t) {
		name := filepath.Join("tests", strings.Replace(file, ".rules.", ".test.", 1))
		tests, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range recorded {
			if !strings.Contains(string(tests), "- expr: "+r.Record+"\n") {
				t.Errorf("got no test of %s in %s", r.Record, name)
			}
		}
	}
}
