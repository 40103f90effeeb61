package main

import (
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/score"
)

func TestProgressIsSilentAtFirst(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := newProgress(&out, func() time.Time { return now })
	p.note(1, 10)
	p.end(nil)
	if out.Len() > 0 {
		t.Errorf("got %q of a short run, want nothing", out.String())
	}
	for i := range 8 {
		now = now.Add(time.Second)
		p.note(i+2, 10)
	}
	p.end(nil)
	want := "recommender: 4 of 10 replays after 3s\nrecommender: 7 of 10 replays after 6s\nrecommender: done in 8s\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestAPartOfATrace(t *testing.T) {
	for text, want := range map[string]window{
		"0-60": {0, 60}, "1h-2h": {3600, 7200}, "90-2m": {90, 120}, "0.5-1.5": {0.5, 1.5},
	} {
		var w window
		if err := w.UnmarshalText([]byte(text)); err != nil || w != want {
			t.Errorf("%s: got %v and error %v, want %v", text, w, err, want)
		}
	}
	for _, text := range []string{"", "60", "60-", "-60", "60-60", "2h-1h", "a-b", "1-NaN", "1-2-3"} {
		var w window
		if err := w.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %v, want an error", text, w)
		}
	}
}

func TestAQueryIsNotSimulated(t *testing.T) {
	p := recommender.DefaultPolicy()
	p.Signals = []recommender.Signal{{Metric: recommender.Queue, Target: 24}, {Metric: recommender.Query, Name: "backlog", Target: 1}}
	errs := measurable(&score.Candidate{Name: "inference/chat", Policy: p})
	if want := `inference/chat: the query "backlog" cannot be simulated, only what replicas say of themselves`; len(errs) != 1 || errs[0].Error() != want {
		t.Errorf("got %v, want %q", errs, want)
	}
}
