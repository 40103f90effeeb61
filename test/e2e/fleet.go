package main

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// slots are the requests that one simulated server runs at once; the rest waits in it.
const slots = 64

// A workload is one Deployment that is scaled.
type workload struct {
	Namespace, Name string
	Min, Max        int
}

func (w workload) String() string { return w.Namespace + "/" + w.Name }

// A fleet pretends that the pods of the cluster are vLLM servers, and that a gateway in front
// of them knows all requests. Which pods there are, and which are ready, it reads from the
// apiserver; how many requests are under way the test says.
type fleet struct {
	kube      *kube
	workloads []workload

	mu      sync.Mutex
	loads   map[workload]int
	cluster cluster
	err     error // Of the latest reading.
	engines map[string]*engine
	moved   time.Time
}

// A cluster is what was read last.
type cluster struct {
	deployments []deployment
	replicaSets []replicaSet
	pods        []pod
}

// An engine is what a server counts.
type engine struct {
	running, waiting int
	tokens, served   float64
}

func newFleet(k *kube, workloads []workload) *fleet {
	return &fleet{kube: k, workloads: workloads, loads: map[workload]int{}, engines: map[string]*engine{}, moved: time.Now()}
}

// run reads the cluster and lets the engines work, twice a second until ctx ends.
func (f *fleet) run(ctx context.Context) {
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		c, err := f.read(ctx)
		f.move(c, err, time.Now())
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// read lists the objects of all workloads' namespaces.
func (f *fleet) read(ctx context.Context) (cluster, error) {
	var c cluster
	var namespaces []string
	for _, w := range f.workloads {
		namespaces = append(namespaces, w.Namespace)
	}
	slices.Sort(namespaces)
	for _, n := range slices.Compact(namespaces) {
		var (
			deployments list[deployment]
			replicaSets list[replicaSet]
			pods        list[pod]
		)
		apps := "/apis/apps/v1/namespaces/" + n
		if err := f.kube.read(ctx, apps+"/deployments", &deployments); err != nil {
			return cluster{}, err
		}
		if err := f.kube.read(ctx, apps+"/replicasets", &replicaSets); err != nil {
			return cluster{}, err
		}
		if err := f.kube.read(ctx, "/api/v1/namespaces/"+n+"/pods", &pods); err != nil {
			return cluster{}, err
		}
		c.deployments = append(c.deployments, deployments.Items...)
		c.replicaSets = append(c.replicaSets, replicaSets.Items...)
		c.pods = append(c.pods, pods.Items...)
	}
	return c, nil
}

// move spreads the requests over the pods that serve, and lets them work until now.
func (f *fleet) move(c cluster, err error, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dt := now.Sub(f.moved).Seconds()
	f.moved = now
	if f.err = err; err == nil {
		f.cluster = c
	}
	for _, e := range f.engines {
		// Twenty tokens a second for each request, and ten seconds for an answer.
		e.tokens += 20 * dt * float64(e.running)
		e.served += dt * float64(e.running) / 10
		e.running, e.waiting = 0, 0
	}
	for _, w := range f.workloads {
		f.spread(w)
	}
}

// spread gives each serving pod of a workload its share of the requests, to nearly equal
// parts.
func (f *fleet) spread(w workload) {
	serving := slices.DeleteFunc(f.cluster.podsOf(w), func(p pod) bool { return !p.serving() })
	for i, p := range serving {
		share := f.loads[w] / len(serving)
		if i < f.loads[w]%len(serving) {
			share++
		}
		e := f.engine(p)
		e.running = min(share, slots)
		e.waiting = share - e.running
	}
}

// engine is that of a pod, which begins to count when it is first asked for.
func (f *fleet) engine(p pod) *engine {
	e := f.engines[p.Metadata.UID]
	if e == nil {
		e = &engine{}
		f.engines[p.Metadata.UID] = e
	}
	return e
}

// podsOf are the pods of a Deployment, by way of its ReplicaSets.
func (c *cluster) podsOf(w workload) []pod {
	var sets []string
	for _, r := range c.replicaSets {
		if r.Metadata.Namespace == w.Namespace && r.Metadata.ownedBy("Deployment", w.Name) {
			sets = append(sets, r.Metadata.Name)
		}
	}
	var pods []pod
	for _, p := range c.pods {
		owned := slices.ContainsFunc(sets, func(s string) bool { return p.Metadata.ownedBy("ReplicaSet", s) })
		if p.Metadata.Namespace == w.Namespace && owned {
			pods = append(pods, p)
		}
	}
	slices.SortFunc(pods, func(a, b pod) int { return cmp.Compare(a.Metadata.Name, b.Metadata.Name) })
	return pods
}

func (m *meta) ownedBy(kind, name string) bool {
	for _, o := range m.OwnerReferences {
		if o.Controller && o.Kind == kind && o.Name == name {
			return true
		}
	}
	return false
}

// ask sets how many requests of a workload are under way.
func (f *fleet) ask(w workload, requests int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.loads[w] = requests
}

// A state is where a workload is.
type state struct {
	load        int
	spec, ready int // Of the Deployment; spec is -1 while there is none.
}

func (f *fleet) state(w workload) state {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := state{load: f.loads[w], spec: -1}
	for _, d := range f.cluster.deployments {
		if d.Metadata.Namespace == w.Namespace && d.Metadata.Name == w.Name {
			s.spec, s.ready = d.Spec.Replicas, d.Status.ReadyReplicas
		}
	}
	return s
}

// whole is the integer part of a counter, as a page has it.
func whole(v float64) float64 { return math.Floor(v) }
