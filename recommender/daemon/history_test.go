package daemon

import (
	"math"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/infscale/infscale/recommender"
)

// wave is a load that rises, falls and rests, so that windows and limits all act.
func wave(_ identity, at time.Time) float64 {
	t := at.Sub(epoch).Seconds()
	return max(0, 40+40*math.Sin(t/170)+float64(int(t)/15%7))
}

// steps is a workload that something else scales now and then.
func steps(_ identity, at time.Time) int32 {
	return 3 + int32(at.Sub(epoch)/(97*time.Second))%4
}

// waves scripts a source with both.
func waves() *scripted {
	s := newScripted()
	s.load, s.current = wave, steps
	return s
}

func TestRestartedDaemonDecidesAsIfItHadNeverStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		always := newBench(t, worldOf(waves(), "chat"))
		stop := always.run(t)
		defer stop()
		changed := 0
		for range 20 {
			// Not in step with anything above.
			time.Sleep(7*time.Minute + 8*time.Second)
			again := newBench(t, worldOf(waves(), "chat"))
			stopAgain := again.run(t)
			for range 8 {
				time.Sleep(interval)
				synctest.Wait()
				got, want := again.decision(chat), always.decision(chat)
				if *got != *want {
					t.Errorf("at %s the restarted daemon decided %s, want %s", got.Time, got.Headline(), want.Headline())
				}
				if got.Reason == recommender.ReasonStabilised || got.Reason == recommender.ReasonRateLimited {
					changed++
				}
			}
			stopAgain()
		}
		if changed < 20 {
			t.Errorf("windows and limits acted in %d decisions, want the history to matter more often", changed)
		}
	})
}

// chat is a workload of most tests.
var chat = identity{"inference", "chat"}

func TestHistoryIsReadBeforeTheFirstDecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Second)
		synctest.Wait()
		want := [][2]time.Time{{epoch.Add(-11 * time.Minute), epoch}} // a minute more than the hold limit
		if !slices.Equal(s.askedPast(), want) {
			t.Errorf("read the history %v, want %v", s.askedPast(), want)
		}
		if !b.loop.ready.Load() || b.desired("chat") != 3 {
			t.Errorf("ready %t, desired %d, want true, 3", b.loop.ready.Load(), b.desired("chat"))
		}
		time.Sleep(time.Minute)
		if len(s.askedPast()) != 1 {
			t.Errorf("read the history %d times, want once", len(s.askedPast()))
		}
	})
}

func TestSlotsThatPassWhileHistoryIsReadAreCaughtUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		s.slowPast = func(end time.Time) time.Duration {
			if end.Equal(epoch) {
				return 40 * time.Second
			}
			return time.Second
		}
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(39 * time.Second)
		synctest.Wait()
		if b.desired("chat") != -1 || b.loop.ready.Load() {
			t.Errorf("desired %d, ready %t before the history is known, want none and false", b.desired("chat"), b.loop.ready.Load())
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		want := [][2]time.Time{{epoch.Add(-11 * time.Minute), epoch}, {epoch.Add(interval), epoch.Add(2 * interval)}}
		if !slices.Equal(s.askedPast(), want) {
			t.Errorf("read the history %v, want %v", s.askedPast(), want)
		}
		// The slot at the start told that the server answers; those after it came with the past.
		if got, want := s.asked(), after(0); !slices.Equal(got, want) {
			t.Errorf("read the slots %v, want %v", got, want)
		}
		if b.desired("chat") != 3 {
			t.Errorf("got desired %d, want 3", b.desired("chat"))
		}
	})
}

func TestPrometheusIsDownAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := epoch.Add(2 * time.Minute)
		s := newScripted()
		s.down = func(at time.Time) bool { return !at.Before(epoch) && at.Before(up) }
		b := newBench(t, worldOf(s, "chat"))
		b.exports(t, undecided, "infscale_desired_replicas", "infscale_decision_valid")
		stop := b.run(t)
		defer stop()
		time.Sleep(110 * time.Second)
		synctest.Wait()
		b.exports(t, undecided, "infscale_desired_replicas", "infscale_decision_valid")
		if b.loop.ready.Load() {
			t.Error("ready although no query was answered")
		}
		if w := b.loop.collector.Latest().Find("inference", "chat"); w.Decision.Reason != recommender.ReasonQueryError {
			t.Errorf("got reason %s, want query_error", w.Decision.Reason)
		}
		if n := len(s.askedPast()); n != 0 {
			t.Errorf("asked a server that does not answer %d times for the history", n)
		}
		for message, want := range map[string]int{
			"queries got no answer": 1, "evidence is incomplete, nothing falls until it is back": 1, "ready": 0,
		} {
			if got := b.logged(message); got != want {
				t.Errorf("logged %q %d times, want %d", message, got, want)
			}
		}
		time.Sleep(11 * time.Second)
		synctest.Wait()
		b.exports(t, `
# HELP infscale_decision_valid 1 if the decision rests on complete and fresh evidence, 0 if the recommendation is held, partial or missing.
# TYPE infscale_decision_valid gauge
infscale_decision_valid{workload="chat",workload_namespace="inference"} 1
`, "infscale_decision_valid")
		if !b.loop.ready.Load() || b.desired("chat") != 3 {
			t.Errorf("ready %t, desired %d after every query is answered, want true, 3", b.loop.ready.Load(), b.desired("chat"))
		}
		if n := len(s.askedPast()); n != 1 {
			t.Errorf("asked for the history %d times, want once", n)
		}
		if n := b.logged("every query is answered again"); n != 1 {
			t.Errorf("logged the recovery %d times, want once", n)
		}
	})
}

// undecided is what is exported of a workload without any decision.
const undecided = `
# HELP infscale_decision_valid 1 if the decision rests on complete and fresh evidence, 0 if the recommendation is held, partial or missing.
# TYPE infscale_decision_valid gauge
infscale_decision_valid{workload="chat",workload_namespace="inference"} 0
`

func TestFailedHistoryIsAskedForMoreRarelyTheLongerItTakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		s.pastDown = func(time.Time) bool { return true }
		s.slowPast = func(time.Time) time.Duration { return 14 * time.Second }
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(4*time.Minute + 14*time.Second)
		synctest.Wait()
		// Each attempt of 14 seconds delays the next by 56, that is by 4 slots.
		if n := len(s.askedPast()); n != 5 {
			t.Errorf("asked for the history %d times, want 5", n)
		}
		if got, want := len(s.asked()), 17; got != want {
			t.Errorf("read %d slots, want all %d", got, want)
		}
		if n := b.logged("history is not available, decisions are cautious until it is"); n != 1 {
			t.Errorf("logged the failing history %d times, want once", n)
		}
		// The cautious beginning: what is there was asked for until now.
		if b.desired("chat") != 3 {
			t.Errorf("got desired %d, want 3", b.desired("chat"))
		}
	})
}

func TestLiveEvidenceReplacesAHistoryThatCannotBeRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		s.load = func(identity, time.Time) float64 { return 8 }
		s.pastDown = func(time.Time) bool { return true }
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(5*time.Minute - time.Second)
		synctest.Wait()
		if b.desired("chat") != 3 || b.loop.ready.Load() {
			t.Errorf("desired %d, ready %t before a window is over, want 3 and false", b.desired("chat"), b.loop.ready.Load())
		}
		time.Sleep(6*time.Minute + 2*time.Second)
		synctest.Wait()
		if b.desired("chat") != 1 || !b.loop.ready.Load() {
			t.Errorf("desired %d, ready %t after the whole span that matters, want 1 and true", b.desired("chat"), b.loop.ready.Load())
		}
		asked := len(s.askedPast())
		time.Sleep(5 * time.Minute)
		if len(s.askedPast()) != asked {
			t.Error("the history is still asked for")
		}
	})
}

func TestOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down, up := epoch.Add(time.Minute), epoch.Add(16*time.Minute)
		s := newScripted()
		s.down = func(at time.Time) bool { return at.After(down) && at.Before(up) }
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		defer stop()
		at := func(after time.Duration, want int, evidence string) {
			t.Helper()
			time.Sleep(time.Until(epoch.Add(after + time.Second)))
			synctest.Wait()
			if got := b.desired("chat"); got != want {
				t.Errorf("%s after the start got desired %d, want %d", after, got, want)
			}
			// The age of the evidence is there all the time, and grows.
			b.exports(t, `
# HELP infscale_evidence_timestamp_seconds Time of the oldest sample that the recommendation rests on; it stands still while the recommendation is held. Absent if there was no evidence yet.
# TYPE infscale_evidence_timestamp_seconds gauge
infscale_evidence_timestamp_seconds{workload="chat",workload_namespace="inference"} `+evidence+`
`, "infscale_evidence_timestamp_seconds")
		}
		at(time.Minute, 3, "9.46684855e+08")
		at(2*time.Minute, 3, "9.46684855e+08")
		at(11*time.Minute, 3, "9.46684855e+08")
		at(11*time.Minute+interval, -1, "9.46684855e+08") // the hold limit is over
		at(15*time.Minute, -1, "9.46684855e+08")
		b.exports(t, "", "infscale_desired_replicas", "infscale_unbounded_replicas")
		if !b.loop.ready.Load() {
			t.Error("an outage took readiness away: the series would go with it")
		}
		at(16*time.Minute, 3, "9.46685755e+08")
		for message, want := range map[string]int{
			"queries got no answer": 1, "every query is answered again": 1,
			"evidence is incomplete, nothing falls until it is back": 1, "evidence is complete again": 1,
			"recommendation withdrawn, nothing usable was known for longer than hold_limit": 1,
			"recommendation available": 1, // once after the outage: the start goes on from the history
		} {
			if got := b.logged(message); got != want {
				t.Errorf("logged %q %d times, want %d", message, got, want)
			}
		}
	})
}

func TestHistoryThatIsShorterThanTheWindowsBeginsCautiously(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		s.load = func(identity, time.Time) float64 { return 8 }
		s.down = func(at time.Time) bool { return at.Before(epoch.Add(-time.Minute)) } // Prometheus knows no more
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(4*time.Minute - time.Second)
		synctest.Wait()
		if got := b.desired("chat"); got != 3 {
			t.Errorf("got desired %d within a window of the first that is known, want 3", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := b.desired("chat"); got != 1 {
			t.Errorf("got desired %d after it, want 1", got)
		}
	})
}

func TestQueriesHaveADeadlineBelowTheInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		s.slow = func(time.Time) time.Duration { return time.Hour }
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Minute - 1)
		synctest.Wait()
		if got, want := s.asked(), after(0, 15, 30, 45); !slices.Equal(got, want) {
			t.Errorf("read the slots %v, want %v: a server that hangs misses none", got, want)
		}
		stop()
		for _, d := range s.deadlines {
			if d != 14*time.Second {
				t.Errorf("got a deadline of %s, want 14s", d)
			}
		}
	})
}
