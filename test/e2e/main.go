package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// options are what can be said on the command line.
type options struct {
	repo    string
	cache   string
	outage  time.Duration
	hpaSync time.Duration
	build   bool
	keep    bool
}

func main() {
	var o options
	flag.StringVar(&o.repo, "repo", "../..", "root of the repository")
	flag.StringVar(&o.cache, "cache", defaultCache(), "folder of the programs that are built")
	flag.DurationVar(&o.outage, "outage", 2*time.Minute, "how long Prometheus is stopped, and the daemon dead")
	flag.DurationVar(&o.hpaSync, "hpa-sync", 15*time.Second, "period of the HPA controller")
	flag.BoolVar(&o.build, "build", false, "build the programs and do no more")
	flag.BoolVar(&o.keep, "keep", false, "keep the logs of a run that succeeded")
	flag.Parse()
	ctx, cancel := interruptible()
	defer cancel()
	if err := run(ctx, o); err != nil {
		// The instance in the sandbox has said why.
		if os.Getenv(inside) != "" || !isExit(err) {
			fmt.Fprintln(os.Stderr, "e2e:", err)
		}
		os.Exit(1)
	}
}

// defaultCache is outside the repository and outlives a checkout.
func defaultCache() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "infscale-e2e")
}

// run builds, and then runs again in the sandbox, where it proves.
func run(ctx context.Context, o options) error {
	if os.Getenv(inside) != "" {
		return prove(ctx, o)
	}
	begun := time.Now()
	if err := (cache{dir: o.cache, out: os.Stdout}).fill(ctx, o.repo); err != nil {
		return err
	}
	fmt.Printf("the programs are in %s, after %v\n", o.cache, time.Since(begun).Round(100*time.Millisecond))
	if o.build {
		return nil
	}
	return reenter(ctx)
}

// prove starts everything, goes through the chapters and stops everything, however they end.
func prove(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "infscale-e2e-")
	if err != nil {
		return err
	}
	if err := settle(ctx, dir); err != nil {
		return err
	}
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	c := cache{dir: o.cache, out: os.Stdout}
	log := &timeline{out: os.Stdout, begun: time.Now()}
	staff := &crew{bin: c.program, logs: dir, fail: fail, env: []string{
		"POD_NAMESPACE=keda", "KEDA_CLUSTER_OBJECT_NAMESPACE=keda", "WATCH_NAMESPACE=", "NO_PROXY=*", "no_proxy=*",
	}}
	defer func() {
		staff.stopAll()
		log.summary(staff.usages())
		err = finish(err, dir, o.keep, log)
	}()
	p := &proof{
		plane:  &plane{crew: staff, cache: c, dir: dir, log: log, hpaSync: o.hpaSync},
		repo:   o.repo,
		outage: o.outage,
	}
	stop, err := p.start(ctx)
	defer stop()
	if err != nil {
		return err
	}
	return p.run(ctx)
}

// start brings up the cluster, KEDA, the fleet, Prometheus and the daemon. What it returns
// first ends what is part of this program, and is never nil.
func (p *proof) start(ctx context.Context) (stop func(), err error) {
	stop = func() {}
	p.plane.log.chapter("start")
	if err := p.plane.certify(); err != nil {
		return stop, err
	}
	if p.plane.kube, err = newKube("https://"+loopback(apiPort), p.plane.path("certs")); err != nil {
		return stop, err
	}
	if err := p.plane.startKubernetes(ctx); err != nil {
		return stop, err
	}
	if err := p.plane.startKEDA(ctx); err != nil {
		return stop, err
	}
	p.fleet = newFleet(p.plane.kube, []workload{chat, summariser, large, code})
	if err := p.configure(); err != nil {
		return stop, err
	}
	if stop, err = p.openFleet(ctx); err != nil {
		return stop, err
	}
	if p.prometheus, err = p.plane.startPrometheus(ctx); err != nil {
		return stop, err
	}
	p.daemon, err = p.plane.startDaemon(ctx)
	return stop, err
}

// openFleet runs the fleet and serves its pages.
func (p *proof) openFleet(ctx context.Context) (stop func(), err error) {
	running, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { p.fleet.run(running); close(ended) }()
	closeServer, err := serve(p.fleet.handler(), fleetPort, "", "")
	return func() {
		cancel()
		<-ended
		if closeServer != nil {
			closeServer()
		}
	}, err
}

// serve answers on a port until stop is called, with TLS if there is a certificate.
func serve(h http.Handler, port, cert, key string) (stop func(), err error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", loopback(port))
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if cert == "" {
			_ = s.Serve(l)
		} else {
			_ = s.ServeTLS(l, cert, key)
		}
	}()
	return func() { _ = s.Close(); <-ended }, nil
}

// finish says how it went, and keeps the logs of what failed.
func finish(err error, dir string, keep bool, log *timeline) error {
	took := time.Since(log.begun).Round(time.Second)
	if err != nil {
		return fmt.Errorf("FAILED after %v: %w\nlogs are in %s", took, err, dir)
	}
	fmt.Printf("\nPASSED in %v\n", took)
	if keep {
		fmt.Printf("logs are in %s\n", dir)
		return nil
	}
	return errors.Join(err, os.RemoveAll(dir))
}
