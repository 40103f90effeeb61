package main

import (
	"math"
	"strings"
	"testing"
	"time"
)

// said are figures with a reason. The signal asks for what the load needs.
func said(reason string, running, waiting, held float64) figures {
	raw := math.Ceil((running + waiting + held) / 8)
	return figures{reason: reason, raw: map[string]float64{"queue": raw}, values: map[string]float64{
		"infscale_requests_running": running, "infscale_requests_waiting": waiting, "infscale_requests_held": held,
		"infscale_unbounded_replicas": 9, "infscale_max_replicas": 6,
	}}
}

func TestTheStoryTellsEachChangeOnce(t *testing.T) {
	var out strings.Builder
	s := story{out: &out, target: 8, ready: 1, seen: map[chapter]bool{}, reasons: map[string]bool{}}
	s.watch(0, 1, 1, phase{name: "ramps up", from: 1, to: 18})
	s.decided(1*time.Second, 1, 1, said("metric", 2, 0, 0))
	s.watch(2*time.Second, 1, 1, phase{name: "ramps up", from: 1, to: 18})
	burst := said("metric", 8, 22, 0)
	burst.risk = map[string]float64{"current": 0.873, "desired": 0.25, "desired_plus_one": 0.1}
	s.decided(12*time.Second, 1, 4, burst)
	s.watch(17*time.Second, 4, 4, phase{name: "holds", from: 18, to: 18})
	s.decided(18*time.Second, 4, 6, said("max_replicas", 32, 40, 0))
	s.decided(19*time.Second, 6, 6, said("partial_data", 32, 40, 0))
	s.decided(20*time.Second, 6, 6, said("max_replicas", 32, 48, 0)) // Told already.
	s.decided(30*time.Second, 6, 6, said("stabilised", 10, 0, 0))
	s.decided(31*time.Second, 6, 6, said("stabilised", 9, 0, 0))
	s.watch(35*time.Second, 1, 6, phase{name: "goes silent"})
	s.decided(40*time.Second, 6, 1, said("zero_cooldown", 0, 0, 0))
	if got := strings.Join(s.missing(), " "); got != "zero wake" {
		t.Errorf("missing: got %q, want the two that are to come", got)
	}
	s.decided(50*time.Second, 1, 0, said("idle_to_zero", 0, 0, 0))
	s.decided(55*time.Second, 0, 0, said("metric", 0, 0, 0))
	s.decided(66*time.Second, 0, 1, said("activate_from_zero", 0, 0, 3))
	s.summary(90*time.Second, tally{objective: 2 * time.Second, started: 200, missed: 3, served: 190, replicaSeconds: 287.4})
	want := `  0s  traffic  ramps up: 1 to 18 requests/s
 12s  chat     1 -> 4  metric: 30 requests in flight / 8 per replica = 4; SLO risk 87% -> 25%
 17s  traffic  holds: 18 requests/s
 17s  pods     4 of 4 ready
 18s  chat     4 -> 6  max_replicas: 72 requests in flight / 8 per replica = 9; the maximum is 6
 30s  chat     stays 6  stabilised: 10 requests in flight / 8 per replica = 2; more was asked for within the window
 35s  traffic  goes silent
 40s  chat     6 -> 1  zero_cooldown: 0 requests in flight, zero once the cooldown is over
 50s  chat     1 -> 0  idle_to_zero: no request for a whole cooldown
 66s  chat     0 -> 1  activate_from_zero: 3 requests held at the interceptor

after 90s: 5 changes, peak 6 replicas, 287 replica-seconds
190 requests served, 3 had to wait longer than 2s for their first token (1.5%)
every phase was seen: scale-up, stabilisation, scale-down, zero, wake
`
	if got := out.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestASummarySaysWhatWasNotSeen(t *testing.T) {
	var out strings.Builder
	s := story{out: &out, target: 8, seen: map[chapter]bool{}, reasons: map[string]bool{}}
	s.decided(time.Second, 1, 3, said("metric", 20, 0, 0))
	s.summary(3*time.Second, tally{objective: 2 * time.Second})
	if got, want := out.String(), "not seen: stabilisation, scale-down, zero, wake\n"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want it to end in %q", got, want)
	}
}

func TestASentenceExplainsItsNumber(t *testing.T) {
	type is map[string]float64
	for name, tc := range map[string]struct {
		reason string
		raw    float64 // What the signal asks for; negative is unknown.
		values is
		want   string
	}{
		"a maximum that cuts what lookahead asked for": {
			"max_replicas", 7,
			is{"requests_running": 39, "requests_waiting": 0, "requests_held": 0, "unbounded_replicas": 7, "max_replicas": 6},
			"max_replicas: 39 requests in flight / 8 per replica = 5, 7 if the trend goes on for a cold start; the maximum is 6",
		},
		"a maximum that cuts what the window holds": {
			"max_replicas", 5,
			is{"requests_running": 39, "requests_waiting": 0, "requests_held": 0, "unbounded_replicas": 9, "max_replicas": 6},
			"max_replicas: 39 requests in flight / 8 per replica = 5; 9 were asked for within the window; the maximum is 6",
		},
		"a maximum that cuts what the policies allow": {
			"max_replicas", 12,
			is{"requests_running": 90, "requests_waiting": 6, "requests_held": 0, "unbounded_replicas": 8, "max_replicas": 6},
			"max_replicas: 96 requests in flight / 8 per replica = 12; the policies allow 8 now; the maximum is 6",
		},
		"a rate limit on what lookahead asked for": {
			"rate_limited", 8,
			is{"requests_running": 28, "requests_waiting": 0, "requests_held": 0},
			"rate_limited: 28 requests in flight / 8 per replica = 4, 8 if the trend goes on for a cold start; the policies allow no faster change",
		},
		"lookahead": {
			"lookahead", 2,
			is{"requests_running": 3, "requests_waiting": 0, "requests_held": 0},
			"lookahead: 3 requests in flight / 8 per replica = 1, 2 if the trend goes on for a cold start",
		},
		"a load within the tolerance": {
			"tolerance", 5,
			is{"requests_running": 41, "requests_waiting": 0, "requests_held": 0},
			"tolerance: 41 requests in flight / 8 per replica = 6, near enough to 5",
		},
		"pods that load": {
			"metric", 2, is{"requests_held": 10}, "metric: 10 requests held at the interceptor / 8 per replica = 2",
		},
		"a query without an answer": {
			"query_error", -1, is{}, "query_error: Prometheus did not answer in time, as happens on a busy machine",
		},
		"requests that are not known are not zero": {
			"partial_data", -1, is{"requests_held": 3}, "partial_data: requests in flight not known; part of the evidence is missing for a moment",
		},
	} {
		f := figures{reason: tc.reason, values: map[string]float64{}, raw: map[string]float64{}}
		for k, v := range tc.values {
			f.values["infscale_"+k] = v
		}
		if tc.raw >= 0 {
			f.raw["queue"] = tc.raw
		}
		if got := f.sentence(8); got != tc.want {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}
