package load

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender/config"
	"github.com/infscale/infscale/recommender/daemon"
)

var hour = flag.Bool("hour", false, "run 1,000 workloads for the ticks of an hour, instead of a short while")

func TestMain(m *testing.M) {
	if os.Getenv(serverEnv) != "" {
		serveAndExit()
	}
	os.Exit(m.Run())
}

// A size says how large a run is.
type size struct {
	workloads, pods int // pods of each workload
	ticks           int
	lap             time.Duration // how long a tick lasts here
	// reload is after how many ticks the configuration changes, absent how many
	// workloads are not in it then.
	reload, absent int
	// spare is how many ticks may be missed besides those that begin while one is under
	// way, or the past is read, for longer than a lap. A reload waits for a tick too.
	spare int
}

var (
	short = size{workloads: 100, pods: 10, ticks: 36, lap: 220 * time.Millisecond, reload: 12, absent: 10, spare: 4}
	long  = size{workloads: 1000, pods: 10, ticks: 240, lap: 3 * time.Second, reload: 30, absent: 50, spare: 8}
)

// interval is that of the configuration.
const interval = 15 * time.Second

// document is the configuration of every workload but a block of them.
func (s size) document(url string, block int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
interval: %s
prometheus: {url: %q}
defaults:
  replicas: {min: 1, max: 40}
  cold_start: 90s
  signals: [{metric: queue, target: 40}]
  slo: {ttft: 2s, objective: 0.95}
workloads:
`, interval, url)
	for w := range s.workloads {
		if w/s.absent != block {
			namespace, name := nameOf(w)
			fmt.Fprintf(&b, "  - {namespace: %s, name: %s}\n", namespace, name)
		}
	}
	return b.String()
}

// A run is a daemon under load, in this process.
type run struct {
	size
	t      *testing.T
	daemon *daemon.Daemon
	client *http.Client
	api    string // address of Prometheus
	file   string // of the configuration
	ticks  chan time.Duration
	past   chan time.Duration // how long readings of the past took
	page   bytes.Buffer
}

// TestDaemonUnderLoadDoesNotGrow runs the daemon over many workloads, scrapes and looks at it
// on every tick, lets workloads and pods come and go, and compares what it holds.
func TestDaemonUnderLoadDoesNotGrow(t *testing.T) {
	s := short
	if *hour {
		s = long
	}
	r := newRun(t, s)
	before := goleak.IgnoreCurrent()
	stop := r.start()
	samples, took := r.watch()
	past := drain(r.past)
	missed := r.metric("infscale_evaluations_missed_total")
	stop()
	r.client.CloseIdleConnections()
	if err := goleak.Find(before); err != nil {
		t.Errorf("after the end: %v", err)
	}
	r.alone()
	t.Logf("%d workloads, %d pods, %d ticks of %s: tick p50 %s, p99 %s, longest %s; %d readings of the past, p50 %s, longest %s; %v ticks missed",
		s.workloads-s.absent, (s.workloads-s.absent)*s.pods, len(took), s.lap, quantile(took, 0.5), quantile(took, 0.99), quantile(took, 1),
		len(past), quantile(past, 0.5), quantile(past, 1), missed)
	if grew := growth(samples); grew != nil {
		t.Errorf("grew: %s", strings.Join(grew, ", "))
	}
	if slowest := quantile(took, 1); slowest >= interval {
		t.Errorf("a tick took %s, so that the next one is missed", slowest)
	}
	if most := during(past, s.lap) + during(took, s.lap) + s.spare; missed > float64(most) {
		t.Errorf("missed %v ticks, want at most %d", missed, most)
	}
}

// newRun starts the Prometheus and asks once all that the daemon will ask.
func newRun(t *testing.T, s size) *run {
	t.Helper()
	r := &run{
		size: s, t: t, file: filepath.Join(t.TempDir(), "infscale.yaml"),
		client: &http.Client{Transport: &http.Transport{}},
		ticks:  make(chan time.Duration, 10*s.ticks), past: make(chan time.Duration, 10*s.ticks),
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d %d", serverEnv, s.workloads, s.pods, interval))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // it ends when its input does
	})
	if _, err := fmt.Fscan(bufio.NewReader(out), &r.api); err != nil {
		t.Fatal(err)
	}
	r.configure(0)
	r.warm()
	return r
}

// configure writes the configuration that leaves out a block of workloads.
func (r *run) configure(block int) {
	r.t.Helper()
	if err := os.WriteFile(r.file, []byte(r.document(r.api, block)), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// warm asks every query of the plan, which Prometheus itself answers the first time.
func (r *run) warm() {
	r.t.Helper()
	c, err := config.Load(r.file)
	if err != nil {
		r.t.Fatal(err)
	}
	plan, err := promapi.NewPlan(c.Workloads(), c.Options())
	if err != nil {
		r.t.Fatal(err)
	}
	for _, q := range append(plan.Queries, plan.Occasional...) {
		conf := promapi.DefaultConfig()
		conf.URL, conf.Timeout = r.api, conf.Timeout*6
		client, err := promapi.New(conf)
		if err != nil {
			r.t.Fatal(err)
		}
		answer, err := client.Query(r.t.Context(), q.Text, time.Now())
		client.CloseIdleConnections()
		if err != nil {
			r.t.Fatalf("%s: %v", q.Family, err)
		}
		r.t.Logf("%s: %d rows", q.Family, len(answer.Series))
	}
}

// start runs the daemon until stop is called.
func (r *run) start() (stop func()) {
	r.t.Helper()
	d, err := daemon.New(daemon.Options{
		Load: daemon.File(r.file), EnableLifecycle: true, Logger: zap.New(watcher{r.ticks, r.past}),
		Now: newClock(r.lap).now,
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.daemon = d
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			r.t.Errorf("the daemon ended with %v", err)
		}
	})
	r.t.Cleanup(stop)
	return stop
}

// watch follows the ticks. It returns what the process held once a wave, and how long the
// ticks took.
func (r *run) watch() (samples []sample, took []time.Duration) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), 2*time.Duration(r.size.ticks)*r.lap+time.Minute)
	defer cancel()
	every, warm := wave, r.size.ticks/4
	if !*hour {
		every = 5
	}
	for tick := 1; tick <= r.size.ticks; tick++ {
		select {
		case d := <-r.ticks:
			took = append(took, d)
		case <-ctx.Done():
			r.t.Fatalf("got %d ticks in time, want %d", tick-1, r.size.ticks)
		}
		r.look()
		if tick%r.reload == 0 {
			r.change(tick / r.reload % (r.workloads / r.absent))
		}
		if tick > warm && tick%every == 0 {
			samples = append(samples, take(tick, r.connections()))
			r.t.Log(samples[len(samples)-1])
		}
	}
	return samples, took
}

// look asks for everything that the daemon serves, as Prometheus and a browser do.
func (r *run) look() {
	r.t.Helper()
	namespace, name := nameOf(r.workloads - 1)
	for _, path := range []string{
		"/metrics", "/", "/workloads/" + namespace + "/" + name, "/config", "/api/v1/workloads", "/-/ready",
	} {
		if status := r.ask(http.MethodGet, path); status != http.StatusOK && path != "/-/ready" {
			r.t.Errorf("%s: got %d", path, status)
		}
	}
}

// ask sends a request and keeps the answer in page.
func (r *run) ask(method, path string) int {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.daemon.URL()+path, http.NoBody)
	if err != nil {
		r.t.Fatal(err)
	}
	answer, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	r.page.Reset()
	if _, err := io.Copy(&r.page, answer.Body); err != nil {
		r.t.Fatalf("%s: %v", path, err)
	}
	return answer.StatusCode
}

// change reloads a configuration without a block of workloads: one block goes, the one that
// was absent comes back.
func (r *run) change(block int) {
	r.t.Helper()
	r.configure(block)
	if status := r.ask(http.MethodPost, "/-/reload"); status != http.StatusOK {
		r.t.Fatalf("reload: got %d %s", status, &r.page)
	}
	r.ask(http.MethodGet, "/metrics")
	for w := range r.workloads {
		_, name := nameOf(w)
		want := w/r.absent != block
		if got := bytes.Contains(r.page.Bytes(), []byte(`workload="`+name+`"`)); got != want {
			r.t.Errorf("after a reload: series of %s: got %t, want %t", name, got, want)
		}
	}
}

// metric returns the value of a series without labels.
func (r *run) metric(name string) float64 {
	r.t.Helper()
	r.ask(http.MethodGet, "/metrics")
	for line := range strings.Lines(r.page.String()) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
			if err != nil {
				r.t.Fatal(err)
			}
			return v
		}
	}
	r.t.Fatalf("no %s on /metrics", name)
	return 0
}

// connections returns how many connections Prometheus has open.
func (r *run) connections() int {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.api+"/connections", http.NoBody)
	if err != nil {
		r.t.Fatal(err)
	}
	answer, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	var n int
	if _, err := fmt.Fscan(answer.Body, &n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// during returns how many ticks begin while something takes longer than a tick lasts here.
func during(list []time.Duration, lap time.Duration) int {
	n := 0
	for _, took := range list {
		n += int(took / lap)
	}
	return n
}

// alone waits until nobody but the test has a connection to Prometheus.
func (r *run) alone() {
	r.t.Helper()
	for late := time.Now().Add(20 * time.Second); ; {
		n := r.connections()
		if n == 1 {
			return
		}
		if time.Now().After(late) {
			r.t.Errorf("after the end: got %d connections to Prometheus, want none but our own", n)
			return
		}
	}
}

// drain returns what a channel holds.
func drain(c chan time.Duration) []time.Duration {
	var list []time.Duration
	for {
		select {
		case d := <-c:
			list = append(list, d)
		default:
			return list
		}
	}
}
