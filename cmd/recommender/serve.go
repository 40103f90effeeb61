package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
	"github.com/prometheus/common/version"
	"github.com/prometheus/exporter-toolkit/web"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/infscale/infscale/recommender/config"
	"github.com/infscale/infscale/recommender/daemon"
)

// ServeCmd is the daemon.
type ServeCmd struct {
	ConfigFile string   `name:"config.file" default:"infscale.yaml" placeholder:"FILE" help:"The configuration [${default}]. It is read again on SIGHUP."`
	Web        webFlags `embed:"" prefix:"web."`
	Log        logFlags `embed:"" prefix:"log."`
}

type webFlags struct {
	ListenAddress   []string `default:":9099" placeholder:"ADDRESS" help:"Where to serve metrics and pages [${default}]; repeatable."`
	ConfigFile      string   `name:"config.file" placeholder:"FILE" help:"TLS and basic authentication, in the format of Prometheus exporters."`
	EnableLifecycle bool     `help:"Reload the configuration on POST /-/reload."`
}

type logFlags struct {
	Level  string `default:"info" enum:"debug,info,warn,error" help:"Least severe level that is logged: ${enum}."`
	Format string `default:"console" enum:"console,json" help:"Format of the log: ${enum}."`
}

// Run serves until ctx ends. A configuration that cannot be used at the start is
// refused; one that is reloaded leaves the one before in force.
func (c *ServeCmd) Run(ctx context.Context, k *kong.Context) error {
	if err := c.check(ctx); err != nil {
		return refuse(err)
	}
	load := daemon.File(c.ConfigFile)
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	log := newLogger(k.Stderr, c.Log)
	d, err := daemon.New(daemon.Options{
		Load:            load,
		ListenAddresses: c.Web.ListenAddress,
		WebConfigFile:   c.Web.ConfigFile,
		EnableLifecycle: c.Web.EnableLifecycle,
		Hangups:         hangups,
		Logger:          log,
	})
	if err != nil {
		return err
	}
	log.Info("started", zap.String("version", version.Version), zap.String("config", c.ConfigFile), zap.String("url", d.URL()))
	err = d.Run(ctx)
	log.Info("stopped", zap.Error(err))
	return err
}

// check refuses what cannot be used.
func (c *ServeCmd) check(ctx context.Context) error {
	for _, address := range c.Web.ListenAddress {
		if err := checkAddress(ctx, address); err != nil {
			return fmt.Errorf("--web.listen-address: %w", err)
		}
	}
	if c.Web.ConfigFile != "" {
		if _, err := config.ReadFile(c.Web.ConfigFile); err != nil {
			return fmt.Errorf("--web.config.file: %w", err)
		}
		if err := web.Validate(c.Web.ConfigFile); err != nil {
			return fmt.Errorf("%s: %w", c.Web.ConfigFile, config.Hushed(err))
		}
	}
	if c.ConfigFile == stdin {
		return errors.New("--config.file: must be a file, since it is read again on a reload, got -")
	}
	_, err := asUsed(config.Load(c.ConfigFile))
	if _, ok := errors.AsType[config.Unreadable](err); ok {
		return fmt.Errorf("%w: say with --config.file where the configuration is", err)
	}
	return err
}

// checkAddress returns what is wrong with an address as text. Whether it can be had
// shows when it is used.
func checkAddress(ctx context.Context, address string) error {
	_, port, err := net.SplitHostPort(address)
	if err != nil || port == "" {
		return fmt.Errorf("must be HOST:PORT or :PORT, got %q", address)
	}
	if _, err := net.DefaultResolver.LookupPort(ctx, "tcp", port); err != nil {
		return fmt.Errorf("unknown port %q, in %q", port, address)
	}
	return nil
}

// newLogger logs to w.
func newLogger(w io.Writer, flags logFlags) *zap.Logger {
	level, err := zapcore.ParseLevel(flags.Level)
	if err != nil {
		level = zapcore.InfoLevel // the grammar allows no other words
	}
	conf := daemon.EncoderConfig()
	encoder := zapcore.NewConsoleEncoder(conf)
	if flags.Format == "json" {
		encoder = zapcore.NewJSONEncoder(conf)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), level), zap.AddCaller())
}
