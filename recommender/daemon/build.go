package daemon

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/version"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender/config"
)

// A Loader returns the configuration. It is called at the start and for each reload, where
// one that takes too long is not waited for: the next call may come before it returns.
type Loader func() (*config.Config, error)

// File returns a Loader of a regular file.
func File(path string) Loader {
	return func() (*config.Config, error) { return config.Load(path) }
}

// build makes a world of the configuration. It sends nothing.
func build(load Loader, reg prometheus.Registerer, opts ...promapi.Option) (*world, error) {
	c, err := load()
	if err != nil {
		return nil, err
	}
	client, err := promapi.New(c.Prometheus.Config, append(opts, promapi.WithRegisterer(reg), promapi.WithVersion(version.Version))...)
	if err != nil {
		return nil, err
	}
	reader, err := promapi.NewReader(client, c.Workloads(), c.Options())
	if err != nil {
		return nil, err
	}
	w := &world{
		interval: time.Duration(c.Interval),
		source:   &prometheusSource{client: client, reader: reader},
		text:     c.String(),
		rateWait: time.Duration(c.RateWindow + 2*c.StaleAfter), rateWindow: time.Duration(c.RateWindow),
	}
	for i, workload := range c.Workloads() {
		t := target{
			identity: identity{workload.Namespace, workload.Name},
			kind:     string(workload.Kind),
			policy:   workload.Policy,
			replica:  c.Replica(i),
			origin:   origin{prometheus: c.Prometheus.Config, options: c.Options(), workload: workload},
		}
		t.origin.workload.Policy = nil
		w.workloads = append(w.workloads, t)
	}
	return w, nil
}
