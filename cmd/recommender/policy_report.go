package main

import (
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/hpa"
)

// A policyReport is the policy in force as JSON, in the words of the configuration.
type policyReport struct {
	Replicas struct {
		Min int32 `json:"min"`
		Max int32 `json:"max"`
	} `json:"replicas"`
	Signals   []signalReport `json:"signals"`
	Tolerance struct {
		Up   float64 `json:"up"`
		Down float64 `json:"down"`
	} `json:"tolerance"`
	ScaleUp    rulesReport `json:"scale_up"`
	ScaleDown  rulesReport `json:"scale_down"`
	Lookahead  float64     `json:"lookahead_seconds"`
	ColdStart  float64     `json:"cold_start_seconds"`
	Cooldown   float64     `json:"cooldown_seconds"`
	HoldLimit  float64     `json:"hold_limit_seconds"`
	MaxNumSeqs int32       `json:"max_num_seqs,omitempty"`
}

type signalReport struct {
	Signal     string  `json:"signal"`
	Target     float64 `json:"target"`
	Percentile float64 `json:"percentile,omitempty"`
	Optional   bool    `json:"optional,omitempty"`
}

type rulesReport struct {
	Window   float64        `json:"window_seconds"`
	Policies []changeReport `json:"policies"`
	Select   hpa.Select     `json:"select"`
}

type changeReport struct {
	Type   hpa.PolicyType `json:"type"`
	Value  int32          `json:"value"`
	Period float64        `json:"period_seconds"`
}

func newPolicyReport(p *recommender.Policy) policyReport {
	r := policyReport{
		ScaleUp: newRulesReport(&p.ScaleUp), ScaleDown: newRulesReport(&p.ScaleDown),
		Lookahead: p.Lookahead.Seconds(), ColdStart: p.ColdStart.Seconds(),
		Cooldown: p.Cooldown.Seconds(), HoldLimit: p.HoldLimit.Seconds(), MaxNumSeqs: p.MaxNumSeqs,
	}
	r.Replicas.Min, r.Replicas.Max = p.Min, p.Max
	r.Tolerance.Up, r.Tolerance.Down = p.Tolerance.Up, p.Tolerance.Down
	for i := range p.Signals {
		s := &p.Signals[i]
		r.Signals = append(r.Signals, signalReport{s.ID(), s.Target, s.Percentile, s.Optional})
	}
	return r
}

func newRulesReport(rules *hpa.Rules) rulesReport {
	r := rulesReport{Window: rules.Window.Seconds(), Policies: []changeReport{}, Select: rules.Select}
	if r.Select == "" {
		r.Select = hpa.Max
	}
	for _, p := range rules.Policies {
		r.Policies = append(r.Policies, changeReport{p.Type, p.Value, p.Period.Seconds()})
	}
	return r
}
