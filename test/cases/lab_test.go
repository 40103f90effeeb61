package cases

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/config"
	"github.com/infscale/infscale/recommender/export"
)

// A lab is a real Prometheus with invented samples behind a server that can be made to
// fail, and what infscale makes of it: the client, the reader, the decision, the exporter.
// It does what the daemon does in a tick, at times of its own.
type lab struct {
	t    *testing.T
	prom *embedded.Prometheus
	url  string
	// server is what url leads to.
	server *httptest.Server
	// fault answers a request instead of Prometheus, if it returns a handler.
	fault func(r *http.Request) http.Handler

	config    *config.Config
	reader    *promapi.Reader
	metrics   *prometheus.Registry
	collector *export.Collector
	states    []recommender.State
	// scraped says that our page is stored, so that rules and alerts can read it.
	scraped bool
}

// An answer is what came of one tick for one workload.
type answer struct {
	at       time.Time
	offset   float64 // seconds since the beginning of the case
	observed recommender.Observation
	decision recommender.Decision
	state    recommender.State
	report   promapi.WorkloadReport
	tick     *promapi.Report
	page     string // what is exported
	err      error
}

// newLab starts a Prometheus.
func newLab(t *testing.T) *lab {
	t.Helper()
	p, err := embedded.Start(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{t: t, prom: p, collector: export.NewCollector(), metrics: prometheus.NewPedanticRegistry()}
	l.metrics.MustRegister(l.collector)
	l.server = httptest.NewServer(http.HandlerFunc(l.serve))
	t.Cleanup(func() {
		l.server.CloseClientConnections()
		l.server.Close()
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	l.url = l.server.URL
	return l
}

func (l *lab) serve(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if l.fault != nil {
		if h := l.fault(r); h != nil {
			h.ServeHTTP(w, r)
			return
		}
	}
	l.prom.Handler().ServeHTTP(w, r)
}

// start reads the configuration and begins without memory.
func (l *lab) start(s *settings) {
	l.t.Helper()
	if s.url == "" {
		s.url = l.url
	}
	c, err := s.parse()
	if err != nil {
		l.t.Fatal(err)
	}
	l.use(c)
}

// use begins with a configuration, without memory.
func (l *lab) use(c *config.Config) {
	l.t.Helper()
	client, err := promapi.New(c.Prometheus.Config, promapi.WithRegisterer(l.metrics))
	if err != nil {
		l.t.Fatal(err)
	}
	l.config, l.states = c, make([]recommender.State, len(c.Workloads()))
	if l.reader, err = promapi.NewReader(client, c.Workloads(), c.Options()); err != nil {
		l.t.Fatal(err)
	}
}

// tick reads, decides and exports. It returns an answer for each workload.
func (l *lab) tick(at time.Time) []answer {
	l.t.Helper()
	observations, report := l.reader.Observe(l.t.Context(), at)
	snapshot := &export.Snapshot{Slot: at}
	list := make([]answer, len(observations))
	for i, w := range l.config.Workloads() {
		a := &list[i]
		*a = answer{at: at, observed: observations[i], report: report.Workloads[i], tick: &report, err: report.Failed()}
		a.decision, l.states[i] = recommender.Decide(*w.Policy, l.states[i], observations[i])
		a.state = l.states[i]
		shown := export.Undecided(w.Namespace, w.Name, string(w.Kind), w.Policy)
		shown.Observation, shown.Decision, shown.Notes = a.observed, a.decision, a.report.Notes
		snapshot.Workloads = append(snapshot.Workloads, shown)
	}
	l.collector.Publish(snapshot)
	page := l.page()
	for i := range list {
		list[i].page = page
	}
	if l.scraped {
		target := embedded.Target{Address: "infscale-0:9099"}
		if err := l.prom.AppendPage(at, "infscale", target, []byte(page), string(expfmt.NewFormat(expfmt.TypeTextPlain))); err != nil {
			l.t.Fatal(err)
		}
	}
	return list
}

// page is what is exported now.
func (l *lab) page() string {
	l.t.Helper()
	families, err := l.metrics.Gather()
	if err != nil {
		l.t.Fatal(err)
	}
	var b bytes.Buffer
	for _, family := range families {
		if _, err := expfmt.MetricFamilyToText(&b, family); err != nil {
			l.t.Fatal(err)
		}
	}
	return b.String()
}

// verdict says what kind of decision it is.
func (a *answer) verdict() string {
	d := &a.decision
	switch {
	case d.Reason == recommender.ReasonNeverMatched:
		return verdictConfig
	case d.Valid:
		return verdictOK
	case d.Known && d.RawKnown && d.Current.Known() && float64(d.Desired) > d.Current.Value:
		return verdictDegraded
	default:
		return verdictHold
	}
}
