package cases

import (
	"fmt"
	"testing"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi/diagnose"
)

// A run is what a case gave.
type run struct {
	lab *lab
	// answers are those of the times that the case lists, all those and the ones between.
	answers, all []answer
	// busyUntil is when the last sample was that is not zero, in seconds.
	busyUntil float64
	// parts are runs of their own: of variants and targets.
	parts map[string]*run
	// facts are what came of parts that decide nothing, by the key that expects them.
	facts map[string]any
	// texts are messages, logs and pages.
	texts []string
	// firing are the alerts that fire at the end; nil if nobody looked yet.
	firing map[string][]labels.Labels
	// rejected is the error of a configuration.
	rejected error
	// findings are those of `check prometheus`; nil if nobody asked.
	findings map[diagnose.Code]diagnose.Severity
	// configured says that a file has to be changed.
	configured bool
	// counters is by how much the failures of each cause grew.
	counters map[string]float64
	// lint are the rules that found something, with their texts.
	lint map[string]string
	// checks are what phrases of the case ask for, by a word of theirs.
	checks map[string]func() error
}

// last returns the last answer.
func (r *run) last() *answer {
	if len(r.answers) == 0 {
		return nil
	}
	return &r.answers[len(r.answers)-1]
}

// part returns a part.
func (r *run) part(name string) *run { return r.parts[name] }

// add adds a part.
func (r *run) add(name string, part *run) {
	if r.parts == nil {
		r.parts = map[string]*run{}
	}
	r.parts[name] = part
}

// fact notes a fact.
func (r *run) fact(key string, value any) {
	if r.facts == nil {
		r.facts = map[string]any{}
	}
	r.facts[key] = value
}

// runners run the cases of each type.
var runners = map[string]func(*testing.T, *input, map[string]any) (*run, error){
	"timeline":       timeline,
	"promql":         promql,
	"prom_api_json":  answered,
	"config":         configured,
	"config+http":    slowed,
	"config_lint":    linted,
	"dashboard_lint": drawn,
	"exporter":       exported,
	"hpa_sim":        simulated,
	"http":           overHTTP,
	"http_fault":     unreachable,
	"table":          addressed,
}

// forLater is why a case is none of ours yet.
type forLater string

// Error returns why.
func (why forLater) Error() string { return string(why) }

// play runs a case. A panic of the parts is a failure, and nothing worse.
func (f *fault) play(t *testing.T) (r *run, err error) {
	t.Helper()
	in, err := f.read()
	if err != nil {
		return nil, err
	}
	runner := runners[in.Type]
	if runner == nil {
		return nil, fmt.Errorf("no runner for inputs of type %q", in.Type)
	}
	for key := range policyOf(in) {
		if why, ok := later[key]; ok {
			return nil, forLater(why)
		}
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return runner(t, in, f.Expected)
}
