package recommender

import "time"

// An Observation is what is known about one workload at one instant.
type Observation struct {
	// Time is the instant that the observation is for.
	Time time.Time

	// Current is the replicas asked for in the workload's spec, Ready those that
	// are ready, Reporting those that are ready and were heard.
	Current, Ready, Reporting Quantity

	// Running, Waiting and Held count requests: in the batch, queued in the
	// engine, held in front of the pods.
	Running, Waiting, Held Quantity

	// KVCacheUsage is the mean over reporting replicas of the fullest cache of
	// each, KVCacheUsageMax the fullest of all, both between 0 and 1.
	KVCacheUsage, KVCacheUsageMax Quantity

	// TTFT is the time to the first token in seconds, for each percentile in use.
	TTFT []Percentile

	// SLOMiss is the fraction of recent requests whose first token came after
	// SLOBound seconds: the objective, snapped to a bucket of the histogram.
	SLOMiss, SLOBound Quantity

	// Tokens, arriving requests and finished requests per second.
	OutputTokens, PromptTokens, Arrivals, Completions Quantity

	// CPU is the mean over replicas of the CPU used, in percent of the request.
	CPU Quantity

	// Queries holds the answers to custom queries, by the name of their signal.
	Queries []Answer

	// ColdStart is how long replicas took from created to ready, in seconds.
	ColdStart []Percentile
}

// A Percentile is one percentile of a distribution.
type Percentile struct {
	// P is between 0 and 1.
	P float64
	Quantity
}

// An Answer is the result of a custom query.
type Answer struct {
	Name string
	Quantity
}

// Quantity returns what o knows of s, in the unit of the signal's target, under
// the policy p. Requests held in front of the pods count where p has a source for them.
func (o *Observation) Quantity(p *Policy, s *Signal) Quantity {
	q := o.own(p, s)
	if s.countsHeld() && p.Held {
		q = q.plus(o.Held.checked())
	}
	return q
}

// own returns the quantity of s without held requests.
func (o *Observation) own(p *Policy, s *Signal) Quantity {
	if s.FromPods() && o.silent(p) {
		return o.nothing(s)
	}
	q := o.read(p, s).checked()
	if s.FromPods() && !o.covered() {
		q.LowerBound = true
	}
	return q
}

// read returns the quantity of s as it was observed.
func (o *Observation) read(p *Policy, s *Signal) Quantity {
	switch s.Metric {
	case Queue:
		return o.Running.checked().plus(o.Waiting.checked())
	case Waiting:
		return o.Waiting
	case Running:
		return o.Running
	case KVCacheUsage:
		return o.KVCacheUsage
	case BatchFill:
		return o.BatchFill(p.MaxNumSeqs)
	case TTFT:
		return percentile(o.TTFT, s.Percentile)
	case CPU:
		return o.CPU
	case OutputTokens:
		return o.OutputTokens
	case PromptTokens:
		return o.PromptTokens
	case Query:
		return o.answer(s.Name)
	default:
		return Missing(Absent)
	}
}

// BatchFill returns the running requests over the batch slots of the reporting
// replicas, where one replica runs at most maxNumSeqs at once.
func (o *Observation) BatchFill(maxNumSeqs int32) Quantity {
	q := o.Running
	if !q.Known() || maxNumSeqs <= 0 {
		return Quantity{Evidence: min(q.Evidence, Unobserved), At: q.At}
	}
	if q.Replicas <= 0 {
		return Missing(Unobserved)
	}
	q.Value /= float64(maxNumSeqs) * float64(q.Replicas)
	return q
}

// silent reports whether the pods have nothing to say, so that their silence is
// what it should be: there are none, or none is ready and every request is held in
// front of them, where it is counted. Pods that load without such a counter are not
// idle, and a query that failed or a number that is none is not silence.
func (o *Observation) silent(p *Policy) bool {
	if !o.Running.absent() || !o.Waiting.absent() || (o.Ready.Known() && o.Ready.Value > 0) || !o.Current.Known() {
		return false
	}
	return o.Current.Value == 0 || (o.Ready.Complete() && p.Held && o.Held.checked().Complete())
}

// nothing is what a signal of the pods says when they have nothing to say.
func (o *Observation) nothing(s *Signal) Quantity {
	if s.Additive() {
		return Exactly(0, o.Current.At, 0)
	}
	return Missing(Unobserved)
}

// covered reports whether every ready replica was heard.
func (o *Observation) covered() bool {
	return o.Ready.Complete() && o.Reporting.Known() && o.Reporting.Value >= o.Ready.Value
}

// answer returns the result of the custom query of that name.
func (o *Observation) answer(name string) Quantity {
	for i := range o.Queries {
		if o.Queries[i].Name == name {
			return o.Queries[i].Quantity
		}
	}
	return Missing(Absent)
}

// percentile returns the p-th percentile of a distribution.
func percentile(list []Percentile, p float64) Quantity {
	for i := range list {
		if list[i].P == p {
			return list[i].Quantity
		}
	}
	return Missing(Absent)
}

// count returns a known quantity as a number of replicas.
func count(q Quantity) int32 { return int32(min(max(q.Value, 0), most)) }

// most is more replicas than any workload has, and leaves room to count in.
const most = 1 << 30
