package soak

import (
	"fmt"
	"strings"
	"sync"
)

// A report sums up what was done and what came of it.
type report struct {
	mu                                                                     sync.Mutex
	seeds, faults, ticks, violations, compared, restarts, excused, slowest int
	rises, falls, withdrawn                                                int
	trends                                                                 map[string]int // of the traffic of workloads when a fault began
	kinds                                                                  map[string]*line
}

// A line is about one kind of fault. Invalid counts the decisions of the daemon in its ticks
// that were not valid.
type line struct{ injected, ticks, invalid, violations int }

func (r *report) add(s *stage, ticks int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.kinds == nil {
		r.kinds, r.trends = map[string]*line{}, map[string]int{}
		for _, k := range kinds {
			r.kinds[k.name] = &line{}
		}
	}
	r.seeds++
	r.ticks += ticks
	r.compared += s.tests
	r.restarts += s.restarts
	r.excused += s.excused
	r.slowest = max(r.slowest, s.judge.slowest, s.witness.slowest)
	r.rises += s.judge.tally.rises
	r.falls += s.judge.tally.falls
	r.withdrawn += s.judge.tally.withdrawn
	for _, f := range s.faults {
		if f.from >= ticks {
			continue // The run was a short one.
		}
		r.faults++
		l := r.kinds[f.name]
		l.injected++
		l.ticks += f.to - f.from
		for tick := f.from; tick < f.to; tick++ {
			l.invalid += s.judge.tally.invalid[tick]
		}
		for i := range shapes {
			r.trends[shapes[i].trend(f.from)]++
		}
	}
	for _, v := range append(s.judge.violations, s.witness.violations...) {
		r.violations++
		for _, f := range lasting(s.faults, v.tick) {
			r.kinds[f.name].violations++
		}
	}
}

// lacks says what did not happen and would have to, or nothing.
func (r *report) lacks() string {
	if r.seeds == 0 {
		return "no seed"
	}
	for _, c := range []struct {
		what string
		n    int
	}{
		{"no rise", r.rises},
		{"no fall", r.falls},
		{"no recommendation was withdrawn", r.withdrawn},
		{"no restart", r.restarts},
		{"no comparison with the twin", r.compared},
		{"no outage was felt", r.kinds["down"].invalid},
		{"no loss of targets was felt", r.kinds["half the targets lost"].invalid},
		{"no NaN was felt", r.kinds["NaN"].invalid},
	} {
		if c.n == 0 {
			return c.what
		}
	}
	return ""
}

// String is the report in a line, and a table.
func (r *report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "soak: %d seeds, %d faults of %d kinds injected, %d ticks, %d violations\n", r.seeds, r.faults, len(r.kinds), r.ticks, r.violations)
	fmt.Fprintf(&b, "%d restarts, %d decisions compared with the twin's, %d excused, at most %d ticks late\n", r.restarts, r.compared, r.excused, r.slowest)
	fmt.Fprintf(&b, "desired rose %d times, fell %d times, was withdrawn %d times; traffic when faults began: %v\n", r.rises, r.falls, r.withdrawn, r.trends)
	fmt.Fprintf(&b, "%-22s %9s %6s %8s %10s\n", "fault", "injected", "ticks", "invalid", "violations")
	for _, k := range kinds {
		l := r.kinds[k.name]
		fmt.Fprintf(&b, "%-22s %9d %6d %8d %10d\n", k.name, l.injected, l.ticks, l.invalid, l.violations)
	}
	return b.String()
}
