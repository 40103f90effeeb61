package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/infscale/infscale/promapi/embedded"
)

// A demo is one run: what happens in it, and how fast.
type demo struct {
	pattern pattern
	length  time.Duration
	listen  string        // Address of the daemon.
	poll    time.Duration // Between two looks of the actuator, and two scrapes.
	out     io.Writer
	log     *zap.Logger

	fleet *fleet
	story story
	site  site
}

// The policy's numbers that the simulation has to know as well; demo.yaml has them too.
const (
	coldStart    = 5 * time.Second
	objective    = 2 * time.Second
	queueTarget  = 8
	stepLength   = 50 * time.Millisecond
	readLookback = 5 * time.Second // Well above the scrape interval, well below a phase.
)

// premise is the first line: what is invented, and how fast time goes.
const premise = "Users, vLLM pods, Kubernetes and KEDA are simulated here; Prometheus and infscale are real. " +
	"Half an hour fits in 90s: a pod loads in 5s, cooldown and window are 8s, a decision comes every second."

// run plays the demo until its length is over or ctx ends, and then sums up.
func (d *demo) run(ctx context.Context) (err error) {
	fmt.Fprintf(d.out, "%s\n\n", premise)
	prom, err := embedded.Start(embedded.Options{Listen: "127.0.0.1:0", Lookback: readLookback, Jobs: d.jobs()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, prom.Close()) }()
	d.fleet = newFleet(time.Now(), d.pattern, coldStart)
	d.site = site{fleet: d.fleet, prom: prom, servers: map[string]*pageServer{}}
	defer d.site.close()
	if err := d.site.open(ctx); err != nil {
		return err
	}
	daemon, err := startDaemon(ctx, prom.URL(), d.listen, d.log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, daemon.stop()) }()
	if err := prom.SetTargets(daemonJob, embedded.Target{Address: daemon.address}); err != nil {
		return err
	}
	d.begin(prom.URL(), daemon.address)
	return d.play(ctx, prom.URL(), daemon)
}

// jobs are what Prometheus scrapes. kube-state-metrics names objects, not itself, in its
// labels, so they are honoured as everybody honours them.
func (d *demo) jobs() []embedded.Job {
	jobs := []embedded.Job{{Name: podJob}, {Name: clusterJob, HonorLabels: true}, {Name: interceptorJob}, {Name: daemonJob}}
	for i := range jobs {
		jobs[i].Interval = d.poll
	}
	return jobs
}

// begin says where everything can be looked at.
func (d *demo) begin(prometheus, daemon string) {
	d.story = story{out: d.out, target: queueTarget, ready: 1, seen: map[chapter]bool{}, reasons: map[string]bool{}}
	fmt.Fprintf(d.out, "status      http://%s/\nmetrics     http://%s/metrics\nprometheus  %s/api/v1/query?query=infscale_desired_replicas\n\n",
		daemon, daemon, prometheus)
}

// play moves the fleet along with the clock, and applies the recommendation.
func (d *demo) play(ctx context.Context, prometheus string, daemon *process) error {
	r, err := newReader(prometheus)
	if err != nil {
		return err
	}
	start := time.Now()
	d.fleet.begin(start)
	ctx, cancel := context.WithDeadline(ctx, start.Add(d.length))
	defer cancel()
	steps, polls := time.NewTicker(stepLength), time.NewTicker(d.poll)
	defer steps.Stop()
	defer polls.Stop()
	for {
		select {
		case <-ctx.Done():
			_, _, _, total := d.fleet.status()
			d.story.summary(time.Since(start), total)
			return nil
		case err := <-daemon.ended:
			daemon.ended <- nil // For stop.
			return cmp.Or(err, errors.New("daemon ended by itself"))
		case now := <-polls.C:
			d.actuate(ctx, r, now, now.Sub(start))
		case now := <-steps.C:
			if err := d.step(now, now.Sub(start)); err != nil {
				return err
			}
		}
	}
}

// step moves everything to now, unless the end has come: it belongs to the next round.
func (d *demo) step(now time.Time, t time.Duration) error {
	if t >= d.length {
		return nil
	}
	d.fleet.advance(now)
	ready, replicas, ph, _ := d.fleet.status()
	d.story.watch(t, ready, replicas, ph)
	return d.site.follow()
}

// actuate reads the recommendation from Prometheus and writes it to the cluster. Where it
// can not be read nothing changes, as with KEDA.
func (d *demo) actuate(ctx context.Context, r reader, now time.Time, t time.Duration) {
	replicas, ok, err := r.desired(ctx, now)
	if err != nil || !ok {
		d.complain(ctx, err)
		return
	}
	f, err := r.explain(ctx, now)
	if err != nil || f.values["infscale_desired_replicas"] != float64(replicas) {
		d.complain(ctx, err) // Or a scrape came in between: the next look sees it whole.
		return
	}
	d.story.decided(t, d.fleet.scale(replicas), replicas, f)
}

// complain logs an error, unless the end of the demo is its cause.
func (d *demo) complain(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		d.log.Named("demo").Warn("the stand-in for KEDA got no answer from Prometheus and keeps the replicas until it asks again, "+
			"which is harmless on a busy machine", zap.Duration("in", d.poll), zap.Error(err))
	}
}
