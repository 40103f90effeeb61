package security

import (
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender/config"
)

// section is a section of Prometheus with a password in it that is written as given.
func section(value string) string {
	return "{url: 'http://prometheus:9090', basic_auth: {username: reader, password: " + value + "}}"
}

// broken are ways to write a secret down wrongly: %s is the secret.
var broken = map[string]string{
	"an alias":               section("*%s"),
	"an alias with a key":    section("*%s: x"),
	"a tag":                  section("!%s [x]"),
	"a directive":            section("%%%s"),
	"an at sign":             section("@%s"),
	"a backquote":            section("`%s`"),
	"a list":                 section("[%s]"),
	"a mapping":              section("{%s: x}"),
	"an open mapping":        section("{%s"),
	"an open quote":          section("'%s"),
	"an open double quote":   section(`"%s`),
	"a wrong escape":         section(`"\q%s"`),
	"a comma":                section("x, %s"),
	"a colon":                section("x: %s: y"),
	"an equals sign":         "{url: 'http://prometheus:9090', basic_auth: {username: reader, password=%s}}",
	"a binary":               section("!!binary %s="),
	"a number":               section("!!int %s"),
	"text for a mapping":     "{url: 'http://prometheus:9090', basic_auth: %s}",
	"text for authorization": "{url: 'http://prometheus:9090', authorization: 'Bearer %s'}",
	"a list for headers":     "{url: 'http://prometheus:9090', headers: [X-Key, %s]}",
	"a list of one header":   "{url: 'http://prometheus:9090', headers: {X-Key: [%s]}}",
	"a header with a break":  `{url: 'http://prometheus:9090', headers: {X-Key: "%s\n"}}`,
	"a reserved header":      "{url: 'http://prometheus:9090', headers: {Authorization: 'Bearer %s'}}",
	"a reserved parameter":   "{url: 'http://prometheus:9090', params: {query: %s}}",
	"two ways at once":       "{url: 'http://prometheus:9090', bearer_token: %s, bearer_token_file: token}",
	"two passwords":          "{url: 'http://prometheus:9090', basic_auth: {password: %s, password_file: password}}",
	"the same key twice":     section("%s") + "\nprometheus: " + section("%s"),
	"a wrong key":            "{url: 'http://prometheus:9090', basic_auth: {username: reader, pasword: %s}}",
	"a wrong section":        "{url: 'http://prometheus:9090', basic: {username: reader, password: %s}}",
	"a user in the URL":      "{url: 'http://reader:%s@prometheus:9090'}",
	"a port of the URL":      "{url: 'http://reader:%s'}",
	"a slash in the URL":     "{url: 'http://reader:%s/x@prometheus:9090'}",
	"an escape in the URL":   "{url: 'http://reader:%%zz%s@prometheus:9090'}",
	"a space in the URL":     "{url: 'http://reader:%s x@prometheus:9090'}",
	"a query of the URL":     "{url: 'http://prometheus:9090?token=%s'}",
	"a fragment of the URL":  "{url: 'http://prometheus:9090#%s'}",
	"a control in the URL":   `{url: "http://reader:%s\u0001@prometheus:9090"}`,
	"a list of URLs":         "{url: ['http://reader:%s@prometheus:9090']}",
	"a proxy without a port": "{url: 'http://prometheus:9090', proxy_url: 'http://user:%s'}",
	"a proxy with a slash":   "{url: 'http://prometheus:9090', proxy_url: 'http://user:%s/x@proxy:80'}",
	"a proxy with an escape": "{url: 'http://prometheus:9090', proxy_url: 'http://user:%%zz%s@proxy:80'}",
	"a header of a proxy":    "{url: 'http://prometheus:9090', proxy_connect_header: {X-Key: {%s: x}}}",
	"a list for OAuth2":      "{url: 'http://prometheus:9090', oauth2: {client_id: x, client_secret: [%s], token_url: 'http://t'}}",
	"OAuth2 without a URL":   "{url: 'http://prometheus:9090', oauth2: {client_id: x, client_secret: %s}}",
	"a key for TLS":          "{url: 'http://prometheus:9090', tls_config: {cert: x, key: [%s]}}",
	"a key without its pair": "{url: 'http://prometheus:9090', tls_config: {key: %s}}",
	"a wrong version of TLS": "{url: 'http://prometheus:9090', tls_config: {key: %s, cert: x, min_version: 1}}",
}

func TestMistakesDoNotRepeatSecrets(t *testing.T) {
	for name, text := range broken {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "%%", "%"), "%s", core("Mistake"))
		_, err := config.Parse([]byte(file("prometheus: "+text, "")), "infscale.yaml")
		if err == nil {
			t.Errorf("%s: got it taken, want a mistake", name)
			continue
		}
		for _, leak := range leaks(err.Error(), []string{"Mistake"}) {
			t.Errorf("%s: got the secret in %v (%s)", name, err, leak)
		}
		if !strings.HasPrefix(err.Error(), "infscale.yaml:") {
			t.Errorf("%s: got %v, want it to say where", name, err)
		}
	}
}
