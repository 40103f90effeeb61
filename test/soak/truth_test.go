package soak

import (
	"math"
	"slices"
	"time"
)

// How the daemon of the soak reads, as its configuration and Prometheus have it.
const (
	queryOffset = 5 * time.Second
	scrapeLead  = 7 * time.Second // a scrape is so much before the tick
	staleAfter  = time.Minute
	lookback    = 5 * time.Minute
	rateWindow  = 2 * time.Minute
	holdLimit   = 3 * time.Minute
	// What the client waits for it waits for real.
	clientTimeout = 3 * time.Second
)

// A heard is what one scrape of a pod left in Prometheus.
type heard struct {
	at      time.Time
	stale   bool // the scrape failed
	invalid bool // gauges that are no numbers
	load    float64
}

// A listing is what one scrape of kube-state-metrics left of a workload.
type listing struct {
	at    time.Time
	spec  int
	ready []string // the pods that are
	pods  []string
}

// A record is everything that was stored of a workload, as far as it can matter.
type record struct {
	listings []listing
	heard    map[string][]heard // by pod
	held     []heard
	backlog  []heard
}

func newRecord() *record { return &record{heard: map[string][]heard{}} }

// keep adds h and drops what no reading finds any more.
func keep(list []heard, h heard) []heard {
	for len(list) > 0 && list[0].at.Before(h.at.Add(-4*lookback)) {
		list = list[1:]
	}
	return append(list, h)
}

// newest returns the newest of a list in the window that ends at w and begins just after
// w-window. A failed scrape is none for a window, and the end of the series for a lookback.
func newest(list []heard, w time.Time, window time.Duration, bridge bool) (h heard, ok bool) {
	for _, h = range slices.Backward(list) {
		switch {
		case h.at.After(w):
		case !h.at.After(w.Add(-window)):
			return heard{}, false
		case h.stale && bridge:
		case h.stale:
			return heard{}, false
		default:
			return h, true
		}
	}
	return heard{}, false
}

// within counts the samples in the window that ends at w.
func within(list []heard, w time.Time, window time.Duration) int {
	n := 0
	for _, h := range list {
		if !h.stale && !h.at.After(w) && h.at.After(w.Add(-window)) {
			n++
		}
	}
	return n
}

// A condition is how much can be known of something.
type condition uint8

const (
	whole   condition = iota
	part              // some of it
	begun             // the first sample of counters, which is no rate yet
	invalid           // numbers that are none
	stale             // too old
	absent            // no series
	failed            // the question got no answer
)

// A sight is what can be known of a workload at one instant.
type sight struct {
	current, engines, rates, held, backlog condition
	spec                                   int
	// load is the requests in the pods that are listed; exact if engines is whole.
	load float64
	// waiting is the requests in front of the pods; exact if held is whole.
	waiting float64
}

// see says what the record shows to a reading at w.
func (r *record) see(w time.Time) sight {
	var s sight
	s.current, s.engines, s.rates = absent, absent, absent
	s.held, s.waiting = level(r.held, w, staleAfter)
	s.backlog = absent
	// A query of the user looks at series as they are: a failed scrape ends them, and
	// nothing else does within a lookback.
	if h, ok := newest(r.backlog, w, lookback, false); ok {
		s.backlog = whole
		if h.invalid {
			s.backlog = invalid
		}
	}
	l, ok := r.listing(w)
	if !ok {
		return s
	}
	s.spec = l.spec
	s.current = whole
	if !l.at.After(w.Add(-staleAfter)) {
		s.current = stale
	}
	r.seeEngines(&s, &l, w)
	return s
}

// level is the condition of one series.
func level(list []heard, w time.Time, window time.Duration) (condition, float64) {
	if h, ok := newest(list, w, window, true); ok {
		if h.invalid {
			return invalid, math.NaN()
		}
		return whole, h.load
	}
	if _, ok := newest(list, w, lookback, false); ok {
		return stale, 0
	}
	return absent, 0
}

func (r *record) listing(w time.Time) (listing, bool) {
	for _, l := range slices.Backward(r.listings) {
		if !l.at.After(w) {
			return l, l.at.After(w.Add(-lookback))
		}
	}
	return listing{}, false
}

// seeEngines looks for every pod of the list.
func (r *record) seeEngines(s *sight, l *listing, w time.Time) {
	ready := map[string]bool{}
	for _, name := range l.ready {
		ready[name] = true
	}
	speak, old, rates := 0, false, false
	all, bad := 0, 0
	for _, name := range l.pods {
		switch c, load := level(r.heard[name], w, staleAfter); c {
		case invalid:
			bad++
			all++
		case whole:
			s.load += load
			all++
			if ready[name] {
				speak++
			}
		default:
			old = old || c == stale
		}
	}
	for _, list := range r.heard { // pods that are gone have had their part in the rate
		rates = rates || within(list, w, rateWindow) > 1
	}
	switch {
	case bad > 0 && bad == all:
		s.engines = invalid
	case bad > 0:
		s.engines = part // The others are known.
	case all == 0 && len(l.ready) == 0:
		s.engines = whole // nobody could speak
	case all == 0 && old:
		s.engines = stale
	case all == 0:
		s.engines = absent
	case speak < len(l.ready):
		s.engines = part
	default:
		s.engines = whole
	}
	s.rates = s.engines
	if s.engines == invalid {
		s.rates = part // Counters go on, of replicas that are not heard in full.
	}
	if s.rates == whole && !rates && len(l.ready) > 0 {
		s.rates = begun
	}
}
