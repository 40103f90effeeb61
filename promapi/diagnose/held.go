package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// checkHeld says why the requests in front of the pods are not known.
func (c *checker) checkHeld(s *subject) {
	if !s.Policy.Held || c.skewed || c.failed(promapi.FamilyHeld) {
		return
	}
	f := Finding{
		Severity: Error, Workload: s.id, Signal: held, Place: s.place + ".held",
		Why: "an unknown is not zero: nothing falls, and from zero nothing wakes",
	}
	switch q := s.o.Held; {
	case q.Complete():
		return
	case q.Known():
		f.Severity, f.Code = Warning, HeldAbsent
		f.Found = "one of its sources has no number"
	case q.Evidence == recommender.NeverMatched:
		f.Code = HeldNeverMatched
		f.Found = strings.TrimSpace("the gateway is there and " + c.heldNote(s))
	case q.Evidence == recommender.Invalid:
		f.Code, f.Found = InvalidValue, "requests held are NaN, infinite or negative"
	default:
		f.Code, f.Found = HeldAbsent, s.heldSources()
	}
	f.Fix = c.heldFix(s, f.Code)
	c.add(f)
}

func (c *checker) heldNote(s *subject) string {
	if note := s.note("held: "); note != "" {
		return note
	}
	return "its match found nothing"
}

// heldSources says what has no series.
func (s *subject) heldSources() string {
	var list []string
	for _, h := range s.Held {
		if h.Query != "" {
			list = append(list, "the query gives no row")
			if note := s.note("held query: "); note != "" {
				list[len(list)-1] = "the query: " + note
			}
			continue
		}
		list = append(list, fmt.Sprintf("there is no series of %s at all", h.Preset))
	}
	return strings.Join(list, ", ")
}

// heldFix says what a gateway knows instead.
func (c *checker) heldFix(s *subject, code Code) string {
	switch code {
	case HeldNeverMatched:
		return "correct match: " + c.heldKnown(s) + "; if it is right, send one request through the gateway and check again"
	case InvalidValue:
		return "look at the series of the gateway"
	default:
		return "scrape the gateway (the interceptor or the activator), or correct the query"
	}
}

// heldKnown lists what the series of the gateways are about, the most similar first.
func (c *checker) heldKnown(s *subject) string {
	wanted := s.Name
	for _, h := range s.Held {
		for _, v := range h.Match {
			if v != s.Namespace {
				wanted = v
			}
		}
	}
	byValue := map[string]string{}
	for _, r := range c.source.rows(c.plan.Queries, promapi.FamilyHeld) {
		for _, l := range r.Labels {
			if l.Name != "signal" {
				byValue[l.Value] = fmt.Sprintf("%s=%q", l.Name, l.Value)
			}
		}
	}
	var words []string
	for v := range byValue {
		if v != s.Namespace {
			words = append(words, v)
		}
	}
	list, meant := near(wanted, words)
	for i, v := range list {
		list[i] = byValue[v]
	}
	switch {
	case meant:
		return "did you mean " + list[0] + "?"
	case len(list) > 0:
		slices.Sort(list)
		return "the gateway has " + strings.Join(list, ", ")
	default:
		return "the gateway has no other series"
	}
}
