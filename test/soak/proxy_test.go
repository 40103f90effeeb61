package soak

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
)

// answerLimit is max_response_bytes of the daemon.
const answerLimit = 1 << 20

// lies is a fault that no schedule has: every number is zero, and nothing says that it is not
// the truth.
const lies = "lies"

var numbers = regexp.MustCompile(`,"[^"]*"\]`)

// A proxy stands in front of Prometheus, asks for a token over TLS, and spoils answers.
type proxy struct {
	prometheus http.Handler
	server     *httptest.Server
	families   map[string]promapi.Family // by the text of a query
	good, bad  *tls.Certificate

	mu      sync.Mutex
	tick    int
	faults  []*fault // on the wire, those of this tick
	token   string
	gate    chan struct{} // holds queries back until it is closed; nil does not
	arrived chan struct{} // receives for queries that are held back
	hurried bool          // no answer asks to wait
}

// newProxy serves over TLS until the test ends.
func newProxy(t testing.TB, prometheus http.Handler, ca *authority) *proxy {
	p := &proxy{
		prometheus: prometheus, arrived: make(chan struct{}, 1),
		good: ca.issue(t, time.Now().Add(24*time.Hour)), bad: ca.issue(t, time.Now().Add(-time.Hour)),
	}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Listener = &breaker{p.server.Listener, p}
	p.server.Config.ErrorLog = quiet
	p.server.TLS = &tls.Config{GetConfigForClient: p.tls}
	p.server.StartTLS()
	t.Cleanup(p.server.Close)
	return p
}

// tls is how a connection is secured that begins now.
func (p *proxy) tls(*tls.ClientHelloInfo) (*tls.Config, error) {
	cert := p.good
	if p.acts("TLS expired") != nil {
		cert = p.bad
	}
	return &tls.Config{Certificates: []tls.Certificate{*cert}}, nil
}

// A breaker is a listener whose connections break while Prometheus is down.
type breaker struct {
	net.Listener
	proxy *proxy
}

func (b *breaker) Accept() (net.Conn, error) {
	c, err := b.Listener.Accept()
	if err == nil && b.proxy.isDown() {
		_ = c.Close()
	}
	return c, err
}

// begin puts the faults of a tick in force. What is kept open knows nothing of a new
// certificate, and outlives no restart.
func (p *proxy) begin(tick int, faults []*fault, token string, hurried bool) {
	p.mu.Lock()
	p.tick, p.faults, p.token, p.hurried = tick, faults, token, hurried
	p.mu.Unlock()
	if p.acts("TLS expired") != nil || p.isDown() {
		p.server.CloseClientConnections()
	}
}

// acts returns the active fault of a kind, or nil.
func (p *proxy) acts(name string) *fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, f := range p.faults {
		if f.name == name {
			return f
		}
	}
	return nil
}

// isDown reports whether nobody listens: a restart begins so, and goes on with an answer.
func (p *proxy) isDown() bool {
	replaying := p.acts("replaying")
	return p.acts("down") != nil || (replaying != nil && replaying.refuses(p.tick))
}

// refuses reports whether a restarting Prometheus does not listen yet.
func (f *fault) refuses(tick int) bool { return 3*(tick-f.from) < f.to-f.from && f.to-f.from > 1 }

// hold makes queries wait, and returns what lets them go.
func (p *proxy) hold() (release func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	gate := make(chan struct{})
	p.gate = gate
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		close(gate)
		p.gate = nil
	}
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	p.mu.Lock()
	gate, token, hurried, tick := p.gate, p.token, p.hurried, p.tick
	f := p.hitting(p.families[r.Form.Get("query")])
	p.mu.Unlock()
	if gate != nil {
		select {
		case p.arrived <- struct{}{}:
		default:
		}
		select {
		case <-gate:
		case <-r.Context().Done():
			return
		}
	}
	if tick%4 > 0 {
		r.Header.Del("Accept-Encoding") // Compression is most of the work here.
	}
	moved := strings.HasPrefix(r.URL.Path, "/moved")
	r.URL.Path = strings.TrimPrefix(r.URL.Path, "/moved")
	switch {
	case f != nil && (!moved || f.name != "redirect here"):
		if !hurried {
			w.Header().Set("Retry-After", "1")
		}
		p.spoil(w, r, f)
	case r.Header.Get("Authorization") != "Bearer "+token:
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
	default:
		p.prometheus.ServeHTTP(w, r)
	}
}

// hitting returns the newest fault that hits a family, or nil. A rotated token is refused
// where there is nothing worse.
func (p *proxy) hitting(family promapi.Family) *fault {
	for _, f := range slices.Backward(p.faults) {
		if (f.family == "" || f.family == family) && f.name != "token rotated" && f.name != "TLS expired" {
			return f
		}
	}
	return nil
}

// spoil answers as a server with the fault does.
func (p *proxy) spoil(w http.ResponseWriter, r *http.Request, f *fault) {
	if refusal, ok := refusals[f.name]; ok {
		for name, value := range refusal.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(refusal.status)
		_, _ = w.Write([]byte(refusal.body))
		return
	}
	switch f.name {
	case "slow":
		<-r.Context().Done()
	case "down", "replaying":
		p.mu.Lock()
		tick := p.tick
		p.mu.Unlock()
		if f.name == "down" || f.refuses(tick) {
			drop(w)
			return
		}
		http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
	case "redirect here":
		w.Header().Set("Location", "/moved"+r.URL.Path)
		w.WriteHeader(http.StatusPermanentRedirect)
	case "wrong JSON":
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(nonsense[f.variant%len(nonsense)]))
	default:
		p.change(w, r, f)
	}
}

// change answers with what Prometheus said, and spoils it.
func (p *proxy) change(w http.ResponseWriter, r *http.Request, f *fault) {
	rec := httptest.NewRecorder()
	r.Header.Del("Accept-Encoding")
	p.prometheus.ServeHTTP(rec, r)
	body := rec.Body.Bytes()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case f.name == "truncated" && f.variant%2 == 0:
		_, _ = w.Write(body[:len(body)*(f.variant%97)/97])
	case f.name == "truncated":
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		_, _ = w.Write(body[:len(body)/2])
		panic(http.ErrAbortHandler)
	case f.name == "answer too large":
		_, _ = w.Write(append(body, make([]byte, answerLimit)...))
	case f.name == "partial answer":
		_, _ = w.Write(thinned(body))
	case f.name == lies:
		_, _ = w.Write(numbers.ReplaceAll(body, []byte(`,"0"]`)))
	default:
		panic("no answer for " + f.String())
	}
}

// thinned leaves out about a third of the rows of an answer and says so. Which rows depends
// on nothing but them, so that a seed repeats.
func thinned(body []byte) []byte {
	var answer struct {
		Status   string   `json:"status"`
		Warnings []string `json:"warnings"`
		Data     struct {
			ResultType string            `json:"resultType"`
			Result     []json.RawMessage `json:"result"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return body // A scalar, or an error.
	}
	answer.Warnings = []string{"a store did not answer"}
	answer.Data.Result = slices.DeleteFunc(answer.Data.Result, func(row json.RawMessage) bool { return crc32.ChecksumIEEE(row)%3 == 0 })
	if answer.Data.Result == nil {
		answer.Data.Result = []json.RawMessage{}
	}
	spoiled, _ := json.Marshal(answer)
	return spoiled
}

// drop breaks the connection without a word.
func drop(w http.ResponseWriter) {
	if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = c.Close()
	}
}

// A refusal is an answer that does not depend on the question.
type refusal struct {
	status int
	header map[string]string
	body   string
}

var refusals = map[string]refusal{
	"query timeout":        {503, nil, `{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}`},
	"internal error":       {500, nil, `{"status":"error","errorType":"internal","error":"disk full"}`},
	"rate limited":         {429, nil, "slow down"},
	"refused as too large": {413, nil, "<html>413 Request Entity Too Large</html>"},
	"unprocessable":        {422, nil, `{"status":"error","errorType":"execution","error":"found duplicate series for the match group"}`},
	"redirect away":        {302, map[string]string{"Location": "https://login.example/"}, "Found"},
}

// nonsense are answers of status 200 that are none.
var nonsense = []string{
	`<html><body>sign in</body></html>`,
	`{"status":"success"}`,
	`{"status":"success","data":{"resultType":"matrix","result":"none"}}`,
	`{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"four"]}]}}`,
	`{"status":"success","data":{"resultType":"string","result":[1,"4"]}}`,
	`[]`,
	`null`,
	``,
}
