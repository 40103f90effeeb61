package sim

import (
	"math"
	"slices"
	"time"

	"github.com/infscale/infscale/recommender"
)

// A scrape is what Prometheus would know of a fleet after reading it once: gauges and
// counters.
type scrape struct {
	at                                 float64
	current, ready                     int
	running, waiting, held             float64
	usage, usageMax, cpu               float64
	arrived, served, prompts, outputs  float64
	ttft                               ttftWindow
	starting, draining, pending, exist int
}

// scrape reads the fleet at time t, to which it was advanced.
func (f *Fleet) scrape(t float64, r *Replica) scrape {
	s := scrape{
		at: t, current: f.Current(), ready: len(f.ready), held: float64(f.held.len()),
		arrived: float64(f.arrived), served: float64(f.tally.served),
		prompts: f.gonePrompted, outputs: f.goneGenerated, ttft: f.tally.times.latest,
		starting: len(f.starting), draining: len(f.draining), pending: f.pending, exist: f.exist(),
	}
	for _, v := range f.ready {
		s.running += float64(v.running())
		s.waiting += float64(v.waiting())
		s.usage += v.usage()
		s.usageMax = max(s.usageMax, v.usage())
		s.cpu += r.CPUPercent(float64(v.running()))
		s.prompts += v.prompted
		s.outputs += v.generated
	}
	for _, v := range f.draining {
		s.prompts += v.prompted
		s.outputs += v.generated
	}
	if n := float64(s.ready); n > 0 {
		s.usage /= n
		s.cpu /= n
	}
	return s
}

// scrapes are the latest reads, the oldest first, as far back as any window reaches.
type scrapes []scrape

// add adds a read and forgets those that no window needs any more.
func (l *scrapes) add(s scrape, reach float64) {
	list := append(*l, s)
	old := 0
	for old < len(list)-2 && list[old+1].at <= s.at-reach {
		old++
	}
	*l = slices.Delete(list, 0, old)
}

// asOf returns the newest read at or before t, and its place; nil if there is none.
func (l scrapes) asOf(t float64) (*scrape, int) {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i].at <= t {
			return &l[i], i
		}
	}
	return nil, -1
}

// before returns the oldest read that is within a window of the one at place i.
func (l scrapes) before(i int, window float64) *scrape {
	first := i
	for first > 0 && l[first-1].at >= l[i].at-window {
		first--
	}
	return &l[first]
}

// A lens turns reads into observations.
type lens struct {
	start                     time.Time
	objective                 float64
	rateWindow, latencyWindow float64
	percentiles               []float64
}

// observe returns what is known at time t from reads that are at least age old.
func (v *lens) observe(l scrapes, t, age float64) recommender.Observation {
	o := recommender.Observation{Time: v.instant(t)}
	s, i := l.asOf(t - age)
	if s == nil {
		return o
	}
	at, n := v.instant(s.at), int32(s.ready)
	exactly := func(x float64) recommender.Quantity { return recommender.Exactly(x, at, n) }
	o.Current, o.Ready, o.Reporting = exactly(float64(s.current)), exactly(float64(s.ready)), exactly(float64(s.ready))
	o.Held = exactly(s.held)
	if s.ready > 0 {
		o.Running, o.Waiting = exactly(s.running), exactly(s.waiting)
		o.KVCacheUsage, o.KVCacheUsageMax, o.CPU = exactly(s.usage), exactly(s.usageMax), exactly(s.cpu)
	}
	v.rates(&o, s, l.before(i, v.rateWindow), at)
	v.latency(&o, s, l.before(i, v.latencyWindow), at)
	return o
}

// rates fills in what counters say.
func (v *lens) rates(o *recommender.Observation, s, earlier *scrape, at time.Time) {
	dt := s.at - earlier.at
	if dt <= 0 {
		return
	}
	rate := func(now, before float64) recommender.Quantity {
		return recommender.Exactly(max(now-before, 0)/dt, at, int32(s.ready))
	}
	o.Arrivals, o.Completions = rate(s.arrived, earlier.arrived), rate(s.served, earlier.served)
	o.PromptTokens, o.OutputTokens = rate(s.prompts, earlier.prompts), rate(s.outputs, earlier.outputs)
}

// latency fills in what the histogram says. Without requests there is nothing to measure.
func (v *lens) latency(o *recommender.Observation, s, earlier *scrape, at time.Time) {
	w := s.ttft.since(&earlier.ttft)
	quantity := func(x float64) recommender.Quantity {
		if math.IsNaN(x) {
			return recommender.Missing(recommender.Unobserved)
		}
		return recommender.Exactly(x, at, int32(s.ready))
	}
	for _, p := range v.percentiles {
		o.TTFT = append(o.TTFT, recommender.Percentile{P: p, Quantity: quantity(w.quantile(p))})
	}
	late, bound := w.late(v.objective)
	o.SLOMiss, o.SLOBound = quantity(late), quantity(bound)
}

// instant returns the time of t.
func (v *lens) instant(t float64) time.Time {
	return v.start.Add(time.Duration(math.Round(t * float64(time.Second))))
}
