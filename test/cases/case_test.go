package cases

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
)

// A fault is one known fault.
type fault struct {
	ID       string          `json:"id"`
	Kind     string          `json:"kind"`
	Title    string          `json:"title"`
	Source   any             `json:"source"`
	Input    json.RawMessage `json:"input"`
	Expected map[string]any  `json:"expected"`
}

// An input is what is put in. Which fields there are depends on the type.
type input struct {
	Type string `json:"type"`

	State   state          `json:"state"`
	Policy  map[string]any `json:"policy"`
	Config  string         `json:"config"`
	YAML    string         `json:"yaml"`
	Env     string         `json:"env"`
	Fixture string         `json:"fixture"`

	// Of a timeline.
	Ticks     []tick   `json:"ticks"`
	History   []past   `json:"history"`
	RestartAt *float64 `json:"restart_at"`

	// Of series in a real Prometheus.
	Interval string   `json:"interval"`
	Series   []series `json:"input_series"`
	Checks   []check  `json:"checks"`

	// Of answers, connections and files.
	Response  json.RawMessage `json:"response"`
	Responses json.RawMessage `json:"responses"`
	Variants  json.RawMessage `json:"variants"`
	Timeline  []rotation      `json:"timeline"`
	Fault     string          `json:"fault"`
	Server    string          `json:"server"`
	Targets   int             `json:"targets"`
	When      string          `json:"when"`
	Requests  []string        `json:"requests"`

	// Of tables and lists.
	Rows        json.RawMessage `json:"rows"`
	HPA         map[string]any  `json:"hpa"`
	Fixtures    []string        `json:"fixtures"`
	FixturePage []string        `json:"fixture_page"`
}

// A state is what holds before the case begins.
type state struct {
	Current      any            `json:"current"` // a number, or one for each target
	LastDesired  *float64       `json:"last_desired"`
	LastInflight *float64       `json:"last_good_inflight"`
	Inflight     *float64       `json:"inflight"`
	ReadyPods    *float64       `json:"ready_pods"`
	Held         *float64       `json:"held"`
	Desired      *float64       `json:"desired"`
	Target       string         `json:"target"`
	Policy       map[string]any `json:"policy"`
}

// A tick is what is there at one time, or through a span of times.
type tick struct {
	T              any      `json:"t"`
	Inflight       amount   `json:"inflight"`
	Running        amount   `json:"running"`
	Waiting        amount   `json:"waiting"`
	Held           amount   `json:"held"`
	Current        *float64 `json:"current"`
	Ready          *float64 `json:"ready"`
	Series         *float64 `json:"series"`
	StatusReplicas *float64 `json:"status_replicas"`
	TokensPerS     *float64 `json:"tokens_per_s"`
	KV             amount   `json:"kv"`
	Query          string   `json:"query"`
	PodSeries      string   `json:"pod_series"`
	PodsReporting  string   `json:"pods_reporting"`
	LastDesired    *float64 `json:"last_desired"`
}

// none is the value of a series that is not there.
const none = -math.MaxFloat64

// An amount is a number, or a word for why there is none: "NaN" and "+Inf" are samples, any
// other word is a series that is not there.
type amount struct {
	value float64
	said  bool
}

func exactly(v float64) amount { return amount{v, true} }

// UnmarshalJSON reads a number or a word.
func (a *amount) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	a.said, a.value = v != nil, none
	switch v := v.(type) {
	case float64:
		a.value = v
	case string:
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			a.value = n
		}
	}
	return nil
}

// A past is what was proposed before the first tick.
type past struct {
	T   float64 `json:"t"`
	Raw float64 `json:"raw"`
}

// A series is one line of a rule test.
type series struct {
	Series string `json:"series"`
	Values string `json:"values"`
}

// A check is a query of a naive reader, and what it sees.
type check struct {
	At      string `json:"at"`
	Expr    string `json:"expr"`
	Samples []struct {
		Labels string `json:"labels"`
		Value  any    `json:"value"`
	} `json:"samples"`
}

// A rotation is a credential from some time on.
type rotation struct {
	T       float64 `json:"t"`
	File    string  `json:"file"`
	Accepts string  `json:"server_accepts"`
}

// read reads the input of a case. A field that nothing here knows is an error.
func (f *fault) read() (*input, error) {
	d := json.NewDecoder(bytes.NewReader(f.Input))
	d.DisallowUnknownFields()
	var in input
	if err := d.Decode(&in); err != nil {
		return nil, fmt.Errorf("the input: %w", err)
	}
	return &in, nil
}

// load reads the cases.
func load(t *testing.T) []fault {
	t.Helper()
	name := cmp.Or(os.Getenv("INFSCALE_CASES"), "testdata/cases.jsonl")
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var list []fault
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var f fault
		if err := json.Unmarshal(lines.Bytes(), &f); err != nil {
			t.Fatalf("%s:%d: %v", name, len(list)+1, err)
		}
		list = append(list, f)
	}
	if err := lines.Err(); err != nil || len(list) == 0 {
		t.Fatalf("%s: got %d cases and error %v, want some", name, len(list), err)
	}
	return list
}
