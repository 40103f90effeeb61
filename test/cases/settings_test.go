package cases

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/recommender/config"
)

// heldQuery and demandQuery are what cases read that are about no engine: requests in front
// of the pods, and a number that the server is made to answer with.
const (
	heldQuery   = "sum(gateway_requests_held)"
	demandQuery = "sum(demand)"
)

// A target is a workload of a case.
type target struct {
	// key is its name in the case, name that of its Deployment.
	key, name string
	selector  string
	current   float64
}

// settings become a configuration file.
type settings struct {
	url       string
	namespace string
	targets   []target
	policy    map[string]any
	// held is the query of the held requests; empty if there is no source of them.
	held string
	// query replaces the queue by a query.
	query string
	// ttft adds the latency as an optional signal.
	ttft bool
	// labels are renamed, top adds keys of the file.
	labels map[string]string
	top    map[string]any
	engine string
	cron   []any
}

// base is the policy unless a case says otherwise.
func base() (top, workload map[string]any) {
	top = map[string]any{
		"interval": "15s", "query_offset": "0s", "hold_limit": "600s", "stale_after": "60s",
	}
	workload = map[string]any{
		"replicas":   map[string]any{"min": 1, "max": 8},
		"signals":    []any{map[string]any{"metric": "queue", "target": 4}},
		"cold_start": "90s", "cooldown": "300s",
		"slo": map[string]any{"ttft": "2s", "objective": 0.95},
	}
	return top, workload
}

// parse makes the configuration.
func (s *settings) parse() (*config.Config, error) {
	text, err := s.yaml()
	if err != nil {
		return nil, err
	}
	return config.Parse([]byte(text), "case.yaml")
}

func (s *settings) yaml() (string, error) {
	top, workload := base()
	top["prometheus"] = map[string]any{"url": s.url}
	if s.engine != "" {
		workload["engine"] = s.engine
	}
	if s.cron != nil {
		workload["schedules"] = s.cron
	}
	if s.labels != nil {
		top["labels"] = s.labels
	}
	if s.query != "" {
		workload["signals"] = []any{map[string]any{"name": "demand", "query": s.query, "type": "total", "target": 4}}
	}
	if err := apply(top, workload, s.policy); err != nil {
		return "", err
	}
	if s.ttft {
		objective, err := model.ParseDuration(fmt.Sprint(workload["slo"].(map[string]any)["ttft"]))
		if err != nil {
			return "", err
		}
		signal := map[string]any{"metric": "ttft", "target": time.Duration(objective).Seconds(), "optional": true}
		workload["signals"] = append(workload["signals"].([]any), signal)
	}
	if s.held != "" {
		workload["held"] = []any{map[string]any{"query": s.held}}
	}
	maps.Copy(top, s.top)
	var list []any
	for _, t := range s.targets {
		w := maps.Clone(workload)
		w["namespace"], w["name"] = s.namespace, t.name
		if t.selector != "" {
			w["selector"] = t.selector
		}
		list = append(list, w)
	}
	top["workloads"] = list
	text, err := yaml.Marshal(top)
	return string(text), err
}

// apply puts the keys of a policy where they belong. One that nobody knows is an error.
func apply(top, workload, policy map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(policy)) {
		value := policy[key]
		switch key {
		case "signals":
			if err := applySignals(workload, value); err != nil {
				return err
			}
			continue
		case "kv_target":
			signals := workload["signals"].([]any)
			workload["signals"] = append(signals, map[string]any{"metric": "kv_cache_usage", "target": value})
			continue
		case "wake_on":
			continue // a source of held requests
		case "cron", "schedules":
			workload["schedules"] = schedules(value)
			continue
		}
		path, ok := policyKeys[key]
		if !ok {
			return fmt.Errorf("the policy: no key of ours for %q", key)
		}
		if strings.HasSuffix(key, "_s") {
			value = seconds(value)
		}
		if key == "tolerance" {
			value = map[string]any{"up": value, "down": value}
		}
		if rest, whole := strings.CutPrefix(path, "/"); whole {
			put(top, rest, value)
		} else {
			put(workload, path, value)
		}
	}
	return nil
}

// schedules are ours for one cron of the cases, or for a list of them.
func schedules(value any) []any {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	var ours []any
	for _, v := range list {
		if cron, ok := v.(map[string]any); ok {
			ours = append(ours, schedule(cron))
		}
	}
	return ours
}

// seconds writes a number as a duration.
func seconds(v any) string {
	n, _ := v.(float64)
	return strconv.FormatFloat(n*1000, 'f', -1, 64) + "ms"
}

// put sets a value in maps of maps and lists.
func put(m map[string]any, path string, value any) {
	first, rest, deep := strings.Cut(path, ".")
	if !deep {
		m[first] = value
		return
	}
	if list, ok := m[first].([]any); ok {
		_, rest, _ = strings.Cut(rest, ".")
		put(list[0].(map[string]any), rest, value)
		return
	}
	inner, ok := m[first].(map[string]any)
	if !ok {
		inner = map[string]any{}
		m[first] = inner
	}
	put(inner, rest, value)
}

// signalTargets are the targets of signals for which a case names none.
var signalTargets = map[string]float64{"kv_cache_usage": 0.7, "ttft": 2}

// applySignals adds the signals of {queue: required, kv: optional}.
func applySignals(workload map[string]any, value any) error {
	words, ok := value.(map[string]any)
	if !ok {
		return fmt.Errorf("the policy: signals: got %v, want a mapping", value)
	}
	signals := workload["signals"].([]any)
	for _, word := range slices.Sorted(maps.Keys(words)) {
		metric, ok := signalWords[word]
		if !ok {
			return fmt.Errorf("the policy: no signal of ours for %q", word)
		}
		optional := words[word] == "optional"
		if signals[0].(map[string]any)["metric"] == string(metric) {
			signals[0].(map[string]any)["optional"] = optional
			continue
		}
		signals = append(signals, map[string]any{"metric": string(metric), "target": signalTargets[string(metric)], "optional": optional})
	}
	workload["signals"] = signals
	return nil
}
