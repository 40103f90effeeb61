package diagnose

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/promapitest"
)

// serverNow is the time at the server, and at this end unless a test says otherwise.
var serverNow = epoch.Add(checkAfter)

// buildinfo answers as a server of that kind does, at that time.
func buildinfo(body string) promapitest.Answer {
	return promapitest.JSON(http.StatusOK, body).WithHeader("Date", serverNow.Format(http.TimeFormat))
}

const current = `{"status":"success","data":{"version":"3.5.0","revision":"8be3a9560fbd","branch":"HEAD","goVersion":"go1.24.5"}}`

// scripted is a server that is asked by a client whose clock is ahead.
func scripted(t *testing.T, ahead time.Duration, script func(*promapitest.Server)) *Report {
	t.Helper()
	api := promapitest.New(t)
	api.Answer(promapitest.Endpoint("/status/buildinfo"), buildinfo(current))
	api.Answer(promapitest.Endpoint("/query"), promapitest.Vector())
	script(api)
	cfg := promapi.DefaultConfig()
	cfg.URL = api.URL
	client, err := promapi.New(cfg, promapi.WithClock(func() time.Time { return serverNow.Add(ahead) }))
	if err != nil {
		t.Fatal(err)
	}
	return check(t, client, Options{}, epoch, chat())
}

func TestAServerThatCannotBeReadIsNamedOnce(t *testing.T) {
	everything := func(a promapitest.Answer) func(*promapitest.Server) {
		return func(api *promapitest.Server) { api.Answer(promapitest.Any, a) }
	}
	for name, test := range map[string]struct {
		script func(*promapitest.Server)
		says   []string
	}{
		"credentials are refused":    {everything(promapitest.Text(401, "text/plain", "who are you?")), []string{"auth: status 401", "basic_auth"}},
		"a path without an API":      {everything(promapitest.Text(404, "text/plain", "not found")), []string{"status 404", "without /api/v1"}},
		"a sign-in page":             {everything(promapitest.Text(200, "text/html", "<html>Sign in</html>")), []string{"decode", "sign-in page"}},
		"a server that is starting":  {everything(promapitest.Text(503, "text/plain", "Service Unavailable")), []string{"server: status 503", "starting"}},
		"a proxy that sends away":    {everything(promapitest.Redirect(302, "https://login.example/")), []string{"redirect"}},
		"a server in agent mode":     {everything(promapitest.Error(422, "execution", "unavailable with Prometheus Agent")), []string{"agent mode"}},
		"a tenant that is not named": {everything(promapitest.Text(401, "text/plain", "no org id")), []string{"no org id", "a tenant in prometheus.headers"}},
		"a connection that is cut":   {everything(promapitest.JSON(200, "{}").Closed()), []string{"connect", "network policy"}},
		"too many requests":          {everything(promapitest.Text(429, "text/plain", "slow down")), []string{"rate_limited", "limits"}},
	} {
		t.Run(name, func(t *testing.T) {
			report := scripted(t, 0, test.script)
			fault{want: Unreachable, place: "prometheus.url", says: test.says}.judge(t, report)
			if len(report.Workloads) != 0 {
				t.Errorf("got %d workloads, want none", len(report.Workloads))
			}
		})
	}
}

func TestOldVersions(t *testing.T) {
	for name, test := range map[string]struct {
		info string
		want string // in what is found; empty if nothing about the version is
	}{
		"Prometheus 3":                       {current, ""},
		"Prometheus 2.26":                    {strings.ReplaceAll(current, "3.5.0", "2.26.0"), ""},
		"Prometheus 2.25":                    {strings.ReplaceAll(current, "3.5.0", "2.25.2"), "Prometheus 2.25.2 lacks last_over_time, which came with 2.26"},
		"Mimir":                              {`{"status":"success","data":{"application":"Grafana Mimir","version":"2.10.0","goVersion":"go1.21"}}`, ""},
		"VictoriaMetrics":                    {`{"status":"success","data":{"version":"2.24.0"}}`, ""},
		"Thanos":                             {strings.ReplaceAll(current, "3.5.0", "0.36.1"), ""},
		"a version that is no number":        {strings.ReplaceAll(current, "3.5.0", "main-abc"), ""},
		"a server that does not know itself": {`404 page not found`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			report := scripted(t, 0, func(api *promapitest.Server) {
				api.Answer(promapitest.Endpoint("/status/buildinfo"), buildinfo(test.info))
			})
			found := ""
			for _, f := range report.Of("") {
				if f.Code == TooOld {
					found = f.Found
				}
			}
			if found != test.want {
				t.Errorf("got %q, want %q", found, test.want)
			}
		})
	}
}

// What an old server refuses follows from its age, and is no finding of its own.
func TestAnOldServerIsTheCauseOfWhatItRefuses(t *testing.T) {
	report := scripted(t, 0, func(api *promapitest.Server) {
		api.Answer(promapitest.Endpoint("/status/buildinfo"), buildinfo(strings.ReplaceAll(current, "3.5.0", "2.20.0")))
		api.Answer(promapitest.Contains("last_over_time"), promapitest.Error(400, "bad_data", `unknown function with name "last_over_time"`))
	})
	fault{want: TooOld, says: []string{"upgrade Prometheus to 2.26"}}.judge(t, report)
}

func TestClocksThatDiffer(t *testing.T) {
	for name, test := range map[string]struct {
		ahead    time.Duration
		severity Severity // none if empty
		says     string
	}{
		"together":          {0, "", ""},
		"two seconds ahead": {2 * time.Second, "", ""},
		"ten seconds ahead": {11 * time.Second, Warning, "10s ahead of"},
		"behind":            {-20 * time.Second, Warning, "20s behind"},
		"minutes ahead":     {3 * time.Minute, Error, "2m59s ahead of"},
		"minutes behind":    {-3 * time.Minute, Error, "3m0s behind"},
	} {
		t.Run(name, func(t *testing.T) {
			report := scripted(t, test.ahead, func(*promapitest.Server) {})
			var got Severity
			for _, f := range report.Of("") {
				if f.Code == ClockSkew {
					got = f.Severity
					if !strings.Contains(f.Found, test.says) {
						t.Errorf("got %q, want %q in it", f.Found, test.says)
					}
				}
			}
			if got != test.severity {
				t.Errorf("got severity %q, want %q: %s", got, test.severity, show(report.Findings))
			}
		})
	}
}

func TestAnswersWithWarningsAreNamed(t *testing.T) {
	report := scripted(t, 0, func(api *promapitest.Server) {
		api.Answer(promapitest.Contains("kube_deployment_spec_replicas"), promapitest.Vector(
			promapitest.Sample(0, "namespace", "inference", "deployment", "chat", "signal", "deployment.spec"),
		).WithWarnings("store gateway 3 did not answer"))
	})
	found := report.Of("")
	if len(found) != 1 || found[0].Code != PartialAnswers || !strings.Contains(found[0].Found, "store gateway 3") {
		t.Errorf("got %s, want the warning", show(found))
	}
}

// A look at a week is too much for this server, and one at a day is not.
func TestTheLookBackIsShortenedByAServerThatCannot(t *testing.T) {
	for name, test := range map[string]struct {
		refuse []string
		want   float64 // seconds
	}{
		"a week":    {nil, 7 * 24 * 3600},
		"a day":     {[]string{"[1w:1h]"}, 24 * 3600},
		"two hours": {[]string{"[1w:1h]", "[1d:1h]"}, 2 * 3600},
	} {
		t.Run(name, func(t *testing.T) {
			report := scripted(t, 0, func(api *promapitest.Server) {
				api.Answer(promapitest.Contains("kube_deployment_spec_replicas"), promapitest.Vector(
					promapitest.Sample(1, "namespace", "inference", "deployment", "chat", "signal", "deployment.spec")))
				for _, span := range test.refuse {
					api.Answer(promapitest.Contains("max_over_time(timestamp", span), promapitest.Error(422, "execution", "too many samples"))
				}
			})
			if report.Lookback == nil || *report.Lookback != test.want {
				t.Errorf("got %v, want %v", report.Lookback, test.want)
			}
			if report.OK {
				t.Error("got ok, want the workload to be silent")
			}
		})
	}
}

// However many workloads are silent, the questions are the same.
func TestQuestionsDoNotGrowWithTheWorkloads(t *testing.T) {
	asked := func(n int) int {
		api := promapitest.New(t)
		api.Answer(promapitest.Endpoint("/status/buildinfo"), buildinfo(current))
		api.Answer(promapitest.Endpoint("/query"), promapitest.Vector())
		var list []promapi.Workload
		for i := range n {
			list = append(list, chat(func(w *promapi.Workload) { w.Name += strings.Repeat("x", i) }))
		}
		return check(t, clientOf(t, api.URL), Options{}, epoch, list...).Prometheus.Queries
	}
	if one, many := asked(1), asked(20); one != many {
		t.Errorf("got %d queries for one workload and %d for 20, want the same", one, many)
	}
}
