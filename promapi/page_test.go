package promapi

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

func TestLinesOfAPage(t *testing.T) {
	for name, c := range map[string]struct {
		line, want string
	}{
		"plain":                         {"m 1", `m{} 1`},
		"a colon in the name":           {"vllm:num_requests_running 3", `vllm:num_requests_running{} 3`},
		"labels":                        {`m{b="2",a="1"} 2.5`, `m{a="1", b="2"} 2.5`},
		"a comma at the end":            {`m{a="1",} 2`, `m{a="1"} 2`},
		"no labels in braces":           {`m{} 2`, `m{} 2`},
		"spaces":                        {" m { a = \"1\" , b=\"2\" }\t 2 ", `m{a="1", b="2"} 2`},
		"no space before the value":     {`m{a="1"}2`, `m{a="1"} 2`},
		"the three escapes":             {`m{a="x\\y\"z\nw"} 1`, "m{a=\"x\\\\y\\\"z\\nw\"} 1"},
		"braces and commas in a value":  {`m{a="1,2}",b="{\""} 4`, `m{a="1,2}", b="{\""} 4`},
		"a timestamp":                   {"m 1 1787183995787", `m{} 1`},
		"a negative timestamp":          {"m 1 -5", `m{} 1`},
		"not a number is a value":       {"m NaN", `m{} NaN`},
		"infinite":                      {"m +Inf", `m{} +Inf`},
		"minus infinite":                {"m -Inf", `m{} -Inf`},
		"an exponent":                   {"m 1.5e+06", `m{} 1.5e+06`},
		"a comment":                     {"  # HELP m what { it \\t is", ``},
		"a name that is only a letter":  {"a{a=\"\"} 0", `a{a=""} 0`},
		"a letter beyond ASCII, quoted": {`m{a="größe"} 0`, `m{a="größe"} 0`},
	} {
		t.Run(name, func(t *testing.T) {
			samples, err := readSamples(strings.NewReader("\n"+c.line+"\n"), "page")
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, s := range samples {
				got += s.name + s.labels.String() + " " + strings.TrimPrefix(fmt.Sprintf("%+v", s.value), "+")
			}
			if strings.TrimSuffix(got, " Inf")+" " != strings.TrimSuffix(strings.ReplaceAll(c.want, "+Inf", "Inf"), " Inf")+" " {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestErrorsSayWhere(t *testing.T) {
	long := "{" + strings.Repeat("x", 100)
	for name, c := range map[string]struct{ line, want string }{
		"no name":                      {"{oops} 1", `page:3: no metric name at the start: "{oops} 1"`},
		"a long line":                  {long, `page:3: no metric name at the start: "` + long[:60] + `"`},
		"no value":                     {"m", `page:3: m: no value: "m"`},
		"no value after labels":        {`m{a="1"}`, `page:3: m: no value: `},
		"more than a timestamp":        {"m 1 2 3", `page:3: m: more than a value and a timestamp: "m 1 2 3"`},
		"a word":                       {"m fast", `page:3: m: the value is no number: "m fast"`},
		"a number of Go's own":         {"m 0x1p4", `page:3: m: the value is no number`},
		"a minus before NaN":           {"m -nan", `page:3: m: the value is no number`},
		"a timestamp with a fraction":  {"m 1 1.5", `page:3: m: the timestamp is no number`},
		"another escape":               {`m{a="\t"} 1`, `page:3: m: label a: no such escape: \t`},
		"a label set that is not shut": {`m{a="1" 2`, `page:3: m: the label set is not closed`},
		"a label set that only starts": {`m{`, `page:3: m: the label set is not closed`},
		"a value that does not end":    {`m{a="1} 2`, `page:3: m: label a: the value does not end`},
		"an escape at the end":         {`m{a="1\`, `page:3: m: label a: the value does not end`},
		"a value without quotes":       {`m{a=1} 2`, `page:3: m: label a: the value is not quoted`},
		"a label without a value":      {`m{a} 2`, `page:3: m: label a: no equals sign`},
		"a label that is no name":      {`m{1a="1"} 2`, `page:3: m: no label name`},
		"a label twice":                {`m{a="1",a="2"} 2`, `page:3: m: label a twice`},
		"a series twice":               {"first 2", `page:3: the same series twice: "first 2"`},
		"a dash in the name":           {"m-n 2", `page:3: m: unexpected character in the name`},
		"an exemplar in the old text":  {`m_bucket{le="1"} 2 # {id="x"} 1`, `page:3: m_bucket: more than a value and a timestamp`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readSamples(strings.NewReader("first 1\n# comment\n"+c.line+"\nlast 1\n"), "page")
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestOpenMetrics(t *testing.T) {
	page := "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running 3 1787183995.787\n" +
		"vllm:time_to_first_token_seconds_bucket{le=\"1\"} 4 # {trace_id=\"x\"} 0.5 1787183995.1\n" +
		"vllm:time_to_first_token_seconds_bucket{le=\"+Inf\"} 5\n# EOF\n"
	got, err := ReadPage(strings.NewReader(page), "page")
	if err != nil {
		t.Fatal(err)
	}
	known(t, "running", got.Running, 3)
	if got.TTFT.Total() != 5 || len(got.TTFT) != 2 {
		t.Errorf("got %v, want 5 requests in 2 buckets", got.TTFT)
	}
}

func TestTheSameSeriesAtTwoTimesIsNotTwice(t *testing.T) {
	samples, err := readSamples(strings.NewReader("m 1 1000\nm 2 2000\n"), "page")
	if err != nil || len(samples) != 2 {
		t.Errorf("got %v, %v, want two samples", samples, err)
	}
}

func TestAPageOfNothingKnownSaysWhatToDo(t *testing.T) {
	for _, page := range []string{"", "# only a comment\n", "node_load1 0.5\n"} {
		_, err := ReadPage(strings.NewReader(page), "node.prom")
		if err == nil || !strings.HasPrefix(err.Error(), "node.prom: no queue of a known engine") ||
			!strings.Contains(err.Error(), "--metrics") || !strings.Contains(err.Error(), "--enable-metrics") {
			t.Errorf("%q: got %v, want a hint", page, err)
		}
	}
}

func TestTheFirstProfileOnThePageWins(t *testing.T) {
	page, err := ReadPage(strings.NewReader("sglang:num_running_reqs 9\nvllm:num_requests_waiting 2\n"), "page")
	if err != nil || page.Engine != "vllm" {
		t.Fatalf("got %+v, %v, want vllm", page, err)
	}
	known(t, "running, lazy", page.Running, 0)
	known(t, "waiting", page.Waiting, 2)
}

func TestPagesDropWhatIsNoNumber(t *testing.T) {
	page, err := ReadPage(strings.NewReader("vllm:num_requests_running NaN\nvllm:kv_cache_usage_perc 55\n"), "page")
	if err != nil {
		t.Fatal(err)
	}
	lacks(t, "running", page.Running, recommender.Invalid)
	lacks(t, "a cache counted to 100", page.KVCacheUsage, recommender.Invalid)
}

func page(t *testing.T, text string) *Page {
	t.Helper()
	p, err := ReadPage(strings.NewReader("vllm:num_requests_running 1\n"+text), "page")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRatesBetweenTwoPages(t *testing.T) {
	const histogram = `vllm:time_to_first_token_seconds_bucket{le="1"} %d
vllm:time_to_first_token_seconds_bucket{le="2"} %d
vllm:time_to_first_token_seconds_bucket{le="+Inf"} %d
`
	prev := page(t, "vllm:generation_tokens_total 1000\nprocess_cpu_seconds_total 5\n"+fmt.Sprintf(histogram, 7, 7, 7))
	next := page(t, "vllm:generation_tokens_total 1600\nprocess_cpu_seconds_total 17\nvllm:request_success_total 20\n"+fmt.Sprintf(histogram, 17, 26, 27))
	r := Rates(prev, next, 10*time.Second)
	known(t, "output tokens", r.OutputTokens, 60)
	known(t, "completions, from none", r.Completions, 2)
	known(t, "cpu", r.CPU, 1.2)
	// In between 10 up to 1 s, 19 up to 2 s, 20 in all.
	if q, atLeast := r.TTFT.Quantile(0.95); q != 2 || atLeast {
		t.Errorf("p95: got %v at least %t, want 2", q, atLeast)
	}
	if r.Restarted {
		t.Error("got a restart")
	}
	for name, pair := range map[string][2]*Page{
		"a counter fell":    {next, prev},
		"a histogram fell":  {page(t, fmt.Sprintf(histogram, 7, 7, 7)), page(t, fmt.Sprintf(histogram, 1, 1, 1))},
		"only the CPU fell": {page(t, "process_cpu_seconds_total 9\n"), page(t, "process_cpu_seconds_total 1\n")},
	} {
		r := Rates(pair[0], pair[1], 10*time.Second)
		if !r.Restarted || r.TTFT != nil {
			t.Errorf("%s: got %+v, want a restart", name, r)
		}
		lacks(t, name, r.OutputTokens, recommender.Unobserved)
	}
	lacks(t, "no time in between", Rates(prev, next, 0).OutputTokens, recommender.Unobserved)
	lacks(t, "no cpu", Rates(page(t, ""), page(t, ""), time.Second).CPU, recommender.Absent)
}

func TestReadHeld(t *testing.T) {
	held, err := ReadHeld(strings.NewReader(
		"interceptor_request_concurrency{route_name=\"chat\",route_namespace=\"ns\"} 31\n"+
			"kn_revision_request_queued{kn_revision_name=\"chat-00003\"} 7\n"), "page")
	if err != nil || len(held) != 2 {
		t.Fatalf("got %v, %v, want two", held, err)
	}
	if held[0].Preset != HeldKEDA || !held[0].Proxied || held[0].Value != 31 || held[0].Labels.Get("route_name") != "chat" {
		t.Errorf("got %+v", held[0])
	}
	if held[1].Preset != HeldKnative || held[1].Proxied || held[1].Value != 7 {
		t.Errorf("got %+v", held[1])
	}
	for _, text := range []string{"m 1\n", "{"} {
		if held, err := ReadHeld(strings.NewReader(text), "page"); err == nil {
			t.Errorf("%q: got %v, want an error", text, held)
		}
	}
}

func FuzzReadPage(f *testing.F) {
	for _, seed := range []string{
		"vllm:num_requests_running 3\n", "m{a=\"x\\\\y\\\"z\\nw\"} NaN 5\n", "m{a=\"1,2}\",b=\"{\\\"\"} 4", "{oops} 1", "m 1 2 3", "m{", "m{a=\"",
		"sglang:num_queue_reqs{priority=\"\"} +Inf\nsglang:num_queue_reqs{priority=\"1\"} -1\n# EOF", "vllm:time_to_first_token_seconds_bucket{le=\"x\"} 1e300\nvllm:num_requests_waiting 1e309",
		"# EOF\n", "a 1 # {b=\"c\"} 1\n# EOF",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		page, err := ReadPage(strings.NewReader(text), "page")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "page:") {
				t.Errorf("got %v, want where", err)
			}
			return
		}
		for _, q := range []recommender.Quantity{page.Running, page.Waiting, page.KVCacheUsage, page.OutputTokens} {
			if q.Known() && !(q.Value >= 0 && q.Value <= math.MaxFloat64) {
				t.Errorf("got %v as a value", q.Value)
			}
		}
		Rates(page, page, time.Second)
		page.TTFT.Quantile(0.95)
	})
}
