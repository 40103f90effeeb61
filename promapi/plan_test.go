package promapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/recommender"
)

// everything needs every family, with several percentiles and objectives.
func everything(n int) []Workload {
	var list []Workload
	for i := range n {
		policy := &recommender.Policy{Signals: []recommender.Signal{
			{Metric: recommender.Queue},
			{Metric: recommender.CPU},
			{Metric: recommender.TTFT, Percentile: 0.9},
			{Metric: recommender.TTFT, Percentile: 0.95},
		}, SLO: recommender.SLO{TTFT: time.Duration(i%5+1) * time.Second, Objective: 0.95}}
		list = append(list, Workload{
			Namespace: "ns", Name: fmt.Sprintf("w-%d", i), Policy: policy, Kind: Kinds[i%len(Kinds)],
			Selector: fmt.Sprintf(`{model_name="m-%d"}`, i),
			Queries:  []NamedQuery{{Name: "depth", Text: "sum(depth) + max_over_time(up[5m:1m] offset 1m)"}},
			Held:     []HeldSource{{Preset: HeldKEDA}, {Preset: HeldKnative}},
		})
	}
	return list
}

func TestTheNumberOfQueriesDoesNotGrow(t *testing.T) {
	const most = 12
	for _, n := range []int{1, 10, 1000} {
		plan, err := NewPlan(everything(n), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(plan.Queries) + len(plan.Occasional); got > most {
			t.Errorf("%d workloads: got %d queries, want at most %d", n, got, most)
		}
		if len(plan.Custom) != 1 {
			t.Errorf("%d workloads: got %d custom queries, want 1", n, len(plan.Custom))
		}
	}
}

func TestFamiliesNobodyNeedsAreNotAsked(t *testing.T) {
	plan, err := NewPlan([]Workload{chat(recommender.Signal{Metric: recommender.Queue})}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []Family
	for _, q := range plan.Queries {
		got = append(got, q.Family)
	}
	if want := []Family{FamilyGauges, FamilyEvidence, FamilyCounters, FamilyReplicas, FamilyPods}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	llama := chat(recommender.Signal{Metric: recommender.TTFT, Percentile: 0.95})
	llama.Engine = "llama.cpp"
	if plan, err = NewPlan([]Workload{llama}, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, q := range plan.Queries {
		if q.Family == FamilyTTFT || strings.Contains(q.Text, "vllm") {
			t.Errorf("llama.cpp only: got %s: %s", q.Family, q.Text)
		}
	}
}

// selectorsOf returns the matchers of every selector of a query.
func selectorsOf(t *testing.T, text string) [][]*labels.Matcher {
	t.Helper()
	expr, err := promQL.ParseExpr(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var list [][]*labels.Matcher
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if s, ok := node.(*parser.VectorSelector); ok {
			list = append(list, s.LabelMatchers)
		}
		return nil
	})
	return list
}

func TestMatchersAreInEverySelector(t *testing.T) {
	const hostile = `a"} or vector(1) #\`
	matchers := fmt.Sprintf(`{cluster=%q, tenant=~"b|c"}`, hostile)
	plan, err := NewPlan(everything(3), Options{Matchers: matchers})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := NewPlan(everything(3), Options{})
	if err != nil {
		t.Fatal(err)
	}
	all, without := slices.Concat(plan.Queries, plan.Occasional, plan.Custom), slices.Concat(plain.Queries, plain.Occasional, plain.Custom)
	for i, q := range all {
		selectors := selectorsOf(t, q.Text)
		if want := len(selectorsOf(t, without[i].Text)); len(selectors) != want || want == 0 {
			t.Errorf("%s: got %d selectors, want %d", q.Family, len(selectors), want)
		}
		for _, s := range selectors {
			has := func(m labels.Matcher) bool {
				return slices.ContainsFunc(s, func(x *labels.Matcher) bool { return x.Name == m.Name && x.Type == m.Type && x.Value == m.Value })
			}
			if !has(labels.Matcher{Name: "cluster", Type: labels.MatchEqual, Value: hostile}) ||
				!has(labels.Matcher{Name: "tenant", Type: labels.MatchRegexp, Value: "b|c"}) {
				t.Errorf("%s: got a selector of %v, want the matchers in it", q.Family, s)
			}
		}
	}
}

func TestMatchersChooseTheCluster(t *testing.T) {
	var series []string
	for cluster, running := range map[string]int{"a": 3, "b": 50} {
		all := append(kubeSeries("chat", 1, chatPod(0)), queueOf(chatPod(0), fmt.Sprintf("%dx80", running), "0x80")...)
		for _, s := range all {
			series = append(series, strings.Replace(s, "{", `{cluster="`+cluster+`",`, 1))
		}
	}
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{Matchers: `cluster="a"`}, chat())
	known(t, "running", o.Running, 3)
	known(t, "current", o.Current, 1)
}

func TestMistakesComeAtOnceWithTheirPlace(t *testing.T) {
	bad := Workload{
		Namespace: "ns", Name: "chat", Kind: "Pod", Engine: "tgi", Selector: `{model_name=}`,
		Queries: []NamedQuery{{Name: "depth", Text: "sum("}},
		Held:    []HeldSource{{Preset: "nginx"}, {Query: "rate(x)"}},
	}
	_, err := NewReader(nil, []Workload{bad, {Namespace: "ns", Name: "b", Selector: `{signal="x"}`}},
		Options{Matchers: `{cluster="a"`, Labels: LabelNames{Pod: "pod-name"}})
	if err == nil {
		t.Fatal("got no error")
	}
	for _, want := range []string{
		"matchers: ", `labels: "pod-name"`, "workload ns/chat: ", `kind: "Pod"`, `engine: "tgi"`, "selector: ",
		`query "depth": `, `held: "nginx"`, "held query: ", "workload ns/b: selector: the label signal",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestParseMatchers(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "[]",
		"{}":                    "[]",
		`cluster="a"`:           `[cluster="a"]`,
		` { a="1", b!~"2|3" } `: `[a="1" b!~"2|3"]`,
		`a!="b"`:                `[a!="b"]`,
	} {
		got, err := ParseMatchers(text)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: got %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{`{a="b"`, `a=b`, `a="b"} or x{`, `"`, `a=~"("`} {
		if got, err := ParseMatchers(text); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}

func TestPodGroups(t *testing.T) {
	long := strings.Repeat("a", 56)
	for pod, want := range map[string]string{
		"chat-6f5d9c7b9d-abcde": "chat-6f5d9c7b9d",
		"chat-0":                "chat",
		"llama-0-1":             "llama-0",
		"single":                "single",
		"dotted-a.b":            "dotted-a.b",
		long + "-abcde":         long,
		long + "a-abcde":        long + "a-abcde",
		long + "-abcdef":        long + "-abcdef",
		"":                      "",
	} {
		if got := podGroup(pod); got != want {
			t.Errorf("%q: got %q, want %q", pod, got, want)
		}
	}
}

func TestPodGroupsAreThoseOfTheQueries(t *testing.T) {
	pods := []string{"chat-6f5d9c7b9d-abcde", "chat-0", "single", "dotted-a.b", strings.Repeat("a", 57) + "-abcde", strings.Repeat("b", 56) + "-abcde", "a-bcdefg"}
	var series []string
	for _, pod := range pods {
		series = append(series, fmt.Sprintf(`x{pod=%q} 1x5`, pod))
	}
	s := newShape(Options{}.withDefaults(), nil)
	result, err := newLab(t, series...).client.Query(t.Context(), s.withGroup("x"), epoch.Add(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Series) != len(pods) {
		t.Fatalf("got %d rows, want %d", len(result.Series), len(pods))
	}
	for _, row := range result.Series {
		if got, want := row.Labels.Get(groupLabel), podGroup(row.Labels.Get("pod")); got != want {
			t.Errorf("%s: got %q from the query, want %q", row.Labels.Get("pod"), got, want)
		}
	}
}

func TestEngineTable(t *testing.T) {
	if got := Engines(); !slices.Equal(got, []string{"vllm", "sglang", "llama.cpp"}) {
		t.Errorf("got %v", got)
	}
	for engine, want := range map[string][2]bool{"vllm": {true, true}, "sglang": {true, true}, "llama.cpp": {false, false}, "auto": {true, true}} {
		if kv, ttft := EngineExports(engine); kv != want[0] || ttft != want[1] {
			t.Errorf("%s: got %t %t, want %v", engine, kv, ttft, want)
		}
	}
	seen := map[string]string{}
	for i := range profiles {
		p := &profiles[i]
		if p.hint == "" || !slices.IsSorted(p.bounds) {
			t.Errorf("%s: got no hint, or bounds out of order", p.name)
		}
		for m := range measures {
			for _, alias := range p.aliases(m) {
				if seen[alias] != "" {
					t.Errorf("%s is in %s and %s", alias, seen[alias], p.name)
				}
				seen[alias] = p.name
			}
		}
	}
}
