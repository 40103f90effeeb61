package daemon

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/recommender/hpa"
)

func TestReloadedDaemonDecidesAsARestartedOne(t *testing.T) {
	gate := recommender.Gate{BatchFill: 0.5, For: 3 * time.Minute}
	tests := map[string]func(w *world, p *recommender.Policy){
		"a longer window": func(_ *world, p *recommender.Policy) { p.ScaleDown.Window = 5 * time.Minute },
		"a window beyond all others": func(_ *world, p *recommender.Policy) {
			p.ScaleDown.Window = 40 * time.Minute
		},
		"a window for the way up": func(_ *world, p *recommender.Policy) { p.ScaleUp.Window = 2 * time.Minute },
		"a gate":                  func(_ *world, p *recommender.Policy) { p.Gate, p.MaxNumSeqs = gate, 8 },
		"another target":          func(_ *world, p *recommender.Policy) { p.Signals[0].Target = 5 },
		"a longer period": func(_ *world, p *recommender.Policy) {
			p.ScaleUp.Policies = []hpa.Policy{{Type: hpa.Pods, Value: 1, Period: 5 * time.Minute}}
		},
		"another hold limit": func(_ *world, p *recommender.Policy) { p.HoldLimit = time.Minute },
		"a lookahead":        func(_ *world, p *recommender.Policy) { p.Lookahead = time.Minute },
		"a shorter interval": func(w *world, _ *recommender.Policy) { w.interval = 5 * time.Second },
		"another place to read": func(w *world, _ *recommender.Policy) {
			w.workloads[0].origin.options.Matchers = `cluster="b"`
			w.source.(*scripted).load = func(_ identity, at time.Time) float64 { return 60 - wave(chat, at)/2 }
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				changed := func() (*world, error) {
					w := worldOf(waves(), "chat")
					w.workloads[0].policy.ScaleDown.Window = time.Minute
					change(w, w.workloads[0].policy)
					return w, nil
				}
				before := worldOf(waves(), "chat")
				before.workloads[0].policy.ScaleDown.Window = time.Minute
				b := newBench(t, before)
				stop := b.run(t)
				defer stop()
				for range 6 {
					// Not in step with the load, at the end of a slot.
					time.Sleep(7*time.Minute + 14*time.Second)
					b.next = changed
					if err := b.Reload(t.Context()); err != nil {
						t.Fatal(err)
					}
					compareWithRestarted(t, b, changed)
					changes := b.loop.collector.Latest().Find("inference", "chat").Changes
					if !slices.IsSortedFunc(changes, func(x, y export.Change) int { return y.Time.Compare(x.Time) }) {
						t.Errorf("got the changes %v, want the newest first", changes)
					}
					b.next = func() (*world, error) { return before, nil }
					if err := b.Reload(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
			})
		})
	}
}

// compareWithRestarted compares the next decisions with those of a new daemon.
func compareWithRestarted(t *testing.T, b *bench, build func() (*world, error)) {
	t.Helper()
	w, err := build()
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Until(slotOf(time.Now(), w.interval).Add(w.interval)) - time.Second)
	again := newBench(t, w)
	stop := again.run(t)
	defer stop()
	for range 8 {
		time.Sleep(w.interval)
		synctest.Wait()
		got, want := b.decision(chat), again.decision(chat)
		if *got != *want {
			t.Errorf("at %s the daemon decided %s, want as a new one %s", got.Time, got.Headline(), want.Headline())
		}
	}
}

// What is new or changed keeps no other waiting, however long its past takes to read.
func TestReloadGoesOnWhileThePastIsRead(t *testing.T) {
	for name, takes := range map[string]time.Duration{
		"within a slot": 5 * time.Second, "for several slots": 40 * time.Second, "up to a slot": 29 * time.Second,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read := time.Now().Add(7*time.Minute + 14*time.Second + takes)
				changed := func() (*world, error) {
					s := waves()
					s.slow = func(time.Time) time.Duration { return 200 * time.Millisecond }
					s.slowPast = func(time.Time) time.Duration { return time.Until(read) }
					w := worldOf(s, "chat", "code", "new")
					w.workloads[0].policy.ScaleDown.Window = 5 * time.Minute
					return w, nil
				}
				b := newBench(t, worldOf(waves(), "chat", "code"))
				stop := b.run(t)
				defer stop()
				time.Sleep(7*time.Minute + 14*time.Second)
				b.next = changed
				if err := b.Reload(t.Context()); err != nil {
					t.Fatal(err)
				}
				for slot := 7*time.Minute + 15*time.Second; slot < 9*time.Minute; slot += interval {
					time.Sleep(time.Until(epoch.Add(slot + time.Second)))
					synctest.Wait()
					if got := b.decision(identity{"inference", "code"}).Time; !got.Equal(epoch.Add(slot)) {
						t.Errorf("at %s the workload that stayed was decided on at %s, want then", slot, got)
					}
				}
				compareWithRestarted(t, b, changed)
			})
		})
	}
}

func TestReloadReadsThePastOfWhatChangedOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat", "code"))
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Minute + time.Second)
		reload := func(change func(w *world)) *scripted {
			t.Helper()
			s := newScripted()
			b.next = func() (*world, error) {
				w := worldOf(s, "chat", "code")
				change(w)
				return w, nil
			}
			if err := b.Reload(t.Context()); err != nil {
				t.Fatal(err)
			}
			return s
		}
		same := reload(func(*world) {})
		time.Sleep(interval)
		synctest.Wait()
		if past := same.askedPast(); len(past) != 0 {
			t.Errorf("read the history %v again although nothing changed", past)
		}
		one := reload(func(w *world) { w.workloads[1].policy.Tolerance.Up = 0.5 })
		stop()
		if m := b.loop.memories; !m[chat].settled || m[identity{"inference", "code"}].settled {
			t.Errorf("settled: chat %t, code %t, want only what did not change", m[chat].settled, m[identity{"inference", "code"}].settled)
		}
		if closed, _ := one.ends(); closed != 1 {
			t.Errorf("closed the last source %d times, want once", closed)
		}
	})
}

func TestReloadWithoutHistoryIsCautious(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newScripted()
		first.load = func(identity, time.Time) float64 { return 40 } // 5 replicas of the 8
		first.current = func(identity, time.Time) int32 { return 8 }
		b := newBench(t, worldOf(first, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		if b.desired("chat") != 5 {
			t.Fatalf("got desired %d, want 5", b.desired("chat"))
		}
		s := newScripted()
		s.load = func(identity, time.Time) float64 { return 8 }
		s.pastDown = func(time.Time) bool { return true }
		next := worldOf(s, "chat")
		next.workloads[0].policy.ScaleDown.Window = 2 * time.Minute
		b.next = func() (*world, error) { return next, nil }
		if err := b.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2*time.Minute - time.Second)
		synctest.Wait()
		if b.desired("chat") != 5 {
			t.Errorf("got desired %d within the window after a reload, want the 5 that stood", b.desired("chat"))
		}
		time.Sleep(interval)
		synctest.Wait()
		if b.desired("chat") != 1 {
			t.Errorf("got desired %d after the window, want 1", b.desired("chat"))
		}
	})
}

func TestReloadDuringAnOutageHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Minute + time.Second)
		s := newScripted()
		s.down = func(time.Time) bool { return true }
		next := worldOf(s, "chat")
		next.workloads[0].policy.Max, next.workloads[0].policy.ColdStart = 20, time.Hour
		b.next = func() (*world, error) { return next, nil }
		if err := b.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := b.loop.memories[chat].follower.up; got != time.Hour {
			t.Errorf("a consumer may take %s after a reload, want the cold start of 1h", got)
		}
		time.Sleep(9 * time.Minute)
		synctest.Wait()
		if b.desired("chat") != 3 {
			t.Errorf("got desired %d within the hold limit, want 3", b.desired("chat"))
		}
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if b.desired("chat") != -1 {
			t.Errorf("got desired %d beyond the hold limit, want none", b.desired("chat"))
		}
	})
}
