package main

import (
	"slices"
	"time"
)

// An interceptor is the door in front of the pods, like the KEDA HTTP add-on's: it passes
// requests to the ready pods, and holds them while there are none.
type interceptor struct {
	held    []*request
	proxied int // At the pods, not answered yet.
	served  int
}

// dispatch sends what is held to the pods, each request to the one with the fewest.
func (i *interceptor) dispatch(pods []*pod, now time.Time) {
	if len(pods) == 0 {
		return
	}
	for _, r := range i.held {
		least := slices.MinFunc(pods, func(a, b *pod) int { return a.engine.outstanding() - b.engine.outstanding() })
		least.engine.accept(r, now)
	}
	i.proxied += len(i.held)
	i.held = nil
}

// answered notes requests that left.
func (i *interceptor) answered(n int) {
	i.proxied -= n
	i.served += n
}

// page is the add-on's: its concurrency counts all requests inside, held and proxied, which
// is why it can only stand for the load while nothing is ready.
func (i *interceptor) page() []byte {
	var w page
	route := []string{"route_name", workload, "route_namespace", namespace}
	w.family("interceptor_request_concurrency", "gauge", "Requests inside the interceptor, held and proxied.")
	w.sample(float64(len(i.held)+i.proxied), route...)
	w.family("interceptor_request_count_total", "counter", "Requests answered.")
	w.sample(float64(i.served), append([]string{"code", "200", "method", "POST"}, route...)...)
	return w.bytes()
}
