package main

import (
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/infscale/infscale/promapi/embedded"
)

// The jobs of the embedded Prometheus.
const (
	podJob         = "vllm"
	clusterJob     = "kube-state-metrics"
	interceptorJob = "keda-http-interceptor"
	daemonJob      = "infscale"
)

// A site serves the pages of a fleet over HTTP, each pod's on an address of its own, and
// keeps Prometheus told of the pods, as its Kubernetes discovery would.
type site struct {
	fleet   *fleet
	prom    *embedded.Prometheus
	servers map[string]*pageServer // By pod.
	fixed   []*pageServer          // Those not of pods.
}

// open starts to serve, and waits until all is scraped: a daemon comes to a Prometheus that
// has been there for long.
func (s *site) open(ctx context.Context) error {
	for job, page := range map[string]func() []byte{
		clusterJob:     s.fleet.clusterPage,
		interceptorJob: s.fleet.interceptorPage,
	} {
		p, err := servePage(page)
		if err != nil {
			return err
		}
		s.fixed = append(s.fixed, p)
		if err := s.prom.SetTargets(job, embedded.Target{Address: p.address}); err != nil {
			return err
		}
	}
	if err := s.follow(); err != nil {
		return err
	}
	waiting, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	// A second ago, since the daemon begins with the second that has begun.
	if _, err := s.prom.Await(waiting, "count(up offset 1s == 1) == 3"); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// follow opens servers for new pods and closes those of pods that are gone.
func (s *site) follow() error {
	pods := s.fleet.podNames()
	if slices.Equal(slices.Sorted(slices.Values(pods)), slices.Sorted(maps.Keys(s.servers))) {
		return nil
	}
	for name, server := range s.servers {
		if !slices.Contains(pods, name) {
			server.close()
			delete(s.servers, name)
		}
	}
	var targets []embedded.Target
	for _, name := range pods {
		if s.servers[name] == nil {
			p, err := servePage(func() []byte { return s.fleet.podPage(name) })
			if err != nil {
				return err
			}
			s.servers[name] = p
		}
		targets = append(targets, embedded.Target{
			Address: s.servers[name].address,
			Labels:  map[string]string{"namespace": namespace, "pod": name, "container": "vllm"},
		})
	}
	return s.prom.SetTargets(podJob, targets...)
}

// close stops all servers.
func (s *site) close() {
	for _, p := range slices.Concat(s.fixed, slices.Collect(maps.Values(s.servers))) {
		p.close()
	}
}

// A pageServer serves one /metrics page on an address of its own.
type pageServer struct {
	address string
	server  http.Server
	done    chan error
}

// servePage serves what page returns, and refuses while that is nil: a model server that
// loads does not answer.
func servePage(page func() []byte) (*pageServer, error) {
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		b := page()
		if b == nil {
			http.Error(w, "loading", http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(b)
	})
	p := &pageServer{
		address: l.Addr().String(),
		server:  http.Server{Handler: mux, ReadHeaderTimeout: time.Second},
		done:    make(chan error, 1),
	}
	go func() { p.done <- p.server.Serve(l) }()
	return p, nil
}

// close stops the server at once.
func (p *pageServer) close() {
	_ = p.server.Close()
	if err := <-p.done; !errors.Is(err, http.ErrServerClosed) {
		panic(err) // Serve returns nothing else after Close.
	}
}
