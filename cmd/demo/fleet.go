package main

import (
	"math/rand/v2"
	"sync"
	"time"
)

// A fleet is everything the demo invents: the traffic, the interceptor, the cluster. It
// moves in steps of stepLength and knows no clock, so that the same steps give the same
// run. It is locked because its pages are scraped while it moves.
type fleet struct {
	mu          sync.Mutex
	start, now  time.Time
	traffic     traffic
	interceptor interceptor
	cluster     cluster
	random      *rand.Rand
	tally       tally
}

// A tally is what the whole run cost and gave.
type tally struct {
	objective      time.Duration // A first token later than this, from the user's view, is a miss.
	started        int           // Requests that got their first token,
	missed         int           // and those of them that got it too late.
	served         int           // Requests that got their last.
	replicaSeconds float64       // Of pods that existed, loading and draining ones too.
}

// newFleet starts with one replica that is ready.
func newFleet(start time.Time, p pattern, coldStart time.Duration) *fleet {
	f := &fleet{
		start: start, now: start,
		traffic: traffic{pattern: p},
		random:  rand.New(rand.NewPCG(1, 2)),
		tally:   tally{objective: objective},
	}
	f.cluster = cluster{random: f.random}
	f.cluster.scale(1, start)
	f.cluster.coldStart = coldStart
	return f
}

// begin says when time starts to pass.
func (f *fleet) begin(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.start, f.now = now, now
}

// advance makes the steps that end by now.
func (f *fleet) advance(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for !f.now.Add(stepLength).After(now) {
		f.step(f.now.Add(stepLength), stepLength)
	}
}

// step lets dt pass, until now.
func (f *fleet) step(now time.Time, dt time.Duration) {
	f.now = now
	for range f.traffic.arrivals(now.Sub(f.start), dt) {
		f.interceptor.held = append(f.interceptor.held, f.newRequest())
	}
	f.interceptor.dispatch(f.cluster.serving(now), now)
	for _, p := range f.cluster.pods {
		f.count(p.engine.step(now, dt))
	}
	f.tally.replicaSeconds += float64(len(f.cluster.pods)) * dt.Seconds()
	f.cluster.sweep(now)
}

// newRequest is one of about the usual size.
func (f *fleet) newRequest() *request {
	return &request{arrived: f.now, prompt: 384 + f.random.IntN(256), output: 48 + f.random.IntN(32)}
}

// count adds what an engine did to the tally. The user's wait began at the interceptor.
func (f *fleet) count(started, done []*request) {
	f.tally.started += len(started)
	for _, r := range started {
		if f.now.Sub(r.arrived) > f.tally.objective {
			f.tally.missed++
		}
	}
	f.tally.served += len(done)
	f.interceptor.answered(len(done))
}

// scale asks for replicas and returns how many there were asked for before.
func (f *fleet) scale(replicas int) (before int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before = f.cluster.replicas
	if replicas != before {
		f.cluster.scale(replicas, f.now)
	}
	return before
}

// podNames are the pods there are, draining ones too.
func (f *fleet) podNames() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := make([]string, 0, len(f.cluster.pods))
	for _, p := range f.cluster.pods {
		names = append(names, p.name)
	}
	return names
}

// podPage is the /metrics page of a pod, or nil while it can not answer.
func (f *fleet) podPage(name string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range f.cluster.pods {
		if p.name == name && p.answers(f.now) {
			return p.page()
		}
	}
	return nil
}

// clusterPage is the page of kube-state-metrics.
func (f *fleet) clusterPage() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cluster.page(f.now)
}

// interceptorPage is the page of the interceptor.
func (f *fleet) interceptorPage() []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.interceptor.page()
}

// status is what the story needs to know: the replicas that are ready and those asked for,
// the phase of the traffic, and the tally so far.
func (f *fleet) status() (ready, replicas int, ph phase, t tally) {
	f.mu.Lock()
	defer f.mu.Unlock()
	ph, _ = f.traffic.pattern.at(f.now.Sub(f.start))
	return len(f.cluster.serving(f.now)), f.cluster.replicas, ph, f.tally
}
