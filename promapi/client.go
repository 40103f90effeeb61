package promapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/config"
)

// A Client asks one Prometheus-compatible API. It is safe for use by several
// goroutines.
type Client struct {
	cfg       Config
	base      *url.URL
	userAgent string
	now       func() time.Time
	metrics   *clientMetrics
	censor    *censor
	files     *credentialFiles

	httpConfig config.HTTPClientConfig // as the files of credentials are read
	http       atomic.Pointer[http.Client]

	slots   chan struct{} // one element for each request under way
	workers chan struct{} // one for each goroutine of detached
	scratch sync.Pool     // of *scratch

	useGET atomic.Bool // POST is refused and GET is not

	mu         sync.Mutex
	quietUntil time.Time // no request before, at the server's word
	triedGET   time.Time // when GET was last tried in vain after a 403
	renewed    time.Time // when an OAuth2 token was last thrown away
}

// An Option changes how a client works.
type Option func(*clientOptions)

type clientOptions struct {
	registerer prometheus.Registerer
	version    string
	now        func() time.Time
}

// WithRegisterer registers the metrics of the client. Clients that share a
// registerer share the metrics. Without one they are counted and not exported.
func WithRegisterer(reg prometheus.Registerer) Option {
	return func(o *clientOptions) { o.registerer = reg }
}

// WithVersion sets the version in the User-Agent.
func WithVersion(version string) Option {
	return func(o *clientOptions) { o.version = version }
}

// WithClock sets the clock for rate limits and durations. The default is the
// wall clock.
func WithClock(now func() time.Time) Option {
	return func(o *clientOptions) { o.now = now }
}

// New returns a client. It sends nothing. It fails when cfg is not valid, with
// every mistake, or when a TLS file cannot be used.
func New(cfg Config, opts ...Option) (*Client, error) {
	o := clientOptions{version: "dev", now: time.Now}
	for _, opt := range opts {
		opt(&o)
	}
	if err := errors.Join(cfg.Validate()...); err != nil {
		return nil, err
	}
	// This moves bearer_token to where the transport reads it, and cannot fail
	// after the above.
	if err := cfg.HTTP.Validate(); err != nil {
		return nil, err
	}
	base, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, err
	}
	metrics, err := newClientMetrics(o.registerer)
	if err != nil {
		return nil, err
	}
	c := &Client{
		cfg: cfg, base: base, now: o.now, metrics: metrics,
		userAgent: "infscale/" + o.version,
		censor:    newCensor(&cfg),
		slots:     make(chan struct{}, cfg.MaxConcurrency),
		workers:   make(chan struct{}, cfg.MaxConcurrency),
	}
	c.files = newCredentialFiles(c.censor)
	c.scratch.New = func() any { return &scratch{decoder: newDecoder(c.censor.clean)} }
	c.httpConfig = c.files.adopt(cfg.HTTP)
	if err := c.renewHTTP(); err != nil {
		return nil, err
	}
	return c, nil
}

// renewHTTP replaces the HTTP client, and with it any OAuth2 token.
func (c *Client) renewHTTP() error {
	h, err := config.NewClientFromConfig(c.httpConfig, "prometheus",
		config.WithUserAgent(c.userAgent), config.WithSecretManager(c.files))
	if err != nil {
		return fmt.Errorf("%s: %w", bareURL(c.base), err)
	}
	h.CheckRedirect = redirectPolicy(c.cfg.HTTP.FollowRedirects, c.censor)
	if old := c.http.Swap(h); old != nil {
		old.CloseIdleConnections()
	}
	return nil
}

// CloseIdleConnections closes connections that are not in use, for a client that
// is not needed any more.
func (c *Client) CloseIdleConnections() { c.http.Load().CloseIdleConnections() }

// Query evaluates a query at one time. The error is a *QueryError.
func (c *Client) Query(ctx context.Context, query string, at time.Time) (Result, error) {
	form := url.Values{"query": {query}, "time": {timestamp(at)}}
	return c.ask(ctx, request{endpoint: "query", form: form, kind: instantResult})
}

// QueryRange evaluates a query at start, start+step and so on up to end. The
// error is a *QueryError.
func (c *Client) QueryRange(ctx context.Context, query string, start, end time.Time, step time.Duration) (Result, error) {
	form := url.Values{
		"query": {query}, "start": {timestamp(start)}, "end": {timestamp(end)},
		"step": {strconv.FormatFloat(step.Seconds(), 'f', -1, 64)},
	}
	return c.ask(ctx, request{endpoint: "query_range", form: form, kind: rangeResult})
}

// timestamp writes a time as the API takes it: seconds with up to three decimals.
func timestamp(t time.Time) string {
	return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', -1, 64)
}

// A request is one question, however many HTTP requests it takes.
type request struct {
	endpoint string // below /api/v1
	form     url.Values
	kind     resultKind
}

// ask counts and names what answer does.
func (c *Client) ask(ctx context.Context, r request) (Result, error) {
	c.metrics.queries.Inc()
	result, failed := c.answer(ctx, r)
	if failed == nil {
		return result, nil
	}
	failed.Query, failed.URL = r.form.Get("query"), bareURL(c.base)
	// The message may quote what a server said. Only if a secret is in it, the
	// errors below it are given up.
	if text := failed.Err.Error(); c.censor.clean(text) != text {
		failed.Err = errors.New(c.censor.clean(text))
	}
	c.metrics.failures.WithLabelValues(string(failed.Cause)).Inc()
	return Result{}, failed
}

// answer waits for its turn and sends the request.
func (c *Client) answer(ctx context.Context, r request) (Result, *QueryError) {
	if e := c.quiet(); e != nil {
		return Result{}, e
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return Result{}, transportFailure(ctx, fmt.Errorf("while %d other queries are under way: %w", cap(c.slots), ctx.Err()))
	}
	// A query that was under way may have met a rate limit in the meantime.
	if e := c.quiet(); e != nil {
		return Result{}, e
	}
	timeout := time.Duration(c.cfg.Timeout)
	r.form.Set("timeout", serverTimeout(ctx, timeout))
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	start := c.now()
	defer func() { c.metrics.duration.Observe(c.now().Sub(start).Seconds()) }()
	result, e := c.send(ctx, r)
	if e != nil && e.RetryAfter > 0 {
		c.mu.Lock()
		c.quietUntil = c.now().Add(e.RetryAfter)
		c.mu.Unlock()
	}
	return result, e
}

// quiet returns an error while the server wants no requests.
func (c *Client) quiet() *QueryError {
	c.mu.Lock()
	left := c.quietUntil.Sub(c.now())
	c.mu.Unlock()
	if left <= 0 {
		return nil
	}
	return &QueryError{Cause: CauseRateLimited, RetryAfter: left, Err: errors.New("not sent, the server asked to wait")}
}
