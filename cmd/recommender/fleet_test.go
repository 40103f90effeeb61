package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// A reading is the text of one page at the two runs; an empty one was not there.
type reading struct{ before, after string }

// observed reads pages twice, ten seconds apart, with the counters kept in between.
func observed(t *testing.T, p *recommender.Policy, readings []reading) recommender.Observation {
	t.Helper()
	var before, after []*promapi.Page
	for i, r := range readings {
		source := fmt.Sprintf("page-%d", i)
		before, after = appendPage(t, before, source, r.before), appendPage(t, after, source, r.after)
	}
	kept := newFleet(before, nil, aMonday, 4).snapshots
	o := newFleet(after, kept, aMonday.Add(10*time.Second), 4).observe(p)
	return o
}

func appendPage(t *testing.T, pages []*promapi.Page, source, text string) []*promapi.Page {
	t.Helper()
	if text == "" {
		return pages
	}
	page, err := promapi.ReadPage(strings.NewReader(text), source)
	if err != nil {
		t.Fatal(err)
	}
	return append(pages, page)
}

// vllmPage is a page with counters: CPU seconds, tokens, and requests up to 1 s and in all.
func vllmPage(cpu, tokens, fast, requests float64) string {
	return fmt.Sprintf(`vllm:num_requests_running 1
vllm:num_requests_waiting 2
process_cpu_seconds_total %g
vllm:generation_tokens_total %g
vllm:time_to_first_token_seconds_bucket{le="1"} %g
vllm:time_to_first_token_seconds_bucket{le="+Inf"} %g
`, cpu, tokens, fast, requests)
}

const (
	silentPage = "vllm:num_requests_running 0\nvllm:num_requests_waiting 0\n"
	llamaPage  = "llamacpp:requests_processing 1\nllamacpp:requests_deferred 0\n"
	kvPage     = "vllm:num_requests_running 0\nvllm:kv_cache_usage_perc %g\n"
)

func TestFleetAddsReplicasUp(t *testing.T) {
	quiet := vllmPage(100, 1000, 0, 0)
	tests := map[string]struct {
		readings []reading
		of       func(*recommender.Observation) recommender.Quantity
		want     string
	}{
		"tokens of all replicas add up": {
			[]reading{{quiet, vllmPage(112, 1600, 0, 0)}, {quiet, vllmPage(106, 1300, 0, 0)}},
			func(o *recommender.Observation) recommender.Quantity { return o.OutputTokens }, "90 of 2",
		},
		"CPU is the mean percent of the request": {
			[]reading{{quiet, vllmPage(112, 1600, 0, 0)}, {quiet, vllmPage(106, 1300, 0, 0)}},
			func(o *recommender.Observation) recommender.Quantity { return o.CPU }, "22.5 of 2",
		},
		"a replica without CPU has no vote": {
			[]reading{{quiet, vllmPage(112, 1600, 0, 0)}, {silentPage, silentPage}},
			func(o *recommender.Observation) recommender.Quantity { return o.CPU }, "30 of 1",
		},
		"a restart is no rate, and the sum a lower bound": {
			[]reading{{quiet, vllmPage(1, 10, 0, 0)}, {quiet, vllmPage(106, 1300, 0, 0)}},
			func(o *recommender.Observation) recommender.Quantity { return o.OutputTokens }, "at least 30 of 1",
		},
		"a restart alone has nothing to measure": {
			[]reading{{quiet, vllmPage(1, 10, 0, 0)}},
			func(o *recommender.Observation) recommender.Quantity { return o.OutputTokens }, "unobserved",
		},
		"a replica that is new makes the sum a lower bound": {
			[]reading{{quiet, vllmPage(112, 1600, 0, 0)}, {"", quiet}},
			func(o *recommender.Observation) recommender.Quantity { return o.OutputTokens }, "at least 60 of 1",
		},
		"the first run knows no rate": {
			[]reading{{"", quiet}},
			func(o *recommender.Observation) recommender.Quantity { return o.OutputTokens }, "absent",
		},
		"another engine behind the same source has no rate": {
			[]reading{{llamaPage, quiet}},
			func(o *recommender.Observation) recommender.Quantity { return o.OutputTokens }, "absent",
		},
		"requests of all replicas make one percentile": {
			[]reading{{quiet, vllmPage(112, 1600, 10, 10)}, {quiet, vllmPage(106, 1300, 30, 30)}},
			firstTTFT, "0.5 of 2",
		},
		"a percentile above the last bound is at least that": {
			[]reading{{quiet, vllmPage(112, 1600, 0, 100)}},
			firstTTFT, "at least 1 of 1",
		},
		"no request is nothing to measure": {
			[]reading{{vllmPage(100, 1000, 10, 10), vllmPage(112, 1600, 10, 10)}},
			firstTTFT, "unobserved",
		},
		"four requests are too few for a percentile": {
			[]reading{{quiet, vllmPage(112, 1600, 4, 4)}},
			firstTTFT, "unobserved",
		},
		"an engine without the histogram cannot be measured": {
			[]reading{{llamaPage, llamaPage}},
			firstTTFT, "absent",
		},
		"a replica that restarted has no vote on the percentile": {
			[]reading{{quiet, vllmPage(1, 10, 40, 40)}, {quiet, vllmPage(106, 1300, 30, 30)}},
			firstTTFT, "0.5 of 1",
		},
		"requests before a restart do not count again": {
			[]reading{{vllmPage(100, 1000, 90, 100), vllmPage(1, 10, 40, 40)}},
			firstTTFT, "unobserved",
		},
		"a cache is the mean of those that say": {
			[]reading{{"", fmt.Sprintf(kvPage, 0.6)}, {"", fmt.Sprintf(kvPage, 0.2)}, {"", llamaPage}},
			func(o *recommender.Observation) recommender.Quantity { return o.KVCacheUsage }, "0.4 of 2",
		},
		"the fullest cache is kept too": {
			[]reading{{"", fmt.Sprintf(kvPage, 0.6)}, {"", fmt.Sprintf(kvPage, 0.2)}},
			func(o *recommender.Observation) recommender.Quantity { return o.KVCacheUsageMax }, "0.6 of 2",
		},
		"a cache that is no fraction makes the rest a lower bound": {
			[]reading{{"", fmt.Sprintf(kvPage, 0.6)}, {"", fmt.Sprintf(kvPage, 45.0)}},
			func(o *recommender.Observation) recommender.Quantity { return o.KVCacheUsage }, "at least 0.6 of 1",
		},
		"a queue that is no number is not zero": {
			[]reading{{"", "vllm:num_requests_running NaN\n"}},
			func(o *recommender.Observation) recommender.Quantity { return o.Running }, "invalid",
		},
	}
	p := &recommender.Policy{Signals: []recommender.Signal{{Metric: recommender.TTFT, Target: 1, Percentile: 0.5}}}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := observed(t, p, test.readings)
			if got := words(test.of(&o)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func firstTTFT(o *recommender.Observation) recommender.Quantity { return o.TTFT[0].Quantity }

func words(q recommender.Quantity) string {
	switch {
	case !q.Known():
		return q.Evidence.String()
	case q.LowerBound:
		return fmt.Sprintf("at least %.4g of %d", q.Value, q.Replicas)
	default:
		return fmt.Sprintf("%.4g of %d", q.Value, q.Replicas)
	}
}

func TestTheSameSourceTwiceHasTwoMemories(t *testing.T) {
	var pages []*promapi.Page
	pages = appendPage(t, pages, "page", vllmPage(1, 10, 0, 0))
	pages = appendPage(t, pages, "page", vllmPage(2, 20, 0, 0))
	kept := newFleet(pages, nil, aMonday, 0).snapshots
	if len(kept) != 2 || *kept["page"].OutputTokens != 10 || *kept["page#2"].OutputTokens != 20 {
		t.Errorf("got %v, want one snapshot for each page", kept)
	}
}
