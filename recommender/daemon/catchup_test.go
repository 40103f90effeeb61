package daemon

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// The past that was read beside the slots ends with one. While that is being read it
// waits, or the slot would be decided on twice; afterwards it includes it.
func TestAPastIsJoinedAfterTheSlotThatItEndsWith(t *testing.T) {
	b := newBench(t, worldOf(newScripted(), "chat"))
	l, m := b.loop, b.loop.memories[chat]
	slot := epoch.Add(11 * time.Minute)
	caught := l.world.read(t.Context(), slot, true, func() time.Time { return slot })
	if caught.past == nil || caught.pastErr != nil {
		t.Fatalf("got the past %v and error %v, want one", caught.past, caught.pastErr)
	}
	l.caught = &caught
	for name, under := range map[string]*job{"that slot": {slot: slot}, "one before it": {slot: slot.Add(-interval)}} {
		if l.join(under); l.caught == nil || m.settled {
			t.Errorf("while %s is read: got the past joined, want it to wait", name)
		}
	}
	l.join(&job{slot: slot.Add(interval)})
	if l.caught != nil || !m.settled || !m.state.Time.Equal(slot) {
		t.Errorf("got settled %t and the state of %s, want all up to %s", m.settled, m.state.Time, slot)
	}
}

func TestADoubtedPastWasBusy(t *testing.T) {
	m := memory{settled: true, since: epoch, state: recommender.State{
		Time: epoch.Add(time.Hour), Asked: 4,
		Unsure: epoch, Filled: epoch, Progress: epoch, Active: epoch,
	}}
	m.doubt(-time.Minute)
	now := epoch.Add(59 * time.Minute)
	if s := &m.state; m.settled || !m.since.IsZero() || !s.Time.Equal(now) || !s.Unsure.Equal(now) ||
		!s.Filled.Equal(now) || !s.Progress.Equal(now) || s.Latest.Replicas != 4 || !s.Latest.Time.Equal(now) {
		t.Errorf("got settled %t since %s and %+v, want it busy and full until %s", m.settled, m.since, s, now)
	}
}

func TestLiveEvidenceBeginsWithAnAnswer(t *testing.T) {
	s := newScripted()
	m := newBench(t, worldOf(s, "chat")).loop.memories[chat]
	for i, answered := range []bool{false, true, true} {
		at := epoch.Add(time.Duration(i) * interval)
		r := s.read(at, nil)
		m.decide(r.observations[0], promapi.WorkloadReport{}, answered)
		if i == 0 && !m.since.IsZero() {
			t.Errorf("got live evidence since %s, want none without an answer", m.since)
		}
	}
	if want := epoch.Add(interval); !m.since.Equal(want) {
		t.Errorf("got live evidence since %s, want %s", m.since, want)
	}
}

// A clock that is set back by less than a slot comes to the same slot again.
func TestASlotIsReadOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		b := newBench(t, worldOf(s, "chat"))
		var back atomic.Int64
		b.loop.now = func() time.Time { return time.Now().Add(-time.Duration(back.Load())) }
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		back.Store(int64(10 * time.Second))
		time.Sleep(time.Minute)
		synctest.Wait()
		seen := map[time.Time]bool{}
		for _, at := range s.asked() {
			if seen[at] {
				t.Errorf("read the slot %s twice", at)
			}
			seen[at] = true
		}
		if len(seen) < 7 {
			t.Errorf("read %d slots, want one every %s", len(seen), interval)
		}
	})
}
