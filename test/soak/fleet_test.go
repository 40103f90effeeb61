package soak

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// interval is the time between two ticks, and between two scrapes.
const interval = 15 * time.Second

// What one replica can do.
const (
	slots   = 16  // requests in its batch
	service = 8.0 // seconds that a request takes
	speed   = 25. // tokens per second of a request
)

// A shape is what a workload is, and how its traffic comes and goes.
type shape struct {
	name     string
	min, max int
	// peak is the most requests per second; they go up and down within a period of so many
	// ticks, and stay away for the first idle ticks of it.
	peak         float64
	period, idle int
	// engines says that its pods are scraped and counted on, rates that their counters are
	// too, held that a gateway is, backlog that a query is.
	engines, rates, held, backlog bool
}

// shapes are the workloads of the soak, one for each way to know a load.
var shapes = []shape{
	{name: "chat", min: 2, max: 12, peak: 18, period: 70, engines: true},
	{name: "code", min: 1, max: 10, peak: 12, period: 50, idle: 5, engines: true, rates: true},
	{name: "batch", min: 0, max: 6, peak: 6, period: 80, idle: 45, engines: true, held: true},
	{name: "embed", min: 1, max: 8, peak: 9, period: 60, backlog: true},
}

// rate returns the requests per second that arrive in a tick.
func (s *shape) rate(tick int) float64 {
	at := tick % s.period
	if at < s.idle {
		return 0
	}
	return s.peak * (1 - math.Cos(2*math.Pi*float64(at-s.idle)/float64(s.period-s.idle))) / 2
}

// trend says in a word how the traffic goes.
func (s *shape) trend(tick int) string {
	before, now := s.rate(tick-1), s.rate(tick)
	switch {
	case now == 0:
		return "none"
	case now < before:
		return "falling"
	default:
		return "rising"
	}
}

// coldTicks is how many ticks a pod takes to be ready.
const coldTicks = 2

// A pod is one replica and what it has counted.
type pod struct {
	name            string
	readyAt         int
	running, queued float64
	tokens, done    float64
	gone            bool
}

func (p *pod) ready(tick int) bool { return tick >= p.readyAt }

// A fleet is one workload in its cluster: requests spread evenly over the pods that are
// ready, or wait in front of them.
type fleet struct {
	shape
	random   *rand.Rand
	replicas int
	pods     []*pod // the oldest first
	inside   float64
}

func newFleet(s *shape, random *rand.Rand) *fleet {
	f := &fleet{shape: *s, random: random}
	f.scale(s.min, -coldTicks)
	return f
}

// scale writes the spec. The youngest pods go first.
func (f *fleet) scale(replicas, tick int) {
	f.replicas = replicas
	for len(f.pods) < replicas {
		f.pods = append(f.pods, &pod{name: fmt.Sprintf("%s-%s", f.replicaSet(), f.suffix()), readyAt: tick + coldTicks})
	}
	for _, p := range f.pods[replicas:] {
		p.gone = true
	}
	f.pods = f.pods[:replicas:replicas]
}

func (f *fleet) replicaSet() string { return f.name + "-7d9f8b6c54" }

// suffix is what a ReplicaSet gives to a pod's name.
func (f *fleet) suffix() string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	b := make([]byte, 5)
	for i := range b {
		b[i] = letters[f.random.IntN(len(letters))]
	}
	return string(b)
}

// serving are the pods that requests are sent to.
func (f *fleet) serving(tick int) []*pod {
	return slices.DeleteFunc(slices.Clone(f.pods), func(p *pod) bool { return !p.ready(tick) })
}

// step lets the interval before a tick pass.
func (f *fleet) step(tick int) {
	serving := f.serving(tick)
	for range int(interval.Seconds()) {
		f.inside += f.rate(tick)
		share := math.Floor(f.inside) / float64(max(len(serving), 1))
		for _, p := range serving {
			p.running = min(share, slots)
			p.queued = share - p.running
			p.done += p.running / service
			p.tokens += p.running * speed
			f.inside -= p.running / service
		}
	}
	for _, p := range serving {
		p.running, p.queued = math.Round(p.running), math.Round(p.queued)
	}
	if f.rate(tick) == 0 && f.inside < 1 {
		f.inside = 0
	}
}

// waiting are the requests in front of the pods.
func (f *fleet) waiting(tick int) float64 {
	if len(f.serving(tick)) > 0 {
		return 0
	}
	return math.Floor(f.inside)
}
