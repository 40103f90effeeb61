package cases

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/promapitest"
)

// A scripted case is one in which the server answers what the case says, to the query of
// the demand, and the truth to all others.
type scripted struct {
	*lab
	fleet *fleet
	scene scene
	// each is the target of a replica.
	each float64
	now  time.Time
	run  *run
}

// A variant is one of several answers.
type variant struct {
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

// answered runs a case of one answer of the API, or of several, each on its own.
func answered(t *testing.T, in *input, _ map[string]any) (*run, error) {
	if in.Responses != nil {
		return unmatched(t, in)
	}
	if in.Variants == nil {
		return answer1(t, in, string(in.Response))
	}
	var list []variant
	if err := refuseUnknown(in.Variants, &list); err != nil {
		return nil, err
	}
	whole := &run{}
	for _, v := range list {
		part, err := answer1(t, in, string(v.Response))
		if err != nil {
			return nil, err
		}
		whole.add(v.Name, part)
		whole.all = append(whole.all, part.all...)
	}
	return whole, nil
}

// answer1 makes one answer the demand.
func answer1(t *testing.T, in *input, body string) (*run, error) {
	s := newScripted(t, in, timeOf(body))
	s.before(in)
	s.demand(promapitest.JSON(http.StatusOK, body))
	s.decide()
	return s.run, nil
}

// timeOf is when an answer is of, or the invented present.
func timeOf(body string) time.Time {
	var a struct {
		Data struct {
			Result json.RawMessage `json:"result"`
		} `json:"data"`
	}
	if json.Unmarshal([]byte(body), &a) != nil {
		return epoch
	}
	d := json.NewDecoder(strings.NewReader(string(a.Data.Result)))
	for {
		token, err := d.Token()
		if err != nil {
			return epoch
		}
		if n, ok := token.(float64); ok && n > 1e9 {
			return time.Unix(int64(n), 0).UTC()
		}
	}
}

// newScripted makes a workload whose demand is a query.
func newScripted(t *testing.T, in *input, now time.Time) *scripted {
	t.Helper()
	l := newLab(t)
	s := &scripted{lab: l, fleet: newFleet(l, "ns1"), each: 4, now: now, run: &run{lab: l}}
	set := &settings{namespace: "ns1", targets: []target{{name: "chat"}}, policy: policyOf(in), query: demandQuery, top: map[string]any{
		"prometheus": map[string]any{"url": l.url, "authorization": map[string]any{"credentials": secret}},
	}}
	if hangs.MatchString(in.Fault) {
		set.top["prometheus"].(map[string]any)["timeout"] = "300ms"
	}
	if in.State.Held != nil || set.policy["min"] == 0.0 {
		set.held = heldQuery
	}
	if n, ok := set.policy["target"].(float64); ok {
		s.each = n
	}
	l.start(set)
	s.scene = in.State.scene()
	return s
}

// policyOf is what a case says of the policy, in either place.
func policyOf(in *input) map[string]any {
	policy := map[string]any{}
	for _, from := range []map[string]any{in.Policy, in.State.Policy} {
		maps.Copy(policy, from)
	}
	return policy
}

// scene is what there is before the case begins.
func (s *state) scene() scene {
	k := tick{Inflight: exactly(0)}
	if s.LastInflight != nil {
		k.Inflight = exactly(*s.LastInflight)
	}
	if n, ok := s.Current.(float64); ok {
		k.Current = &n
	}
	if s.Held != nil {
		k.Held = exactly(*s.Held)
	}
	return k.scene(&scene{name: "chat", current: 1})
}

// before decides once on a good answer, if the case says what was desired last.
func (s *scripted) before(in *input) {
	if in.State.LastDesired == nil {
		return
	}
	good := *in.State.LastDesired * s.each
	if in.State.LastInflight != nil {
		good = *in.State.LastInflight
	}
	s.demand(promapitest.Vector(promapitest.Sample(good)))
	at := s.now.Add(-interval * time.Second)
	s.fleet.store(at, s.scene)
	s.tick(at)
}

// demand makes an answer that of the query of the demand.
func (s *scripted) demand(a promapitest.Answer) {
	api := always(a)
	s.fault = func(r *http.Request) http.Handler {
		if r.Form.Get("query") == demandQuery {
			return api(r)
		}
		return nil
	}
}

// decide decides now, and moves on by one interval.
func (s *scripted) decide() *answer {
	s.fleet.store(s.now, s.scene)
	a := s.tick(s.now)[0]
	a.offset = s.now.Sub(epoch).Seconds()
	s.run.all, s.run.answers = append(s.run.all, a), append(s.run.answers, a)
	s.run.texts = append(s.run.texts, messages(&a)...)
	s.now = s.now.Add(interval * time.Second)
	return &s.run.answers[len(s.run.answers)-1]
}

// messages are what is said of failures: in the log, and on the page of the workload.
func messages(a *answer) []string {
	list := a.report.Notes
	for _, f := range a.tick.Families {
		if f.Err != nil {
			list = append(list, f.Err.Error())
		}
	}
	return list
}

// unmatched runs a selector that the server has nothing for, neither now nor in the past.
func unmatched(t *testing.T, in *input) (*run, error) {
	var responses map[string]json.RawMessage
	if err := json.Unmarshal(in.Responses, &responses); err != nil {
		return nil, fmt.Errorf("responses: %w", err)
	}
	l := newLab(t)
	set := &settings{namespace: "ns1", targets: []target{{name: "chat"}}, policy: policyOf(in)}
	if _, text, ok := strings.Cut(in.Config, "selector: "); ok {
		set.targets[0].selector = strings.Trim(text, "'")
	}
	l.start(set)
	f := newFleet(l, "ns1")
	s := in.State.scene()
	s.reporting = 0
	l.fault = func(r *http.Request) http.Handler {
		query := r.Form.Get("query")
		if query == "" || strings.Contains(query, "kube_") {
			return nil
		}
		now := "instant"
		for _, q := range l.reader.Plan().Occasional {
			if q.Family == promapi.FamilyEver && q.Text == query {
				for kind := range responses {
					if strings.Contains(kind, "over_time") {
						now = kind
					}
				}
			}
		}
		return always(promapitest.JSON(http.StatusOK, string(responses[now])))(r)
	}
	f.store(epoch, s)
	r := &run{lab: l, all: l.tick(epoch)}
	r.answers = r.all
	r.texts = messages(&r.all[0])
	return r, l.check(r, epoch)
}
