package daemon

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/infscale/infscale/recommender/export"
)

// A listing is every workload, in the order of the configuration.
type listing struct {
	// ReloadError says why the configuration in force is not the newest, null if it is.
	ReloadError     *string    `json:"reload_error"`
	ReloadErrorTime *time.Time `json:"reload_error_time"`
	// QueryError says what the latest evaluation left without an answer, null if nothing.
	QueryError *string `json:"query_error"`
	Workloads  []view  `json:"workloads"`
}

// A refusal is the answer to a request for what there is not.
type refusal struct {
	Error string `json:"error"`
}

// listJSON answers with a listing.
func (d *Daemon) listJSON(w http.ResponseWriter, _ *http.Request) {
	l := listing{Workloads: newViews(d.loop.collector.Latest()), QueryError: d.loop.unanswered()}
	if f := d.loop.failed.Load(); f != nil {
		l.ReloadError, l.ReloadErrorTime = &f.Text, moment(f.At)
	}
	d.writeJSON(w, http.StatusOK, l)
}

// showJSON answers with one workload, or a refusal.
func (d *Daemon) showJSON(w http.ResponseWriter, r *http.Request) {
	found := d.find(r)
	if found == nil {
		d.writeJSON(w, http.StatusNotFound, refusal{"no such workload in the configuration"})
		return
	}
	d.writeJSON(w, http.StatusOK, newView(found))
}

// find returns the workload that a request names, or nil.
func (d *Daemon) find(r *http.Request) *export.Workload {
	return d.loop.collector.Latest().Find(r.PathValue("namespace"), r.PathValue("name"))
}

// writeJSON answers with v.
func (d *Daemon) writeJSON(w http.ResponseWriter, status int, v any) {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // the client left
}
