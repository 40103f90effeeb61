package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// twins are the labels two daemons give the demo's workload.
const (
	twinA = `{instance="a",workload_namespace="inference",workload="chat"}`
	twinB = `{instance="b",workload_namespace="inference",workload="chat"}`
	other = `{instance="a",workload_namespace="inference",workload="other"}`
)

func TestTheRecommendationIsRead(t *testing.T) {
	for name, tc := range map[string]struct {
		series []string
		want   int
		ok     bool
		err    string
	}{
		"absent before the first decision": {nil, 0, false, ""},
		"another workload's is not ours":   {[]string{"infscale_desired_replicas" + other + " 5"}, 0, false, ""},
		"zero is a recommendation":         {[]string{"infscale_desired_replicas" + twinA + " 0", "infscale_decision_valid" + twinA + " 1"}, 0, true, ""},
		"held is still followed":           {[]string{"infscale_desired_replicas" + twinA + " 4", "infscale_decision_valid" + twinA + " 0"}, 4, true, ""},
		"a blind twin does not block a fall": {[]string{
			"infscale_desired_replicas" + twinA + " 6", "infscale_decision_valid" + twinA + " 0",
			"infscale_desired_replicas" + twinB + " 2", "infscale_decision_valid" + twinB + " 1",
		}, 2, true, ""},
		"the larger of two that see": {[]string{
			"infscale_desired_replicas" + twinA + " 3", "infscale_decision_valid" + twinA + " 1",
			"infscale_desired_replicas" + twinB + " 2", "infscale_decision_valid" + twinB + " 1",
		}, 3, true, ""},
		"withdrawn":                {[]string{"infscale_desired_replicas" + twinA + " stale"}, 0, false, ""},
		"not a number":             {[]string{"infscale_desired_replicas" + twinA + " NaN"}, 0, false, "want one small whole number"},
		"not a number of replicas": {[]string{"infscale_desired_replicas" + twinA + " 2.5"}, 0, false, "want one small whole number"},
		"infinite":                 {[]string{"infscale_desired_replicas" + twinA + " Inf"}, 0, false, "want one small whole number"},
	} {
		t.Run(name, func(t *testing.T) {
			p := prometheus(t)
			if err := p.Load(epoch, time.Second, tc.series...); err != nil {
				t.Fatal(err)
			}
			r, err := newReader(p.URL())
			if err != nil {
				t.Fatal(err)
			}
			got, ok, err := r.desired(t.Context(), epoch)
			if got != tc.want || ok != tc.ok || (err == nil) != (tc.err == "") {
				t.Errorf("got %d, %t and error %v, want %d, %t and %q", got, ok, err, tc.want, tc.ok, tc.err)
			}
			if err != nil && !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got error %v, want one with %q", err, tc.err)
			}
		})
	}
}

func TestAPrometheusThatIsDownIsNotZero(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	r, err := newReader(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok, err := r.desired(t.Context(), epoch); err == nil || ok {
		t.Errorf("got %d, %t and error %v, want an error", got, ok, err)
	}
}

func TestTheFiguresAreRead(t *testing.T) {
	p := prometheus(t)
	w := `,workload_namespace="inference",workload="chat"}`
	err := p.Load(epoch, time.Second,
		`infscale_decision_reason{reason="metric"`+w+` 0`,
		`infscale_decision_reason{reason="stabilised"`+w+` 1`,
		`infscale_raw_replicas{signal="queue"`+w+` 3`,
		`infscale_slo_risk_ratio{replicas="desired"`+w+` 0.25`,
		`infscale_requests_running{instance="a"`+w+` 17`,
		`infscale_requests_running{instance="a",workload_namespace="inference",workload="other"} 99`)
	if err != nil {
		t.Fatal(err)
	}
	r, err := newReader(p.URL())
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.explain(t.Context(), epoch)
	if err != nil {
		t.Fatal(err)
	}
	if f.reason != "stabilised" || f.raw["queue"] != 3 || f.risk["desired"] != 0.25 || f.values["infscale_requests_running"] != 17 {
		t.Errorf("got %+v, want stabilised, 3 for queue, a risk of 0.25 and 17 running", f)
	}
}
