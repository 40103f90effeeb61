package security

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"

	"github.com/infscale/infscale/promapi/promapitest"
)

// quietAPI answers every query with nothing.
func quietAPI(t *testing.T) *promapitest.Server { return hostileAPI(t, promapitest.Vector()) }

// exchange sends a request as it is and returns the answer. A client of HTTP would tidy it.
func exchange(t *testing.T, address, request string) (*http.Response, string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("%q: %v", request, err)
	}
	defer answer.Body.Close()
	body, _ := io.ReadAll(answer.Body) // what was sent before it was cut
	return answer, string(body)
}

func TestPathsLeadNowhereElse(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "infscale.yaml", file("prometheus: {url: '"+quietAPI(t).URL+"'}", ""))
	address := strings.TrimPrefix(serve(t, dir, nil).url, "http://")
	for _, path := range []string{
		"/../infscale.yaml", "/..%2finfscale.yaml", "/%2e%2e/infscale.yaml", "/%2e%2e%2finfscale.yaml", "/config/../../infscale.yaml",
		"/config/..%2f..%2finfscale.yaml", "//infscale.yaml", "//example.com/..", "///example.com", `/\example.com`, "/%5c%5cexample.com", "/%2f%2fexample.com",
		"/workloads/..%2f..%2fetc/passwd", "/workloads/../../etc/passwd", "/workloads/%2e%2e/%2e%2e", "/api/v1/workloads/..%2f/..%2f",
		"/workloads//chat", "/workloads/inference/chat/..", "/workloads/inference/chat%00", "/workloads/inference/chat%2f..", "/templates/layout.html",
		"/style.css", "/static/../infscale.yaml", "/debug/pprof/", "/debug/vars", "/.git/config", "/api/v1/", "/-/", "/-/quit", "/metrics/../config/", "/%",
		"http://example.com/..%2f", "/workloads/%0d%0aX-Injected:%201/x", "/workloads/" + strings.Repeat("a", 8000) + "/x",
	} {
		answer, body := exchange(t, address, "GET "+path+" HTTP/1.1\r\nHost: infscale\r\nConnection: close\r\n\r\n")
		if strings.Contains(body, "prometheus:") || strings.Contains(body, "root:") || strings.Contains(body, "{{") {
			t.Errorf("GET %s: got a file:\n%s", path, body)
		}
		location, err := url.Parse(answer.Header.Get("Location"))
		switch {
		case err != nil || location.Host != "" || strings.HasPrefix(location.Path, `/\`) || strings.HasPrefix(location.Path, "//"):
			t.Errorf("GET %s: got sent to %q", path, answer.Header.Get("Location"))
		case answer.StatusCode/100 == 2:
			t.Errorf("GET %s: got %d\n%s", path, answer.StatusCode, body)
		case answer.Header.Get("X-Injected") != "":
			t.Errorf("GET %s: got a header of the path", path)
		}
	}
}

func TestOnlyReloadChangesAnything(t *testing.T) {
	api, dir := quietAPI(t), t.TempDir()
	write(t, dir, "infscale.yaml", file("prometheus: {url: '"+api.URL+"'}", ""))
	open := strings.TrimPrefix(serve(t, dir, nil).url, "http://")
	closed := strings.TrimPrefix(serve(t, dir, nil, "--web.enable-lifecycle=false").url, "http://")
	send := func(address, method, path, header string) int {
		answer, _ := exchange(t, address, method+" "+path+" HTTP/1.1\r\nHost: infscale\r\n"+header+"Content-Length: 0\r\nConnection: close\r\n\r\n")
		return answer.StatusCode
	}
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"} {
		for _, path := range []string{"/", "/metrics", "/config", "/api/v1/workloads", "/workloads/inference/chat", "/-/healthy", "/-/ready"} {
			if got := send(open, method, path, ""); got != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: got %d, want 405", method, path, got)
			}
		}
	}
	for _, test := range []struct {
		address, method, header string
		want                    int
	}{
		{open, "POST", "", http.StatusOK},
		{open, "PUT", "", http.StatusOK},
		{open, "GET", "", http.StatusMethodNotAllowed},
		{open, "POST", "Origin: http://infscale\r\n", http.StatusOK},
		{open, "POST", "Origin: https://elsewhere.example\r\n", http.StatusForbidden},
		{open, "POST", "Sec-Fetch-Site: cross-site\r\n", http.StatusForbidden},
		{open, "POST", "Sec-Fetch-Site: same-origin\r\n", http.StatusOK},
		{open, "POST", "X-HTTP-Method-Override: GET\r\n", http.StatusOK},
		{closed, "POST", "", http.StatusForbidden},
		{closed, "PUT", "", http.StatusForbidden},
		{closed, "GET", "X-HTTP-Method-Override: POST\r\n", http.StatusMethodNotAllowed},
	} {
		if got := send(test.address, test.method, "/-/reload", test.header); got != test.want {
			t.Errorf("%s /-/reload with %q: got %d, want %d", test.method, test.header, got, test.want)
		}
	}
}

// certificate writes a key and its certificate for 127.0.0.1, with a secret in the comment of
// the key, and returns who trusts it.
func certificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	conf := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, conf, conf, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	pool.AppendCertsFromPEM(public)
	write(t, dir, "tls.crt", string(public))
	write(t, dir, "tls.key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	return pool
}

// wholeKey returns the last line of a key, which nobody else has.
func wholeKey(t *testing.T, path string) string {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(readFile(t, path)), "\n")
	return lines[len(lines)-2]
}

func TestTLSAndBasicAuth(t *testing.T) {
	dir := t.TempDir()
	pool := certificate(t, dir)
	hash, err := bcrypt.GenerateFromPassword([]byte("correct horse"), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "web.yaml", fmt.Sprintf("tls_server_config: {cert_file: tls.crt, key_file: tls.key}\nbasic_auth_users: {operator: '%s'}\n", hash))
	write(t, dir, "infscale.yaml", file("prometheus: {url: '"+quietAPI(t).URL+"'}", ""))
	daemon := serve(t, dir, nil, "--web.config.file=web.yaml")
	if !strings.HasPrefix(daemon.url, "https://") {
		t.Fatalf("got the address %s, want https", daemon.url)
	}
	client := newClient(t, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}})
	for _, path := range []string{"/", "/metrics", "/config", "/api/v1/workloads", "/workloads/inference/chat", "/-/healthy", "/none"} {
		for user, want := range map[string]int{"": 401, "operator:wrong": 401, "nobody:correct horse": 401, "operator:correct horse": 200} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, daemon.url+path, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			if name, password, ok := strings.Cut(user, ":"); ok {
				req.SetBasicAuth(name, password)
			}
			answer, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			if path == "/none" && want == 200 {
				want = 404
			}
			if answer.StatusCode != want {
				t.Errorf("%s as %q: got %d, want %d", path, user, answer.StatusCode, want)
			}
		}
	}
	if answer, _ := exchange(t, strings.TrimPrefix(daemon.url, "https://"), "GET /config HTTP/1.0\r\n\r\n"); answer.StatusCode != http.StatusBadRequest {
		t.Errorf("plain HTTP: got %d, want 400", answer.StatusCode)
	}
	old := newClient(t, &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}}) //nolint:gosec // it must be refused
	if req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, daemon.url, http.NoBody); err != nil {
		t.Fatal(err)
	} else if answer, err := old.Do(req); err == nil {
		_ = answer.Body.Close()
		t.Error("got an answer over TLS 1.1, want none")
	}
	log := daemon.end(syscall.SIGTERM)
	for what, secret := range map[string]string{"the hash": string(hash), "a password": "correct horse", "the key": wholeKey(t, dir+"/tls.key")} {
		if strings.Contains(log, secret) {
			t.Errorf("got %s in the log:\n%s", what, log)
		}
	}
}

func TestWebConfigThatIsNone(t *testing.T) {
	dir := t.TempDir()
	certificate(t, dir)
	write(t, dir, "infscale.yaml", file(prometheus, ""))
	write(t, dir, "empty.key", "")
	for name, test := range map[string]struct{ text, want string }{
		"a file that is gone":     {"tls_server_config: {cert_file: tls.crt, key_file: gone.key}", "gone.key"},
		"an empty key":            {"tls_server_config: {cert_file: tls.crt, key_file: empty.key}", "key input"},
		"a key of nothing":        {"tls_server_config: {cert_file: tls.crt}", "key"},
		"a key that is its value": {"tls_server_config: {cert_file: tls.crt, key: [" + core("Web") + "]}", ""},
		"an unknown key":          {"basic_auth_users: {operator: " + core("Web") + "}\nbasic: x", "basic"},
		"a list of users":         {"basic_auth_users: [" + core("Web") + "]", ""},
		"a user that is an alias": {"basic_auth_users: {operator: *" + core("Web") + "}", ""},
		"text for users":          {"basic_auth_users: " + core("Web"), "line 1"},
		"a tag for a hash":        {"basic_auth_users: {operator: !" + core("Web") + " [x]}", ""},
		"a plain password":        {"basic_auth_users: {operator: " + core("Web") + "}", ""},
		"no YAML":                 {"basic_auth_users: {operator: '" + core("Web"), ""},
	} {
		write(t, dir, "web.yaml", test.text)
		status, said := say(t, dir, nil, "serve", "--web.listen-address=127.0.0.1:0", "--web.config.file=web.yaml")
		if status != 2 || !strings.HasPrefix(said, "recommender: web.yaml: ") || !strings.Contains(said, test.want) {
			t.Errorf("%s: got status %d and %q, want 2 and one error of web.yaml with %q", name, status, said, test.want)
		}
		if strings.Contains(said, "PLANTED") { // YAML cuts values short
			t.Errorf("%s: got a secret in %s", name, said)
		}
	}
	if _, err := os.Stat(dir + "/web.yaml"); err != nil {
		t.Fatal(err)
	}
}
