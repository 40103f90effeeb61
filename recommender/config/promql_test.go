package config

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

func TestCheckQueryOfCounters(t *testing.T) {
	tests := map[string]struct {
		query string
		level string // the counter that is used as a level
	}{
		"a bare counter":                   {"a_total", "a_total"},
		"a counter in a sum":               {`sum(vllm:request_success_total{pod=~"x.*"})`, "vllm:request_success_total"},
		"a counter by its name label":      {`sum({__name__="a_total"})`, "a_total"},
		"a count of a histogram":           {"a_count", "a_count"},
		"a sum over a count of all time":   {"a_sum / a_count", "a_sum"},
		"buckets of all time":              {"histogram_quantile(0.9, a_bucket)", "a_bucket"},
		"a level in a window":              {"max_over_time(a_total[5m])", "a_total"},
		"a level beside a rate":            {"rate(a_total[5m]) + b_total", "b_total"},
		"a level on the left of and":       {"a_total and b", "a_total"},
		"a level in a subquery":            {"max_over_time(a_total[5m:1m])", "a_total"},
		"a rate":                           {"sum(rate(a_total[5m]))", ""},
		"an increase of a count":           {"increase(a_count[5m])", ""},
		"a rate of a subquery":             {"rate(sum(a_total)[5m:1m])", ""},
		"a mean of two rates":              {"rate(a_sum[5m]) / rate(a_count[5m])", ""},
		"buckets of late":                  {"histogram_quantile(0.9, sum by (le) (rate(a_bucket[5m])))", ""},
		"the number of series":             {"count(a_total) + count by (x) (b_total)", ""},
		"whether it is there":              {"absent(a_total)", ""},
		"how old it is":                    {"time() - timestamp(a_total)", ""},
		"a filter":                         {"queue and on (pod) a_total", ""},
		"a filter that excludes":           {"queue unless on (pod) (a_total > 5)", ""},
		"a gauge":                          {"sum(vllm:num_requests_waiting)", ""},
		"a gauge that is named as a count": {"sum(interceptor_pending_request_count)", ""},
		"a recorded rate":                  {"namespace:requests_total:rate5m", ""},
		"any of several names":             {`sum({__name__=~"a_total|b"})`, ""}, // not known to be one
		"a number":                         {"7", ""},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			err := CheckQuery(tc.query)
			switch {
			case tc.level == "" && err != nil:
				t.Errorf("%s: got %v, want no error", tc.query, err)
			case tc.level != "" && (err == nil || !strings.HasPrefix(err.Error(), tc.level+" is a counter")):
				t.Errorf("%s: got %v, want that %s is a counter", tc.query, err, tc.level)
			}
		})
	}
}

func TestHeldQueryMustOutliveThePods(t *testing.T) {
	tests := map[string]struct {
		query string
		min   int32
		want  string // the metric that ends with the pods
	}{
		"what another program counts":         {"sum(kafka_consumergroup_lag)", 0, ""},
		"a metric of the router":              {"sum(rate(vllm:num_incoming_requests_total[1m]))", 0, ""},
		"a recorded rate":                     {"inference:requests:rate5m", 0, ""},
		"no name at all":                      {`sum({job="gateway"})`, 0, ""},
		"names of others":                     {`sum({__name__=~"gateway_.*"})`, 0, ""},
		"the pods' own, which are never gone": {"sum(vllm:num_requests_waiting)", 1, ""},
		"the pods' own":                       {"sum(vllm:num_requests_waiting)", 0, "vllm:num_requests_waiting"},
		"the pods' own by its name label":     {`sum({__name__="sglang:token_usage"})`, 0, "sglang:token_usage"},
		"beside what outlives them":           {"sum(lag) + sum(vllm:num_requests_running)", 0, "vllm:num_requests_running"},
		"an older name":                       {"max(vllm:gpu_cache_usage_perc)", 0, "vllm:gpu_cache_usage_perc"},
		"a part of a histogram":               {"rate(sglang_time_to_first_token_seconds_sum[5m])", 0, "sglang_time_to_first_token_seconds_sum"},
	}
	for name, tc := range tests {
		err := checkHeldQuery(tc.query, tc.min)
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: got %v, want no error", name, err)
		case tc.want != "" && (err == nil || !strings.HasPrefix(err.Error(), "cannot scale from zero: "+tc.want+" ")):
			t.Errorf("%s: got %v, want that %s ends with the pods", name, err, tc.want)
		}
	}
}

func TestOwnNames(t *testing.T) {
	for _, names := range sameQuantity {
		for engine, base := range names {
			for _, separator := range []string{":", "_"} {
				if name := engine + separator + base; !slices.Contains(ownNames(), name) {
					t.Errorf("got no %s among the metrics of engines", name)
				}
			}
		}
	}
	for _, name := range ownNames() {
		if !strings.Contains(name, "vllm") && !strings.HasPrefix(name, "sglang") && !strings.HasPrefix(name, "llamacpp") {
			t.Errorf("got %q, want names of engines", name)
		}
	}
}

func TestMeantName(t *testing.T) {
	tests := map[string]string{
		"sglang:num_requests_running":       "sglang:num_running_reqs",
		"sglang_num_requests_waiting":       "sglang_num_queue_reqs",
		"vllm:num_running_reqs":             "vllm:num_requests_running",
		"vllm:num_request_waiting":          "vllm:num_requests_waiting",
		"vllm:token_usage":                  "vllm:kv_cache_usage_perc",
		"llamacpp:requests_waiting":         "", // nobody's name: perhaps a new one
		"llamacpp:num_requests_waiting":     "llamacpp:requests_deferred",
		"llamacpp:generation_tokens_total":  "llamacpp:tokens_predicted_total",
		"vllm:gpu_cache_usage_perc":         "",
		"my_vllm:num_running_reqs":          "",
		"vllm:num_requests_running_elsehow": "",
	}
	for name, want := range tests {
		if got, ok := meantName(name); ok != (want != "") || ok && got != want {
			t.Errorf("%s: got %q (%v), want %q", name, got, ok, want)
		}
	}
}

func TestNamesThatEnginesExportAreAccepted(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "engine_names.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	count := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name := lines.Text(); !strings.HasPrefix(name, "#") {
			count++
			if meant, ok := meantName(name); ok {
				t.Errorf("%s: got %s as meant, want that it exists", name, meant)
			}
		}
	}
	if count < 100 {
		t.Errorf("got %d names, want over 100", count)
	}
}

// TestMeantNamesAreThoseThatAreRead keeps the names of this package the same as
// those that the queries ask for.
func TestMeantNamesAreThoseThatAreRead(t *testing.T) {
	var signals []recommender.Signal
	for _, m := range recommender.Metrics {
		if m != recommender.Query {
			signals = append(signals, recommender.Signal{Metric: m, Target: 1, Percentile: 0.9})
		}
	}
	plan, err := promapi.NewPlan([]promapi.Workload{{
		Namespace: "a", Name: "b", Policy: &recommender.Policy{Signals: signals, MaxNumSeqs: 1},
	}}, promapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, q := range plan.Queries {
		text.WriteString(q.Text)
	}
	for _, names := range sameQuantity {
		for engine, name := range names {
			if full := engine + ":" + name; !strings.Contains(text.String(), full) {
				t.Errorf("got no query that reads %s", full)
			}
		}
	}
}
