package recommender

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An Explanation is a decision as data and as sentences, for JSON and for people.
type Explanation struct {
	Time      time.Time           `json:"time"`
	Current   *int32              `json:"current"`
	Desired   *int32              `json:"desired"`
	Raw       *int32              `json:"raw"`
	Unbounded *int32              `json:"unbounded"`
	Min       int32               `json:"min"`
	Max       int32               `json:"max"`
	Reason    Reason              `json:"reason"`
	Valid     bool                `json:"valid"`
	Evidence  *time.Time          `json:"evidence_time"`
	Signals   []SignalExplanation `json:"signals"`
	Steps     []StepExplanation   `json:"steps"`
}

// A SignalExplanation is what one signal asked for. Value, Ratio and Replicas are
// null where they are unknown.
type SignalExplanation struct {
	Signal     string   `json:"signal"`
	Evidence   string   `json:"evidence"`
	LowerBound bool     `json:"lower_bound,omitempty"`
	Value      *float64 `json:"value"`
	Target     float64  `json:"target"`
	Ratio      *float64 `json:"ratio"`
	Replicas   *int32   `json:"replicas"`
	Text       string   `json:"text"`
}

// A StepExplanation is what one rule made of the number.
type StepExplanation struct {
	Rule string `json:"rule"`
	In   int32  `json:"in"`
	Out  int32  `json:"out"`
	Text string `json:"text"`
}

// Explain renders d. Times are in UTC.
func (d *Decision) Explain() Explanation {
	e := Explanation{
		Time: d.Time.UTC(), Min: d.Min, Max: d.Max, Reason: d.Reason, Valid: d.Valid,
		Signals: make([]SignalExplanation, 0, d.signals), Steps: []StepExplanation{},
	}
	if d.Current.Known() {
		e.Current = new(count(d.Current))
	}
	if d.Known {
		e.Desired, e.Unbounded = new(d.Desired), new(d.Unbounded)
	}
	if d.RawKnown {
		e.Raw = new(d.Raw)
	}
	if !d.Evidence.IsZero() {
		e.Evidence = new(d.Evidence.UTC())
	}
	for i := range d.Proposals() {
		e.Signals = append(e.Signals, d.proposals[i].explain(d))
	}
	for _, s := range d.Steps() {
		e.Steps = append(e.Steps, StepExplanation{Rule: s.Rule.String(), In: s.In, Out: s.Out, Text: d.sentence(&s)})
	}
	return e
}

// Headline is the decision in one line, as "current 1 -> desired 3 (up; metric)". The words for
// no move are "stays", "held" for what is recommended while the current count is unknown, and
// "none" for no recommendation.
func (d *Decision) Headline() string {
	current, desired, way := "unknown", "unknown", "stays"
	if d.Current.Known() {
		current = strconv.Itoa(int(count(d.Current)))
	}
	if d.Known {
		desired = strconv.Itoa(int(d.Desired))
	}
	switch {
	case !d.Known:
		way = "none"
	case !d.Current.Known():
		way = "held"
	case d.Desired > count(d.Current):
		way = "up"
	case d.Desired < count(d.Current):
		way = "down"
	}
	return fmt.Sprintf("current %s -> desired %s (%s; %s)", current, desired, way, d.Reason)
}

// Text returns the sentences of e, one a line: the signals, then each rule that
// changed the number.
func (e *Explanation) Text() string {
	var b strings.Builder
	for _, s := range e.Signals {
		b.WriteString(s.Text + "\n")
	}
	for _, s := range e.Steps {
		if s.In != s.Out && s.Rule != RuleSignals.String() {
			b.WriteString(s.Text + "\n")
		}
	}
	return b.String()
}

// explain renders one proposal of d.
func (p *Proposal) explain(d *Decision) SignalExplanation {
	e := SignalExplanation{
		Signal: p.Signal.ID(), Evidence: p.Quantity.Evidence.String(), LowerBound: p.Quantity.LowerBound,
		Target: p.Signal.Target, Text: p.sentence(),
	}
	if p.Quantity.Known() {
		e.Value, e.Replicas = new(p.Quantity.Value), new(p.Asks())
		if count(d.Current) > 0 || !p.Signal.Additive() {
			e.Ratio = new(p.Ratio)
		}
	}
	return e
}

// sentence says what the signal asks for, or why it does not.
func (p *Proposal) sentence() string {
	id, q := p.Signal.ID(), &p.Quantity
	if !q.Known() {
		return fmt.Sprintf("%s %s", id, silence(q.Evidence))
	}
	bound := ""
	if q.LowerBound {
		bound = "at least "
	}
	text := fmt.Sprintf("%s %s%s / target %s", id, bound, number(q.Value), number(p.Signal.Target))
	if p.Signal.Additive() {
		text += " per replica"
	} else if q.Replicas > 0 {
		text += fmt.Sprintf(" x %d that reported", q.Replicas)
	}
	text += fmt.Sprintf(" = %d replica(s)", p.Replicas)
	if p.Tolerated {
		text += fmt.Sprintf(": the ratio %s is within the tolerance", number(p.Ratio))
	}
	if p.Lookahead > 0 && p.AheadReplicas > p.Replicas {
		text += fmt.Sprintf("; %s in %s = %d replica(s)", number(p.Ahead), short(p.Lookahead), p.AheadReplicas)
	}
	return text
}

// silence says why a signal has no number.
func silence(e Evidence) string {
	switch e {
	case Stale:
		return "is stale: its newest sample is too old"
	case Invalid:
		return "is not a number that can be used"
	case Failed:
		return "is unknown: the query got no answer"
	case NeverMatched:
		return "is unknown: its selector has never matched a series, so a name or label in it is wrong, or nothing scrapes the engines"
	case Unobserved:
		return "has nothing to measure"
	default:
		return "is unknown: no series"
	}
}

// number prints at most three decimals.
func number(v float64) string {
	if v >= 1e15 || (v > 0 && v < 0.001) {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return strings.TrimRight(strings.TrimRight(strconv.FormatFloat(v, 'f', 3, 64), "0"), ".")
}

// sentence says what a rule did. Whether anything is held, and of what, only the decision knows.
func (d *Decision) sentence(s *Step) string {
	switch {
	case s.Rule != RuleHold:
		return s.String()
	case d.Reason == ReasonPartialData:
		return "part of the evidence is missing, so nothing falls: " + s.did()
	case d.Known && d.Evidence.IsZero():
		return fmt.Sprintf("there was no evidence yet, so what is there stays, for at most %s: %s", short(s.Needs), s.did())
	case d.Known:
		return s.String()
	case d.neverMatched():
		return "no selector has ever matched a series, so there is nothing to hold: no recommendation"
	default:
		return fmt.Sprintf("no usable evidence for %s, held for at most %s: the recommendation is withdrawn", short(s.Span), short(s.Needs))
	}
}

// neverMatched reports whether there never was any evidence, since no signal matched anything.
func (d *Decision) neverMatched() bool {
	for _, p := range d.Proposals() {
		if p.Quantity.Evidence != NeverMatched {
			return false
		}
	}
	return d.Evidence.IsZero() && d.Reason == ReasonNeverMatched
}

// String says in one sentence what the rule did.
func (s Step) String() string { return s.facts() + ": " + s.did() }

func (s *Step) did() string {
	if s.In == s.Out {
		return "no change"
	}
	return fmt.Sprintf("%d becomes %d", s.In, s.Out)
}

// facts says what the rule looked at.
func (s *Step) facts() string {
	switch s.Rule {
	case RuleSignals:
		return fmt.Sprintf("the signals ask for %d", s.Out)
	case RuleLookahead:
		return fmt.Sprintf("demand projected %s ahead", short(s.Span))
	case RuleStabilise:
		return fmt.Sprintf("the proposals of the last %s lead to %d", short(s.Span), s.Limit)
	case RuleRateLimit:
		return fmt.Sprintf("the policies allow %d now", s.Limit)
	case RuleSuspect:
		return fmt.Sprintf("requests wait and nothing was finished for %s, growth stops after %s", short(s.Span), short(s.Needs))
	case RuleGate:
		return fmt.Sprintf("the batches were below the gate for %s of %s", short(s.Span), short(s.Needs))
	case RuleMin:
		return fmt.Sprintf("the minimum is %d", s.Limit)
	case RuleZero:
		return s.zeroFacts()
	case RuleSchedule:
		return fmt.Sprintf("a schedule asks for %d now", s.Limit)
	case RuleMax:
		return fmt.Sprintf("the maximum is %d", s.Limit)
	default:
		return fmt.Sprintf("evidence is missing, last good %s ago, held for at most %s", short(s.Span), short(s.Needs))
	}
}

// zeroFacts says why the workload leaves zero, goes there or does not.
func (s *Step) zeroFacts() string {
	const ever = 100 * 365 * 24 * time.Hour
	switch {
	case s.Reason == ReasonActivateFromZero:
		return fmt.Sprintf("%d request(s) held at zero replicas", s.Limit)
	case s.Reason == ReasonZeroCooldown:
		return fmt.Sprintf("idle for %s of the %s cooldown", short(s.Span), short(s.Needs))
	case s.Span > ever:
		return fmt.Sprintf("idle for ever, at least the %s cooldown", short(s.Needs))
	default:
		return fmt.Sprintf("idle for %s, at least the %s cooldown", short(s.Span), short(s.Needs))
	}
}
