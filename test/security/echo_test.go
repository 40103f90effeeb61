package security

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// An echo is a Prometheus, a proxy and a token endpoint that repeats in every way what it was
// sent, secrets included.
type echo struct {
	*httptest.Server
	token string // what the token endpoint gives out
	// willing answers every query, and repeats the request in what comes with the answer.
	willing bool

	mu   sync.Mutex
	seen strings.Builder
	n    int
	each chan struct{} // receives once for every request
}

func newEcho(t *testing.T, token string) *echo {
	e := &echo{token: token, each: make(chan struct{}, 1000)}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	return e
}

// requests returns all that was sent.
func (e *echo) requests() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seen.String()
}

// repeat returns what a request says, in the forms that servers show it in.
func (e *echo) repeat(r *http.Request) (text string, n int) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s ", r.Method, r.RequestURI)
	for name, list := range r.Header {
		fmt.Fprintf(&b, "%s: %s; ", name, strings.Join(list, ", "))
	}
	_ = r.ParseForm() // what is not a form has no values
	for name, list := range r.Form {
		fmt.Fprintf(&b, "%s=%s ", name, strings.Join(list, ","))
	}
	user, password, _ := r.BasicAuth()
	fmt.Fprintf(&b, "user=%s password=%s", user, password)
	text = b.String()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen.WriteString(text + "\n")
	e.n++
	select {
	case e.each <- struct{}{}:
	default:
	}
	short := strings.NewReplacer("\n", " ").Replace(text)
	return fmt.Sprintf("%s | %s | %s", short, url.QueryEscape(short), html.EscapeString(short)), e.n
}

// ServeHTTP fails in a different way each time.
func (e *echo) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, n := e.repeat(r)
	if r.Method == http.MethodConnect {
		w.Header().Set("X-Said", text)
		http.Error(w, text, http.StatusProxyAuthRequired)
		return
	}
	if strings.HasSuffix(r.URL.Path, "/token") {
		e.grant(w, text, n)
		return
	}
	if e.willing {
		oblige(w, text)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/loop") {
		n = 1 // once is enough
	}
	fail(w, text, n)
}

// grant gives out a token, or repeats the request.
func (e *echo) grant(w http.ResponseWriter, text string, n int) {
	w.Header().Set("Content-Type", "application/json")
	if n%4 == 1 {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":"invalid_client","error_description":%s}`, jsonOf(text))
		return
	}
	fmt.Fprintf(w, `{"access_token":%q,"token_type":"Bearer","expires_in":1}`, e.token)
}

// oblige answers a query, and the question who answers.
func oblige(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json")
	said := jsonOf(text)
	fmt.Fprintf(w, `{"status":"success","data":{"application":%[1]s,"version":%[1]s,"goVersion":%[1]s,"resultType":"vector","result":[]},"warnings":[%[1]s],"infos":[%[1]s]}`, said)
}

// fail answers a query with one of the failures there are.
func fail(w http.ResponseWriter, text string, n int) {
	answer := func(status int, contentType, body string) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
	switch n % 12 {
	case 0:
		answer(http.StatusUnauthorized, "text/plain", "unauthorized: "+text)
	case 1:
		answer(http.StatusInternalServerError, "application/json", `{"status":"error","errorType":"internal","error":`+jsonOf(text)+`}`)
	case 2:
		answer(http.StatusOK, "text/html", "<html><title>Sign in</title>"+text+"</html>")
	case 3:
		w.Header().Set("Location", "http://elsewhere.invalid/?token="+url.QueryEscape(text)+"#"+url.QueryEscape(text))
		answer(http.StatusFound, "text/plain", text)
	case 4:
		w.Header().Set("Location", "/loop/"+url.PathEscape(text)+"?token="+url.QueryEscape(text))
		answer(http.StatusTemporaryRedirect, "text/plain", text)
	case 5:
		answer(http.StatusOK, "application/json", `{"status":"success","data":{"resultType":"vector","result":[]},"warnings":[`+jsonOf(text)+`],"infos":[`+jsonOf(text)+`]}`)
	case 6:
		answer(http.StatusBadRequest, "application/json", `{"status":"error","errorType":`+jsonOf(text)+`,"error":`+jsonOf(text)+`}`)
	case 7:
		answer(http.StatusOK, "application/json", text)
	case 8:
		panic(http.ErrAbortHandler)
	case 9:
		w.Header().Set("Retry-After", text)
		answer(http.StatusTooManyRequests, "text/plain", text)
	case 10:
		w.Header().Set("Content-Encoding", text)
		answer(http.StatusOK, "application/json", "x")
	default:
		answer(http.StatusForbidden, text, text)
	}
}

func jsonOf(text string) string {
	b, _ := json.Marshal(text) // a text can be encoded
	return string(b)
}
