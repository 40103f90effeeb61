package soak

import (
	"fmt"
	"net/http"
	"time"
)

// apply does to the daemon what is to be done in a tick, and waits for its decision. It
// returns nil if the daemon does not run.
func (s *stage) apply(tick int, slot time.Time, active []*fault) *circumstance {
	s.t.Helper()
	c := &circumstance{tick: tick, slot: slot}
	var down, reload, broken, skewed *fault
	for _, f := range active {
		switch {
		case f.place == onWire:
			c.wire = append(c.wire, f)
		case f.name == "SIGTERM in a tick":
			down = f
		case f.name == "reload in a tick":
			reload = f
		case f.name == "bad configuration":
			broken = f
		case f.name == "daemon's clock ahead":
			skewed = f
		}
	}
	s.rotate(c)
	s.shift(c, skewed != nil)
	// A client waits by the monotonic clock, which cannot be set back. This one can.
	s.proxy.begin(tick, c.wire, s.wanted(tick), s.jumped)
	switch {
	case down != nil && down.from == tick && s.daemon != nil:
		s.interrupt(c, func() { s.must(s.daemon.stop()) })
		s.daemon = nil
	case reload != nil && s.daemon != nil && !s.broken:
		s.interrupt(c, func() { s.reload(http.StatusOK) })
		c.interrupted = true
	default:
		s.clock.set(c.slot)
	}
	if s.daemon == nil && (down == nil || tick == down.to-1) {
		s.begin(c)
	}
	if mended := s.configure(broken != nil); mended {
		c.interrupted = true
	}
	c.broken = s.broken
	if s.daemon == nil {
		return nil
	}
	s.must(s.daemon.await(c.slot))
	return c
}

// begin starts the daemon, with a file that can be read.
func (s *stage) begin(c *circumstance) {
	s.configure(false)
	s.daemon = s.start("daemon.yaml", s.clock)
	c.begun, c.jumped, c.rewound = true, 0, false
	if c.tick > 0 {
		s.restarts++
	}
}

// wanted is the token that Prometheus asks for.
func (s *stage) wanted(tick int) string {
	n := 0
	for _, f := range s.faults {
		if f.name == "token rotated" && f.from <= tick {
			n++
		}
	}
	return fmt.Sprint("token-", n)
}

// rotate writes the token that is asked for, unless its rotation is late.
func (s *stage) rotate(c *circumstance) {
	want, late := s.wanted(c.tick), false
	for _, f := range c.wire {
		late = late || (f.name == "token rotated" && f.variant%3 > 0)
	}
	if !late && s.token != want {
		s.token = want
		s.write("token", want+"\n")
	}
	c.locked = s.token != want
}

// shift says what the daemon's clock will show, which may be ahead.
func (s *stage) shift(c *circumstance, skewed bool) {
	if skewed {
		c.slot = c.slot.Add(ahead * interval)
	}
	if s.daemon != nil {
		c.rewound = s.jumped && !skewed
		if skewed && !s.jumped {
			c.jumped = ahead
		}
	}
	s.jumped = skewed
}

// interrupt begins a tick, and does something while its queries are under way, if any arrive.
func (s *stage) interrupt(c *circumstance, do func()) {
	release := s.proxy.hold()
	defer release()
	s.clock.set(c.slot)
	if c.outcome("") != unanswered {
		select {
		case <-s.proxy.arrived:
		case <-time.After(patience):
			s.t.Fatalf("seed %d, tick %d: no query arrived under %v", s.seed, c.tick, lasting(s.faults, c.tick))
		}
	}
	do()
}

// configure breaks the file of the daemon or mends it, and has it read. A daemon that reads
// a good one begins again with the tick.
func (s *stage) configure(broken bool) (mended bool) {
	if broken == s.broken || s.daemon == nil && broken {
		return false
	}
	good := configuration(s.proxy.server.URL, secured)
	s.broken = broken
	if broken {
		s.write("daemon.yaml", good+"  - {namespace: inference, name: chat, replicas: {min: 5, max: 1}}\n")
		s.reload(http.StatusInternalServerError)
		return false
	}
	s.write("daemon.yaml", good)
	if s.daemon != nil {
		s.reload(http.StatusOK)
	}
	return true
}

// reload asks the daemon to read its file.
func (s *stage) reload(want int) {
	s.t.Helper()
	got, err := s.daemon.reload(s.t.Context())
	s.must(err)
	if got != want {
		s.t.Errorf("seed %d: reload: got status %d, want %d", s.seed, got, want)
	}
}
