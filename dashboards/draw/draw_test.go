package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/rules"
)

var drawTo = flag.String("draw", "", "folder to write a picture of each dashboard to")

// filled is a Prometheus that was there for a day.
func filled(t *testing.T, length time.Duration) (Day, *promapi.Client) {
	t.Helper()
	p, err := embedded.Start(embedded.Options{Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	day, err := Fill(t.Context(), p, length)
	if err != nil {
		t.Fatal(err)
	}
	cfg := promapi.DefaultConfig()
	cfg.URL = p.URL()
	c, err := promapi.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	if err := Record(t.Context(), p, c, day, rules.Files, "infscale.rules.yaml"); err != nil {
		t.Fatal(err)
	}
	return day, c
}

// view is the whole day, with one workload chosen where a dashboard is about one.
func view(d *dashboards.Dashboard, day Day) View {
	v := View{Start: day.Start, End: day.End, Step: 5 * time.Minute}
	if d.Name == "workload" {
		v.Chosen = map[string]string{"workload_namespace": "inference", "workload": "chat"}
	}
	return v
}

// silent are the queries that have no data in this day, and why.
var silent = map[string]string{
	"workload/Requests/C": "chat has no source of held requests",
}

// A query with a mistake that still parses shows here: a label that does not exist, two
// sides that never match, a rate of a gauge.
func TestEveryPanelHasData(t *testing.T) {
	day, c := filled(t, 24*time.Hour)
	for _, d := range dashboards.All() {
		answers, err := Ask(t.Context(), c, &d, view(&d, day))
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			for i := range a.Results {
				name := d.Name + "/" + a.Panel.Title + "/" + a.Panel.Targets[i].RefID
				if want := silent[name] == ""; known(&a.Results[i]) != want {
					t.Errorf("%s: got data %v, want %v", name, !want, want)
				}
			}
			if w := warnings(a.Results); len(w) > 0 {
				t.Errorf("%s: %s: got remarks %q, want none", d.Name, a.Panel.Title, w)
			}
		}
		draw(t, &d, answers, view(&d, day))
	}
}

// warnings are what Prometheus found strange about queries.
func warnings(results []promapi.Result) []string {
	var all []string
	for _, r := range results {
		all = append(append(all, r.Warnings...), r.Infos...)
	}
	return all
}

// draw checks the picture of a dashboard, and writes it where that is asked for.
func draw(t *testing.T, d *dashboards.Dashboard, answers []Answer, v View) {
	t.Helper()
	picture, err := Picture(d, answers, v)
	if err != nil {
		t.Fatal(err)
	}
	checkPicture(t, d, picture)
	if *drawTo == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*drawTo, d.Name+".svg"), picture, 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkPicture wants well-formed XML with every panel in it.
func checkPicture(t *testing.T, d *dashboards.Dashboard, picture []byte) {
	t.Helper()
	written := map[string]bool{}
	for x := xml.NewDecoder(bytes.NewReader(picture)); ; {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		if text, ok := token.(xml.CharData); ok {
			written[string(text)] = true
		}
	}
	for _, p := range d.Panels {
		if !written[p.Title] {
			t.Errorf("%s: got a picture without %q", d.Name, p.Title)
		}
	}
}

// The picture in the documentation is one of today's dashboard.
func TestPictureOfTheOverviewIsUpToDate(t *testing.T) {
	picture, err := os.ReadFile("../overview.svg")
	if err != nil {
		t.Fatal(err)
	}
	overview := dashboards.Overview()
	checkPicture(t, &overview, picture)
	if len(picture) > 150_000 {
		t.Errorf("got %d bytes, want at most 150,000", len(picture))
	}
}
