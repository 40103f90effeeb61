package recommender

import (
	"testing"
	"time"
)

func TestASumIsAsGoodAsItsParts(t *testing.T) {
	at := func(v float64, age time.Duration) Quantity { return Exactly(v, start.Add(-age), 2) }
	bound := func(q Quantity) Quantity { q.LowerBound = true; return q }
	for name, c := range map[string]struct{ a, b, want Quantity }{
		"two numbers, as old as the older": {at(1, time.Second), at(2, time.Minute), at(3, time.Minute)},
		"a number without a time":          {at(1, time.Second), Exactly(2, time.Time{}, 0), at(3, time.Second)},
		"a lower bound and a number":       {bound(at(1, 0)), at(2, 0), bound(at(3, 0))},
		"a number and a lower bound":       {at(1, 0), bound(at(2, 0)), bound(at(3, 0))},
		"the first is missing":             {Missing(Failed), at(2, 0), bound(at(2, 0))},
		"the second is missing":            {at(1, 0), Missing(Stale), bound(at(1, 0))},
		"both are missing":                 {Missing(Stale), Missing(Failed), Missing(Stale)},
		"more than there can be":           {at(1.7e308, 0), at(1.7e308, 0), Quantity{At: start, Evidence: Invalid}},
	} {
		if got := c.a.plus(c.b); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// Pods are silent when there are none to speak, or none that could have work.
func TestSilence(t *testing.T) {
	n := func(v float64) Quantity { return Exactly(v, start, 0) }
	bound := func(q Quantity) Quantity { q.LowerBound = true; return q }
	loading := Observation{Current: n(2), Ready: n(0), Held: n(1)}
	for name, c := range map[string]struct {
		change func(*Observation)
		want   bool
	}{
		"none is ready and nothing was heard":         {func(*Observation) {}, true},
		"there are none":                              {func(o *Observation) { o.Current, o.Ready, o.Held = n(0), Missing(Absent), Missing(Absent) }, true},
		"no series ever matched":                      {func(o *Observation) { o.Running, o.Waiting = Missing(NeverMatched), Missing(NeverMatched) }, true},
		"running was heard":                           {func(o *Observation) { o.Running = n(0) }, false},
		"waiting was heard":                           {func(o *Observation) { o.Waiting = n(0) }, false},
		"running was not answered":                    {func(o *Observation) { o.Running = Missing(Failed) }, false},
		"waiting is old":                              {func(o *Observation) { o.Waiting = Missing(Stale) }, false},
		"one is ready":                                {func(o *Observation) { o.Ready = n(1) }, false},
		"one is ready and none should be":             {func(o *Observation) { o.Current, o.Ready = n(0), n(1) }, false},
		"how many are ready is not known":             {func(o *Observation) { o.Ready = Missing(Absent) }, false},
		"how many are ready is known in part":         {func(o *Observation) { o.Ready = bound(n(0)) }, false},
		"what is held is not known":                   {func(o *Observation) { o.Held = Missing(Failed) }, false},
		"what is held is known in part":               {func(o *Observation) { o.Held = bound(n(1)) }, false},
		"what is held is not a number":                {func(o *Observation) { o.Held = Quantity{Value: -1, Evidence: Known} }, false},
		"how many there should be is not known":       {func(o *Observation) { o.Current = Missing(Failed) }, false},
		"there are none, held requests or not":        {func(o *Observation) { o.Current, o.Held = n(0), Missing(Failed) }, true},
		"some are loading, but how many is not known": {func(o *Observation) { o.Current = Missing(Stale) }, false},
	} {
		o := loading
		c.change(&o)
		if got := o.silent(&Policy{Held: true}); got != c.want {
			t.Errorf("%s: got silent %v, want %v", name, got, c.want)
		}
	}
	if loading.silent(&Policy{}) {
		t.Error("without a source of held requests: got silent, want not")
	}
}

// What a signal of the pods is worth in cases between zero and a number.
func TestQuantitiesOfPodsThatSayLittle(t *testing.T) {
	n := func(v float64) Quantity { return Exactly(v, start, 0) }
	bound := func(q Quantity) Quantity { q.LowerBound = true; return q }
	p := Policy{MaxNumSeqs: 4}
	none := Observation{Current: n(0)}
	for m, want := range map[Metric]Evidence{
		Queue: Known, Running: Known, Waiting: Known, OutputTokens: Known, PromptTokens: Known,
		KVCacheUsage: Unobserved, BatchFill: Unobserved, TTFT: Unobserved, CPU: Unobserved, Query: Absent,
	} {
		if q := none.Quantity(&p, &Signal{Metric: m}); q.Evidence != want || q.Value != 0 || q.LowerBound {
			t.Errorf("without replicas, %s: got %+v, want %s", m, q, want)
		}
	}
	heard := Observation{Current: n(2), Ready: n(2), Reporting: n(2), Running: n(6)}
	if q := heard.Quantity(&p, &Signal{Metric: Running}); !q.Complete() {
		t.Errorf("all were heard: got %+v, want it complete", q)
	}
	heard.Ready = bound(heard.Ready)
	if q := heard.Quantity(&p, &Signal{Metric: Running}); !q.LowerBound {
		t.Errorf("more may be ready: got %+v, want a lower bound", q)
	}
	if q := heard.BatchFill(4); q.Evidence != Unobserved {
		t.Errorf("the batch fill of no replica: got %+v, want %s", q, Unobserved)
	}
	heard.Running.Replicas = 2
	if q := heard.BatchFill(4); !q.Known() || q.Value != 0.75 {
		t.Errorf("6 requests on 2 replicas of 4 slots: got %+v, want 0.75", q)
	}
}
