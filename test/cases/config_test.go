package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/promapitest"
)

// mistakeWords are the reasons that a refused configuration would have had.
var mistakeWords = map[string]string{"is a counter": "counter-as-gauge"}

// refused is what becomes of a configuration.
func refused(s *settings) (*run, error) {
	_, err := s.yaml()
	return rejected(s), err
}

// rejected reads a configuration.
func rejected(s *settings) *run {
	r := &run{}
	if _, r.rejected = s.parse(); r.rejected == nil {
		return r
	}
	r.texts = append(r.texts, r.rejected.Error())
	for message, word := range mistakeWords {
		if strings.Contains(r.rejected.Error(), message) {
			r.fact("reason_class", word)
		}
	}
	return r
}

// configured runs a case of a configuration.
func configured(t *testing.T, in *input, expected map[string]any) (*run, error) {
	s, err := translate(in.YAML)
	if err != nil {
		return nil, err
	}
	r := rejected(s)
	if text, ok := expected["typo"].(string); ok {
		wrong, err := misspell(in.YAML, text)
		if err != nil {
			return nil, err
		}
		r.add("with the typo", rejected(wrong))
	}
	if strings.Contains(in.Env, "zoneinfo") {
		if err := embedsZones(t); err != nil {
			return nil, err
		}
	}
	for key := range expected {
		if strings.HasPrefix(key, "runtime") && in.Response != nil {
			r.add(key, withoutHeld(t, in, s))
		}
	}
	return r, nil
}

// translate reads a configuration in the words of the cases. A key that nobody knows is an error.
func translate(text string) (*settings, error) {
	var from map[string]any
	if err := yaml.Unmarshal([]byte(text), &from); err != nil {
		return nil, fmt.Errorf("the configuration of the case: %w", err)
	}
	s := &settings{url: "http://prometheus:9090", namespace: "ns1", policy: map[string]any{}, top: map[string]any{}}
	for _, key := range slices.Sorted(maps.Keys(from)) {
		switch value := from[key].(type) {
		case map[string]any:
			if err := s.section(key, value); err != nil {
				return nil, err
			}
		case []any:
			if key != "targets" {
				return nil, fmt.Errorf("the configuration of the case: nobody knows the list %q", key)
			}
			for _, t := range value {
				if err := s.target(t); err != nil {
					return nil, err
				}
			}
		default:
			s.policy[key] = float(value)
		}
	}
	if len(s.targets) == 0 {
		s.targets = []target{{name: "chat"}}
	}
	return s, nil
}

// float makes numbers those of JSON.
func float(v any) any {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	return v
}

// section reads one mapping of the configuration.
func (s *settings) section(key string, value map[string]any) error {
	switch key {
	case "prometheus":
		value["url"] = s.url
		s.top["prometheus"] = value
	case "cron":
		s.cron = append(s.cron, schedule(value))
	case "signals":
		return s.signals(value)
	case "policy":
		for k, v := range value {
			s.policy[k] = float(v)
		}
	case "labels":
		s.top["labels"] = value
	default:
		return fmt.Errorf("the configuration of the case: nobody knows the section %q", key)
	}
	return nil
}

// schedule is ours for a cron of the cases, which may leave out the time zone.
func schedule(cron map[string]any) map[string]any {
	zone := cron["timezone"]
	if zone == nil {
		zone = "UTC"
	}
	return map[string]any{"timezone": zone, "start": cron["start"], "end": cron["end"], "min": cron["replicas"]}
}

// signals reads {queue: vllm} and {running: 'sglang:num_running_reqs'}: an engine, or a metric.
func (s *settings) signals(value map[string]any) error {
	for word, from := range value {
		metric, ok := signalWords[word]
		text := fmt.Sprint(from)
		switch {
		case !ok:
			return fmt.Errorf("the configuration of the case: no signal of ours for %q", word)
		case slices.Contains(promapi.Engines(), text):
			s.engine = text
		case text == "required", text == "optional":
			s.policy["signals"] = value
		default:
			s.query = fmt.Sprintf("sum(%s)", text)
		}
		_ = metric
	}
	return nil
}

// target reads {name: a, deployment: ns1/chat, min: 0}.
func (s *settings) target(v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("the configuration of the case: got %v, want a target", v)
	}
	t := target{}
	for key, value := range m {
		switch key {
		case "name":
			if t.name == "" {
				t.name = fmt.Sprint(value)
			}
		case "deployment":
			s.namespace, t.name, _ = strings.Cut(fmt.Sprint(value), "/")
		case "signals":
			signals, _ := value.(map[string]any)
			if err := s.signals(signals); err != nil {
				return err
			}
		case "engine":
			s.engine = fmt.Sprint(value)
		case "selector":
			t.selector = fmt.Sprint(value)
		case "held":
			s.held = heldQuery
		default:
			s.policy[key] = float(value)
		}
	}
	if deployment, ok := m["deployment"]; ok {
		_, t.name, _ = strings.Cut(fmt.Sprint(deployment), "/")
	}
	s.targets = append(s.targets, t)
	return nil
}

var misspelt = regexp.MustCompile(`^(\w+): (\S+) ->`)

// misspell returns the configuration with another value of a key.
func misspell(text, how string) (*settings, error) {
	m := misspelt.FindStringSubmatch(how)
	if m == nil {
		return nil, fmt.Errorf("nobody can misspell %q", how)
	}
	return translate(regexp.MustCompile(m[1]+`: [^,}\n]+`).ReplaceAllString(text, m[1]+": "+m[2]))
}

// withoutHeld runs the configuration, with a source of held requests that gives the answer
// of the case, for long enough that alerts fire.
func withoutHeld(t *testing.T, in *input, s *settings) *run {
	l := newLab(t)
	l.scraped = true
	c := *s
	c.url, c.held = l.url, heldQuery
	c.top = maps.Clone(s.top)
	l.start(&c)
	body := string(in.Response)
	l.fault = func(r *http.Request) http.Handler {
		if r.Form.Get("query") == heldQuery {
			return always(promapitest.JSON(http.StatusOK, body))(r)
		}
		return nil
	}
	r := &run{lab: l}
	f := newFleet(l, c.namespace)
	for at := epoch; !at.After(epoch.Add(15 * time.Minute)); at = at.Add(interval * time.Second) {
		var k tick
		if n, ok := in.State.Current.(float64); ok {
			k.Current = &n
		}
		f.store(at, k.scene(&scene{name: c.targets[0].name}))
		r.all = append(r.all, l.tick(at)[0])
	}
	r.answers = r.all[len(r.all)-1:]
	return r
}

// refuseUnknown decodes JSON and knows all fields.
func refuseUnknown(data []byte, to any) error {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.DisallowUnknownFields()
	return d.Decode(to)
}

// embedsZones reports whether the program brings the zones that a minimal image lacks.
func embedsZones(t *testing.T) error {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}`, "../../cmd/recommender")
	imports, err := command.Output()
	if err == nil && !slices.Contains(strings.Fields(string(imports)), "time/tzdata") {
		err = errors.New("the program does not embed the time zones")
	}
	return err
}
