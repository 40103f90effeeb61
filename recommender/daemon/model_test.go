package daemon

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/hpa"
)

// modelScrape is the time between two scrapes of an invented workload.
const modelScrape = 15 * time.Second

// A model is an invented workload: its policy, its load, its replicas, and what goes wrong.
type model struct {
	rng    *rand.Rand
	id     identity
	policy *recommender.Policy
	lag    int     // slots that the follower needs; below 0 there is none
	most   int     // replicas that it moves at once
	asked  []int   // what was desired lately, for the lag
	drawn  float64 // requests that are there, as the trend has it
	trend  float64 // of them
	stuck  bool    // the engines finish nothing
	routed bool    // its gateway has heard of it

	current int
	pods    []*modelPod
	born    int // pods so far
	// What is not scraped, for how many scrapes more, and whether that is marked stale.
	deaf, blind int
	marked      bool
	scraped     time.Duration // its place within the scrapes
}

// A modelPod is one replica.
type modelPod struct {
	name             string
	loads            int // scrapes until it is ready
	deaf             int
	running, waiting float64
	tokens, finished float64
	slow             float64 // of finished
	created, ready   time.Time
	series           *podSeries
}

// newModel invents a workload whose windows reach back at most so far.
func newModel(rng *rand.Rand, i int, reach time.Duration) *model {
	m := &model{
		rng: rng, id: identity{"ns", fmt.Sprintf("model-%03d", i)},
		policy: modelPolicy(rng, reach), lag: rng.IntN(6) - 1, most: 1 + rng.IntN(8),
		scraped: time.Duration(rng.Int64N(int64(modelScrape/time.Millisecond))) * time.Millisecond,
	}
	m.current = max(1, int(m.policy.Min))
	if i%40 == 7 {
		m.policy.SLO = recommender.SLO{TTFT: time.Second, Objective: 0.9}
	}
	return m
}

// modelPolicy invents a policy.
func modelPolicy(rng *rand.Rand, reach time.Duration) *recommender.Policy {
	p := recommender.DefaultPolicy()
	within := func() time.Duration { return time.Duration(rng.Int64N(int64(reach)/15e9+1)) * 15 * time.Second }
	p.Min = rng.Int32N(3)
	p.Max = max(1, p.Min) + rng.Int32N(9)
	p.Held = p.Min == 0 || rng.IntN(3) == 0
	p.Signals = modelSignals(rng)
	p.ScaleDown.Window = within()
	if rng.IntN(3) == 0 {
		p.ScaleUp.Window = within() / 4
	}
	for _, rules := range []*hpa.Rules{&p.ScaleUp, &p.ScaleDown} {
		if rng.IntN(2) == 0 {
			rules.Policies = []hpa.Policy{{Type: hpa.Pods, Value: 1 + rng.Int32N(3), Period: 15*time.Second + within()}}
		}
	}
	if rng.IntN(3) == 0 {
		p.Gate = recommender.Gate{BatchFill: 0.3 + 0.5*rng.Float64(), For: within()}
	}
	p.ColdStart = time.Duration(rng.IntN(3)) * time.Minute
	p.Lookahead = time.Duration(max(0, rng.IntN(5)-2)) * time.Minute
	p.LookaheadColdStart = rng.IntN(4) == 0
	p.Cooldown = time.Minute + within()/2
	p.HoldLimit = time.Minute + within()
	p.MaxNumSeqs = 8
	if rng.IntN(4) == 0 {
		p.Schedules = []recommender.Schedule{modelSchedule(rng, p.Max)}
	}
	return &p
}

func modelSignals(rng *rand.Rand) []recommender.Signal {
	all := []recommender.Signal{
		{Metric: recommender.Queue, Target: 4 + float64(rng.IntN(9))},
		{Metric: recommender.Waiting, Target: 1 + float64(rng.IntN(4))},
		{Metric: recommender.Running, Target: 3 + float64(rng.IntN(4))},
		{Metric: recommender.KVCacheUsage, Target: 0.6},
		{Metric: recommender.BatchFill, Target: 0.7},
		{Metric: recommender.OutputTokens, Target: 60},
		{Metric: recommender.TTFT, Target: 0.8, Percentile: 0.95},
	}
	signals := []recommender.Signal{all[rng.IntN(3)]}
	for _, s := range all[3:] {
		if rng.IntN(5) == 0 {
			s.Optional = rng.IntN(2) == 0
			signals = append(signals, s)
		}
	}
	return signals
}

// modelSchedule is a floor for some minutes of every half an hour.
func modelSchedule(rng *rand.Rand, most int32) recommender.Schedule {
	from := rng.IntN(20)
	cron := func(minute int) recommender.Cron {
		c, err := recommender.ParseCron(fmt.Sprintf("%d-59/30 * * * *", minute))
		if err != nil {
			panic(err)
		}
		return c
	}
	return recommender.Schedule{Start: cron(from), End: cron(from + 1 + rng.IntN(9)), Min: 1 + rng.Int32N(most)}
}

// workload is the model as a reader has it.
func (m *model) workload() promapi.Workload {
	w := promapi.Workload{Namespace: m.id.namespace, Name: m.id.name, Policy: m.policy}
	if m.policy.Held {
		w.Held = []promapi.HeldSource{{Preset: promapi.HeldKEDA}}
	}
	return w
}

// follow takes what is desired, or that nothing is known to be.
func (m *model) follow(d *recommender.Decision) {
	switch {
	case m.rng.IntN(80) == 0: // somebody else
		m.current = m.rng.IntN(int(m.policy.Max) + 2)
	case m.lag < 0 || !d.Known:
	default:
		m.asked = append(m.asked, int(d.Desired))
		if len(m.asked) > m.lag {
			way := m.asked[0] - m.current
			m.current += max(-m.most, min(m.most, way))
			m.asked = m.asked[1:]
		}
	}
}

// step lets the time between two scrapes pass.
func (m *model) step(now time.Time) {
	m.fail()
	m.scale(now)
	m.load()
	var serving []*modelPod
	for _, p := range m.pods {
		if p.loads > 0 {
			p.loads--
			if p.loads == 0 {
				p.ready = now
			}
		}
		p.deaf = max(0, p.deaf-1)
		if p.loads == 0 {
			serving = append(serving, p)
		}
	}
	for _, p := range serving {
		p.serve(m.drawn/float64(len(serving)), m.stuck, m.rng)
	}
}

// fail begins what goes wrong now and then, and ends it.
func (m *model) fail() {
	m.deaf, m.blind = max(0, m.deaf-1), max(0, m.blind-1)
	for _, gap := range []struct {
		scrapes *int
		once    int // in so many scrapes
	}{{&m.deaf, 60}, {&m.blind, 120}} {
		if *gap.scrapes == 0 && m.rng.IntN(gap.once) == 0 {
			*gap.scrapes = 1 + m.rng.IntN([]int{2, 8, 40}[m.rng.IntN(3)])
			m.marked = m.rng.IntN(2) == 0
		}
	}
	for _, p := range m.pods {
		if m.rng.IntN(150) == 0 {
			p.deaf = 1 + m.rng.IntN(30)
		}
	}
	if m.rng.IntN(100) == 0 {
		m.stuck = !m.stuck
	}
}

// load moves the requests that are there.
func (m *model) load() {
	if m.rng.IntN(12) == 0 {
		m.trend = []float64{0, 0, 3, 10, 30, 60}[m.rng.IntN(6)] * m.rng.Float64()
	}
	m.drawn += (m.trend-m.drawn)*0.3 + m.rng.NormFloat64()*0.5
	if m.drawn = float64(int(m.drawn)); m.drawn < 1 {
		m.drawn = 0
	}
	m.routed = m.routed || m.drawn > 0
}

// scale makes the pods that are missing and removes those that are too many.
func (m *model) scale(now time.Time) {
	for len(m.pods) < m.current {
		p := &modelPod{name: fmt.Sprintf("%s-6f5d9c7b9d-%05d", m.id.name, m.born), loads: m.rng.IntN(12), created: now}
		if m.rng.IntN(4) > 0 {
			p.loads = 1 + m.rng.IntN(3)
		}
		m.born++
		m.pods = append(m.pods, p)
	}
}

// serve takes a share of the requests. Now and then the engine restarts, and its
// counters with it.
func (p *modelPod) serve(share float64, stuck bool, rng *rand.Rand) {
	p.running = min(share, 8)
	p.waiting = float64(int(share - p.running))
	if rng.IntN(200) == 0 {
		p.tokens, p.finished, p.slow = 0, 0, 0
	}
	if stuck && p.waiting > 0 {
		return
	}
	p.tokens += p.running * 10 * modelScrape.Seconds()
	p.finished += float64(int(p.running * 2))
	if p.waiting > 0 {
		p.slow += float64(int(p.running))
	}
}
