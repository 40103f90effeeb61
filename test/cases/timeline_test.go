package cases

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi/promapitest"
	"github.com/infscale/infscale/recommender"
)

// epoch is the invented present: a multiple of every interval.
var epoch = time.Unix(1_772_000_100, 0).UTC()

// interval is the time between decisions of the cases.
const interval = 15

// A moment is a tick at one time. Listed ones are those of the case, the others lie
// between: what is there at a time was there since the time before it.
type moment struct {
	tick
	at     float64
	listed bool
}

var (
	span  = regexp.MustCompile(`^(-?[\d.]+)\.\.([\d.]+)`)
	count = regexp.MustCompile(`\((\d+) ticks\)`)
)

// baseOf is what the times of ticks are counted from: the invented present, or the first of them
// if they are dates.
func baseOf(ticks []tick) time.Time {
	if len(ticks) > 0 {
		if at, err := time.Parse(time.RFC3339, fmt.Sprint(ticks[0].T)); err == nil {
			return at.UTC()
		}
	}
	return epoch
}

// times returns the times of a tick.
func (k *tick) times(base time.Time) ([]float64, error) {
	text, ok := k.T.(string)
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return []float64{at.Sub(base).Seconds()}, nil
	}
	if !ok {
		n, ok := k.T.(float64)
		if !ok {
			return nil, fmt.Errorf("the time of a tick: got %v, want a number or a span", k.T)
		}
		return []float64{n}, nil
	}
	m := span.FindStringSubmatch(text)
	if m == nil {
		return nil, fmt.Errorf("the time of a tick: got %q, want a span", text)
	}
	from, _ := strconv.ParseFloat(m[1], 64)
	to, _ := strconv.ParseFloat(m[2], 64)
	var list []float64
	for at := from; at <= to; at += interval {
		list = append(list, at)
	}
	if m := count.FindStringSubmatch(text); m != nil {
		n, _ := strconv.Atoi(m[1])
		list = list[:min(n, len(list))]
	}
	return list, nil
}

// moments returns every time at which something is decided. Of a gap that is longer than what
// a decision remembers only the end is played.
func moments(ticks []tick, memory float64) ([]moment, error) {
	var list []moment
	base := baseOf(ticks)
	for _, k := range ticks {
		times, err := k.times(base)
		if err != nil {
			return nil, err
		}
		for _, at := range times {
			if n := len(list); n > 0 {
				for between := list[n-1].at + interval; between < at; between += interval {
					if at-between <= memory {
						list = append(list, moment{tick: k, at: between})
					}
				}
			}
			list = append(list, moment{tick: k, at: at, listed: true})
		}
	}
	return list, nil
}

// scene is what a tick says there is. Without a number of requests the pods say nothing.
func (k *tick) scene(before *scene) scene {
	s := scene{name: before.name, current: before.current, running: none, waiting: none, kv: 0.5}
	if k.Current != nil {
		s.current = *k.Current
	}
	if k.Held.said {
		s.held = k.Held.value
	}
	if k.KV.said {
		s.kv = k.KV.value
	}
	s.load(k)
	s.count(k)
	return s
}

// perRequest is how many tokens a second a request gets, unless a tick says another number.
const perRequest = 40

// load sets the requests. An engine that makes no token runs one request at most.
func (s *scene) load(k *tick) {
	if k.Inflight.said {
		s.running, s.waiting = k.Inflight.value, 0
		if k.Inflight.value-k.Inflight.value != 0 { // no number, or infinite
			s.waiting = k.Inflight.value
		}
	}
	if k.Running.said {
		s.running = k.Running.value
	}
	if k.Waiting.said {
		s.waiting = k.Waiting.value
	}
	if s.running > 0 {
		s.tokens = perRequest * s.running
	}
	if k.TokensPerS == nil {
		return
	}
	if s.tokens = *k.TokensPerS; s.tokens == 0 && s.running > 1 {
		s.running, s.waiting = 1, s.waiting+s.running-1
	}
}

// count sets how many pods are ready, and how many are heard.
func (s *scene) count(k *tick) {
	heard := (s.running != none || s.waiting != none) && k.PodSeries != "absent" && k.Query != "empty"
	if heard || k.Query != "" {
		s.ready = int(s.current) // else they load
	}
	if k.Series != nil {
		s.ready = int(*k.Series)
	}
	if k.Ready != nil {
		s.ready = int(*k.Ready)
	}
	if !heard || s.current == 0 {
		return
	}
	s.reporting = max(s.ready, 1)
	if k.Series != nil {
		s.reporting = int(*k.Series)
	}
	if reporting, of, ok := strings.Cut(k.PodsReporting, "/"); ok {
		s.reporting, _ = strconv.Atoi(reporting)
		s.ready, _ = strconv.Atoi(of)
	}
}

// timeline runs ticks against a fleet in a real Prometheus.
func timeline(t *testing.T, in *input, _ map[string]any) (*run, error) {
	l := newLab(t)
	l.scraped = true
	set := &settings{namespace: "ns1", targets: []target{{name: "chat"}}, policy: in.Policy}
	if in.Policy["min"] == 0.0 || holds(in.Ticks) {
		set.held = heldQuery
	}
	l.start(set)
	list, err := moments(in.Ticks, l.config.Workloads()[0].Policy.Replay().Seconds())
	if err != nil {
		return nil, err
	}
	p := &player{base: baseOf(in.Ticks), lab: l, fleet: newFleet(l, "ns1"), run: &run{lab: l}}
	p.scene = scene{name: "chat"}
	p.before(in, list)
	for _, m := range list {
		if in.RestartAt != nil && m.at == *in.RestartAt && m.at > list[0].at {
			p.restart(m.at)
		}
		p.play(&m)
	}
	return p.run, nil
}

func holds(ticks []tick) bool {
	for i := range ticks {
		if ticks[i].Held.said {
			return true
		}
	}
	return false
}

// A player plays moments.
type player struct {
	*lab
	base  time.Time
	fleet *fleet
	scene scene
	run   *run
}

// before plays what happened before the first tick: the fleet was heard long ago, so that
// silence is no misspelt selector, and what the case says was proposed or desired.
func (p *player) before(in *input, list []moment) {
	first := list[0]
	old := first.tick
	old.Inflight, old.Query, old.PodSeries = exactly(1), "", ""
	if old.Current == nil || *old.Current > 0 {
		s := old.scene(&p.scene)
		p.fleet.store(p.base.Add(-time.Hour), s)
		p.fleet.store(p.base.Add(-time.Hour+time.Minute), scene{name: s.name, held: none})
	}
	each := 4.0
	if n, ok := in.Policy["target"].(float64); ok {
		each = n
	}
	for _, h := range in.History {
		p.prime(&first, h.T, h.Raw*each)
	}
	if first.LastDesired != nil {
		p.prime(&first, first.at-interval, *first.LastDesired*each)
	}
}

// prime plays a tick with so much load before the case begins.
func (p *player) prime(first *moment, at, inflight float64) {
	k := first.tick
	k.Inflight, k.Query, k.PodSeries = exactly(inflight), "", ""
	p.play(&moment{tick: k, at: at})
}

// play stores what there is and decides.
func (p *player) play(m *moment) {
	at := p.base.Add(time.Duration(m.at * float64(time.Second)))
	p.scene = m.scene(&p.scene)
	p.fleet.store(at, p.scene)
	p.fault = faultOf(m.Query)
	a := p.tick(at)[0]
	p.fault = nil
	a.offset = m.at
	p.run.all = append(p.run.all, a)
	if m.listed {
		p.run.answers = append(p.run.answers, a)
	}
}

// restart forgets everything, and reads the past as a new process does.
func (p *player) restart(at float64) {
	p.use(p.config)
	w := p.config.Workloads()[0]
	end := p.base.Add(time.Duration((at - interval) * float64(time.Second)))
	ticks, err := p.reader.ObserveRange(p.t.Context(), end.Add(-w.Policy.Replay()).Truncate(interval*time.Second), end, interval*time.Second)
	if err != nil {
		p.t.Fatal(err)
	}
	for i := range ticks {
		_, p.states[0] = recommender.Decide(*w.Policy, p.states[0], ticks[i].Observations[0])
	}
}

// faultOf returns what answers instead of Prometheus.
func faultOf(query string) func(*http.Request) http.Handler {
	status := regexp.MustCompile(`^\d{3}`).FindString(query)
	var a promapitest.Answer
	switch {
	case query == "", query == "empty":
		return nil
	case status == "400" || status == "422":
		n, _ := strconv.Atoi(status)
		a = promapitest.Error(n, strings.TrimSpace(query[3:]), "so the case says")
	case status != "":
		n, _ := strconv.Atoi(status)
		a = promapitest.Text(n, "text/plain", strings.Trim(query[3:], " '"))
	default:
		a = promapitest.JSON(http.StatusOK, "").Closed()
	}
	return always(a)
}

// always answers everything so.
func always(a promapitest.Answer) func(*http.Request) http.Handler {
	s := &promapitest.Server{}
	s.Answer(promapitest.Any, a)
	return func(*http.Request) http.Handler { return s }
}
