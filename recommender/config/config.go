package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/prometheus/common/model"
	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
)

// A Config is a configuration file. Start from [Parse] or [Load].
type Config struct {
	// Interval is the time between decisions.
	Interval model.Duration `yaml:"interval"`
	// QueryOffset is how long before its instant a decision reads, so that the
	// samples of that instant have been stored.
	QueryOffset model.Duration `yaml:"query_offset"`
	// HoldLimit is how long a recommendation stands without usable evidence.
	HoldLimit model.Duration `yaml:"hold_limit"`
	// StaleAfter is how old a sample may be.
	StaleAfter model.Duration `yaml:"stale_after"`
	// RateWindow is the window of rates of tokens and requests.
	RateWindow model.Duration `yaml:"rate_window"`
	// LatencyWindow is the window of latency histograms.
	LatencyWindow model.Duration `yaml:"latency_window"`
	// Prometheus says where and how to read.
	Prometheus Prometheus `yaml:"prometheus"`
	// Labels are the names of labels on the engines' series.
	Labels Labels `yaml:"labels"`
	// Defaults are under every entry.
	Defaults Entry `yaml:"defaults,omitempty"`
	// Entries are the workloads as written, with the defaults filled in.
	Entries []Entry `yaml:"workloads"`

	workloads []promapi.Workload
	replicas  []*sim.Replica
	name      string         // of the file
	lines     map[string]int // of every key, by path
}

// Prometheus says where and how to read.
type Prometheus struct {
	promapi.Config `yaml:",inline"`
	// Matchers go into every selector of every query.
	Matchers string `yaml:"matchers,omitempty"`
}

// Labels are the names of labels on the engines' series.
type Labels struct {
	Namespace string `yaml:"namespace"`
	Pod       string `yaml:"pod"`
	Model     string `yaml:"model"`
}

// Default returns a configuration that lacks what has no default: the URL of
// Prometheus and the workloads.
func Default() Config {
	return Config{
		Interval:      model.Duration(15 * time.Second),
		QueryOffset:   model.Duration(5 * time.Second),
		HoldLimit:     model.Duration(recommender.DefaultPolicy().HoldLimit),
		StaleAfter:    model.Duration(time.Minute),
		RateWindow:    model.Duration(2 * time.Minute),
		LatencyWindow: model.Duration(5 * time.Minute),
		Prometheus:    Prometheus{Config: promapi.DefaultConfig()},
		Labels:        Labels{Namespace: "namespace", Pod: "pod", Model: "model_name"},
		Defaults:      defaultEntry(),
	}
}

// Load reads a file to be used, now and again: it must be a regular one, and what it
// names must be there. Files are relative to its directory.
func Load(path string) (*Config, error) {
	c, err := read(path, readRegular)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(c.MissingFiles()...); err != nil {
		return nil, err
	}
	return c, nil
}

// Read reads a file to be checked, whatever and wherever that is: the files that it names
// may be elsewhere, see [Config.MissingFiles].
func Read(path string) (*Config, error) { return read(path, ReadFile) }

func read(path string, content func(path string) ([]byte, error)) (*Config, error) {
	data, err := content(path)
	if err != nil {
		return nil, Unreadable{err}
	}
	c, err := Parse(data, path)
	if err != nil {
		return nil, err
	}
	c.Prometheus.SetDirectory(filepath.Dir(path))
	return c, nil
}

// ReadFrom is [Read] of an open file, such as the standard input. The files that it
// names are relative to the working directory.
func ReadFrom(r io.Reader, name string) (*Config, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, Unreadable{err}
	}
	return Parse(data, name)
}

// Unreadable is the error of a file that could not be read at all.
type Unreadable struct{ error }

// Unwrap returns what happened.
func (u Unreadable) Unwrap() error { return u.error }

// Parse reads a configuration. Its error joins every mistake, one a line, each
// starting with the name and the line.
func Parse(data []byte, name string) (*Config, error) {
	m := newMistakes(name)
	root, err := document(data)
	if err != nil {
		return nil, m.syntax(data, err)
	}
	c := Default()
	d := decoder{m}
	d.config(root, &c)
	c.compile(m)
	if err := m.err(); err != nil {
		return nil, err
	}
	c.name, c.lines = m.name, m.lines
	return &c, nil
}

// Workloads returns what is to be read and decided, in the order of the file.
func (c *Config) Workloads() []promapi.Workload { return c.workloads }

// Options returns how signals are read.
func (c *Config) Options() promapi.Options {
	return promapi.Options{
		Matchers:      c.Prometheus.Matchers,
		Labels:        promapi.LabelNames(c.Labels),
		StaleAfter:    time.Duration(c.StaleAfter),
		RateWindow:    time.Duration(c.RateWindow),
		LatencyWindow: time.Duration(c.LatencyWindow),
		QueryOffset:   time.Duration(c.QueryOffset),
	}
}

// String returns the configuration in force as YAML: defaults are filled in and
// secrets hidden.
func (c *Config) String() string {
	shown := *c
	shown.Defaults = Entry{}
	shown.Prometheus.HTTP = promapi.Masked(c.Prometheus.HTTP)
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(&shown); err != nil {
		return fmt.Sprintf("# %v\n", err)
	}
	return b.String()
}
