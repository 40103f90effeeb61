package promapi

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"
)

// maxErrorBody is how much of a body is read for a message.
const maxErrorBody = 64 << 10

// transportFailure returns the error of a request that got no answer.
func (c *Client) transportFailure(ctx context.Context, err error) *QueryError {
	// The text of a url.Error has the URL with its query. A second one inside is
	// about the OAuth2 token endpoint.
	if own, ok := errors.AsType[*url.Error](err); ok {
		err = own.Err
	}
	if token, ok := errors.AsType[*url.Error](err); ok {
		err = fmt.Errorf("OAuth2 token endpoint: %w", token.Err)
	}
	if unread, ok := errors.AsType[*fs.PathError](err); ok && slices.Contains(c.tlsFiles(), unread.Path) {
		return &QueryError{Cause: CauseTLS, Err: err}
	}
	e := transportFailure(ctx, err)
	if token, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		// Cleaned before it is cut, which might leave half of a secret.
		e.Err = errors.New(oneLine(c.censor.clean(token.Error())))
	}
	return e
}

func (c *Client) tlsFiles() []string {
	t := &c.cfg.HTTP.TLSConfig
	return []string{t.CAFile, t.CertFile, t.KeyFile}
}

func transportFailure(ctx context.Context, err error) *QueryError {
	e := &QueryError{Cause: transportCause(ctx, err), Err: err}
	if e.Cause == CauseTimeout {
		e.Err = fmt.Errorf("no answer in time: %w", err)
	}
	if refused, ok := errors.AsType[*redirectError](err); ok {
		e.Status = refused.status
	}
	return e
}

func transportCause(ctx context.Context, err error) Cause {
	var timeout net.Error
	switch {
	case is[*redirectError](err):
		return CauseRedirect
	case errors.Is(ctx.Err(), context.Canceled):
		return CauseCancelled
	case ctx.Err() != nil, errors.As(err, &timeout) && timeout.Timeout():
		return CauseTimeout
	case is[*credentialError](err), is[*oauth2.RetrieveError](err), is[*fs.PathError](err):
		return CauseAuth
	case isTLS(err):
		return CauseTLS
	default:
		return CauseConnect
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isTLS reports whether a secure connection could not be made: the server's
// certificate is not trusted, the server does not trust ours, or it does not
// speak TLS.
func isTLS(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "remote error" || op.Op == "local error") {
		return true
	}
	return is[*tls.CertificateVerificationError](err) || is[tls.RecordHeaderError](err) ||
		errors.Is(err, http.ErrSchemeMismatch) || strings.HasPrefix(err.Error(), "tls: ") ||
		strings.Contains(err.Error(), "unable to use specified C") || // common/config's words for a CA file,
		strings.Contains(err.Error(), "unable to use specified client cert") // and for a pair of files
}

// readBody reads and decompresses the body into buf, at most limit bytes of it.
// It returns what it has read in any case. A body within the limit is read to
// its end, which gives the connection back.
func readBody(ctx context.Context, resp *http.Response, buf []byte, limit int64) ([]byte, *QueryError) {
	wire := &wireReader{r: resp.Body}
	var r io.Reader = wire
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		if n := resp.ContentLength; n > int64(cap(buf)) && n <= limit {
			buf = make([]byte, 0, n+1)
		}
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(wire)
		if err != nil {
			return buf, bodyFailure(ctx, resp, wire, 0, err)
		}
		r = z
	default:
		err := fmt.Errorf("content encoding %q was not asked for", oneLine(encoding))
		return buf, &QueryError{Cause: CauseDecode, Status: resp.StatusCode, Err: err}
	}
	buf, err := appendAll(buf, io.LimitReader(r, limit+1))
	if err != nil {
		return buf, bodyFailure(ctx, resp, wire, len(buf), err)
	}
	if int64(len(buf)) > limit {
		err := fmt.Errorf("the answer is larger than max_response_bytes (%d)", limit)
		return buf[:limit], &QueryError{Cause: CauseTooLarge, Status: resp.StatusCode, Err: err}
	}
	return buf, nil
}

// bodyFailure tells a connection that broke from a body that is not gzip.
func bodyFailure(ctx context.Context, resp *http.Response, wire *wireReader, n int, err error) *QueryError {
	if wire.err == nil {
		err = fmt.Errorf("the compressed body is damaged after %d bytes of text: %w", n, err)
		return &QueryError{Cause: CauseDecode, Status: resp.StatusCode, Err: err}
	}
	e := transportFailure(ctx, fmt.Errorf("the body was cut off after %d bytes: %w", n, wire.err))
	e.Status = resp.StatusCode
	return e
}

// A wireReader remembers why reading from the network failed.
type wireReader struct {
	r   io.Reader
	err error
}

func (w *wireReader) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// appendAll is io.ReadAll into a buffer that may be there already.
func appendAll(buf []byte, r io.Reader) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(len(buf), 4096))
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
	}
}
