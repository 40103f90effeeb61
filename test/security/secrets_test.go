package security

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// secret returns a planted secret: characters that are escaped differently everywhere around
// a core that no escaping changes.
func secret(name string) string { return "+/ " + core(name) + `&"<=é` }

// core is what is searched for.
func core(name string) string { return "PLANTED" + name + "7f3a9c" }

// plain returns a secret for places that take no special characters.
func plain(name string) string { return core(name) + "x" }

// needles are the forms of a core in any text: as it is, and within base64 at each of the
// three alignments.
func needles(name string) []string {
	list := []string{core(name)}
	for shift := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("\x00", shift) + core(name) + "\x00\x00\x00"))
		list = append(list, encoded[4:4+4*((len(core(name))-4)/3)])
	}
	return list
}

// leaks returns which planted secrets a text has in it.
func leaks(text string, planted []string) []string {
	var found []string
	for _, name := range planted {
		for _, needle := range needles(name) {
			if i := strings.Index(text, needle); i >= 0 {
				found = append(found, fmt.Sprintf("%s in …%s…", name, text[max(0, i-160):min(len(text), i+60)]))
				break
			}
		}
	}
	return found
}

func TestSearchFindsSecretsInEveryForm(t *testing.T) {
	for _, form := range []string{
		secret("Basic"), base64.StdEncoding.EncodeToString([]byte("x:" + secret("Basic"))),
		base64.StdEncoding.EncodeToString([]byte("xy:" + secret("Basic"))), base64.StdEncoding.EncodeToString([]byte("xyz:" + secret("Basic"))),
		jsonOf(secret("Basic")), quoted(secret("Basic")),
	} {
		if got := leaks("a log "+form+" line", []string{"Other", "Basic"}); len(got) != 1 {
			t.Errorf("%s: got %v, want it found", form, got)
		}
	}
	if got := leaks("nothing of it", []string{"Other", "Basic"}); got != nil {
		t.Errorf("got %v, want nothing", got)
	}
}

// A plant is a way to keep secrets in the configuration.
type plant struct {
	// prometheus is the section of the configuration, %s the address of the server, and
	// files what stands beside it.
	prometheus string
	files      map[string]string
	env        []string // %s is the address of the server without its scheme
	// planted are the names of the secrets, sent those that the server must have seen.
	planted, sent string
	// refused says that the daemon does not start.
	refused bool
}

var plants = map[string]plant{
	"inline": {
		prometheus: `{url: '%[1]s', basic_auth: {username: reader, password: ` + quoted(secret("Basic")) + `},
  headers: {X-Scope-OrgID: ` + plain("Tenant") + `}, params: {apikey: ` + quoted(secret("Param")) + `, dedup: "true"},
  http_headers: {X-Key: {secrets: [` + plain("HeaderSecret") + `]}, X-Other: {files: [header.txt]}}}`,
		files:   map[string]string{"header.txt": plain("HeaderFile")},
		planted: "Basic Tenant Param HeaderSecret HeaderFile", sent: "Basic Tenant Param HeaderSecret HeaderFile",
	},
	"a password in a file": {
		prometheus: `{url: '%[1]s', basic_auth: {username: reader, password_file: password.txt}}`,
		files:      map[string]string{"password.txt": secret("PasswordFile") + "\n"},
		planted:    "PasswordFile", sent: "PasswordFile",
	},
	"a token": {
		prometheus: `{url: '%[1]s', authorization: {type: Custom, credentials: ` + plain("Credentials") + `}}`,
		planted:    "Credentials", sent: "Credentials",
	},
	"a token in a file": {
		prometheus: `{url: '%[1]s', authorization: {credentials_file: token.txt}}`,
		files:      map[string]string{"token.txt": plain("CredentialsFile") + "\n"},
		planted:    "CredentialsFile", sent: "CredentialsFile",
	},
	"a token in the old key": {
		prometheus: `{url: '%[1]s', bearer_token_file: token.txt}`,
		files:      map[string]string{"token.txt": plain("BearerFile") + "\n"},
		planted:    "BearerFile", sent: "BearerFile",
	},
	"OAuth2": {
		prometheus: `{url: '%[1]s', oauth2: {client_id: me, client_secret: ` + quoted(secret("Client")) + `, token_url: '%[1]s/token',
  endpoint_params: {assertion: ` + quoted(secret("Endpoint")) + `}}}`,
		planted: "Client Endpoint Access", sent: "Client Endpoint Access",
	},
	"a proxy": {
		prometheus: `{url: 'http://prometheus.invalid:9090', proxy_url: 'http://user:` + plain("Proxy") + `@%[2]s'}`,
		planted:    "Proxy", sent: "Proxy",
	},
	"a proxy for TLS": {
		prometheus: `{url: 'https://prometheus.invalid:9090', proxy_url: 'http://user:` + plain("Connect") + `@%[2]s',
  proxy_connect_header: {X-Proxy-Key: [` + plain("ConnectHeader") + `]}}`,
		planted: "Connect ConnectHeader", sent: "Connect ConnectHeader",
	},
	"a proxy of the environment": {
		prometheus: `{url: 'http://prometheus.invalid:9090', proxy_from_environment: true}`,
		env:        []string{"HTTP_PROXY=http://user:" + plain("Environment") + "@%s", "API_TOKEN=" + plain("Variable")},
		planted:    "Environment Variable", sent: "Environment",
	},
	"a refused connection": {
		prometheus: `{url: 'http://127.0.0.1:1', basic_auth: {username: reader, password: ` + quoted(secret("Refused")) + `}, params: {apikey: ` + plain("RefusedParam") + `}}`,
		planted:    "Refused RefusedParam",
	},
	"a key that is none": {
		prometheus: `{url: 'https://127.0.0.1:1', tls_config: {cert_file: key.pem, key_file: key.pem, insecure_skip_verify: true}}`,
		files:      map[string]string{"key.pem": "-----BEGIN PRIVATE KEY-----\n" + plain("Key") + "\n-----END PRIVATE KEY-----\n"},
		planted:    "Key",
		refused:    true,
	},
}

// lay writes the files of a plant.
func (p *plant) lay(t *testing.T, dir string, e *echo) []string {
	t.Helper()
	host := strings.TrimPrefix(e.URL, "http://")
	section := strings.NewReplacer("%[1]s", e.URL, "%[2]s", host).Replace(p.prometheus)
	write(t, dir, "infscale.yaml", "interval: 1s\nquery_offset: 0s\n"+file("prometheus: "+section, ", held: [{query: sum(lag)}]"))
	for name, text := range p.files {
		write(t, dir, name, text)
	}
	env := []string{"NO_PROXY=", "no_proxy=", "http_proxy=", "HTTP_PROXY="}
	for _, v := range p.env {
		env = append(env, strings.Replace(v, "%s", host, 1))
	}
	return env
}

func TestNoSecretIsSaid(t *testing.T) {
	for name, p := range plants {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, dir := newEcho(t, plain("Access")), t.TempDir()
			env := p.lay(t, dir, e)
			planted := strings.Fields(p.planted)
			said := commands(t, dir, env)
			if !p.refused {
				maps.Copy(said, lifetime(t, dir, env, func(d *process) {
					d.await(t, "queries got no answer")
					if p.sent != "" {
						e.await(t, 30)
					}
				}))
			}
			for where, text := range said {
				for _, leak := range leaks(text, planted) {
					t.Errorf("%s: %s", where, leak)
				}
			}
			for name := range strings.FieldsSeq(p.sent) {
				if leaks(e.requests(), []string{name}) == nil {
					t.Errorf("the secret %s was never sent: nothing is proven of it", name)
				}
			}
		})
	}
}

// A server that answers may repeat the request too: as its version, and in warnings.
func TestNoSecretIsSaidOfWhatSucceeds(t *testing.T) {
	for name, p := range plants {
		if p.sent == "" || strings.Contains(p.prometheus, "https:") {
			continue // nobody answers
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, dir := newEcho(t, plain("Access")), t.TempDir()
			e.willing = true
			env := p.lay(t, dir, e)
			for _, output := range []string{"text", "json"} {
				_, said := say(t, dir, env, "check", "prometheus", "--config.file=infscale.yaml", "--output="+output)
				for _, leak := range leaks(said, strings.Fields(p.planted)) {
					t.Errorf("%s: %s", output, leak)
				}
				if !strings.Contains(said, "user=") && !strings.Contains(said, "POST ") {
					t.Errorf("%s: got nothing that the server said: nothing is proven\n%s", output, said)
				}
			}
			for name := range strings.FieldsSeq(p.sent) {
				if leaks(e.requests(), []string{name}) == nil {
					t.Errorf("the secret %s was never sent: nothing is proven of it", name)
				}
			}
		})
	}
}

// lifetime returns what the daemon says from its start to a crash.
func lifetime(t *testing.T, dir string, env []string, wait func(*process)) map[string]string {
	t.Helper()
	daemon := serve(t, dir, env)
	wait(daemon)
	said := pages(t, daemon.url)
	breakReload(t, dir, daemon, said)
	said["the log"] = daemon.end(syscall.SIGQUIT) // and the stacks of all goroutines
	if !strings.Contains(said["the log"], "goroutine ") {
		t.Errorf("got no stacks at the end of the log:\n%s", said["the log"])
	}
	return said
}

// await waits until so many requests have come.
func (e *echo) await(t *testing.T, n int) {
	t.Helper()
	late := time.After(patience)
	for range n {
		select {
		case <-e.each:
		case <-late:
			t.Fatalf("got too few requests:\n%s", e.requests())
		}
	}
}

// commands returns what every command says that reads the configuration.
func commands(t *testing.T, dir string, env []string) map[string]string {
	t.Helper()
	said := map[string]string{}
	for _, line := range []string{
		"check config infscale.yaml", "decide inference/chat --config.file=infscale.yaml", "check prometheus --config.file=infscale.yaml",
		"decide inference/chat --config.file=infscale.yaml --output=json",
		"generate keda --config.file=infscale.yaml", "generate hpa --config.file=infscale.yaml", "lint infscale.yaml",
		"serve --config.file=infscale.yaml --web.config.file=infscale.yaml",
	} {
		status, output := say(t, dir, env, strings.Fields(line)...)
		said[line] = output
		if status > 2 {
			t.Errorf("%s: got status %d: %s", line, status, output)
		}
	}
	return said
}

// pages returns what the daemon serves.
func pages(t *testing.T, url string) map[string]string {
	t.Helper()
	client := newClient(t, &http.Transport{})
	said := map[string]string{}
	for _, path := range []string{
		"/", "/config", "/metrics", "/workloads/inference/chat", "/workloads", "/api/v1/workloads", "/api/v1/workloads/inference/chat",
		"/api/v1/status/config", "/debug/pprof/heap?debug=1", "/debug/pprof/cmdline", "/debug/vars", "/-/ready", "/-/healthy",
	} {
		_, said[path] = ask(t, client, http.MethodGet, url+path)
	}
	if !strings.Contains(said["/config"], "workloads:") || !strings.Contains(said["/metrics"], "infscale_prometheus_query_failures_total") {
		t.Errorf("got pages without what is on them:\n%s\n%s", said["/config"], said["/metrics"])
	}
	return said
}

// breakReload reloads files that cannot be loaded for a reason near their secrets.
func breakReload(t *testing.T, dir string, daemon *process, said map[string]string) {
	t.Helper()
	client := newClient(t, &http.Transport{})
	good := readFile(t, filepath.Join(dir, "infscale.yaml"))
	for what, text := range map[string]string{
		"cut off":             good[:strings.LastIndex(good, "workloads:")-3],
		"two mistakes":        strings.Replace(good, "interval: 1s", "interval: 1s\nintervall: 2s\nstale_after: x", 1),
		"one level too deep":  strings.Replace(good, "prometheus: ", "prometheus:\n    - ", 1),
		"a file that is gone": strings.ReplaceAll(good, ".txt", ".gone"),
	} {
		write(t, dir, "infscale.yaml", text)
		answer, body := ask(t, client, http.MethodPost, daemon.url+"/-/reload")
		if what != "a file that is gone" && answer.StatusCode != http.StatusInternalServerError {
			t.Errorf("reload of a file that is %s: got %d", what, answer.StatusCode)
		}
		said["reload: "+what] = body
		_, said["page after: "+what] = ask(t, client, http.MethodGet, daemon.url+"/")
		_, said["JSON after: "+what] = ask(t, client, http.MethodGet, daemon.url+"/api/v1/workloads")
	}
}
