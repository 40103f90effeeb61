package promapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxQuoted is how much of a foreign body a message may have, in bytes.
const maxQuoted = 200

// maxRetryAfter bounds how long the client keeps silent at a server's word, so
// that a wrong header does not blind it for a day.
const maxRetryAfter = 10 * time.Minute

// statusCause returns the cause for an HTTP status other than 200.
func statusCause(status int) Cause {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired:
		return CauseAuth
	case http.StatusTooManyRequests:
		return CauseRateLimited
	case http.StatusRequestEntityTooLarge:
		return CauseTooLarge
	case http.StatusUnprocessableEntity:
		return CauseExecution
	case http.StatusRequestTimeout, http.StatusGatewayTimeout:
		return CauseTimeout
	}
	switch status / 100 {
	case 2:
		return CauseDecode
	case 3:
		return CauseRedirect
	case 4:
		return CauseBadRequest
	default:
		return CauseServer
	}
}

// typeCause returns the cause for the errorType of the API, and ok false where
// the type is unknown. VictoriaMetrics writes the HTTP status there.
func typeCause(errorType string) (c Cause, ok bool) {
	switch errorType {
	case "timeout":
		return CauseTimeout, true
	case "bad_data", "not_found", "not_acceptable":
		return CauseBadRequest, true
	case "execution":
		return CauseExecution, true
	case "internal", "unavailable", "canceled":
		return CauseServer, true
	case "too_many_requests":
		return CauseRateLimited, true
	}
	if status, err := strconv.Atoi(errorType); err == nil && status >= 400 && status < 600 {
		return statusCause(status), true
	}
	return CauseServer, false
}

// failure returns the error of an answer that is not a success, whose body may
// be the API's or that of any proxy on the way.
func failure(resp *http.Response, body []byte, now time.Time) *QueryError {
	e := &QueryError{Status: resp.StatusCode, Cause: statusCause(resp.StatusCode)}
	var answer struct {
		Status    string `json:"status"`
		ErrorType string `json:"errorType"`
		Error     string `json:"error"`
	}
	if json.Unmarshal(body, &answer) == nil && answer.Error != "" {
		e.Err = apiError(answer.ErrorType, answer.Error)
		// The type is finer than the status only where a status has several meanings.
		if c, ok := typeCause(answer.ErrorType); ok && (e.Cause == CauseServer || e.Cause == CauseBadRequest) {
			e.Cause = c
		}
	} else {
		e.Err = errors.New(foreign(resp, body))
	}
	switch resp.StatusCode {
	case http.StatusTooManyRequests:
		e.RetryAfter = retryAfter(resp.Header.Get("Retry-After"), now)
	case http.StatusNotFound:
		e.Err = fmt.Errorf("%w: no query API at this path, check the path of the URL", e.Err)
	}
	return e
}

// apiError is an error that the API itself reports.
func apiError(errorType, message string) error {
	text := oneLine(message)
	if errorType != "" {
		text = oneLine(errorType) + ": " + text
	}
	if strings.Contains(strings.ToLower(message), "unavailable with prometheus agent") {
		text += " (this Prometheus runs in agent mode and cannot be queried: point to the store it writes to)"
	}
	return errors.New(text)
}

// foreign describes a body that is not the API's.
func foreign(resp *http.Response, body []byte) string {
	contentType := resp.Header.Get("Content-Type")
	if len(body) == 0 {
		return "empty body"
	}
	text := oneLine(string(body))
	if contentType == "" {
		return fmt.Sprintf("body %q", text)
	}
	return fmt.Sprintf("%s body %q", mediaType(contentType), text)
}

// mediaType returns the type without its parameters, as one short word.
func mediaType(contentType string) string {
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return oneLine(contentType)
	}
	return shorten(t, 60)
}

// mayBeJSON reports whether a body of this type is worth decoding. Servers that
// set no type are common, and Go's then says text/plain.
func mayBeJSON(contentType string) bool {
	switch t := mediaType(contentType); t {
	case "", "application/json", "text/json", "text/plain", "application/octet-stream":
		return true
	default:
		return strings.HasSuffix(t, "+json")
	}
}

// oneLine makes foreign text fit for a message: printable, on one line, short.
func oneLine(s string) string {
	// Longer text is cut before it is cleaned: four bytes may become one.
	s = shorten(s, 4*maxQuoted)
	s = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, s)
	return shorten(strings.Join(strings.Fields(s), " "), maxQuoted)
}

// retryAfter reads the header's seconds or date.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.TrimSpace(header)
	if s, err := strconv.ParseUint(header, 10, 31); err == nil {
		return min(time.Duration(s)*time.Second, maxRetryAfter)
	}
	if at, err := http.ParseTime(header); err == nil {
		return min(max(at.Sub(now), 0), maxRetryAfter)
	}
	return 0
}
