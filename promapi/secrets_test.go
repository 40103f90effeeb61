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
	"time"

	"github.com/prometheus/common/config"

	"github.com/infscale/infscale/promapi/promapitest"
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

// Servers of other languages escape differently, and some what need not be escaped.
func TestCensorKnowsTheEscapesOfOthers(t *testing.T) {
	for form, password := range map[string]string{
		"abcd%2fefgh%2bijkl%3d":             "abcd/efgh+ijkl=", // in lower case
		"abcd/efgh%2Bijkl%3D":               "abcd/efgh+ijkl=", // Python's quote
		`abcd\/efgh+ijkl=`:                  "abcd/efgh+ijkl=", // PHP's JSON
		"abcd&#x2F;efgh&#x2B;ijkl&#x3D;":    "abcd/efgh+ijkl=", // templates
		"abcd&#47;efgh&#0043;ijkl&equals;":  "abcd/efgh+ijkl=",
		"abcd&amp;#x2F;efgh+ijkl=":          "abcd/efgh+ijkl=", // a page in a page
		"abcd%252Fefgh%252Bijkl%253D":       "abcd/efgh+ijkl=",
		"abcd%26%23x2F%3Befgh+ijkl=":        "abcd/efgh+ijkl=", // a page in an address
		`abcd\\u002fefgh\\u002bijkl\\u003d`: "abcd/efgh+ijkl=", // JSON in JSON
		"abcd_efgh-ijkl":                    "abcd/efgh+ijkl=", // base64 for addresses
		"YnVpbGRlcjphYmNkL2VmZ2graWprbD0":   "abcd/efgh+ijkl=", // without padding
		"QmFzaWM_OmFiY2Q-":                  "Basic?:abcd>",    // the whole, base64 for addresses
		"two%20words":                       "two words",       // encodeURIComponent
		"two+words":                         "two words",
		"two&nbsp;words":                    "two\u00a0words",
		`caf\u00e9s`:                        "caf\u00e9s",
		`caf\xc3\xa9s`:                      "caf\u00e9s",
		"caf%E9s":                           "caf\u00e9s", // JavaScript's escape
		"caf&eacute;s":                      "caf\u00e9s",
		`smile\uD83D\uDE00s`:                "smile\U0001F600s",
		"don&#x27;t tell":                   "don't tell", // Python's html.escape
		`a\\\\b and c`:                      `a\\b and c`,
		"0123456789abcdefghij":              "0123456789abcdefghijklmnop", // cut off
	} {
		z := newCensor(&Config{HTTP: config.HTTPClientConfig{BasicAuth: &config.BasicAuth{Username: "builder", Password: config.Secret(password)}}})
		text := "the password is «" + form + "»."
		if got, want := z.clean(text), "the password is «"+hidden+"»."; got != want {
			t.Errorf("%s: got %q, want %q", form, got, want)
		}
	}
	z := &censor{fixed: []string{"abcd/efgh+ijkl="}}
	for _, text := range []string{"abcd efgh ijkl", "abcd%2gefgh+ijkl=", "%", `\u12`, "&#x;", "&#xffffffff;", "&;", `\ud83d`, "abcd/efgh+ijk", "%%%25&&amp\\"} {
		if got := z.clean(text); got != text {
			t.Errorf("got %q, want %q as it is", got, text)
		}
	}
}

func TestCensorHidesSecretsThatOverlap(t *testing.T) {
	z := &censor{fixed: []string{"secret-one", "one-two", "cret"}}
	if got, want := z.clean("a secret-one-two, a cret and one-twoone-two."), "a "+hidden+", a "+hidden+" and "+hidden+hidden+"."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A text of nothing but escapes, and a secret that repeats itself, take no longer than others.
func TestCensorIsQuickOnAnyText(t *testing.T) {
	z := &censor{fixed: []string{strings.Repeat("a", 4000), strings.Repeat(`\`, 19), strings.Repeat("%25", 30), "&amp;&amp;&amp;"}}
	for _, part := range []string{"a", `\`, "%", "%25", "&", "&amp;", "&#x26;", `\u005c`, "+", "basic", "basic ", "basic+"} {
		text := strings.Repeat(part, maxErrorBody/len(part))
		start := time.Now()
		z.clean(text)
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q: took %v", part, took)
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

// What comes with an answer is as foreign as an error.
func TestAnswersShowNoSecret(t *testing.T) {
	const said = "tenant tenant-secret auth Basic Ym9iOnBhc3NzZWNyZXQ0 password pass%73ecret4 path /api/v1/query?token=paramsecret"
	const want = "tenant " + hidden + " auth Basic " + hidden + " password " + hidden + " path /api/v1/query?token=" + hidden
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector().WithWarnings(said).WithInfos(said))
	api.Answer(promapitest.Endpoint("/buildinfo"), promapitest.JSON(200, fmt.Sprintf(`{"status":"success","data":{"application":%[1]q,"version":%[1]q,"goVersion":%[1]q}}`, said)))
	api.Answer(promapitest.Query("many"), promapitest.Vector().WithWarnings(strings.Split(strings.Repeat("x ", 100), " ")...))
	api.Answer(promapitest.Query("long"), promapitest.Vector().WithInfos(strings.Repeat("x", maxRemark-10)+" paramsecret and on"+strings.Repeat("x", maxForeign)))
	c := newTestClient(t, api.URL, func(cfg *Config) {
		cfg.Headers, cfg.Params = Secrets{"X-Scope-OrgID": "tenant-secret"}, Secrets{"token": "paramsecret"}
		cfg.HTTP.BasicAuth = &config.BasicAuth{Username: "bob", Password: "passsecret4"}
	})
	server, err := c.Server(t.Context())
	if err != nil || server.Application != want || server.Version != want || server.Go != want {
		t.Errorf("got %+v, %v, want %q", server, err, want)
	}
	r, err := c.Query(t.Context(), "up", at)
	if err != nil || r.Warnings[0] != want || r.Infos[0] != want {
		t.Errorf("got %q, %q, %v, want %q", r.Warnings, r.Infos, err, want)
	}
	if r, err = c.Query(t.Context(), "many", at); err != nil || len(r.Warnings) != maxRemarks {
		t.Errorf("got %d warnings, %v, want %d", len(r.Warnings), err, maxRemarks)
	}
	if r, err = c.Query(t.Context(), "long", at); err != nil || strings.Contains(r.Infos[0], "para") || len(r.Infos[0]) > maxRemark+3 {
		t.Errorf("got %q, %v, want it without half a secret", r.Infos, err)
	}
}

// A message quotes the start of what a server sent. Half a secret is a secret too.
func TestACutLeavesNoHalfSecret(t *testing.T) {
	const password = "half-of-it"
	api := promapitest.New(t)
	long := strings.Repeat("x", 35) + password
	api.Answer(promapitest.Query("status"), promapitest.JSON(200, `{"status":"`+long+`"}`))
	api.Answer(promapitest.Query("value"), promapitest.JSON(200, vectorHead+`{"metric":{},"value":[1,"`+long+`"]}]}}`))
	api.Answer(promapitest.Query("redirect"), promapitest.Redirect(302, "/"+strings.Repeat("x", maxQuoted-len(api.URL)-6)+password))
	c := newTestClient(t, api.URL, func(cfg *Config) { cfg.HTTP.BasicAuth = &config.BasicAuth{Username: "bob", Password: password} })
	for _, query := range []string{"status", "value", "redirect"} {
		if _, err := c.Query(t.Context(), query, at); err == nil || strings.Contains(err.Error(), "half") || !strings.Contains(err.Error(), "xxx") {
			t.Errorf("%s: got %v, want an error with the text around the secret", query, err)
		}
	}
}
