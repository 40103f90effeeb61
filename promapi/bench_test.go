package promapi

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/recommender"
)

// The fleet of the benchmark: 10,000 pods of vLLM with 22 buckets each.
const (
	fleetWorkloads = 1000
	fleetPods      = 10
	fleetSpaces    = 20
	fleetSample    = 100 // workloads of which the way of one query each is measured
)

// fleetStep is how often the fleet is scraped, fleetSteps how many scrapes there are.
const (
	fleetStep  = 15 * time.Second
	fleetSteps = 26
)

var fleetEnd = time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)

// fleetEnv makes the test binary serve the fleet instead of testing, so that the CPU
// and memory of Prometheus are those of another process.
const fleetEnv = "INFSCALE_BENCH_FLEET"

func TestMain(m *testing.M) {
	if os.Getenv(fleetEnv) != "" {
		if err := serveFleet(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serveFleet fills a Prometheus, says where it is, and serves until the parent goes.
func serveFleet(in io.Reader, out io.Writer) error {
	p, err := embedded.Start(embedded.Options{})
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	series, value := fleetSeries()
	times := make([]time.Time, fleetSteps)
	for i := range times {
		times[i] = fleetEnd.Add(-time.Duration(fleetSteps-1-i) * fleetStep)
	}
	if err := p.AppendSeries(series, times, value); err != nil {
		return err
	}
	mux := http.NewServeMux()
	var sent atomic.Int64
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { p.Handler().ServeHTTP(meteredWriter{w, &sent}, r) })
	mux.HandleFunc("/usage", func(w http.ResponseWriter, _ *http.Request) {
		u := usage()
		u.Sent = sent.Load()
		_ = json.NewEncoder(w).Encode(u)
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	fmt.Fprintln(out, server.URL, len(series))
	_, err = io.Copy(io.Discard, in)
	return err
}

// fleetSeries returns all series of the fleet and their values.
func fleetSeries() ([]labels.Labels, func(series, step int) float64) {
	var list []labels.Labels
	var slope []float64 // per step; gauges have a level and no slope
	var level []float64
	add := func(lv, sl float64, pairs ...string) {
		list = append(list, labels.FromStrings(pairs...))
		level, slope = append(level, lv), append(slope, sl)
	}
	for w := range fleetWorkloads {
		space, name := fleetNames(w)
		hash := fmt.Sprintf("%s-%08xb", name, 0x6f5d9c7+w)
		kube := func(metric string, v float64, pairs ...string) {
			add(v, 0, append([]string{"__name__", metric, "namespace", space, "job", "kube-state-metrics", "instance", "10.9.0.1:8080"}, pairs...)...)
		}
		kube("kube_deployment_spec_replicas", fleetPods, "deployment", name)
		kube("kube_deployment_status_replicas_ready", fleetPods, "deployment", name)
		kube("kube_replicaset_owner", 1, "replicaset", hash, "owner_kind", "Deployment", "owner_name", name, "owner_is_controller", "true")
		for i := range fleetPods {
			pod := fmt.Sprintf("%s-x%03dz", hash, i)
			kube("kube_pod_owner", 1, "pod", pod, "uid", pod, "owner_kind", "ReplicaSet", "owner_name", hash, "owner_is_controller", "true")
			kube("kube_pod_status_ready", 1, "pod", pod, "uid", pod, "condition", "true")
			kube("kube_pod_created", 1.79e9, "pod", pod, "uid", pod)
			kube("kube_pod_status_ready_time", 1.79e9+90, "pod", pod, "uid", pod)
			vllm := func(metric string, lv, sl float64, pairs ...string) {
				add(lv, sl, append([]string{
					"__name__", "vllm:" + metric, "namespace", space, "pod", pod, "container", "vllm", "endpoint", "http",
					"job", space + "/vllm", "instance", fmt.Sprintf("10.%d.%d.%d:8000", w/250, w%250, i), "engine", "0", "model_name", name,
				}, pairs...)...)
			}
			vllm("num_requests_running", 3, 0)
			vllm("num_requests_waiting", 1, 0)
			vllm("kv_cache_usage_perc", 0.5, 0)
			vllm("prompt_tokens_total", 0, 3000)
			vllm("generation_tokens_total", 0, 1500)
			for _, reason := range []string{"stop", "length", "abort"} {
				vllm("request_success_total", 0, 5, "finished_reason", reason)
			}
			bounds := profiles[0].bounds
			for b, bound := range bounds {
				vllm("time_to_first_token_seconds_bucket", 0, float64(b), "le", fmt.Sprint(bound))
			}
			vllm("time_to_first_token_seconds_bucket", 0, float64(len(bounds)), "le", "+Inf")
			vllm("time_to_first_token_seconds_count", 0, float64(len(bounds)))
			vllm("time_to_first_token_seconds_sum", 0, 7)
		}
	}
	return list, func(series, step int) float64 { return level[series] + slope[series]*float64(step) }
}

func fleetNames(w int) (namespace, name string) {
	return fmt.Sprintf("inference-%02d", w%fleetSpaces), fmt.Sprintf("chat-%04d", w)
}

// A processUsage is what a process has used so far.
type processUsage struct {
	CPU    time.Duration // user and system
	MaxRSS int64         // bytes
	Sent   int64         // bytes of answers, as they go over the wire
}

// A meteredWriter counts the bytes of answers.
type meteredWriter struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (w meteredWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.sent.Add(int64(n))
	return n, err
}

func usage() processUsage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	cpu := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	return processUsage{CPU: cpu, MaxRSS: u.Maxrss * 1024}
}

// A fleet is the child process that serves it.
type fleet struct {
	url    string
	series int
	stdin  io.Closer // held open: the child ends when it closes
}

var startFleet = sync.OnceValues(func() (*fleet, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fleetEnv+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	f := fleet{stdin: stdin}
	_, err = fmt.Fscan(bufio.NewReader(out), &f.url, &f.series)
	return &f, err
})

func (f *fleet) usage(b *testing.B) processUsage {
	b.Helper()
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, f.url+"/usage", http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	var u processUsage
	if err := json.NewDecoder(resp.Body).Decode(&u); err != nil {
		b.Fatal(err)
	}
	return u
}

// counting counts what goes through a querier.
type counting struct {
	*Client
	mu            sync.Mutex
	queries, rows int
}

func (c *counting) Query(ctx context.Context, query string, at time.Time) (Result, error) {
	r, err := c.Client.Query(ctx, query, at)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queries++
	c.rows += len(r.Series)
	return r, err
}

func newFleet(b *testing.B) (*fleet, *counting) {
	b.Helper()
	f, err := startFleet()
	if err != nil {
		b.Fatal(err)
	}
	cfg := DefaultConfig()
	cfg.URL = f.url
	cfg.Timeout *= 12
	client, err := New(cfg)
	if err != nil {
		b.Fatal(err)
	}
	return f, &counting{Client: client}
}

// BenchmarkTick reads 1,000 workloads with 10,000 pods from a real Prometheus, without
// and with the time to the first token; and then asks for the queue of a sample of
// them as a scaler does that sends one query for each workload and signal.
func BenchmarkTick(b *testing.B) {
	queue := []recommender.Signal{{Metric: recommender.Queue, Target: 4}}
	latency := append(queue[:1:1], recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.95})
	b.Run("queue", func(b *testing.B) { benchmarkTick(b, queue, recommender.SLO{}) })
	b.Run("objective", func(b *testing.B) { benchmarkTick(b, queue, recommender.SLO{TTFT: 2 * time.Second, Objective: 0.95}) })
	b.Run("ttft", func(b *testing.B) { benchmarkTick(b, latency, recommender.SLO{TTFT: 2 * time.Second, Objective: 0.95}) })
	b.Run("one-query-each", benchmarkOneQueryEach)
}

func benchmarkTick(b *testing.B, signals []recommender.Signal, slo recommender.SLO) {
	f, client := newFleet(b)
	policy := recommender.Policy{Signals: signals, SLO: slo}
	workloads := make([]Workload, fleetWorkloads)
	for w := range workloads {
		workloads[w].Namespace, workloads[w].Name = fleetNames(w)
		workloads[w].Policy = &policy
	}
	reader, err := NewReader(client, workloads, Options{})
	if err != nil {
		b.Fatal(err)
	}
	// The first tick asks the occasional queries too.
	observed, report := reader.Observe(b.Context(), fleetEnd)
	checkFleet(b, observed, report)
	client.queries, client.rows = 0, 0
	own, theirs := usage(), f.usage(b)
	b.ReportAllocs()
	for b.Loop() {
		_, report = reader.Observe(b.Context(), fleetEnd)
	}
	if err := report.Failed(); err != nil {
		b.Fatal(err)
	}
	if testing.Verbose() {
		for _, q := range report.Families {
			b.Logf("%s: %d rows, %v", q.Family, q.Rows, q.Duration)
		}
	}
	n := float64(b.N)
	b.ReportMetric(float64(f.series), "series")
	b.ReportMetric(float64(client.queries)/n, "queries/op")
	b.ReportMetric(float64(client.rows)/n, "rows/op")
	reportUsage(b, "own", n, own, usage())
	after := f.usage(b)
	reportUsage(b, "prometheus", n, theirs, after)
	b.ReportMetric(float64(after.Sent-theirs.Sent)/n, "read-bytes/op")
}

func reportUsage(b *testing.B, who string, n float64, before, after processUsage) {
	b.ReportMetric((after.CPU-before.CPU).Seconds()/n, who+"-cpu-s/op")
	b.ReportMetric(float64(after.MaxRSS)/(1<<20), who+"-max-MB")
}

// checkFleet fails unless every workload was read in full.
func checkFleet(b *testing.B, observed []recommender.Observation, report Report) {
	b.Helper()
	if err := report.Failed(); err != nil {
		b.Fatal(err)
	}
	for i := range observed {
		o := &observed[i]
		if o.Running.Value != 3*fleetPods || o.Reporting.Value != fleetPods || !o.OutputTokens.Known() {
			b.Fatalf("workload %d: got %+v, want %d running on %d replicas", i, *o, 3*fleetPods, fleetPods)
		}
		if len(o.TTFT) > 0 && !o.TTFT[0].Complete() {
			b.Fatalf("workload %d: got %+v, want a percentile", i, o.TTFT)
		}
	}
}

// benchmarkOneQueryEach asks for running and waiting requests, one query each, of a
// sample of the workloads. The numbers are scaled to all of them.
func benchmarkOneQueryEach(b *testing.B) {
	f, client := newFleet(b)
	own, theirs := usage(), f.usage(b)
	began := time.Now()
	for b.Loop() {
		for w := range fleetSample {
			namespace, name := fleetNames(w * fleetWorkloads / fleetSample)
			for _, metric := range []string{"vllm:num_requests_running", "vllm:num_requests_waiting"} {
				query := fmt.Sprintf("sum(%s{namespace=%q, model_name=%q})", metric, namespace, name)
				if _, err := client.Query(b.Context(), query, fleetEnd); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	scale := float64(b.N) * fleetSample / fleetWorkloads
	b.ReportMetric(float64(client.queries)/scale, "queries/op")
	b.ReportMetric(time.Since(began).Seconds()/scale, "s/op")
	reportUsage(b, "own", scale, own, usage())
	reportUsage(b, "prometheus", scale, theirs, f.usage(b))
}
