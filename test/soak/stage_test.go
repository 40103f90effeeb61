package soak

import (
	"context"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/recommender/config"
)

// epoch is the first tick. It is later than any wall clock, since a daemon that reads its
// past goes on to what the wall clock says.
var epoch = time.Date(2100, time.January, 1, 0, 0, 0, 0, time.UTC)

// ahead is by how many ticks a daemon's clock is wrong.
const ahead = 9

// A stage is one run: everything that is real, what is simulated, and what is done to it.
type stage struct {
	t        *testing.T
	seed     uint64
	faults   []*fault
	fleets   []*fleet
	records  map[string]*record
	store    *store
	proxy    *proxy
	dir      string
	clock    *clock
	daemon   *process // nil while it does not run
	twin     *process
	judge    *judge
	witness  *judge         // of the twin
	calm     map[string]int // by workload, ticks of whole evidence since something was done
	token    string         // in the daemon's file
	jumped   bool           // its clock is ahead
	broken   bool           // its file is
	excused  int
	begun    time.Time // when the tick did, for this machine
	tests    int       // comparisons with the twin
	restarts int
}

// newStage starts everything but the daemons.
func newStage(t *testing.T, seed uint64, faults []*fault) *stage {
	t.Helper()
	prom, err := embedded.Start(embedded.Options{Lookback: lookback})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := prom.Close(); err != nil {
			t.Error(err)
		}
	})
	random := rand.New(rand.NewPCG(seed, 2))
	s := &stage{
		t: t, seed: seed, faults: faults, records: map[string]*record{}, store: newStore(prom), dir: t.TempDir(),
		clock: &clock{}, judge: newJudge("daemon"), witness: newJudge("twin"), calm: map[string]int{},
	}
	for i := range shapes {
		s.fleets = append(s.fleets, newFleet(&shapes[i], random))
		s.records[shapes[i].name] = newRecord()
	}
	ca := newAuthority(t)
	s.proxy = newProxy(t, prom.Handler(), ca)
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept-Encoding")
		prom.Handler().ServeHTTP(w, r)
	}))
	t.Cleanup(plain.Close)
	s.write("ca.pem", string(ca.pem()))
	s.write("daemon.yaml", configuration(s.proxy.server.URL, secured))
	s.write("twin.yaml", configuration(plain.URL, ""))
	s.proxy.families = s.plan("twin.yaml")
	return s
}

// write puts a file next to the configuration.
func (s *stage) write(name, text string) {
	s.t.Helper()
	// Whoever reads it sees the old one or the new one.
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		s.t.Fatal(err)
	}
}

// plan returns which family each query is of.
func (s *stage) plan(file string) map[string]promapi.Family {
	s.t.Helper()
	c, err := config.Load(filepath.Join(s.dir, file))
	if err != nil {
		s.t.Fatal(err)
	}
	reader, err := promapi.NewReader(nil, c.Workloads(), c.Options())
	if err != nil {
		s.t.Fatal(err)
	}
	of := map[string]promapi.Family{}
	plan := reader.Plan()
	for _, list := range [][]promapi.PlannedQuery{plan.Queries, plan.Custom, plan.Occasional} {
		for _, q := range list {
			of[q.Text] = q.Family
		}
	}
	return of
}

// start runs a daemon until the test ends.
func (s *stage) start(file string, c *clock) *process {
	s.t.Helper()
	p, err := startProcess(context.WithoutCancel(s.t.Context()), filepath.Join(s.dir, file), c)
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

// end stops what still runs.
func (s *stage) end() {
	for _, p := range []*process{s.daemon, s.twin} {
		if p == nil {
			continue
		}
		if err := p.stop(); err != nil {
			s.t.Error(err)
		}
	}
}

// run plays so many ticks.
func (s *stage) run(ticks int) {
	s.t.Helper()
	twin := &clock{}
	for tick := range ticks {
		active := lasting(s.faults, tick)
		s.begun = time.Now()
		s.feed(tick, active)
		slot := epoch.Add(time.Duration(tick) * interval)
		twin.set(slot)
		if s.twin == nil {
			s.twin = s.start("twin.yaml", twin)
		}
		c := s.apply(tick, slot, active)
		s.must(s.twin.await(slot))
		s.observe(c, slot)
	}
}

// must fails the run where nothing can be judged any more.
func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatalf("seed %d: %v", s.seed, err)
	}
}

// feed lets an interval pass in the fleets, and stores what is scraped.
func (s *stage) feed(tick int, active []*fault) {
	s.t.Helper()
	at := epoch.Add(time.Duration(tick)*interval - scrapeLead)
	for _, f := range s.fleets {
		var sp spoil
		for _, fault := range active {
			if fault.spoils(f.name) {
				fault.spoil(&sp, tick-fault.from)
			}
		}
		f.step(tick)
		f.scrape(s.store, s.records[f.name], at, tick, &sp)
	}
	for _, f := range active {
		if f.name == "ten times the series" {
			strangers(s.store, at, 120)
		}
	}
	s.must(s.store.flush())
}

// observe judges a tick, and lets the fleets follow the recommendation.
func (s *stage) observe(c *circumstance, slot time.Time) {
	s.t.Helper()
	own := &circumstance{tick: int(slot.Sub(epoch) / interval), slot: slot, begun: slot.Equal(epoch)}
	twin, err := s.twin.scrape(s.t.Context())
	s.must(err)
	late := time.Since(s.begun) >= clientTimeout
	s.excuse(own, s.witness, twin, late)
	s.witness.look(twin, s.expect(own), own)
	if c == nil {
		s.judge.silent()
		clear(s.calm)
		return
	}
	e, err := s.daemon.scrape(s.t.Context())
	s.must(err)
	s.excuse(c, s.judge, e, late)
	want := s.expect(c)
	s.judge.look(e, want, c)
	s.compare(c, want, e, twin)
	s.follow(e, own.tick)
}

// excuse leaves a tick out in which queries took longer than a client waits although nothing
// was done to them: this machine was busy.
func (s *stage) excuse(c *circumstance, j *judge, e *exported, late bool) {
	before := 0.0
	if j.previous != nil && !c.begun {
		before = j.previous.failures[string(promapi.CauseTimeout)]
	}
	if late && e.failures[string(promapi.CauseTimeout)] > before && !c.mayFail()[promapi.CauseTimeout] {
		c.excused = true
		s.excused++
	}
}

// expect says what has to be known of every workload.
func (s *stage) expect(c *circumstance) map[string]*expectation {
	want := map[string]*expectation{}
	for i := range shapes {
		see := s.records[shapes[i].name].see(c.slot.Add(-queryOffset))
		e := expect(&shapes[i], &see, c)
		if c.excused {
			e.whole, e.usable = min(e.whole, maybe), min(e.usable, maybe)
		}
		want[shapes[i].name] = &e
	}
	return want
}

// compare holds the daemon against its twin, once nothing is left of what was done to it: a
// workload forgets while its evidence is whole, and holds what it has while it is not. A
// daemon that has read its past has nothing to forget.
func (s *stage) compare(c *circumstance, want map[string]*expectation, e, twin *exported) {
	for i := range shapes {
		name := shapes[i].name
		switch {
		case !c.calm() || s.jumped:
			s.calm[name] = 0
		case c.begun || c.rewound:
			s.calm[name] = settled + 1
		case want[name].whole == yes:
			s.calm[name]++
		}
		if s.calm[name] > settled {
			s.tests++
			s.judge.agree(name, e, twin, c.tick)
		}
	}
}

// follow scales the fleets as recommended; without a recommendation they stay.
func (s *stage) follow(e *exported, tick int) {
	at := epoch.Add(time.Duration(tick)*interval - scrapeLead + time.Second)
	for _, f := range s.fleets {
		d := e.workloads[f.name].desired
		if d == nil || *d == f.replicas {
			continue
		}
		gone := f.pods[min(*d, len(f.pods)):]
		f.scale(*d, tick)
		f.leave(s.store, s.records[f.name], at, gone)
	}
}
