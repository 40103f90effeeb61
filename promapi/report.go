package promapi

import "time"

// A Report says how the observations of one tick came about.
type Report struct {
	Time time.Time
	// Families are the queries that were asked, in the order of the plan.
	Families []FamilyReport
	// Workloads are in the order in which they were given.
	Workloads []WorkloadReport
	// Duplicates are replicas that several jobs scrape, at most a few of them. Their
	// series were merged; the scrapes are wasted.
	Duplicates []string
}

// A FamilyReport is the outcome of one query.
type FamilyReport struct {
	Family Family
	Text   string
	// Err is a *QueryError where the client gave one.
	Err      error
	Warnings []string
	Rows     int
	Duration time.Duration
}

// Failed returns the first error of a family, or nil: every query got an answer.
func (r *Report) Failed() error {
	for i := range r.Families {
		if r.Families[i].Err != nil {
			return r.Families[i].Err
		}
	}
	return nil
}

// A Source says how the replicas of a workload were found.
type Source string

// The sources.
const (
	ByNothing  Source = ""
	ByOwner    Source = "owner"
	ByPattern  Source = "pattern"
	BySelector Source = "selector"
)

// A WorkloadReport says how one workload was read.
type WorkloadReport struct {
	Matched Source
	// Engines are the profiles of its replicas.
	Engines []string
	// Notes say in words what was wrong, and why a quantity has no number.
	Notes []string
	// Replicas are in the order of their names; only with Options.Detailed.
	Replicas []Replica
}
