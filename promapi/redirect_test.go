package promapi

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/prometheus/common/config"

	"github.com/infscale/infscale/promapi/promapitest"
)

func countNew(n *atomic.Int32) func(net.Conn, http.ConnState) {
	return func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			n.Add(1)
		}
	}
}

func withBasicAuth(cfg *Config) {
	cfg.HTTP.BasicAuth = &config.BasicAuth{Username: "user", Password: "s3cret-password"}
	cfg.Headers = Secrets{"X-Scope-OrgID": "team-secret"}
}

func TestRedirectsFollowed(t *testing.T) {
	for _, status := range []int{307, 308} {
		api := promapitest.New(t)
		api.Answer(promapitest.Any, promapitest.Redirect(status, "/moved/api/v1/query?x=1"), promapitest.Vector(promapitest.Sample(3)))
		got, err := newTestClient(t, api.URL, withBasicAuth).Query(t.Context(), "up", at)
		if err != nil || len(got.Series) != 1 {
			t.Fatalf("%d: got %+v, %v, want one series", status, got, err)
		}
		r := api.Requests()[1]
		if r.Method != http.MethodPost || r.Query != "up" || r.Path != "/moved/api/v1/query" || r.Header.Get("X-Scope-OrgID") != "team-secret" || r.Header.Get("Authorization") == "" {
			t.Errorf("%d: got %s %s with %v, want the whole POST again", status, r.Method, r.Path, r.Form)
		}
	}
}

func TestRedirectToHTTPS(t *testing.T) {
	pki := newPKI(t)
	secure := new(promapitest.Server)
	secure.Answer(promapitest.Any, promapitest.Vector(promapitest.Sample(3)))
	srv := pki.serve(t, secure, pki.leaf("127.0.0.1"), false)
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Redirect(308, srv.URL+"/api/v1/query"))
	got, err := newTestClient(t, api.URL, withBasicAuth, func(cfg *Config) { cfg.HTTP.TLSConfig.CA = pki.pem() }).Query(t.Context(), "up", at)
	if err != nil || len(got.Series) != 1 {
		t.Fatalf("got %+v, %v, want one series", got, err)
	}
	if secure.Requests()[0].Header.Get("Authorization") == "" {
		t.Error("got no credentials on the same host, want them")
	}
}

func TestRedirectsRefused(t *testing.T) {
	other := promapitest.New(t)
	other.Answer(promapitest.Any, promapitest.Vector())
	stranger := strings.Replace(other.URL, "http://", "http://joe:hunter22@", 1) + "/login?token=abc#x"
	tests := map[string]struct {
		status   int
		location string
		follow   bool
		parts    []string
	}{
		"301 drops the body":   {301, "/api/v1/query", true, []string{"/api/v1/query", "would drop the query"}},
		"302 drops the body":   {302, stranger, true, []string{other.URL + "/login"}},
		"303 drops the body":   {303, "/x", true, []string{"/x"}},
		"307 to another host":  {307, stranger, true, []string{other.URL + "/login", "another server"}},
		"307 when not allowed": {307, "/x", false, []string{"follow_redirects is off"}},
		"307 in a circle":      {307, "/api/v1/query", true, []string{"more than 5 redirects"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			api := promapitest.New(t)
			api.Answer(promapitest.Any, promapitest.Redirect(test.status, test.location))
			_, err := newTestClient(t, api.URL, withBasicAuth, func(cfg *Config) { cfg.HTTP.FollowRedirects = test.follow }).Query(t.Context(), "up", at)
			e := causedBy(t, err, CauseRedirect, test.parts...)
			if e.Status != test.status {
				t.Errorf("got status %d, want %d", e.Status, test.status)
			}
			for _, secret := range []string{"joe", "hunter22", "token", "abc"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("got %q, want no %q in it", err, secret)
				}
			}
		})
	}
	if n := len(other.Requests()); n != 0 {
		t.Errorf("got %d requests to another server, want none", n)
	}
}

func TestRedirectWithoutLocation(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTemporaryRedirect) }))
	t.Cleanup(srv.Close)
	_, err := newTestClient(t, srv.URL).Query(t.Context(), "up", at)
	wantCause(t, err, CauseRedirect, "status 307")
}

func TestSameServer(t *testing.T) {
	for pair, want := range map[string]bool{
		"http://p:9090/a http://p:9090/b": true,
		"http://p http://P:80":            true,
		"https://p https://p:443/x":       true,
		"http://p:9090 https://p":         true,
		"https://p http://p":              false,
		"http://p:9090 http://p:9091":     false,
		"http://p http://q":               false,
		"http://p http://p.q":             false,
		"http://p https://q.p":            false,
	} {
		from, to, _ := strings.Cut(pair, " ")
		a, _ := url.Parse(from)
		b, _ := url.Parse(to)
		if got := sameServer(a, b); got != want {
			t.Errorf("%s: got %v, want %v", pair, got, want)
		}
	}
}
