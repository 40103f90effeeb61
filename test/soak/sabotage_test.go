package soak

import (
	"strings"
	"testing"

	"github.com/infscale/infscale/promapi"
)

// TestSoakFindsADaemonThatTrustsTooMuch plays a few faults to a daemon whose own
// configuration is not the one that the judge goes by: what the faults do to it has to be
// found, or the soak finds nothing.
func TestSoakFindsADaemonThatTrustsTooMuch(t *testing.T) {
	// The traffic of chat falls meanwhile.
	gap := &fault{kind: kindOf("scrape gap"), from: 42, to: 54}
	for name, c := range map[string]struct{ from, to, want string }{
		"it takes old samples for fresh": {"stale_after: 1m0s", "stale_after: 5m0s", "although evidence is not whole"},
		"it gives up too soon":           {"hold_limit: 3m0s", "hold_limit: 1m0s", "after the latest evidence, want it held for 3m0s"},
		"its maximum is another":         {"max: 12", "max: 40", "want 2 to 12"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, 1, []*fault{gap})
			defer s.end()
			s.write("daemon.yaml", strings.Replace(configuration(s.proxy.server.URL, secured), c.from, c.to, 1))
			s.run(gap.to)
			s.finds(t, c.want)
		})
	}
}

// finds reports an error unless the judge of the daemon found something.
func (s *stage) finds(t *testing.T, want string) {
	t.Helper()
	for _, v := range s.judge.violations {
		if strings.Contains(v.text, want) {
			return
		}
	}
	t.Errorf("got %v, want %q", s.judge.violations, want)
}

// A lie can't be told from the truth by a daemon, which falls for it. The judge knows better.
func TestSoakFindsALie(t *testing.T) {
	lie := &fault{kind: &kind{name: lies, place: onWire}, from: 10, to: 14, family: promapi.FamilyGauges}
	s := newStage(t, 1, []*fault{lie})
	defer s.end()
	s.run(lie.to)
	s.finds(t, "read 0 requests, want ")
}
