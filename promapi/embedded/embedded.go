package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/discovery/targetgroup"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/scrape"
	"github.com/prometheus/prometheus/tsdb"
)

// headSpan is how much time the head block covers. A sample is accepted while it is less
// than half of it behind the newest one.
const headSpan = 60 * 24 * time.Hour

// Options say how a Prometheus is started. The zero value is a Prometheus without targets
// that is reached through Handler only.
type Options struct {
	// Dir holds the storage. Empty means a temporary directory without a write-ahead
	// log, removed by Close.
	Dir string
	// Listen is the address of the HTTP API, such as "127.0.0.1:0". Empty means none.
	Listen string
	// Jobs are what is scraped. Targets can change later, jobs can not.
	Jobs []Job
	// Lookback is how long a sample answers for its series [5m].
	Lookback time.Duration
	// OutOfOrder is how far behind its series' newest sample a sample may be [0].
	OutOfOrder time.Duration
	// MaxSamples bounds what one query may load [50 million].
	MaxSamples int
	// Timeout bounds one query [2m].
	Timeout time.Duration
	// Logger receives what Prometheus logs [nothing].
	Logger *slog.Logger
}

// A Prometheus is one running instance. Its methods may be called concurrently.
type Prometheus struct {
	db       *tsdb.DB
	engine   *promql.Engine
	parser   parser.Parser
	lookback time.Duration
	registry *prometheus.Registry
	logger   *slog.Logger
	scraper  *scrape.Manager
	handler  http.Handler
	server   *http.Server
	url      string
	tempDir  string

	commits commits
	pages   pages

	jobs    sync.Mutex // Guards groups, and the order of what is sent to targets.
	groups  map[string][]*targetgroup.Group
	targets chan map[string][]*targetgroup.Group
	done    chan struct{}
	running sync.WaitGroup
	close   func() error
}

// Start runs a Prometheus until Close.
func Start(o Options) (*Prometheus, error) {
	p := &Prometheus{
		parser:   parser.NewParser(parser.Options{}),
		lookback: cmp.Or(o.Lookback, 5*time.Minute),
		registry: prometheus.NewRegistry(),
		logger:   o.Logger,
		groups:   map[string][]*targetgroup.Group{},
		targets:  make(chan map[string][]*targetgroup.Group),
		done:     make(chan struct{}),
	}
	if p.logger == nil {
		p.logger = promslog.NewNopLogger()
	}
	p.close = sync.OnceValue(p.shutdown)
	if err := p.start(o); err != nil {
		return nil, errors.Join(fmt.Errorf("embedded prometheus: %w", err), p.Close())
	}
	return p, nil
}

// start opens the storage first: everything else reads or writes it.
func (p *Prometheus) start(o Options) error {
	if err := p.openStorage(o); err != nil {
		return err
	}
	p.engine = promql.NewEngine(promql.EngineOpts{
		Logger:               p.logger,
		MaxSamples:           cmp.Or(o.MaxSamples, 50_000_000),
		Timeout:              cmp.Or(o.Timeout, 2*time.Minute),
		LookbackDelta:        p.lookback,
		EnableAtModifier:     true,
		EnableNegativeOffset: true,
		Parser:               p.parser,
	})
	if err := p.startScraping(o.Jobs); err != nil {
		return err
	}
	p.handler = p.newHandler()
	if o.Listen == "" {
		return nil
	}
	return p.listen(o.Listen)
}

// openStorage opens the TSDB. Without a directory of its own nothing outlives the process,
// so nothing is logged ahead either, unless out-of-order samples need it.
func (p *Prometheus) openStorage(o Options) error {
	dir, wal := o.Dir, 0
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "embedded-prometheus-"); err != nil {
			return err
		}
		p.tempDir = dir
		if o.OutOfOrder == 0 {
			wal = -1
		}
	}
	opts := tsdb.DefaultOptions()
	opts.WALSegmentSize = wal
	opts.MinBlockDuration = headSpan.Milliseconds()
	opts.MaxBlockDuration = headSpan.Milliseconds()
	opts.RetentionDuration = 0
	opts.OutOfOrderTimeWindow = o.OutOfOrder.Milliseconds()
	var err error
	p.db, err = tsdb.Open(dir, p.logger, p.registry, opts, nil)
	return err
}

// listen serves the HTTP API until Close.
func (p *Prometheus) listen(address string) error {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return err
	}
	p.url = "http://" + l.Addr().String()
	p.server = &http.Server{Handler: p.handler, ReadHeaderTimeout: 10 * time.Second}
	p.running.Go(func() { _ = p.server.Serve(l) })
	return nil
}

// URL is the root of the HTTP API, without a slash at its end. It is empty when Options
// named no address.
func (p *Prometheus) URL() string { return p.url }

// Handler serves the HTTP API under /api/v1, and /-/healthy and /-/ready.
func (p *Prometheus) Handler() http.Handler { return p.handler }

// Close stops scraping and serving and removes what was temporary. Running queries are cut
// off. Closing twice is harmless.
func (p *Prometheus) Close() error { return p.close() }

func (p *Prometheus) shutdown() error {
	var errs []error
	close(p.done)
	if p.server != nil {
		errs = append(errs, p.server.Close())
	}
	if p.scraper != nil {
		p.scraper.Stop()
	}
	p.running.Wait()
	if p.engine != nil {
		errs = append(errs, p.engine.Close())
	}
	if p.db != nil {
		errs = append(errs, p.db.Close())
	}
	if p.tempDir != "" {
		errs = append(errs, os.RemoveAll(p.tempDir))
	}
	return errors.Join(errs...)
}
