package security

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/deploy/generate"
	"github.com/infscale/infscale/recommender/config"
)

// documents parses YAML as Kubernetes does.
func documents(t *testing.T, data []byte) []map[string]any {
	t.Helper()
	var list []map[string]any
	for d := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var doc map[string]any
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		list = append(list, doc)
	}
}

// at returns what stands in a document under keys and indexes.
func at(t *testing.T, doc any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := doc.(map[string]any)
			doc = m[step]
		case int:
			list, _ := doc.([]any)
			if step >= len(list) {
				t.Fatalf("no %v in %v", path, doc)
			}
			doc = list[step]
		}
	}
	return doc
}

// generated returns the one document of each kind for a configuration.
func generated(t *testing.T, c *config.Config, server string) (keda, hpa, adapter map[string]any) {
	t.Helper()
	if _, err := generate.KEDA(c, generate.Options{ServerAddress: server}); err != nil {
		server = "" // which is refused
	}
	read := func(files []generate.File, err error) []map[string]any {
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := generate.Print(&b, files); err != nil {
			t.Fatal(err)
		}
		return documents(t, b.Bytes())
	}
	follow := read(generate.KEDA(c, generate.Options{ServerAddress: server}))
	files, err := generate.HPA(c, generate.Options{})
	scale := read(files, err)
	rule := documents(t, files[len(files)-1].Data) // of the adapter, in the stream a comment
	if len(follow) != 1 || len(scale) != 1 || len(rule) != 1 {
		t.Fatalf("got %d, %d and %d documents, want one each", len(follow), len(scale), len(rule))
	}
	return follow[0], scale[0], rule[0]
}

func TestNoValueLeavesItsPlaceInAManifest(t *testing.T) {
	for _, v := range hostile {
		matchers := quoted(`{cluster=` + strconv.Quote(v) + `}`)
		c, err := config.Parse([]byte(file(`prometheus: {url: 'http://prometheus:9090', matchers: `+matchers+`}`, "")), "infscale.yaml")
		if err != nil {
			t.Errorf("%q: %v", v, err)
			continue
		}
		server := "http://prometheus:9090/" + v
		keda, hpa, adapter := generated(t, c, server)
		if got := at(t, keda, "spec", "triggers", 0, "metadata", "serverAddress"); got != server && got != "http://prometheus:9090" {
			t.Errorf("KEDA: got the server address %q, want %q or that of the configuration", got, server)
		}
		if got := at(t, hpa, "metadata", "name"); got != "chat" {
			t.Errorf("HPA: got the name %q, want chat", got)
		}
		query, _ := at(t, keda, "spec", "triggers", 0, "metadata", "query").(string)
		checkCluster(t, query, v)
		series, _ := at(t, adapter, "externalRules", 0, "seriesQuery").(string)
		checkCluster(t, series, v)
		checkCluster(t, adapted(t, at(t, adapter, "externalRules", 0, "metricsQuery")), v)
	}
}

// adapted does to a query what prometheus-adapter does.
func adapted(t *testing.T, query any) string {
	t.Helper()
	text, _ := query.(string)
	tmpl, err := template.New("").Delims("<<", ">>").Parse(text)
	if err != nil {
		t.Fatalf("the adapter cannot read %s: %v", text, err)
	}
	var b strings.Builder
	err = tmpl.Execute(&b, map[string]string{"Series": "infscale_desired_replicas", "LabelMatchers": `workload="chat"`})
	if err != nil {
		t.Fatalf("the adapter cannot read %s: %v", text, err)
	}
	return b.String()
}

// checkCluster wants every selector of a query to have exactly the one cluster.
func checkCluster(t *testing.T, query, cluster string) {
	t.Helper()
	expr, err := parser.NewParser(parser.Options{}).ParseExpr(query)
	if err != nil {
		t.Fatalf("%v in %s", err, query)
	}
	selectors := 0
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		selectors++
		for _, m := range selector.LabelMatchers {
			if m.Name == "cluster" && (m.Value != cluster || m.Type != labels.MatchEqual) {
				t.Errorf("got the matcher %s, want the cluster %q", m, cluster)
			}
		}
		if !strings.HasPrefix(selector.Name, "infscale_") {
			t.Errorf("got the series %s in %s", selector, query)
		}
		return nil
	})
	if selectors == 0 {
		t.Errorf("got no selector in %s", query)
	}
}

// Names of Kubernetes that YAML takes for something else.
func TestNamesStayNames(t *testing.T) {
	for _, name := range []string{"true", "null", "no", "on", "y", "123", "0123", "1e3", "0x1f", "0b1", "2026-01-01", "1-2", "infinity", "nan", "1.5", "a--b"} {
		space := strings.ReplaceAll(name, ".", "-")
		text := strings.NewReplacer("name: chat", "name: "+quoted(name), "namespace: inference", "namespace: "+quoted(space)).Replace(file(prometheus, ""))
		c, err := config.Parse([]byte(text), "infscale.yaml")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		keda, hpa, _ := generated(t, c, "")
		for kind, doc := range map[string]map[string]any{"KEDA": keda, "HPA": hpa} {
			for want, path := range map[string][]any{"name": {"metadata", "name"}, "namespace": {"metadata", "namespace"}, "target": {"spec", "scaleTargetRef", "name"}} {
				is := name
				if want == "namespace" {
					is = space
				}
				if got := at(t, doc, path...); got != is {
					t.Errorf("%s: got the %s %T %v, want the text %q", kind, want, got, got, is)
				}
			}
		}
		if got := at(t, hpa, "spec", "metrics", 0, "external", "metric", "selector", "matchLabels", "workload"); got != name {
			t.Errorf("HPA: got the workload %T %v, want the text %q", got, got, name)
		}
	}
}

// Files are named after workloads: no name leads out of the folder.
func TestNoFileLeavesItsFolder(t *testing.T) {
	for _, name := range []string{"..", ".", "../x", "a/../../x", "/etc/x", `a\b`, "a\x00b", "a..b", "-x", "a/b"} {
		text := strings.Replace(file(prometheus, ""), "name: chat", "name: "+quoted(name), 1)
		if c, err := config.Parse([]byte(text), "infscale.yaml"); err == nil {
			files, err := generate.KEDA(c, generate.Options{})
			t.Errorf("%q: got %v and %v, want it refused", name, files, err)
		}
	}
}
