package embedded_test

import (
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi/embedded"
)

const plain = "text/plain; version=0.0.4"

// page has each thing a scrape treats specially: clashing labels, twice the same line, an
// empty label, a histogram, a NaN and escapes.
const page = `# HELP vllm:num_requests_running Requests.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",instance="inner",job="inner"} 3
vllm:num_requests_running{engine="0",instance="inner",job="inner"} 4
vllm:num_requests_waiting{engine="0",pod=""} 5
both{exported_pod="theirs",pod="theirs too"} 6
# TYPE ttft histogram
ttft_bucket{le="0.5"} 1
ttft_bucket{le="+Inf"} 2
ttft_sum 1.5
ttft_count 2
nan NaN
quoted{a="b\"c\nd"} 1e+06
`

const openMetrics = `# TYPE requests counter
requests_total{exported_pod="theirs",pod="theirs too"} 17.0
requests_created{exported_pod="theirs",pod="theirs too"} 1.7e+09
# EOF
`

var pod = embedded.Target{Address: "10.0.0.1:8000", Labels: map[string]string{"pod": "chat-0"}}

// everything is all series at a moment, sorted, without those that differ between any two
// scrapes of one page.
func everything(t *testing.T, p *embedded.Prometheus, at time.Time) string {
	t.Helper()
	v, err := p.Query(t.Context(), `{__name__!="",__name__!~"scrape_duration_seconds|scrape_series_added"}`, at)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, s := range v {
		lines = append(lines, fmt.Sprint(s.Metric, " ", s.F))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestAPageIsStoredAsARealScrapeStoresIt(t *testing.T) {
	for name, tc := range map[string]struct{ contentType, page string }{
		"text":        {plain, page},
		"OpenMetrics": {"application/openmetrics-text; version=1.0.0; charset=utf-8", openMetrics},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.contentType)
				fmt.Fprint(w, tc.page)
			}))
			defer server.Close()
			target := embedded.Target{
				Address: server.Listener.Addr().String(),
				Labels:  map[string]string{"pod": "chat-0", "instance": "10.0.0.1:8000"},
			}
			scraped := start(t, embedded.Options{Jobs: []embedded.Job{{
				Name: "vllm", Interval: 50 * time.Millisecond, Targets: []embedded.Target{target},
			}}})
			if _, err := scraped.Await(deadline(t), "up == 1"); err != nil {
				t.Fatal(err)
			}
			stored := start(t, embedded.Options{})
			if err := stored.AppendPage(epoch, "vllm", target, []byte(tc.page), tc.contentType); err != nil {
				t.Fatal(err)
			}
			got, want := everything(t, stored, epoch), everything(t, scraped, time.Now())
			if got != want {
				t.Errorf("got\n%s\n\nwant what a scrape stored\n%s", got, want)
			}
			if !strings.Contains(got, `exported_exported_pod="theirs too"`) {
				t.Errorf("got\n%s\n\nwant a label renamed twice", got)
			}
		})
	}
}

func TestWhatAPageNoLongerHasIsStale(t *testing.T) {
	p := start(t, embedded.Options{})
	at := func(n int) time.Time { return epoch.Add(time.Duration(n) * 15 * time.Second) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(p.AppendPage(at(0), "vllm", pod, []byte("a 1\na 9\nb 1\n"), plain)) // The first of two counts.
	must(p.AppendPage(at(1), "vllm", pod, []byte("a 2\n"), plain))
	must(p.AppendFailure(at(2), "vllm", pod))
	must(p.AppendPage(at(3), "vllm", pod, []byte("a 3\n"), plain))
	must(p.AppendGone(at(4), "vllm", pod))
	none := math.NaN()
	for i, want := range []struct{ a, b, up, added float64 }{
		{1, 1, 1, 2},
		{2, none, 1, 0},
		{none, none, 0, 0},
		{3, none, 1, 1},
		{none, none, none, none},
	} {
		wantValue(t, p, "a", at(i), want.a)
		wantValue(t, p, "b", at(i), want.b)
		wantValue(t, p, `up{job="vllm",pod="chat-0",instance="10.0.0.1:8000"}`, at(i), want.up)
		wantValue(t, p, "scrape_series_added", at(i), want.added)
	}
}

func TestAPageThatDoesNotParseIsAFailedScrape(t *testing.T) {
	p := start(t, embedded.Options{})
	if err := p.AppendPage(epoch, "vllm", pod, []byte("a 1\n"), plain); err != nil {
		t.Fatal(err)
	}
	later := epoch.Add(15 * time.Second)
	if err := p.AppendPage(later, "vllm", pod, []byte("a 2\n}broken\n"), plain); err == nil {
		t.Error("got no error, want one")
	}
	wantValue(t, p, "a", later, math.NaN())
	wantValue(t, p, "up", later, 0)
}
