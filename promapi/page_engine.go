package promapi

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/infscale/infscale/recommender"
)

// A Page is what one /metrics page says of one replica.
type Page struct {
	// Source is the file or URL that the page came from.
	Source string
	// Engine is the profile whose queue is on the page.
	Engine string
	// Running, Waiting and KVCacheUsage are levels. The engine may have no KVCacheUsage.
	Running, Waiting, KVCacheUsage recommender.Quantity
	// Counters since the replica started.
	PromptTokens, OutputTokens, Completions recommender.Quantity
	// CPU is in seconds since the process started.
	CPU recommender.Quantity
	// TTFT counts requests by the time to their first token, in seconds; empty if the
	// engine does not say, or had no request.
	TTFT Buckets
}

// ReadPage reads the page of an engine, in the Prometheus text format or OpenMetrics. A
// page with no queue of a known engine is an error.
func ReadPage(r io.Reader, source string) (*Page, error) {
	samples, err := readSamples(r, source)
	if err != nil {
		return nil, err
	}
	byName := map[string][]sample{}
	for _, s := range samples {
		byName[s.name] = append(byName[s.name], s)
	}
	for e := range profiles {
		p := &profiles[e]
		if _, ok := p.read(byName, running); ok {
			return p.page(byName, source), nil
		}
		if _, ok := p.read(byName, waiting); ok {
			return p.page(byName, source), nil
		}
	}
	var hints []string
	for e := range profiles {
		hints = append(hints, profiles[e].hint)
	}
	return nil, fmt.Errorf("%s: no queue of a known engine on the page (%s); %s",
		source, strings.Join(Engines(), ", "), strings.Join(hints, ", "))
}

// page reads all measures of the profile. A counter or queue that is not on the page
// yet is zero, because the engine is there.
func (p *profile) page(byName map[string][]sample, source string) *Page {
	page := &Page{Source: source, Engine: p.name}
	quantity := func(m measure) recommender.Quantity {
		v, ok := p.read(byName, m)
		if !ok && (measured[m].max || len(p.names[m]) == 0) {
			return recommender.Missing(recommender.Absent)
		}
		return recommender.Exactly(v, time.Time{}, 1)
	}
	page.Running, page.Waiting, page.KVCacheUsage = quantity(running), quantity(waiting), quantity(kvCacheUsage)
	page.PromptTokens, page.OutputTokens, page.Completions = quantity(promptTokens), quantity(outputTokens), quantity(completions)
	if page.KVCacheUsage.Value > 1.01 {
		page.KVCacheUsage = recommender.Missing(recommender.Invalid)
	}
	if cpu, ok := reduce(byName["process_cpu_seconds_total"], false); ok {
		page.CPU = recommender.Exactly(cpu, time.Time{}, 1)
	}
	page.TTFT = p.buckets(byName)
	return page
}

// read returns a measure from the first of its aliases that is on the page.
func (p *profile) read(byName map[string][]sample, m measure) (float64, bool) {
	for _, alias := range p.aliases(m) {
		if v, ok := reduce(p.mine(byName[alias], m), measured[m].max); ok {
			return v, true
		}
	}
	return 0, false
}

// mine leaves out series of the same name from another program, and parts of a total
// that is there too.
func (p *profile) mine(samples []sample, m measure) []sample {
	if measured[m].kind != gauge {
		return samples
	}
	if p.own != nil {
		samples = slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return !p.own.Matches(s.labels.Get(p.own.Name)) })
	}
	isPart := func(s sample) bool { return s.labels.Get(p.total) != "" }
	if p.total != "" && !slices.ContainsFunc(samples, func(s sample) bool { return !isPart(s) }) {
		return samples
	}
	if p.total != "" {
		samples = slices.DeleteFunc(slices.Clone(samples), isPart)
	}
	return samples
}

// reduce merges twins and then takes the sum of the series, or the largest.
func reduce(samples []sample, largest bool) (float64, bool) {
	merged := map[string]float64{}
	for _, s := range samples {
		key := untwinned(s.labels)
		if v, ok := merged[key]; !ok || math.IsNaN(v) || s.value > v {
			merged[key] = s.value
		}
	}
	total, first := 0.0, true
	for _, v := range merged {
		switch {
		case first:
			total, first = v, false
		case !largest:
			total += v
		case math.IsNaN(total) || v > total:
			total = v
		}
	}
	return total, !first
}

// untwinned writes labels without those in which twins differ.
func untwinned(ls Labels) string {
	var b strings.Builder
	for _, l := range ls {
		if !slices.Contains(twins, l.Name) {
			b.WriteString(l.Name + "\xff" + l.Value + "\xff")
		}
	}
	return b.String()
}

// buckets adds up the histogram over everything but its bounds.
func (p *profile) buckets(byName map[string][]sample) Buckets {
	for _, alias := range p.aliases(ttft) {
		var b Buckets
		for _, s := range byName[alias+"_bucket"] {
			if bound, err := strconv.ParseFloat(s.labels.Get(boundLabel), 64); err == nil {
				b.add(bound, s.value)
			}
		}
		if len(b) > 0 {
			return b
		}
	}
	return nil
}

// PageRates are what two pages of one replica say of the time between them.
type PageRates struct {
	// Tokens and requests per second, and CPU in cores.
	PromptTokens, OutputTokens, Completions, CPU recommender.Quantity
	// TTFT counts the requests in between by the time to their first token.
	TTFT Buckets
	// Restarted says that a counter fell: there are no rates over a restart.
	Restarted bool
}

// Rates returns what happened between two pages of a replica, dt apart.
func Rates(prev, next *Page, dt time.Duration) PageRates {
	pairs := [...][2]recommender.Quantity{
		{prev.PromptTokens, next.PromptTokens},
		{prev.OutputTokens, next.OutputTokens},
		{prev.Completions, next.Completions},
		{prev.CPU, next.CPU},
	}
	var r PageRates
	for _, pair := range pairs {
		r.Restarted = r.Restarted || (pair[0].Known() && pair[1].Known() && pair[1].Value < pair[0].Value)
	}
	r.Restarted = r.Restarted || next.TTFT.Total() < prev.TTFT.Total()
	var rates [len(pairs)]recommender.Quantity
	for i, pair := range pairs {
		rates[i] = pageRate(pair[0], pair[1], dt, r.Restarted)
	}
	r.PromptTokens, r.OutputTokens, r.Completions, r.CPU = rates[0], rates[1], rates[2], rates[3]
	if !r.Restarted {
		r.TTFT = next.TTFT.since(prev.TTFT)
	}
	return r
}

func pageRate(prev, next recommender.Quantity, dt time.Duration, restarted bool) recommender.Quantity {
	switch {
	case !prev.Known() || !next.Known():
		return recommender.Missing(min(prev.Evidence, next.Evidence))
	case restarted || dt <= 0:
		return recommender.Missing(recommender.Unobserved)
	default:
		return recommender.Exactly((next.Value-prev.Value)/dt.Seconds(), time.Time{}, 1)
	}
}

// since returns what was observed after earlier.
func (b Buckets) since(earlier Buckets) Buckets {
	var diff Buckets
	for _, x := range b {
		diff.add(x.Bound, x.Count)
	}
	for _, x := range earlier {
		diff.add(x.Bound, -x.Count)
	}
	return diff
}

// HeldRequests are the requests that one series of a gateway's page counts.
type HeldRequests struct {
	// Preset that the series belongs to.
	Preset string
	// Labels say whose requests they are.
	Labels Labels
	Value  float64
	// Proxied says that requests on their way through are counted too.
	Proxied bool
}

// ReadHeld reads the requests in front of the pods from the page of a gateway: the
// interceptor of the KEDA add-on for HTTP, or the activator of Knative.
func ReadHeld(r io.Reader, source string) ([]HeldRequests, error) {
	samples, err := readSamples(r, source)
	if err != nil {
		return nil, err
	}
	var held []HeldRequests
	for _, preset := range []string{HeldKEDA, HeldKnative} {
		for i := range heldPresets[preset] {
			h := &heldPresets[preset][i]
			for _, s := range samples {
				if s.name == h.name {
					held = append(held, HeldRequests{Preset: preset, Labels: s.labels, Value: s.value, Proxied: h.proxied})
				}
			}
		}
	}
	if len(held) == 0 {
		return nil, fmt.Errorf("%s: no held requests of a known gateway on the page (%s, %s)", source, HeldKEDA, HeldKnative)
	}
	return held, nil
}
