package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/infscale/infscale/recommender/daemon"
)

// quiet is for servers that complain of what is done to them.
var quiet = zap.NewStdLog(zap.NewNop())

// patience is how long anything may take that should take milliseconds.
const patience = 30 * time.Second

// A clock stands still until it is set.
type clock struct{ nanos atomic.Int64 }

// set puts the clock just before the end of a slot: a daemon that has not decided on the
// slot does so at once, and one that has waits a little and looks again.
func (c *clock) set(slot time.Time) {
	c.nanos.Store(slot.Add(interval - 2*time.Millisecond).UnixNano())
}

func (c *clock) now() time.Time { return time.Unix(0, c.nanos.Load()).UTC() }

// A process is a running daemon.
type process struct {
	daemon    *daemon.Daemon
	clock     *clock
	cancel    context.CancelFunc
	ended     chan error     // receives once
	evaluated chan time.Time // the slots that were decided on
}

// startProcess runs what the command serve runs, on a clock of its own.
func startProcess(ctx context.Context, file string, c *clock) (*process, error) {
	p := &process{clock: c, ended: make(chan error, 1), evaluated: make(chan time.Time, 64)}
	d, err := daemon.New(daemon.Options{
		Load: daemon.File(file), EnableLifecycle: true, Now: c.now,
		Registry: prometheus.NewRegistry(), Logger: zap.New(&listener{zapcore.DebugLevel, p.evaluated}),
	})
	if err != nil {
		return nil, err
	}
	p.daemon = d
	ctx, p.cancel = context.WithCancel(ctx)
	go func() { p.ended <- d.Run(ctx) }()
	return p, nil
}

// stop ends the daemon as SIGTERM does, and waits for it.
func (p *process) stop() error {
	p.cancel()
	select {
	case err := <-p.ended:
		return err
	case <-time.After(patience):
		return errors.New("the daemon does not end")
	}
}

// await waits until the daemon has decided on a slot.
func (p *process) await(slot time.Time) error {
	limit := time.After(patience)
	for {
		select {
		case at := <-p.evaluated:
			if at.Equal(slot) {
				return nil
			}
		case err := <-p.ended:
			return fmt.Errorf("the daemon ended: %w", err)
		case <-limit:
			return fmt.Errorf("no decision on the slot %s", slot)
		}
	}
}

// reload asks for a reload and returns the status of the answer.
func (p *process) reload(ctx context.Context) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.daemon.URL()+"/-/reload", nil)
	if err != nil {
		return 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return resp.StatusCode, err
}

// A listener is a log that only notes which slots were decided on.
type listener struct {
	zapcore.LevelEnabler
	evaluated chan<- time.Time
}

func (l *listener) With([]zapcore.Field) zapcore.Core { return l }
func (l *listener) Sync() error                       { return nil }

func (l *listener) Check(e zapcore.Entry, ce *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if e.Message != "evaluated" {
		return ce
	}
	return ce.AddCore(e, l)
}

func (l *listener) Write(_ zapcore.Entry, fields []zapcore.Field) error {
	enc := zapcore.NewMapObjectEncoder()
	for i := range fields {
		fields[i].AddTo(enc)
	}
	if slot, ok := enc.Fields["slot"].(time.Time); ok {
		l.evaluated <- slot
	}
	return nil
}

// An exported is what a scrape of the daemon says.
type exported struct {
	workloads map[string]*said
	// failures are the queries without an answer so far, by cause.
	failures         map[string]float64
	missed, reloaded float64
}

// A said is what the daemon says of one workload.
type said struct {
	desired *int
	valid   bool
	reasons []string // those that are 1
	decided time.Time
	values  map[string]float64 // what has no further label
	raw     map[string]float64 // by signal
}

// reason is the reason, or all of them if it is not one.
func (s *said) reason() string { return strings.Join(s.reasons, "+") }

// scrape reads the metrics of the daemon over HTTP.
func (p *process) scrape(ctx context.Context) (*exported, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.daemon.URL()+"/metrics", nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	parsed, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		return nil, err
	}
	e := &exported{workloads: map[string]*said{}, failures: map[string]float64{}}
	for name, family := range parsed {
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			e.add(name, labels, m.GetGauge().GetValue()+m.GetCounter().GetValue())
		}
	}
	return e, nil
}

// add takes one number.
func (e *exported) add(name string, labels map[string]string, v float64) {
	switch name {
	case "infscale_prometheus_query_failures_total":
		e.failures[labels["cause"]] = v
	case "infscale_evaluations_missed_total":
		e.missed = v
	case "infscale_config_last_reload_successful":
		e.reloaded = v
	}
	workload := labels["workload"]
	if workload == "" {
		return
	}
	s := e.workloads[workload]
	if s == nil {
		s = &said{values: map[string]float64{}, raw: map[string]float64{}}
		e.workloads[workload] = s
	}
	switch {
	case name == "infscale_desired_replicas":
		s.desired = new(int(v))
	case name == "infscale_decision_valid":
		s.valid = v == 1
	case name == "infscale_decision_timestamp_seconds":
		s.decided = time.Unix(int64(v), 0).UTC()
	case name == "infscale_raw_replicas":
		s.raw[labels["signal"]] = v
	case name == "infscale_decision_reason" && v == 1:
		s.reasons = append(s.reasons, labels["reason"])
	case len(labels) == 2:
		s.values[name] = v
	}
}
