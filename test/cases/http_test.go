package cases

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/promapitest"
)

// A response is an answer, to every request or to those with a header.
type response struct {
	When    string            `json:"when"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

// answer makes the answer of the API. A body that is text is sent as it is.
func (r *response) answer() promapitest.Answer {
	kind, body := "application/json", string(r.Body)
	var text string
	if json.Unmarshal(r.Body, &text) == nil {
		kind, body = "text/plain", text
	}
	a := promapitest.Text(r.Status, kind, body)
	for name, value := range r.Headers {
		a = a.WithHeader(name, value)
	}
	return a
}

// overHTTP runs a case of answers, certificates, tokens or limits of the server.
func overHTTP(t *testing.T, in *input, expected map[string]any) (*run, error) {
	switch {
	case in.Server != "":
		return secured(t, in)
	case in.Timeline != nil:
		return rotated(t, in)
	case in.Fault != "":
		return limited(t, in)
	case in.Responses == nil:
		return nil, fmt.Errorf("nobody can read an input of type %q without responses", in.Type)
	}
	var list []response
	if err := refuseUnknown(in.Responses, &list); err != nil {
		return nil, fmt.Errorf("responses: %w", err)
	}
	if list[0].When != "" {
		return conditional(t, in, list)
	}
	whole := &run{}
	for i := range list {
		part, err := failing(t, in, expected, &list[i])
		if err != nil || len(list) == 1 {
			return part, err
		}
		whole.add(fmt.Sprint(list[i].Status), part)
		whole.all, whole.texts = append(whole.all, part.all...), append(whole.texts, part.texts...)
	}
	return whole, nil
}

// secret is in the configuration of scripted cases, and in no message.
const secret = "hunter2-of-the-case"

// failing answers every request so, after one good round.
func failing(t *testing.T, in *input, expected map[string]any, r *response) (*run, error) {
	s := newScripted(t, in, epoch)
	s.before(in)
	failed := s.page()
	s.fault = always(r.answer())
	a := s.decide()
	s.run.counters = grown(failed, s.page())
	for key := range expected {
		if strings.HasPrefix(key, "check_exit") || strings.HasPrefix(key, "exit_nonzero") {
			s.run.configured = true
			if err := s.check(s.run, a.at); err != nil {
				return nil, err
			}
		}
	}
	return s.run, nil
}

var failures = regexp.MustCompile(`infscale_prometheus_query_failures_total\{cause="(\w+)"\} (\S+)`)

// grown returns by how much the failures of each cause grew from one page to the next.
func grown(before, after string) map[string]float64 {
	list := map[string]float64{}
	for _, m := range failures.FindAllStringSubmatch(after, -1) {
		list[m[1]] = number(m[2])
	}
	for _, m := range failures.FindAllStringSubmatch(before, -1) {
		list[m[1]] -= number(m[2])
	}
	return list
}

// counter judges "errors{type=execution}+1": at least one failure of that kind was counted.
func (j *judge) counter(key string, _ []string, want any) {
	j.judged++
	m := regexp.MustCompile(`=(\w+)\}`).FindStringSubmatch(fmt.Sprint(want))
	if m == nil || j.run.counters[m[1]] < 1 {
		j.errorf("%s: got %v, want %v", key, j.run.counters, want)
	}
}

var header = regexp.MustCompile(`^(no )?([\w-]+)(?:: (.+))?$`)

// conditional answers by a header of the request. The configuration of the case sends it;
// the part without_header does not.
func conditional(t *testing.T, in *input, list []response) (*run, error) {
	with, err := translate(in.YAML)
	if err != nil {
		return nil, err
	}
	r := conditionally(t, in, list, with.top["prometheus"])
	r.add("without_header", conditionally(t, in, list, nil))
	return r, nil
}

func conditionally(t *testing.T, in *input, list []response, prometheus any) *run {
	t.Helper()
	s := newScripted(t, in, epoch)
	set := &settings{namespace: "ns1", targets: []target{{name: "chat"}}, policy: policyOf(in), query: demandQuery}
	if m, ok := prometheus.(map[string]any); ok {
		m["url"] = s.url
		set.top = map[string]any{"prometheus": m}
	}
	s.start(set)
	s.fault = func(r *http.Request) http.Handler {
		for i := range list {
			m := header.FindStringSubmatch(list[i].When)
			if m == nil || (m[1] != "") != (r.Header.Get(m[2]) == "") || (m[3] != "" && r.Header.Get(m[2]) != m[3]) {
				continue
			}
			if list[i].Status == http.StatusOK && r.Form.Get("query") != demandQuery {
				return nil // the truth of all else
			}
			return always(list[i].answer())(r)
		}
		return nil
	}
	s.now = timeOf(string(list[len(list)-1].Body))
	s.decide()
	return s.run
}

// rotated runs a token file that changes while the daemon runs.
func rotated(t *testing.T, in *input) (*run, error) {
	s := newScripted(t, in, epoch)
	file := filepath.Join(t.TempDir(), "token")
	set := &settings{namespace: "ns1", targets: []target{{name: "chat"}}, policy: policyOf(in), query: demandQuery, top: map[string]any{
		"prometheus": map[string]any{"url": s.url, "bearer_token_file": file},
	}}
	whole, started := &run{}, false
	var mu sync.Mutex
	refusals := 0
	for _, k := range in.Timeline {
		if err := os.WriteFile(file, []byte(k.File), 0o600); err != nil {
			return nil, err
		}
		if !started {
			s.start(set)
			started = true
		}
		accepts := "Bearer " + k.Accepts
		good := promapitest.Vector(promapitest.Sample(s.each * s.scene.current))
		mu.Lock()
		refusals = 0
		mu.Unlock()
		s.fault = func(r *http.Request) http.Handler {
			if r.Header.Get("Authorization") != accepts {
				mu.Lock()
				refusals++
				mu.Unlock()
				return always(promapitest.Text(http.StatusUnauthorized, "text/plain", "unauthorized"))(r)
			}
			if r.Form.Get("query") == demandQuery {
				return always(good)(r)
			}
			return nil
		}
		s.now = epoch.Add(time.Duration(k.T) * time.Second)
		a := s.decide()
		part := &run{lab: s.lab, answers: []answer{*a}, all: []answer{*a}}
		part.fact("extra_requests", float64(refusals))
		whole.add(fmt.Sprintf("t%v", k.T), part)
	}
	whole.all, whole.answers, whole.texts = s.run.all, s.run.answers, s.run.texts
	return whole, nil
}

var size = regexp.MustCompile(`(\d{3}) when the request line exceeds (\d+) KiB`)

// limited runs many targets against a server with a limit, or with another fault.
func limited(t *testing.T, in *input) (*run, error) {
	m := size.FindStringSubmatch(in.Fault)
	if m == nil {
		return unreachable(t, in, nil)
	}
	status, _ := strconv.Atoi(m[1])
	kib, _ := strconv.Atoi(m[2])
	l := newLab(t)
	set := &settings{namespace: "ns1"}
	var scenes []scene
	for i := range max(in.Targets, 1) {
		name := fmt.Sprintf("chat-%d", i)
		set.targets = append(set.targets, target{name: name})
		scenes = append(scenes, scene{name: name, current: 1, ready: 1, reporting: 1, running: 4, kv: 0.5})
	}
	l.start(set)
	newFleet(l, "ns1").store(epoch, scenes...)
	var mu sync.Mutex
	longest := 0
	l.fault = func(r *http.Request) http.Handler {
		line := len(r.Method) + 1 + len(r.RequestURI) + 1 + len(r.Proto)
		mu.Lock()
		longest = max(longest, line)
		mu.Unlock()
		if line > kib<<10 {
			return always(promapitest.Text(status, "text/plain", "URI too long"))(r)
		}
		return nil
	}
	r := &run{lab: l, all: l.tick(epoch)}
	for i := range r.all { // the worst is what is judged
		r.answers = append(r.answers, r.all[i])
		if !r.all[i].decision.Valid {
			r.answers = []answer{r.all[i]}
			break
		}
	}
	r.fact("max_request_line_bytes", float64(longest))
	return r, nil
}

// hangs are faults in which no answer comes in time.
var hangs = regexp.MustCompile(`(?i)times? ?out|hang|slow|deadline`)

var repeated = regexp.MustCompile(`(\d+) ticks`)

// unreachable runs a fault of every query, for so many ticks.
func unreachable(t *testing.T, in *input, _ map[string]any) (*run, error) {
	s := newScripted(t, in, epoch)
	s.before(in)
	switch fault := strings.ToLower(in.Fault); {
	case strings.Contains(fault, "refuse"):
		s.server.CloseClientConnections()
		s.server.Close()
	case strings.Contains(fault, "reset"), strings.Contains(fault, "closed"), strings.Contains(fault, "cut"):
		s.fault = always(promapitest.Vector().Closed())
	case hangs.MatchString(fault):
		s.fault = always(promapitest.Vector().Hanging())
	case strings.Contains(fault, "empty"):
		s.fault = always(promapitest.Vector())
	case regexp.MustCompile(`\b[45]\d\d\b`).MatchString(fault):
		status, _ := strconv.Atoi(regexp.MustCompile(`\b[45]\d\d\b`).FindString(fault))
		s.fault = always(promapitest.Text(status, "text/plain", in.Fault))
	default:
		return nil, fmt.Errorf("nobody knows the fault %q", in.Fault)
	}
	n := 1
	if m := repeated.FindStringSubmatch(in.Fault); m != nil {
		n, _ = strconv.Atoi(m[1])
	}
	for range n {
		s.decide()
	}
	return s.run, nil
}

// addressed runs rows of a base address and the path that must be asked.
func addressed(t *testing.T, in *input, _ map[string]any) (*run, error) {
	var rows [][2]string
	if err := json.Unmarshal(in.Rows, &rows); err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector())
	r := &run{}
	var wrong []string
	for _, row := range rows {
		base := regexp.MustCompile(`^https?://[^/]+`).ReplaceAllString(row[0], api.URL)
		cfg := promapi.DefaultConfig()
		cfg.URL = base
		client, err := promapi.New(cfg)
		if err != nil {
			return nil, err
		}
		api.Reset()
		if _, err := client.Query(t.Context(), "up", epoch); err != nil {
			wrong = append(wrong, err.Error())
		}
		for _, request := range api.Requests() {
			r.texts = append(r.texts, request.Path)
			if request.Path != row[1] || request.Query == "" {
				wrong = append(wrong, fmt.Sprintf("%s: got %s with query %q, want %s", row[0], request.Path, request.Query, row[1]))
			}
		}
	}
	r.checks = map[string]func() error{
		"exact paths": func() error {
			if len(wrong) > 0 {
				return fmt.Errorf("%v", wrong)
			}
			return nil
		},
		"'//'": func() error {
			if !strings.Contains(strings.Join(r.texts, " "), "//") {
				return fmt.Errorf("got %v", r.texts)
			}
			return nil
		},
		"silent 301": func() error { return silentRedirect(t) },
	}
	return r, nil
}

// silentRedirect returns nil if a redirected POST loses its query and nobody says so.
func silentRedirect(t *testing.T) error {
	t.Helper()
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Redirect(http.StatusMovedPermanently, "/other/api/v1/query"))
	api.Answer(promapitest.Endpoint("/other/api/v1/query"), promapitest.Vector())
	cfg := promapi.DefaultConfig()
	cfg.URL = api.URL
	client, err := promapi.New(cfg)
	if err != nil {
		return err
	}
	if _, err := client.Query(t.Context(), "up", epoch); err != nil {
		return err
	}
	for _, request := range api.Requests() {
		if request.Query == "" {
			return nil
		}
	}
	return errors.New("every request had its query")
}
