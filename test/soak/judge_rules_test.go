package soak

import (
	"strings"
	"testing"
	"time"
)

// A scene is a tick before and a tick now of the workload chat, of which nothing is wrong.
type scene struct {
	before, now *exported
	want        *expectation
	at          *circumstance
}

// newScene has five replicas before and now, and whole evidence, or an outage of everything.
func newScene(outage bool) *scene {
	at := &circumstance{tick: 100, slot: epoch.Add(100 * interval)}
	see := &sight{spec: 5, load: 40}
	if outage {
		at.wire = []*fault{{kind: kindOf("internal error"), from: 95, to: 110}}
	}
	want := expect(&shapes[0], see, at)
	return &scene{before: exports(99), now: exports(100), want: &want, at: at}
}

// exports is what a daemon says in a tick of whole evidence.
func exports(tick int) *exported {
	e := &exported{workloads: map[string]*said{}, failures: map[string]float64{}, reloaded: 1}
	for i := range shapes {
		e.workloads[shapes[i].name] = &said{
			desired: new(5), valid: true, reasons: []string{"metric"}, decided: epoch.Add(time.Duration(tick) * interval),
			values: map[string]float64{"infscale_requests_running": 40, "infscale_requests_waiting": 0},
			raw:    map[string]float64{"queue": 5},
		}
	}
	return e
}

// chat returns what is said now of the workload that is looked at.
func (s *scene) chat() *said { return s.now.workloads["chat"] }

// suffer makes it the answer of a daemon in an outage.
func (s *scene) suffer() {
	s.now.failures["server"] = 9
	for _, w := range s.now.workloads {
		w.valid, w.reasons, w.values, w.raw = false, []string{"query_error"}, nil, nil
	}
}

// judged lets a judge look at both ticks and returns what was wrong.
func (s *scene) judged() []violation {
	j := newJudge("daemon")
	before := newScene(false)
	at := &circumstance{tick: 99, slot: epoch.Add(99 * interval), begun: true}
	j.look(s.before, all(before.want), at)
	j.violations = nil
	j.look(s.now, all(s.want), s.at)
	return j.violations
}

// all expects the same of every workload.
func all(e *expectation) map[string]*expectation {
	want := map[string]*expectation{}
	for i := range shapes {
		want[shapes[i].name] = e
	}
	return want
}

func kindOf(name string) *kind {
	for _, k := range kinds {
		if k.name == name {
			return k
		}
	}
	panic("no fault is named " + name)
}

func TestJudgeIsContentWithWhatIsRight(t *testing.T) {
	if got := newScene(false).judged(); len(got) > 0 {
		t.Errorf("whole evidence: got %v, want nothing", got)
	}
	s := newScene(true)
	s.suffer()
	if got := s.judged(); len(got) > 0 {
		t.Errorf("an outage: got %v, want nothing", got)
	}
}

func TestJudgeSeesWhatIsWrong(t *testing.T) {
	for name, c := range map[string]struct {
		outage bool
		spoil  func(s *scene)
		want   string
	}{
		"a fall in an outage":               {true, func(s *scene) { s.chat().desired = new(4) }, "fell from 5 to 4 (query_error) although evidence is not whole"},
		"a rise in an outage":               {true, func(s *scene) { s.chat().desired = new(6) }, "desired went from 5 to 6 (query_error) although nothing is known"},
		"below the minimum":                 {false, func(s *scene) { s.chat().desired = new(1) }, "desired 1, want 2 to 12"},
		"above the maximum":                 {false, func(s *scene) { s.chat().desired = new(13) }, "desired 13, want 2 to 12"},
		"valid in an outage":                {true, func(s *scene) { s.chat().valid, s.chat().reasons = true, []string{"metric"} }, "valid, want not"},
		"two reasons":                       {false, func(s *scene) { s.chat().reasons = []string{"metric", "tolerance"} }, "got 2 reasons"},
		"no reason":                         {false, func(s *scene) { s.chat().reasons = nil }, "got 0 reasons"},
		"a reason of another fault":         {true, func(s *scene) { s.chat().reasons = []string{"stale_data"} }, "reason stale_data, want one of [query_error]"},
		"valid for want of evidence":        {false, func(s *scene) { s.chat().reasons = []string{"no_data"} }, "valid and no_data"},
		"withdrawn at once":                 {true, func(s *scene) { s.chat().desired = nil }, "withdrawn 15s after the latest evidence"},
		"held for ever":                     {true, func(s *scene) { s.at.slot = s.at.slot.Add(holdLimit); s.redate() }, "held 3m15s after the latest evidence"},
		"a slot that was not decided on":    {false, func(s *scene) { s.chat().decided = epoch }, "decided on"},
		"a workload that is not exported":   {false, func(s *scene) { delete(s.now.workloads, "chat") }, "not exported"},
		"requests that are not there":       {false, func(s *scene) { s.chat().values["infscale_requests_waiting"] = 1 }, "read 41 requests, want 40"},
		"less than is there and asked for":  {false, func(s *scene) { s.chat().desired = new(4) }, "desired 4, want at least what is there and asked for"},
		"a missed slot":                     {false, func(s *scene) { s.now.missed = 1 }, "missed 1 slots, want 0"},
		"a query that fails for no reason":  {false, func(s *scene) { s.now.failures["connect"] = 1 }, "1 queries failed of connect, want only []"},
		"a cause of another fault":          {true, func(s *scene) { s.now.failures["tls"] = 2 }, "2 queries failed of tls, want only [server]"},
		"an outage that no query feels":     {true, func(s *scene) { delete(s.now.failures, "server") }, "no query failed, want failures of [server]"},
		"a configuration that was not read": {false, func(s *scene) { s.now.reloaded = 0 }, "configuration loaded: false, want true"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(c.outage)
			if c.outage {
				s.suffer()
			}
			c.spoil(s)
			for _, v := range s.judged() {
				if strings.Contains(v.text, c.want) {
					return
				}
			}
			t.Errorf("got %v, want %q", s.judged(), c.want)
		})
	}
}

// redate says that everything was decided on now.
func (s *scene) redate() {
	for _, w := range s.now.workloads {
		w.decided = s.at.slot
	}
}

func TestJudgeSeesLateRecovery(t *testing.T) {
	j := newJudge("daemon")
	for tick := range 3 {
		s := newScene(false)
		s.now = exports(tick)
		s.at = &circumstance{tick: tick, slot: epoch.Add(time.Duration(tick) * interval), begun: tick == 0}
		s.chat().valid = false
		j.look(s.now, all(s.want), s.at)
		if late := len(j.violations) > 0; late != (tick > 0) {
			t.Errorf("tick %d: got %v, want one after two ticks", tick, j.violations)
		}
	}
}

func TestJudgeSeesThatTwinsDisagree(t *testing.T) {
	j := newJudge("daemon")
	j.agree("code", exports(1), exports(1), 1)
	if len(j.violations) > 0 {
		t.Errorf("got %v of equals, want nothing", j.violations)
	}
	other := exports(1)
	other.workloads["code"].reasons = []string{"stabilised"}
	j.agree("code", exports(1), other, 1)
	if len(j.violations) != 1 || j.violations[0].workload != "code" {
		t.Errorf("got %v, want one of code", j.violations)
	}
}
