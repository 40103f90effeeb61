package sim

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/trace"
)

// What follows is a second simulator, as plain as can be: fixed steps of 0.25 s, and in
// each a scan over all running requests. It shares no code with the first, which must
// agree with it in fixed steps, and is the yardstick of its speed.

type plainRequest struct {
	at, first float64 // first is when the first token came, -1 before
	prompt    float64
	output    float64
	wrote     float64
}

type plainReplica struct {
	queue, running []*plainRequest
	readyAt        float64
	draining       bool
}

type plainResult struct {
	misses, peak, events int
	p50, p95, minutes    float64
}

// The default replica in numbers: 16 GB of weights in half precision read at 70 % of 3.35
// TB/s, 128 KiB of cache a token, 52 GB for them, 24,750 tokens of prompts a second.
const (
	plainStep      = 0.25
	plainRead      = 24750.0
	plainCapacity  = 396728.0
	plainSlots     = 64
	plainColdStart = 91.0
)

func plainDecode(context float64) float64 { return (16e9 + context*131072) / (3350e9 * 0.7) }

func (r *plainReplica) outstanding() int { return len(r.queue) + len(r.running) }

func (r *plainReplica) context() float64 {
	sum := 0.0
	for _, q := range r.running {
		sum += q.prompt + q.wrote
	}
	return sum
}

func (r *plainReplica) fits(q *plainRequest) bool {
	reserved := q.prompt + q.output
	for _, other := range r.running {
		reserved += other.prompt + other.output
	}
	return len(r.running) < plainSlots && reserved <= plainCapacity
}

func (r *plainReplica) serve(now float64) {
	budget := plainStep
	for budget > 0 && len(r.queue) > 0 && r.fits(r.queue[0]) {
		q := r.queue[0]
		r.queue = r.queue[1:]
		q.first = max(now+plainStep-budget, q.at) + q.prompt/plainRead
		budget -= q.prompt / plainRead
		r.running = append(r.running, q)
	}
	if budget <= 0 {
		return
	}
	tokens := budget / plainDecode(r.context())
	r.running = slices.DeleteFunc(r.running, func(q *plainRequest) bool {
		if q.output-q.wrote <= tokens {
			return true
		}
		q.wrote += tokens
		return false
	})
}

type plainFleet struct {
	replicas []*plainReplica
	held     []*plainRequest
}

func (f *plainFleet) ready(now float64) []*plainReplica {
	var list []*plainReplica
	for _, r := range f.replicas {
		if !r.draining && r.readyAt <= now {
			list = append(list, r)
		}
	}
	return list
}

func (f *plainFleet) current() int {
	n := 0
	for _, r := range f.replicas {
		if !r.draining {
			n++
		}
	}
	return n
}

func leastLoaded(list []*plainReplica) *plainReplica {
	return slices.MinFunc(list, func(a, b *plainReplica) int { return a.outstanding() - b.outstanding() })
}

func (f *plainFleet) resize(n int, now float64) {
	for f.current() < n {
		f.replicas = append(f.replicas, &plainReplica{readyAt: now + plainColdStart})
	}
	for f.current() > n {
		last := len(f.replicas) - 1
		for last >= 0 && (f.replicas[last].draining || f.replicas[last].readyAt <= now) {
			last--
		}
		if last >= 0 {
			f.replicas = slices.Delete(f.replicas, last, last+1)
			continue
		}
		leastLoaded(f.ready(now)).draining = true
	}
}

// observe is what the policies under test look at.
func (f *plainFleet) observe(now float64, start time.Time) recommender.Observation {
	at := start.Add(time.Duration(now * float64(time.Second)))
	ready := f.ready(now)
	exactly := func(v float64) recommender.Quantity { return recommender.Exactly(v, at, int32(len(ready))) }
	o := recommender.Observation{
		Time: at, Current: exactly(float64(f.current())), Held: exactly(float64(len(f.held))),
		Ready: exactly(float64(len(ready))), Reporting: exactly(float64(len(ready))),
	}
	if len(ready) == 0 {
		return o
	}
	running, waiting, usage, cpu := 0.0, 0.0, 0.0, 0.0
	for _, r := range ready {
		running += float64(len(r.running))
		waiting += float64(len(r.queue))
		usage += r.context() / plainCapacity / float64(len(ready))
		cores := 0.2
		if len(r.running) > 0 {
			cores += 1 + 0.01*float64(len(r.running))
		}
		cpu += 100 * cores / 4 / float64(len(ready))
	}
	o.Running, o.Waiting, o.KVCacheUsage, o.CPU = exactly(running), exactly(waiting), exactly(usage), exactly(cpu)
	return o
}

// plain simulates seconds of requests from initial replicas on.
func plain(requests trace.Slice, scale Scaler, start time.Time, initial int, seconds float64) plainResult {
	all := make([]plainRequest, len(requests))
	f := plainFleet{}
	for range initial {
		f.replicas = append(f.replicas, &plainReplica{})
	}
	got := plainResult{peak: initial}
	next := 0
	for now := 0.0; now < seconds; now += plainStep {
		ready := f.ready(now)
		if len(ready) > 0 {
			for _, q := range f.held {
				to := leastLoaded(ready)
				to.queue = append(to.queue, q)
			}
			f.held = nil
		}
		for ; next < len(requests) && requests[next].At < now+plainStep; next++ {
			q := &all[next]
			*q = plainRequest{at: requests[next].At, first: -1, prompt: float64(requests[next].Prompt), output: float64(requests[next].Output)}
			if len(ready) == 0 {
				f.held = append(f.held, q)
				continue
			}
			to := leastLoaded(ready)
			to.queue = append(to.queue, q)
		}
		if math.Mod(now, 15) == 0 && now > 0 {
			if d := scale(f.observe(now, start)); d.Known && int(d.Desired) != f.current() {
				got.events++
				f.resize(int(d.Desired), now)
				got.peak = max(got.peak, len(f.replicas))
			}
		}
		got.minutes += float64(len(f.replicas)) * plainStep / 60
		for _, r := range f.replicas {
			if r.readyAt <= now {
				r.serve(now)
			}
		}
		f.replicas = slices.DeleteFunc(f.replicas, func(r *plainReplica) bool { return r.draining && r.outstanding() == 0 })
	}
	got.waits(all)
	return got
}

func (p *plainResult) waits(all []plainRequest) {
	var waits []float64
	for i := range all {
		if all[i].first < 0 || all[i].first-all[i].at > 2 {
			p.misses++
		}
		if all[i].first >= 0 {
			waits = append(waits, all[i].first-all[i].at)
		}
	}
	if len(waits) == 0 {
		return
	}
	slices.Sort(waits)
	rank := func(q float64) float64 { return waits[int(math.Ceil(q*float64(len(waits))))-1] }
	p.p50, p.p95 = rank(0.5), rank(0.95)
}

func TestFixedStepsAgreeWithThePlainSimulator(t *testing.T) {
	requests := defaultTrace(t)
	for _, c := range seed000 {
		t.Run(c.policy, func(t *testing.T) {
			r, scale := follow(t, c.policy, 1500, seed000Step)
			got := replay(t, r, requests, scale, nil)
			want := plain(requests, Follow(policy(t, c.policy), r.Start), r.Start, r.Initial, 1500)
			if got.Misses != want.misses || got.Peak != want.peak || got.Events != want.events {
				t.Errorf("got %d misses, peak %d, %d events, want %d, %d and %d",
					got.Misses, got.Peak, got.Events, want.misses, want.peak, want.events)
			}
			near(t, "p50", got.TTFT.P50, want.p50, 1e-9)
			near(t, "p95", got.TTFT.P95, want.p95, 1e-9)
			near(t, "replica-minutes", got.ReplicaMinutes(), want.minutes, 1e-9)
		})
	}
}

// near fails unless got is want, up to a fraction of it.
func near(tb testing.TB, what string, got, want, fraction float64) {
	tb.Helper()
	if !(math.Abs(got-want) <= fraction*max(math.Abs(want), 1e-9)) {
		tb.Errorf("%s: got %.12g, want %.12g within %g of it", what, got, want, fraction)
	}
}
