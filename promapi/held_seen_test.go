package promapi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

// The series of the add-on for HTTP: of the workload and of another.
const (
	routeOfChat  = `interceptor_request_concurrency{route_name="chat",route_namespace="ns"} `
	routeOfOther = `interceptor_request_concurrency{route_name="other",route_namespace="ns"} `
	hostOfChat   = `interceptor_pending_request_count{host="chat"} `
)

// asleep is a workload at zero.
func asleep(match map[string]string) (Workload, []string) {
	w := chat(recommender.Signal{Metric: recommender.Queue, Target: 4})
	w.Held = []HeldSource{{Preset: HeldKEDA, Match: match}}
	return w, []string{
		`kube_deployment_spec_replicas{namespace="ns",deployment="chat"} 0x160`,
		`kube_deployment_status_replicas_ready{namespace="ns",deployment="chat"} 0x160`,
	}
}

func TestOnlyAMatchThatWasRightSaysThatNothingIsHeld(t *testing.T) {
	right := map[string]string{"route_namespace": "ns", "route_name": "chat"}
	for name, c := range map[string]struct {
		match  map[string]string
		series []string
		why    recommender.Evidence
		note   string
	}{
		"a wrong value": {
			map[string]string{"route_name": "chatt"},
			[]string{routeOfChat + "7x160", routeOfOther + "0x160"},
			recommender.NeverMatched, `held: no series of keda_http matched {route_name="chatt"} in the last 1w`,
		},
		"no match, and the name is another": {
			nil,
			[]string{routeOfOther + "0x160"},
			recommender.NeverMatched, `matched {namespace="ns", route="chat"} in`,
		},
		"seen before":                             {right, []string{routeOfChat + "3x20 stale", routeOfOther + "0x160"}, recommender.Known, ""},
		"seen before, by short words":             {map[string]string{"route": "chat"}, []string{routeOfChat + "3x20 stale", routeOfOther + "0x160"}, recommender.Known, ""},
		"seen before, by default":                 {nil, []string{routeOfChat + "3x20 stale", routeOfOther + "0x160"}, recommender.Known, ""},
		"seen before, and the gateway is down":    {right, []string{routeOfChat + "3x20 stale", routeOfOther + "0x20 stale"}, recommender.Absent, ""},
		"never seen, and there is no gateway":     {right, nil, recommender.Absent, ""},
		"by host, of a gateway that is replaced":  {map[string]string{"host": "chat"}, []string{hostOfChat + "3x20 stale", routeOfOther + "0x160"}, recommender.NeverMatched, `{host="chat"}`},
		"by default, and the gateway is replaced": {nil, []string{hostOfChat + "3x20 stale", routeOfOther + "0x160"}, recommender.NeverMatched, `route="chat"`},
	} {
		t.Run(name, func(t *testing.T) {
			w, series := asleep(c.match)
			o, report := newLab(t, append(series, c.series...)...).observe(t, 25*time.Minute, Options{}, w)
			if c.why == recommender.Known {
				known(t, "held", o.Held, 0)
			} else {
				lacks(t, "held", o.Held, c.why)
			}
			notes := strings.Join(report.Workloads[0].Notes, "\n")
			if got := strings.Contains(notes, "held: "); got != (c.note != "") || !strings.Contains(notes, c.note) {
				t.Errorf("notes: got %q, want %q", notes, c.note)
			}
		})
	}
}

func TestAnOldProofIsNone(t *testing.T) {
	w, _ := asleep(nil)
	l := newLab(t, routeOfChat+"3x20 stale")
	for _, c := range []struct { // in the order of their times
		after time.Duration
		why   recommender.Evidence
	}{
		{heldSpan - time.Hour, recommender.Known},
		{heldSpan + time.Hour, recommender.NeverMatched},
	} {
		if err := l.Load(epoch.Add(c.after), scrapeEvery, routeOfOther+"0x20"); err != nil {
			t.Fatal(err)
		}
		o, _ := l.observe(t, c.after+5*time.Minute, Options{}, w)
		lacks(t, fmt.Sprint("after ", c.after), o.Held, c.why)
	}
}

func TestWithoutTheProofItIsNotKnownWhatIsHeld(t *testing.T) {
	w, series := asleep(nil)
	l := newLab(t, append(series, routeOfOther+"0x160")...)
	for name, c := range map[string]struct {
		hit  Family
		err  error
		warn string
		why  recommender.Evidence
	}{
		"the query for it failed":  {FamilyEver, errors.New("too long"), "", recommender.Failed},
		"its answer is partial":    {FamilyEver, nil, "a store is missing", recommender.Absent},
		"what is there is partial": {FamilyHeld, nil, "a store is missing", recommender.Absent},
	} {
		r := l.reader(t, Options{}, w)
		r.querier = faulty{Querier: l.client, hit: r.family(c.hit), err: c.err, warn: c.warn}
		o, report := r.Observe(t.Context(), epoch.Add(10*time.Minute))
		lacks(t, name, o[0].Held, c.why)
		if notes := fmt.Sprint(report.Workloads[0].Notes); c.err != nil && !strings.Contains(notes, "too long") {
			t.Errorf("%s: got notes %s, want the error", name, notes)
		}
	}
}

// A watching querier counts the questions of one family.
type watching struct {
	Querier
	hit   func(query string) bool
	times *atomic.Int32
}

func (c watching) Query(ctx context.Context, query string, at time.Time) (Result, error) {
	if c.hit(query) {
		c.times.Add(1)
	}
	return c.Querier.Query(ctx, query, at)
}

func TestTheProofIsAskedForRarely(t *testing.T) {
	w, series := asleep(nil)
	for name, c := range map[string]struct {
		series string
		held   recommender.Evidence // at the end
		want   int32
	}{
		"the series is there":                    {"3x160", recommender.Known, 0},
		"it was there in a tick":                 {"_x44 3x8 stale", recommender.Known, 1}, // Before it came, from 10m on.
		"it was there before the first tick":     {"3x20 stale", recommender.Known, 1},
		"it was never there, and the time is up": {"_x160", recommender.NeverMatched, 2}, // At 10m and 20m.
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, append(slices.Clone(series), routeOfOther+"0x160", routeOfChat+c.series)...)
			r := l.reader(t, Options{}, w)
			var times atomic.Int32
			r.querier = watching{l.client, r.family(FamilyEver), &times}
			var o []recommender.Observation
			for at := 10 * time.Minute; at <= 25*time.Minute; at += 30 * time.Second {
				o, _ = r.Observe(t.Context(), epoch.Add(at))
			}
			lacks(t, "held", o[0].Held, c.held)
			if got := times.Load(); got != c.want {
				t.Errorf("got %d questions, want %d", got, c.want)
			}
		})
	}
}

func TestARangeOfHeldIsItsInstants(t *testing.T) {
	w, series := asleep(nil)
	w.Policy.Min = 0
	// Not there, held, gone, and then the gateway goes too and comes back.
	l := newLab(t, append(series, routeOfChat+"_x40 5x12 stale", routeOfOther+"0x80 stale _x15 0x20")...)
	start, end, step := epoch.Add(4*time.Minute), epoch.Add(29*time.Minute), 30*time.Second
	ticks, err := l.reader(t, Options{}, w).ObserveRange(t.Context(), start, end, step)
	if err != nil {
		t.Fatal(err)
	}
	instants := l.reader(t, Options{}, w)
	var said []string
	for _, tick := range ticks {
		want, report := instants.Observe(t.Context(), tick.Time)
		if got := fmt.Sprintf("%+v", tick.Observations); got != fmt.Sprintf("%+v", want) {
			t.Fatalf("at %v: got %s, want %+v", tick.Time, got, want)
		}
		if got := tick.Report.Workloads[0].Notes; !slices.Equal(got, report.Workloads[0].Notes) {
			t.Errorf("at %v: got notes %q, want %q", tick.Time, got, report.Workloads[0].Notes)
		}
		said = append(said, strings.Fields(show(want[0].Held))[0])
	}
	if got, want := fmt.Sprint(slices.Compact(said)), "[never_matched 5 0 absent 0]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// idle is a replica without requests.
func idle() []string {
	return append(kubeSeries("chat", 1, chatPod(0)), queueOf(chatPod(0), "0x80", "0x80")...)
}

// decided returns what is decided at the end of some minutes of a lab.
func decided(t *testing.T, w *Workload, series ...string) recommender.Decision {
	t.Helper()
	p := recommender.DefaultPolicy()
	p.Min, p.Max, p.Held, p.Cooldown, p.Signals = 0, 3, true, 5*time.Minute, w.Policy.Signals
	w.Policy = &p
	r := newLab(t, series...).reader(t, Options{}, *w)
	var d recommender.Decision
	var s recommender.State
	for at := time.Minute; at <= 19*time.Minute; at += 15 * time.Second {
		o, _ := r.Observe(t.Context(), epoch.Add(at))
		d, s = recommender.Decide(p, s, o[0])
	}
	return d
}

func TestZeroNeedsASourceThatHasProvenItself(t *testing.T) {
	wrong := map[string]string{"route_name": "chatt"}
	for name, c := range map[string]struct {
		match   map[string]string
		base    []string
		series  []string
		desired int32
		valid   bool
	}{
		"a wrong match keeps the last replica":   {wrong, idle(), []string{routeOfChat + "0x80"}, 1, false},
		"a route without requests keeps it too":  {nil, idle(), nil, 1, false},
		"a right one lets it go":                 {nil, idle(), []string{routeOfChat + "0x80"}, 0, true},
		"also if its series is gone":             {nil, idle(), []string{routeOfChat + "0x20 stale"}, 0, true},
		"at zero, nothing is woken in ignorance": {wrong, nil, []string{routeOfChat + "0x80"}, 0, false},
		"at zero, its first series wakes it":     {nil, nil, []string{routeOfChat + "_x74 1x4"}, 1, true},
		"at zero, it stays if nothing is held":   {nil, nil, []string{routeOfChat + "0x80"}, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			w, base := asleep(c.match)
			if c.base != nil {
				base = c.base
			}
			d := decided(t, &w, append(append(base, routeOfOther+"0x80"), c.series...)...)
			if d.Desired != c.desired || d.Valid != c.valid || !d.Known {
				t.Errorf("got %d replicas, valid %t, known %t (%s), want %d, %t and known", d.Desired, d.Valid, d.Known, d.Reason, c.desired, c.valid)
			}
		})
	}
}

func TestHeldLabels(t *testing.T) {
	for preset, want := range map[string]string{
		HeldKEDA: "host namespace route route_name route_namespace",
		HeldKnative: "k8s_namespace_name kn_revision_name kn_service_name namespace namespace_name revision revision_name " +
			"service service_name",
		"nginx": "",
	} {
		if got := strings.Join(HeldLabels(preset), " "); got != want {
			t.Errorf("%s: got %s, want %s", preset, got, want)
		}
	}
}

func TestAMatchThatCanFindNothingIsRefused(t *testing.T) {
	type match = map[string]string
	for name, c := range map[string]struct {
		held HeldSource
		want string
	}{
		"no match":                         {HeldSource{Preset: HeldKEDA}, ""},
		"labels":                           {HeldSource{Preset: HeldKEDA, Match: match{"route_namespace": "ns", "route_name": "chat"}}, ""},
		"a label and a word":               {HeldSource{Preset: HeldKEDA, Match: match{"namespace": "ns", "route_name": "chat"}}, ""},
		"the service of a revision":        {HeldSource{Preset: HeldKnative, Match: match{"k8s_namespace_name": "ns", "service_name": "chat"}}, ""},
		"no such label":                    {HeldSource{Preset: HeldKEDA, Match: match{"route_nam": "chat"}}, "route_nam: is no label of keda_http"},
		"a label of the other preset":      {HeldSource{Preset: HeldKnative, Match: match{"route": "chat"}}, "route: is no label of knative"},
		"an empty value":                   {HeldSource{Preset: HeldKEDA, Match: match{"route": ""}}, "route: must not be empty"},
		"labels of different series":       {HeldSource{Preset: HeldKEDA, Match: match{"route": "chat", "host": "h"}}, "no series of keda_http has all of host, route"},
		"a namespace, and not of this one": {HeldSource{Preset: HeldKEDA, Match: match{"namespace": "ns", "host": "h"}}, "has all of host, namespace"},
	} {
		t.Run(name, func(t *testing.T) {
			w := chat()
			w.Held = []HeldSource{c.held}
			_, err := NewPlan([]Workload{w}, Options{})
			if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
