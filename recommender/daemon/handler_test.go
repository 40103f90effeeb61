package daemon

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
)

// ask sends a request to the handler.
func (b *bench) ask(t *testing.T, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(t.Context(), method, path, nil)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	rec := httptest.NewRecorder()
	b.handler().ServeHTTP(rec, r)
	return rec
}

func TestEndpoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat"))
		type want struct {
			method, path string
			status       int
			contentType  string
			body         string
		}
		check := func(wants ...want) {
			t.Helper()
			for _, w := range wants {
				rec := b.ask(t, w.method, w.path)
				got := rec.Header().Get("Content-Type")
				if rec.Code != w.status || !strings.HasPrefix(got, w.contentType) || !strings.Contains(rec.Body.String(), w.body) {
					t.Errorf("%s %s: got %d, type %q and\n%s\nwant %d, %q with %q", w.method, w.path, rec.Code, got, rec.Body, w.status, w.contentType, w.body)
				}
			}
		}
		check(
			want{"GET", "/-/healthy", 200, "text/plain", "infscale is healthy."},
			want{"GET", "/-/ready", 503, "text/plain", "not ready"},
			want{"HEAD", "/-/ready", 503, "text/plain", ""},
			want{"GET", "/", 200, "text/html; charset=utf-8", "no_data"},
			want{"GET", "/workloads/inference/chat", 200, "text/html", "Nothing was weighed"},
		)
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Second)
		synctest.Wait()
		check(
			want{"GET", "/-/healthy", 200, "text/plain", "healthy"},
			want{"HEAD", "/-/healthy", 200, "text/plain", ""},
			want{"GET", "/-/ready", 200, "text/plain", "infscale is ready."},
			want{"HEAD", "/-/ready", 200, "text/plain", ""},
			want{"GET", "/", 200, "text/html; charset=utf-8", `<a href="workloads/inference/chat">`},
			want{"GET", "/", 200, "text/html", `<meta http-equiv="refresh" content="15">`},
			want{"GET", "/workloads/inference/chat", 200, "text/html", "waiting 24 / target 8 per replica = 3 replica(s)"},
			want{"GET", "/workloads/inference/other", 404, "text/plain", "no such workload"},
			want{"GET", "/api/v1/workloads/inference/other", 404, "application/json", `"error": "no such workload in the configuration"`},
			want{"GET", "/config", 200, "text/html", "interval: 15s"},
			want{"GET", "/metrics", 200, "text/plain; version=0.0.4", "infscale_build_info{"},
			want{"GET", "/metrics", 200, "text/plain", "go_goroutines "},
			want{"GET", "/other", 404, "text/plain", ""},
			want{"POST", "/-/reload", 200, "", ""},
			want{"GET", "/debug/pprof/", 404, "text/plain", ""},
		)
		for path, allowed := range map[string]string{
			"/": "GET, HEAD", "/metrics": "GET, HEAD", "/api/v1/workloads": "GET, HEAD", "/workloads/a/b": "GET, HEAD",
			"/config": "GET, HEAD", "/-/healthy": "GET, HEAD", "/-/ready": "GET, HEAD",
		} {
			for _, method := range []string{"POST", "PUT", "DELETE", "PATCH"} {
				if rec := b.ask(t, method, path); rec.Code != http.StatusMethodNotAllowed || rec.Header().Get("Allow") != allowed {
					t.Errorf("%s %s: got %d, Allow %q, want 405, %q", method, path, rec.Code, rec.Header().Get("Allow"), allowed)
				}
			}
		}
		if rec := b.ask(t, "GET", "/-/reload"); rec.Code != http.StatusMethodNotAllowed {
			t.Errorf("GET /-/reload: got %d, want 405", rec.Code)
		}
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Cache-Control": "no-store",
			"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
		} {
			if got := b.ask(t, "GET", "/").Header().Get(name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	})
}

func TestMetricsPageIsReadByPrometheus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Second)
		synctest.Wait()
		tests := map[string]struct {
			header      []string
			contentType string
			end         string
		}{
			"no Accept":   {nil, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", "\n"},
			"anything":    {[]string{"Accept", "*/*"}, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", "\n"},
			"OpenMetrics": {[]string{"Accept", "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"}, "application/openmetrics-text; version=1.0.0; charset=utf-8; escaping=underscores", "# EOF\n"},
			"compressed":  {[]string{"Accept-Encoding", "gzip"}, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores", "\n"},
		}
		for name, test := range tests {
			rec := b.ask(t, "GET", "/metrics", test.header...)
			body := plain(t, rec)
			if got := rec.Header().Get("Content-Type"); got != test.contentType || !strings.HasSuffix(string(body), test.end) {
				t.Errorf("%s: got type %q, want %q, and an end of %q", name, got, test.contentType, test.end)
			}
			if n := samples(t, body, test.contentType); n < 60 {
				t.Errorf("%s: got %d samples of infscale, want more", name, n)
			}
		}
	})
}

// plain returns the body, decompressed.
func plain(t *testing.T, rec *httptest.ResponseRecorder) []byte {
	t.Helper()
	var r io.Reader = rec.Body
	if rec.Header().Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r)
		if err != nil {
			t.Fatal(err)
		}
		r = z
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// samples parses a page as Prometheus does and counts the samples of infscale. None
// may have a timestamp.
func samples(t *testing.T, body []byte, contentType string) int {
	t.Helper()
	p, err := textparse.New(body, contentType, labels.NewSymbolTable(), textparse.ParserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		series, at, _ := p.Series()
		if at != nil {
			t.Errorf("%s has a timestamp", series)
		}
		if strings.HasPrefix(string(series), "infscale_") {
			n++
		}
	}
}

func TestJSON(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat", "code"))
		var before struct {
			Workloads []map[string]any `json:"workloads"`
		}
		decode(t, b.ask(t, "GET", "/api/v1/workloads"), &before)
		if len(before.Workloads) != 2 {
			t.Fatalf("got %d workloads, want 2", len(before.Workloads))
		}
		for key, want := range map[string]any{
			"namespace": "inference", "name": "chat", "kind": "Deployment", "desired": nil, "current": nil, "time": nil, "ready": nil,
			"reporting": nil, "raw": nil, "evidence_time": nil, "reason": "no_data", "valid": false, "following": "unknown", "min": 1.0, "max": 10.0,
		} {
			if got, ok := before.Workloads[0][key]; !ok || got != want {
				t.Errorf("before the first decision %s: got %v, want %v", key, got, want)
			}
		}
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Second)
		synctest.Wait()
		var after map[string]any
		decode(t, b.ask(t, "GET", "/api/v1/workloads/inference/code"), &after)
		for key, want := range map[string]any{
			"name": "code", "desired": 3.0, "current": 3.0, "time": "2000-01-01T00:00:00Z", "ready": 3.0, "reporting": 3.0, "raw": 3.0,
			"evidence_time": "1999-12-31T23:59:55Z", "reason": "tolerance", "valid": true, "membership": "owner",
		} {
			if got, ok := after[key]; !ok || got != want {
				t.Errorf("%s: got %v, want %v", key, got, want)
			}
		}
		for _, key := range []string{"signals", "steps", "observed", "changes", "engines", "notes"} {
			if _, ok := after[key].([]any); !ok {
				t.Errorf("%s: got %v, want a list", key, after[key])
			}
		}
	})
}

func decode(t *testing.T, rec *httptest.ResponseRecorder, v any) {
	t.Helper()
	if err := json.Unmarshal(rec.Body.Bytes(), v); err != nil {
		t.Fatalf("%v in %s", err, rec.Body)
	}
}

// hostile is what a name must not become.
const hostile = `"><script>alert(1)</script>&'javascript:`

func TestPagesEscapeWhatTheyShow(t *testing.T) {
	b := newBench(t, worldOf(newScripted(), hostile))
	w := export.Undecided(hostile, hostile, hostile, asksPolicy())
	w.Decision.Reason = hostile
	w.Membership, w.Following, w.Notes, w.Engines = hostile, hostile, []string{hostile}, []string{hostile}
	w.Observation.Queries = []recommender.Answer{{Name: hostile, Quantity: recommender.Exactly(1, epoch, 0)}}
	w.Changes = []export.Change{{Reason: hostile}}
	b.loop.collector.Publish(&export.Snapshot{Workloads: []export.Workload{w}})
	b.loop.shown.Store(&world{interval: interval, text: hostile})
	name := "%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E&%27javascript:"
	for _, path := range []string{"/", "/config", "/workloads/" + name + "/" + name} {
		rec := b.ask(t, "GET", path)
		if rec.Code != http.StatusOK {
			t.Errorf("%s: got %d", path, rec.Code)
		}
		page := rec.Body.String()
		if strings.Contains(page, "<script") || strings.Contains(page, `"javascript:`) || !strings.Contains(page, "alert(1)") {
			t.Errorf("%s is not escaped:\n%s", path, page)
		}
	}
	rec := b.ask(t, "GET", "/api/v1/workloads")
	if rec.Header().Get("Content-Type") != "application/json" || strings.Contains(rec.Body.String(), "<script") {
		t.Errorf("the JSON can be taken for a page:\n%s", rec.Body)
	}
}

func TestPageThatCannotBeRenderedIsAnError(t *testing.T) {
	rec := httptest.NewRecorder()
	render(rec, "show", &page{Workload: &view{Notes: []string{"x"}}, Root: "./"})
	if rec.Code != http.StatusOK {
		t.Fatalf("got %d for a page that can be rendered", rec.Code)
	}
	pages["broken"] = parsePage("config.html")
	defer delete(pages, "broken")
	if _, err := pages["broken"].New("content").Parse(`{{.Missing}}`); err != nil {
		t.Fatal(err)
	}
	rec = httptest.NewRecorder()
	render(rec, "broken", &page{})
	if rec.Code != http.StatusInternalServerError || strings.Contains(rec.Body.String(), "<html") {
		t.Errorf("got %d %s, want 500 and no half of a page", rec.Code, rec.Body)
	}
}
