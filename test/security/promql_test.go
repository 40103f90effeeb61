package security

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender/config"
)

// hostile are values that try to end the string, the selector or the query they stand in.
var hostile = []string{
	`"} or vector(0) #`,
	`'} or vector(0) #`,
	"`} or vector(0) #",
	`\"} or vector(0) #`,
	`\`,
	`a\`,
	`a"`,
	"a\nb: c\n---\n",
	"a\r\nX-Injected: 1",
	"a\x00b",
	"a\u2028b\u0085c",
	"ａ＂｝ or vector(0)",
	`}{`,
	`,b="c`,
	`#`,
	`{{ .Values }} ${HOME} $(id) %s %!d`,
	`<<.Series>> <</* x */>>`,
	`x" or "" == "`,
	`.*"} or {__name__=~".+`,
	`*/ /* //`,
	"a: &b *b !!python/object:os.system [",
	`<script>alert(1)</script>`,
	`../../etc/passwd`,
}

const benign = "benign"

// quoted writes s as YAML, of which JSON is a part.
func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// A place is where a value of the configuration goes: the file with the value in it.
type place func(value string) string

// file is a configuration with one workload. Each argument may be empty.
func file(top, workload string) string {
	return fmt.Sprintf(`
%s
workloads:
  - {namespace: inference, name: chat, replicas: {min: 1, max: 8}, signals: [{metric: queue, target: 24}],
     slo: {ttft: 2s, objective: 0.9}, cold_start: 1m%s}
`, top, workload)
}

const prometheus = "prometheus: {url: 'http://prometheus:9090'}"

// values are the places for a text that the program does not interpret. A selector, the
// match of held sources, the matchers of every query and a query of one's own are one place,
// since they meet in the queries.
var values = map[string]place{
	"a literal": func(v string) string {
		literal := strconv.Quote(v)
		return file(`prometheus: {url: 'http://prometheus:9090', matchers: `+quoted(`{cluster=`+literal+`}`)+`}`,
			`, selector: `+quoted(`model_name=`+literal)+`, held: [
       {preset: keda_http, match: {route_namespace: inference, route_name: `+quoted(v)+`}},
       {preset: knative, match: {namespace: inference, service: `+quoted(v)+`}},
       {query: `+quoted(`sum(lag{group=`+literal+`}) # `)+`}]`)
	},
	"a regular expression": func(v string) string {
		return file(`prometheus: {url: 'http://prometheus:9090', matchers: `+quoted(`cluster!~`+strconv.Quote("("+v+")"))+`}`, `, held: [{preset: knative}]`)
	},
}

// names are the places for a name of Kubernetes, of a label or of the program's own.
var names = map[string]place{
	"a namespace": func(v string) string {
		return strings.Replace(file(prometheus, ", held: [{preset: keda_http}]"), "namespace: inference", "namespace: "+quoted(v), 1)
	},
	"a name": func(v string) string {
		return strings.Replace(file(prometheus, ", held: [{preset: keda_http}]"), "name: chat", "name: "+quoted(v), 1)
	},
	"a kind":                  func(v string) string { return file(prometheus, ", kind: "+quoted(v)) },
	"an engine":               func(v string) string { return file(prometheus, ", engine: "+quoted(v)) },
	"the label of namespaces": func(v string) string { return file(prometheus+"\nlabels: {namespace: "+quoted(v)+"}", "") },
	"the label of pods":       func(v string) string { return file(prometheus+"\nlabels: {pod: "+quoted(v)+"}", "") },
	"the label of models":     func(v string) string { return file(prometheus+"\nlabels: {model: "+quoted(v)+"}", "") },
	"a preset":                func(v string) string { return file(prometheus, ", held: [{preset: "+quoted(v)+"}]") },
	"a key of a match": func(v string) string {
		return file(prometheus, `, held: [{preset: keda_http, match: {`+quoted(v)+`: x}}]`)
	},
	"matchers without quotes": func(v string) string {
		return file(`prometheus: {url: 'http://prometheus:9090', matchers: `+quoted(`cluster="a`+v)+`}`, "")
	},
	"a selector without quotes": func(v string) string { return file(prometheus, `, selector: `+quoted(`{model_name="a`+v+`}`)) },
	"a label of a selector":     func(v string) string { return file(prometheus, `, selector: `+quoted(`{`+v+`="a"}`)) },
	"a metric": func(v string) string {
		return strings.Replace(file(prometheus, ""), "metric: queue", "metric: "+quoted(v), 1)
	},
}

// good are values that the places for names take.
var good = map[string]string{
	"a namespace": "inference", "a name": "chat-2", "a kind": "StatefulSet", "an engine": "vllm",
	"the label of namespaces": "exported_namespace", "the label of pods": "exported_pod", "the label of models": "model",
	"a preset": "keda_http", "a key of a match": "route_name", "matchers without quotes": `"`, "a selector without quotes": `"`,
	"a label of a selector": "role", "a metric": "waiting",
}

func TestNoValueLeavesItsPlaceInAQuery(t *testing.T) {
	for where, place := range values {
		want := texts(t, place(benign))
		for _, v := range hostile {
			c, err := config.Parse([]byte(place(v)), "infscale.yaml")
			if err != nil {
				if where == "a regular expression" || strings.ContainsAny(v, "\x00") {
					continue
				}
				t.Errorf("%s: %q: got %v, want it to be a value as any other", where, v, err)
				continue
			}
			got := planned(t, c)
			for i := range got {
				neutral, found := neutralised(t, got[i], v)
				if neutral != want[i] {
					t.Errorf("%s: %q: got\n%s\nwant the query of any other value\n%s", where, v, got[i], want[i])
				}
				if !found && strings.Contains(got[i], "vector(0)") {
					t.Errorf("%s: %q: got it outside of a matcher in %s", where, v, got[i])
				}
			}
		}
	}
}

func TestNamesThatAreNoneAreRefused(t *testing.T) {
	for where, place := range names {
		if _, err := config.Parse([]byte(place(good[where])), "infscale.yaml"); err != nil {
			t.Errorf("%s: got %v for %q, want it taken", where, err, good[where])
		}
		for _, v := range hostile {
			c, err := config.Parse([]byte(place(v)), "infscale.yaml")
			if err == nil && completes(where, v) {
				planned(t, c) // which parses
				continue
			}
			if err == nil {
				t.Errorf("%s: got %q taken, want it refused", where, v)
			}
		}
	}
}

// completes reports whether a value is well-formed behind the open quote of its place.
func completes(where, v string) bool {
	text := `cluster="a` + v
	if where == "a selector without quotes" {
		text = `model_name="a` + v
	} else if where != "matchers without quotes" {
		return false
	}
	_, err := promapi.ParseMatchers(text)
	return err == nil
}

// texts returns the queries of a file that is right.
func texts(t *testing.T, text string) []string {
	t.Helper()
	c, err := config.Parse([]byte(text), "infscale.yaml")
	if err != nil {
		t.Fatal(err)
	}
	list := planned(t, c)
	if len(list) < 9 {
		t.Fatalf("got %d queries, want more", len(list))
	}
	for i := range list {
		list[i], _ = neutralised(t, list[i], benign)
	}
	return list
}

// planned returns every query of a configuration.
func planned(t *testing.T, c *config.Config) []string {
	t.Helper()
	plan, err := promapi.NewPlan(c.Workloads(), c.Options())
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, q := range slices.Concat(plan.Queries, plan.Occasional, plan.Custom) {
		list = append(list, q.Text)
	}
	return list
}

// neutralised parses a query as Prometheus does, puts the harmless value into every matcher
// that has v, and prints it again. It reports whether there was one.
func neutralised(t *testing.T, text, v string) (neutral string, found bool) {
	t.Helper()
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		t.Fatalf("got a query that is none: %v\n%s", err, text)
	}
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		for i, m := range selector.LabelMatchers {
			if m.Value == v || m.Value == "("+v+")" {
				found = true
				selector.LabelMatchers[i] = labels.MustNewMatcher(m.Type, m.Name, strings.Replace(m.Value, v, benign, 1))
			}
		}
		return nil
	})
	return expr.String(), found
}

// The matchers of the configuration keep a team to its cluster: no query may lack them.
func TestMatchersAreInEverySelector(t *testing.T) {
	const custom = `sum(a) / on () group_left sum(b offset 5m) or max_over_time(c{x="y"}[5m:1m] @ end()) or {__name__=~"d|e", cluster="other"} or {"f.g"}`
	for _, text := range []string{custom, `max_over_time((` + `h + i` + `)[5m:1m])`, `absent(j) or vector(1)`, `label_replace(k, "cluster", "x", "", "")`} {
		c, err := config.Parse([]byte(file(`prometheus: {url: 'http://prometheus:9090', matchers: 'cluster="mine"'}`,
			`, held: [{preset: keda_http}, {preset: knative}, {query: `+quoted(text)+`}]`)), "infscale.yaml")
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range planned(t, c) {
			checkMatchers(t, q)
		}
	}
}

func checkMatchers(t *testing.T, text string) {
	t.Helper()
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	selectors := 0
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		selectors++
		if !slices.ContainsFunc(selector.LabelMatchers, func(m *labels.Matcher) bool { return m.String() == `cluster="mine"` }) {
			t.Errorf("got the selector %s without the matchers, in %s", selector, text)
		}
		return nil
	})
	if selectors == 0 {
		t.Errorf("got no selector in %s", text)
	}
}
