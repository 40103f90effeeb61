package promapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// load decodes as the configuration file is decoded: strictly.
func load(text string) (Config, error) {
	var cfg struct {
		Prometheus Config `yaml:"prometheus"`
	}
	cfg.Prometheus = DefaultConfig()
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	err := d.Decode(&cfg)
	return cfg.Prometheus, err
}

func TestConfigDefaults(t *testing.T) {
	cfg, err := load("prometheus: {url: 'http://p:9090'}")
	if err != nil {
		t.Fatal(err)
	}
	if errs := cfg.Validate(); len(errs) > 0 {
		t.Errorf("got %v, want no mistakes", errs)
	}
	if !cfg.HTTP.FollowRedirects || !cfg.HTTP.EnableHTTP2 || time.Duration(cfg.Timeout) != 10*time.Second || cfg.MaxConcurrency != 4 || cfg.MaxResponseBytes != 128<<20 {
		t.Errorf("got %+v, want the defaults", cfg)
	}
}

func TestConfigWhole(t *testing.T) {
	cfg, err := load(`
prometheus:
  url: https://mimir.example/prometheus
  basic_auth: {username: u, password_file: secrets/password}
  tls_config: {ca_file: ca.pem, insecure_skip_verify: true}
  follow_redirects: false
  http_headers: {X-A: {values: [b]}}
  proxy_url: http://proxy:3128
  headers: {X-Scope-OrgID: team-a}
  params: {dedup: "true"}
  timeout: 5s
  max_response_bytes: 1000
  max_concurrency: 2
`)
	if err != nil {
		t.Fatal(err)
	}
	if errs := cfg.Validate(); len(errs) > 0 {
		t.Errorf("got %v, want no mistakes", errs)
	}
	cfg.SetDirectory("/etc/infscale")
	if got, want := cfg.HTTP.BasicAuth.PasswordFile, filepath.FromSlash("/etc/infscale/secrets/password"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if cfg.HTTP.FollowRedirects || !cfg.HTTP.TLSConfig.InsecureSkipVerify || cfg.Headers["X-Scope-OrgID"] != "team-a" || time.Duration(cfg.Timeout) != 5*time.Second {
		t.Errorf("got %+v, want what the file says", cfg)
	}
}

func TestConfigDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"timeout: 10000":                   `not a valid duration string: "10000"`,
		"tiemout: 10s":                     "field tiemout not found",
		"tls_config: {cafile: x}":          "field cafile not found",
		"basic_auth: {user: x}":            "field user not found",
		"max_concurrency: many":            "cannot unmarshal",
		"tls_config: {ca: x, ca_file: y}":  "at most one of ca",
		"oauth2: {client_id: a, nonsense}": "nonsense",
	} {
		if _, err := load("prometheus: {url: 'http://p:9090', " + text + "}"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"nothing":                 {"{}", []string{"url: must be set"}},
		"no scheme":               {"{url: 'prometheus:9090'}", []string{`url: scheme must be http or https, got "prometheus"`}},
		"an address":              {"{url: '10.0.0.1:9090'}", []string{"url: not a URL: first path segment"}},
		"another scheme":          {"{url: 'ftp://p'}", []string{`got "ftp"`}},
		"no host":                 {"{url: 'http://'}", []string{"url: has no host"}},
		"only a port":             {"{url: 'http://:9090'}", []string{"url: has no host"}},
		"a password":              {"{url: 'http://u:hunter22@p'}", []string{"use basic_auth"}},
		"a password, not a URL":   {"{url: 'http://u:hunter22@p:x'}", []string{"url: not a URL"}},
		"a query":                 {"{url: 'http://p/?token=hunter22'}", []string{"use params"}},
		"a fragment":              {"{url: 'http://p/#x'}", []string{"fragment"}},
		"two ways to log in":      {"{url: 'http://p', bearer_token: a, basic_auth: {username: u}}", []string{"at most one of basic_auth"}},
		"a secret manager":        {"{url: 'http://p', authorization: {credentials_ref: x}, tls_config: {ca_ref: y}}", []string{"authorization.credentials_ref: is not supported", "tls_config.ca_ref: is not"}},
		"more secret managers":    {"{url: 'http://p', basic_auth: {username_ref: x, password_ref: y}}", []string{"basic_auth.username_ref", "basic_auth.password_ref"}},
		"an OAuth2 manager":       {"{url: 'http://p', oauth2: {client_id: a, token_url: b, client_secret_ref: x}}", []string{"oauth2.client_secret_ref"}},
		"header Authorization":    {"{url: 'http://p', headers: {authorization: hunter22}}", []string{"headers.authorization: cannot be set here, use basic_auth or authorization"}},
		"header Host":             {"{url: 'http://p', headers: {Host: hunter22}}", []string{"headers.Host: cannot be set here"}},
		"a header with a space":   {"{url: 'http://p', headers: {'a b': hunter22}}", []string{`headers: "a b" is not a header name`}},
		"a header with a newline": {"{url: 'http://p', headers: {X-A: \"hunter22\\nb\"}}", []string{"headers.X-A: the value has a control character"}},
		"a parameter of our own":  {"{url: 'http://p', params: {query: hunter22, time: a}}", []string{"params.query: is set", "params.time: is set"}},
		"two tokens, and more": {
			"{url: 'http://p', bearer_token: hunter22, bearer_token_file: a, basic_auth: {password: hunter22, password_file: b}, proxy_from_environment: true, no_proxy: x, headers: {'a b': x, authorization: y, 'c:d': z}, max_concurrency: 0}",
			[]string{
				"at most one of bearer_token & bearer_token_file", "at most one of basic_auth password", "if proxy_from_environment is configured",
				"headers.authorization: cannot be set here", `headers: "a b", "c:d" are not header names`, "max_concurrency: must be positive, got 0",
			},
		},
		"an address in every way": {"{url: 'ftp://u:hunter22@p/?token=hunter22#x'}", []string{
			`url: has a user name or password in it, use basic_auth; scheme must be http or https, got "ftp"; has a query in it, use params; has a fragment in it`,
		}},
		"everything at once": {"{timeout: 0s, max_response_bytes: -1, max_concurrency: 0}", []string{"url: must", "timeout: must be positive, got 0s", "max_response_bytes: must be positive, got -1", "max_concurrency: must be positive, got 0"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			cfg, err := load("prometheus: " + test.text)
			if err != nil {
				t.Fatal(err)
			}
			errs := cfg.Validate()
			if len(errs) != len(test.want) {
				t.Fatalf("got %v, want %d mistakes", errs, len(test.want))
			}
			for i, want := range test.want {
				if !strings.Contains(errs[i].Error(), want) || strings.Contains(errs[i].Error(), "hunter22") {
					t.Errorf("got %q, want it to contain %q and no secret", errs[i], want)
				}
			}
			if _, err := New(cfg); err == nil || err.Error() != errors.Join(errs...).Error() {
				t.Errorf("New: got %v, want the same mistakes", err)
			}
		})
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Headers = Secrets{"X-Scope-OrgID": "hunter22"}
	asYAML, err := yaml.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	asJSON, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{
		string(asYAML), string(asJSON), fmt.Sprint(cfg.Headers), fmt.Sprintf("%#v", cfg.Headers), fmt.Sprintf("%+v", cfg), fmt.Sprintf("%s", cfg.Headers),
	} {
		if strings.Contains(got, "hunter22") || !strings.Contains(got, "X-Scope-OrgID") {
			t.Errorf("got %q, want the name and not the value", got)
		}
	}
}

func TestLabels(t *testing.T) {
	ls := MakeLabels("pod", "a", "__name__", "up", "note", `say "hi"`)
	if got, want := ls.String(), `{__name__="up", note="say \"hi\"", pod="a"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if ls.Get("pod") != "a" || ls.Get("job") != "" {
		t.Errorf("got %q and %q, want \"a\" and none", ls.Get("pod"), ls.Get("job"))
	}
}
