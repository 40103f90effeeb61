package daemon

import (
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/infscale/infscale/recommender/export"
)

// epoch is when a bubble begins, a slot of any interval in use here.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// after returns the instants that lie these numbers of seconds after epoch.
func after(seconds ...int) []time.Time {
	times := make([]time.Time, len(seconds))
	for i, s := range seconds {
		times[i] = epoch.Add(time.Duration(s) * time.Second)
	}
	return times
}

func TestTicks(t *testing.T) {
	tests := map[string]struct {
		begin, lasts time.Duration
		slow         func(at time.Time) time.Duration
		want         []int // the slots that are read, in seconds
		missed       string
	}{
		"slots are aligned, whenever the daemon starts": {
			begin: 6 * time.Second, lasts: time.Minute, slow: atOnce,
			want: []int{0, 15, 30, 45, 60}, missed: "0",
		},
		"a slot that is nearly over is not begun": {
			begin: 8 * time.Second, lasts: time.Minute, slow: atOnce,
			want: []int{15, 30, 45, 60}, missed: "0",
		},
		"a slow evaluation does not drift": {
			lasts: time.Minute, slow: func(time.Time) time.Duration { return 13 * time.Second },
			want: []int{0, 15, 30, 45}, missed: "0",
		},
		"slots that begin during an evaluation are missed, and the next is in time": {
			lasts: 100 * time.Second, slow: func(at time.Time) time.Duration {
				if at.Equal(epoch.Add(15 * time.Second)) {
					return 40 * time.Second // until 55, over 30 and 45
				}
				return 0
			},
			want: []int{0, 15, 60, 75, 90}, missed: "2",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScripted()
				s.slow, s.stubborn = test.slow, true
				time.Sleep(test.begin)
				b := newBench(t, worldOf(s, "chat"))
				stop := b.run(t)
				time.Sleep(test.lasts - 1)
				synctest.Wait()
				if got, want := s.asked(), after(test.want...); !slices.EqualFunc(got, want, time.Time.Equal) {
					t.Errorf("read the slots %v, want %v", got, want)
				}
				b.exports(t, `
# HELP infscale_evaluations_missed_total Slots that passed without an evaluation, because an earlier one was under way or the process did not run.
# TYPE infscale_evaluations_missed_total counter
infscale_evaluations_missed_total `+test.missed+`
`, "infscale_evaluations_missed_total")
				stop()
			})
		})
	}
}

func TestClockSetBackStartsAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := waves()
		b := newBench(t, worldOf(s, "chat"))
		var ahead atomic.Int64 // of the daemon's clock
		ahead.Store(int64(time.Hour))
		b.loop.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		s.pastDown = func(time.Time) bool { return ahead.Load() > 0 } // what comes later is not known yet
		stop := b.run(t)
		defer stop()
		time.Sleep(7*time.Minute + 8*time.Second)
		synctest.Wait()
		before := len(s.asked())
		ahead.Store(0)
		again := newBench(t, worldOf(waves(), "chat"))
		stopAgain := again.run(t)
		defer stopAgain()
		for i := range 20 {
			time.Sleep(interval)
			synctest.Wait()
			got, want := b.decision(chat), again.decision(chat)
			if *got != *want {
				t.Errorf("slot %d: got %s at %s, want as a new daemon %s at %s", i, got.Headline(), got.Time, want.Headline(), want.Time)
			}
		}
		if n := len(s.asked()) - before; n != 20 {
			t.Errorf("read %d slots after the clock was set back, want all 20", n)
		}
		if n := b.logged("the clock was set back, the past is read again"); n != 1 {
			t.Errorf("logged it %d times, want once", n)
		}
		b.exports(t, `
# HELP infscale_evaluations_missed_total Slots that passed without an evaluation, because an earlier one was under way or the process did not run.
# TYPE infscale_evaluations_missed_total counter
infscale_evaluations_missed_total 0
`, "infscale_evaluations_missed_total")
	})
}

func TestClockSetBackWithoutAServerHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		b := newBench(t, worldOf(s, "chat"))
		var ahead atomic.Int64
		ahead.Store(int64(time.Hour))
		b.loop.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		s.down = func(time.Time) bool { return ahead.Load() == 0 }
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Minute + time.Second)
		ahead.Store(0)
		time.Sleep(10*time.Minute - time.Second)
		synctest.Wait()
		if got := b.desired("chat"); got != 3 {
			t.Errorf("got desired %d within the hold limit, want 3", got)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := b.desired("chat"); got != -1 {
			t.Errorf("got desired %d beyond the hold limit, want none", got)
		}
	})
}

func TestClockSetBackWhileNothingFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		s.load = func(identity, time.Time) float64 { return 64 } // 8 replicas, and there are 3
		b := newBench(t, worldOf(s, "chat"))
		var ahead atomic.Int64
		ahead.Store(int64(time.Hour))
		b.loop.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Minute)
		ahead.Store(0)
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if got := b.loop.collector.Latest().Find("inference", "chat").Following; got != export.FollowingNo {
			t.Errorf("got following %s minutes after the clock was set back, want no", got)
		}
	})
}

func TestClockSetBackBySecondsChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		b := newBench(t, worldOf(s, "chat"))
		var ahead atomic.Int64
		ahead.Store(int64(20 * time.Second))
		b.loop.now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Minute)
		ahead.Store(0)
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := b.logged("the clock was set back, the past is read again") + len(s.askedPast()) - 1; n != 0 {
			t.Errorf("started again %d times, want none", n)
		}
	})
}
