package promapi

import (
	"cmp"
	"slices"
	"time"
)

// A Replica is one pod of a workload as it was read, or one instance where series have
// no pod.
type Replica struct {
	Namespace, Name string
	// Listed says that kube-state-metrics has the pod, Ready that it is ready there.
	Listed, Ready bool
	// Engine is what it runs; empty if its queue was not heard.
	Engine string
	// Unsound says that half of its queue is not there, or no number.
	Unsound bool
	// Newest is the time of its newest sample; zero if there is none.
	Newest time.Time
}

// replicaReports lists the replicas that were heard, and those that are only listed.
func (m *moment) replicaReports(i int) []Replica {
	var list []Replica
	heard := map[podKey]bool{}
	for _, r := range m.readings[i].replicas {
		heard[r.key] = true
		out := Replica{Namespace: r.key.namespace, Name: r.key.name, Listed: r.exists, Ready: r.ready}
		if e := r.speaks(m.index.targets[i].engine); e >= 0 {
			out.Engine, out.Unsound = profiles[e].name, !r.sound(e)
		}
		if r.seen > 0 {
			out.Newest = m.sampled(r.seen)
		}
		list = append(list, out)
	}
	for _, key := range m.members.podsOf[m.object(i)] {
		if !heard[key] {
			list = append(list, Replica{
				Namespace: key.namespace, Name: key.name, Listed: true, Ready: m.members.mayBeReady(m.members.pods[key]),
			})
		}
	}
	slices.SortFunc(list, func(a, b Replica) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
