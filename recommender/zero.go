package recommender

import (
	"time"

	"github.com/infscale/infscale/recommender/hpa"
)

// zero keeps one replica while there is traffic and until the cooldown is over,
// wakes a workload for held requests, and takes an idle one to zero.
func (r *run) zero() {
	active, quiet := r.activity()
	if active {
		r.s.Active = r.now
	}
	if !quiet {
		r.s.Unsure = r.now
	}
	if r.p.Min > 0 {
		return
	}
	idle := r.now.Sub(r.busyUntil())
	switch cooled := !active && idle >= r.p.Cooldown; {
	case r.current == 0 && r.holds():
		r.wake()
	case r.current == 0 && (cooled || r.asked == 0):
		// Nothing is held, and zero was asked for: it stays.
	case cooled:
		r.sleep(idle)
	default:
		r.linger(idle, quiet)
	}
}

// wake asks for at least one replica, and for more if the backlog does.
func (r *run) wake() {
	out := max(r.n, r.d.Raw, 1)
	r.s.Woken, r.n = r.now, 0
	r.step(RuleZero, out, ReasonActivateFromZero, count(r.o.Held), 0, 0)
}

// linger keeps the last replica until the cooldown is over.
func (r *run) linger(idle time.Duration, quiet bool) {
	if quiet && r.n == 1 {
		// Going to zero bypasses the window, so the cooldown alone keeps this replica.
		r.n = 0
	}
	r.step(RuleZero, max(r.n, 1), ReasonZeroCooldown, 1, max(idle, 0), r.p.Cooldown)
}

// sleep takes the workload to zero, past its window, unless it may never shrink.
func (r *run) sleep(idle time.Duration) {
	if r.p.ScaleDown.Select == hpa.Disabled {
		return
	}
	r.n = max(r.n, 1)
	r.step(RuleZero, 0, ReasonIdleToZero, 0, idle, r.p.Cooldown)
}

// activity reports whether any request is known, and whether it is known in full that there is none.
func (r *run) activity() (active, quiet bool) {
	running, waiting, held := r.o.Running.checked(), r.o.Waiting.checked(), Exactly(0, r.now, 0)
	if r.o.silent(&r.p) {
		running, waiting = held, held
	}
	if r.p.Held {
		held = r.o.Held.checked()
	}
	active = running.Value > 0 || waiting.Value > 0 || held.Value > 0
	quiet = !active && running.Complete() && waiting.Complete() && held.Complete() && (r.o.covered() || r.o.silent(&r.p))
	return active, quiet
}

// holds reports whether requests wait in front of the pods.
func (r *run) holds() bool { return r.p.Held && r.o.Held.checked().Known() && r.o.Held.Value > 0 }

// busyUntil returns from when on the workload has been idle. While it has replicas,
// a time that was not known to be idle counts as busy; at zero it does not, since
// ignorance is no reason to wake anything.
func (r *run) busyUntil() time.Time {
	busy := r.s.Active
	if !r.s.Woken.IsZero() {
		busy = later(busy, r.s.Woken.Add(r.p.coldStart(&r.o)))
	}
	if r.current > 0 {
		busy = later(busy, r.s.Unsure)
	}
	return busy
}

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
