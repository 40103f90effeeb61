package promapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/config"

	"github.com/infscale/infscale/promapi/promapitest"
	"github.com/infscale/infscale/recommender"
)

func TestWhoAnswers(t *testing.T) {
	date := epoch.Format(http.TimeFormat)
	for name, test := range map[string]struct {
		answer promapitest.Answer
		clock  time.Duration // ahead of the date
		want   Server
	}{
		"Prometheus": {
			promapitest.JSON(200, `{"status":"success","data":{"version":"3.5.0","goVersion":"go1.24.5"}}`).WithHeader("Date", date),
			500 * time.Millisecond,
			Server{Version: "3.5.0", Go: "go1.24.5", Dated: true},
		},
		"Mimir, a clock ahead": {
			promapitest.JSON(200, `{"status":"success","data":{"application":"Grafana Mimir","version":"2.10.0"}}`).WithHeader("Date", date),
			31 * time.Second,
			Server{Application: "Grafana Mimir", Version: "2.10.0", Dated: true, Skew: 30 * time.Second},
		},
		"nobody who knows, a clock behind": {
			promapitest.Text(404, "text/plain", "what?").WithHeader("Date", date),
			-30 * time.Second,
			Server{Dated: true, Skew: -30 * time.Second},
		},
		"a date that is none": {promapitest.Text(404, "text/plain", "what?").WithHeader("Date", "yesterday"), time.Hour, Server{}},
	} {
		t.Run(name, func(t *testing.T) {
			api := promapitest.New(t)
			api.Answer(promapitest.Endpoint("/api/v1/status/buildinfo"), test.answer)
			cfg := DefaultConfig()
			cfg.URL = api.URL
			client, err := New(cfg, WithClock(func() time.Time { return epoch.Add(test.clock) }))
			if err != nil {
				t.Fatal(err)
			}
			got, err := client.Server(t.Context())
			test.want.URL = api.URL
			if err != nil || got != test.want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, test.want)
			}
		})
	}
}

func TestWhoDoesNotAnswerShowsNoSecret(t *testing.T) {
	cfg := DefaultConfig()
	cfg.URL = "http://127.0.0.1:1/hunter2"
	cfg.Params = Secrets{"token": "hunter3"}
	cfg.HTTP.BasicAuth = &config.BasicAuth{Username: "reader", Password: "hunter4"}
	client, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Server(t.Context())
	if err == nil || strings.Contains(err.Error(), "hunter3") || strings.Contains(err.Error(), "hunter4") {
		t.Errorf("got %v, want an error without a secret", err)
	}
}

func TestDetailedReportsListReplicas(t *testing.T) {
	series := append(kubeSeries("chat", 2, chatPod(0), chatPod(1), chatPod(2)), queueOf(chatPod(0), "3x80", "1x80")...)
	l := newLab(t, series...)
	_, report := l.observe(t, 5*time.Minute, Options{Detailed: true}, chat(recommender.Signal{Metric: recommender.Queue, Target: 4}))
	got := report.Workloads[0].Replicas
	want := []Replica{
		{Namespace: "ns", Name: chatPod(0), Listed: true, Ready: true, Engine: "vllm", Newest: epoch.Add(5 * time.Minute)},
		{Namespace: "ns", Name: chatPod(1), Listed: true, Ready: true},
		{Namespace: "ns", Name: chatPod(2), Listed: true},
	}
	if len(got) != len(want) {
		t.Fatalf("got %+v, want %d replicas", got, len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("replica %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
	if _, report := l.observe(t, 5*time.Minute, Options{}, chat()); report.Workloads[0].Replicas != nil {
		t.Error("a report that need not be detailed lists replicas")
	}
}

func TestEveryEngineHasAHint(t *testing.T) {
	for _, engine := range Engines() {
		if !strings.Contains(EngineHint(engine), "--") {
			t.Errorf("%s: got %q, want a flag", engine, EngineHint(engine))
		}
	}
	if got := EngineHint("tgi"); got != "" {
		t.Errorf("got %q for an engine without a profile, want nothing", got)
	}
}
