package main

import (
	"context"
	_ "embed"

	"go.uber.org/zap"

	"github.com/infscale/infscale/recommender/config"
	"github.com/infscale/infscale/recommender/daemon"
)

// configuration is what the daemon is given, apart from the address of Prometheus.
//
//go:embed demo.yaml
var configuration []byte

// A process is a running daemon.
type process struct {
	address string
	ended   chan error // Yields once.
	cancel  context.CancelFunc
}

// startDaemon runs what the command serve runs, with a configuration that is not read from
// a file. It outlives ctx, since it ends by stop only.
func startDaemon(ctx context.Context, prometheus, listen string, log *zap.Logger) (*process, error) {
	load := func() (*config.Config, error) {
		c, err := config.Parse(configuration, "demo.yaml")
		if err != nil {
			return nil, err
		}
		c.Prometheus.URL = prometheus
		return c, nil
	}
	d, err := daemon.New(daemon.Options{Load: load, ListenAddresses: []string{listen}, Logger: log.Named("infscale")})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &process{address: d.Addresses()[0].String(), ended: make(chan error, 1), cancel: cancel}
	go func() { p.ended <- d.Run(ctx) }()
	return p, nil
}

// stop ends the daemon, if it has not ended by itself, and waits for its end.
func (p *process) stop() error {
	p.cancel()
	return <-p.ended
}
