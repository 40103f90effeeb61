package hpa

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// The types below are the form of the vectors; testdata/vectors/README.md explains it.

type scenario struct {
	ID     string `json:"id"`
	Policy struct {
		Min       *int32         `json:"min"`
		Max       int32          `json:"max"`
		Metrics   []vectorMetric `json:"metrics"`
		Tolerance float64        `json:"tolerance"`
		Window    float64        `json:"down_window_flag"`
		Gate      bool           `json:"scale_to_zero_gate"`
		Behaviour *vectorRules   `json:"behavior"`
	} `json:"policy"`
	Ticks []tick `json:"ticks"`
}

type vectorMetric struct {
	Type   Kind   `json:"type"`
	Target string `json:"target"`
}

type vectorRules struct {
	Up   vectorDirection `json:"scaleUp"`
	Down vectorDirection `json:"scaleDown"`
}

type vectorDirection struct {
	Window    *float64 `json:"stabilizationWindowSeconds"`
	Select    string   `json:"selectPolicy"`
	Tolerance *string  `json:"tolerance"`
	Policies  []struct {
		Type   string  `json:"type"`
		Value  int32   `json:"value"`
		Period float64 `json:"periodSeconds"`
	} `json:"policies"`
}

type tick struct {
	T       float64      `json:"t"`
	Edit    *vectorEdit  `json:"edit"`
	Current int32        `json:"current"`
	Status  *int32       `json:"status"`
	Metrics []quantities `json:"metrics"`
	Pods    []vectorPod  `json:"pods"`

	Raw     *int32   `json:"raw"`
	Winner  *int     `json:"winner"`
	Desired int32    `json:"desired"`
	Rescale string   `json:"rescale"`
	Reasons []string `json:"reasons"`
}

type vectorEdit struct {
	Min       *int32          `json:"min"`
	Max       *int32          `json:"max"`
	Targets   []string        `json:"targets"`
	Behaviour json.RawMessage `json:"behavior"`
}

type vectorPod struct {
	Phase    Phase     `json:"phase"`
	NotReady bool      `json:"not_ready"`
	NoCond   bool      `json:"no_cond"`
	Deleting bool      `json:"deleting"`
	Start    *float64  `json:"start_age"`
	Ready    float64   `json:"ready_age"`
	Age      float64   `json:"m_age"`
	Window   *float64  `json:"m_window"`
	Request  *int64    `json:"request_m"`
	Values   []*string `json:"v"`
}

// quantities are null, one quantity, or a list of them.
type quantities []string

func (q *quantities) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(q))
	}
	var one *string
	if err := json.Unmarshal(b, &one); err != nil || one == nil {
		return err
	}
	*q = quantities{*one}
	return nil
}

var vectorSelects = map[string]Select{"": Max, "Max": Max, "Min": Min, "Disabled": Disabled}

var vectorPolicies = map[string]PolicyType{"Pods": Pods, "Percent": Percent}

// seconds rounds to the milliseconds that the vectors are written in.
func seconds(s float64) time.Duration {
	return time.Duration(math.Round(s*1000)) * time.Millisecond
}

func (s *scenario) spec(t *testing.T) *Spec {
	f := DefaultFlags()
	f.DownWindow, f.Tolerance, f.ScaleToZero = seconds(s.Policy.Window), s.Policy.Tolerance, s.Policy.Gate
	spec := &Spec{Min: 1, Max: s.Policy.Max, Flags: f}
	if s.Policy.Min != nil {
		spec.Min = *s.Policy.Min
	}
	for i, m := range s.Policy.Metrics {
		metric := Metric{Kind: m.Type, Name: fmt.Sprintf("q%d", i), Object: "Service"}
		if strings.HasPrefix(string(m.Type), "Resource/") {
			metric.Name = CPU
		}
		spec.Metrics = append(spec.Metrics, metric)
		setTarget(t, &spec.Metrics[i], m.Target)
	}
	spec.Behaviour = s.Policy.Behaviour.build(t, f)
	return spec
}

func setTarget(t *testing.T, m *Metric, s string) {
	m.Target = milli(t, s)
	if m.Kind == ResourceUtilization {
		m.Target /= 1000 // percent
	}
}

func milli(t *testing.T, s string) int64 {
	n, err := ParseQuantity(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (r *vectorRules) build(t *testing.T, f Flags) *Behaviour {
	if r == nil {
		return nil
	}
	return &Behaviour{Up: r.Up.build(t, 0, f), Down: r.Down.build(t, f.DownWindow, f)}
}

func (d *vectorDirection) build(t *testing.T, window time.Duration, f Flags) Direction {
	if d.Window != nil {
		window = seconds(*d.Window)
	}
	to := Direction{Rules: Rules{Window: window, Select: vectorSelects[d.Select]}, Tolerance: f.Tolerance}
	if to.Select == "" {
		t.Fatalf("selectPolicy %q", d.Select)
	}
	if d.Tolerance != nil {
		var err error
		if to.Tolerance, err = ParseTolerance(*d.Tolerance); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range d.Policies {
		to.Policies = append(to.Policies, Policy{vectorPolicies[p.Type], p.Value, seconds(p.Period)})
	}
	return to
}

func (e *vectorEdit) apply(t *testing.T, spec *Spec) {
	if e == nil {
		return
	}
	if e.Min != nil {
		spec.Min = *e.Min
	}
	if e.Max != nil {
		spec.Max = *e.Max
	}
	for i, s := range e.Targets {
		setTarget(t, &spec.Metrics[i], s)
	}
	if e.Behaviour != nil {
		var r *vectorRules // null is the legacy path
		if err := json.Unmarshal(e.Behaviour, &r); err != nil {
			t.Fatal(err)
		}
		spec.Behaviour = r.build(t, spec.Flags)
	}
}

func (k *tick) observation(t *testing.T, now time.Time) *Observation {
	o := &Observation{Replicas: k.Current, Status: k.Current}
	if k.Status != nil {
		o.Status = *k.Status
	}
	for _, q := range k.Metrics {
		var series []int64
		for _, s := range q {
			series = append(series, milli(t, s))
		}
		o.Values = append(o.Values, series)
	}
	for i := range k.Pods {
		o.Pods = append(o.Pods, k.Pods[i].pod(t, now))
	}
	return o
}

func (p *vectorPod) pod(t *testing.T, now time.Time) Pod {
	to := Pod{Phase: p.Phase, Gone: p.Phase == "Gone", Deleting: p.Deleting, ReadySince: now.Add(-seconds(p.Ready))}
	switch {
	case p.NoCond:
	case p.NotReady:
		to.Ready = NotReady
	default:
		to.Ready = Ready
	}
	if p.Start != nil {
		to.Started = now.Add(-seconds(*p.Start))
	}
	if p.Request != nil {
		to.Request = Amount{*p.Request, true}
	}
	window := time.Minute
	if p.Window != nil {
		window = seconds(*p.Window)
	}
	for _, v := range p.Values {
		sample := Sample{Time: now.Add(-seconds(p.Age)), Window: window}
		if v != nil {
			sample.Amount = Amount{milli(t, *v), true}
		}
		to.Samples = append(to.Samples, sample)
	}
	return to
}

// outcome is all that a vector says about a tick, as one line.
type outcome struct {
	desired     int32
	raw, winner string
	rescale     string
	reasons     string
}

func (k *tick) want() outcome {
	o := outcome{k.Desired, "none", "none", k.Rescale, strings.Join(k.Reasons, " ")}
	if k.Raw != nil {
		o.raw = fmt.Sprint(*k.Raw)
	}
	if k.Winner != nil {
		o.winner = fmt.Sprint(*k.Winner)
	}
	return o
}

func got(spec *Spec, d *Decision) outcome {
	var reasons []string
	for _, c := range d.Conditions.All() {
		reasons = append(reasons, c.String())
	}
	o := outcome{d.Desired, "none", "none", d.Reason(spec), strings.Join(reasons, " ")}
	if d.Winner >= 0 {
		o.raw, o.winner = fmt.Sprint(d.Raw), fmt.Sprint(d.Winner)
	}
	return o
}

func (o outcome) String() string {
	return fmt.Sprintf("desired %d, raw %s, winner %s, rescale %q, %s", o.desired, o.raw, o.winner, o.rescale, o.reasons)
}

// TestVectors replays recorded ticks of the real controller. INFSCALE_VECTORS names
// another folder than the sample that is part of the repository.
func TestVectors(t *testing.T) {
	folder := "testdata/vectors"
	if f := os.Getenv("INFSCALE_VECTORS"); f != "" {
		folder = f
	}
	var scenarios, ticks, differences int
	for s := range readVectors(t, folder) {
		scenarios++
		ticks += len(s.Ticks)
		for at, diff := range s.replay(t) {
			if differences++; differences <= 10 {
				t.Errorf("%s tick %d (t=%v): %s", s.ID, at, s.Ticks[at].T, diff)
			}
		}
	}
	if ticks == 0 {
		t.Errorf("no vectors in %s", folder)
	}
	if differences > 0 {
		t.Errorf("got %d differing ticks, want none", differences)
	}
	fmt.Printf("vectors: %d scenarios, %d ticks, %d differences\n", scenarios, ticks, differences)
}

// replay yields the ticks that differ.
func (s *scenario) replay(t *testing.T) func(yield func(int, string) bool) {
	return func(yield func(int, string) bool) {
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		spec, state := s.spec(t), &State{}
		for i := range s.Ticks {
			k := &s.Ticks[i]
			k.Edit.apply(t, spec)
			now := start.Add(seconds(k.T))
			d := state.Reconcile(now, spec, k.observation(t, now))
			if got, want := got(spec, &d), k.want(); got != want {
				if !yield(i, fmt.Sprintf("got  %v\nwant %v", got, want)) {
					return
				}
			}
		}
	}
}

// readVectors yields the scenarios of every *.jsonl and *.jsonl.gz of folder.
func readVectors(t *testing.T, folder string) func(yield func(*scenario) bool) {
	names := slices.Concat(glob(t, folder, "*.jsonl"), glob(t, folder, "*.jsonl.gz"))
	return func(yield func(*scenario) bool) {
		for _, name := range names {
			for line, text := range lines(t, name) {
				s := new(scenario)
				if err := json.Unmarshal(text, s); err != nil {
					t.Fatalf("%s:%d: %v", name, line, err)
				}
				if !yield(s) {
					return
				}
			}
		}
	}
}

func glob(t *testing.T, folder, pattern string) []string {
	names, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// lines yields the lines of a file that are not empty, with their numbers.
func lines(t *testing.T, name string) func(yield func(int, []byte) bool) {
	return func(yield func(int, []byte) bool) {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		var r io.Reader = f
		if strings.HasSuffix(name, ".gz") {
			if r, err = gzip.NewReader(f); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		scan := bufio.NewScanner(r)
		scan.Buffer(nil, 64<<20)
		for n := 1; scan.Scan(); n++ {
			if text := bytes.TrimSpace(scan.Bytes()); len(text) > 0 && !yield(n, text) {
				return
			}
		}
		if err := scan.Err(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}
