package diagnose

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql/parser"

	"github.com/infscale/infscale/promapi"
)

// smallSkew is what two clocks may differ by: dates have no fractions.
const smallSkew = 3 * time.Second

// reach asks who answers, and reports whether anybody does.
func (c *checker) reach(ctx context.Context) bool {
	server, err := c.source.Server(ctx)
	c.report.Prometheus.URL = server.URL
	c.report.Prometheus.Application = server.Application
	c.report.Prometheus.Version = server.Version
	if err == nil {
		// The cheapest query there is, through every proxy that the others go through.
		_, err = c.source.Query(ctx, "vector(1)", c.when)
	}
	if err != nil {
		c.unreachable(err)
		return false
	}
	c.checkVersion(&server)
	c.checkClock(&server)
	return true
}

// remedies says what to do for each cause.
var remedies = map[promapi.Cause]string{
	promapi.CauseConnect:     "check prometheus.url, the network policy, and that the server runs",
	promapi.CauseTimeout:     "the server is overloaded or starting; raise prometheus.timeout, at most below interval",
	promapi.CauseTLS:         "check prometheus.tls_config: ca_file, server_name, and http or https in prometheus.url",
	promapi.CauseAuth:        "check prometheus.basic_auth, authorization or oauth2, and a tenant in prometheus.headers",
	promapi.CauseRateLimited: "the server asks to wait; raise its limits for this tenant, or interval",
	promapi.CauseBadRequest:  "check the path of prometheus.url: the base without /api/v1; and that the server knows this PromQL",
	promapi.CauseExecution:   "the server cannot evaluate it; check its limits, --query.max-samples among them",
	promapi.CauseServer:      "the server is not able to answer now; it may be starting, look at its log",
	promapi.CauseDecode:      "what answers is not the API of Prometheus, perhaps a sign-in page; check prometheus.url and the credentials",
	promapi.CauseTooLarge:    "raise prometheus.max_response_bytes, or narrow prometheus.matchers",
	promapi.CauseRedirect:    "put the address that it points to into prometheus.url",
	promapi.CauseCancelled:   "the check was given too little time: raise --timeout",
}

// remedy says what to do about an error.
func remedy(err error) string {
	if e, ok := errors.AsType[*promapi.QueryError](err); ok {
		return remedies[e.Cause]
	}
	return ""
}

func (c *checker) unreachable(err error) {
	c.add(Finding{
		Severity: Error, Code: Unreachable, Place: "prometheus.url",
		Found: brief(err, "check"),
		Why:   "nothing can be read: no workload gets a recommendation",
		Fix:   remedy(err),
	})
}

// since says in which release of Prometheus a function came.
var since = map[string][2]int{
	"last_over_time": {2, 26}, "histogram_count": {2, 40}, "histogram_fraction": {2, 40},
}

// checkVersion compares the version with the functions that the plan uses. Servers that
// are not Prometheus number their releases differently, and are known by their answers.
func (c *checker) checkVersion(server *promapi.Server) {
	version, ok := release(server)
	if !ok {
		return
	}
	c.report.Prometheus.Application = "Prometheus"
	lacks, need := map[string]bool{}, [2]int{}
	for _, q := range slices.Concat(c.plan.Queries, c.plan.Occasional) {
		for _, name := range functions(q.Text) {
			if v := since[name]; before(version, v) {
				c.old[q.Family] = true
				lacks[name] = true
				if before(need, v) {
					need = v
				}
			}
		}
	}
	if len(lacks) == 0 {
		return
	}
	var families []string
	for _, f := range slices.Sorted(maps.Keys(c.old)) {
		families = append(families, string(f))
	}
	c.add(Finding{
		Severity: Error, Code: TooOld, Place: "prometheus.url",
		Found: fmt.Sprintf("Prometheus %s lacks %s, which came with %d.%d", server.Version,
			strings.Join(slices.Sorted(maps.Keys(lacks)), ", "), need[0], need[1]),
		Why: "it refuses the queries for " + strings.Join(families, ", "),
		Fix: fmt.Sprintf("upgrade Prometheus to %d.%d or later", need[0], need[1]),
	})
}

// release returns the version of a Prometheus. It is the only server that says which Go
// it was built with, without the name of another application, and has a first number
// above 0, which Thanos has not.
func release(server *promapi.Server) (version [2]int, ok bool) {
	if server.Application != "" || server.Go == "" {
		return version, false
	}
	parts := strings.SplitN(server.Version, ".", 3)
	if len(parts) < 2 {
		return version, false
	}
	for i := range version {
		n, err := strconv.Atoi(parts[i])
		if err != nil {
			return version, false
		}
		version[i] = n
	}
	return version, version[0] > 0
}

func before(a, b [2]int) bool { return a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]) }

// functions are the names of the functions that a query calls.
func functions(query string) []string {
	expr, err := promQL.ParseExpr(query)
	if err != nil {
		return nil // The plan has parsed it before.
	}
	var list []string
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if call, ok := node.(*parser.Call); ok {
			list = append(list, call.Func.Name)
		}
		return nil
	})
	return list
}

// checkClock compares the clocks.
func (c *checker) checkClock(server *promapi.Server) {
	if !server.Dated {
		return
	}
	skew := server.Skew.Seconds()
	c.report.Prometheus.Skew = &skew
	off := server.Skew.Abs()
	if off <= smallSkew {
		return
	}
	f := Finding{
		Severity: Warning, Code: ClockSkew, Place: "query_offset",
		Found: fmt.Sprintf("this clock is %v %s that of the server", off.Round(100*time.Millisecond), aheadOrBehind(server.Skew)),
		Why:   "decisions read that much older samples than they think",
		Fix:   "synchronise the clocks, by NTP or chrony",
	}
	if server.Skew > 0 {
		f.Why = "samples look that much older than they are, and count as stale sooner"
	}
	if off > c.o.Read.StaleAfter {
		f.Severity, c.skewed = Error, true
		f.Why = fmt.Sprintf("it is more than stale_after %v: nothing that is read is of now", c.o.Read.StaleAfter)
	}
	c.add(f)
}

func aheadOrBehind(skew time.Duration) string {
	if skew > 0 {
		return "ahead of"
	}
	return "behind"
}

// checkFamilies says which queries of a tick fail or are cut. Custom ones are told
// apart by workload elsewhere.
func (c *checker) checkFamilies() {
	for i := range c.tick.Families {
		f := &c.tick.Families[i]
		switch {
		case f.Family == promapi.FamilyCustom, f.Err != nil && c.old[f.Family]:
		case f.Err != nil:
			c.add(Finding{
				Severity: Error, Code: QueryFailed, Place: "prometheus",
				Found: brief(f.Err, string(f.Family)),
				Why:   "every workload lacks what this query asks for",
				Fix:   remedy(f.Err),
			})
		case len(f.Warnings) > 0:
			c.add(Finding{
				Severity: Warning, Code: PartialAnswers, Place: "prometheus",
				Found: fmt.Sprintf("the answer to %s comes with a warning: %s", f.Family, f.Warnings[0]),
				Why:   "values are lower bounds: recommendations may rise and never fall",
				Fix:   "find out which store does not answer",
			})
		}
	}
}

// failed reports whether the query of a family got no answer.
func (c *checker) failed(f promapi.Family) bool {
	return slices.ContainsFunc(c.tick.Families, func(r promapi.FamilyReport) bool { return r.Family == f && r.Err != nil })
}
