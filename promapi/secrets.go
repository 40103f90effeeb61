package promapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/prometheus/common/config"
)

// hidden stands for a secret, as in common/config.
const hidden = "<secret>"

// Secrets are values by name that are sent and never shown: they print as
// "<secret>" in every format.
type Secrets map[string]string

// Format writes the names, and no value.
func (s Secrets) Format(f fmt.State, _ rune) { fmt.Fprint(f, s.masked()) }

// MarshalYAML writes the names, and no value.
func (s Secrets) MarshalYAML() (any, error) { return s.masked(), nil }

// MarshalJSON writes the names, and no value.
func (s Secrets) MarshalJSON() ([]byte, error) { return json.Marshal(s.masked()) }

func (s Secrets) masked() map[string]string {
	m := make(map[string]string, len(s))
	for name := range s {
		m[name] = hidden
	}
	return m
}

// Masked returns c as it can be shown, without what its own encoding shows: parameters
// for the OAuth2 token endpoint, where assertions and keys are, and what may be in its URL.
func Masked(c config.HTTPClientConfig) config.HTTPClientConfig {
	if c.OAuth2 == nil {
		return c
	}
	o := *c.OAuth2
	o.EndpointParams = Secrets(o.EndpointParams).masked()
	if u, err := url.Parse(o.TokenURL); err != nil || bareURL(u) != o.TokenURL {
		o.TokenURL = hidden
	}
	c.OAuth2 = &o
	return c
}

// The shortest values that are taken out of foreign text. Below that, as with a
// tenant called "1", the replacement would garble the text and hide nothing.
const (
	minSecret      = 4
	minSecretParam = 8
)

// A censor takes secrets out of foreign text, such as the body of a proxy that
// quotes the token it refuses.
type censor struct {
	headers []string // those whose values are secrets

	mu       sync.Mutex
	fixed    []string
	fromFile map[string]string // last value by file
	recent   []string          // what was sent lately, newest last
}

// maxRecent is how many sent values are remembered: more than tokens are in use while
// one takes the place of another.
const maxRecent = 16

func newCensor(cfg *Config) *censor {
	z := &censor{headers: []string{"Authorization"}, fromFile: map[string]string{}}
	for _, v := range cfg.Headers {
		z.add(v)
	}
	for _, v := range cfg.Params {
		// A short one is a switch: dedup=true.
		if len(v) >= minSecretParam {
			z.add(v)
		}
	}
	z.addClient(&cfg.HTTP)
	return z
}

func (z *censor) addClient(c *config.HTTPClientConfig) {
	z.add(string(c.BearerToken))
	if a := c.Authorization; a != nil {
		z.add(string(a.Credentials))
	}
	if a := c.BasicAuth; a != nil {
		z.add(string(a.Password))
		z.add(base64.StdEncoding.EncodeToString([]byte(a.Username + ":" + string(a.Password))))
	}
	if o := c.OAuth2; o != nil {
		z.add(string(o.ClientSecret))
		z.add(string(o.ClientCertificateKey))
		for _, v := range o.EndpointParams {
			z.add(v)
		}
	}
	z.addProxy(&c.ProxyConfig)
	if o := c.OAuth2; o != nil {
		z.addProxy(&o.ProxyConfig)
	}
	if c.HTTPHeaders != nil {
		for name, h := range c.HTTPHeaders.Headers {
			z.headers = append(z.headers, name)
			for _, v := range h.Secrets {
				z.add(string(v))
			}
			for _, v := range h.Values {
				z.add(v)
			}
		}
	}
}

func (z *censor) addProxy(c *config.ProxyConfig) {
	if p := c.ProxyURL.URL; p != nil && p.User != nil {
		password, _ := p.User.Password()
		z.add(password)
	}
	for _, values := range c.ProxyConnectHeader {
		for _, v := range values {
			z.add(string(v))
		}
	}
}

func (z *censor) add(secret string) {
	if len(secret) >= minSecret {
		z.fixed = append(z.fixed, secret)
	}
}

// learn notes the value that a file has now.
func (z *censor) learn(file, secret string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.fromFile[file] = secret
}

// sent notes the secrets of a request: tokens that an OAuth2 server gave out, and values
// of files that the transport reads by itself.
func (z *censor) sent(h http.Header) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, name := range z.headers {
		for _, v := range h.Values(name) {
			if _, token, ok := strings.Cut(v, " "); ok && name == "Authorization" {
				v = token // without its scheme
			}
			if !slices.Contains(z.recent, v) {
				z.recent = append(z.recent, v)
			}
		}
	}
	z.recent = slices.Delete(z.recent, 0, max(0, len(z.recent)-maxRecent))
}

// clean returns s without any secret, be it written plainly or as in a URL, a header, a
// page or JSON. It comes before any cut, which might leave half of one.
func (z *censor) clean(s string) string {
	z.mu.Lock()
	secrets := slices.AppendSeq(slices.Concat(z.fixed, z.recent), maps.Values(z.fromFile))
	z.mu.Unlock()
	var all []string
	for _, secret := range secrets {
		if len(secret) >= minSecret {
			all = append(all, base64Forms(secret)...)
			all = append(all, base64Forms(base64.StdEncoding.EncodeToString([]byte(secret)))...)
		}
	}
	slices.Sort(all)
	return hideBasic(hide(s, slices.Compact(all)))
}

// The remarks on an answer that are kept, and how much of each, in bytes.
const (
	maxRemarks = 20
	maxRemark  = 1000
	maxForeign = 4 * maxRemark
)

// remarks returns what a server says besides its answer as it can be shown.
func (z *censor) remarks(list []string) []string {
	var shown []string // without the memory of what is left out
	for _, remark := range list[:min(len(list), maxRemarks)] {
		shown = append(shown, z.text(remark, maxRemark))
	}
	return shown
}

// text returns the start of a foreign text without secrets, at most so many bytes. The
// cut comes after, as it might leave half of a secret.
func (z *censor) text(s string, most int) string {
	return shorten(z.clean(shorten(s, maxForeign)), most)
}
