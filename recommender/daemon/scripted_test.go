package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

const interval = 15 * time.Second

// errDown is what a source without a server says.
var errDown = &promapi.QueryError{Query: "up", URL: "http://prometheus:9090", Cause: promapi.CauseConnect, Err: errors.New("connection refused")}

// A scripted source answers from functions of time, so that what an instant
// query and a range query say of one instant is the same.
type scripted struct {
	// load returns the requests waiting for a workload, current its replicas.
	load    func(id identity, at time.Time) float64
	current func(id identity, at time.Time) int32
	// extend adds to an observation what else is known, if it is set.
	extend func(o *recommender.Observation)
	// said is what was recommended just before an instant; nil if nobody scraped the daemon.
	said func(id identity, at time.Time) recommender.Quantity
	// down says whether instant queries fail, pastDown whether range queries do.
	down, pastDown func(at time.Time) bool
	// slow is how long an answer takes, unless the caller gives up; stubborn ones
	// take that long in any case.
	slow, slowPast func(at time.Time) time.Duration
	stubborn       bool

	mu        sync.Mutex
	instants  []time.Time
	deadlines []time.Duration
	pasts     [][2]time.Time
	closed    int
	// closedBusy says that it was closed during a read.
	busy       int
	closedBusy bool
	ids        []identity
}

func never(time.Time) bool { return false }

func atOnce(time.Time) time.Duration { return 0 }

// newScripted returns a source of workloads with 3 replicas and a load of 24.
func newScripted() *scripted {
	return &scripted{
		load:    func(identity, time.Time) float64 { return 24 },
		current: func(identity, time.Time) int32 { return 3 },
		down:    never, pastDown: never, slow: atOnce, slowPast: atOnce,
	}
}

func (s *scripted) observe(ctx context.Context, at time.Time) reading {
	s.mu.Lock()
	s.busy++
	s.instants = append(s.instants, at)
	if deadline, ok := ctx.Deadline(); ok {
		s.deadlines = append(s.deadlines, time.Until(deadline))
	}
	s.mu.Unlock()
	gaveUp := s.wait(ctx, s.slow(at))
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy--
	}()
	if gaveUp || s.down(at) {
		return s.read(at, errDown)
	}
	return s.read(at, nil)
}

// wait waits and reports whether the caller gave up.
func (s *scripted) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() != nil
	}
	if s.stubborn {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-ctx.Done():
		return true
	case <-time.After(d):
		return false
	}
}

func (s *scripted) history(ctx context.Context, start, end time.Time, step time.Duration, each func(*reading)) error {
	s.mu.Lock()
	s.pasts = append(s.pasts, [2]time.Time{start, end})
	s.mu.Unlock()
	if s.wait(ctx, s.slowPast(end)) || s.pastDown(time.Now()) {
		return errDown
	}
	for at := start; !at.After(end); at = at.Add(step) {
		var err error
		if s.down(at) {
			err = errDown // the daemon that ran then got no answer
		}
		r := s.read(at, err)
		each(&r)
	}
	return nil
}

func (s *scripted) apart() source { return s }

func (s *scripted) recommended(_ context.Context, at time.Time) ([]recommender.Quantity, error) {
	list := make([]recommender.Quantity, len(s.ids))
	for i, id := range s.ids {
		if s.said != nil {
			list[i] = s.said(id, at)
		}
	}
	return list, nil
}

func (s *scripted) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed++
	s.closedBusy = s.closedBusy || s.busy > 0
}

// read returns what is known of the workloads at a time.
func (s *scripted) read(at time.Time, err error) reading {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := reading{err: err, unanswered: err != nil, reports: make([]promapi.WorkloadReport, len(s.ids))}
	for i, id := range s.ids {
		r.reports[i] = promapi.WorkloadReport{Matched: promapi.ByOwner, Engines: []string{"vllm"}}
		o := recommender.Observation{Time: at}
		if err == nil {
			o = s.observation(id, at)
		} else {
			o.Current = recommender.Missing(recommender.Failed)
		}
		r.observations = append(r.observations, o)
	}
	return r
}

func (s *scripted) observation(id identity, at time.Time) recommender.Observation {
	n, seen := s.current(id, at), at.Add(-5*time.Second)
	is := func(v float64) recommender.Quantity { return recommender.Exactly(v, seen, n) }
	o := recommender.Observation{
		Time: at, Current: is(float64(n)), Ready: is(float64(n)), Reporting: is(float64(n)),
		Running: is(0), Waiting: is(s.load(id, at)), Completions: is(1), OutputTokens: is(10),
	}
	if s.extend != nil {
		s.extend(&o)
	}
	return o
}

// asked returns the instants that were read.
func (s *scripted) asked() []time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.instants)
}

// askedPast returns the ranges that were read.
func (s *scripted) askedPast() [][2]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.pasts)
}

// ends returns how often it was closed, and whether during a read.
func (s *scripted) ends() (closed int, busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed, s.closedBusy
}

// asksPolicy asks for a replica for each 8 waiting requests.
func asksPolicy() *recommender.Policy {
	p := recommender.DefaultPolicy()
	p.Max = 10
	p.Signals = []recommender.Signal{{Metric: recommender.Waiting, Target: 8}}
	return &p
}

// worldOf makes a world of workloads in one namespace.
func worldOf(s *scripted, names ...string) *world {
	w := &world{interval: interval, source: s, text: "interval: 15s\n"}
	for _, name := range names {
		id := identity{"inference", name}
		w.workloads = append(w.workloads, target{identity: id, kind: "Deployment", policy: asksPolicy()})
		s.ids = append(s.ids, id)
	}
	return w
}

// A bench is a daemon without its listeners.
type bench struct {
	*Daemon
	logs *observer.ObservedLogs
	// next is the world that a reload builds, or the error.
	next func() (*world, error)
}

// newBench makes a daemon of a world. Its parts are run by the test.
func newBench(t *testing.T, w *world) *bench {
	t.Helper()
	core, logs := observer.New(zap.DebugLevel)
	b := &bench{logs: logs, next: func() (*world, error) { return w, nil }}
	reg := prometheus.NewPedanticRegistry()
	l, err := newLoop(zap.New(core), reg, func() (*world, error) { return b.next() })
	if err != nil {
		t.Fatal(err)
	}
	b.Daemon = &Daemon{opts: Options{EnableLifecycle: true}, log: zap.New(core), loop: l, registry: reg}
	if err := b.register(); err != nil {
		t.Fatal(err)
	}
	return b
}

// run runs the loop until the test ends.
func (b *bench) run(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- b.loop.run(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the loop ended with %v", err)
		}
	})
}

// logged returns how often a message was logged.
func (b *bench) logged(message string) int {
	return len(b.logs.FilterMessage(message).All())
}

// exports compares families with what is expected of them.
func (b *bench) exports(t *testing.T, want string, families ...string) {
	t.Helper()
	if err := testutil.GatherAndCompare(b.registry, strings.NewReader(want), families...); err != nil {
		t.Error(err)
	}
}

// decision returns what was decided last.
func (b *bench) decision(id identity) *recommender.Decision {
	return &b.loop.collector.Latest().Find(id.namespace, id.name).Decision
}

// desired returns what is exported for a workload, -1 if nothing is.
func (b *bench) desired(name string) int {
	w := b.loop.collector.Latest().Find("inference", name)
	if w == nil || !w.Decision.Known {
		return -1
	}
	return int(w.Decision.Desired)
}
