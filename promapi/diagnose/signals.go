package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// held is how the requests in front of the pods are called among the signals.
const held = "held"

// checkSignals says how each signal is read, and why one has no number.
func (c *checker) checkSignals(ctx context.Context, s *subject) {
	for j := range s.Policy.Signals {
		signal := &s.Policy.Signals[j]
		q := s.o.Quantity(s.Policy, signal)
		s.out.Signals = append(s.out.Signals, c.signal(s, signal, q))
		place := fmt.Sprintf("%s.signals[%d]", s.place, j)
		switch {
		case signal.Metric == recommender.Query:
			c.checkQuery(ctx, s, signal, q, place+".query")
		case s.heard():
			c.checkSignal(ctx, s, signal, q, place+".metric")
		}
	}
	if s.Policy.Held {
		s.out.Signals = append(s.out.Signals, c.signal(s, &recommender.Signal{Metric: held}, s.o.Held))
	}
}

// signal is one line of the report.
func (c *checker) signal(s *subject, signal *recommender.Signal, q recommender.Quantity) Signal {
	out := Signal{Signal: signal.ID(), Optional: signal.Optional, State: stateOf(q)}
	if signal.Metric != recommender.Query && signal.Metric != held && !s.heard() {
		out.recall(s)
	}
	if q.Known() {
		out.Value = &q.Value
	}
	if !q.At.IsZero() {
		age := max(0, c.o.Now.Sub(q.At).Seconds())
		out.Age = &age
	}
	return out
}

// recall says of a signal of pods that are silent what is known of the past.
func (out *Signal) recall(s *subject) {
	if !s.last.IsZero() {
		out.LastSeen = &s.last
	}
	switch {
	case out.State != Absent && out.State != Never:
	case s.never:
		out.State = Never
	case !s.last.IsZero():
		out.State = Gone
	}
}

// stateOf is the state that the evidence says.
func stateOf(q recommender.Quantity) State {
	switch q.Evidence {
	case recommender.Known:
		if q.LowerBound {
			return Partial
		}
		return OK
	case recommender.Stale:
		return Old
	case recommender.Invalid:
		return Invalid
	case recommender.Failed:
		return Failed
	case recommender.NeverMatched:
		return Never
	case recommender.Unobserved:
		return Idle
	case recommender.Absent:
	}
	return Absent
}

// needed is the severity of a fault of one signal.
func needed(signal *recommender.Signal) Severity {
	if signal.Optional {
		return Warning
	}
	return Error
}

// holds is what follows from a signal without a number.
func holds(signal *recommender.Signal) string {
	if signal.Optional {
		return "the signal is optional, so the others decide without it"
	}
	return "nothing falls while a required signal has no number; without any it is silent"
}

// checkSignal says why a signal of replicas that are heard has no number.
func (c *checker) checkSignal(ctx context.Context, s *subject, signal *recommender.Signal, q recommender.Quantity, place string) {
	f := Finding{
		Severity: needed(signal), Workload: s.id, Signal: signal.ID(), Place: place, Why: holds(signal),
	}
	switch q.Evidence {
	case recommender.Known:
		if !s.partial(&f, q) {
			return
		}
	case recommender.Invalid:
		f.Code, f.Found = InvalidValue, "its value is NaN, infinite, negative or out of range"
		f.Fix = "look at the series of the engines"
		if signal.Metric == recommender.KVCacheUsage {
			f.Fix = "it has to be between 0 and 1; an exporter that counts to 100 is not believed"
		}
	case recommender.Absent, recommender.NeverMatched:
		if signal.Metric != recommender.CPU && !s.exports(signal.Metric) {
			f.Code = NotExported
			f.Found = fmt.Sprintf("%s does not export %s", strings.Join(s.read.Engines, " and "), signal.Metric)
			f.Fix = "use queue, running or output_tokens instead, or make the signal optional"
			break
		}
		f.Code, f.Found, f.Fix = c.missing(ctx, s, signal.Metric)
	case recommender.Unobserved:
		if signal.Metric != recommender.TTFT || !s.finishes() {
			return
		}
		f.Code, f.Found, f.Fix = c.missing(ctx, s, signal.Metric)
		f.Found = "requests finish, and " + f.Found
	default:
		return
	}
	c.add(f)
}

// partial reports whether a signal leaves out replicas that are ready, although all that are
// listed are heard, and says which.
func (s *subject) partial(f *Finding, q recommender.Quantity) bool {
	ready, lacking := 0, s.unheard(true)
	var unsound []string
	for _, r := range s.read.Replicas {
		if r.Ready {
			ready++
		}
		if r.Unsound {
			unsound = append(unsound, r.Name)
		}
	}
	most := int(s.o.Ready.Value)
	if !q.LowerBound || !s.o.Ready.Known() || int(q.Replicas)+len(lacking) >= most {
		return false
	}
	f.Severity, f.Code = Warning, SignalPartial
	f.Found = fmt.Sprintf("%d of %s that are ready count in it", q.Replicas, plural(most, "replica"))
	f.Why = "nothing falls while a ready replica does not count"
	switch {
	case most > ready:
		f.Found += fmt.Sprintf("; the status has %d, and the list of kube-state-metrics %d", most, ready)
		f.Fix = "look for a shard of kube-state-metrics that is down, and for relabelling that drops kube_pod_owner"
	case len(unsound) > 0:
		f.Found += "; running or waiting requests are missing, NaN, infinite or negative in " + some(unsound)
		f.Fix = "keep both gauges when relabelling, and look at what these replicas export"
	default:
		f.Fix = "look for replicas without its series, as of a node that is not scraped"
	}
	return true
}

// finishes reports whether requests finish, so that there are first tokens to measure.
func (s *subject) finishes() bool {
	const some = 0.1 // a second
	return s.o.Completions.Known() && s.o.Completions.Value > some
}

// exports reports whether any engine of the workload exports what the signal needs.
func (s *subject) exports(metric recommender.Metric) bool {
	if metric != recommender.KVCacheUsage && metric != recommender.TTFT {
		return true
	}
	return slices.ContainsFunc(s.read.Engines, func(engine string) bool {
		kv, first := promapi.EngineExports(engine)
		return (metric == recommender.KVCacheUsage && kv) || (metric == recommender.TTFT && first)
	})
}

// suffixes are how the metrics of a signal end, whatever the engine.
var suffixes = map[recommender.Metric][]string{
	recommender.KVCacheUsage: {"_cache_usage_perc", "token_usage", "cache_usage_ratio"},
	recommender.TTFT:         {"time_to_first_token_seconds_bucket", "time_to_first_token_seconds"},
	recommender.OutputTokens: {"generation_tokens_total", "tokens_predicted_total"},
	recommender.PromptTokens: {"prompt_tokens_total"},
	recommender.CPU:          {""},
}

// families are what asks for a signal.
var families = map[recommender.Metric]promapi.Family{
	recommender.KVCacheUsage: promapi.FamilyGauges,
	recommender.TTFT:         promapi.FamilyTTFT,
	recommender.OutputTokens: promapi.FamilyCounters,
	recommender.PromptTokens: promapi.FamilyCounters,
	recommender.CPU:          promapi.FamilyCPU,
}

// missing says which metrics of a signal are not there.
func (c *checker) missing(ctx context.Context, s *subject, metric recommender.Metric) (code Code, found, fix string) {
	if metric == recommender.CPU {
		return c.missingCPU(ctx, c.metrics(metric, func(string) bool { return true }))
	}
	all := c.metrics(metric, func(name string) bool { return c.ofEngine(s, name) })
	return SignalMissing, "there is no series of its pods called " + strings.Join(all, " or "),
		"look for metric relabelling (keep, drop) in the scrape"
}

// metrics are the names that the plan asks for a signal.
func (c *checker) metrics(metric recommender.Metric, wanted func(name string) bool) []string {
	var all []string
	for _, sel := range planned(c.plan.Queries, families[metric]) {
		for name := range strings.SplitSeq(sel.metric(), "|") {
			ends := slices.ContainsFunc(suffixes[metric], func(end string) bool { return strings.HasSuffix(name, end) })
			if ends && wanted(name) && !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// missingCPU says which side of the CPU is not there.
func (c *checker) missingCPU(ctx context.Context, metrics []string) (code Code, found, fix string) {
	gone := slices.DeleteFunc(metrics, func(name string) bool {
		rows, ok := c.ask(ctx, fmt.Sprintf("count(%s)", c.injected(name)))
		return !ok || len(rows) > 0
	})
	if len(gone) > 0 {
		return SignalMissing, "there is no series of " + strings.Join(gone, " and "),
			"scrape cAdvisor of the kubelets, and let kube-state-metrics export the requests of containers"
	}
	return SignalMissing, "its pods have no CPU usage or no CPU request", "set resources.requests.cpu of the containers"
}

// ofEngine reports whether a metric is one of an engine of the workload.
func (c *checker) ofEngine(s *subject, name string) bool {
	for gauge, engine := range c.engines {
		end := strings.LastIndexAny(gauge, ":")
		if end >= 0 && strings.HasPrefix(name, gauge[:end+1]) && slices.Contains(s.read.Engines, engine) {
			return true
		}
	}
	return false
}

// checkScrapes compares how often a workload is scraped with what is read of it.
func (c *checker) checkScrapes(s *subject, scrapes scrapeList) {
	every := time.Duration(0)
	for _, r := range s.read.Replicas {
		if d := scrapes[[2]string{r.Namespace, r.Name}]; d > 0 && (every == 0 || d < every) {
			every = d
		}
	}
	if every == 0 {
		return
	}
	f := Finding{
		Severity: Warning, Code: SlowScrapes, Workload: s.id,
		Found: fmt.Sprintf("its engines are scraped every %v", every),
		Fix:   "scrape more often, or raise",
	}
	var why, raise, places []string
	for _, window := range []struct {
		key   string
		value time.Duration
		needs int
		used  bool
	}{
		{"stale_after", c.o.Read.StaleAfter, 2, true},
		{"rate_window", c.o.Read.RateWindow, 4, s.usesRates()},
		{"latency_window", c.o.Read.LatencyWindow, 4, s.usesLatency()},
	} {
		least := every * time.Duration(window.needs)
		if !window.used || window.value >= least {
			continue
		}
		why = append(why, fmt.Sprintf("%s %v is below %d scrapes", window.key, window.value, window.needs))
		raise = append(raise, fmt.Sprintf("%s to %v", window.key, least))
		places = append(places, window.key)
		if 2*window.value < least {
			f.Severity = Error
		}
	}
	if len(why) == 0 {
		return
	}
	f.Place, f.Why = places[0], strings.Join(why, ", ")+": there are gaps in what is read"
	f.Fix += " " + strings.Join(raise, ", ")
	c.add(f)
}

// usesRates reports whether anything of the policy is a rate.
func (s *subject) usesRates() bool {
	return s.Policy.Lookahead > 0 || s.Policy.LookaheadColdStart || s.usesLatency() ||
		slices.ContainsFunc(s.Policy.Signals, func(x recommender.Signal) bool {
			return x.Metric == recommender.OutputTokens || x.Metric == recommender.PromptTokens || x.Metric == recommender.CPU
		})
}

// usesLatency reports whether anything of the policy is a latency.
func (s *subject) usesLatency() bool {
	return s.Policy.SLO.TTFT > 0 ||
		slices.ContainsFunc(s.Policy.Signals, func(x recommender.Signal) bool { return x.Metric == recommender.TTFT })
}
