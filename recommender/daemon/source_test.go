package daemon

import (
	"errors"
	"testing"

	"github.com/infscale/infscale/promapi"
)

func TestReadingTellsSilenceFromRefusal(t *testing.T) {
	failed := func(cause promapi.Cause) promapi.FamilyReport {
		return promapi.FamilyReport{Err: &promapi.QueryError{Cause: cause, Err: errors.New(string(cause))}}
	}
	tests := map[string]struct {
		families   []promapi.FamilyReport
		err        string
		failed     int
		unanswered bool
	}{
		"all answered":                   {[]promapi.FamilyReport{{}, {}}, "", 0, false},
		"a query that is wrong":          {[]promapi.FamilyReport{{}, failed(promapi.CauseBadRequest)}, "bad_request", 1, false},
		"a query that cannot be run":     {[]promapi.FamilyReport{failed(promapi.CauseExecution)}, "execution", 1, false},
		"a server that is down":          {[]promapi.FamilyReport{failed(promapi.CauseConnect), failed(promapi.CauseConnect)}, "connect", 2, true},
		"silence matters more":           {[]promapi.FamilyReport{failed(promapi.CauseExecution), failed(promapi.CauseTimeout)}, "timeout", 2, true},
		"an error that is no QueryError": {[]promapi.FamilyReport{{Family: "pods", Err: errors.New("odd")}}, `query "pods": odd (1 of 1 queries failed: pods)`, 1, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newReading(nil, &promapi.Report{Families: test.families})
			if r.failed != test.failed || r.unanswered != test.unanswered {
				t.Errorf("got %d failed, unanswered %t, want %d, %t", r.failed, r.unanswered, test.failed, test.unanswered)
			}
			got := ""
			if e, ok := errors.AsType[*promapi.QueryError](r.err); ok {
				got = string(e.Cause)
			} else if r.err != nil {
				got = r.err.Error()
			}
			if got != test.err {
				t.Errorf("got the error %q, want %q", got, test.err)
			}
		})
	}
}
