package promapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// maxRequestLine is what proxies accept as the first line of a request.
	maxRequestLine = 8 << 10
	// forbiddenPause is how long a GET that was refused like the POST before it is
	// not tried again.
	forbiddenPause = 5 * time.Minute
	// renewPause is the least time between two OAuth2 tokens thrown away.
	renewPause = time.Minute
)

// A scratch is what decoding one answer needs, used again by the next.
type scratch struct {
	decoder *decoder
	body    []byte
}

// A reply is an HTTP answer that has been read. Its body is the scratch's.
type reply struct {
	*http.Response
	body []byte
}

// send asks by POST, and by GET where POST is refused.
func (c *Client) send(ctx context.Context, r request) (Result, *QueryError) {
	s := c.scratch.Get().(*scratch)
	defer c.scratch.Put(s)
	method := http.MethodPost
	if c.useGET.Load() {
		method = http.MethodGet
	}
	answer, e := c.authorised(ctx, s, method, r)
	if e == nil && method == http.MethodPost && c.mayFallBack(answer.StatusCode) {
		return c.fallBack(ctx, s, r, failure(answer.Response, c.cleaned(answer.body), c.now()))
	}
	return c.result(s, answer, e, r.kind)
}

// fallBack asks by GET after a POST was refused, and remembers how that went.
func (c *Client) fallBack(ctx context.Context, s *scratch, r request, refused *QueryError) (Result, *QueryError) {
	answer, e := c.authorised(ctx, s, http.MethodGet, r)
	if e == nil && answer.StatusCode == http.StatusOK {
		c.useGET.Store(true)
	} else if refused.Status == http.StatusForbidden {
		c.mu.Lock()
		c.triedGET = c.now()
		c.mu.Unlock()
		return Result{}, refused
	}
	return c.result(s, answer, e, r.kind)
}

// result turns a reply into the result or the error of the query.
func (c *Client) result(s *scratch, answer reply, e *QueryError, kind resultKind) (Result, *QueryError) {
	switch {
	case e != nil:
		return Result{}, e
	case answer.StatusCode != http.StatusOK:
		return Result{}, failure(answer.Response, c.cleaned(answer.body), c.now())
	default:
		return c.read(s, answer, kind)
	}
}

// mayFallBack reports whether a status says that POST, and not the query, is
// refused. A proxy that checks verbs may forbid POST, which it takes for a
// write, so after a 403 GET is tried too, but not with every query.
func (c *Client) mayFallBack(status int) bool {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		return true
	case http.StatusForbidden:
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.triedGET.IsZero() || c.now().Sub(c.triedGET) >= forbiddenPause
	}
	return false
}

// authorised is exchange, and once more when the credentials were refused and
// there are newer ones.
func (c *Client) authorised(ctx context.Context, s *scratch, method string, r request) (reply, *QueryError) {
	before := c.files.version()
	answer, e := c.exchange(ctx, s, method, r)
	if e != nil || answer.StatusCode != http.StatusUnauthorized {
		return answer, e
	}
	if c.files.version() == before && !c.dropToken() {
		return answer, nil
	}
	return c.exchange(ctx, s, method, r)
}

// dropToken forgets an OAuth2 token, which may be revoked before it expires.
func (c *Client) dropToken() bool {
	if c.cfg.HTTP.OAuth2 == nil {
		return false
	}
	c.mu.Lock()
	now := c.now()
	early := !c.renewed.IsZero() && now.Sub(c.renewed) < renewPause
	if !early {
		c.renewed = now
	}
	c.mu.Unlock()
	return !early && c.renewHTTP() == nil
}

// exchange sends one HTTP request and reads the answer, whatever its status.
func (c *Client) exchange(ctx context.Context, s *scratch, method string, r request) (reply, *QueryError) {
	req, err := c.newRequest(ctx, method, r)
	if err != nil {
		return reply{}, &QueryError{Cause: CauseTooLarge, Err: err}
	}
	resp, err := c.do(req)
	if err != nil {
		return reply{}, c.transportFailure(ctx, err)
	}
	defer resp.Body.Close()
	c.censor.sent(resp.Request.Header)
	c.cleanHeaders(resp.Header)
	limit := c.cfg.MaxResponseBytes
	if resp.StatusCode != http.StatusOK {
		limit = min(limit, maxErrorBody)
	}
	body, e := readBody(ctx, resp, s.body[:0], limit)
	s.body = body
	if resp.StatusCode != http.StatusOK {
		e = nil // the status says more than a body that is cut
	}
	return reply{Response: resp, body: body}, e
}

// newRequest fails where a GET would be too long for proxies.
func (c *Client) newRequest(ctx context.Context, method string, r request) (*http.Request, error) {
	u := c.base.JoinPath("api/v1", r.endpoint)
	query := url.Values{}
	for name, value := range c.cfg.Params {
		query.Set(name, value)
	}
	var body string
	if method == http.MethodPost {
		body = r.form.Encode()
	} else {
		maps.Copy(query, r.form)
	}
	u.RawQuery = query.Encode()
	if n := len(u.RequestURI()) + len("GET  HTTP/1.1"); n >= maxRequestLine {
		return nil, fmt.Errorf("the server refuses POST, and a GET needs a request line of %d bytes, above the usual limit of %d", n, maxRequestLine)
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range c.cfg.Headers {
		req.Header.Set(name, value)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "gzip")
	// Not sent: it tells the transport that a query may be sent again when a kept
	// connection turns out to be closed.
	req.Header["Idempotency-Key"] = nil
	return req, nil
}

// do sends a request. The transport fetches OAuth2 tokens with no regard to the
// request's context, so there it runs apart and is left behind if need be; at
// most as many as may be under way are left so.
func (c *Client) do(req *http.Request) (*http.Response, error) {
	client := c.http.Load()
	if c.cfg.HTTP.OAuth2 == nil {
		return client.Do(req)
	}
	type outcome struct {
		resp *http.Response
		err  error
	}
	done := make(chan outcome, 1)
	ctx := req.Context()
	select {
	case c.workers <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("the OAuth2 token endpoint does not answer: %w", ctx.Err())
	}
	go func() {
		defer func() { <-c.workers }()
		resp, err := client.Do(req) //nolint:bodyclose // The caller closes it, or the transport when ctx has ended.
		done <- outcome{resp, err}
	}()
	select {
	case o := <-done:
		return o.resp, o.err
	case <-ctx.Done():
		// The context ends whatever the transport does after the token.
		return nil, ctx.Err()
	}
}

// read decodes an answer with status 200.
func (c *Client) read(s *scratch, answer reply, kind resultKind) (Result, *QueryError) {
	contentType := answer.Header.Get("Content-Type")
	if !mayBeJSON(contentType) {
		e := errors.New("want JSON, got " + foreign(answer.Response, c.cleaned(answer.body)))
		return Result{}, &QueryError{Cause: CauseDecode, Status: answer.StatusCode, Err: e}
	}
	env, err := s.decoder.decode(answer.body, kind)
	if err != nil {
		if contentType != "" && len(answer.body) > 0 && answer.body[0] != '{' {
			err = fmt.Errorf("%w in %s", err, foreign(answer.Response, c.cleaned(answer.body)))
		}
		return Result{}, &QueryError{Cause: CauseDecode, Status: answer.StatusCode, Err: err}
	}
	if env.status == "error" {
		cause, _ := typeCause(env.errorType)
		return Result{}, &QueryError{
			Cause: cause, Status: answer.StatusCode, Err: apiError(env.errorType, c.censor.clean(env.message)),
		}
	}
	env.result.Warnings = c.censor.remarks(env.result.Warnings)
	env.result.Infos = c.censor.remarks(env.result.Infos)
	return env.result, nil
}

// cleanHeaders takes secrets out of the headers that messages quote.
func (c *Client) cleanHeaders(h http.Header) {
	for _, name := range []string{"Content-Type", "Content-Encoding"} {
		if v := h.Get(name); v != "" {
			h.Set(name, c.censor.clean(v))
		}
	}
}

// cleaned returns the start of a foreign body without secrets. It comes before
// any cut, which might leave half of one.
func (c *Client) cleaned(body []byte) []byte {
	return []byte(c.censor.clean(string(body[:min(len(body), maxErrorBody)])))
}

// serverTimeout is how long the server may work: a tenth less than the client
// waits, but at most a second. The client waits no longer than ctx allows.
func serverTimeout(ctx context.Context, timeout time.Duration) string {
	if deadline, ok := ctx.Deadline(); ok {
		timeout = min(timeout, time.Until(deadline).Truncate(10*time.Millisecond))
	}
	timeout = max(timeout-min(timeout/10, time.Second), time.Millisecond)
	if timeout%time.Second == 0 {
		return fmt.Sprintf("%ds", timeout/time.Second)
	}
	return fmt.Sprintf("%dms", timeout.Milliseconds())
}
