package draw

import (
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// start is in the evening, so that a day ends in the afternoon, when something happens.
var start = time.Date(2026, 1, 5, 18, 0, 0, 0, time.UTC)

const (
	daySeconds = 86400.0
	hour       = 3600.0
)

// A workload is a simulated model with its traffic and policy.
type workload struct {
	namespace, name string
	replica         sim.Replica
	initial         int
	traffic         trace.Generator
	policy          recommender.Policy
	// unheard is when one replica is ready and not heard.
	unheard span
}

// A span is a part of the simulated time.
type span struct{ from, to time.Duration }

func (s span) holds(t time.Duration) bool { return s.from <= t && t < s.to }

// outage is when Prometheus answers nothing.
var outage = span{16*time.Hour + 20*time.Minute, 16*time.Hour + 45*time.Minute}

// fleet are the workloads.
func fleet() []workload {
	return []workload{chat(), code(), summarise()}
}

// chat follows the day, with an afternoon peak near its maximum.
func chat() workload {
	w := newWorkload("inference", "chat", 1, 8)
	w.traffic.Rate = trace.Diurnal(5, 4.4, daySeconds, 15*hour)
	w.traffic.Prompt, w.traffic.Output = trace.LogNormal(900, 1), trace.LogNormal(350, 0.8)
	w.initial, w.policy.Min = 4, 2
	w.unheard = span{19 * time.Hour, 19*time.Hour + 15*time.Minute}
	return w
}

// code comes in bursts that its maximum cannot take.
func code() workload {
	w := newWorkload("inference", "code", 1, 4)
	w.traffic.Rate = trace.Ramps(
		trace.Point{At: 0, Rate: 0.8}, trace.Point{At: 5 * hour, Rate: 0.3}, trace.Point{At: 13 * hour, Rate: 0.4},
		trace.Point{At: 16 * hour, Rate: 1.8}, trace.Point{At: 17 * hour, Rate: 1.2},
		trace.Point{At: 20 * hour, Rate: 4.8}, trace.Point{At: 21 * hour, Rate: 3.4}, trace.Point{At: 24 * hour, Rate: 1})
	w.traffic.Arrivals = trace.Gamma(2)
	w.traffic.Prompt, w.traffic.Output = trace.LogNormal(2500, 1), trace.LogNormal(400, 0.8)
	w.policy.SLO.TTFT = 2500 * time.Millisecond
	w.policy.Signals = append(w.policy.Signals, recommender.Signal{Metric: recommender.KVCacheUsage, Target: 0.7})
	return w
}

// summarise works in office hours and sleeps at night.
func summarise() workload {
	w := newWorkload("batch", "summarise", 0, 3)
	w.traffic.Rate = trace.Schedule(0, daySeconds,
		trace.Span{From: 14 * hour, To: 18 * hour, Rate: 0.4},
		trace.Span{From: 19 * hour, To: 23.7 * hour, Rate: 0.6})
	w.traffic.Prompt, w.traffic.Output = trace.LogNormal(4000, 0.6), trace.LogNormal(300, 0.5)
	w.initial, w.policy.Held, w.policy.Cooldown = 0, true, 10*time.Minute
	w.policy.SLO = recommender.SLO{}
	return w
}

// newWorkload is a workload without traffic.
func newWorkload(namespace, name string, least, most int32) workload {
	replica := sim.DefaultReplica()
	// A larger model serves fewer requests, and a day has that many fewer to simulate.
	replica.Parameters, replica.BytesPerParameter = 32e9, 1
	replica.MaxNumSeqs = 48
	replica.KnownColdStart = 3 * time.Minute
	p := recommender.DefaultPolicy()
	p.Min, p.Max = least, most
	p.ScaleDown.Window = 15 * time.Minute
	p.Signals = []recommender.Signal{{Metric: recommender.Queue, Target: 16}}
	p.MaxNumSeqs, p.ColdStart = int32(replica.MaxNumSeqs), replica.ColdStart()
	p.SLO = recommender.SLO{TTFT: 2 * time.Second, Objective: 0.95}
	return workload{
		namespace: namespace, name: name, replica: replica, initial: 1, policy: p,
		traffic: trace.Generator{Arrivals: trace.Poisson()},
	}
}
