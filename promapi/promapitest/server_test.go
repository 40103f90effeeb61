package promapitest_test

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi/promapitest"
)

// post asks as a client does, and returns the status and the body.
func post(ctx context.Context, t *testing.T, s *promapitest.Server, endpoint string, form url.Values) (*http.Response, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL+"/api/v1/"+endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("X-Team", form.Get("team"))
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

func TestAnswers(t *testing.T) {
	instant := url.Values{"query": {"up"}, "time": {"10.5"}}
	ranged := url.Values{"query": {"up"}, "start": {"10"}, "end": {"40"}, "step": {"15"}}
	tests := map[string]struct {
		endpoint string
		form     url.Values
		answer   promapitest.Answer
		status   int
		body     string
	}{
		"vector": {
			"query", instant, promapitest.Vector(promapitest.Sample(1.5, "pod", "a")), 200,
			`{"data":{"result":[{"metric":{"pod":"a"},"value":[10.5,"1.5"]}],"resultType":"vector"},"status":"success"}`,
		},
		"scalar": {"query", instant, promapitest.Scalar(2), 200, `{"data":{"result":[10.5,"2"],"resultType":"scalar"},"status":"success"}`},
		"an RFC 3339 time": {
			"query",
			url.Values{"query": {"up"}, "time": {"1970-01-01T00:00:02.5Z"}},
			promapitest.Scalar(2), 200,
			`{"data":{"result":[2.5,"2"],"resultType":"scalar"},"status":"success"}`,
		},
		"no time": {"query", url.Values{"query": {"up"}}, promapitest.Scalar(2), 200, `{"data":{"result":[0,"2"],"resultType":"scalar"},"status":"success"}`},
		"matrix": {
			"query_range", ranged, promapitest.Matrix(promapitest.Samples("1 _ NaN 4", "pod", "a"), promapitest.Samples("_ _ _ 5")), 200,
			`{"data":{"result":[{"metric":{"pod":"a"},"values":[[10,"1"],[40,"NaN"]]}],"resultType":"matrix"},"status":"success"}`,
		},
		"warnings": {
			"query", instant, promapitest.Vector().WithWarnings("w"), 200,
			`{"data":{"result":[],"resultType":"vector"},"status":"success","warnings":["w"]}`,
		},
		"infos": {
			"query", instant, promapitest.Vector().WithInfos("i"), 200,
			`{"data":{"result":[],"resultType":"vector"},"status":"success","infos":["i"]}`,
		},
		"an error":  {"query", instant, promapitest.Error(422, "execution", "x"), 422, `{"error":"x","errorType":"execution","status":"error"}`},
		"text":      {"query", instant, promapitest.Text(502, "text/html", "<html>"), 502, `<html>`},
		"a cut":     {"query", instant, promapitest.Text(200, "text/plain", "abcdef").Truncated(3), 200, `abc`},
		"elsewhere": {"status/buildinfo", nil, promapitest.JSON(200, `{"status":"success"}`), 200, `{"status":"success"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := promapitest.New(t)
			s.Answer(promapitest.Endpoint("/"+test.endpoint), test.answer)
			resp, body, err := post(t.Context(), t, s, test.endpoint, test.form)
			if err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != test.status || body != test.body {
				t.Errorf("got %d %s, want %d %s", resp.StatusCode, body, test.status, test.body)
			}
		})
	}
}

func TestRules(t *testing.T) {
	s := promapitest.New(t)
	s.Answer(promapitest.Any, promapitest.Text(200, "", "any"))
	s.Answer(promapitest.Contains("a", "b"), promapitest.Text(200, "", "first"), promapitest.Text(200, "", "then"))
	s.Answer(promapitest.Query("ab"), promapitest.Text(200, "", "exact"))
	for _, step := range []struct{ query, want string }{
		{"a", "any"}, {"b + a", "first"}, {"ab", "exact"}, {"a + b", "then"}, {"a - b", "then"},
	} {
		_, body, err := post(t.Context(), t, s, "query", url.Values{"query": {step.query}})
		if err != nil || body != step.want {
			t.Errorf("%s: got %q, %v, want %q", step.query, body, err, step.want)
		}
	}
	if got := s.Requests(); len(got) != 5 || got[1].Query != "b + a" || got[1].Path != "/api/v1/query" || got[1].Line != len("POST /api/v1/query HTTP/1.1") {
		t.Errorf("got %+v, want the five requests", got)
	}
	s.Reset()
	if got := s.Requests(); len(got) != 0 {
		t.Errorf("got %d requests after a reset, want none", len(got))
	}
}

func TestNoRule(t *testing.T) {
	s := promapitest.New(t)
	resp, body, err := post(t.Context(), t, s, "query", url.Values{"query": {"up"}})
	if err != nil || resp.StatusCode != 422 || !strings.Contains(body, "no rule for /api/v1/query with query") {
		t.Errorf("got %v, %q, %v, want an error that says so", resp, body, err)
	}
	defer func() {
		if recover() == nil {
			t.Error("got a rule without an answer, want a panic")
		}
	}()
	s.Answer(promapitest.Any)
}

func TestRequire(t *testing.T) {
	s := promapitest.New(t)
	s.Answer(promapitest.Any, promapitest.Vector())
	s.Require("X-Team", "b")
	s.Require("X-Team", "a")
	for team, want := range map[string]int{"a": 200, "b": 401} {
		if resp, _, err := post(t.Context(), t, s, "query", url.Values{"team": {team}}); err != nil || resp.StatusCode != want {
			t.Errorf("team %s: got %v, %v, want %d", team, resp, err, want)
		}
	}
}

func TestFaults(t *testing.T) {
	s := promapitest.New(t)
	s.Answer(promapitest.Query("gzip"), promapitest.Vector().Gzipped())
	s.Answer(promapitest.Query("cut"), promapitest.Vector().CutOff(10))
	s.Answer(promapitest.Query("closed"), promapitest.Vector().Closed())
	s.Answer(promapitest.Query("hang"), promapitest.Vector().Hanging())
	s.Answer(promapitest.Query("redirect"), promapitest.Redirect(302, "http://elsewhere/"))
	ask := func(ctx context.Context, query string) (*http.Response, string, error) {
		return post(ctx, t, s, "query", url.Values{"query": {query}})
	}

	resp, body, err := ask(t.Context(), "gzip")
	if err != nil || !resp.Uncompressed || !strings.Contains(body, "vector") {
		t.Errorf("gzip: got %q, %v, want a compressed vector", body, err)
	}
	if _, err := gzip.NewReader(strings.NewReader(body)); err == nil {
		t.Error("gzip: got a body compressed twice")
	}
	if _, body, err := ask(t.Context(), "cut"); !errors.Is(err, io.ErrUnexpectedEOF) || len(body) != 10 {
		t.Errorf("cut: got %q, %v, want 10 bytes and an unexpected end", body, err)
	}
	if _, _, err := ask(t.Context(), "closed"); !errors.Is(err, io.EOF) {
		t.Errorf("closed: got %v, want EOF", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := ask(ctx, "hang"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hang: got %v, want no answer until the deadline", err)
	}
	if resp, _, err := ask(t.Context(), "redirect"); err != nil || resp.Header.Get("Location") != "http://elsewhere/" {
		t.Errorf("redirect: got %v, %v, want its location", resp, err)
	}
}
