package embedded

import (
	"context"
	"net/http"
	"net/url"
	"runtime"
	"time"

	"github.com/grafana/regexp"
	"github.com/prometheus/common/route"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/rules"
	"github.com/prometheus/prometheus/tsdb"
	"github.com/prometheus/prometheus/util/notifications"
	v1 "github.com/prometheus/prometheus/web/api/v1"
)

// version is the release of the linked library, in the form a server reports it.
const version = "3.16.0"

// newHandler wraps the real API handler. Its constructor takes over forty positional
// arguments that change between releases, so it is called here and nowhere else.
func (p *Prometheus) newHandler() http.Handler {
	started := time.Now()
	api := v1.NewAPI(
		p.engine,
		p.db, nil, p.db, // Queries, no remote write, exemplars.
		func(context.Context) v1.ScrapePoolsRetriever { return p.scraper },
		func(context.Context) v1.TargetRetriever { return p.scraper },
		func(context.Context) v1.AlertmanagerRetriever { return absent{} },
		func() config.Config { return config.DefaultConfig },
		map[string]string{},
		v1.GlobalURLOptions{},
		func(h http.HandlerFunc) http.HandlerFunc { return h }, // Always ready.
		statistics{p.db}, p.db.Dir(), false, // No admin API,
		false, 0, // and no search.
		p.logger,
		func(context.Context) v1.RulesRetriever { return absent{} },
		0, 0, 0, false, // No remote read limits; not an agent.
		regexp.MustCompile(".*"),
		func() (v1.RuntimeInfo, error) { return v1.RuntimeInfo{StartTime: started, ServerTime: time.Now()}, nil },
		&v1.PrometheusVersion{Version: version, GoVersion: runtime.Version()},
		func() []notifications.Notification { return nil },
		func() (<-chan notifications.Notification, func(), bool) { return nil, nil, false },
		p.registry, p.registry, nil,
		false, nil, // No remote write,
		false, false, false, // and no OTLP.
		p.lookback,
		false, false, nil, nil,
		v1.OpenAPIOptions{},
		p.parser,
		false, 0,
	)
	router := route.New().WithPrefix("/api/v1")
	api.Register(router)
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", router)
	mux.HandleFunc("GET /-/healthy", fine)
	mux.HandleFunc("GET /-/ready", fine)
	return mux
}

func fine(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

// absent stands for the parts a Prometheus has that this one does not: rules and
// Alertmanagers.
type absent struct{}

func (absent) RuleGroups() []*rules.Group           { return nil }
func (absent) AlertingRules() []*rules.AlertingRule { return nil }
func (absent) Alertmanagers() []*url.URL            { return nil }
func (absent) DroppedAlertmanagers() []*url.URL     { return nil }

// statistics shows the storage to the API under /status/tsdb.
type statistics struct{ *tsdb.DB }

// BlockMetas implements v1.TSDBAdminStats.
func (s statistics) BlockMetas() ([]tsdb.BlockMeta, error) { return s.DB.BlockMetas(), nil }

// Stats implements v1.TSDBAdminStats.
func (s statistics) Stats(label string, limit int) (*tsdb.Stats, error) {
	return s.Head().Stats(label, limit), nil
}

// WALReplayStatus implements v1.TSDBAdminStats.
func (s statistics) WALReplayStatus() (tsdb.WALReplayStatus, error) {
	return tsdb.WALReplayStatus{}, nil
}
