package promapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// maxRedirects is how many redirects a request may follow.
const maxRedirects = 5

// A redirectError is a redirect that is not followed.
type redirectError struct {
	status   int
	location string // without user, query and fragment
	why      string
}

func (e *redirectError) Error() string {
	return fmt.Sprintf("redirected to %s, which is not followed: %s", e.location, e.why)
}

// redirectPolicy returns the CheckRedirect of the client. Only statuses 307 and
// 308 are followed: after the others a POST becomes a GET without its query. And
// only to the same server, or from http to https on the same host: credentials
// go nowhere else.
func redirectPolicy(follow bool, z *censor) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		refuse := func(why string) error {
			return &redirectError{status: req.Response.StatusCode, location: z.text(wholeURL(req.URL), maxQuoted), why: why}
		}
		status := req.Response.StatusCode
		switch {
		case !follow:
			return refuse("follow_redirects is off")
		case status != http.StatusTemporaryRedirect && status != http.StatusPermanentRedirect:
			return refuse(fmt.Sprintf("status %d would drop the query; put the final address into the URL", status))
		case !sameServer(via[len(via)-1].URL, req.URL):
			return refuse("it is another server, and credentials stay here")
		case len(via) > maxRedirects:
			return refuse(fmt.Sprintf("more than %d redirects", maxRedirects))
		}
		return nil
	}
}

// sameServer reports whether credentials for one URL may go to the other.
func sameServer(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return port(from) == port(to)
	}
	return from.Scheme == "http" && to.Scheme == "https"
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// bareURL writes a URL with nothing in it that can be secret.
func bareURL(u *url.URL) string { return shorten(wholeURL(u), maxQuoted) }

// wholeURL is bareURL before it is cut.
func wholeURL(u *url.URL) string {
	bare := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
	return bare.String()
}
