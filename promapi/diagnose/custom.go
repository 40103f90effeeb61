package diagnose

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// checkQuery says why a custom query gives no number.
func (c *checker) checkQuery(ctx context.Context, s *subject, signal *recommender.Signal, q recommender.Quantity, place string) {
	f := Finding{Severity: needed(signal), Workload: s.id, Signal: signal.ID(), Place: place, Why: holds(signal)}
	note := s.note("query " + signal.Name + ": ")
	switch q.Evidence {
	case recommender.Known, recommender.Unobserved:
		return
	case recommender.Invalid:
		f.Code, f.Found = InvalidValue, "the query gives NaN, an infinity or a negative number"
		f.Fix = "a division by nothing gives NaN: let the query have no row then, or divide by clamp_min(x, 1)"
	case recommender.Failed:
		f.Code, f.Found, f.Fix = c.failedQuery(c.text(s, signal.Name), signal.Name, note)
	case recommender.Absent, recommender.Stale, recommender.NeverMatched:
		if note != "" {
			f.Code, f.Found, f.Fix = QueryOthers, note, ofOthers
			break
		}
		f.Code = QueryEmpty
		f.Found, f.Fix = c.emptyQuery(ctx, c.text(s, signal.Name))
	}
	c.add(f)
}

// ofOthers is what to do about rows that name another workload.
const ofOthers = "select the workload in the query, or aggregate its labels away with sum()"

// note returns what the reader noted of something, without its beginning.
func (s *subject) note(prefix string) string {
	for _, note := range s.read.Notes {
		if rest, ok := strings.CutPrefix(note, prefix); ok {
			return rest
		}
	}
	return ""
}

// text returns the text of a custom query as it is sent.
func (c *checker) text(s *subject, name string) string {
	for _, q := range s.Queries {
		if q.Name == name {
			return c.sent(q.Text)
		}
	}
	return ""
}

// sent returns a query with prometheus.matchers in it.
func (c *checker) sent(text string) string {
	plan, err := promapi.NewPlan([]promapi.Workload{{Queries: []promapi.NamedQuery{{Text: text}}}}, c.o.Read)
	if err != nil || len(plan.Custom) == 0 {
		return text
	}
	return plan.Custom[0].Text
}

// failedQuery says why a query, as it is sent, was not answered with a number.
func (c *checker) failedQuery(text, name, note string) (code Code, found, fix string) {
	for _, f := range c.tick.Families {
		if f.Family == promapi.FamilyCustom && f.Text == text && f.Err != nil {
			return QueryFailed, brief(f.Err, name), remedy(f.Err)
		}
	}
	return QueryAmbiguous, note, "aggregate to one row with sum(), or keep labels that name the workload"
}

// emptyQuery says which selector of a query, as it is sent, matches nothing, and why.
func (c *checker) emptyQuery(ctx context.Context, text string) (found, fix string) {
	for _, sel := range selectorsOf(text) {
		rows, ok := c.ask(ctx, fmt.Sprintf("count(%s)", sel))
		if !ok || len(rows) > 0 {
			continue
		}
		return c.emptySelector(ctx, sel)
	}
	return "the query gives no row, though each of its selectors matches series", "look at its comparisons, joins and windows"
}

// emptySelector says which matcher of a selector takes everything away.
func (c *checker) emptySelector(ctx context.Context, sel selector) (found, fix string) {
	found = fmt.Sprintf("%s matches no series", sel)
	matchers := slices.DeleteFunc(slices.Clone(sel), func(m *labels.Matcher) bool { return m.Name == model.MetricNameLabel })
	if len(matchers) > 0 {
		rows, ok := c.ask(ctx, countBy([]selector{sel}, matchers))
		if dead, killed := explain(matchers, rows); killed {
			return fmt.Sprintf("%s, and without %s it does", found, text(dead.matchers)), suggestion(dead.matchers[0], dead.rows)
		}
		if !ok {
			return found, "look for its series in Prometheus"
		}
	}
	return found, c.nearMetric(ctx, sel.metric())
}

// nearMetric says which metric may be meant: of those that begin alike.
func (c *checker) nearMetric(ctx context.Context, name string) string {
	end := strings.IndexAny(name, ":_")
	if end < 1 {
		return "look for its name in Prometheus"
	}
	alike := selector{labels.MustNewMatcher(labels.MatchRegexp, model.MetricNameLabel, name[:end]+"[:_].+")}
	rows, _ := c.ask(ctx, fmt.Sprintf("count by (__name__) (%s)", append(alike, c.matchers...)))
	list, meant := near(name, values(rows, model.MetricNameLabel))
	switch {
	case meant:
		return fmt.Sprintf("did you mean %s?", list[0])
	case len(list) > 0:
		return "there is no metric of that name; there is " + strings.Join(list, ", ")
	default:
		return "there is no metric of that name, nor one that begins alike"
	}
}
