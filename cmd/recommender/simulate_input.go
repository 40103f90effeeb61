package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/infscale/infscale/recommender/config"
	"github.com/infscale/infscale/recommender/score"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// trace returns what is replayed.
func (c *SimulateCmd) trace() (trace.Trace, error) {
	t, err := openTrace(c.Trace)
	if err != nil {
		return nil, err
	}
	if c.TimeWindow.to > 0 {
		t = trace.Window(t, c.TimeWindow.from, c.TimeWindow.to)
	}
	if c.RateScale > 0 && c.RateScale != 1 {
		t = trace.Scale(t, c.RateScale)
	}
	if seconds, known := trace.Length(t); known && c.Horizon == 0 {
		c.Horizon = span(seconds * float64(time.Second))
	}
	return t, nil
}

// openTrace finds the trace that a word means. A file is read once to the end of its
// first line, so that what is no trace is refused before anything runs.
func openTrace(word string) (trace.Trace, error) {
	if t, ok := trace.Builtin(word); ok {
		return t, nil
	}
	info, err := os.Stat(word)
	switch {
	case word == stdin:
		return readOnce(place(stdin), os.Stdin)
	case err != nil && strings.Contains(word, ":"):
		return trace.Parse(word)
	case err == nil && !info.Mode().IsRegular() && !info.IsDir():
		f, err := os.Open(word)
		if err != nil {
			return nil, err
		}
		t, err := readOnce(word, f)
		return t, errors.Join(err, f.Close())
	}
	t := trace.File(word)
	r, err := t.Open(0)
	if err != nil {
		return nil, err
	}
	return t, r.Close()
}

// readOnce keeps the requests of what can be read only once.
func readOnce(name string, r io.Reader) (trace.Trace, error) {
	var list trace.Slice
	for reader := trace.NewCSV(name, r); ; {
		q, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF):
			return list, reader.Close()
		case err != nil:
			return nil, err
		}
		list = append(list, q)
	}
}

// candidates are the policies, by their text or the name of their workload.
func (c *SimulateCmd) candidates(coldStart time.Duration) ([]score.Candidate, error) {
	texts := c.Policy
	if len(texts) == 0 && c.ConfigFile == "" {
		texts = seedPolicies
	}
	list, errs := written(texts)
	if c.ConfigFile != "" {
		cfg, err := loadConfig(c.ConfigFile)
		if err != nil {
			return nil, errors.Join(append(errs, err)...)
		}
		for _, w := range cfg.Workloads() {
			list = append(list, score.Candidate{Name: w.Namespace + "/" + w.Name, Policy: *w.Policy})
		}
	}
	for i := range list {
		p := &list[i].Policy
		if p.ColdStart == 0 {
			p.ColdStart = coldStart
		}
		p.Held = true
		errs = append(errs, measurable(&list[i])...)
	}
	return list, errors.Join(errs...)
}

// written are the policies of these texts.
func written(texts []string) (list []score.Candidate, errs []error) {
	for i, text := range texts {
		policy, err := config.ParsePolicy(text)
		if err == nil && slices.Contains(texts[:i], text) {
			err = fmt.Errorf("policy %q: is there twice", text)
		}
		if err != nil {
			errs = append(errs, parts(err)...)
			continue
		}
		list = append(list, score.Candidate{Name: text, Policy: policy})
	}
	return list, errs
}

// A window is a part of a trace on the command line: FROM-TO.
type window struct{ from, to float64 }

// UnmarshalText reads a window.
func (w *window) UnmarshalText(text []byte) error {
	first, second, ok := strings.Cut(string(text), "-")
	var from, to span
	if !ok || from.UnmarshalText([]byte(first)) != nil || to.UnmarshalText([]byte(second)) != nil {
		return fmt.Errorf("%q is not a part of a trace: want FROM-TO, such as 1h-2h or 3600-7200", text)
	}
	if to <= from {
		return fmt.Errorf("%q must end after it begins", text)
	}
	w.from, w.to = time.Duration(from).Seconds(), time.Duration(to).Seconds()
	return nil
}

// cold is the phases of a cold start on the command line.
type cold struct{ sim.ColdStart }

// UnmarshalText reads phases.
func (c *cold) UnmarshalText(text []byte) (err error) {
	if string(text) == "typical" {
		c.ColdStart = sim.DefaultColdStart()
		return nil
	}
	c.ColdStart, err = sim.ParsePhases(string(text))
	return err
}
