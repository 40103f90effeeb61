package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// checkHeld says why the requests in front of the pods are not known.
func (c *checker) checkHeld(ctx context.Context, s *subject) {
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
		f.Severity = Warning
		f.Code, f.Found, f.Fix = c.heldSources(ctx, s)
		f.Found = "one of its sources has no number: " + f.Found
	case q.Evidence == recommender.NeverMatched:
		f.Code = HeldNeverMatched
		f.Found = strings.TrimSpace("the gateway is there and " + c.heldNote(s))
		f.Fix = "correct match: " + c.heldKnown(s) + "; if it is right, send one request through the gateway and check again"
	case q.Evidence == recommender.Invalid:
		f.Code, f.Found = InvalidValue, "requests held are NaN, infinite or negative"
		f.Fix = "look at the series of the gateway"
	default:
		f.Code, f.Found, f.Fix = c.heldSources(ctx, s)
	}
	c.add(f)
}

func (c *checker) heldNote(s *subject) string {
	if note := s.note("held: "); note != "" {
		return note
	}
	return "its match found nothing"
}

// heldSources says which sources have no number, and what to do about the first.
func (c *checker) heldSources(ctx context.Context, s *subject) (code Code, found, fix string) {
	var list []string
	for _, h := range s.Held {
		of, what, do := HeldAbsent, fmt.Sprintf("there is no series of %s at all", h.Preset),
			"scrape the gateway (the interceptor or the activator)"
		switch {
		case h.Query != "":
			of, what, do = c.heldQuery(ctx, s, c.sent(h.Query))
		case len(c.source.rows(c.plan.Queries, promapi.FamilyHeld)) > 0:
			continue
		}
		if what == "" {
			continue
		}
		if len(list) == 0 {
			code, fix = of, do
		}
		list = append(list, what)
	}
	if len(list) == 0 {
		return HeldAbsent, "the answers are not whole", "look at the warnings of the server"
	}
	return code, strings.Join(list, ", "), fix
}

// heldQuery says why a query for what is held, as it is sent, gives no number; nothing if
// it gives rows that nobody complained about.
func (c *checker) heldQuery(ctx context.Context, s *subject, text string) (code Code, found, fix string) {
	note := s.note("held query: ")
	rows, answered := c.source.kept(text)
	switch {
	case !answered, len(rows) > 1 && s.o.Held.Evidence == recommender.Failed:
		return c.failedQuery(text, held, note)
	case len(rows) > 0 && note != "":
		return QueryOthers, note, ofOthers
	case len(rows) > 0:
		return "", "", ""
	}
	found, fix = c.emptyQuery(ctx, text)
	return HeldAbsent, "the query gives no row: " + strings.TrimPrefix(found, "the query gives no row, "), fix
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
