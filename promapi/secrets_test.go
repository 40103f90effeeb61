package promapi

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/prometheus/common/config"
)

func TestCensorKnowsEveryForm(t *testing.T) {
	const password = `s3cret +/&"<=é`
	z := newCensor(&Config{HTTP: config.HTTPClientConfig{BasicAuth: &config.BasicAuth{Username: "reader", Password: password}}})
	z.learn("token.txt", "from a file")
	z.sent(http.Header{"Authorization": {"Bearer given-out"}})
	inJSON, err := json.Marshal(password)
	if err != nil {
		t.Fatal(err)
	}
	pair := base64.StdEncoding.EncodeToString([]byte("someone:else"))
	for what, text := range map[string]string{
		"plain":                      "password " + password + ".",
		"in a query":                 "password " + url.QueryEscape(password) + ".",
		"in a path":                  "password " + url.PathEscape(password) + ".",
		"in a path that is quoted":   "password " + url.PathEscape(url.QueryEscape(password)) + ".",
		"in HTML":                    "password " + html.EscapeString(password) + ".",
		"in JSON":                    "password " + strings.Trim(string(inJSON), `"`) + ".",
		"quoted by Go":               "password " + strings.Trim(fmt.Sprintf("%q", password), `"`) + ".",
		"as a header":                "password " + base64.StdEncoding.EncodeToString([]byte("reader:"+password)) + ".",
		"a file":                     "password from a file.",
		"a token that was given out": "password given-out.",
	} {
		if got, want := z.clean(text), "password "+hidden+"."; got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
	}
	for text, want := range map[string]string{
		"Proxy-Authorization: Basic " + pair + "; x":                            "Proxy-Authorization: Basic " + hidden + "; x",
		"?h=Basic%20" + url.QueryEscape(pair) + "&x":                            "?h=Basic%20" + hidden + "&x",
		"Authorization:%20Basic%20" + url.PathEscape(pair) + "%3B%20User-Agent": "Authorization:%20Basic%20" + hidden + "%3B%20User-Agent",
		"Basic%2520" + url.QueryEscape(url.QueryEscape(pair)) + "%253B":         "Basic%2520" + hidden + "%253B",
		"basic " + pair[:len(pair)-3] + "...":                                   "basic " + hidden + "...",
		"Basic authentication failed":                                           "Basic authentication failed",
		"only basic dGhlIHF1aWNrIGJyb3duIGZveA== is no pair of two":             "only basic dGhlIHF1aWNrIGJyb3duIGZveA== is no pair of two",
	} {
		if got := z.clean(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestCensorRemembersWhatWasSentLately(t *testing.T) {
	z := newCensor(&Config{})
	for i := range 2 * maxRecent {
		for range 3 {
			z.sent(http.Header{"Authorization": {fmt.Sprintf("Bearer token-%03d", i)}})
		}
	}
	if got, want := z.clean("token-031 token-016"), hidden+" "+hidden; got != want || len(z.recent) != maxRecent {
		t.Errorf("got %q and %d values, want %q and %d", got, len(z.recent), want, maxRecent)
	}
}

func TestMaskedHidesWhatItsEncodingShows(t *testing.T) {
	of := func(tokenURL string) config.HTTPClientConfig {
		return config.HTTPClientConfig{OAuth2: &config.OAuth2{TokenURL: tokenURL, EndpointParams: map[string]string{"assertion": "s3cret"}}}
	}
	for tokenURL, want := range map[string]string{
		"https://login/token": "https://login/token", "https://me:s3cret@login/token": hidden, "https://login/token?key=s3cret": hidden, "https://login:s3cret/x": hidden,
	} {
		c := of(tokenURL)
		got := Masked(c)
		if got.OAuth2.TokenURL != want || got.OAuth2.EndpointParams["assertion"] != hidden {
			t.Errorf("%s: got %+v, want %s and no assertion", tokenURL, got.OAuth2, want)
		}
		if c.OAuth2.TokenURL != tokenURL || c.OAuth2.EndpointParams["assertion"] != "s3cret" {
			t.Errorf("%s: got the configuration changed: %+v", tokenURL, c.OAuth2)
		}
	}
}
