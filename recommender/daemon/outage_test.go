package daemon

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender/config"
)

// failing is a report in which these families have these errors, and others none.
func failing(errs map[promapi.Family]error) *promapi.Report {
	r := &promapi.Report{}
	for _, f := range []promapi.Family{
		promapi.FamilyGauges, promapi.FamilyCounters, promapi.FamilyReplicas, promapi.FamilyPods, promapi.FamilyCustom, promapi.FamilyCustom,
	} {
		r.Families = append(r.Families, promapi.FamilyReport{Family: f, Text: "sum by (pod) (up)", Err: errs[f]})
	}
	return r
}

func TestAnOutageSaysWhoDidNotAnswerAndWhat(t *testing.T) {
	at := func(cause promapi.Cause, status int, err error) error {
		return &promapi.QueryError{Query: "sum by (pod) (up)", URL: "http://prometheus:9090", Cause: cause, Status: status, Err: err}
	}
	dial := &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}
	for name, test := range map[string]struct {
		errs map[promapi.Family]error
		want string
	}{
		"nobody listens": {
			map[promapi.Family]error{promapi.FamilyGauges: at(promapi.CauseConnect, 0, dial), promapi.FamilyReplicas: at(promapi.CauseConnect, 0, dial)},
			"http://prometheus:9090: connection refused (2 of 6 queries failed: gauges, replicas)",
		},
		"no such name": {
			map[promapi.Family]error{promapi.FamilyPods: at(promapi.CauseConnect, 0, &net.DNSError{Err: "no such host", Name: "prometheus"})},
			"http://prometheus:9090: no such host (1 of 6 queries failed: pods)",
		},
		"credentials that are refused": {
			map[promapi.Family]error{promapi.FamilyGauges: at(promapi.CauseAuth, 401, errors.New("who are you?"))},
			"http://prometheus:9090: status 401: who are you? (1 of 6 queries failed: gauges)",
		},
		"a query that is refused, beside one that may be answered later": {
			map[promapi.Family]error{promapi.FamilyGauges: at(promapi.CauseBadRequest, 400, errors.New("parse error")), promapi.FamilyPods: at(promapi.CauseTimeout, 0, errors.New("no answer within 10s"))},
			"http://prometheus:9090: no answer within 10s (2 of 6 queries failed: gauges, pods)",
		},
		"custom queries": {
			map[promapi.Family]error{promapi.FamilyCustom: at(promapi.CauseExecution, 422, errors.New("many-to-many matching"))},
			"http://prometheus:9090: status 422: many-to-many matching (2 of 6 queries failed: custom)",
		},
		"a page of a proxy": {
			map[promapi.Family]error{promapi.FamilyGauges: at(promapi.CauseServer, 502, errors.New(strings.Repeat("x", 400)))},
			"http://prometheus:9090: status 502: " + strings.Repeat("x", 288) + "... (1 of 6 queries failed: gauges)",
		},
		"another error": {
			map[promapi.Family]error{promapi.FamilyGauges: errors.New("closed")},
			`query "gauges": closed (1 of 6 queries failed: gauges)`,
		},
	} {
		if got := newOutage(failing(test.errs)); got == nil || got.Error() != test.want {
			t.Errorf("%s: got %v, want %s", name, got, test.want)
		}
	}
	if got := newOutage(failing(nil)); got != nil {
		t.Errorf("got %v although every query was answered", got)
	}
}

func TestAnOutageIsShown(t *testing.T) {
	refusal := &promapi.QueryError{Query: "up", URL: "http://prometheus:9090", Cause: promapi.CauseServer, Status: 500, Err: errors.New("<b> & co")}
	b := newBench(t, worldOf(newScripted(), "chat"))
	b.loop.outage.Store(newOutage(failing(map[promapi.Family]error{promapi.FamilyGauges: refusal})))
	const text = "http://prometheus:9090: status 500: <b> & co (1 of 6 queries failed: gauges)"
	escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;").Replace(text)
	check := func(shown bool) {
		t.Helper()
		for _, path := range []string{"/", "/workloads/inference/chat"} {
			if page := b.ask(t, "GET", path).Body.String(); strings.Contains(page, "No answer from "+escaped+"</p>") != shown {
				t.Errorf("%s: want the outage shown to be %t in\n%s", path, shown, page)
			}
		}
		rec := b.ask(t, "GET", "/-/ready")
		if rec.Code != http.StatusServiceUnavailable || strings.Contains(rec.Body.String(), text) != shown {
			t.Errorf("/-/ready: got %d %s, want the outage shown to be %t", rec.Code, rec.Body, shown)
		}
		var list struct {
			QueryError *string `json:"query_error"`
		}
		decode(t, b.ask(t, "GET", "/api/v1/workloads"), &list)
		if (list.QueryError != nil) != shown || (shown && *list.QueryError != text) {
			t.Errorf("query_error: got %v, want %q: %t", list.QueryError, text, shown)
		}
	}
	check(true)
	b.loop.outage.Store(nil)
	check(false)
}

func TestTheLogNamesTheFamiliesWithoutAnAnswer(t *testing.T) {
	b := newBench(t, worldOf(newScripted(), "chat"))
	report := failing(map[promapi.Family]error{promapi.FamilyGauges: errDown, promapi.FamilyPods: errDown})
	b.loop.logEvaluation(&result{slot: epoch, live: newReading(nil, report)}, time.Second)
	entries := b.logs.FilterMessage("queries got no answer").All()
	if len(entries) != 1 {
		t.Fatalf("got %d entries, want one", len(entries))
	}
	got := entries[0].ContextMap()
	if fmt.Sprint(got["families"]) != "[gauges pods]" || got["queries"] != int64(2) ||
		got["first"] != `query "gauges" to http://prometheus:9090: connect: connection refused` {
		t.Errorf("got %v, want the families and the name of the first", got)
	}
}

func TestTheLoopRemembersWhatGotNoAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		http.Error(w, "refused: "+password, http.StatusUnauthorized)
	}))
	defer server.Close()
	text := document(server.URL, 10)
	w, err := build(func() (*config.Config, error) { return config.Parse([]byte(text), "infscale.yaml") }, prometheus.NewRegistry())
	if err != nil {
		t.Fatal(err)
	}
	defer w.source.close()
	b := newBench(t, w)
	if got := b.loop.unanswered(); got != nil {
		t.Errorf("got %s before anything was asked", *got)
	}
	evaluated := w.read(t.Context(), epoch, false, time.Now)
	b.loop.fold(&evaluated)
	r := evaluated.live
	if o, ok := errors.AsType[*outage](r.err); !ok || len(o.failed) != r.failed || r.failed == 0 {
		t.Errorf("got the error %v of %d queries, want an outage", r.err, r.failed)
	}
	if !refusedAuth(r.err) {
		t.Errorf("got %v, want the refusal within", r.err)
	}
	got := b.loop.unanswered()
	if got == nil || !strings.HasPrefix(*got, server.URL+": status 401: ") || !strings.Contains(*got, "queries failed: gauges, ") || strings.Contains(*got, "hunter2") {
		t.Fatalf("got %v, want who refused what, without the password", got)
	}
}

func refusedAuth(err error) bool {
	e, ok := errors.AsType[*promapi.QueryError](err)
	return ok && e.Cause == promapi.CauseAuth
}
