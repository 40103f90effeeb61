package daemon

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"
)

// maxScrapes is how many scrapes are answered at once.
const maxScrapes = 40

// handler routes requests. A pattern of GET answers HEAD too, and any other
// method gets 405. No page of another site may have a browser reload.
func (d *Daemon) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /-/healthy", d.showHealthy)
	mux.HandleFunc("GET /-/ready", d.showReady)
	mux.HandleFunc("POST /-/reload", d.postReload)
	mux.HandleFunc("PUT /-/reload", d.postReload)
	mux.Handle("GET /metrics", promhttp.HandlerFor(d.registry, promhttp.HandlerOpts{
		ErrorLog:            zap.NewStdLog(d.log),
		Registry:            d.registry,
		EnableOpenMetrics:   true,
		MaxRequestsInFlight: maxScrapes,
	}))
	mux.HandleFunc("GET /api/v1/workloads", d.listJSON)
	mux.HandleFunc("GET /api/v1/workloads/{namespace}/{name}", d.showJSON)
	mux.HandleFunc("GET /{$}", d.listPage)
	mux.HandleFunc("GET /workloads/{namespace}/{name}", d.showPage)
	for pattern, landing := range map[string]string{
		"/workloads": "./", "/workloads/{$}": "../", "/workloads/{namespace}": "../", "/workloads/{namespace}/{$}": "../../",
	} {
		mux.HandleFunc("GET "+pattern, redirect(landing))
	}
	mux.HandleFunc("GET /config", d.configPage)
	return guarded(http.NewCrossOriginProtection().Handler(mux))
}

// redirect sends to a relative address, which holds behind a proxy with a path of its own.
func redirect(location string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", location)
		w.WriteHeader(http.StatusFound)
	}
}

// guarded sets the headers that keep a browser from guessing, framing and storing.
func guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// showHealthy says whether the loop goes round, whatever comes of it.
func (d *Daemon) showHealthy(w http.ResponseWriter, _ *http.Request) {
	if since := d.loop.stuck(); !since.IsZero() {
		text := fmt.Sprintf("infscale is not healthy: the evaluations have stood still since %s UTC.", clock(since))
		http.Error(w, text, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "infscale is healthy.")
}

// showReady says whether the recommendations can be relied on.
func (d *Daemon) showReady(w http.ResponseWriter, _ *http.Request) {
	if s := d.loop.collector.Latest(); s.Overdue {
		text := fmt.Sprintf("infscale is not ready: the latest evaluation is that of %s UTC, and recommendations are withdrawn.", clock(s.Slot))
		http.Error(w, text, http.StatusServiceUnavailable)
		return
	}
	if !d.loop.ready.Load() {
		text := "infscale is not ready: not every query has been answered yet."
		if e := d.loop.unanswered(); e != nil {
			text += "\n" + *e
		}
		http.Error(w, text, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "infscale is ready.")
}

// postReload reloads and says what came of it.
func (d *Daemon) postReload(w http.ResponseWriter, r *http.Request) {
	if !d.opts.EnableLifecycle {
		http.Error(w, "reloading over HTTP is off, --web.enable-lifecycle turns it on", http.StatusForbidden)
		return
	}
	switch err := d.Reload(r.Context()); {
	case err == nil:
	case errors.Is(err, r.Context().Err()):
		// Nobody listens any more.
	default:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
