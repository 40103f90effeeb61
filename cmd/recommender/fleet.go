package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// readAll reads the pages of all sources at the same time. What could be read is in the
// order of the sources, and so are the errors.
func (f *fetchFlags) readAll(ctx context.Context, sources []string) ([]*promapi.Page, []error) {
	pages, errs := make([]*promapi.Page, len(sources)), make([]error, len(sources))
	var wait sync.WaitGroup
	for i, source := range sources {
		wait.Go(func() {
			text, err := f.read(ctx, source)
			if err != nil {
				errs[i] = err
				return
			}
			pages[i], errs[i] = promapi.ReadPage(bytes.NewReader(text), place(source))
		})
	}
	wait.Wait()
	return slices.DeleteFunc(pages, func(p *promapi.Page) bool { return p == nil }),
		slices.DeleteFunc(errs, func(err error) bool { return err == nil })
}

// A snapshot is the counters of a page and when they were read. What is unknown is nil.
type snapshot struct {
	Time         time.Time          `json:"time"`
	Engine       string             `json:"engine"`
	PromptTokens *float64           `json:"prompt_tokens,omitempty"`
	OutputTokens *float64           `json:"output_tokens,omitempty"`
	Completions  *float64           `json:"completions,omitempty"`
	CPUSeconds   *float64           `json:"cpu_seconds,omitempty"`
	TTFT         map[string]float64 `json:"ttft,omitempty"` // by the bound of the bucket
}

func newSnapshot(p *promapi.Page, at time.Time) snapshot {
	s := snapshot{
		Time: at, Engine: p.Engine, PromptTokens: known(p.PromptTokens), OutputTokens: known(p.OutputTokens),
		Completions: known(p.Completions), CPUSeconds: known(p.CPU), TTFT: map[string]float64{},
	}
	for _, b := range p.TTFT {
		if math.IsNaN(b.Count) || math.IsInf(b.Count, 0) {
			continue // JSON has no such numbers, and no count is one
		}
		s.TTFT[strconv.FormatFloat(b.Bound, 'g', -1, 64)] = b.Count
	}
	return s
}

// page is the part of a page that s has kept.
func (s *snapshot) page() *promapi.Page {
	counts := map[float64]float64{}
	for bound, count := range s.TTFT {
		if v, err := strconv.ParseFloat(bound, 64); err == nil {
			counts[v] = count
		}
	}
	return &promapi.Page{
		Engine: s.Engine, PromptTokens: counter(s.PromptTokens), OutputTokens: counter(s.OutputTokens),
		Completions: counter(s.Completions), CPU: counter(s.CPUSeconds), TTFT: histogram(counts),
	}
}

func known(q recommender.Quantity) *float64 {
	if !q.Known() {
		return nil
	}
	return &q.Value
}

func counter(v *float64) recommender.Quantity {
	if v == nil {
		return recommender.Missing(recommender.Absent)
	}
	return recommender.Exactly(*v, time.Time{}, 1)
}

func histogram(counts map[float64]float64) promapi.Buckets {
	var b promapi.Buckets
	for _, bound := range slices.Sorted(maps.Keys(counts)) {
		b = append(b, promapi.Bucket{Bound: bound, Count: counts[bound]})
	}
	return b
}

// A fleet is the replicas behind the pages of one run.
type fleet struct {
	now        time.Time
	cpuRequest float64 // cores of each, 0 if unknown
	pages      []*promapi.Page
	// rates are those since the previous run, nil for a page that was not there.
	rates []*promapi.PageRates
	// snapshots are for the next run.
	snapshots map[string]snapshot
}

// newFleet compares pages with those of the previous run.
func newFleet(pages []*promapi.Page, previous map[string]snapshot, now time.Time, cpuRequest float64) *fleet {
	f := &fleet{
		now: now, cpuRequest: cpuRequest, pages: pages,
		rates: make([]*promapi.PageRates, len(pages)), snapshots: map[string]snapshot{},
	}
	for i, p := range pages {
		key := p.Source
		for n := 2; f.snapshots[key].Engine != ""; n++ {
			key = fmt.Sprintf("%s#%d", p.Source, n)
		}
		f.snapshots[key] = newSnapshot(p, now)
		if last, ok := previous[key]; ok && last.Engine == p.Engine && now.After(last.Time) {
			f.rates[i] = new(promapi.Rates(last.page(), p, now.Sub(last.Time)))
		}
	}
	return f
}

// rate returns one of the rates of replica i.
func (f *fleet) rate(i int, which func(*promapi.PageRates) recommender.Quantity) recommender.Quantity {
	if f.rates[i] == nil {
		return recommender.Missing(recommender.Absent)
	}
	return which(f.rates[i])
}

func outputTokens(r *promapi.PageRates) recommender.Quantity { return r.OutputTokens }

// cpu returns the CPU of replica i in percent of its request.
func (f *fleet) cpu(i int) recommender.Quantity {
	q := f.rate(i, func(r *promapi.PageRates) recommender.Quantity { return r.CPU })
	if f.cpuRequest <= 0 {
		return recommender.Missing(recommender.Absent)
	}
	q.Value *= 100 / f.cpuRequest
	return q
}

// rows returns the table of the replicas.
func (f *fleet) rows() []row {
	rows := newRows(f.pages)
	for i := range rows {
		rows[i].OutputTokens, rows[i].CPU = known(f.rate(i, outputTokens)), known(f.cpu(i))
	}
	return rows
}

// observe adds the replicas up, as the queries of a Prometheus do.
func (f *fleet) observe(p *recommender.Policy) recommender.Observation {
	o := recommender.Observation{Time: f.now}
	o.Running = f.total(func(i int) recommender.Quantity { return f.pages[i].Running })
	o.Waiting = f.total(func(i int) recommender.Quantity { return f.pages[i].Waiting })
	o.KVCacheUsage, o.KVCacheUsageMax = f.mean(func(i int) recommender.Quantity { return f.pages[i].KVCacheUsage })
	o.OutputTokens = f.total(func(i int) recommender.Quantity { return f.rate(i, outputTokens) })
	o.PromptTokens = f.total(func(i int) recommender.Quantity {
		return f.rate(i, func(r *promapi.PageRates) recommender.Quantity { return r.PromptTokens })
	})
	o.Completions = f.total(func(i int) recommender.Quantity {
		return f.rate(i, func(r *promapi.PageRates) recommender.Quantity { return r.Completions })
	})
	o.CPU, _ = f.mean(f.cpu)
	for i := range p.Signals {
		if s := &p.Signals[i]; s.Metric == recommender.TTFT {
			o.TTFT = append(o.TTFT, recommender.Percentile{P: s.Percentile, Quantity: f.ttft(s.Percentile)})
		}
	}
	return o
}

// total adds a quantity up. It is a lower bound if some replicas do not say.
func (f *fleet) total(of func(i int) recommender.Quantity) recommender.Quantity {
	sum, silent := recommender.Exactly(0, f.now, 0), recommender.Missing(recommender.Absent)
	for i := range f.pages {
		q := of(i)
		if !q.Known() {
			silent.Evidence, sum.LowerBound = max(silent.Evidence, q.Evidence), true
			continue
		}
		sum.Value += q.Value
		sum.Replicas++
	}
	if sum.Replicas == 0 {
		return silent
	}
	return sum
}

// mean returns the mean and the largest of a quantity over the replicas that say.
func (f *fleet) mean(of func(i int) recommender.Quantity) (mean, largest recommender.Quantity) {
	silent := recommender.Missing(recommender.Absent)
	mean, largest = recommender.Exactly(0, f.now, 0), recommender.Exactly(0, f.now, 0)
	for i := range f.pages {
		q := of(i)
		if !q.Known() {
			silent.Evidence = max(silent.Evidence, q.Evidence)
			continue
		}
		mean.Value += q.Value
		mean.Replicas++
		largest.Value = max(largest.Value, q.Value)
	}
	if mean.Replicas == 0 {
		return silent, silent
	}
	mean.Value /= float64(mean.Replicas)
	mean.LowerBound = silent.Evidence == recommender.Invalid
	largest.Replicas, largest.LowerBound = mean.Replicas, mean.LowerBound
	return mean, largest
}

// ttft returns a percentile of the time to the first token over all requests since the
// previous run.
func (f *fleet) ttft(percentile float64) recommender.Quantity {
	counts, replicas := map[float64]float64{}, int32(0)
	silent := recommender.Missing(recommender.Absent)
	for i, r := range f.rates {
		if _, exports := promapi.EngineExports(f.pages[i].Engine); r == nil || !exports {
			continue
		}
		silent.Evidence = recommender.Unobserved
		if !r.Restarted {
			replicas++
		}
		for _, b := range r.TTFT {
			counts[b.Bound] += b.Count
		}
	}
	merged := histogram(counts)
	if !(merged.Total() >= promapi.FewRequests) {
		return silent
	}
	v, atLeast := merged.Quantile(percentile)
	q := recommender.Exactly(v, f.now, replicas)
	q.LowerBound = atLeast
	return q
}

// missing says why the signal is unknown where it is measured between two runs and
// these are not two, and where it needs the request of the pods.
func (f *fleet) missing(p *recommender.Policy, remembers bool) string {
	for i := range p.Signals {
		switch p.Signals[i].Metric {
		case recommender.TTFT, recommender.CPU, recommender.OutputTokens, recommender.PromptTokens:
		default:
			continue
		}
		id := p.Signals[i].ID()
		switch {
		case len(f.pages) == 0:
		case id == string(recommender.CPU) && f.cpuRequest <= 0:
			return id + " is unknown: it is in percent of what a pod asks for, add --cpu-request"
		case !remembers:
			return id + " is unknown: a rate needs two runs with --state FILE, which remembers the counters"
		case !slices.ContainsFunc(f.rates, func(r *promapi.PageRates) bool { return r != nil }):
			return id + " is unknown: a rate needs two runs with --state, and this was the first of these pages"
		}
	}
	return ""
}
