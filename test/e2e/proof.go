package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// The workloads, each with the namespace and name of the manifest that scales it.
var (
	chat       = workload{Namespace: "inference", Name: "chat", Min: 1, Max: 8}
	summariser = workload{Namespace: "inference", Name: "summariser", Min: 0, Max: 8}
	large      = workload{Namespace: "inference", Name: "large", Min: 1, Max: 60}
	code       = workload{Namespace: "inference", Name: "code", Min: 2, Max: 12}
)

// A proof is the whole run.
type proof struct {
	plane  *plane
	fleet  *fleet
	repo   string
	outage time.Duration

	prometheus, daemon *process
}

// run goes through the chapters.
func (p *proof) run(ctx context.Context) error {
	for _, chapter := range []struct {
		title string
		play  func(context.Context) error
	}{
		{"every shipped manifest", p.manifests},
		{"examples/keda/scaledobject.yaml as shipped", p.keda},
		{"examples/keda/zero/scaledobject.yaml, with maxReplicaCount 8 for 4", p.zero},
		{"counts above ten: the same ScaledObject for another Deployment, to 60", p.counts},
		{"examples/hpa as shipped: a plain HPA, and KEDA is not asked", p.plainHPA},
	} {
		p.plane.log.chapter("%s", chapter.title)
		if err := chapter.play(ctx); err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause
			}
			return fmt.Errorf("%s: %w", chapter.title, err)
		}
	}
	return nil
}

func (p *proof) manifests(ctx context.Context) error {
	if err := p.plane.dryRun(ctx, p.repo); err != nil {
		return err
	}
	return p.plane.install(ctx, p.repo)
}

// play watches a workload while the steps of a chapter run, and removes its scaler after it.
func (p *proof) play(ctx context.Context, w workload, scaler object, steps func(context.Context, *scene) error) error {
	if err := p.plane.apply(ctx, "workload.yaml", w); err != nil {
		return err
	}
	content, err := scaler.json()
	if err != nil {
		return err
	}
	if err := p.plane.applyText(ctx, content); err != nil {
		return err
	}
	s := &scene{watcher: &watcher{fleet: p.fleet, workload: w, log: p.plane.log}, plane: p.plane, sync: p.plane.hpaSync}
	watching, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { s.run(watching); close(ended) }()
	defer func() { stop(); <-ended }()
	err = poll(ctx, 30*time.Second, func(context.Context) error {
		if r, ok := s.last(); !ok || r.spec < 0 {
			return errors.New("no Deployment yet")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := steps(ctx, s); err != nil {
		return err
	}
	return p.plane.kubectl(ctx, "delete", "--namespace="+w.Namespace, scaler.text("kind"), scaler.at("metadata").text("name"))
}

// example is a scaler that is shipped for a workload.
func (p *proof) example(w workload, parts ...string) (object, error) {
	o, err := readObject(shipped(p.repo, append([]string{"examples"}, parts...)...))
	if err != nil {
		return nil, err
	}
	target := o.at("spec", "scaleTargetRef").text("name")
	if got := o.at("metadata").text("namespace") + "/" + target; got != w.String() {
		return nil, fmt.Errorf("%s: got target %s, want %v", strings.Join(parts, "/"), got, w)
	}
	return o, nil
}

func (p *proof) keda(ctx context.Context) error {
	o, err := p.example(chat, "keda", "scaledobject.yaml")
	if err != nil {
		return err
	}
	return p.play(ctx, chat, o, func(ctx context.Context, s *scene) error {
		for _, want := range []int{1, 7, 8, 2} {
			if err := s.follow(ctx, want, 3*time.Minute); err != nil {
				return err
			}
		}
		if err := s.blackout(ctx, p.prometheus, p.outage); err != nil {
			return err
		}
		return s.crash(ctx, p.daemon, p.outage)
	})
}

func (p *proof) zero(ctx context.Context) error {
	o, err := p.example(summariser, "keda", "zero", "scaledobject.yaml")
	if err != nil {
		return err
	}
	o.at("spec")["maxReplicaCount"] = summariser.Max
	return p.play(ctx, summariser, o, func(ctx context.Context, s *scene) error {
		for _, want := range []int{1, 7, 8, 2, 0} {
			if err := s.follow(ctx, want, 3*time.Minute); err != nil {
				return err
			}
		}
		if err := s.stay(ctx, 0, 2*s.sync, "nobody asked"); err != nil {
			return err
		}
		p.plane.log.say("wake       requests arrive and are held, since there is no replica")
		return s.follow(ctx, 2, 3*time.Minute)
	})
}

// counts shows that a difference of one arrives at forty, and that it is the tolerance of 0
// that lets it: the HPA's own does not.
func (p *proof) counts(ctx context.Context) error {
	shippedObject, err := p.example(chat, "keda", "scaledobject.yaml")
	if err != nil {
		return err
	}
	o, err := renamed(shippedObject, large)
	if err != nil {
		return err
	}
	return p.play(ctx, large, o, func(ctx context.Context, s *scene) error {
		for _, want := range []int{1, 40, 41, 40} {
			if err := s.follow(ctx, want, 3*time.Minute); err != nil {
				return err
			}
		}
		return s.swallowed(ctx, o)
	})
}

// renamed is a ScaledObject for another workload, up to its maximum. Its query is the only
// place that says the name among other things.
func renamed(o object, w workload) (object, error) {
	content, err := o.json()
	if err != nil {
		return nil, err
	}
	name := o.at("metadata").text("name")
	text := strings.NewReplacer(`"name":"`+name+`"`, `"name":"`+w.Name+`"`, `workload=\"`+name+`\"`, `workload=\"`+w.Name+`\"`).Replace(string(content))
	all, err := parse([]byte(text))
	if err != nil {
		return nil, err
	}
	all[0].at("spec")["maxReplicaCount"] = w.Max
	return all[0], nil
}

// swallowed takes the tolerance away at 40 and shows that 41 does not arrive, then gives it
// back.
func (s *scene) swallowed(ctx context.Context, o object) error {
	behavior := o.at("spec", "advanced", "horizontalPodAutoscalerConfig", "behavior")
	for _, direction := range []string{"scaleUp", "scaleDown"} {
		if behavior.at(direction).text("tolerance") != "0" {
			return fmt.Errorf("behavior.%s.tolerance: got %q, want 0", direction, behavior.at(direction).text("tolerance"))
		}
		delete(behavior.at(direction), "tolerance")
	}
	if err := s.applyObject(ctx, o); err != nil {
		return err
	}
	s.plane.log.say("take       the tolerance of 0 away")
	s.fleet.ask(s.workload, 41*target)
	err := poll(ctx, time.Minute, func(context.Context) error {
		if r, _ := s.last(); r.Desired == nil || *r.Desired != 41 {
			return fmt.Errorf("got %v, want 41", r)
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, mark := s.since(0)
	if err := pause(ctx, 4*s.sync); err != nil {
		return err
	}
	seen, _ := s.since(mark)
	for _, r := range seen {
		if r.spec != 40 {
			return fmt.Errorf("without a tolerance: got %v, want the HPA to stay at 40", r)
		}
	}
	s.plane.log.say("ok         without it the HPA's own 10 %% swallow the replica: 40 for %v", 4*s.sync)
	for _, direction := range []string{"scaleUp", "scaleDown"} {
		behavior.at(direction)["tolerance"] = "0"
	}
	if err := s.applyObject(ctx, o); err != nil {
		return err
	}
	s.plane.log.say("give       the tolerance of 0 back")
	return s.follow(ctx, 41, 2*time.Minute)
}

func (s *scene) applyObject(ctx context.Context, o object) error {
	content, err := o.json()
	if err != nil {
		return err
	}
	return s.plane.applyText(ctx, content)
}

// plainHPA makes the stand-in for prometheus-adapter the source of external metrics, with the
// rules of the shipped ConfigMap.
func (p *proof) plainHPA(ctx context.Context) error {
	rules, err := p.adapterRules()
	if err != nil {
		return err
	}
	a := &adapter{prometheus: "http://" + loopback(prometheusPort), rules: rules}
	stop, err := serve(a.handler(), externalPort, p.plane.path("keda/tls.crt"), p.plane.path("keda/tls.key"))
	if err != nil {
		return err
	}
	defer stop()
	if err := p.plane.externalMetricsFrom(ctx, externalPort); err != nil {
		return err
	}
	o, err := p.example(code, "hpa", "hpa.yaml")
	if err != nil {
		return err
	}
	return p.play(ctx, code, o, func(ctx context.Context, s *scene) error {
		for _, want := range []int{2, 7, 12, 11, 3} {
			if err := s.follow(ctx, want, 3*time.Minute); err != nil {
				return err
			}
		}
		return nil
	})
}

// adapterRules are those of the shipped ConfigMap.
func (p *proof) adapterRules() ([]adapterRule, error) {
	file := shipped(p.repo, "examples", "hpa", "adapter.yaml")
	o, err := readObject(file)
	if err != nil {
		return nil, err
	}
	var config struct {
		ExternalRules []adapterRule `yaml:"externalRules"`
	}
	d := yaml.NewDecoder(strings.NewReader(o.at("data").text("config.yaml")))
	d.KnownFields(true)
	if err := d.Decode(&config); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return config.ExternalRules, nil
}

// pause lets time pass.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// configure writes the configurations of Prometheus and the daemon.
func (p *proof) configure() error {
	data := map[string]any{
		"Fleet": loopback(fleetPort), "Daemon": loopback(daemonPort), "Prometheus": "prometheus-operated.monitoring.svc:" + prometheusPort,
		"Target": target, "Workloads": p.fleet.workloads,
	}
	for _, name := range []string{"prometheus.yaml", "infscale.yaml"} {
		if err := p.plane.render(name, p.plane.path(name), data); err != nil {
			return err
		}
	}
	return os.MkdirAll(p.plane.path("prometheus"), 0o700)
}
