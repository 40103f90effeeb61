package daemon

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"time"

	"github.com/prometheus/common/version"

	"github.com/infscale/infscale/recommender/export"
)

//go:embed templates
var templates embed.FS

// pages are the parsed templates. Each page has the layout around it.
var pages = map[string]*template.Template{
	"list":   parsePage("list.html"),
	"show":   parsePage("show.html"),
	"config": parsePage("config.html"),
}

func parsePage(name string) *template.Template {
	return template.Must(template.New("layout.html").Funcs(functions).
		ParseFS(templates, "templates/layout.html", "templates/style.css", "templates/"+name))
}

// A page is what every template gets.
type page struct {
	Title   string
	Root    string // relative address of the landing page
	Refresh int    // seconds, 0 is never
	Now     time.Time
	Version string
	Ready   bool
	Overdue bool     // decisions did not come in time
	Failed  *failure // the latest reload, if it failed
	// Outage is what the latest evaluation left without an answer, if anything.
	Outage *string
	// Slot is the latest evaluation, Interval the time between two.
	Slot     *time.Time
	Interval time.Duration

	Workloads []view // of the landing page
	Workload  *view  // of the page of one
	Config    string // of the page of the configuration
}

// newPage fills what all pages have.
func (d *Daemon) newPage(title, root string, s *export.Snapshot) page {
	w := d.loop.shown.Load()
	return page{
		Title: title, Root: root, Now: d.loop.now(), Version: version.Version,
		Refresh: max(5, int(w.interval.Seconds())), Ready: d.loop.ready.Load(), Overdue: s.Overdue, Failed: d.loop.failed.Load(),
		Outage: d.loop.unanswered(),
		Slot:   moment(s.Slot), Interval: w.interval,
	}
}

// listPage is the landing page: every workload in one table.
func (d *Daemon) listPage(w http.ResponseWriter, _ *http.Request) {
	s := d.loop.collector.Latest()
	p := d.newPage("Workloads", "./", s)
	p.Workloads = newViews(s)
	render(w, "list", &p)
}

// showPage explains one workload.
func (d *Daemon) showPage(w http.ResponseWriter, r *http.Request) {
	found := d.find(r)
	if found == nil {
		http.Error(w, "no such workload in the configuration", http.StatusNotFound)
		return
	}
	p := d.newPage(found.Namespace+"/"+found.Name, "../../", d.loop.collector.Latest())
	p.Workload = new(newView(found))
	render(w, "show", &p)
}

// configPage shows the configuration in force, without secrets.
func (d *Daemon) configPage(w http.ResponseWriter, _ *http.Request) {
	p := d.newPage("Configuration", "./", d.loop.collector.Latest())
	p.Config, p.Refresh = d.loop.shown.Load().text, 0
	render(w, "config", &p)
}

// render answers with a page, or with an error and no half of a page.
func render(w http.ResponseWriter, name string, p *page) {
	var b bytes.Buffer
	if err := pages[name].Execute(&b, p); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = b.WriteTo(w) // the client left
}
