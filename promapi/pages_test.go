package promapi

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/recommender"
)

// pagesEnv names another folder of pages to hold against a real scrape.
const pagesEnv = "INFSCALE_PAGES"

const none = -1 // a measure that the page does not have

// pageFacts are what a page says, worked out by hand.
type pageFacts struct {
	engine           string
	running, waiting float64
	kv               float64
	prompt, output   float64
	completions      float64
	requests         float64 // with a first token
}

// The pages whose numbers were worked out by hand. Levels of several engines and ranks
// are written as the sums that they are.
var factsOf = map[string]pageFacts{
	"vllm-v0.prom": {"vllm", 48, 542, 0.3655444428792788, 1967334, 463150, 2126 + 168, 2349},
	// Engine 0 is hot, engine 1 calm; the fullest cache is that of engine 0.
	"vllm-v1-dp2.prom": {
		"vllm", 63 + 11, 214 + 0, 0.7026939829004678, 3421684 + 2568022, 830370 + 651578,
		(3760 + 318 + 0) + (2901 + 242 + 0), 4165 + 3179,
	},
	// Of two processes that report a cache, the fuller one counts, and of two engines the fuller.
	"vllm-v0.11-multiapi-pid.prom": {
		"vllm", 16 + 26, 0, 0.1950314566865624, 1426745 + 1379966, 352251 + 362251,
		(1585 + 131) + (1578 + 148), 1736 + 1764,
	},
	"vllm-latest.prom":              {"vllm", 126, 8, 0.4747604223890619, 6162662, 1535628, 6772 + 567, 7535},
	"vllm-latest-idle.prom":         {"vllm", 0, 0, 0, 0, 0, 0, 0},
	"vllm-latest-lora-excerpt.prom": {"vllm", 5, 1, none, 0, 0, 0, none},
	"vllm-rust-frontend.om":         {"vllm", 126, 8, 0.4747604223890619, 6162662, 1535628, 6772 + 567, 7535},
	"vllm-kserve.prom":              {"vllm", 24, 0, 0.3030190776069642, 1175347, 308699, 1349 + 117, 1494},
	"vllm-kserve-knative-qpext.prom": {
		"vllm", 24, 0, 0.3030190776069642, 1175347, 308699, 1349 + 117, 1494,
	},
	"llm-d-sim-idle.prom":   {"vllm", 0, 0, 0, 0, 0, 0, none},
	"llm-d-sim-loaded.prom": {"vllm", 4, 16, 0.02734375, 500, 480, 4, 8},
	"llm-d-sim-after.prom":  {"vllm", 0, 0, 0, 7500, 7200, 60, 60},
	"llmd-sim.prom":         {"vllm", 2, 11, 0, 26022, 7186, 2 + 39, 43},
	// Two ranks report the same requests.
	"sglang-tp2.prom": {"sglang", 64, 4, 0.614, 2087650, 527724, 2621, 2698},
	// Streaming requests and others add up.
	"sglang-latest.prom":     {"sglang", 91, 0, 0.4061, 2353050 + 663680, 590554 + 166566, 3020 + 754, 3897},
	"sglang-pd-prefill.prom": {"sglang", 3, 11, 0.0744, 2393000 + 674948, 2958 + 834, 3034 + 758, 3876},
	"sglang-pd-decode.prom":  {"sglang", 58, 0, 0.8281, 2393000 + 674948, 596041 + 168113, 3034 + 758, 3876},
	// Four schedulers, each with its own requests.
	"sglang-dp-attention-excerpt.prom": {"sglang", 31 + 28 + 33 + 30, 4 + 0 + 6 + 2, 0.77, 0, 0, 0, none},
	"sglang-cp2-excerpt.prom":          {"sglang", 9, 3, 0.52, 0, 0, 0, none},
	// The total is under the empty priority: 31 + 9 and 7 + 0 are its parts.
	"sglang-priority-excerpt.prom": {"sglang", 40, 7, 0.63, 0, 0, 0, none},
	"llamacpp-latest.prom":         {"llama.cpp", 4, 26, none, 271232, 81658, none, none},
	"llamacpp-old.prom":            {"llama.cpp", 4, 26, 0.185516, 271232, 81658, none, none},
	"llamacpp-real-idle.prom":      {"llama.cpp", 0, 0, none, 0, 0, none, none},
	"llamacpp-real-loaded.prom":    {"llama.cpp", 4, 36, none, 132, 0, none, none},
	"llamacpp-real-after.prom":     {"llama.cpp", 0, 0, none, 1320, 36000, none, none},
	// Not engines, or none that is known.
	"vllm-production-stack-router.prom": {}, "trtllm-serve.prom": {}, "tgi.prom": {}, "epp-gateway.prom": {},
	"keda-http-interceptor.prom": {}, "keda-http-interceptor-v0.12.prom": {}, "knative-activator.prom": {},
	"knative-activator-1.18.prom": {}, "kube-state-metrics.prom": {}, "cadvisor-excerpt.prom": {},
}

// pageNames lists the pages of the folder, and says how many there are.
func pageNames(t *testing.T) (folder string, names []string) {
	t.Helper()
	folder = cmp.Or(os.Getenv(pagesEnv), filepath.Join("testdata", "pages"))
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); ext == ".prom" || ext == ".om" || ext == ".txt" {
			names = append(names, e.Name())
		}
	}
	t.Logf("%d pages of %s", len(names), folder)
	if len(names) == 0 {
		t.Fatalf("no pages in %s", folder)
	}
	return folder, names
}

func readFile(t *testing.T, folder, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// contentType is how a server names the format of a page.
func contentType(name string, text []byte) string {
	if filepath.Ext(name) == ".om" || bytes.HasSuffix(text, []byte("# EOF\n")) {
		return "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	return "text/plain; version=0.0.4; charset=utf-8"
}

func TestEveryPageOfTheFactsIsThere(t *testing.T) {
	if os.Getenv(pagesEnv) != "" {
		t.Skip("another folder")
	}
	_, names := pageNames(t)
	if len(names) != len(factsOf) {
		t.Errorf("got %d pages, want %d", len(names), len(factsOf))
	}
}

func TestPagesSayWhatWasWorkedOutByHand(t *testing.T) {
	folder, names := pageNames(t)
	for _, name := range names {
		want, ok := factsOf[name]
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			got, err := ReadPage(bytes.NewReader(readFile(t, folder, name)), name)
			if want.engine == "" {
				if err == nil || !strings.Contains(err.Error(), "no queue of a known engine") {
					t.Fatalf("got %+v, %v, want no engine", got, err)
				}
				return
			}
			if err != nil || got.Engine != want.engine {
				t.Fatalf("got %+v, %v, want %s", got, err, want.engine)
			}
			for _, q := range []struct {
				what string
				got  recommender.Quantity
				want float64
			}{
				{"running", got.Running, want.running},
				{"waiting", got.Waiting, want.waiting},
				{"kv", got.KVCacheUsage, want.kv},
				{"prompt", got.PromptTokens, want.prompt},
				{"output", got.OutputTokens, want.output},
				{"completions", got.Completions, want.completions},
			} {
				if q.want == none {
					lacks(t, q.what, q.got, recommender.Absent)
				} else {
					known(t, q.what, q.got, q.want)
				}
			}
			if want.requests == none && len(got.TTFT) > 0 || want.requests != none && got.TTFT.Total() != want.requests {
				t.Errorf("requests: got %v, want %v", got.TTFT, want.requests)
			}
		})
	}
}

// pageWorkload finds the replica of one page.
func pageWorkload(name string) Workload {
	w := chat(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.95})
	w.Name = name
	w.Selector = fmt.Sprintf(`{pod=%q}`, name)
	return w
}

// TestScrapedPagesSayTheSame serves every page to a real Prometheus, which scrapes it.
func TestScrapedPagesSayTheSame(t *testing.T) {
	folder, names := pageNames(t)
	job := embedded.Job{Name: "pages", Interval: time.Second, HonorLabels: true}
	var workloads []Workload
	// By the second scrape of a page all its series exist. Until then Prometheus sorts its
	// index in place, which a query at the same time would race with.
	var scrapedTwice sync.WaitGroup
	for _, name := range names {
		text := readFile(t, folder, name)
		var scrapes atomic.Int32
		scrapedTwice.Add(1)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if scrapes.Add(1) == 2 {
				scrapedTwice.Done()
			}
			w.Header().Set("Content-Type", contentType(name, text))
			_, _ = w.Write(text)
		}))
		t.Cleanup(server.Close)
		job.Targets = append(job.Targets, embedded.Target{
			Address: strings.TrimPrefix(server.URL, "http://"), Labels: map[string]string{"namespace": "ns", "pod": name},
		})
		workloads = append(workloads, pageWorkload(name))
	}
	p, err := embedded.Start(embedded.Options{Listen: "127.0.0.1:0", Jobs: []embedded.Job{job}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	scrapedTwice.Wait()
	if _, err := p.Await(t.Context(), fmt.Sprintf(`count(up{job="pages"} == 1) == %d`, len(names))); err != nil {
		t.Fatal(err)
	}
	cfg := DefaultConfig()
	cfg.URL, cfg.Timeout = p.URL(), cfg.Timeout*6
	client, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := NewReader(client, workloads, Options{})
	if err != nil {
		t.Fatal(err)
	}
	observations, report := reader.Observe(t.Context(), time.Now())
	if err := report.Failed(); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			sameLevels(t, readFile(t, folder, name), name, &observations[i], report.Workloads[i])
		})
	}
}

// sameLevels compares what was scraped with what the page reader says.
func sameLevels(t *testing.T, text []byte, name string, o *recommender.Observation, r WorkloadReport) {
	t.Helper()
	page, err := ReadPage(bytes.NewReader(text), name)
	if err != nil {
		if o.Running.Known() || len(r.Engines) > 0 {
			t.Errorf("got %s of %v, want nothing: %v", show(o.Running), r.Engines, err)
		}
		return
	}
	if !slices.Equal(r.Engines, []string{page.Engine}) {
		t.Errorf("engine: got %v, want %s", r.Engines, page.Engine)
	}
	same(t, "running", o.Running, page.Running)
	same(t, "waiting", o.Waiting, page.Waiting)
	same(t, "kv", o.KVCacheUsage, page.KVCacheUsage)
}

func same(t *testing.T, what string, got, want recommender.Quantity) {
	t.Helper()
	if got.Evidence != want.Evidence || !near(got.Value, want.Value) {
		t.Errorf("%s: got %s, want %s as on the page", what, show(got), show(want))
	}
}

// zeroed is the page before any request: counters and buckets at zero.
func zeroed(t *testing.T, text []byte, name string) []byte {
	t.Helper()
	samples, err := readSamples(bytes.NewReader(text), name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	for _, s := range samples {
		if strings.HasSuffix(s.name, "_total") || strings.HasSuffix(s.name, "_bucket") {
			s.value = 0
		}
		fmt.Fprintf(&b, "%s%s %v\n", s.name, s.labels, s.value)
	}
	return b.Bytes()
}

// TestRatesOfScrapedPages lets every page happen within one window: it was at zero
// before. Prometheus does not extrapolate a counter below zero, so the increase is the
// number on the page and the rate is that over the window.
func TestRatesOfScrapedPages(t *testing.T) {
	folder, names := pageNames(t)
	l := newLab(t)
	var engines []string
	var workloads []Workload
	for _, name := range names {
		text := readFile(t, folder, name)
		if _, err := ReadPage(bytes.NewReader(text), name); err != nil {
			continue
		}
		target := embedded.Target{Address: "10.0.0.1:8000", Labels: map[string]string{"namespace": "ns", "pod": name}}
		before := zeroed(t, text, name)
		for i := range 21 {
			if i == 20 {
				before = text
			}
			kind := "text/plain; version=0.0.4"
			if i == 20 {
				kind = contentType(name, text)
			}
			if err := l.AppendPage(epoch.Add(time.Duration(i)*scrapeEvery), name, target, before, kind); err != nil {
				t.Fatal(err)
			}
		}
		engines, workloads = append(engines, name), append(workloads, pageWorkload(name))
	}
	observations, report := l.reader(t, Options{}, workloads...).Observe(t.Context(), epoch.Add(5*time.Minute))
	if err := report.Failed(); err != nil {
		t.Fatal(err)
	}
	for i, name := range engines {
		t.Run(name, func(t *testing.T) {
			text := readFile(t, folder, name)
			sameLevels(t, text, name, &observations[i], report.Workloads[i])
			page, _ := ReadPage(bytes.NewReader(text), name)
			sameRates(t, page, &observations[i])
		})
	}
}

func sameRates(t *testing.T, page *Page, o *recommender.Observation) {
	t.Helper()
	const window = 120
	for _, c := range []struct {
		what      string
		got, want recommender.Quantity
	}{
		{"prompt tokens", o.PromptTokens, page.PromptTokens},
		{"output tokens", o.OutputTokens, page.OutputTokens},
		{"completions", o.Completions, page.Completions},
	} {
		c.want.Value /= window
		same(t, c.what, c.got, c.want)
	}
	p95, atLeast := page.TTFT.Quantile(0.95)
	got := o.TTFT[0].Quantity
	switch {
	case page.TTFT.Total() >= FewRequests:
		if !got.Known() || got.LowerBound != atLeast || !near(got.Value, p95) {
			t.Errorf("ttft: got %s, want %v at least %t", show(got), p95, atLeast)
		}
	case got.Known():
		t.Errorf("ttft: got %s, want none of so few requests", show(got))
	}
}
