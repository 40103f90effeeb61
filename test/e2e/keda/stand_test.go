package keda

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const (
	root     = "../../.."
	replicas = 3  // Of the fleet: nobody scales it here.
	target   = 24 // Requests that one replica should carry.
)

// build makes a program of the repository, in the module of the repository.
func build(t *testing.T, name, source string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, source)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", source, err, out)
	}
	return program
}

// start runs a program until the end of the test and returns its input and output.
func start(t *testing.T, program string, args ...string) (in io.WriteCloser, out, diagnostics *bufio.Scanner) {
	t.Helper()
	// Not the context of the test, which ends before the programs are stopped in order.
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // It was killed.
	})
	return in, bufio.NewScanner(stdout), bufio.NewScanner(stderr)
}

// A stand is a Prometheus, a fleet that it scrapes, and daemons that read the one and are
// scraped by it.
type stand struct {
	prometheus string // Its URL.
	recommend  string // The daemon's program.
	orders     *json.Encoder
	load       atomic.Int64 // Requests under way.
	daemons    []map[string]any
}

func newStand(t *testing.T) *stand {
	t.Helper()
	s := &stand{recommend: build(t, "recommender", "./cmd/recommender")}
	in, out, _ := start(t, build(t, "stand", "./test/e2e/keda/testdata/stand/main.go"))
	if !out.Scan() {
		t.Fatalf("the stand ended: %v", out.Err())
	}
	s.prometheus, s.orders = out.Text(), json.NewEncoder(in)
	var pods []map[string]any
	for i := range replicas {
		pods = append(pods, map[string]any{
			"Address": serve(t, func(w io.Writer) { s.podPage(w, i) }),
			"Labels":  map[string]string{"namespace": "inference", "pod": podName(i)},
		})
	}
	s.scrape(t, "vllm", pods)
	s.scrape(t, "kube-state-metrics", []map[string]any{{"Address": serve(t, statePage)}})
	return s
}

// scrape sets the targets of a job.
func (s *stand) scrape(t *testing.T, job string, targets []map[string]any) {
	t.Helper()
	if err := s.orders.Encode(map[string]any{"job": job, "targets": targets}); err != nil {
		t.Fatal(err)
	}
}

// serve serves a page until the end of the test and returns its address.
func serve(t *testing.T, page func(io.Writer)) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		page(w)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

func podName(i int) string { return fmt.Sprintf("chat-7d9f8b6c54-aaaa%c", 'b'+i) }

// podPage is that of a vLLM server with its share of the requests.
func (s *stand) podPage(w io.Writer, i int) {
	load := int(s.load.Load())
	share := load / replicas
	if i < load%replicas {
		share++
	}
	fmt.Fprintf(w, `# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="m"} %d
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="m"} 0
`, share)
}

// statePage is that of kube-state-metrics.
func statePage(w io.Writer) {
	fmt.Fprintf(w, "kube_deployment_spec_replicas{namespace=%q,deployment=%q} %d\n", "inference", "chat", replicas)
	fmt.Fprintf(w, "kube_deployment_status_replicas_ready{namespace=%q,deployment=%q} %d\n", "inference", "chat", replicas)
	fmt.Fprintln(w, `kube_replicaset_owner{namespace="inference",replicaset="chat-7d9f8b6c54",owner_kind="Deployment",owner_name="chat",owner_is_controller="true"} 1`)
	for i := range replicas {
		own := fmt.Sprintf("namespace=%q,pod=%q,uid=\"%d\"", "inference", podName(i), i)
		fmt.Fprintf(w, "kube_pod_owner{%s,owner_kind=\"ReplicaSet\",owner_name=\"chat-7d9f8b6c54\",owner_is_controller=\"true\"} 1\n", own)
		fmt.Fprintf(w, "kube_pod_status_phase{%s,phase=\"Running\"} 1\n", own)
		fmt.Fprintf(w, "kube_pod_status_ready{%s,condition=\"true\"} 1\n", own)
		fmt.Fprintf(w, "kube_pod_created{%s} 1700000000\n", own)
	}
}

const configuration = `
interval: 1s
query_offset: 0s
stale_after: 4s
rate_window: 4s
latency_window: 4s
prometheus: {url: %q}
workloads:
  - namespace: inference
    name: chat
    engine: vllm
    replicas: {min: 1, max: 100}
    signals: [{metric: queue, target: %d}]
    tolerance: {up: 0, down: 0}
    scale_up: {policies: [{type: pods, value: 100, period: 15s}]}
    scale_down: {window: 0s}
`

var startedAt = regexp.MustCompile(`"url": "http://([^"]+)"`)

// daemon starts the real daemon on a Prometheus and lets the stand's scrape it. It returns
// the daemon's address.
func (s *stand) daemon(t *testing.T, prometheus string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "infscale.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, configuration, prometheus, target), 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, log := start(t, s.recommend, "serve", "--config.file="+file, "--web.listen-address=127.0.0.1:0")
	for log.Scan() {
		if m := startedAt.FindStringSubmatch(log.Text()); m != nil {
			go func() { // A full pipe would stop the daemon.
				for log.Scan() {
				}
			}()
			s.daemons = append(s.daemons, map[string]any{"Address": m[1]})
			s.scrape(t, "infscale", s.daemons)
			return m[1]
		}
	}
	t.Fatalf("the daemon ended before it said its address: %v", log.Err())
	return ""
}

// breakable is the stand's Prometheus behind a door that can be shut.
func (s *stand) breakable(t *testing.T) (address string, shut func()) {
	t.Helper()
	to, err := url.Parse(s.prometheus)
	if err != nil {
		t.Fatal(err)
	}
	var closed atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(to)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if closed.Load() {
			http.Error(w, "shut", http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() { closed.Store(true) }
}

// page is a daemon's /metrics.
func page(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// exports waits until a daemon's page has a line.
func exports(t *testing.T, address, line string) {
	t.Helper()
	var got string
	eventually(t, func() bool {
		got = page(t, address)
		return strings.Contains(got, line+"\n")
	}, func() string { return fmt.Sprintf("page of %s: got no line %s in\n%s", address, line, got) })
}

// eventually asks until ok, for half a minute.
func eventually(t *testing.T, ok func() bool, why func() string) {
	t.Helper()
	ticker := time.NewTicker(100 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(30 * time.Second)
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatal(why())
		}
	}
}
