package promapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/common/config"
	"github.com/prometheus/common/model"

	"github.com/infscale/infscale/promapi/promapitest"
)

func TestAuthorization(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "secret")
	write(t, file, " s3cret\n")
	tests := map[string]struct {
		change func(*config.HTTPClientConfig)
		want   string
	}{
		"a token":      {func(c *config.HTTPClientConfig) { c.BearerToken = "s3cret" }, "Bearer s3cret"},
		"a token file": {func(c *config.HTTPClientConfig) { c.BearerTokenFile = file }, "Bearer s3cret"},
		"credentials":  {func(c *config.HTTPClientConfig) { c.Authorization = &config.Authorization{Credentials: "s3cret"} }, "Bearer s3cret"},
		"credentials of any type": {func(c *config.HTTPClientConfig) {
			c.Authorization = &config.Authorization{Type: "Token", CredentialsFile: file}
		}, "Token s3cret"},
		"basic": {func(c *config.HTTPClientConfig) { c.BasicAuth = &config.BasicAuth{Username: "u", Password: "p"} }, "Basic dTpw"},
		"basic from files": {func(c *config.HTTPClientConfig) {
			c.BasicAuth = &config.BasicAuth{UsernameFile: file, PasswordFile: file}
		}, "Basic czNjcmV0OnMzY3JldA=="},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			api := promapitest.New(t)
			api.Answer(promapitest.Any, promapitest.Vector())
			api.Require("Authorization", test.want)
			if _, err := newTestClient(t, api.URL, func(c *Config) { test.change(&c.HTTP) }).Query(t.Context(), "up", at); err != nil {
				t.Errorf("got %v with %q", err, api.Requests()[0].Header.Get("Authorization"))
			}
		})
	}
}

func TestTokenRotation(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector())
	c := newTestClient(t, api.URL, func(c *Config) { c.HTTP.BearerTokenFile = file })
	ask := func(step string, requests int, ok bool) error {
		t.Helper()
		api.Reset()
		_, err := c.Query(t.Context(), "up", at)
		if (err == nil) != ok {
			t.Errorf("%s: got %v", step, err)
		}
		if n := len(api.Requests()); n != requests {
			t.Errorf("%s: got %d requests, want %d", step, n, requests)
		}
		return err
	}
	api.Require("Authorization", "Bearer tok-A")
	wantCause(t, ask("no file yet", 0, false), CauseAuth, "token")
	write(t, file, "\n")
	wantCause(t, ask("empty from the start", 0, false), CauseAuth, "empty file")
	write(t, file, "tok-A\n")
	_ = ask("the first token", 1, true)
	api.Require("Authorization", "Bearer tok-B")
	err := ask("the server is ahead of the file", 1, false)
	wantCause(t, err, CauseAuth, "status 401")
	write(t, file, "tok-B\n")
	_ = ask("the second token", 1, true)
	write(t, file, "")
	_ = ask("empty for a moment", 1, true)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	_ = ask("absent for a moment", 1, true)
}

// The file is replaced after a request read it and before the server checks it.
func TestTokenRotatedInFlight(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write(t, file, "tok-A")
	var requests atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 {
			_ = os.WriteFile(file, []byte("tok-B"), 0o600)
		}
		if r.Header.Get("Authorization") != "Bearer tok-B" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		promapitestServe(w, promapitest.Vector())
	}))
	t.Cleanup(srv.Close)
	if _, err := newTestClient(t, srv.URL, func(c *Config) { c.HTTP.BearerTokenFile = file }).Query(t.Context(), "up", at); err != nil {
		t.Error(err)
	}
	if n := requests.Load(); n != 2 {
		t.Errorf("got %d requests, want 2", n)
	}
}

// Whatever a server quotes, no secret gets into an error.
func TestNoSecretInErrors(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write(t, file, "file-token-1234")
	secrets := []string{"file-token-1234", "tenant-secret", "api+key/0123456789", "header-secret", "header-value", "proxy-pass"}
	for name, answer := range map[string]func(*http.Request) (int, string, string){
		"in text": func(r *http.Request) (int, string, string) {
			return 403, "text/plain", fmt.Sprintf("denied %v %s", r.Header, r.URL)
		},
		"in JSON": func(r *http.Request) (int, string, string) {
			return 400, "application/json", fmt.Sprintf(`{"status":"error","errorType":"bad_data","error":%q}`, fmt.Sprint(r.Header, r.URL))
		},
		"in JSON with status 200": func(r *http.Request) (int, string, string) {
			return 200, "application/json", fmt.Sprintf(`{"status":"error","errorType":"bad_data","error":%q}`, fmt.Sprint(r.Header, r.URL))
		},
		"in HTML with status 200": func(r *http.Request) (int, string, string) {
			return 200, "text/html", fmt.Sprintf("<html>%v %s", r.Header, r.URL)
		},
		"at the cut": func(r *http.Request) (int, string, string) {
			return 500, "text/plain", strings.Repeat("x", maxQuoted-len("file-token-1234")+1) + r.Header.Get("Authorization")[len("Bearer "):]
		},
		"in the type": func(r *http.Request) (int, string, string) {
			return 500, "text/" + r.Header.Get("Authorization"), "x"
		},
		"in a redirect": func(*http.Request) (int, string, string) { return 302, "", "" },
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				status, contentType, body := answer(r)
				w.Header().Set("Content-Type", contentType)
				w.Header().Set("Location", "/file-token-1234?key=header-secret")
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			}))
			t.Cleanup(srv.Close)
			c := newTestClient(t, srv.URL, func(c *Config) {
				c.HTTP.BearerTokenFile = file
				c.Headers = Secrets{"X-Scope-OrgID": "tenant-secret"}
				c.Params = Secrets{"key": "api+key/0123456789", "dedup": "true"}
				c.HTTP.HTTPHeaders = &config.Headers{Headers: map[string]config.Header{
					"X-A": {Secrets: []config.Secret{"header-secret"}, Values: []string{"header-value"}},
				}}
			})
			_, err := c.Query(t.Context(), "up", at)
			if err == nil {
				t.Fatal("got no error")
			}
			for _, secret := range secrets {
				for _, form := range []string{secret, url.QueryEscape(secret), secret[:len(secret)-1]} {
					if strings.Contains(err.Error(), form) {
						t.Errorf("got %q, want no %q in it", err, form)
					}
				}
			}
		})
	}
}

func TestCensor(t *testing.T) {
	proxy, _ := url.Parse("http://u:proxy-pass@proxy:3128")
	cfg := Config{
		Headers: Secrets{"a": "1"},
		HTTP: config.HTTPClientConfig{
			BearerToken:   "bearer-token",
			Authorization: &config.Authorization{Credentials: "credentials"},
			BasicAuth:     &config.BasicAuth{Username: "user", Password: "password"},
			OAuth2:        &config.OAuth2{ClientSecret: "client-secret", EndpointParams: map[string]string{"p": "endpoint-param"}},
			ProxyConfig:   config.ProxyConfig{ProxyURL: config.URL{URL: proxy}},
		},
	}
	z := newCensor(&cfg)
	z.learn("file", "in")
	z.learn("other", "from-file")
	z.learn("escaped", "a+b/c d")
	if got := z.clean("/?key=a%2Bb%2Fc+d&x=a+b/c d"); got != "/?key=<secret>&x=<secret>" {
		t.Errorf("got %q, want no secret in a URL", got)
	}
	for _, secret := range []string{
		"bearer-token", "credentials", "password", "dXNlcjpwYXNzd29yZA==", "client-secret", "endpoint-param", "proxy-pass", "from-file",
	} {
		if got := z.clean("a " + secret + " in 1"); got != "a <secret> in 1" {
			t.Errorf("got %q, want no %q in it", got, secret)
		}
	}
}

// tokenServer issues OAuth2 tokens tok-1, tok-2 and so on.
func tokenServer(t *testing.T, issued *atomic.Int32) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "client-secret" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = fmt.Fprintf(w, "bad\nsecret %s", r.FormValue("client_secret"))
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"access_token": fmt.Sprintf("tok-%d", issued.Add(1)), "token_type": "Bearer", "expires_in": 3600,
		})
	}))
	t.Cleanup(srv.Close)
	return srv
}

func withOAuth2(tokenURL, secret string) func(*Config) {
	return func(c *Config) {
		c.HTTP.OAuth2 = &config.OAuth2{ClientID: "infscale", ClientSecret: config.Secret(secret), TokenURL: tokenURL + "/token?x=y"}
	}
}

func TestOAuth2(t *testing.T) {
	var issued atomic.Int32
	tokens := tokenServer(t, &issued)
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector())
	api.Require("Authorization", "Bearer tok-1")
	clock := time.Unix(1772000000, 0)
	c := newClientWith(t, api.URL, []Option{WithClock(func() time.Time { return clock })}, withOAuth2(tokens.URL, "client-secret"))
	ask := func(step string, want int32, ok bool) {
		t.Helper()
		if _, err := c.Query(t.Context(), "up", at); (err == nil) != ok {
			t.Errorf("%s: got %v", step, err)
		}
		if n := issued.Load(); n != want {
			t.Errorf("%s: got %d tokens issued, want %d", step, n, want)
		}
	}
	ask("the first query", 1, true)
	ask("the token is kept", 1, true)
	api.Require("Authorization", "Bearer tok-2")
	ask("the token was revoked", 2, true)
	api.Require("Authorization", "Bearer tok-3")
	ask("revoked again at once", 2, false)
	clock = clock.Add(renewPause)
	ask("a minute later", 3, true)
}

func TestOAuth2SecretFile(t *testing.T) {
	var issued atomic.Int32
	tokens := tokenServer(t, &issued)
	file := filepath.Join(t.TempDir(), "secret")
	write(t, file, "client-secret\n")
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector())
	c := newTestClient(t, api.URL, withOAuth2(tokens.URL, ""), func(c *Config) { c.HTTP.OAuth2.ClientSecretFile = file })
	for range 2 {
		if _, err := c.Query(t.Context(), "up", at); err != nil {
			t.Error(err)
		}
		write(t, file, "")
	}
}

func TestOAuth2Failures(t *testing.T) {
	var issued atomic.Int32
	tokens := tokenServer(t, &issued)
	api := promapitest.New(t)
	_, err := newTestClient(t, api.URL, withOAuth2(tokens.URL, "wrong-secret")).Query(t.Context(), "up", at)
	wantCause(t, err, CauseAuth, "401", "<secret>")
	if strings.Contains(err.Error(), "wrong-secret") {
		t.Errorf("got %q, want no secret in it", err)
	}
	gone := httptest.NewServer(nil)
	gone.Close()
	_, err = newTestClient(t, api.URL, withOAuth2(gone.URL, "client-secret")).Query(t.Context(), "up", at)
	wantCause(t, err, CauseConnect, "OAuth2 token endpoint", "connection refused")
	if strings.Contains(err.Error(), "x=y") {
		t.Errorf("got %q, want no query string in it", err)
	}
	if n := len(api.Requests()); n != 0 {
		t.Errorf("got %d requests without a token, want none", n)
	}
}

// A token endpoint that hangs holds neither the caller nor ever more goroutines.
func TestOAuth2Hanging(t *testing.T) {
	release, arrived := make(chan struct{}), make(chan struct{}, 10)
	tokens := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { arrived <- struct{}{}; <-release }))
	t.Cleanup(tokens.Close)
	t.Cleanup(func() { close(release) })
	c := newTestClient(t, "http://127.0.0.1:9", withOAuth2(tokens.URL, "client-secret"), func(c *Config) { c.MaxConcurrency = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err := c.Query(ctx, "up", at)
	wantCause(t, err, CauseCancelled)
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = c.Query(ctx, "up", at)
	wantCause(t, err, CauseTimeout, "token endpoint does not answer")
	if n := len(arrived); n != 0 {
		t.Errorf("got %d more requests for a token, want none", n)
	}
}

func TestHeaderFileMissing(t *testing.T) {
	api := promapitest.New(t)
	_, err := newTestClient(t, api.URL, func(c *Config) {
		c.Timeout = model.Duration(time.Second)
		c.HTTP.HTTPHeaders = &config.Headers{Headers: map[string]config.Header{"X-A": {Files: []string{"testdata/no-such-file"}}}}
	}).Query(t.Context(), "up", at)
	wantCause(t, err, CauseAuth, "no-such-file")
}
