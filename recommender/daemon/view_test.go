package daemon

import (
	"testing"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
)

func TestRatesOverLessThanTheirWindowAreNoted(t *testing.T) {
	is := func(v float64) recommender.Quantity { return recommender.Exactly(v, epoch, 1) }
	atLeast := is(2)
	atLeast.LowerBound = true
	const note = "heard for less than rate_window, may be low"
	for name, test := range map[string]struct {
		running, arrivals, completions recommender.Quantity
		want                           string
	}{
		"heard for the whole window":      {is(1), is(2), is(2), ""},
		"not heard when the window began": {is(1), atLeast, is(2), note},
		"replicas that are not heard":     {atLeast, atLeast, is(2), ""},
		"what was finished is a part":     {is(1), atLeast, atLeast, ""},
		"what was finished is not known":  {is(1), recommender.Missing(recommender.Failed), recommender.Missing(recommender.Failed), ""},
	} {
		w := export.Undecided("inference", "chat", "Deployment", asksPolicy())
		w.Observation = recommender.Observation{
			Current: is(1), Ready: is(1), Reporting: is(1), Running: test.running, Waiting: is(0),
			OutputTokens: is(10), Arrivals: test.arrivals, Completions: test.completions,
		}
		for _, o := range quantities(&w) {
			want := ""
			if o.Quantity == "output_tokens" || (o.Value != nil && (o.Quantity == "arrivals" || o.Quantity == "completions")) {
				want = test.want
			}
			if o.Note != want {
				t.Errorf("%s: %s has the note %q, want %q", name, o.Quantity, o.Note, want)
			}
		}
	}
}
