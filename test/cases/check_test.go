package cases

import (
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/diagnose"
)

// check asks what `check prometheus` would say at a time, and notes its findings.
func (l *lab) check(r *run, at time.Time) error {
	client, err := promapi.New(l.config.Prometheus.Config)
	if err != nil {
		return err
	}
	report, err := diagnose.Run(l.t.Context(), client, diagnose.Options{
		Workloads: l.config.Workloads(), Read: l.config.Options(), Now: at,
	})
	if err != nil {
		return err
	}
	r.findings = map[diagnose.Code]diagnose.Severity{}
	for _, f := range report.Findings {
		if f.Code == diagnose.ClockSkew {
			continue // the times of the cases are invented
		}
		r.findings[f.Code] = f.Severity
		r.texts = append(r.texts, f.Found+" "+f.Why+" "+f.Fix)
	}
	return nil
}

// fails reports whether the check would end with a status other than 0.
func (r *run) fails() bool {
	for _, severity := range r.findings {
		if severity == diagnose.Error {
			return true
		}
	}
	return false
}

// exits judges the exit status of the check.
func (j *judge) exits(key string, _ []string, want any) {
	if j.run.findings == nil {
		j.errorf("%s: nothing was checked", key)
		return
	}
	j.equal(key, j.run.fails(), want)
}
