package promapi

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

// A choice draws from bytes, one for each decision, and 0 at their end.
type choice struct{ bytes []byte }

func (c *choice) n(limit int) int {
	if len(c.bytes) == 0 {
		return 0
	}
	b := int(c.bytes[0])
	c.bytes = c.bytes[1:]
	return b % limit
}

func (c *choice) of(words ...string) string { return words[c.n(len(words))] }

// answers answers every query with rows that the bytes choose. The same query always gets
// the same answer.
type answers struct {
	choice
	known map[string]Result
	errs  map[string]error
	rows  map[string][]string // signals by the text of the query
}

var errFuzz = errors.New("no answer")

// words of rows: some right, some nearly right, some nonsense.
var (
	podNames  = []string{chatPod(0), chatPod(1), "chat-0", "chat-1-abcde", "other-6f5d9c7b9d-pod00", "", "-", "chat"}
	groups    = []string{"chat-6f5d9c7b9d", "chat", "other-6f5d9c7b9d", "", "chat-0"}
	fuzzVals  = []float64{0, 1, 2, 3, 0.5, 0.95, 1.5, -1, 100, 1e18, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1), 1_700_000_390, 1_700_000_100, 1e-300}
	bounds    = []string{"0.1", "0.5", "1", "2", "2.5", "+Inf", "NaN", "-1", "x", "1e400", ""}
	kubeNames = []string{
		podNotReady, podUnsaid, podReadiness, deploymentSpec, deploymentReady, deploymentSeen, statefulSetSpec, statefulSetReady,
		statefulSetSeen, cpuUsed, cpuRequested, coldStart, duplicates, evidenceSignal, string(FamilyEver), "nonsense", "",
	}
)

// signalsOf lists every word that may stand in a signal label.
func signalsOf() []string {
	list := slices.Clone(kubeNames)
	for signal := range meanings {
		list = append(list, signal)
	}
	for _, presets := range heldPresets {
		for i := range presets {
			list = append(list, presets[i].signal, presets[i].signal+"."+evidenceSignal, presets[i].signal+"."+string(FamilyEver))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// mentioned keeps the signals that a query speaks of, so that most rows are to the point.
func (a *answers) mentioned(query string, all []string) []string {
	if list, ok := a.rows[query]; ok {
		return list
	}
	var list []string
	for _, signal := range all {
		if signal != "" && strings.Contains(query, signal) {
			list = append(list, signal)
		}
	}
	list = append(list, "", "nonsense")
	a.rows[query] = list
	return list
}

func (a *answers) Query(_ context.Context, query string, at time.Time) (Result, error) {
	if r, ok := a.known[query]; ok {
		return r, a.errs[query]
	}
	var r Result
	signals := a.mentioned(query, everySignal)
	for range a.n(12) {
		r.Series = append(r.Series, Series{Labels: a.labels(signals), Points: []Point{{T: at.UnixMilli(), V: fuzzVals[a.n(len(fuzzVals))]}}})
	}
	switch a.n(12) {
	case 10:
		r.Warnings = []string{"a store is missing"}
	case 11:
		r, a.errs[query] = Result{}, errFuzz
	}
	a.known[query] = r
	return r, a.errs[query]
}

func (a *answers) QueryRange(context.Context, string, time.Time, time.Time, time.Duration) (Result, error) {
	return Result{}, errFuzz
}

var everySignal = signalsOf()

// labels draws the labels of a row.
func (a *answers) labels(signals []string) Labels {
	pairs := []string{signalLabel, a.of(signals...), "namespace", a.of("ns", "ns", "ns", "other", "")}
	for _, maybe := range [][]string{
		append([]string{"pod"}, podNames...), append([]string{groupLabel}, groups...), append([]string{boundLabel}, bounds...),
		{"deployment", "chat", "other"},
		{"statefulset", "chat"},
		{percentileLabel, "0.95", "0.5", "x"},
		{"owner_kind", "ReplicaSet", "StatefulSet", "Node"},
		{"owner_name", "chat-6f5d9c7b9d", "chat", "other"},
		{"replicaset", "chat-6f5d9c7b9d"},
		{instanceLabel, "10.0.0.1:8000", ""},
		{"model_name", "llama", "qwen"},
		{"exported_namespace", "ns"},
		{"job", "a", "b"},
	} {
		if a.n(3) > 0 {
			pairs = append(pairs, maybe[0], a.of(maybe[1:]...))
		}
	}
	return MakeLabels(pairs...)
}

// inOrder makes the reader ask one query after the other, so that the bytes mean the same
// each time.
func (a *answers) inOrder(r *Reader, at time.Time) error {
	for _, q := range slices.Concat(r.plan.Queries, r.plan.Occasional, r.plan.Custom) {
		if _, err := a.Query(context.Background(), q.Text, at); err != nil && !errors.Is(err, errFuzz) {
			return err
		}
	}
	return nil
}

// fuzzWorkloads use all that can be read.
func fuzzWorkloads() []Workload {
	p := recommender.DefaultPolicy()
	p.Held, p.MaxNumSeqs = true, 16
	p.SLO = recommender.SLO{TTFT: 2 * time.Second, Objective: 0.95}
	for _, m := range recommender.Metrics[:7] {
		p.Signals = append(p.Signals, recommender.Signal{Metric: m, Target: 1, Percentile: 0.95})
	}
	p.Signals = append(p.Signals, recommender.Signal{Metric: recommender.Query, Name: "own", Target: 2})
	chat := Workload{
		Namespace: "ns", Name: "chat", Policy: &p, Held: []HeldSource{{Preset: HeldKEDA}, {Preset: HeldKnative}},
		Queries: []NamedQuery{{Name: "own", Text: "sum(requests)"}},
	}
	set, selected := chat, chat
	set.Kind = StatefulSet
	selected.Name, selected.Selector = "llama", `{model_name="llama"}`
	return []Workload{chat, set, selected}
}

// FuzzObserve lets the input choose the rows of all answers.
func FuzzObserve(f *testing.F) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, size := range []int{0, 50, 300, 1000, 3000} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a := &answers{choice{data}, map[string]Result{}, map[string]error{}, map[string][]string{}}
		workloads := fuzzWorkloads()
		var first []recommender.Observation
		for range 2 {
			r, err := NewReader(a, workloads, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := a.inOrder(r, epoch); err != nil {
				t.Fatal(err)
			}
			list, report := r.Observe(t.Context(), epoch)
			for i := range list {
				checkObservation(t, &list[i], &report)
				d, _ := recommender.Decide(*workloads[i].Policy, recommender.State{}, list[i])
				if _, err := json.Marshal(d.Explain()); err != nil {
					t.Errorf("got %v of a decision", err)
				}
			}
			if first != nil && !reflect.DeepEqual(list, first) {
				t.Errorf("the same answers were read differently:\n%+v\n%+v", first, list)
			}
			first = list
		}
	})
}

// checkObservation reports what can never be true of an observation.
func checkObservation(t *testing.T, o *recommender.Observation, report *Report) {
	t.Helper()
	each(o, func(name string, q recommender.Quantity) {
		if q.Known() && !(q.Value >= 0 && q.Value <= math.MaxFloat64) {
			t.Errorf("%s: got %v as a number", name, q.Value)
		}
		if !q.Known() && q.LowerBound {
			t.Errorf("%s: got a lower bound of nothing: %+v", name, q)
		}
		if q.Known() && (q.At.IsZero() || q.At.Before(time.Unix(0, 0))) {
			t.Errorf("%s: got evidence at %v", name, q.At)
		}
	})
	for name, q := range map[string]recommender.Quantity{"kv": o.KVCacheUsage, "kv max": o.KVCacheUsageMax, "slo miss": o.SLOMiss} {
		if q.Known() && q.Value > 1.01 {
			t.Errorf("%s: got the fraction %v", name, q.Value)
		}
	}
	if o.Ready.Known() && o.Reporting.Known() && o.Reporting.Value > o.Ready.Value {
		t.Errorf("got %v replicas reporting of %v that are ready", o.Reporting.Value, o.Ready.Value)
	}
	for i := range report.Families {
		if f := &report.Families[i]; f.Family == FamilyGauges {
			if f.Err != nil && (o.Running.Known() || o.Waiting.Known()) {
				t.Errorf("got running %+v and waiting %+v without an answer", o.Running, o.Waiting)
			}
			if len(f.Warnings) > 0 && (o.Running.Complete() || o.Waiting.Complete()) {
				t.Errorf("got running %+v and waiting %+v as complete from a partial answer", o.Running, o.Waiting)
			}
		}
	}
}

// each yields every quantity of an observation.
func each(o *recommender.Observation, yield func(string, recommender.Quantity)) {
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		switch field := v.Field(i).Interface().(type) {
		case recommender.Quantity:
			yield(name, field)
		case []recommender.Percentile:
			for _, p := range field {
				yield(name, p.Quantity)
			}
		case []recommender.Answer:
			for _, a := range field {
				yield(name, a.Quantity)
			}
		}
	}
}
