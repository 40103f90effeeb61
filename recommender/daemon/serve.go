package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/prometheus/exporter-toolkit/web"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
	"go.yaml.in/yaml/v3"
)

// Limits of the HTTP server. The slowest page is /metrics of many workloads, the
// slowest answer that of a reload.
const (
	readHeaderTimeout = 10 * time.Second
	readTimeout       = 30 * time.Second
	writeTimeout      = time.Minute
	idleTimeout       = 2 * time.Minute
	shutdownDeadline  = 10 * time.Second
	maxHeader         = 64 << 10 // bytes
)

// serve answers requests until ctx ends, and then those that are under way.
func (d *Daemon) serve(ctx context.Context) error {
	server := d.newServer()
	stopped := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { stopped <- shutdown(ctx, server) })
	flags := &web.FlagConfig{WebConfigFile: &d.opts.WebConfigFile}
	// That it listens was logged when it began to; this is for what goes wrong.
	log := d.log.WithOptions(zap.IncreaseLevel(zap.WarnLevel))
	err := web.ServeMultiple(d.listeners, server, flags, slog.New(zapslog.NewHandler(log.Core())))
	if stop() { // serving ended by itself
		_ = server.Close() // the error that ended it says more
		return fmt.Errorf("serve: %w", err)
	}
	if err := <-stopped; err != nil {
		d.log.Warn("requests were cut off at the end", zap.Error(err))
	}
	return nil
}

// newServer returns a server that waits for no client for ever. Nothing reads the body of a
// request: the server skips half a megabyte of it and then closes the connection.
func (d *Daemon) newServer() *http.Server {
	return &http.Server{
		Handler:           d.handler(),
		ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout:       readTimeout,
		WriteTimeout:      writeTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          zap.NewStdLog(d.log),
	}
}

// schemeOf returns what a web configuration makes of the addresses. Serving says what
// is wrong with a file that cannot be read.
func schemeOf(webConfigFile string) string {
	var c struct {
		TLS web.TLSConfig `yaml:"tls_server_config"`
	}
	data, err := os.ReadFile(webConfigFile)
	if err == nil && yaml.Unmarshal(data, &c) == nil && c.TLS.IsEnabled() {
		return "https"
	}
	return "http"
}

// shutdown lets requests finish, and cuts off what takes too long.
func shutdown(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownDeadline)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}
