package trace

import (
	"bytes"
	_ "embed" // for the requests of seed 0
)

//go:embed seed000.csv.gz
var seed000 []byte

const (
	seed000Name = "seed000"
	rampName    = "seed000-ramp"

	// seconds000 is how long both last.
	seconds000 = 1500
)

// Default returns the life of a small service in 1500 seconds: a trickle of 3 requests per
// second, steps to 30 within three minutes, a plateau, a fall, silence and a late awakening.
//
// Seed 0 gives a fixed list of 15,549 requests, on which the figures in the documentation
// were computed. It is a reconstruction: Poisson arrivals by thinning in the steps of a
// published description, chosen near its published results. The list behind those was
// never published. Any other seed gives a fresh draw of the same steps.
func Default() Trace { return defaultTrace{} }

type defaultTrace struct{}

func (defaultTrace) Open(seed uint64) (Reader, error) {
	if seed == 0 {
		return NewCSV(seed000Name+".csv.gz", bytes.NewReader(seed000)), nil
	}
	return small(Steps(
		Point{0, 3}, Point{180, 10}, Point{270, 21}, Point{360, 30},
		Point{720, 12}, Point{780, 4}, Point{960, 0}, Point{1320, 0.25},
	)).Open(seed)
}

// Ramp returns [Default] with a straight rise from 3 to 30 requests per second where that
// has steps. Every seed is a draw.
func Ramp() Trace {
	return small(Ramps(
		Point{0, 3}, Point{180, 3}, Point{360, 30}, Point{720, 30},
		Point{720, 12}, Point{780, 12}, Point{780, 4}, Point{960, 4},
		Point{960, 0}, Point{1320, 0}, Point{1320, 0.25},
	))
}

// small is the lengths and the end that both have.
func small(r Rate) Generator {
	return Generator{Rate: r, Prompt: Uniform(700, 1300), Output: Uniform(100, 300), End: seconds000}
}

// Builtins returns the names of the traces that come with the program, in order.
func Builtins() []string {
	return []string{seed000Name, rampName}
}

// Builtin returns a trace that comes with the program.
func Builtin(name string) (Trace, bool) {
	switch name {
	case seed000Name:
		return Default(), true
	case rampName:
		return Ramp(), true
	}
	return nil, false
}
