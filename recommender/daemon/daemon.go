package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/collectors/version"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender/export"
)

// Options say how a daemon runs. Load is required.
type Options struct {
	// Load returns the configuration, at the start and for each reload: [File], or
	// a function that returns a value.
	Load Loader
	// ListenAddresses are where it serves, such as ":9099"; none is "127.0.0.1:0".
	ListenAddresses []string
	// WebConfigFile is TLS and basic authentication, in the format of Prometheus
	// exporters; empty is none.
	WebConfigFile string
	// EnableLifecycle allows POST /-/reload.
	EnableLifecycle bool
	// Hangups ask for a reload, as SIGHUP does; nil is never.
	Hangups <-chan os.Signal
	// Registry is where the metrics are registered, and what /metrics serves; nil
	// is one of its own.
	Registry *prometheus.Registry
	// Logger may be nil.
	Logger *zap.Logger
	// Now is the clock that the slots are of; nil is the wall clock.
	Now func() time.Time
}

// A Daemon evaluates and serves. It is made by New and runs once.
type Daemon struct {
	opts      Options
	log       *zap.Logger
	loop      *loop
	scheme    string // http or https
	registry  *prometheus.Registry
	listeners []net.Listener
}

// New loads the configuration, builds everything that can fail and opens the
// listeners. Run must follow, which closes them.
func New(opts Options) (*Daemon, error) {
	if opts.Load == nil {
		return nil, errors.New("options: Load must be set")
	}
	if opts.Logger == nil {
		opts.Logger = zap.NewNop()
	}
	if opts.Registry == nil {
		opts.Registry = prometheus.NewRegistry()
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return newDaemon(opts, func() (*world, error) { return build(opts.Load, opts.Registry, promapi.WithClock(opts.Now)) })
}

// newDaemon is New for any way to build a world.
func newDaemon(opts Options, build func() (*world, error)) (*Daemon, error) {
	d := &Daemon{opts: opts, log: opts.Logger, scheme: schemeOf(opts.WebConfigFile), registry: opts.Registry}
	l, err := newLoop(d.log, d.registry, build)
	if err != nil {
		return nil, err
	}
	l.now = opts.Now
	d.loop = l
	if err := d.register(); err != nil {
		l.world.source.close()
		return nil, err
	}
	if err := d.listen(); err != nil {
		l.world.source.close()
		return nil, err
	}
	return d, nil
}

// newLoop builds the first world.
func newLoop(log *zap.Logger, reg prometheus.Registerer, build func() (*world, error)) (*loop, error) {
	m, err := newMetrics(reg)
	if err != nil {
		return nil, err
	}
	l := &loop{
		log: log, metrics: m, collector: export.NewCollector(), now: time.Now,
		reloads: make(chan chan error), unread: make(chan struct{}, mostUnread), stopped: make(chan struct{}),
		build: func() (*world, error) {
			w, err := build()
			if err != nil {
				return nil, err
			}
			if err := w.validate(); err != nil {
				w.source.close()
				return nil, err
			}
			return w, nil
		},
	}
	l.collector.Now = func() time.Time { return l.now() }
	w, err := l.build()
	if err != nil {
		return nil, err
	}
	l.adopt(w)
	l.metrics.loaded(time.Now())
	return l, nil
}

// register adds the metrics that are not the loop's.
func (d *Daemon) register() error {
	return errors.Join(
		d.registry.Register(d.loop.collector),
		d.registry.Register(version.NewCollector("infscale")),
		d.registry.Register(collectors.NewGoCollector()),
		d.registry.Register(collectors.NewProcessCollector(collectors.ProcessCollectorOpts{})),
	)
}

// listen opens the listeners, all or none.
func (d *Daemon) listen() error {
	addresses := d.opts.ListenAddresses
	if len(addresses) == 0 {
		addresses = []string{"127.0.0.1:0"}
	}
	for _, address := range addresses {
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
		if err != nil {
			d.closeListeners()
			return fmt.Errorf("listen on %s: %w", address, err)
		}
		d.listeners = append(d.listeners, l)
	}
	for _, l := range d.listeners {
		d.log.Info("listening", zap.Stringer("address", l.Addr()), zap.String("scheme", d.scheme))
	}
	return nil
}

func (d *Daemon) closeListeners() {
	for _, l := range d.listeners {
		_ = l.Close() // nothing was accepted
	}
}

// Addresses returns where the daemon listens, with the ports that it got.
func (d *Daemon) Addresses() []net.Addr {
	list := make([]net.Addr, len(d.listeners))
	for i, l := range d.listeners {
		list[i] = l.Addr()
	}
	return list
}

// URL returns the address of the first listener as one opens it from here.
func (d *Daemon) URL() string {
	host, port, err := net.SplitHostPort(d.listeners[0].Addr().String())
	if err != nil {
		return ""
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return d.scheme + "://" + net.JoinHostPort(host, port)
}

// Run evaluates and serves until ctx ends or serving fails. It returns nil if ctx ended.
func (d *Daemon) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return d.loop.run(ctx) })
	group.Go(func() error { return d.serve(ctx) })
	group.Go(func() error { return d.reloadOnHangup(ctx) })
	return group.Wait()
}

// Reload reads the configuration again and waits until it is in force. If it
// returns an error, the one before still is.
func (d *Daemon) Reload(ctx context.Context) error { return d.loop.reload(ctx) }

// reloadOnHangup reloads until ctx ends. The loop logs what came of it.
func (d *Daemon) reloadOnHangup(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-d.opts.Hangups:
			_ = d.Reload(ctx) // logged by the loop
		}
	}
}
