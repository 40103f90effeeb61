package embedded_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi/embedded"
)

// epoch is the invented present of tests that do not scrape for real.
var epoch = time.Unix(1_700_000_000, 0)

func start(t *testing.T, o embedded.Options) *embedded.Prometheus {
	t.Helper()
	p, err := embedded.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return p
}

// deadline is a context for waiting on scrapes: long, since it passes only on failure.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// value is the one number an expression gives at a moment, NaN if it gives nothing.
func value(t *testing.T, p *embedded.Prometheus, expr string, at time.Time) float64 {
	t.Helper()
	v, err := p.Query(t.Context(), expr, at)
	switch {
	case err != nil:
		t.Fatal(err)
	case len(v) > 1:
		t.Fatalf("query %s: got %d series, want at most 1:\n%s", expr, len(v), v)
	case len(v) == 0:
		return math.NaN()
	}
	return v[0].F
}

func wantValue(t *testing.T, p *embedded.Prometheus, expr string, at time.Time, want float64) {
	t.Helper()
	got := value(t, p, expr, at)
	if got != want && (!math.IsNaN(got) || !math.IsNaN(want)) {
		t.Errorf("query %s: got %v, want %v", expr, got, want)
	}
}

// An answer is what the tests look at of an answer of the HTTP API.
type answer struct {
	Status string
	Data   struct {
		ResultType string
		Result     []struct {
			Metric map[string]string
			Value  [2]any
			Values [][2]any
		}
	}
	ErrorType string
}

// post asks the HTTP API with a form.
func post(t *testing.T, p *embedded.Prometheus, path string, form url.Values) (status int, body answer) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL()+path, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		t.Fatalf("decode %s: %v", path, err)
	}
	return resp.StatusCode, body
}

func TestScrapesAPageForRealAndAnswersPOST(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "vllm:num_requests_running{model_name=\"m\",namespace=\"other\"} 3\n")
	}))
	defer page.Close()
	p := start(t, embedded.Options{
		Listen: "127.0.0.1:0",
		Jobs: []embedded.Job{{
			Name: "vllm", Interval: 50 * time.Millisecond,
			Targets: []embedded.Target{{page.Listener.Addr().String(), map[string]string{"namespace": "inference", "pod": "chat-0"}}},
		}},
	})
	if _, err := p.Await(deadline(t), `{__name__="vllm:num_requests_running"} == 3`); err != nil {
		t.Fatal(err)
	}

	status, body := post(t, p, "/api/v1/query", url.Values{
		"query": {`{__name__="vllm:num_requests_running"}`},
		"time":  {fmt.Sprint(time.Now().Unix() + 1)},
	})
	if status != http.StatusOK || len(body.Data.Result) != 1 {
		t.Fatalf("got status %d and %d series, want 200 and 1", status, len(body.Data.Result))
	}
	got, want := body.Data.Result[0].Metric, map[string]string{
		"__name__": "vllm:num_requests_running", "model_name": "m", "job": "vllm", "pod": "chat-0",
		"namespace": "inference", "exported_namespace": "other", "instance": page.Listener.Addr().String(),
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("labels: got %v, want %v", got, want)
	}
	if v := body.Data.Result[0].Value[1]; v != "3" {
		t.Errorf("value: got %v, want 3", v)
	}
}

func TestAPITellsABadQueryFromAnEmptyAnswer(t *testing.T) {
	p := start(t, embedded.Options{Listen: "127.0.0.1:0"})
	if status, body := post(t, p, "/api/v1/query", url.Values{"query": {"sum("}}); status != http.StatusBadRequest || body.ErrorType != "bad_data" {
		t.Errorf("bad query: got %d %q, want 400 bad_data", status, body.ErrorType)
	}
	status, body := post(t, p, "/api/v1/query", url.Values{"query": {"nothing"}})
	if status != http.StatusOK || body.Data.ResultType != "vector" || len(body.Data.Result) != 0 {
		t.Errorf("empty answer: got %d %q and %d series, want 200 vector and 0", status, body.Data.ResultType, len(body.Data.Result))
	}
}

func TestRangeQueryOverHTTP(t *testing.T) {
	p := start(t, embedded.Options{Listen: "127.0.0.1:0"})
	if err := p.Load(epoch, 15*time.Second, `load{pod="a"} 0+1x4`); err != nil {
		t.Fatal(err)
	}
	_, body := post(t, p, "/api/v1/query_range", url.Values{
		"query": {"load"}, "start": {fmt.Sprint(epoch.Unix())}, "end": {fmt.Sprint(epoch.Unix() + 60)}, "step": {"15"},
	})
	if len(body.Data.Result) != 1 {
		t.Fatalf("got %d series, want 1", len(body.Data.Result))
	}
	var got []any
	for _, v := range body.Data.Result[0].Values {
		got = append(got, v[1])
	}
	if want := "[0 1 2 3 4]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestATargetThatVanishesLeavesStaleSeries(t *testing.T) {
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "load 1") }))
	defer page.Close()
	p := start(t, embedded.Options{Jobs: []embedded.Job{{Name: "pods", Interval: 50 * time.Millisecond}}})
	if err := p.SetTargets("pods", embedded.Target{Address: page.Listener.Addr().String()}); err != nil {
		t.Fatal(err)
	}
	ctx := deadline(t)
	if _, err := p.Await(ctx, `load{job="pods"} == 1`); err != nil {
		t.Fatal(err)
	}
	gone := time.Now()
	if err := p.SetTargets("pods"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Await(ctx, "absent(up) and absent(load)"); err != nil {
		t.Fatal(err)
	}
	// Not for lack of samples: the lookback is five minutes, and the test shorter.
	wantValue(t, p, "load", gone, 1)
}

func TestAScrapeThatFailsIsDownAndItsSeriesStale(t *testing.T) {
	var broken atomic.Bool
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if broken.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "load 1")
	}))
	defer page.Close()
	p := start(t, embedded.Options{Jobs: []embedded.Job{{
		Name: "pods", Interval: 50 * time.Millisecond, Targets: []embedded.Target{{Address: page.Listener.Addr().String()}},
	}}})
	ctx := deadline(t)
	if _, err := p.Await(ctx, "load == 1"); err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	if _, err := p.Await(ctx, "up == 0 unless on() load"); err != nil {
		t.Fatal(err)
	}
}

func TestSetTargetsOfAnUnknownJob(t *testing.T) {
	p := start(t, embedded.Options{Jobs: []embedded.Job{{Name: "pods"}}})
	err := p.SetTargets("pod")
	if err == nil || !strings.Contains(err.Error(), `no job "pod", have ["pods"]`) {
		t.Errorf("got error %v, want it to name the job and those there are", err)
	}
}

func TestJobsAreRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		jobs []embedded.Job
		want string
	}{
		"without a name":                 {[]embedded.Job{{}}, "job without a name"},
		"with a name already used":       {[]embedded.Job{{Name: "a"}, {Name: "a"}}, `job "a": defined twice`},
		"with a timeout past the scrape": {[]embedded.Job{{Name: "a", Interval: time.Second, Timeout: time.Minute}}, "timeout greater than"},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := embedded.Start(embedded.Options{Jobs: tc.jobs})
			if err == nil {
				_ = p.Close()
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestLoadKeepsGapsAndStaleMarkersApart(t *testing.T) {
	p := start(t, embedded.Options{Lookback: 20 * time.Second})
	if err := p.Load(epoch, 15*time.Second, "x 1 _ _ 4 stale"); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		after time.Duration
		want  float64
	}{
		{0, 1},
		{15 * time.Second, 1},          // A gap within the lookback: still the last sample.
		{30 * time.Second, math.NaN()}, // Past it: absent.
		{45 * time.Second, 4},
		{60 * time.Second, math.NaN()}, // Stale at once.
	} {
		wantValue(t, p, "x", epoch.Add(tc.after), tc.want)
	}
}

func TestSeriesMayArriveInAnyOrderOfTime(t *testing.T) {
	p := start(t, embedded.Options{})
	for i, at := range []time.Duration{0, -48 * time.Hour, 24 * time.Hour, -7 * 24 * time.Hour} {
		s := embedded.Sample{Labels: labels.FromStrings("__name__", "x", "i", fmt.Sprint(i)), T: epoch.Add(at), V: float64(i)}
		if err := p.Append(s); err != nil {
			t.Fatal(err)
		}
		wantValue(t, p, fmt.Sprintf(`x{i="%d"}`, i), s.T, float64(i))
	}
}

func TestSamplesOfOneSeriesGoForwardsUnlessAllowed(t *testing.T) {
	x := labels.FromStrings("__name__", "x")
	late := embedded.Sample{Labels: x, T: epoch.Add(-time.Minute), V: 1}
	for name, tc := range map[string]struct {
		window time.Duration
		fails  bool
	}{
		"refused by default":        {0, true},
		"taken within the window":   {time.Hour, false},
		"refused beyond the window": {time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, embedded.Options{OutOfOrder: tc.window})
			if err := p.Append(embedded.Sample{Labels: x, T: epoch, V: 2}); err != nil {
				t.Fatal(err)
			}
			if err := p.Append(late); (err != nil) != tc.fails {
				t.Errorf("got error %v, want one: %v", err, tc.fails)
			}
		})
	}
}

func TestADirectoryKeepsItsSamples(t *testing.T) {
	dir := t.TempDir()
	p, err := embedded.Start(embedded.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Load(epoch, time.Second, "x 7"); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	wantValue(t, start(t, embedded.Options{Dir: dir}), "x", epoch, 7)
}

func TestCloseTwiceAndThenSetTargets(t *testing.T) {
	p := start(t, embedded.Options{Jobs: []embedded.Job{{Name: "pods"}}})
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if err := p.SetTargets("pods"); err == nil {
		t.Error("targets of a closed instance: got no error, want one")
	}
}

func TestAwaitEndsWithItsContext(t *testing.T) {
	p := start(t, embedded.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Await(ctx, "never"); err == nil {
		t.Error("got no error, want one")
	}
}

// BenchmarkAppendSeries stores what a fleet of ten thousand pods exposes, five times.
func BenchmarkAppendSeries(b *testing.B) {
	series := make([]labels.Labels, 360_000)
	for i := range series {
		series[i] = labels.FromStrings("__name__", fmt.Sprintf("m%d", i%36), "pod", fmt.Sprint(i/36))
	}
	times := make([]time.Time, 5)
	for i := range times {
		times[i] = epoch.Add(time.Duration(i) * 15 * time.Second)
	}
	for b.Loop() {
		p, err := embedded.Start(embedded.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := p.AppendSeries(series, times, func(i, j int) float64 { return float64(i + j) }); err != nil {
			b.Fatal(err)
		}
		v, err := p.Query(b.Context(), "count(m0)", times[4])
		if err != nil || len(v) != 1 || v[0].F != 10_000 {
			b.Fatalf("got %v and error %v, want 10000 series", v, err)
		}
		if err := p.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
