package config

import (
	"time"

	"github.com/prometheus/common/model"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/hpa"
)

// An Entry is one workload as written.
type Entry struct {
	Namespace  string         `yaml:"namespace"`
	Name       string         `yaml:"name"`
	Kind       promapi.Kind   `yaml:"kind"`
	Selector   string         `yaml:"selector,omitempty"`
	Engine     string         `yaml:"engine"`
	Replicas   Replicas       `yaml:"replicas"`
	Signals    []Signal       `yaml:"signals"`
	Tolerance  Tolerance      `yaml:"tolerance"`
	ScaleUp    Rules          `yaml:"scale_up"`
	ScaleDown  ScaleDown      `yaml:"scale_down"`
	ColdStart  model.Duration `yaml:"cold_start"`
	Lookahead  Lookahead      `yaml:"lookahead"`
	Schedules  []Schedule     `yaml:"schedules,omitempty"`
	Cooldown   model.Duration `yaml:"cooldown"`
	Held       []Held         `yaml:"held,omitempty"`
	SLO        SLO            `yaml:"slo,omitempty"`
	MaxNumSeqs int32          `yaml:"max_num_seqs,omitempty"`

	ReplicaModel ReplicaModel `yaml:"replica_model,omitempty"`
}

// Replicas bound a workload.
type Replicas struct {
	Min int32 `yaml:"min"`
	Max int32 `yaml:"max"`
}

// A Signal asks for replicas.
type Signal struct {
	Metric     recommender.Metric    `yaml:"metric"`
	Target     float64               `yaml:"target"`
	Percentile *float64              `yaml:"percentile,omitempty"`
	Optional   bool                  `yaml:"optional,omitempty"`
	Name       string                `yaml:"name,omitempty"`
	Query      string                `yaml:"query,omitempty"`
	Type       recommender.QueryType `yaml:"type,omitempty"`
}

// Tolerance is the band around the target in which nothing moves.
type Tolerance struct {
	Up   float64 `yaml:"up"`
	Down float64 `yaml:"down"`
}

// Rules are the window and the rate limits of one direction.
type Rules struct {
	Window   model.Duration `yaml:"window"`
	Policies []RatePolicy   `yaml:"policies"`
	Select   hpa.Select     `yaml:"select"`
}

// ScaleDown is the rules of the way down, and its gate.
type ScaleDown struct {
	Rules `yaml:",inline"`
	Gate  Gate `yaml:"gate,omitempty"`
}

// A RatePolicy allows a change of a value within a period.
type RatePolicy struct {
	Type   hpa.PolicyType `yaml:"type"`
	Value  int32          `yaml:"value"`
	Period model.Duration `yaml:"period"`
}

// A Gate allows a fall only while batches are nearly empty.
type Gate struct {
	BatchFill float64        `yaml:"batch_fill"`
	For       model.Duration `yaml:"for"`
}

// A Schedule raises the minimum between a start and an end.
type Schedule struct {
	Timezone string `yaml:"timezone"`
	Start    string `yaml:"start"`
	End      string `yaml:"end"`
	Min      int32  `yaml:"min"`
}

// Held says where requests wait in front of the pods.
type Held struct {
	Preset string            `yaml:"preset,omitempty"`
	Match  map[string]string `yaml:"match,omitempty"`
	Query  string            `yaml:"query,omitempty"`
}

// SLO is the objective for the time to the first token.
type SLO struct {
	TTFT      model.Duration `yaml:"ttft"`
	Objective float64        `yaml:"objective"`
}

// Lookahead is a length of time, or the cold start in force.
type Lookahead struct {
	model.Duration
	Auto bool
}

const auto = "auto"

// UnmarshalYAML reads a duration or the word auto.
func (l *Lookahead) UnmarshalYAML(unmarshal func(any) error) error {
	var text string
	if err := unmarshal(&text); err != nil {
		return err
	}
	if text == auto {
		*l = Lookahead{Auto: true}
		return nil
	}
	d, err := parseDuration(text)
	if err != nil {
		return err
	}
	*l = Lookahead{Duration: d}
	return nil
}

// MarshalYAML is the inverse of UnmarshalYAML.
func (l Lookahead) MarshalYAML() (any, error) {
	if l.Auto {
		return auto, nil
	}
	return l.String(), nil
}

// defaultPercentile is the percentile of a latency that names none.
const defaultPercentile = 0.95

// defaultEntry returns the default policy in the form of the file.
func defaultEntry() Entry {
	p := recommender.DefaultPolicy()
	return Entry{
		Kind:      promapi.Deployment,
		Engine:    promapi.EngineAuto,
		Replicas:  Replicas{Min: p.Min},
		Tolerance: Tolerance(p.Tolerance),
		ScaleUp:   rulesOf(&p.ScaleUp),
		ScaleDown: ScaleDown{Rules: rulesOf(&p.ScaleDown)},
		ColdStart: model.Duration(p.ColdStart),
		Lookahead: Lookahead{Duration: model.Duration(p.Lookahead), Auto: p.LookaheadColdStart},
		Cooldown:  model.Duration(p.Cooldown),
	}
}

func rulesOf(r *hpa.Rules) Rules {
	rules := Rules{Window: model.Duration(r.Window), Select: r.Select}
	if rules.Select == "" {
		rules.Select = hpa.Max
	}
	for _, p := range r.Policies {
		rules.Policies = append(rules.Policies, RatePolicy{Type: p.Type, Value: p.Value, Period: model.Duration(p.Period)})
	}
	return rules
}

// rules is the inverse of rulesOf.
func (r *Rules) rules() hpa.Rules {
	rules := hpa.Rules{Window: time.Duration(r.Window), Select: r.Select}
	for _, p := range r.Policies {
		rules.Policies = append(rules.Policies, hpa.Policy{Type: p.Type, Value: p.Value, Period: time.Duration(p.Period)})
	}
	return rules
}
