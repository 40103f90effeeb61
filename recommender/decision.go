package recommender

import (
	"time"
)

// A Decision is the recommendation for one workload at one instant, with
// everything that explains it.
type Decision struct {
	// Time of the observation that was decided on.
	Time time.Time
	// Known says that Desired is a recommendation. It is false before the first
	// decision and after HoldLimit without usable evidence.
	Known bool
	// Desired is the recommendation, Unbounded what it would be without Max.
	Desired, Unbounded int32
	// Raw is what the signals ask for; meaningful only if RawKnown.
	Raw      int32
	RawKnown bool
	// Min and Max are the bounds in force, schedules included.
	Min, Max int32
	// Current is the replicas asked for in the workload's spec.
	Current Quantity
	// Reason says why in one word.
	Reason Reason
	// Valid says that all required evidence was complete and fresh.
	Valid bool
	// Evidence is the time of the oldest evidence used; zero if there was none.
	Evidence time.Time

	proposals [MaxSignals]Proposal
	signals   int
	steps     [rules]Step
}

// A Proposal is what one signal asks for.
type Proposal struct {
	Signal   Signal
	Quantity Quantity
	// Ratio is the quantity over what the current replicas should carry.
	// It is meaningful only if Current replicas are not zero.
	Ratio float64
	// Tolerated says that Ratio is so near 1 that the signal asks for the current replicas.
	Tolerated bool
	// Replicas is the proposal; meaningful only if Quantity is known.
	Replicas int32
	// Ahead is the projected demand and AheadReplicas the proposal for it;
	// meaningful only with a lookahead.
	Ahead         float64
	AheadReplicas int32
	// Lookahead is how far ahead Ahead is; 0 is not at all.
	Lookahead time.Duration
}

// Asks returns the larger of the proposals for now and for later.
func (p *Proposal) Asks() int32 { return max(p.Replicas, p.AheadReplicas) }

// Proposals returns what each signal asks for, in the order of the policy. It is
// valid as long as d is not changed.
func (d *Decision) Proposals() []Proposal { return d.proposals[:d.signals] }

// A Rule is one step of a decision.
type Rule uint8

// Rules, in the order in which they act.
const (
	RuleSignals Rule = iota
	RuleLookahead
	RuleStabilise
	RuleRateLimit
	RuleSuspect
	RuleGate
	RuleMin
	RuleZero
	RuleSchedule
	RuleMax
	RuleHold
	rules
)

var ruleNames = [rules]string{
	RuleSignals: "signals", RuleLookahead: "lookahead", RuleStabilise: "stabilise", RuleRateLimit: "rate_limit",
	RuleSuspect: "suspect_signal", RuleGate: "scale_down_gate", RuleMin: "min_replicas", RuleZero: "zero",
	RuleSchedule: "schedule", RuleMax: "max_replicas", RuleHold: "hold",
}

// String returns the name of the rule.
func (r Rule) String() string { return ruleNames[r] }

// A Step is what one rule made of the number of replicas, with the facts that its
// sentence needs.
type Step struct {
	Rule    Rule
	In, Out int32
	// Ran says that the rule had something to look at.
	Ran bool
	// Reason is what the decision is ascribed to if no later rule changes the number.
	Reason Reason
	// Limit is the number of replicas that the rule compared with.
	Limit int32
	// Span is the window, or how long something has lasted.
	Span time.Duration
	// Needs is how long it must last.
	Needs time.Duration
}

// changed reports whether the rule made a difference.
func (s *Step) changed() bool { return s.Ran && s.In != s.Out }

// Steps returns the rules that ran, in order.
func (d *Decision) Steps() []Step {
	ran := make([]Step, 0, rules)
	for _, s := range d.steps {
		if s.Ran {
			ran = append(ran, s)
		}
	}
	return ran
}
