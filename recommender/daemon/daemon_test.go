package daemon

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/infscale/infscale/promapi/promapitest"
	"github.com/infscale/infscale/recommender/config"
)

// A process is a daemon with real sockets, on a scripted Prometheus.
type process struct {
	*Daemon
	api     *promapitest.Server
	file    string // of the configuration
	hangups chan os.Signal
	logged  chan string
	stop    func()
}

// yaml is a configuration with one workload whose load is a custom query. The
// interval is short, since here the time is the real one.
func document(url string, maximum int) string {
	return fmt.Sprintf(`
interval: 1s
query_offset: 0s
prometheus: {url: %q, basic_auth: {username: reader, password: hunter2}}
workloads:
  - namespace: inference
    name: chat
    replicas: {min: 1, max: %d}
    signals: [{metric: query, name: tickets, query: sum(tickets), type: total, target: 8}]
`, url, maximum)
}

// answers scripts an API that knows a Deployment with 3 ready replicas and 24 tickets.
func answers(api *promapitest.Server) {
	const past = 700 // instants that a range query is answered for: all of the past
	rows := func(samples func(value string, labels ...string) promapitest.Row) map[string][]promapitest.Row {
		object := []string{"namespace", "inference", "deployment", "chat"}
		now := fmt.Sprint(time.Now().Unix())
		return map[string][]promapitest.Row{
			"deployment.spec": {
				samples("3", append(object, "signal", "deployment.spec")...),
				samples("3", append(object, "signal", "deployment.ready")...),
				samples(now, append(object, "signal", "deployment.evidence")...),
			},
			"tickets": {samples("24")},
		}
	}
	api.Answer(promapitest.Endpoint("/query"), promapitest.Vector())
	for part, list := range rows(func(v string, l ...string) promapitest.Row { return promapitest.Samples(v, l...) }) {
		api.Answer(both(promapitest.Endpoint("/query"), promapitest.Contains(part)), promapitest.Vector(list...))
	}
	api.Answer(promapitest.Endpoint("/query_range"), promapitest.Matrix())
	for part, list := range rows(func(v string, l ...string) promapitest.Row {
		return promapitest.Samples(strings.Repeat(v+" ", past), l...)
	}) {
		api.Answer(both(promapitest.Endpoint("/query_range"), promapitest.Contains(part)), promapitest.Matrix(list...))
	}
}

func both(a, b promapitest.Matcher) promapitest.Matcher {
	return func(r promapitest.Request) bool { return a(r) && b(r) }
}

// start runs a daemon until the test ends.
func start(t *testing.T, change func(*Options)) *process {
	t.Helper()
	p := &process{
		api: promapitest.New(t), file: filepath.Join(t.TempDir(), "infscale.yaml"),
		hangups: make(chan os.Signal), logged: make(chan string, 1000),
	}
	answers(p.api)
	write(t, p.file, document(p.api.URL, 10))
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(io.Discard), zap.DebugLevel)
	opts := Options{Load: File(p.file), Hangups: p.hangups, EnableLifecycle: true}
	opts.Logger = zap.New(core, zap.Hooks(func(e zapcore.Entry) error { p.logged <- e.Message; return nil }))
	if change != nil {
		change(&opts)
	}
	d, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	p.Daemon = d
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- d.Run(ctx) }()
	p.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the daemon ended with %v", err)
		}
	})
	t.Cleanup(p.stop)
	return p
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// await waits for a message in the log.
func (p *process) await(t *testing.T, message string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		select {
		case got := <-p.logged:
			if got == message {
				return
			}
		case <-ctx.Done():
			t.Fatalf("%q was never logged", message)
		}
	}
}

// fetch sends a request and returns status and body.
func fetch(t *testing.T, client *http.Client, method, url string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// client returns a client whose connections end with the test.
func client(t *testing.T, conf *tls.Config) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: conf}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func TestDaemonLivesThroughAnOutageAndReloads(t *testing.T) {
	p, c := start(t, nil), client(t, nil)
	metrics := func(wants ...string) {
		t.Helper()
		status, body := fetch(t, c, "GET", p.URL()+"/metrics")
		for _, want := range wants {
			if status != http.StatusOK || !strings.Contains(body, want+"\n") {
				t.Errorf("GET /metrics: got %d without the line %s in\n%s", status, want, own(body))
			}
		}
	}
	const workload = `{workload="chat",workload_namespace="inference"} `
	p.await(t, "ready")
	if status, _ := fetch(t, c, "GET", p.URL()+"/-/ready"); status != http.StatusOK {
		t.Errorf("GET /-/ready: got %d, want 200", status)
	}
	metrics("infscale_desired_replicas"+workload+"3", "infscale_decision_valid"+workload+"1", "infscale_max_replicas"+workload+"10")

	p.api.Answer(promapitest.Any, promapitest.Text(503, "text/plain", "Service Unavailable"))
	p.await(t, "evidence is incomplete, nothing falls until it is back")
	p.await(t, "evaluated")
	metrics("infscale_desired_replicas"+workload+"3", "infscale_decision_valid"+workload+"0",
		`infscale_decision_reason{reason="query_error",workload="chat",workload_namespace="inference"} 1`)

	answers(p.api)
	p.await(t, "evidence is complete again")
	p.await(t, "evaluated")
	metrics("infscale_decision_valid" + workload + "1")

	write(t, p.file, document(p.api.URL, 2))
	p.hangups <- syscall.SIGHUP
	p.await(t, "configuration loaded")
	p.await(t, "desired replicas changed")
	p.await(t, "evaluated")
	metrics("infscale_desired_replicas"+workload+"2", "infscale_max_replicas"+workload+"2", "infscale_unbounded_replicas"+workload+"3",
		"infscale_config_last_reload_successful 1", `infscale_scale_events_total{direction="down",workload="chat",workload_namespace="inference"} 1`)

	write(t, p.file, "workloads: 3")
	p.hangups <- syscall.SIGHUP
	p.await(t, "configuration not loaded, the one before stays in force")
	metrics("infscale_config_last_reload_successful 0", "infscale_max_replicas"+workload+"2")
	status, body := fetch(t, c, "POST", p.URL()+"/-/reload")
	if status != http.StatusInternalServerError || !strings.Contains(body, "must be a list") {
		t.Errorf("POST /-/reload: got %d %s, want 500 and the mistake", status, body)
	}

	for _, path := range []string{"/", "/config", "/workloads/inference/chat", "/api/v1/workloads", "/metrics"} {
		if status, body := fetch(t, c, "GET", p.URL()+path); status != http.StatusOK || strings.Contains(body, "hunter2") {
			t.Errorf("GET %s: got %d, or the secret in\n%s", path, status, body)
		}
	}

	problems, err := testutil.GatherAndLint(p.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		if strings.HasPrefix(problem.Metric, "infscale_") {
			t.Errorf("%s: %s", problem.Metric, problem.Text)
		}
	}

	p.stop()
	c.CloseIdleConnections()
	if left := goroutines("infscale/recommender/daemon.", "infscale/promapi."); left != "" {
		t.Errorf("goroutines are left:\n%s", left)
	}
	if conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", p.Addresses()[0].String()); err == nil {
		_ = conn.Close()
		t.Error("the daemon still listens after its end")
	}
}

// own returns the lines of a page of metrics that are infscale's.
func own(body string) string {
	var b strings.Builder
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "infscale_") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// goroutines returns the stacks of those that run code of these packages, tests aside.
func goroutines(packages ...string) string {
	buf := make([]byte, 1<<20)
	var b strings.Builder
	for stack := range strings.SplitSeq(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
		for _, p := range packages {
			if strings.Contains(stack, p) && !strings.Contains(stack, "testing.tRunner") {
				b.WriteString(stack + "\n\n")
			}
		}
	}
	return b.String()
}

func TestTLSAndBasicAuthentication(t *testing.T) {
	dir := t.TempDir()
	roots := certify(t, dir)
	web := filepath.Join(dir, "web.yaml")
	// The hash is of "correct horse".
	write(t, web, `
tls_server_config: {cert_file: cert.pem, key_file: key.pem}
basic_auth_users: {scraper: $2a$04$I3trfvQo4B5BHPbyKiWeN.8M9XwDBjq3LU.p2/6VaFqyJoskYoOym}
`)
	p := start(t, func(o *Options) { o.WebConfigFile = web })
	c := client(t, &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12})
	address := "127.0.0.1:" + fmt.Sprint(p.Addresses()[0].(*net.TCPAddr).Port)
	if got, want := p.URL(), "https://"+address; got != want {
		t.Errorf("got the URL %s, want %s", got, want)
	}
	for url, want := range map[string]int{
		"https://" + address + "/-/healthy":                        http.StatusUnauthorized,
		"https://scraper:wrong@" + address + "/metrics":            http.StatusUnauthorized,
		"https://scraper:correct%20horse@" + address + "/metrics":  http.StatusOK,
		"https://scraper:correct%20horse@" + address + "/-/ready/": http.StatusNotFound,
		"http://" + address + "/metrics":                           http.StatusBadRequest,
	} {
		if got, _ := fetch(t, c, "GET", url); got != want {
			t.Errorf("GET %s: got %d, want %d", url, got, want)
		}
	}
}

// certify writes cert.pem and key.pem for 127.0.0.1 and returns who trusts them.
func certify(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "infscale"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "cert.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})))
	write(t, filepath.Join(dir, "key.pem"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	parsed, err := x509.ParseCertificate(cert)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AddCert(parsed)
	return roots
}

func TestNewRefuses(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	load := func() (*config.Config, error) {
		return config.Parse([]byte(document("http://127.0.0.1:1", 10)), "infscale.yaml")
	}
	for name, test := range map[string]struct {
		opts Options
		want string
	}{
		"no configuration":                  {Options{}, "options: Load must be set"},
		"a configuration that is not there": {Options{Load: File(filepath.Join(t.TempDir(), "none.yaml"))}, "no such file"},
		"an address in use": {
			Options{Load: load, ListenAddresses: []string{"127.0.0.1:0", taken.Addr().String()}},
			"listen on " + taken.Addr().String() + ": ",
		},
	} {
		if _, err := New(test.opts); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

func TestRunEndsWhenServingFails(t *testing.T) {
	d, err := New(Options{
		WebConfigFile: filepath.Join(t.TempDir(), "none.yaml"),
		Load: func() (*config.Config, error) {
			return config.Parse([]byte(document("http://127.0.0.1:1", 10)), "infscale.yaml")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "serve: ") {
		t.Errorf("got %v, want an error of serving", err)
	}
}
