package promapi

import (
	"fmt"
	"strings"
	"time"
)

// A Cause says why a query got no answer. The set is closed: it is the cause
// label of infscale_prometheus_query_failures_total.
type Cause string

// The causes.
const (
	// CauseConnect: no connection, or one that broke.
	CauseConnect Cause = "connect"
	// CauseTimeout: no answer in time, be it the client, the server or a proxy that
	// gave up.
	CauseTimeout Cause = "timeout"
	// CauseTLS: the connection could not be made secure.
	CauseTLS Cause = "tls"
	// CauseAuth: the credentials are missing, unreadable or refused.
	CauseAuth Cause = "auth"
	// CauseRateLimited: the server asks to be left alone for a while.
	CauseRateLimited Cause = "rate_limited"
	// CauseBadRequest: the server does not understand the request.
	CauseBadRequest Cause = "bad_request"
	// CauseExecution: the server understands the query and cannot evaluate it.
	CauseExecution Cause = "execution"
	// CauseServer: the server is not able to answer now.
	CauseServer Cause = "server"
	// CauseDecode: the answer is not what the API defines.
	CauseDecode Cause = "decode"
	// CauseTooLarge: the answer or the request exceeds a limit.
	CauseTooLarge Cause = "too_large"
	// CauseRedirect: the server points elsewhere and the client does not follow.
	CauseRedirect Cause = "redirect"
	// CauseCancelled: the caller gave up.
	CauseCancelled Cause = "cancelled"
)

// Causes returns every cause.
func Causes() []Cause {
	return []Cause{
		CauseConnect, CauseTimeout, CauseTLS, CauseAuth, CauseRateLimited, CauseBadRequest,
		CauseExecution, CauseServer, CauseDecode, CauseTooLarge, CauseRedirect, CauseCancelled,
	}
}

// A QueryError is a query that was not answered. Its text has no secret.
type QueryError struct {
	// Query is the text of the query. A caller that has a name for it may put that
	// here instead.
	Query string
	// URL is where the query went: scheme, host and path only.
	URL   string
	Cause Cause
	// Status is the HTTP status, 0 when there was no answer.
	Status int
	// RetryAfter is how long the server asked to be left alone, 0 when it did not
	// say.
	RetryAfter time.Duration
	// Err says what happened.
	Err error
}

// Error returns one line: the query, where it went, the cause and what happened.
func (e *QueryError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "query %q to %s: %s", shorten(e.Query, 80), e.URL, e.Cause)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": status %d", e.Status)
	}
	fmt.Fprintf(&b, ": %v", e.Err)
	if e.RetryAfter > 0 {
		fmt.Fprintf(&b, " (retry after %s)", e.RetryAfter)
	}
	return b.String()
}

// Unwrap returns what happened.
func (e *QueryError) Unwrap() error { return e.Err }

// shorten cuts s to n bytes, at the start of a rune, and marks the cut.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..."
}
