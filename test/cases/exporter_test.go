package cases

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"github.com/infscale/infscale/promapi/promapitest"
	"github.com/infscale/infscale/recommender/config"
	"github.com/infscale/infscale/recommender/daemon"
)

// A process is the real daemon, on the wall clock.
type process struct {
	t   *testing.T
	url string
}

// startDaemon runs a daemon until the test ends.
func startDaemon(t *testing.T, s *settings) (*process, error) {
	t.Helper()
	c, err := s.parse()
	if err != nil {
		return nil, err
	}
	d, err := daemon.New(daemon.Options{
		Load: func() (*config.Config, error) { return c, nil }, Registry: prometheus.NewRegistry(),
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	})
	return &process{t: t, url: d.URL()}, nil
}

// get asks for the page with the headers of a line: "Accept: */*".
func (p *process) get(path, headers string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		return nil, nil, err
	}
	if name, value, ok := strings.Cut(headers, ": "); ok {
		req.Header.Set(name, value)
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body := io.Reader(resp.Body)
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(resp.Body); err != nil {
			return nil, nil, err
		}
	}
	page, err := io.ReadAll(body)
	return resp, page, err
}

// await asks for the page until it has what a pattern says.
func (p *process) await(ctx context.Context, pattern *regexp.Regexp) (string, error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		_, page, err := p.get("/metrics", "")
		if err != nil || pattern.Match(page) {
			return string(page), err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return string(page), fmt.Errorf("await %s: %w", pattern, ctx.Err())
		}
	}
}

// patience bounds what must happen soon, on a machine that may be busy.
const patience = 20 * time.Second

// exported runs a case of the page of the real daemon.
func exported(t *testing.T, in *input, _ map[string]any) (*run, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p, err := processOf(ctx, t, in)
	if err != nil {
		return nil, err
	}
	_, page, err := p.get("/metrics", "")
	if err != nil {
		return nil, err
	}
	r := &run{texts: []string{string(page)}}
	requests := in.Requests
	if requests == nil {
		requests = []string{"no Accept header"}
	}
	r.checks = pageChecks(p, string(page), requests)
	return r, nil
}

// processOf starts the daemon of a case: one whose first query hangs, or one that has decided.
func processOf(ctx context.Context, t *testing.T, in *input) (*process, error) {
	set := &settings{namespace: "ns1", targets: []target{{name: "chat"}}, policy: policyOf(in), top: map[string]any{"interval": "1s"}}
	if strings.Contains(in.When, "first query still running") {
		api, asked := promapitest.New(t), make(chan struct{}, 64)
		api.Answer(func(promapitest.Request) bool { asked <- struct{}{}; return true }, promapitest.Vector().Hanging())
		set.url, set.top["interval"] = api.URL, "15s"
		p, err := startDaemon(t, set)
		if err != nil {
			return nil, err
		}
		select {
		case <-asked:
			return p, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	desired := 3.0
	if n := in.State.Desired; n != nil {
		desired = *n
		set.policy["max"] = max(8, desired)
	}
	l := newLab(t)
	set.url = l.url
	k := tick{Current: &desired, Inflight: exactly(4 * desired)}
	newFleet(l, "ns1").store(time.Now().Add(-2*time.Second), k.scene(&scene{name: "chat"}))
	p, err := startDaemon(t, set)
	if err != nil {
		return nil, err
	}
	_, err = p.await(ctx, regexp.MustCompile(`(?m)^infscale_desired_replicas\{`))
	return p, err
}

var sampleLine = regexp.MustCompile(`^[a-zA-Z_:][\w:]*(\{([a-zA-Z_]\w*="([^"\\]|\\.)*",?)*\})? [^ ]+$`)

// desiredLines are the samples of the recommendation on a page.
func desiredLines(page string) []string {
	return regexp.MustCompile(`(?m)^infscale_desired_replicas\{.*$`).FindAllString(page, -1)
}

// pageChecks are what the cases ask of a page.
func pageChecks(p *process, page string, requests []string) map[string]func() error {
	return map[string]func() error{
		"no infscale_desired_replicas sample": func() error {
			if list := desiredLines(page); len(list) > 0 {
				return fmt.Errorf("got %v", list)
			}
			return nil
		},
		"decision-valid series = 0": func() error {
			if !regexp.MustCompile(`(?m)^infscale_decision_valid\{.*\} 0$`).MatchString(page) {
				return errors.New("got no infscale_decision_valid of 0")
			}
			return nil
		},
		"infscale_desired_replicas 0": func() error { return hasDesired(page, "0") },
		"sample value is 9":           func() error { return hasDesired(page, "9") },
		"9000m":                       func() error { return contains(page, "9000m") },
		"9.0001":                      func() error { return hasDesired(page, "9.0001") },
		"docs row":                    documentsRendering,
		"each sample line has exactly name{labels} value": func() error {
			for line := range strings.Lines(page) {
				if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' && !sampleLine.MatchString(line) {
					return fmt.Errorf("got %q", line)
				}
			}
			return nil
		},
		"third field": func() error {
			return contains(regexp.MustCompile(`(?m)^[^#].*\} \S+ \S+$`).FindString(page), " ")
		},
		"valid content-type in each answer": func() error { return p.each(requests, checkType) },
		"parses":                            func() error { return p.each(requests, checkSyntax) },
		"ends with newline": func() error {
			return p.each(requests, func(_ *http.Response, page []byte) error {
				if len(page) == 0 || page[len(page)-1] != '\n' {
					return errors.New("got no line feed at the end")
				}
				return nil
			})
		},
	}
}

func contains(text, part string) error {
	if !strings.Contains(text, part) {
		return fmt.Errorf("no %q there", part)
	}
	return nil
}

// hasDesired returns nil if a recommendation has the value.
func hasDesired(page, value string) error {
	for _, line := range desiredLines(page) {
		if strings.HasSuffix(line, "} "+value) {
			return nil
		}
	}
	return fmt.Errorf("got %v", desiredLines(page))
}

// documentsRendering returns nil if the documentation says what an HPA makes of the number.
func documentsRendering() error {
	for _, name := range []string{"README.md", "CONFIGURATION.md", "deploy/k8s/README.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err == nil && strings.Contains(string(text), "1/1 (avg)") {
			return nil
		}
	}
	return errors.New("no document shows 1/1 (avg)")
}

// each checks the answer to every request.
func (p *process) each(requests []string, check func(*http.Response, []byte) error) error {
	for _, headers := range requests {
		resp, page, err := p.get("/metrics", headers)
		if err == nil {
			err = check(resp, page)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", headers, err)
		}
	}
	return nil
}

// checkType wants a media type that Prometheus 3 takes.
func checkType(resp *http.Response, _ []byte) error {
	kind, params, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil {
		return err
	}
	if params["version"] == "" || (kind != "text/plain" && kind != "application/openmetrics-text") {
		return fmt.Errorf("got %q", resp.Header.Get("Content-Type"))
	}
	return nil
}

// checkSyntax reads the page as Prometheus does.
func checkSyntax(resp *http.Response, page []byte) error {
	p, err := textparse.New(page, resp.Header.Get("Content-Type"), labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		return err
	}
	for {
		if _, err := p.Next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
	}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/plain") {
		parser := expfmt.NewTextParser(model.LegacyValidation)
		_, err = parser.TextToMetricFamilies(bufio.NewReader(strings.NewReader(string(page))))
	}
	return err
}

var (
	missed     = regexp.MustCompile(`(?m)^infscale_evaluations_missed_total (\d+)`)
	slowAnswer = regexp.MustCompile(`each query answers after (\d+) s`)
)

// slowed runs a configuration that must be refused, and the real daemon against a server that
// answers later than the next decision is due. Its seconds are shorter than those of the case.
func slowed(t *testing.T, in *input, expected map[string]any) (*run, error) {
	set, err := translate(in.YAML)
	if err != nil {
		return nil, err
	}
	r := rejected(set)
	if _, ok := expected["runtime"]; !ok {
		return r, nil
	}
	if !slowAnswer.MatchString(in.Fault) {
		return nil, fmt.Errorf("nobody knows the fault %q", in.Fault)
	}
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector().Hanging()) // later than any timeout
	before := runtime.NumGoroutine()
	p, err := startDaemon(t, &settings{url: api.URL, namespace: "ns1", targets: []target{{name: "chat"}}, top: map[string]any{"interval": "1s"}})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	page, ticks, err := p.pace(ctx)
	if err != nil {
		return nil, err
	}
	part := &run{texts: []string{page}}
	part.fact("ticks_per_min", math.Round(ticks*60/intervalOf(in)))
	bounded := "bounded"
	if grown := runtime.NumGoroutine() - before; grown > 100 {
		bounded = fmt.Sprintf("%d more", grown)
	}
	part.fact("goroutines", bounded)
	part.fact("verdict", pageVerdict(page))
	for word, reason := range reasonWords {
		if reasonsOf(page)[string(reason)] && word == "query-error" {
			part.fact("reason_class", word)
		}
	}
	r.add("runtime", part)
	return r, nil
}

// pace returns how many evaluations there are in an interval, over three in a row. A stretch in
// which this machine was too busy for one does not count.
func (p *process) pace(ctx context.Context) (page string, ticks float64, err error) {
	var first, late float64
	var began time.Time
	for n := 1; ; n++ {
		page, err = p.await(ctx, regexp.MustCompile(fmt.Sprintf(`(?m)^infscale_evaluation_duration_seconds_count (%d|\d{3,})$`, n)))
		if err != nil {
			return page, 0, err
		}
		if now := number(missed.FindStringSubmatch(page)[1]); n == 1 || now > late {
			first, late, began = float64(n), now, time.Now()
		}
		if float64(n) == first+3 {
			return page, 3 / time.Since(began).Seconds(), nil
		}
	}
}

// intervalOf is that of the case, in seconds.
func intervalOf(in *input) float64 {
	if n, ok := in.Policy["interval_s"].(float64); ok {
		return n
	}
	return interval
}

// pageVerdict says what kind of decision a page shows.
func pageVerdict(page string) string {
	if regexp.MustCompile(`(?m)^infscale_decision_valid\{.*\} 0$`).MatchString(page) {
		return verdictHold
	}
	return verdictOK
}
