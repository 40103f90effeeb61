package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// A chapter is something a recommender does that the demo wants to be seen.
type chapter string

// The chapters, in the order in which the usual pattern brings them.
const (
	scaleUp       chapter = "scale-up"
	stabilisation chapter = "stabilisation"
	scaleDown     chapter = "scale-down"
	toZero        chapter = "zero"
	wake          chapter = "wake"
)

var chapters = []chapter{scaleUp, stabilisation, scaleDown, toZero, wake}

// A story is what the demo tells on stdout: a line for each change, and a summary. Times
// are since its start.
type story struct {
	out    io.Writer
	target int // Requests a replica should have in flight.

	phase   string
	ready   int
	reasons map[string]bool // Told since the number last changed.
	seen    map[chapter]bool
	changes int
	peak    int
}

// line prints one event: when, about what, what.
func (s *story) line(t time.Duration, subject, format string, args ...any) {
	fmt.Fprintf(s.out, "%3.0fs  %-7s  %s\n", t.Seconds(), subject, fmt.Sprintf(format, args...))
}

// watch tells of a new phase of traffic and of pods that became ready or left.
func (s *story) watch(t time.Duration, ready, replicas int, ph phase) {
	if ph.name != s.phase {
		s.phase = ph.name
		s.line(t, "traffic", "%s", ph)
	}
	if ready > s.ready {
		s.line(t, "pods", "%d of %d ready", ready, replicas)
	}
	s.ready = ready
}

// String is the phase in words.
func (p phase) String() string {
	switch {
	case p.from == 0 && p.to == 0:
		return p.name
	case p.from == p.to:
		return fmt.Sprintf("%s: %g requests/s", p.name, p.to)
	default:
		return fmt.Sprintf("%s: %g to %g requests/s", p.name, p.from, p.to)
	}
}

// decided tells of a recommendation that was applied: each change, and, once for each number,
// that it stays for a reason that holds it.
func (s *story) decided(t time.Duration, before, after int, f figures) {
	s.note(before, after, f.reason)
	if before != after {
		s.changes++
		s.reasons = map[string]bool{f.reason: true}
		s.line(t, workload, "%d -> %d  %s%s", before, after, f.sentence(s.target), f.chance())
		return
	}
	if !s.reasons[f.reason] && f.holds() {
		s.reasons[f.reason] = true
		s.line(t, workload, "stays %d  %s", after, f.sentence(s.target))
	}
}

// holds is whether the reason keeps the number from what the load asks for. Evidence that is
// missing for a moment, as whenever a pod starts, is not worth a line.
func (f figures) holds() bool {
	switch f.reason {
	case "metric", "tolerance", "lookahead", "partial_data":
		return false
	default:
		return true
	}
}

// note remembers what was seen.
func (s *story) note(before, after int, reason string) {
	s.peak = max(s.peak, before, after)
	for c, is := range map[chapter]bool{
		scaleUp:       after > before && before > 0,
		stabilisation: reason == "stabilised",
		scaleDown:     after < before && after > 0,
		toZero:        after == 0 && before > 0,
		wake:          before == 0 && after > 0,
	} {
		if is {
			s.seen[c] = true
		}
	}
}

// sentence is the reason, and the figures that make it plain.
func (f figures) sentence(target int) string {
	switch f.reason {
	case "metric", "tolerance", "lookahead":
		return f.reason + ": " + f.load(target)
	case "partial_data":
		return f.reason + ": " + f.load(target) + "; part of the evidence is missing for a moment"
	case "query_error":
		return f.reason + ": Prometheus did not answer in time, as happens on a busy machine"
	case "rate_limited":
		return f.reason + ": " + f.load(target) + "; the policies allow no faster change"
	case "max_replicas":
		return f.reason + ": " + f.load(target) + f.unbounded() + fmt.Sprintf("; the maximum is %g", f.values["infscale_max_replicas"])
	case "stabilised":
		return f.reason + ": " + f.load(target) + "; more was asked for within the window"
	case "activate_from_zero":
		return fmt.Sprintf("%s: %s held at the interceptor", f.reason, requests(f.values["infscale_requests_held"]))
	case "zero_cooldown":
		return f.reason + ": " + f.flight() + ", zero once the cooldown is over"
	case "idle_to_zero":
		return f.reason + ": no request for a whole cooldown"
	default:
		return f.reason
	}
}

// chance says what a change does to the risk, where that is known.
func (f figures) chance() string {
	current, known := f.risk["current"]
	desired, too := f.risk["desired"]
	if !known || !too {
		return ""
	}
	return fmt.Sprintf("; SLO risk %.0f%% -> %.0f%%", 100*current, 100*desired)
}

// inFlight is how many requests are in the pods or held in front of them, if that is known.
func (f figures) inFlight() (n float64, ok bool) {
	for _, name := range []string{"running", "waiting", "held"} {
		v, known := f.values["infscale_requests_"+name]
		if !known {
			return 0, false
		}
		n += v
	}
	return n, true
}

// flight says how many requests are in flight.
func (f figures) flight() string {
	if n, ok := f.inFlight(); ok {
		return requests(n) + " in flight"
	}
	return "requests in flight not known"
}

// load says what the requests in flight ask for, and what the signal asks for where that
// is something else.
func (f figures) load(target int) string {
	n, known := f.inFlight()
	raw, asks := f.raw["queue"]
	what := f.flight()
	if held, ok := f.values["infscale_requests_held"]; ok && !known && asks {
		n, known, what = held, true, requests(held)+" held at the interceptor" // While all pods load.
	}
	if !known || !asks {
		return what
	}
	needs := math.Ceil(n / float64(target))
	text := fmt.Sprintf("%s / %d per replica = %g", what, target, needs)
	switch {
	case raw > needs:
		text += fmt.Sprintf(", %g if the trend goes on for a cold start", raw)
	case raw < needs:
		text += fmt.Sprintf(", near enough to %g", raw)
	}
	return text
}

// unbounded says what there would be without a maximum, where that is not what the signal
// asks for.
func (f figures) unbounded() string {
	n, raw := f.values["infscale_unbounded_replicas"], f.raw["queue"]
	switch {
	case n > raw:
		return fmt.Sprintf("; %g were asked for within the window", n)
	case n < raw:
		return fmt.Sprintf("; the policies allow %g now", n)
	default:
		return ""
	}
}

// requests is a number of them in words.
func requests(n float64) string {
	if n == 1 {
		return "1 request"
	}
	return fmt.Sprintf("%g requests", n)
}

// missing are the chapters that were not seen.
func (s *story) missing() []string {
	var names []string
	for _, c := range chapters {
		if !s.seen[c] {
			names = append(names, string(c))
		}
	}
	return names
}

// summary ends the story.
func (s *story) summary(t time.Duration, total tally) {
	fmt.Fprintf(s.out, "\nafter %.0fs: %d changes, peak %d replicas, %.0f replica-seconds\n", t.Seconds(), s.changes, s.peak, total.replicaSeconds)
	fmt.Fprintf(s.out, "%d requests served, %d had to wait longer than %s for their first token (%.1f%%)\n",
		total.served, total.missed, total.objective, 100*float64(total.missed)/max(1, float64(total.started)))
	if m := s.missing(); len(m) > 0 {
		fmt.Fprintf(s.out, "not seen: %s\n", strings.Join(m, ", "))
		return
	}
	fmt.Fprintln(s.out, "every phase was seen: scale-up, stabilisation, scale-down, zero, wake")
}
