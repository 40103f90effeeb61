package recommender

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// The limits that the Kubernetes API sets on the same fields.
const (
	maxWindow = time.Hour
	minPeriod = time.Second
	maxPeriod = 30 * time.Minute
)

// maxChange bounds the value of a rate limit, since the arithmetic of limits wraps
// as in Kubernetes: a huge value would forbid what it is meant to allow.
const maxChange = 1_000_000

// minTarget is the smallest target: values count in thousandths.
const minTarget = 0.001

// Validate returns every mistake in p, joined. Each starts with the path of its
// configuration key, relative to the workload.
func (p *Policy) Validate() error {
	var f faults
	p.checkReplicas(&f)
	p.checkSignals(&f)
	p.checkTolerance(&f)
	checkRules(&f, "scale_up", &p.ScaleUp)
	checkRules(&f, "scale_down", &p.ScaleDown)
	p.checkGate(&f)
	p.checkDurations(&f)
	p.checkSchedules(&f)
	p.checkSLO(&f)
	return errors.Join(f...)
}

// faults collects mistakes.
type faults []error

// add notes a mistake at a path.
func (f *faults) add(path, format string, args ...any) {
	*f = append(*f, fmt.Errorf("%s: %w", path, fmt.Errorf(format, args...)))
}

func (p *Policy) checkReplicas(f *faults) {
	if p.Min < 0 {
		f.add("replicas.min", "must not be negative, got %d", p.Min)
	}
	switch {
	case p.Max < 1:
		f.add("replicas.max", "must be at least 1, got %d", p.Max)
	case p.Max < p.Min:
		f.add("replicas.max", "must be at least replicas.min %d, got %d", p.Min, p.Max)
	}
	if p.Min == 0 && !p.Held {
		f.add("replicas.min", "cannot scale from zero: without replicas nothing reports %s; "+
			"add held, which sees requests in front of the pods", p.signalNames())
	}
	if p.MaxNumSeqs < 0 {
		f.add("max_num_seqs", "must not be negative, got %d", p.MaxNumSeqs)
	}
}

// signalNames lists the signals for a message.
func (p *Policy) signalNames() string {
	if len(p.Signals) == 0 {
		return "anything"
	}
	names := make([]string, len(p.Signals))
	for i := range p.Signals {
		names[i] = p.Signals[i].ID()
	}
	return strings.Join(names, ", ")
}

func (p *Policy) checkSignals(f *faults) {
	switch n := len(p.Signals); {
	case n == 0:
		f.add("signals", "must have at least one")
	case n > MaxSignals:
		f.add("signals", "must be at most %d, got %d", MaxSignals, n)
	}
	seen := make(map[string]int, len(p.Signals))
	for i := range p.Signals {
		s := &p.Signals[i]
		path := fmt.Sprintf("signals[%d]", i)
		s.check(f, path)
		if s.Metric == BatchFill && p.MaxNumSeqs <= 0 {
			f.add(path+".metric", "batch_fill needs max_num_seqs")
		}
		id := s.ID()
		if first, twice := seen[id]; twice && id != "" {
			f.add(path, "must differ from signals[%d], both are %q", first, id)
		} else {
			seen[id] = i
		}
	}
}

// check notes the mistakes of one signal.
func (s *Signal) check(f *faults, path string) {
	s.checkMetric(f, path)
	switch {
	case !finite(s.Target) || s.Target <= 0:
		f.add(path+".target", "must be positive, got %v", s.Target)
	case s.Target < minTarget:
		f.add(path+".target", "must be at least %v, got %v", minTarget, s.Target)
	case (s.Metric == KVCacheUsage || s.Metric == BatchFill) && s.Target > 1:
		f.add(path+".target", "is a fraction and must be at most 1, got %v", s.Target)
	}
	switch {
	case s.Metric == TTFT && !inside(s.Percentile):
		f.add(path+".percentile", "must be above 0 and below 1, got %v", s.Percentile)
	case s.Metric != TTFT && s.Percentile != 0:
		f.add(path+".percentile", "is only for ttft")
	}
}

// checkMetric notes a metric that does not exist, and fields that it does not have.
func (s *Signal) checkMetric(f *faults, path string) {
	if s.Metric == Query {
		if s.Name == "" {
			f.add(path+".name", "must be set for a query")
		}
		if s.Type != Total && s.Type != Ratio {
			f.add(path+".type", "must be total or ratio, got %q", string(s.Type))
		}
		return
	}
	if s.Name != "" {
		f.add(path+".name", "is only for a query")
	}
	if s.Type != "" {
		f.add(path+".type", "is only for a query")
	}
	names := make([]string, len(Metrics))
	for i, m := range Metrics {
		if names[i] = string(m); m == s.Metric {
			return
		}
	}
	if near, ok := Nearest(string(s.Metric), names); ok {
		f.add(path+".metric", "unknown metric %q, did you mean %s?", string(s.Metric), near)
		return
	}
	f.add(path+".metric", "unknown metric %q, must be one of %s", string(s.Metric), strings.Join(names, ", "))
}

func (p *Policy) checkTolerance(f *faults) {
	if up := p.Tolerance.Up; !finite(up) || up < 0 {
		f.add("tolerance.up", "must not be negative, got %v", up)
	}
	if down := p.Tolerance.Down; !finite(down) || down < 0 || down >= 1 {
		f.add("tolerance.down", "must be at least 0 and below 1, got %v", down)
	}
}

// checkRules notes the mistakes of the rules of one direction.
func checkRules(f *faults, path string, r *hpa.Rules) {
	if r.Window < 0 || r.Window > maxWindow {
		f.add(path+".window", "must be 0s to %v, got %v", short(maxWindow), short(r.Window))
	}
	switch r.Select {
	case "", hpa.Max, hpa.Min, hpa.Disabled:
	default:
		f.add(path+".select", "must be max, min or disabled, got %q", string(r.Select))
	}
	if len(r.Policies) == 0 && r.Select != hpa.Disabled {
		f.add(path+".policies", "must have at least one, or select: disabled")
	}
	for i := range r.Policies {
		checkLimit(f, fmt.Sprintf("%s.policies[%d]", path, i), &r.Policies[i])
	}
}

// checkLimit notes the mistakes of one rate limit.
func checkLimit(f *faults, path string, p *hpa.Policy) {
	if p.Type != hpa.Pods && p.Type != hpa.Percent {
		f.add(path+".type", "must be pods or percent, got %q", string(p.Type))
	}
	if p.Value < 1 || p.Value > maxChange {
		f.add(path+".value", "must be 1 to %d, got %d", maxChange, p.Value)
	}
	if p.Period < minPeriod || p.Period > maxPeriod {
		f.add(path+".period", "must be %v to %v, got %v", short(minPeriod), short(maxPeriod), short(p.Period))
	}
}

func (p *Policy) checkGate(f *faults) {
	const path = "scale_down.gate"
	if p.Gate == (Gate{}) {
		return
	}
	if fill := p.Gate.BatchFill; !finite(fill) || fill <= 0 || fill > 1 {
		f.add(path+".batch_fill", "must be above 0 and at most 1, got %v", fill)
	}
	if p.MaxNumSeqs <= 0 {
		f.add(path+".batch_fill", "needs max_num_seqs")
	}
	if p.Gate.For < 0 {
		f.add(path+".for", "must not be negative, got %v", short(p.Gate.For))
	}
}

func (p *Policy) checkDurations(f *faults) {
	for _, d := range [...]struct {
		path string
		time.Duration
	}{
		{"cold_start", p.ColdStart}, {"lookahead", p.Lookahead}, {"cooldown", p.Cooldown}, {"hold_limit", p.HoldLimit},
	} {
		if d.Duration < 0 {
			f.add(d.path, "must not be negative, got %v", short(d.Duration))
		}
	}
}

func (p *Policy) checkSchedules(f *faults) {
	for i := range p.Schedules {
		s := &p.Schedules[i]
		path := fmt.Sprintf("schedules[%d]", i)
		switch {
		case s.Min < 0:
			f.add(path+".min", "must not be negative, got %d", s.Min)
		case s.Min > p.Max:
			f.add(path+".min", "must be at most replicas.max %d, got %d", p.Max, s.Min)
		}
		switch {
		case s.Start.zero():
			f.add(path+".start", "must be set")
		case s.End.zero():
			f.add(path+".end", "must be set")
		case s.Start.same(&s.End):
			f.add(path+".end", "must differ from start, got %q twice", s.End.String())
		case s.Start.covers(&s.End):
			f.add(path+".end", "%q never ends what %q starts in the same minute", s.End.String(), s.Start.String())
		}
	}
}

func (p *Policy) checkSLO(f *faults) {
	if p.SLO == (SLO{}) {
		return
	}
	if p.SLO.TTFT <= 0 {
		f.add("slo.ttft", "must be positive, got %v", short(p.SLO.TTFT))
	}
	if !inside(p.SLO.Objective) {
		f.add("slo.objective", "must be above 0 and below 1, got %v", p.SLO.Objective)
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// inside reports whether v lies between 0 and 1, both excluded.
func inside(v float64) bool { return v > 0 && v < 1 }

// short writes a duration as a configuration does: 1h, not 1h0m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
