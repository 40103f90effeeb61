package promapi

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/infscale/infscale/promapi/promapitest"
)

var at = time.UnixMilli(1772000000500)

// newTestClient returns a client of url. Changes are made to its configuration.
func newTestClient(t *testing.T, url string, changes ...func(*Config)) *Client {
	t.Helper()
	return newClientWith(t, url, nil, changes...)
}

func newClientWith(t *testing.T, url string, opts []Option, changes ...func(*Config)) *Client {
	t.Helper()
	cfg := DefaultConfig()
	cfg.URL = url
	for _, change := range changes {
		change(&cfg)
	}
	c, err := New(cfg, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// wantCause checks that err is a QueryError of this cause whose text has all of
// the parts.
func wantCause(t *testing.T, err error, cause Cause, parts ...string) {
	t.Helper()
	_ = causedBy(t, err, cause, parts...)
}

// causedBy is wantCause for tests that look at the rest of the error too.
func causedBy(t *testing.T, err error, cause Cause, parts ...string) *QueryError {
	t.Helper()
	e, ok := errors.AsType[*QueryError](err)
	if !ok {
		t.Fatalf("got error %v, want a QueryError", err)
	}
	if e.Cause != cause {
		t.Errorf("got cause %s, want %s: %v", e.Cause, cause, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got %q, want it to contain %q", err, part)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("got %q, want one line", err)
	}
	return e
}

func TestQuery(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Query("up"), promapitest.Vector(promapitest.Sample(1, "pod", "a"), promapitest.Sample(0.5, "pod", "b")))
	c := newClientWith(t, api.URL, []Option{WithVersion("1.2.3")}, func(cfg *Config) {
		cfg.Headers = Secrets{"X-Scope-OrgID": "team-a"}
		cfg.Params = Secrets{"dedup": "true"}
	})
	got, err := c.Query(t.Context(), "up", at)
	if err != nil {
		t.Fatal(err)
	}
	want := Result{Series: []Series{
		{MakeLabels("pod", "a"), []Point{{at.UnixMilli(), 1}}},
		{MakeLabels("pod", "b"), []Point{{at.UnixMilli(), 0.5}}},
	}}
	if !sameResult(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	r := api.Requests()[0]
	if r.Method != http.MethodPost || r.Path != "/api/v1/query" {
		t.Errorf("got %s %s, want POST /api/v1/query", r.Method, r.Path)
	}
	wantForm := url.Values{"query": {"up"}, "time": {"1772000000.5"}, "timeout": {"9s"}, "dedup": {"true"}}
	if r.Form.Encode() != wantForm.Encode() {
		t.Errorf("got form %v, want %v", r.Form, wantForm)
	}
	for name, want := range map[string]string{
		"User-Agent": "infscale/1.2.3", "X-Scope-Orgid": "team-a", "Accept-Encoding": "gzip",
		"Content-Type": "application/x-www-form-urlencoded", "Authorization": "", "Idempotency-Key": "",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("header %s: got %q, want %q", name, got, want)
		}
	}
}

func TestQueryRange(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Endpoint("/api/v1/query_range"), promapitest.Matrix(promapitest.Samples("1 _ NaN +Inf 9", "pod", "a")).Gzipped())
	c := newTestClient(t, api.URL)
	got, err := c.QueryRange(t.Context(), "up", at, at.Add(45*time.Second), 15*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(got.Series); n != 1 {
		t.Fatalf("got %d series, want 1", n)
	}
	points := got.Series[0].Points
	if len(points) != 3 || !points[1].Time().Equal(at.Add(30*time.Second)) || points[0].V != 1 {
		t.Errorf("got points %v, want 1 at 0 s, NaN at 30 s, +Inf at 45 s", points)
	}
	form := api.Requests()[0].Form
	want := url.Values{"query": {"up"}, "start": {"1772000000.5"}, "end": {"1772000045.5"}, "step": {"15"}, "timeout": {"9s"}}
	if form.Encode() != want.Encode() {
		t.Errorf("got form %v, want %v", form, want)
	}
}

func TestPaths(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector())
	for suffix, want := range map[string]string{
		"":                           "/api/v1/query",
		"/":                          "/api/v1/query",
		"//":                         "/api/v1/query",
		"/select/0/prometheus":       "/select/0/prometheus/api/v1/query",
		"/api/prom/":                 "/api/prom/api/v1/query",
		"/select/0:1/prometheus/":    "/select/0:1/prometheus/api/v1/query",
		"/tenants/a%20b/prometheus/": "/tenants/a b/prometheus/api/v1/query",
	} {
		api.Reset()
		if _, err := newTestClient(t, api.URL+suffix).Query(t.Context(), "up", at); err != nil {
			t.Errorf("%q: %v", suffix, err)
			continue
		}
		if got := api.Requests()[0].Path; got != want {
			t.Errorf("%q: got path %q, want %q", suffix, got, want)
		}
	}
}

func TestWarningsAndInfos(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector(promapitest.Sample(6)).WithWarnings("store-1 did not answer").WithInfos("a remark"))
	got, err := newTestClient(t, api.URL).Query(t.Context(), "up", at)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Warnings) != 1 || len(got.Infos) != 1 || len(got.Series) != 1 {
		t.Errorf("got %+v, want one series, one warning and one info", got)
	}
}

func TestFailures(t *testing.T) {
	vector := promapitest.Vector(promapitest.Sample(1, "pod", "a"))
	tests := map[string]struct {
		answer promapitest.Answer
		cause  Cause
		parts  []string
	}{
		"a bad query":                    {promapitest.Error(400, "bad_data", "1:4: parse error"), CauseBadRequest, []string{"status 400", "bad_data: 1:4: parse error"}},
		"a bad query of VictoriaMetrics": {promapitest.Error(400, "400", "cannot parse"), CauseBadRequest, []string{"400: cannot parse"}},
		"execution":                      {promapitest.Error(422, "execution", "no store available"), CauseExecution, []string{"status 422", "no store available"}},
		"execution of VictoriaMetrics":   {promapitest.Error(422, "422", "too many series"), CauseExecution, []string{"too many series"}},
		"agent mode":                     {promapitest.Error(422, "execution", "unavailable with Prometheus Agent"), CauseExecution, []string{"agent mode", "point to the store"}},
		"a timeout of the server":        {promapitest.Error(503, "timeout", "query timed out"), CauseTimeout, []string{"status 503", "query timed out"}},
		"WAL replay":                     {promapitest.Text(503, "text/plain", "Service Unavailable"), CauseServer, []string{"status 503", "Service Unavailable"}},
		"internal":                       {promapitest.Error(500, "internal", "boom"), CauseServer, []string{"internal: boom"}},
		"cancelled by the server":        {promapitest.Error(503, "canceled", "shutting down"), CauseServer, []string{"shutting down"}},
		"a gateway without backend":      {promapitest.Text(502, "text/html", "<html><body>\n<h1>502 Bad\x00 Gateway</h1></body></html>"), CauseServer, []string{"status 502", "text/html", "502 Bad Gateway"}},
		"a gateway that waited":          {promapitest.Text(504, "", ""), CauseTimeout, []string{"status 504", "empty body"}},
		"request timeout":                {promapitest.Text(408, "", ""), CauseTimeout, []string{"status 408"}},
		"headers too large":              {promapitest.Text(431, "", ""), CauseBadRequest, []string{"status 431", "empty body"}},
		"body too large":                 {promapitest.Text(413, "", "no"), CauseTooLarge, []string{"status 413", `body "no"`}},
		"a wrong path":                   {promapitest.Text(404, "text/plain", "404 page not found"), CauseBadRequest, []string{"status 404", "check the path"}},
		"no credentials":                 {promapitest.Text(401, "text/plain", "no org id"), CauseAuth, []string{"status 401", "no org id"}},
		"proxy credentials":              {promapitest.Text(407, "", ""), CauseAuth, []string{"status 407"}},
		"no content":                     {promapitest.Text(204, "", ""), CauseDecode, []string{"status 204"}},
		"not modified":                   {promapitest.Text(304, "", ""), CauseRedirect, []string{"status 304"}},
		"a long error":                   {promapitest.Error(500, "internal", strings.Repeat("a", 5000)), CauseServer, []string{strings.Repeat("a", 200) + "..."}},
		"a sign-in page":                 {promapitest.Text(200, "text/html; charset=utf-8", "<html>Sign in</html>"), CauseDecode, []string{"text/html", "Sign in"}},
		"a type that is none":            {promapitest.Text(200, "a b c", "{}"), CauseDecode, []string{"a b c"}},
		"text as text":                   {promapitest.Text(200, "text/plain", "hello"), CauseDecode, []string{"byte 0", "text/plain", "hello"}},
		"an empty body":                  {promapitest.Text(200, "application/json", ""), CauseDecode, []string{"byte 0", "ends here"}},
		"an error with status 200":       {promapitest.Error(200, "execution", "boom"), CauseExecution, []string{"status 200", "boom"}},
		"a bad query with status 200":    {promapitest.Error(200, "bad_data", "boom"), CauseBadRequest, nil},
		"an unknown error":               {promapitest.Error(200, "strange", "boom"), CauseServer, []string{"strange: boom"}},
		"an error without a type":        {promapitest.JSON(200, `{"status":"error","error":"boom"}`), CauseServer, []string{": boom"}},
		"a limit with status 200":        {promapitest.Error(200, "too_many_requests", "slow down"), CauseRateLimited, nil},
		"truncated JSON":                 {vector.Truncated(70), CauseDecode, []string{"byte 70", "the text ends here"}},
		"a body cut off":                 {vector.CutOff(50), CauseConnect, []string{"cut off after 50 bytes"}},
		"a connection closed":            {vector.Closed(), CauseConnect, []string{"EOF"}},
		"no gzip":                        {vector.WithHeader("Content-Encoding", "gzip"), CauseDecode, []string{"compressed body is damaged"}},
		"another encoding":               {vector.WithHeader("Content-Encoding", "br"), CauseDecode, []string{`"br" was not asked for`}},
		"a native histogram":             {promapitest.JSON(200, vectorHead+`{"metric":{},"histogram":[1,{}]}]}}`), CauseDecode, []string{"native histogram"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			api := promapitest.New(t)
			api.Answer(promapitest.Any, test.answer)
			_, err := newTestClient(t, api.URL).Query(t.Context(), "sum(up)", at)
			e := causedBy(t, err, test.cause, append(test.parts, `query "sum(up)"`, api.URL)...)
			if strings.Contains(err.Error(), "unexpected end of JSON") {
				t.Errorf("got %q, which tells nobody anything", err)
			}
			if e.Unwrap() == nil || len(err.Error()) > 600 {
				t.Errorf("got %q, want a short error with a reason", err)
			}
		})
	}
}

func TestGzipTruncated(t *testing.T) {
	api := promapitest.New(t)
	c := newTestClient(t, api.URL)
	zipped := httptest.NewRecorder()
	promapitestServe(zipped, promapitest.Vector(promapitest.Sample(1)).Gzipped())
	body := zipped.Body.String()
	api.Answer(promapitest.Any, promapitest.JSON(200, body[:len(body)-6]).WithHeader("Content-Encoding", "gzip"))
	_, err := c.Query(t.Context(), "up", at)
	wantCause(t, err, CauseDecode, "compressed body is damaged")
}

// promapitestServe writes what a scripted server sends.
func promapitestServe(w http.ResponseWriter, a promapitest.Answer) {
	s := new(promapitest.Server)
	s.Answer(promapitest.Any, a)
	s.ServeHTTP(w, httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/api/v1/query?query=up&time=1", nil))
}

func TestConnectFailures(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	_, err := newTestClient(t, gone.URL).Query(t.Context(), "up", at)
	wantCause(t, err, CauseConnect, "connection refused")

	_, err = newTestClient(t, "http://no-such-host.invalid").Query(t.Context(), "up", at)
	if e, ok := errors.AsType[*QueryError](err); !ok || e.Cause != CauseConnect && e.Cause != CauseTimeout {
		t.Errorf("unknown host: got %v, want a QueryError of connect", err)
	}
}

func TestConcurrency(t *testing.T) {
	var now, most atomic.Int32
	arrived, release := make(chan struct{}, 10), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		defer now.Add(-1)
		m := most.Load()
		for n > m && !most.CompareAndSwap(m, n) {
			m = most.Load()
		}
		arrived <- struct{}{}
		<-release
		_ = r.ParseForm()
		promapitestServe(w, promapitest.Vector())
	}))
	t.Cleanup(srv.Close)
	c := newTestClient(t, srv.URL, func(cfg *Config) { cfg.MaxConcurrency = 2 })
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if _, err := c.Query(t.Context(), "up", at); err != nil {
				t.Error(err)
			}
		})
	}
	<-arrived
	<-arrived
	// Both slots are taken: one more gives up in the queue.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	_, err := c.Query(ctx, "up", at)
	cancel()
	wantCause(t, err, CauseTimeout, "2 other queries are under way")
	close(release)
	wg.Wait()
	if got := most.Load(); got != 2 {
		t.Errorf("got %d requests at once, want 2", got)
	}
}

// Bodies are read to their end, so that one connection does for all.
func TestConnectionsAreReused(t *testing.T) {
	api := new(promapitest.Server)
	api.Answer(promapitest.Any,
		promapitest.Vector(promapitest.Sample(1)).Gzipped(), promapitest.Vector(promapitest.Sample(1, "a", strings.Repeat("x", 10_000))), promapitest.Error(500, "internal", "x"),
		promapitest.Text(404, "", strings.Repeat("x", 10_000)), promapitest.Vector())
	var conns atomic.Int32
	srv := httptest.NewUnstartedServer(api)
	srv.Config.ConnState = countNew(&conns)
	srv.Start()
	t.Cleanup(srv.Close)
	c := newTestClient(t, srv.URL)
	for range 6 {
		_, _ = c.Query(t.Context(), "up", at) // two of them fail
	}
	if got := conns.Load(); got != 1 {
		t.Errorf("got %d connections, want 1", got)
	}
}

// A kept connection that the server has closed costs no query.
func TestClosedConnectionIsReplaced(t *testing.T) {
	var requests atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requests.Add(1) == 2 {
			panic(http.ErrAbortHandler)
		}
		promapitestServe(w, promapitest.Vector())
	}))
	t.Cleanup(srv.Close)
	c := newTestClient(t, srv.URL)
	for i := range 2 {
		if _, err := c.Query(t.Context(), "up", at); err != nil {
			t.Errorf("query %d: %v", i, err)
		}
	}
	if got := requests.Load(); got != 3 {
		t.Errorf("got %d requests, want 3", got)
	}
}

func TestMetrics(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector(), promapitest.Error(503, "timeout", "x"), promapitest.Vector().Closed())
	reg := prometheus.NewPedanticRegistry()
	for i := range 2 { // the second client is the first after a reload
		c := newClientWith(t, api.URL, []Option{WithRegisterer(reg), WithClock(func() time.Time { return at })})
		for range 2 - i {
			_, _ = c.Query(t.Context(), "up", at)
		}
	}
	want := `# HELP infscale_prometheus_queries_total Queries asked of the Prometheus API, those that failed and those not sent during a rate limit included.
# TYPE infscale_prometheus_queries_total counter
infscale_prometheus_queries_total 3
# HELP infscale_prometheus_query_failures_total Queries that got no usable answer, by cause.
# TYPE infscale_prometheus_query_failures_total counter
`
	for _, cause := range []string{"auth", "bad_request", "cancelled", "connect", "decode", "execution", "rate_limited", "redirect", "server", "timeout", "tls", "too_large"} {
		n := map[string]string{"timeout": "1", "connect": "1"}[cause]
		if n == "" {
			n = "0"
		}
		want += `infscale_prometheus_query_failures_total{cause="` + cause + `"} ` + n + "\n"
	}
	err := testutil.GatherAndCompare(reg, strings.NewReader(want), "infscale_prometheus_queries_total", "infscale_prometheus_query_failures_total")
	if err != nil {
		t.Error(err)
	}
	if problems, err := testutil.GatherAndLint(reg); err != nil || len(problems) > 0 {
		t.Errorf("lint: %v %v", problems, err)
	}
	if n := testutil.CollectAndCount(reg, "infscale_prometheus_query_duration_seconds"); n != 1 {
		t.Errorf("got %d duration histograms, want 1", n)
	}
}

func TestNewRefuses(t *testing.T) {
	if _, err := New(Config{}); err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("got %v, want four mistakes", err)
	}
	cfg := DefaultConfig()
	cfg.URL = "http://p:9090"
	reg := prometheus.NewRegistry()
	taken := "infscale_prometheus_queries_total" // of another type
	reg.MustRegister(prometheus.NewGauge(prometheus.GaugeOpts{Name: taken, Help: "another"}))
	if _, err := New(cfg, WithRegisterer(reg)); err == nil {
		t.Error("got no error for a metric that is taken")
	}
	cfg.HTTP.TLSConfig.CAFile = "testdata/no-such-file"
	if _, err := New(cfg); err == nil || !strings.Contains(err.Error(), "no-such-file") {
		t.Errorf("got %v, want the missing CA file", err)
	}
}
