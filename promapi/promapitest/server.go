// Package promapitest is a Prometheus HTTP API that a test scripts: it answers
// queries with what the test says, faults included, and records every request.
//
//	api := promapitest.New(t)
//	api.Answer(promapitest.Any, promapitest.Vector())
//	api.Answer(promapitest.Query("up"), promapitest.Vector(promapitest.Sample(1, "pod", "a")))
//	api.Answer(promapitest.Contains("ttft"),
//		promapitest.Error(503, "timeout", "query timed out"), // the first time
//		promapitest.Vector())                                 // from then on
//
// The last rule that matches a request answers it. A request that no rule
// matches gets an error that says so, with status 422.
package promapitest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A Request is what a client sent.
type Request struct {
	Method string
	Path   string
	Header http.Header
	Form   url.Values // of the URL and the body
	Query  string     // the PromQL, "" where the endpoint has none
	Line   int        // length of the request line in bytes
}

// A Matcher says whether a rule is for a request.
type Matcher func(Request) bool

// Any matches every request.
func Any(Request) bool { return true }

// Query matches requests with exactly this PromQL.
func Query(text string) Matcher {
	return func(r Request) bool { return r.Query == text }
}

// Contains matches requests whose PromQL has all of these in it.
func Contains(parts ...string) Matcher {
	return func(r Request) bool {
		return r.Query != "" && !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(r.Query, p) })
	}
}

// Endpoint matches requests whose path ends so, such as "/api/v1/query_range".
func Endpoint(suffix string) Matcher {
	return func(r Request) bool { return strings.HasSuffix(r.Path, suffix) }
}

// A Server is the scripted API. It is an http.Handler too, for a test that
// brings its own listener.
type Server struct {
	// URL is the base URL of the API.
	URL string

	http *httptest.Server

	mu       sync.Mutex
	rules    []*rule
	required []header
	requests []Request
}

type rule struct {
	match   Matcher
	answers []Answer
	used    int
}

type header struct{ name, value string }

// New starts a server on the loopback interface, which t's cleanup stops.
func New(t interface{ Cleanup(func()) }) *Server {
	s := Start()
	t.Cleanup(s.Close)
	return s
}

// Start starts a server that its caller closes.
func Start() *Server {
	s := new(Server)
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	return s
}

// Close stops the server and ends requests that hang.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Answer adds a rule. Its answers are given one after the other, and the last of
// them over and over.
func (s *Server) Answer(match Matcher, answers ...Answer) {
	if len(answers) == 0 {
		panic("promapitest: a rule without an answer")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = append(s.rules, &rule{match: match, answers: answers})
}

// Require makes the server answer 401 to requests without this header and value.
// A second call for the same header replaces the first.
func (s *Server) Require(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.required = slices.DeleteFunc(s.required, func(h header) bool { return h.name == name })
	s.required = append(s.required, header{name, value})
}

// Requests returns what was asked so far, those that were refused included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Reset forgets the requests so far, and keeps the rules.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = nil
}

// ServeHTTP records and answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request := Request{
		Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(), Form: r.Form, Query: r.Form.Get("query"),
		Line: len(r.Method) + 1 + len(r.RequestURI) + 1 + len(r.Proto),
	}
	s.next(request).serve(w, r, request)
}

// next records the request and finds its answer.
func (s *Server) next(r Request) Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	for _, h := range s.required {
		if r.Header.Get(h.name) != h.value {
			return Text(http.StatusUnauthorized, "text/plain", "unauthorized: "+h.name)
		}
	}
	for _, rule := range slices.Backward(s.rules) {
		if rule.match(r) {
			a := rule.answers[min(rule.used, len(rule.answers)-1)]
			rule.used++
			return a
		}
	}
	return Error(http.StatusUnprocessableEntity, "execution", fmt.Sprintf("promapitest: no rule for %s with query %q", r.Path, r.Query))
}
