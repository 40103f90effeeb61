package daemon

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
)

func TestPartsOfAnAddressLeadToTheLandingPage(t *testing.T) {
	b := newBench(t, worldOf(newScripted(), "chat"))
	for _, path := range []string{"/workloads", "/workloads/", "/workloads/inference", "/workloads/inference/"} {
		for _, prefix := range []string{"", "/behind/a/proxy"} {
			rec := b.ask(t, "GET", path)
			base, err := url.Parse("http://infscale" + prefix + path)
			if err != nil {
				t.Fatal(err)
			}
			to, err := base.Parse(rec.Header().Get("Location"))
			if err != nil {
				t.Fatal(err)
			}
			if rec.Code != http.StatusFound || to.Path != prefix+"/" {
				t.Errorf("%s%s: got %d to %s, want %d to %s/", prefix, path, rec.Code, to.Path, http.StatusFound, prefix)
			}
		}
	}
}

func TestLandingPageShowsNotes(t *testing.T) {
	b := newBench(t, worldOf(newScripted(), "chat"))
	w := export.Undecided("inference", "chat", "Deployment", asksPolicy())
	w.Notes = []string{"no engine was heard: never_matched"}
	b.loop.collector.Publish(&export.Snapshot{Workloads: []export.Workload{w}})
	page := func() string { return b.ask(t, "GET", "/").Body.String() }
	if want := `<span class="note">no engine was heard: never_matched</span>`; !strings.Contains(page(), want) {
		t.Errorf("got\n%s\nwant %s", page(), want)
	}
	w.Notes = nil
	b.loop.collector.Publish(&export.Snapshot{Workloads: []export.Workload{w}})
	if strings.Contains(page(), `<tr class="notes">`) {
		t.Errorf("got a row of notes without notes in\n%s", page())
	}
}

func TestHeldRequestsThatAreNotSeenAreNoted(t *testing.T) {
	for name, test := range map[string]struct {
		held  recommender.Quantity
		needs bool
		notes []string
		want  string
	}{
		"a source that never matched":   {recommender.Missing(recommender.NeverMatched), true, nil, "held: never_matched, requests held in front of the pods are not seen"},
		"no source":                     {recommender.Missing(recommender.Absent), false, nil, ""},
		"nothing held":                  {recommender.Exactly(0, epoch, 0), true, nil, ""},
		"what the reading noted itself": {recommender.Missing(recommender.Failed), true, []string{"held query: refused"}, "held query: refused"},
	} {
		p := asksPolicy()
		p.Held = test.needs
		m := memory{policy: p, report: promapi.WorkloadReport{Notes: test.notes}}
		m.decision.Time, m.observation.Held = epoch, test.held
		if got := strings.Join(m.notes(epoch, time.Minute), "; "); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}

func TestPagesSayThatThereIsNoEvidence(t *testing.T) {
	b := newBench(t, worldOf(newScripted(), "chat"))
	for path, want := range map[string]string{
		"/":                         `<span class="dim">, none yet</span>`,
		"/workloads/inference/chat": "The evidence is not complete; there is none that could be used.",
	} {
		if page := b.ask(t, "GET", path).Body.String(); !strings.Contains(page, want) {
			t.Errorf("%s: got\n%s\nwant %s", path, page, want)
		}
	}
}
