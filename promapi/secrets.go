package promapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
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

// The shortest values that are taken out of foreign text. Below that, as with a
// tenant called "1", the replacement would garble the text and hide nothing.
const (
	minSecret      = 4
	minSecretParam = 8
)

// A censor takes secrets out of foreign text, such as the body of a proxy that
// quotes the token it refuses.
type censor struct {
	mu       sync.Mutex
	fixed    []string
	fromFile map[string]string // last value by file
}

func newCensor(cfg *Config) *censor {
	z := &censor{fromFile: map[string]string{}}
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
	if p := c.ProxyURL.URL; p != nil && p.User != nil {
		password, _ := p.User.Password()
		z.add(password)
	}
	if c.HTTPHeaders != nil {
		for _, h := range c.HTTPHeaders.Headers {
			for _, v := range h.Secrets {
				z.add(string(v))
			}
			for _, v := range h.Values {
				z.add(v)
			}
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

// clean returns s without any secret, be it written plainly or as in a URL.
func (z *censor) clean(s string) string {
	z.mu.Lock()
	secrets := slices.AppendSeq(slices.Clone(z.fixed), maps.Values(z.fromFile))
	z.mu.Unlock()
	// Longest first: a secret may contain another.
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range secrets {
		if len(secret) < minSecret {
			continue
		}
		s = strings.ReplaceAll(s, secret, hidden)
		s = strings.ReplaceAll(s, url.QueryEscape(secret), hidden)
	}
	return s
}
