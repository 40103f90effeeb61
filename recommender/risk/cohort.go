package risk

import (
	"math"
	"time"
)

// A cohort is ready replicas that have the same number of outstanding requests each.
type cohort struct {
	replicas    int
	outstanding float64
}

// cohorts returns how the requests are spread over the ready replicas, those with the
// fewest first. Prometheus could tell for each pod, but an observation has the sums only;
// that new requests go to the replica with the fewest outstanding ones tells the rest. It
// matters after replicas were added: what waits in the old ones stays there, while the new
// ones have no queue.
func (e *Estimator) cohortsOf(t *Tracker, batch float64) []cohort {
	list := e.cohorts[:0]
	var before *tick
	for i := range t.ticks {
		k := &t.ticks[i]
		if math.IsNaN(k.ready) || math.IsNaN(k.running) || math.IsNaN(k.waiting) {
			continue
		}
		list = resize(list, int(k.ready))
		if before != nil {
			dt := time.Duration(k.at - before.at).Seconds()
			serve(list, orZero(k.completions)*dt, batch)
		}
		list = fill(list, k.running+k.waiting)
		before = k
	}
	e.cohorts = list
	return list
}

// resize makes n the replicas. New ones are empty, and those with the fewest requests go.
func resize(list []cohort, n int) []cohort {
	for _, c := range list {
		n -= c.replicas
	}
	if n > 0 {
		list = append(list, cohort{})
		copy(list[1:], list)
		list[0] = cohort{replicas: n}
	}
	for n < 0 {
		gone := min(-n, list[0].replicas)
		n += gone
		if list[0].replicas -= gone; list[0].replicas == 0 {
			list = list[:copy(list, list[1:])]
		}
	}
	return list
}

// serve takes so many requests off, in proportion to the batches.
func serve(list []cohort, requests, batch float64) {
	running := 0.0
	for _, c := range list {
		running += float64(c.replicas) * min(c.outstanding, batch)
	}
	if running == 0 {
		return
	}
	part := min(requests/running, 1)
	for i := range list {
		list[i].outstanding -= part * min(list[i].outstanding, batch)
	}
}

// fill makes the requests as many as there are: what is missing goes to those with the
// fewest, and what is too much is taken off everywhere.
func fill(list []cohort, requests float64) []cohort {
	have := 0.0
	for _, c := range list {
		have += float64(c.replicas) * c.outstanding
	}
	if have >= requests {
		for i := range list {
			list[i].outstanding *= requests / max(have, 1e-9)
		}
		return list
	}
	missing := requests - have
	for len(list) > 1 {
		gap := (list[1].outstanding - list[0].outstanding) * float64(list[0].replicas)
		if gap > missing {
			break
		}
		missing -= gap
		list[1].replicas += list[0].replicas
		list = list[:copy(list, list[1:])]
	}
	if len(list) > 0 {
		list[0].outstanding += missing / float64(list[0].replicas)
	}
	return list
}
