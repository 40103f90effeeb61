package draw

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/infscale/infscale/dashboards"
	"github.com/infscale/infscale/promapi"
)

// A View is what someone looks at: the time on the screen, how far the points of a graph
// are apart, and what is chosen on top of the dashboard.
type View struct {
	Start, End time.Time
	Step       time.Duration
	// Chosen holds the variables that are not at "all".
	Chosen map[string]string
}

// An Answer is a panel with what Prometheus said, one result for each of its targets.
type Answer struct {
	Panel   dashboards.Panel
	Results []promapi.Result
}

// Empty lists the targets without data.
func (a *Answer) Empty() []string {
	var refs []string
	for i, r := range a.Results {
		if !known(&r) {
			refs = append(refs, a.Panel.Targets[i].RefID)
		}
	}
	return refs
}

// known reports whether there is a number anywhere.
func known(r *promapi.Result) bool {
	for _, s := range r.Series {
		for _, p := range s.Points {
			if !math.IsNaN(p.V) {
				return true
			}
		}
	}
	return false
}

// Ask asks every query of a dashboard, as Grafana does.
func Ask(ctx context.Context, c *promapi.Client, d *dashboards.Dashboard, v View) ([]Answer, error) {
	answers := make([]Answer, len(d.Panels))
	for i, p := range d.Panels {
		answers[i] = Answer{Panel: p, Results: make([]promapi.Result, len(p.Targets))}
		for j, q := range p.Targets {
			r, err := ask(ctx, c, v.Expression(d, q.Expr), q.Instant, v)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %s: %w", d.Name, p.Title, q.RefID, err)
			}
			answers[i].Results[j] = r
		}
	}
	return answers, nil
}

func ask(ctx context.Context, c *promapi.Client, expr string, instant bool, v View) (promapi.Result, error) {
	if instant {
		return c.Query(ctx, expr, v.End)
	}
	return c.QueryRange(ctx, expr, v.Start, v.End, v.Step)
}

// Expression puts the variables into a query.
func (v View) Expression(d *dashboards.Dashboard, expr string) string {
	// The rule of Grafana: a step and a scrape, at least four scrapes.
	rate := max(v.Step+scrape, 4*scrape)
	pairs := []string{
		"$__rate_interval", seconds(rate),
		"$__interval_ms", strconv.FormatInt(v.Step.Milliseconds(), 10),
		"$__interval", seconds(v.Step),
		"$__range", seconds(v.End.Sub(v.Start)),
	}
	for _, variable := range d.Templating.List {
		value, ok := v.Chosen[variable.Name]
		if !ok {
			value = variable.AllValue
		}
		pairs = append(pairs, `"$`+variable.Name+`"`, `"`+value+`"`)
	}
	return strings.NewReplacer(pairs...).Replace(expr)
}

func seconds(d time.Duration) string { return strconv.Itoa(int(d.Seconds())) + "s" }
