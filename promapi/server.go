package promapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// A Server is what an API says of itself. What it does not say is zero: not every server
// that speaks the API has a version to tell.
type Server struct {
	// URL is where it is: scheme, host and path only.
	URL string
	// Application is who says so, where it is not Prometheus: Grafana Mimir.
	Application string
	// Version is the server's, and Go that of the language it was built with. Thanos and
	// VictoriaMetrics give versions of their own numbering.
	Version, Go string
	// Skew is how far this clock is ahead of the server's, to the second; Dated says
	// whether the server told the time.
	Skew  time.Duration
	Dated bool
}

// Server asks who answers, and what time it is there. A server that does not know the
// question has told the time all the same. The error is a *QueryError.
func (c *Client) Server(ctx context.Context) (Server, error) {
	s := Server{URL: bareURL(c.base)}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(c.cfg.Timeout))
	defer cancel()
	buffer := c.scratch.Get().(*scratch)
	defer c.scratch.Put(buffer)
	sent := c.now()
	answer, failed := c.authorised(ctx, buffer, http.MethodGet, request{endpoint: "status/buildinfo", form: url.Values{}})
	if failed != nil {
		failed.Query, failed.URL = "buildinfo", s.URL
		failed.Err = errors.New(c.censor.clean(failed.Err.Error()))
		return s, failed
	}
	s.dated(answer.Header.Get("Date"), sent, c.now())
	s.read(answer, c.censor)
	return s, nil
}

// dated compares the clocks. The date has no fractions, so it may be up to a second old.
func (s *Server) dated(date string, sent, received time.Time) {
	at, err := http.ParseTime(date)
	if err != nil {
		return
	}
	s.Dated = true
	switch {
	case sent.After(at.Add(time.Second)):
		s.Skew = sent.Sub(at.Add(time.Second))
	case received.Before(at):
		s.Skew = received.Sub(at)
	}
}

// read takes the version from the answer, if it is one.
func (s *Server) read(answer reply, z *censor) {
	var info struct {
		Data struct {
			Application string `json:"application"`
			Version     string `json:"version"`
			Go          string `json:"goVersion"`
		} `json:"data"`
	}
	if answer.StatusCode == http.StatusOK && json.Unmarshal(answer.body, &info) == nil {
		for shown, said := range map[*string]string{&s.Application: info.Data.Application, &s.Version: info.Data.Version, &s.Go: info.Data.Go} {
			*shown = oneLine(z.text(said, maxQuoted))
		}
	}
}
