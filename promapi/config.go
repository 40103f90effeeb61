package promapi

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/config"
	"github.com/prometheus/common/model"
)

// Config says how to reach one Prometheus-compatible API.
type Config struct {
	// URL is the base of the API, without /api/v1: http://prometheus:9090, or
	// https://mimir.example/prometheus. A path is kept as a prefix.
	URL string `yaml:"url"`
	// HTTP is how Prometheus configures any HTTP client: basic_auth, authorization,
	// oauth2, tls_config, proxy_url, http_headers and so on. Files are read again
	// when they change.
	HTTP config.HTTPClientConfig `yaml:",inline"`
	// Headers go with every request, such as X-Scope-OrgID.
	Headers Secrets `yaml:"headers,omitempty"`
	// Params are further parameters of every request, such as dedup or
	// partial_response. A key can be among them, so they are secret too.
	Params Secrets `yaml:"params,omitempty"`
	// Timeout is for one request as a whole. The server is told to give up a little
	// earlier, so that it says why.
	Timeout model.Duration `yaml:"timeout,omitempty"`
	// MaxResponseBytes bounds the body of an answer after decompression.
	MaxResponseBytes int64 `yaml:"max_response_bytes,omitempty"`
	// MaxConcurrency is how many requests may be under way at once.
	MaxConcurrency int `yaml:"max_concurrency,omitempty"`
}

// DefaultConfig returns a configuration that lacks only the URL. Decode a file
// over it: Config has no UnmarshalYAML, so that other keys can stand beside an
// inlined one.
func DefaultConfig() Config {
	return Config{
		HTTP:             config.DefaultHTTPClientConfig,
		Timeout:          model.Duration(10 * time.Second),
		MaxResponseBytes: 128 << 20,
		MaxConcurrency:   4,
	}
}

// SetDirectory makes the paths of files relative to dir.
func (c *Config) SetDirectory(dir string) { c.HTTP.SetDirectory(dir) }

// Validate returns every mistake, each starting with the key it is in.
func (c *Config) Validate() []error {
	var errs []error
	add := func(key, format string, args ...any) {
		errs = append(errs, fmt.Errorf(key+": "+format, args...))
	}
	if err := CheckURL(c.URL); err != nil {
		add("url", "%w", err)
	}
	errs = append(errs, checkClient(&c.HTTP)...)
	if err := c.HTTP.TLSConfig.Validate(); err != nil {
		add("tls_config", "%w", err)
	}
	for _, key := range secretRefs(&c.HTTP) {
		add(key, "is not supported, use a file")
	}
	errs = append(errs, checkHeaders(c.Headers)...)
	for _, name := range slices.Sorted(maps.Keys(c.Params)) {
		if slices.Contains(ownParams, name) {
			add("params."+name, "is set by every query and cannot be configured")
		}
	}
	if c.Timeout <= 0 {
		add("timeout", "must be positive, got %v", c.Timeout)
	}
	if c.MaxResponseBytes <= 0 {
		add("max_response_bytes", "must be positive, got %d", c.MaxResponseBytes)
	}
	if c.MaxConcurrency <= 0 {
		add("max_concurrency", "must be positive, got %d", c.MaxConcurrency)
	}
	return errs
}

// checkClient asks for the mistakes of the whole and then of each part, since Validate
// stops at the first. It moves bearer_token to authorization: it gets copies.
func checkClient(c *config.HTTPClientConfig) []error {
	var errs []error
	for _, part := range []config.HTTPClientConfig{
		*c,
		{BearerToken: c.BearerToken, BearerTokenFile: c.BearerTokenFile},
		{BasicAuth: c.BasicAuth},
		{Authorization: c.Authorization},
		{OAuth2: c.OAuth2},
		{ProxyConfig: c.ProxyConfig},
		{HTTPHeaders: c.HTTPHeaders},
	} {
		err := part.Validate()
		if err != nil && !slices.ContainsFunc(errs, func(e error) bool { return e.Error() == err.Error() }) {
			errs = append(errs, err)
		}
	}
	return errs
}

// ownParams are the parameters that the client sets.
var ownParams = []string{"query", "time", "start", "end", "step", "timeout"}

// quotedPart is a part of the URL in an error.
var quotedPart = regexp.MustCompile(` "(?:[^"\\]|\\.)*"`)

// CheckURL returns what is wrong with the address of a Prometheus. It quotes no part of it:
// there may be a password in it, which is taken for the port when it has a slash.
func CheckURL(raw string) error {
	if raw == "" {
		return errors.New("must be set, such as http://prometheus:9090")
	}
	u, err := url.Parse(raw)
	if err != nil {
		if parse, ok := errors.AsType[*url.Error](err); ok {
			err = parse.Err
		}
		return errors.New("not a URL: " + quotedPart.ReplaceAllString(err.Error(), ""))
	}
	return checkParts(u)
}

// checkParts returns everything that is wrong with the parts of an address. What is no URL
// of HTTP at all has no host to speak of.
func checkParts(u *url.URL) error {
	var wrong []string
	if u.User != nil {
		wrong = append(wrong, "has a user name or password in it, use basic_auth")
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		wrong = append(wrong, fmt.Sprintf("scheme must be http or https, got %q", u.Scheme))
	} else if u.Hostname() == "" {
		wrong = append(wrong, "has no host")
	}
	if u.RawQuery != "" || u.ForceQuery {
		wrong = append(wrong, "has a query in it, use params")
	}
	if u.Fragment != "" {
		wrong = append(wrong, "has a fragment in it")
	}
	if wrong == nil {
		return nil
	}
	return errors.New(strings.Join(wrong, "; "))
}

// checkHeaders returns what is wrong with each header. The names that are none come last, in
// one mistake: they have no key of their own.
func checkHeaders(headers Secrets) []error {
	var errs []error
	var none []string
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		switch {
		case !validHeaderName(name):
			none = append(none, strconv.Quote(name))
		case isReserved(name):
			errs = append(errs, fmt.Errorf("headers.%s: cannot be set here%s", name, insteadOf(name)))
		case strings.ContainsFunc(headers[name], func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }):
			errs = append(errs, fmt.Errorf("headers.%s: the value has a control character", name))
		}
	}
	switch len(none) {
	case 0:
	case 1:
		errs = append(errs, fmt.Errorf("headers: %s is not a header name", none[0]))
	default:
		errs = append(errs, fmt.Errorf("headers: %s are not header names", strings.Join(none, ", ")))
	}
	return errs
}

func validHeaderName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

func isReserved(name string) bool {
	_, ok := config.ReservedHeaders[http.CanonicalHeaderKey(name)]
	return ok
}

func insteadOf(name string) string {
	if strings.EqualFold(name, "Authorization") {
		return ", use basic_auth or authorization"
	}
	return ""
}

// secretRefs returns the keys that name a secret of a secret manager, which
// Prometheus' own configuration has and this program has not.
func secretRefs(c *config.HTTPClientConfig) []string {
	var keys []string
	add := func(key, ref string) {
		if ref != "" {
			keys = append(keys, key)
		}
	}
	addTLS := func(prefix string, t config.TLSConfig) {
		add(prefix+"tls_config.ca_ref", t.CARef)
		add(prefix+"tls_config.cert_ref", t.CertRef)
		add(prefix+"tls_config.key_ref", t.KeyRef)
	}
	if a := c.BasicAuth; a != nil {
		add("basic_auth.username_ref", a.UsernameRef)
		add("basic_auth.password_ref", a.PasswordRef)
	}
	if a := c.Authorization; a != nil {
		add("authorization.credentials_ref", a.CredentialsRef)
	}
	if o := c.OAuth2; o != nil {
		add("oauth2.client_secret_ref", o.ClientSecretRef)
		add("oauth2.client_certificate_key_ref", o.ClientCertificateKeyRef)
		addTLS("oauth2.", o.TLSConfig)
	}
	addTLS("", c.TLSConfig)
	return keys
}
