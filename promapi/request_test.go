package promapi

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/common/model"

	"github.com/infscale/infscale/promapi/promapitest"
)

func TestTooLarge(t *testing.T) {
	api := promapitest.New(t)
	vector := promapitest.Vector(promapitest.Sample(1, "a", strings.Repeat("x", 1000)))
	api.Answer(promapitest.Query("plain"), vector)
	api.Answer(promapitest.Query("gzip"), vector.Gzipped())
	for limit, want := range map[int64]bool{1000: true, 2000: false} {
		c := newTestClient(t, api.URL, func(cfg *Config) { cfg.MaxResponseBytes = limit })
		for _, query := range []string{"plain", "gzip"} {
			_, err := c.Query(t.Context(), query, at)
			if !want {
				if err != nil {
					t.Errorf("limit %d: %v", limit, err)
				}
				continue
			}
			wantCause(t, err, CauseTooLarge, "max_response_bytes (1000)")
		}
	}
}

// A body without an end costs no more than the limit.
func TestEndlessBody(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var out io.Writer = w
		if r.FormValue("query") == "gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			out = gzip.NewWriter(w)
		}
		for block := make([]byte, 1<<16); ; {
			if _, err := out.Write(block); err != nil {
				return
			}
		}
	}))
	t.Cleanup(srv.Close)
	c := newTestClient(t, srv.URL, func(cfg *Config) { cfg.MaxResponseBytes, cfg.Timeout = 1<<20, model.Duration(5*time.Second) })
	for _, query := range []string{"plain", "gzip"} {
		_, err := c.Query(t.Context(), query, at)
		wantCause(t, err, CauseTooLarge, "max_response_bytes (1048576)")
	}
}

func TestTimeouts(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector().Hanging())
	short := func(cfg *Config) { cfg.Timeout = model.Duration(30 * time.Millisecond) }

	_, err := newTestClient(t, api.URL, short).Query(t.Context(), "up", at)
	e := causedBy(t, err, CauseTimeout, "no answer in time")
	if !errors.Is(e, context.DeadlineExceeded) {
		t.Errorf("got %v, want it to wrap the deadline", e)
	}
	if got := api.Requests()[0].Form.Get("timeout"); got != "27ms" {
		t.Errorf("got a server timeout of %q, want 27ms", got)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err = newTestClient(t, api.URL).Query(ctx, "up", at)
	wantCause(t, err, CauseTimeout)

	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	_, err = newTestClient(t, api.URL).Query(ctx, "up", at)
	wantCause(t, err, CauseCancelled)
}

func TestServerTimeout(t *testing.T) {
	for timeout, want := range map[time.Duration]string{
		10 * time.Second: "9s", time.Minute: "59s", 5 * time.Second: "4500ms", time.Millisecond: "1ms",
	} {
		if got := serverTimeout(t.Context(), timeout); got != want {
			t.Errorf("%v: got %q, want %q", timeout, got, want)
		}
	}
	// Before a deadline the time left counts, in whole hundredths of a second.
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3019*time.Millisecond)
		defer cancel()
		if got := serverTimeout(ctx, 10*time.Second); got != "2709ms" {
			t.Errorf("3.019 s before the deadline: got %q, want 2709ms", got)
		}
	})
}

func TestRateLimit(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		header string
		want   time.Duration
	}{
		"seconds":           {"30", 30 * time.Second},
		"a date":            {now.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second},
		"a date gone by":    {now.Add(-90 * time.Second).Format(http.TimeFormat), 0},
		"zero":              {"0", 0},
		"nothing":           {"", 0},
		"rubbish":           {"soon", 0},
		"a negative number": {"-5", 0},
		"a day":             {"86400", maxRetryAfter},
		"a century":         {strconv.Itoa(1 << 40), 0},
	} {
		t.Run(name, func(t *testing.T) {
			api := promapitest.New(t)
			api.Answer(promapitest.Any, promapitest.Text(429, "text/plain", "slow down").WithHeader("Retry-After", test.header), promapitest.Vector())
			clock := now
			c := newClientWith(t, api.URL, []Option{WithClock(func() time.Time { return clock })})
			_, err := c.Query(t.Context(), "up", at)
			if e := causedBy(t, err, CauseRateLimited, "status 429", "slow down"); e.RetryAfter != test.want {
				t.Errorf("got %v to wait, want %v", e.RetryAfter, test.want)
			}
			if test.want > 0 {
				clock = now.Add(test.want - time.Second)
				_, err = c.Query(t.Context(), "down", at)
				if e := causedBy(t, err, CauseRateLimited, "not sent", "retry after 1s"); e.RetryAfter != time.Second || e.Status != 0 {
					t.Errorf("got %+v, want 1 s left and no status", e)
				}
			}
			if n := len(api.Requests()); n != 1 {
				t.Errorf("got %d requests, want 1", n)
			}
			clock = now.Add(test.want)
			if _, err := c.Query(t.Context(), "up", at); err != nil {
				t.Errorf("after the wait: %v", err)
			}
		})
	}
}

// A query that waited for its turn while another met a rate limit is not sent.
func TestRateLimitWhileWaiting(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Text(429, "", "").WithHeader("Retry-After", "60"))
	c := newTestClient(t, api.URL, func(cfg *Config) { cfg.MaxConcurrency = 1 })
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			_, err := c.Query(t.Context(), "up", at)
			wantCause(t, err, CauseRateLimited)
		})
	}
	wg.Wait()
	if n := len(api.Requests()); n != 1 {
		t.Errorf("got %d requests, want 1", n)
	}
}

func TestFallBackToGET(t *testing.T) {
	post := func(r promapitest.Request) bool { return r.Method == http.MethodPost }
	for name, test := range map[string]struct {
		status       int
		first, later []string
	}{
		"method not allowed": {405, []string{"POST", "GET"}, []string{"GET"}},
		"not implemented":    {501, []string{"POST", "GET"}, []string{"GET"}},
		"forbidden verb":     {403, []string{"POST", "GET"}, []string{"GET"}},
	} {
		t.Run(name, func(t *testing.T) {
			api := promapitest.New(t)
			api.Answer(promapitest.Any, promapitest.Vector(promapitest.Sample(7)))
			api.Answer(post, promapitest.Text(test.status, "", ""))
			c := newTestClient(t, api.URL, func(cfg *Config) {
				cfg.Headers, cfg.Params = Secrets{"X-Scope-OrgID": "team-a"}, Secrets{"namespace": "x"}
			})
			for _, want := range [][]string{test.first, test.later} {
				api.Reset()
				got, err := c.Query(t.Context(), "up", at)
				if err != nil || len(got.Series) != 1 {
					t.Fatalf("got %+v, %v, want one series", got, err)
				}
				var methods []string
				for _, r := range api.Requests() {
					methods = append(methods, r.Method)
					if r.Query != "up" || r.Form.Get("time") == "" || r.Form.Get("namespace") != "x" || r.Header.Get("X-Scope-OrgID") != "team-a" {
						t.Errorf("got %s with %v, want all parameters and headers", r.Method, r.Form)
					}
				}
				if strings.Join(methods, " ") != strings.Join(want, " ") {
					t.Errorf("got %v, want %v", methods, want)
				}
			}
		})
	}
}

func TestFallBackInVain(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Text(403, "", "forbidden"))
	clock := time.Unix(1772000000, 0)
	c := newClientWith(t, api.URL, []Option{WithClock(func() time.Time { return clock })})
	for i, want := range []int{2, 3, 5} {
		if i == 2 {
			clock = clock.Add(forbiddenPause)
		}
		_, err := c.Query(t.Context(), "up", at)
		wantCause(t, err, CauseAuth, "status 403")
		if got := len(api.Requests()); got != want {
			t.Errorf("query %d: got %d requests in all, want %d", i, got, want)
		}
	}
	api.Answer(promapitest.Any, promapitest.Text(405, "", ""))
	_, err := c.Query(t.Context(), "up", at)
	wantCause(t, err, CauseBadRequest, "status 405")
}

func TestGETTooLong(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector())
	api.Answer(func(r promapitest.Request) bool { return r.Method == http.MethodPost && r.Query == "up" }, promapitest.Text(405, "", ""))
	long := "up" + strings.Repeat(" ", maxRequestLine)
	c := newTestClient(t, api.URL)
	if _, err := c.Query(t.Context(), long, at); err != nil {
		t.Errorf("a long query by POST: %v", err)
	}
	if line := api.Requests()[0].Line; line >= 100 {
		t.Errorf("got a request line of %d bytes, want the query in the body", line)
	}
	if _, err := c.Query(t.Context(), "up", at); err != nil {
		t.Errorf("a short query by GET: %v", err)
	}
	_, err := c.Query(t.Context(), long, at)
	wantCause(t, err, CauseTooLarge, "refuses POST", "8192")
}
