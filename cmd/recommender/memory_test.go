package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

var aMonday = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

func pagesOn(m recommender.Metric, target float64) origin {
	return newOrigin("pages", &recommender.Policy{Signals: []recommender.Signal{{Metric: m, Target: target}}})
}

func TestMemoryComesBackAsItWasKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	m := memory{Version: memoryVersion, Origin: pagesOn(recommender.Queue, 1), State: recommender.Quiet(aMonday)}
	m.State.Demand[0] = recommender.Demand{Value: 7, Time: aMonday}
	if err := m.keep(file); err != nil {
		t.Fatal(err)
	}
	got, err := recall(file, pagesOn(recommender.Queue, 1), aMonday)
	if err != nil {
		t.Fatal(err)
	}
	if got.State.Demand[0].Value != 7 || !got.State.Time.Equal(aMonday) {
		t.Errorf("got demand %v at %v, want 7 at %v", got.State.Demand[0].Value, got.State.Time, aMonday)
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1 {
		t.Errorf("got %d files and %v, want only the state", len(entries), err)
	}
}

func TestMemoryOfSomethingElseIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	m := memory{Version: memoryVersion, Origin: pagesOn(recommender.Queue, 1), State: recommender.Quiet(aMonday)}
	if err := m.keep(file); err != nil {
		t.Fatal(err)
	}
	chat := pagesOn(recommender.Queue, 1)
	chat.Of = "inference/chat"
	for _, other := range []origin{pagesOn(recommender.Running, 1), pagesOn(recommender.Queue, 2), chat} {
		_, err := recall(file, other, aMonday)
		_, refused := errors.AsType[refusal](err)
		if !refused || !strings.Contains(err.Error(), m.Origin.String()) || !strings.Contains(err.Error(), other.String()) {
			t.Errorf("got %v, want a refusal that names %v and %v", err, m.Origin, other)
		}
	}
}

func TestStateBehindALink(t *testing.T) {
	dir := t.TempDir()
	link, end := filepath.Join(dir, "link.json"), filepath.Join(dir, "real.json")
	for _, step := range []error{
		os.Symlink("middle.json", link),
		os.Symlink(end, filepath.Join(dir, "middle.json")),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	m := memory{Version: memoryVersion, Origin: pagesOn(recommender.Queue, 1), State: recommender.Quiet(aMonday)}
	for _, when := range []string{"before there is a file", "over a file"} {
		if err := m.keep(link); err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		if to, err := os.Readlink(link); err != nil || to != "middle.json" {
			t.Errorf("%s: got the link to %q and %v, want it to stay", when, to, err)
		}
		if info, err := os.Lstat(end); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s: got %v and %v, want a file at the end of the links", when, info, err)
		}
	}
	if _, err := recall(link, m.Origin, aMonday); err != nil {
		t.Errorf("got %v, want the state behind the link", err)
	}
}

func TestStateKeepsItsMode(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	m := memory{Version: memoryVersion, State: recommender.Quiet(aMonday)}
	if err := m.keep(file); err != nil {
		t.Fatal(err)
	}
	const shared = 0o640
	if err := os.Chmod(file, shared); err != nil {
		t.Fatal(err)
	}
	if err := m.keep(file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode() != shared {
		t.Errorf("got %v and %v, want mode %o", info.Mode(), err, shared)
	}
}

func TestADeviceIsNoState(t *testing.T) {
	_, err := recall(os.DevNull, pagesOn(recommender.Queue, 1), aMonday)
	if _, refused := errors.AsType[refusal](err); !refused {
		t.Errorf("got %v, want a refusal", err)
	}
}

func TestMemoryThatIsNoneStaysUntouched(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"empty":          {"", "EOF"},
		"cut off":        {`{"version":1,"sig`, "unexpected EOF"},
		"something else": {`{"replicas": 3}`, `unknown field "replicas"`},
		"two documents":  {`{"version":2,"state":{"time":"2026-01-05T08:00:00Z"}}{}`, "more follows"},
		"a later format": {`{"version":3,"state":{"time":"2026-01-05T08:00:00Z"}}`, "want version 2, got 3"},
		"no time":        {`{"version":2}`, "want version 2"},
		"the future": {`{"version":2,"origin":{"of":"pages","signals":"queue:1"},` +
			`"state":{"time":"2026-01-05T10:00:00Z"}}`, "is from 2026-01-05T10:00:00Z, after"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "state.json")
			if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := recall(file, pagesOn(recommender.Queue, 1), aMonday)
			if err == nil || !strings.HasPrefix(err.Error(), file+": ") || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error at %s with %q", err, file, test.want)
			}
			if after, err := os.ReadFile(file); err != nil || string(after) != test.text {
				t.Errorf("got the file %q and %v, want it as it was", after, err)
			}
		})
	}
}

func TestNoMemoryIsAQuietPast(t *testing.T) {
	for _, file := range []string{"", filepath.Join(t.TempDir(), "none.json")} {
		got, err := recall(file, pagesOn(recommender.Queue, 1), aMonday)
		if err != nil || !got.State.Time.Equal(aMonday) || len(got.State.Proposals) != 0 {
			t.Errorf("file %q: got %+v and %v, want a quiet past", file, got.State, err)
		}
	}
}
