package main

import "time"

// A phase is a stretch of traffic: requests a second, going straight from one rate to
// another.
type phase struct {
	name     string
	length   time.Duration
	from, to float64
}

// A pattern is what the users do, phase after phase, and again from the start.
type pattern []phase

// usual shows everything a recommender does within ninety seconds. One replica serves some
// six requests a second, so the climb needs four or five, and the silence outlasts window and
// cooldown by enough to be seen.
var usual = pattern{
	{"ramps up", 20 * time.Second, 1, 20},
	{"holds", 10 * time.Second, 20, 20},
	{"falls", 12 * time.Second, 20, 2},
	{"goes silent", 26 * time.Second, 0, 0},
	{"wakes", 12 * time.Second, 2, 5},
	{"holds", 10 * time.Second, 5, 5},
}

// at is the phase and the rate some time after the start.
func (p pattern) at(t time.Duration) (phase, float64) {
	t %= p.length()
	for _, ph := range p {
		if t < ph.length {
			return ph, ph.from + (ph.to-ph.from)*t.Seconds()/ph.length.Seconds()
		}
		t -= ph.length
	}
	return phase{}, 0
}

// length is how long the pattern takes.
func (p pattern) length() time.Duration {
	var sum time.Duration
	for _, ph := range p {
		sum += ph.length
	}
	return sum
}

// traffic turns the rates of a pattern into whole requests.
type traffic struct {
	pattern pattern
	due     float64 // What part of the next request has arrived.
}

// arrivals is how many requests arrive in the step of length dt that ends at t.
func (tr *traffic) arrivals(t, dt time.Duration) int {
	_, rate := tr.pattern.at(t)
	tr.due += rate * dt.Seconds()
	n := int(tr.due)
	tr.due -= float64(n)
	return n
}
