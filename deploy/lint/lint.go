package lint

import (
	"cmp"
	"time"
)

// DefaultColdStart is assumed of a model server whose cold start nobody names: the shortest in
// common use, an image and a model that are both on the node already.
const DefaultColdStart = 2 * time.Minute

// DefaultKEDA is the minor version of KEDA 2 that the rules were checked against.
const DefaultKEDA = 21

// Options say what the files cannot.
type Options struct {
	// ColdStart is how long a replica takes from the decision to ready. If zero, it is
	// DefaultColdStart.
	ColdStart time.Duration
	// KEDA is the minor version of KEDA 2 that reads the manifests. If zero, it is DefaultKEDA.
	KEDA int
}

// A File is what was given, by name. Files named *.promql hold one query for an autoscaler, all
// others YAML of any number of documents.
type File struct {
	Name string
	Data []byte
}

// Check returns what is wrong with the files, looked at together, by place, and an error for
// each that cannot be read as YAML.
func Check(files []File, o Options) ([]Finding, []error) {
	if o.ColdStart <= 0 {
		o.ColdStart = DefaultColdStart
	}
	w := &world{coldStart: o.ColdStart, keda: cmp.Or(o.KEDA, DefaultKEDA)}
	var unreadable []error
	for _, f := range files {
		if err := w.read(f); err != nil {
			unreadable = append(unreadable, err)
		}
	}
	var findings []Finding
	for i := range rules {
		for _, h := range rules[i].check(w) {
			if !h.src.allows(h.line, rules[i].id) {
				findings = append(findings, rules[i].finding(&h))
			}
		}
	}
	return sortFindings(findings), unreadable
}

// A place is where something stands.
type place struct {
	src          *source
	line, column int
}

// A hit is a rule that applies somewhere.
type hit struct {
	place
	what string
	// fix and severity are the rule's own if empty.
	fix      string
	severity Severity
}

// A rule is one known mistake.
type rule struct {
	id       string
	severity Severity
	says     string // in a list of all rules
	why, fix string
	check    func(*world) []hit
}

func (r *rule) finding(h *hit) Finding {
	f := Finding{
		File: h.src.name, Line: h.line, Column: h.column,
		Severity: r.severity, Rule: r.id, What: h.what, Why: r.why, Fix: r.fix,
	}
	if h.fix != "" {
		f.Fix = h.fix
	}
	if h.severity != "" {
		f.Severity = h.severity
	}
	return f
}

// A RuleInfo describes a rule.
type RuleInfo struct {
	ID       string   `json:"rule"`
	Severity Severity `json:"severity"`
	Says     string   `json:"says"`
}

// Rules lists every rule in the order of the table.
func Rules() []RuleInfo {
	list := make([]RuleInfo, len(rules))
	for i := range rules {
		list[i] = RuleInfo{rules[i].id, rules[i].severity, rules[i].says}
	}
	return list
}
