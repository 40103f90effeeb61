package hpa

import "time"

// A Phase is the phase of a pod. The empty Phase means Running.
type Phase string

// The phases that matter here.
const (
	Running Phase = "Running"
	Pending Phase = "Pending"
	Failed  Phase = "Failed"
)

// A Readiness is the status of a pod's Ready condition. The empty Readiness is a pod
// without that condition.
type Readiness string

// The readiness of a pod.
const (
	Ready    Readiness = "True"
	NotReady Readiness = "False"
)

// An Amount is a quantity in milli that may be unknown.
type Amount struct {
	Milli int64
	Known bool
}

// A Sample is one pod's value of one metric.
type Sample struct {
	Amount
	Time   time.Time     // end of the window
	Window time.Duration // over which it was measured
}

// A Pod is one pod of the workload.
type Pod struct {
	Phase      Phase
	Gone       bool // no longer listed, though the metrics API still reports it
	Deleting   bool // has a deletion timestamp
	Ready      Readiness
	ReadySince time.Time // last transition of the Ready condition
	Started    time.Time // zero: not started
	Request    Amount    // of the resource that utilisation is measured against
	Samples    []Sample  // one per metric; those of the other kinds are not used
}

// readyPods counts the pods that serve, those being deleted included. It says no if
// no pod is listed.
func readyPods(pods []Pod) (n int, ok bool) {
	for i := range pods {
		p := &pods[i]
		ok = ok || !p.Gone
		if !p.Gone && (p.Phase == "" || p.Phase == Running) && p.Ready == Ready {
			n++
		}
	}
	return n, ok
}

// A standing says how a pod takes part in a per-pod metric.
type standing uint8

const (
	ignored  standing = iota // left out, its value dropped
	unready                  // its value dropped, counted as idle when growing
	unheard                  // has no value; a cautious one is put in
	counted                  // a replica with a value
	unlisted                 // a value without a pod
)

// standing looks at readiness and age for CPU only, because only there a starting pod
// looks busy. A pod of any other metric counts as soon as it runs and has a value.
func (p *Pod) standing(now time.Time, v Sample, cpu bool, f *Flags) standing {
	switch {
	case p.Gone:
		return unlisted
	case p.Deleting || p.Phase == Failed:
		return ignored
	case p.Phase == Pending:
		return unready
	case !v.Known:
		return unheard
	case cpu && p.starting(now, v, f):
		return unready
	}
	return counted
}

// starting reports whether a CPU sample says more about the start of the pod than
// about its load: within the initialisation period a pod that is not ready, or a
// sample that began before it became ready; later, a pod that never was ready.
func (p *Pod) starting(now time.Time, v Sample, f *Flags) bool {
	if p.Ready == "" || p.Started.IsZero() {
		return true
	}
	if p.Started.Add(f.CPUInitialization).After(now) {
		return p.Ready == NotReady || v.Time.Before(p.ReadySince.Add(v.Window))
	}
	return p.Ready == NotReady && p.Started.Add(f.InitialReadiness).After(p.ReadySince)
}

// A group is a metric's pods, added up by standing.
type group struct {
	listed, unrequested     int // pods; those among them without a request
	ready, unready, unheard int

	values int64 // how many values are in play, those of unlisted pods included
	total  int64 // milli, over the values in play
	known  int64 // milli, over the values of listed pods only
	asked  int64 // milli, requests of the listed pods in play

	unreadyAsked, unheardAsked int64 // milli, requests of the others
	unheardFull                int64 // milli, what unheard pods use if they are busy
}

// sortPods groups the pods for metric i. busy is the percentage of its request that a
// busy pod uses.
func sortPods(now time.Time, spec *Spec, i int, pods []Pod, busy int64) group {
	m := &spec.Metrics[i]
	cpu := m.Kind != PodsAverage && m.Name == CPU
	var g group
	for k := range pods {
		p := &pods[k]
		var v Sample
		if i < len(p.Samples) {
			v = p.Samples[i]
		}
		g.add(p, v, p.standing(now, v, cpu, &spec.Flags), busy)
	}
	return g
}

func (g *group) add(p *Pod, v Sample, s standing, busy int64) {
	if s != unlisted {
		g.listed++
		if !p.Request.Known {
			g.unrequested++
		}
	}
	request := p.Request.Milli
	switch s {
	case unlisted:
		if v.Known {
			g.values++
			g.total += v.Milli
		}
	case unready:
		g.unready++
		g.unreadyAsked += request
	case unheard:
		g.unheard++
		g.unheardAsked += request
		g.unheardFull += request * busy / 100
	case counted:
		g.ready++
		g.values++
		g.total += v.Milli
		g.known += v.Milli
		g.asked += request
	case ignored:
	}
}

// ratio is the usage over the target: for an average the mean value in whole milli,
// for a utilisation the whole percent of the requests, both cut off. It says no where
// there is nothing to divide by.
func (g *group) ratio(m *Metric) (float64, bool) {
	if m.Kind != ResourceUtilization {
		return float64(g.total/g.values) / float64(m.Target), true
	}
	if g.asked == 0 {
		return 0, false
	}
	percent := int32(g.known * 100 / g.asked)
	return float64(percent) / float64(m.Target), true
}

// fill puts in values that slow the move that ratio asks for: unheard pods are busy
// when it would shrink, and idle, as unready ones are, when it would grow.
func (g *group) fill(m *Metric, ratio float64) {
	if ratio != 1 {
		g.values += int64(g.unheard)
		g.asked += g.unheardAsked
	}
	if ratio < 1 {
		g.total += int64(g.unheard) * m.Target
		g.known += g.unheardFull
	}
	if ratio > 1 {
		g.values += int64(g.unready)
		g.asked += g.unreadyAsked
	}
}

// perPod is the proposal of a metric that has a value per pod.
func perPod(now time.Time, spec *Spec, i int, o *Observation) (int32, bool) {
	m := &spec.Metrics[i]
	g := sortPods(now, spec, i, o.Pods, max(100, m.Target))
	if g.listed == 0 || g.values == 0 || m.Kind == ResourceUtilization && g.unrequested > 0 {
		return 0, false
	}
	ratio, ok := g.ratio(m)
	if !ok {
		return 0, false
	}
	if g.unheard == 0 && (g.unready == 0 || ratio <= 1) {
		if spec.within(ratio) {
			return o.Replicas, true
		}
		return ceiling(ratio * float64(g.ready)), true
	}
	g.fill(m, ratio)
	filled, ok := g.ratio(m)
	return cautious(spec, o.Replicas, ratio, filled, g.values), ok
}

// cautious scales the pods in play by the ratio after filling, unless that turned the
// direction or the result lies on the wrong side of current.
func cautious(spec *Spec, current int32, ratio, filled float64, values int64) int32 {
	if spec.within(filled) || ratio < 1 && filled > 1 || ratio > 1 && filled < 1 {
		return current
	}
	n := ceiling(filled * float64(values))
	if filled < 1 && n > current || filled > 1 && n < current {
		return current
	}
	return n
}
