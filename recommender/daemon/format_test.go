package daemon

import (
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second:                          "0 s", // clocks differ
		12*time.Second + 900*time.Millisecond: "12 s",
		time.Minute:                           "1 min 0 s",
		59*time.Minute + 59*time.Second:       "59 min 59 s",
		3*time.Hour + 5*time.Minute:           "3 h 5 min",
		49 * time.Hour:                        "2 d 1 h",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%s): got %q, want %q", d, got, want)
		}
	}
}

func TestAmount(t *testing.T) {
	for name, test := range map[string]struct {
		quantity observed
		label    string
		amount   string
	}{
		"a fraction":         {newObserved("kv_cache_usage", recommender.Exactly(0.375, epoch, 2)), "KV cache, mean", "38 %"},
		"a percentile":       {observed{Quantity: "ttft", Percentile: 0.95, Value: new(1.5)}, "Time to first token, p95", "1.5 s"},
		"a rate":             {newObserved("arrivals", recommender.Exactly(2.25, epoch, 2)), "Requests arriving", "2.25 /s"},
		"a high rate":        {newObserved("output_tokens", recommender.Exactly(1882.042, epoch, 2)), "Output tokens", "1882 /s"},
		"CPU":                {newObserved("cpu", recommender.Exactly(40, epoch, 2)), "CPU of the request", "40 %"},
		"a custom query":     {newObserved("tickets", recommender.Exactly(1.5e12, epoch, 2)), "tickets", "1.5e+12"},
		"what is missing":    {newObserved("running", recommender.Missing(recommender.Stale)), "Requests running", "stale"},
		"an impossible one":  {newObserved("running", recommender.Quantity{Value: -1, Evidence: recommender.Known}), "Requests running", "invalid"},
		"a huge number":      {newObserved("tickets", recommender.Exactly(1e300, epoch, 2)), "tickets", "1e+300"},
		"a huge fraction":    {newObserved("batch_fill", recommender.Exactly(1e300, epoch, 2)), "Batch fill", "1e+302 %"},
		"a huge rate":        {newObserved("arrivals", recommender.Exactly(1e300, epoch, 2)), "Requests arriving", "1e+300 /s"},
		"a huge time":        {observed{Quantity: "ttft", Value: new(1e300)}, "Time to first token", "1e+300 s"},
		"only a lower bound": {newObserved("running", recommender.Quantity{Value: 3, Evidence: recommender.Known, LowerBound: true}), "Requests running", "at least 3"},
	} {
		if got := amount(&test.quantity); got != test.amount {
			t.Errorf("%s: got %q, want %q", name, got, test.amount)
		}
		if got := label(&test.quantity); got != test.label {
			t.Errorf("%s: got the label %q, want %q", name, got, test.label)
		}
	}
}

func TestScale(t *testing.T) {
	v := &view{}
	v.Min, v.Max, v.Current, v.Desired = 1, 10, new(int32(20)), new(int32(5))
	if got, want := newScale(v), (scale{Min: 5, Max: 50, Current: 100, Desired: 25, HasCurrent: true, HasDesired: true}); got != want {
		t.Errorf("got %v, want %v: more replicas than the maximum fit on the line", got, want)
	}
	if got, want := newScale(&view{}), (scale{}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestMove(t *testing.T) {
	for want, n := range map[string][2]*int32{
		up: {new(int32(3)), new(int32(4))}, down: {new(int32(3)), new(int32(0))}, "": {nil, new(int32(4))},
	} {
		v := &view{}
		v.Current, v.Desired = n[0], n[1]
		if got := move(v); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestObservedListsWhatThePolicyNeeds(t *testing.T) {
	p := asksPolicy()
	names := func(o recommender.Observation) map[string]int {
		w := export.Undecided("inference", "chat", "Deployment", p)
		w.Observation = o
		count := map[string]int{}
		for _, q := range quantities(&w) {
			count[q.Quantity]++
		}
		return count
	}
	few := names(recommender.Observation{})
	for _, absent := range []string{"held", "batch_fill", "slo_miss", "cpu", "ttft", "tickets"} {
		if few[absent] != 0 {
			t.Errorf("%s is listed and nothing needs it", absent)
		}
	}
	p.Held, p.MaxNumSeqs, p.SLO.TTFT = true, 64, 2*time.Second
	is := recommender.Exactly(1, epoch, 1)
	many := names(recommender.Observation{
		CPU: is, TTFT: []recommender.Percentile{{P: 0.5, Quantity: is}, {P: 0.95, Quantity: is}},
		Queries: []recommender.Answer{{Name: "tickets", Quantity: is}},
	})
	for name, want := range map[string]int{"held": 1, "batch_fill": 1, "slo_miss": 1, "slo_bound": 1, "cpu": 1, "ttft": 2, "tickets": 1} {
		if many[name] != want {
			t.Errorf("%s is listed %d times, want %d", name, many[name], want)
		}
	}
}
