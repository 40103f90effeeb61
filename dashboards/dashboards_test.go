package dashboards_test

import (
	"bytes"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/dashboards"
)

var update = flag.Bool("update", false, "write the rendered dashboards")

func TestRendering(t *testing.T) {
	for _, d := range dashboards.All() {
		name := d.Name + ".json"
		want, err := d.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(name, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got a %s that is not the rendering of its Go data, want it as `make dashboards` writes it", name)
		}
	}
}

// targets calls check with every query of every panel.
func targets(t *testing.T, check func(t *testing.T, p dashboards.Panel, q dashboards.Target)) {
	t.Helper()
	for _, d := range dashboards.All() {
		for _, p := range d.Panels {
			t.Run(d.Name+"/"+p.Title, func(t *testing.T) {
				for _, q := range p.Targets {
					check(t, p, q)
				}
			})
		}
	}
}

// parse reads an expression after Grafana has put in its variables.
func parse(t *testing.T, expr string) parser.Expr {
	t.Helper()
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(
		strings.NewReplacer("$__rate_interval", "5m", "$__interval_ms", "60000", "$__interval", "1m", "$__range", "1h").Replace(expr))
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return tree
}

func TestCountersAreReadAsRates(t *testing.T) {
	targets(t, func(t *testing.T, _ dashboards.Panel, q dashboards.Target) {
		parser.Inspect(parse(t, q.Expr), func(n parser.Node, path []parser.Node) error {
			vs, ok := n.(*parser.VectorSelector)
			if !ok {
				return nil
			}
			counter := slices.ContainsFunc([]string{"_total", "_bucket", "_count"}, func(suffix string) bool {
				return strings.HasSuffix(vs.Name, suffix)
			})
			rated := slices.ContainsFunc(path, func(n parser.Node) bool {
				call, ok := n.(*parser.Call)
				return ok && call.Func.Name == "rate"
			})
			if counter != rated {
				t.Errorf("got %s, want a rate of a counter and of nothing else", q.Expr)
			}
			return nil
		})
		if strings.Contains(q.Expr, "rate(") && !strings.Contains(q.Expr, "[$__rate_interval]") {
			t.Errorf("got %s, want it over $__rate_interval", q.Expr)
		}
	})
}

// units are those of Grafana's that the dashboards use.
var units = []string{"none", "short", "s", "bytes", "reqps", "cps", "percentunit", "bool_yes_no", "suffix:intervals"}

func TestPanelsAreComplete(t *testing.T) {
	for _, d := range dashboards.All() {
		for _, p := range d.Panels {
			if p.Type == "row" {
				continue
			}
			if p.Title == "" || p.Description == "" {
				t.Errorf("got panel %d with title %q and description %q, want both", p.ID, p.Title, p.Description)
			}
			if len(p.Targets) == 0 || p.Datasource.UID != "${datasource}" {
				t.Errorf("%s: got %d queries of %q, want some of ${datasource}", p.Title, len(p.Targets), p.Datasource.UID)
			}
			if !slices.Contains(units, p.FieldConfig.Defaults.Unit) {
				t.Errorf("%s: got unit %q, want one of %v", p.Title, p.FieldConfig.Defaults.Unit, units)
			}
			for _, q := range p.Targets {
				if q.Datasource.UID != p.Datasource.UID {
					t.Errorf("%s: got query %s of %q, want the panel's source", p.Title, q.RefID, q.Datasource.UID)
				}
			}
		}
	}
}

// Two panels on one place hide each other, and a panel past column 24 is not shown.
func TestPanelsHaveTheirOwnPlace(t *testing.T) {
	for _, d := range dashboards.All() {
		taken := map[[2]int]string{}
		for _, p := range d.Panels {
			for x := p.Grid.X; x < p.Grid.X+p.Grid.W; x++ {
				for y := p.Grid.Y; y < p.Grid.Y+p.Grid.H; y++ {
					if other, ok := taken[[2]int{x, y}]; ok || x >= 24 {
						t.Fatalf("%q: column %d, line %d is taken by %q or off the page", p.Title, x, y, other)
					}
					taken[[2]int{x, y}] = p.Title
				}
			}
		}
	}
}
