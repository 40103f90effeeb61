package sim_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/sim"
)

// fluidGolden returns a section of the recorded demo.
func fluidGolden(t *testing.T, section string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/fluid.txtar")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(data), "-- "+section+" --\n")
	if !ok {
		t.Fatalf("no section %s", section)
	}
	text, _, _ := strings.Cut(rest, "-- ")
	return text
}

func ExampleFluid_WriteTable() {
	f := sim.DefaultFluid()
	if err := f.WriteTable(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// requests total = 48362, peak offered = 150 req/s, one replica = 10 req/s, provision = 90s
	// reactive, min=4, no cooldown       SLO-miss  55.9%  max queue 10973  replica-s  14770  scale events  39
	// reactive, min=4, cooldown 120s     SLO-miss  53.9%  max queue 10973  replica-s  21590  scale events  25
	// reactive + warm pool min=9         SLO-miss  46.5%  max queue  5973  replica-s  15530  scale events  17
	// reactive + warm pool min=12        SLO-miss  35.5%  max queue  2973  replica-s  15600  scale events  14
	// scheduled pre-scale, min=4         SLO-miss   0.0%  max queue     5  replica-s  12280  scale events  13
	// static peak (15 replicas always)   SLO-miss   0.0%  max queue   121  replica-s  20500  scale events   3
}

func TestFluidTableIsThatOfTheLessonByteForByte(t *testing.T) {
	f := sim.DefaultFluid()
	var got strings.Builder
	if err := f.WriteTable(&got); err != nil {
		t.Fatal(err)
	}
	if want := fluidGolden(t, "table"); got.String() != want {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func TestFluidArrivalsAreThoseOfCPython(t *testing.T) {
	f := sim.DefaultFluid()
	got, total := f.Arrivals(), 0
	for i, word := range strings.Fields(fluidGolden(t, "arrivals")) {
		if i >= len(got) || strconv.Itoa(got[i]) != word {
			t.Fatalf("second %d: got another number of arrivals, want %s", i, word)
		}
		total += got[i]
	}
	if len(got) != 1000 || total != 48362 {
		t.Errorf("got %d arrivals in %d seconds, want 48362 in 1000", total, len(got))
	}
}

func TestFluidEventsAreThoseOfTheLesson(t *testing.T) {
	f := sim.DefaultFluid()
	lines := strings.Split(strings.TrimSpace(fluidGolden(t, "events")), "\n")
	for i, r := range f.Run() {
		var got []string
		for _, e := range r.Events {
			got = append(got, fmt.Sprintf("%d:%d>%d", e.At, e.From, e.To))
		}
		if strings.Join(got, " ") != lines[i] {
			t.Errorf("%s:\ngot  %s\nwant %s", r.Policy.Name, strings.Join(got, " "), lines[i])
		}
	}
}

// What the lesson reads in its table.
func TestFluidReadings(t *testing.T) {
	f := sim.DefaultFluid()
	r := f.Run()
	eager, calm, nine, twelve, scheduled, static := &r[0], &r[1], &r[2], &r[3], &r[4], &r[5]

	if cost := float64(scheduled.ReplicaSeconds) / float64(static.ReplicaSeconds); scheduled.Misses != 0 || cost < 0.59 || cost > 0.61 {
		t.Errorf("the schedule: got %d misses at %.3f of the cost of a static peak, want none at 0.6", scheduled.Misses, cost)
	}
	if len(calm.Events) >= len(eager.Events) || calm.ReplicaSeconds <= eager.ReplicaSeconds {
		t.Errorf("the cooldown: got %d events and %d replica-seconds instead of %d and %d, want fewer events at a higher cost",
			len(calm.Events), calm.ReplicaSeconds, len(eager.Events), eager.ReplicaSeconds)
	}
	if !(calm.MissRatio() > nine.MissRatio() && nine.MissRatio() > twelve.MissRatio() && twelve.MissRatio() > 0.1) {
		t.Errorf("the warm pool: got misses of %.3f, %.3f and %.3f with 4, 9 and 12 replicas, want fewer and fewer, but many",
			calm.MissRatio(), nine.MissRatio(), twelve.MissRatio())
	}
}

func TestABurstShorterThanTheLagIsNotHelpedByReaction(t *testing.T) {
	burst := sim.FluidBurst{Start: 700, End: 760, Rate: 100}
	misses := func(provision int, scheduled bool) int {
		f := sim.DefaultFluid()
		f.Bursts, f.Seconds, f.Provision = []sim.FluidBurst{burst}, burst.End, provision
		f.Policies = []sim.FluidPolicy{{Min: 5, Cooldown: 120, Scheduled: scheduled}}
		return f.Run()[0].Misses
	}
	reactive, never, fast := misses(90, false), misses(10_000, false), misses(10, false)
	if reactive != never || never == 0 {
		t.Errorf("got %d misses in the burst, want as many as if no replica ever came: %d", reactive, never)
	}
	if fast >= reactive {
		t.Errorf("got %d misses with replicas that are ready in 10 s, want fewer than %d", fast, reactive)
	}
	if ahead := misses(90, true); ahead != 0 {
		t.Errorf("got %d misses with a schedule, want none", ahead)
	}
}

// 150 requests per second on 40 of capacity for 90 seconds.
func TestFluidBacklogAndDrain(t *testing.T) {
	backlog := sim.FluidBacklog(150, 40, 90*time.Second)
	if backlog != 9900 {
		t.Errorf("got a backlog of %v, want 9900", backlog)
	}
	if got := sim.FluidBacklog(30, 40, 90*time.Second); got != 0 {
		t.Errorf("got a backlog of %v with capacity to spare, want 0", got)
	}
	for _, test := range []struct{ backlog, capacity, want float64 }{
		{backlog, 260, 90}, {backlog, 150, math.Inf(1)}, {backlog, 100, math.Inf(1)}, {0, 100, 0},
	} {
		if got := sim.FluidDrain(test.backlog, 150, test.capacity); got != test.want {
			t.Errorf("%v requests on a capacity of %v: got %v s, want %v", test.backlog, test.capacity, got, test.want)
		}
	}
	// The order of the burst at 300 s is that of the decision at 310 s.
	f := sim.DefaultFluid()
	got, want := float64(f.Run()[0].MaxQueue), sim.FluidBacklog(150, 40, 100*time.Second)
	if math.Abs(got/want-1) > 0.01 {
		t.Errorf("got a longest queue of %v, want about %v", got, want)
	}
}

func TestAFluidWithoutReplicasServesNothing(t *testing.T) {
	f := sim.DefaultFluid()
	f.Seconds, f.Policies = 9, []sim.FluidPolicy{{}}
	if r := f.Run()[0]; r.Requests == 0 || r.Misses != r.Requests || r.MaxQueue != r.Requests {
		t.Errorf("got %+v, want every request missed and in the queue", r)
	}
}

func TestFluidValidate(t *testing.T) {
	for want, change := range map[string]func(f *sim.Fluid){
		"seconds: must be 1 to 100000, got 0":                func(f *sim.Fluid) { f.Seconds = 0 },
		"base: must be 0 to 1000000, got NaN":                func(f *sim.Fluid) { f.Base = math.NaN() },
		"bursts[0].end: must be 500 to 100000, got 420":      func(f *sim.Fluid) { f.Bursts[0].Start = 500 },
		"bursts[1].rate: must be 0 to 1000000, got -1":       func(f *sim.Fluid) { f.Bursts[1].Rate = -1 },
		"capacity: must be 0.1 to 1000000, got 0":            func(f *sim.Fluid) { f.Capacity = 0 },
		"target: must be 0.1 to 1000000, got +Inf":           func(f *sim.Fluid) { f.Target = math.Inf(1) },
		"interval: must be 1 to 100000, got 0":               func(f *sim.Fluid) { f.Interval = 0 },
		"drain_over: must be 1 to 100000, got 0":             func(f *sim.Fluid) { f.DrainOver = 0 },
		"policies[1].min: must be 0 to 1000000, got -1":      func(f *sim.Fluid) { f.Policies[1].Min = -1 },
		"policies[2].cooldown: must be 0 to 1000000000, got": func(f *sim.Fluid) { f.Policies[2].Cooldown = -1 },
	} {
		f := sim.DefaultFluid()
		change(&f)
		var table strings.Builder
		if err := f.WriteTable(&table); err == nil || !strings.Contains(err.Error(), want) || table.Len() > 0 {
			t.Errorf("got %v and the table %q, want only %s", err, table.String(), want)
		}
	}
}
