package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"
)

// target is how many requests one replica of every workload here should carry.
const target = 24

// A scene is one workload in front of the watcher.
type scene struct {
	*watcher
	plane *plane
	sync  time.Duration // Of the HPA controller.
}

// follow asks for replicas by their load, and waits until they are recommended, the Deployment
// has them and they are ready. On the way it must never have had more or fewer than where it came from and
// where it goes.
func (s *scene) follow(ctx context.Context, want int, within time.Duration) error {
	before, ok := s.last()
	if !ok || before.spec < 0 {
		return fmt.Errorf("%v: no Deployment", s.workload)
	}
	_, mark := s.since(0)
	begun := time.Now()
	s.fleet.ask(s.workload, want*target)
	err := poll(ctx, within, func(context.Context) error {
		r, _ := s.last()
		if r.spec != want || r.ready != want || r.load != want*target || r.Desired == nil || *r.Desired != want {
			return fmt.Errorf("got %v, want %d recommended, asked for and ready", r, want)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%v from %d to %d: %w", s.workload, before.spec, want, err)
	}
	seen, _ := s.since(mark)
	for _, r := range seen {
		if r.spec < min(before.spec, want) || r.spec > max(before.spec, want) {
			return fmt.Errorf("%v from %d to %d: went over %d", s.workload, before.spec, want, r.spec)
		}
	}
	s.plane.log.say("ok         %s went from %d to %d in %.1f s", s.workload.Name, before.spec, want, time.Since(begun).Seconds())
	return nil
}

// stay watches for a while that the Deployment keeps its replicas, and that the daemon, while
// it answers, recommends nothing else.
func (s *scene) stay(ctx context.Context, want int, length time.Duration, why string) error {
	_, mark := s.since(0)
	if err := pause(ctx, length); err != nil {
		return err
	}
	return s.stayed(mark, want, fmt.Sprintf("for %v while %s", length, why))
}

// stayed is an error if it did not keep its replicas since the mark.
func (s *scene) stayed(mark, want int, when string) error {
	seen, _ := s.since(mark)
	for _, r := range seen {
		if r.spec != want || r.ready != want {
			return fmt.Errorf("%v %s: got %v, want %d", s.workload, when, r, want)
		}
		if r.Desired != nil && *r.Desired != want {
			return fmt.Errorf("%v %s: got a recommendation of %d, want %d", s.workload, when, *r.Desired, want)
		}
	}
	s.plane.log.say("ok         %s stayed at %d %s", s.workload.Name, want, when)
	return nil
}

// blackout stops Prometheus for a while at the peak.
func (s *scene) blackout(ctx context.Context, prometheus *process, length time.Duration) error {
	const peak = 8
	if err := s.follow(ctx, peak, 2*time.Minute); err != nil {
		return err
	}
	s.plane.log.say("stop       Prometheus")
	s.plane.crew.stop(prometheus, syscall.SIGTERM)
	if answers(ctx, "http://"+loopback(prometheusPort)+"/-/ready") == nil {
		return errors.New("prometheus answers though it was stopped")
	}
	if err := s.stay(ctx, peak, length, "Prometheus was stopped"); err != nil {
		return err
	}
	if r, _ := s.last(); r.Valid || r.Desired == nil || *r.Desired != peak {
		return fmt.Errorf("without Prometheus: got %v, want %d, held", r, peak)
	}
	if err := s.noticed(ctx, "the Prometheus that was stopped"); err != nil {
		return err
	}
	s.plane.log.say("start      Prometheus")
	_, mark := s.since(0)
	if _, err := s.plane.startPrometheus(ctx); err != nil {
		return err
	}
	if err := s.valid(ctx, peak); err != nil {
		return err
	}
	return s.stayed(mark, peak, "until all evidence was back")
}

// crash kills the daemon at the peak and starts it again after a while.
func (s *scene) crash(ctx context.Context, daemon *process, length time.Duration) error {
	const peak = 8
	s.plane.log.say("kill       the daemon")
	s.plane.crew.stop(daemon, syscall.SIGKILL)
	if err := s.stay(ctx, peak, length, "the daemon was dead"); err != nil {
		return err
	}
	if r, _ := s.last(); r.Reason != unreachable {
		return fmt.Errorf("the daemon answers though it was killed: %v", r)
	}
	if err := s.noticed(ctx, "the daemon that was killed"); err != nil {
		return err
	}
	s.plane.log.say("start      the daemon")
	_, mark := s.since(0)
	if _, err := s.plane.startDaemon(ctx); err != nil {
		return err
	}
	if err := s.valid(ctx, peak); err != nil {
		return err
	}
	return s.stayed(mark, peak, "until the new daemon had decided")
}

// noticed is an error unless KEDA knows that it had no metric: else that it kept the replicas
// would prove nothing.
func (s *scene) noticed(ctx context.Context, what string) error {
	var o scaledObject
	path := "/apis/keda.sh/v1alpha1/namespaces/" + s.workload.Namespace + "/scaledobjects/" + s.workload.Name
	if err := s.plane.kube.read(ctx, path, &o); err != nil {
		return err
	}
	for metric, h := range o.Status.Health {
		if h.NumberOfFailures > 0 {
			s.plane.log.say("ok         KEDA noticed %s: %s failed %d times, Fallback is %t", what, metric, h.NumberOfFailures, is(o.Status.Conditions, "Fallback"))
			return nil
		}
	}
	return fmt.Errorf("KEDA did not notice %s: got health %v, want failures", what, o.Status.Health)
}

// valid waits until the daemon decides on complete evidence again.
func (s *scene) valid(ctx context.Context, want int) error {
	return poll(ctx, 90*time.Second, func(context.Context) error {
		r, _ := s.last()
		if !r.Valid || r.Desired == nil || *r.Desired != want {
			return fmt.Errorf("got %v, want a valid %d", r, want)
		}
		return nil
	})
}
