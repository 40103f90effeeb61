package soak

import (
	"slices"
	"time"

	"github.com/infscale/infscale/promapi"
)

// An outcome is what became of the queries of one family.
type outcome uint8

const (
	answered outcome = iota
	partly
	unanswered
)

// A circumstance is what was done to a daemon in one tick.
type circumstance struct {
	tick int
	// slot is what the daemon takes for now.
	slot time.Time
	// wire are the faults between the daemon and Prometheus, oldest first.
	wire []*fault
	// locked says that the token in the daemon's file is not the one that is asked for.
	locked bool
	// begun says that the daemon started in this tick, rewound that its clock was set
	// back, jumped by how many slots it was set forward.
	begun, rewound bool
	jumped         int
	// interrupted says that queries were cut off by a reload.
	interrupted bool
	// broken says that the file of the configuration is.
	broken bool
	// excused says that queries failed that nothing was done to: this machine was too slow.
	excused bool
}

// calm reports whether nothing was done to the daemon's queries.
func (c *circumstance) calm() bool { return len(c.wire) == 0 && !c.locked && !c.excused }

// outcome returns what became of the queries of a family.
func (c *circumstance) outcome(family promapi.Family) outcome {
	for _, f := range c.wire {
		if f.name == "TLS expired" || f.name == "down" || (f.name == "replaying" && f.refuses(c.tick)) {
			return unanswered
		}
	}
	for _, f := range slices.Backward(c.wire) {
		switch {
		case f.name == "token rotated" || (f.family != "" && f.family != family):
		case f.name == "partial answer":
			return partly
		case f.name == "redirect here", f.name == lies:
			return c.unlocked()
		default:
			return unanswered
		}
	}
	return c.unlocked()
}

func (c *circumstance) unlocked() outcome {
	if c.locked {
		return unanswered
	}
	return answered
}

// mayFail returns the causes that queries may have failed of.
func (c *circumstance) mayFail() map[promapi.Cause]bool {
	may := c.mustFail()
	if c.interrupted {
		may[promapi.CauseCancelled] = true // The reload may have come too late for them.
	}
	return may
}

// mustFail returns the causes of the faults on the wire.
func (c *circumstance) mustFail() map[promapi.Cause]bool {
	must := map[promapi.Cause]bool{}
	for _, f := range c.wire {
		for _, cause := range f.causes {
			if cause != promapi.CauseAuth || c.locked {
				must[cause] = true
			}
		}
	}
	return must
}

// A certainty is whether something is so.
type certainty uint8

const (
	no certainty = iota
	maybe
	yes
)

// An expectation is what may be said of a workload, given what can be known of it.
type expectation struct {
	// whole is whether all required evidence was complete and fresh. Valid is then 1.
	whole certainty
	// mayFall says that the recommendation may.
	mayFall bool
	// usable is whether there was anything to go by.
	usable certainty
	// reasons are those that an invalid decision may have.
	reasons map[string]bool
	// current is the count in the spec, if it is known for sure.
	current *int
	// load is the requests in the pods, if all of them were heard.
	load *float64
	// blindToHeld says that requests in front of the pods are not all seen, mayWake that
	// some may be, which wakes one replica whatever else is known.
	blindToHeld, mayWake bool
}

// words are the reasons for evidence that is missing.
var words = map[condition]string{
	part: "partial_data", begun: "partial_data", invalid: "invalid_data", stale: "stale_data", absent: "no_data", failed: "query_error",
}

// spoiled is a condition after what became of the query for it.
func spoiled(c condition, o outcome) []condition {
	switch {
	case o == unanswered:
		return []condition{failed}
	case o == partly && c != whole:
		return []condition{part, absent, stale, c}
	case o == partly:
		return []condition{part, absent, stale}
	default:
		return []condition{c}
	}
}

// expect says what follows for a workload.
func expect(s *shape, see *sight, c *circumstance) expectation {
	e := expectation{whole: yes, usable: no, reasons: map[string]bool{}}
	held := c.outcome(promapi.FamilyHeld)
	e.blindToHeld = see.held != whole || held != answered
	e.mayWake = see.held == whole && held != unanswered && see.waiting > 0
	current := spoiled(see.current, c.outcome(promapi.FamilyReplicas))
	if len(current) == 1 && current[0] == whole {
		e.current = &see.spec
	}
	e.require(current)
	known := e.whole
	signals := signalsOf(s, see, c)
	for _, conditions := range signals {
		e.require(conditions)
		e.use(conditions, known)
	}
	if e.usable != no && len(current) > 1 {
		e.usable = maybe
	}
	switch {
	case len(current) == 1 && current[0] != whole:
		e.usable = no
		e.reasons = map[string]bool{words[current[0]]: true}
	case e.whole != yes && e.usable != no && len(signals) > 1, len(current) > 1:
		e.reasons["partial_data"] = true
	}
	if c.outcome(promapi.FamilyEvidence) != answered && e.reasons["stale_data"] {
		e.reasons["no_data"] = true // How old a sample is is not known then.
	}
	e.mayFall = e.whole != no
	e.leniencies(s, see, c)
	return e
}

// require notes one thing that has to be known. Of several conditions one holds.
func (e *expectation) require(conditions []condition) {
	for _, c := range conditions {
		if c != whole {
			e.whole = no
			e.reasons[words[c]] = true
		}
	}
}

// use notes that a signal may be gone by.
func (e *expectation) use(conditions []condition, known certainty) {
	for _, c := range conditions {
		switch {
		case c != whole && c != part && c != begun:
		case len(conditions) == 1 && known == yes:
			e.usable = yes
		default:
			e.usable = max(e.usable, maybe)
		}
	}
}

// signalsOf are the conditions that each signal of a workload may be in.
func signalsOf(s *shape, see *sight, c *circumstance) [][]condition {
	if s.backlog {
		return [][]condition{spoiled(see.backlog, c.outcome(promapi.FamilyCustom))}
	}
	gauges, pods := c.outcome(promapi.FamilyGauges), c.outcome(promapi.FamilyPods)
	engines := spoiled(see.engines, gauges)
	if gauges == answered && pods != answered {
		// Without a list of the pods they are told by their names, and none is sure to be ready.
		engines = spoiled(see.engines, partly)
		if see.engines == whole || see.engines == part {
			engines = []condition{part}
		}
	}
	signals := [][]condition{engines}
	if s.rates {
		rates := spoiled(see.rates, c.outcome(promapi.FamilyCounters))
		if gauges != answered || pods != answered {
			rates = append(rates, part, absent, stale, failed)
		}
		signals = append(signals, rates)
	}
	if s.held {
		signals = append(signals, spoiled(see.held, c.outcome(promapi.FamilyHeld)))
	}
	return signals
}

// leniencies are the places where the daemon knows more, or less, than the model.
func (e *expectation) leniencies(s *shape, see *sight, c *circumstance) {
	gauges, pods := c.outcome(promapi.FamilyGauges), c.outcome(promapi.FamilyPods)
	if see.engines == whole && gauges == answered && pods == answered {
		e.load = &see.load
	}
	// Without replicas there is nothing to hear: only an error is a lack.
	if s.engines && e.current != nil && see.spec == 0 && e.whole == no && gauges != unanswered {
		e.whole, e.mayFall, e.usable = maybe, true, max(e.usable, maybe)
		if s.held && e.blindToHeld {
			e.whole, e.mayFall = no, false
		}
	}
}
