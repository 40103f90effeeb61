package trace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A kind is a sort of generator in the text form.
type kind struct {
	// required and optional keys, beside those that all kinds have.
	required, optional []string
	// timed is whether keys can be times too.
	timed bool
	// rate builds the rate once the keys were checked.
	rate func(*fields) Rate
}

var kinds = map[string]kind{
	"poisson": {
		required: []string{"rate"},
		rate:     func(f *fields) Rate { return Constant(f.number("rate")) },
	},
	"gamma": {
		required: []string{"rate", "cv"},
		rate:     func(f *fields) Rate { return Constant(f.number("rate")) },
	},
	"steps": {
		optional: []string{"cv"}, timed: true,
		rate: func(f *fields) Rate { return Steps(f.points()...) },
	},
	"ramp": {
		optional: []string{"cv"}, timed: true,
		rate: func(f *fields) Rate { return Ramps(f.points()...) },
	},
	"diurnal": {
		required: []string{"mean", "amplitude"}, optional: []string{"cv", "period", "phase"},
		rate: func(f *fields) Rate {
			return Diurnal(f.number("mean"), f.number("amplitude"), f.time("period"), f.time("phase"))
		},
	},
	"schedule": {
		required: []string{"idle"}, optional: []string{"cv", "period"}, timed: true,
		rate: func(f *fields) Rate { return Schedule(f.number("idle"), f.time("period"), f.spans()...) },
	},
	"wake": {
		required: []string{"rate", "on", "off"}, optional: []string{"cv"},
		rate: func(f *fields) Rate { return Wake(f.number("rate"), f.time("on"), f.time("off")) },
	},
}

// Parse returns the generator that a text asks for, such as
//
//	poisson:rate=10,end=10m
//	gamma:rate=10,cv=3,end=600
//	steps:0=3,180=10,360=30,720=0,end=1500,cv=2
//	ramp:0=3,180=3,360=30,360=5,end=1500
//	diurnal:mean=10,amplitude=8,period=1d,phase=6h,end=7d
//	schedule:idle=1,8h-18h=20,20h-21h=5,period=1d,end=7d
//	wake:rate=5,on=60,off=600,end=3600,prompt=lognormal:1000:1.5,output=50-150
//
// Times are seconds, or have a unit s, m, h or d; rates are requests per second. The keys
// mean what [Constant], [Gamma], [Steps], [Ramps], [Diurnal], [Schedule] and [Wake] say; a
// cv can be left out, then arrivals are [Poisson], and so can a period of 1d and a phase
// of 0. All kinds need an end and take prompt (700-1300 if left out) and output (100-300):
// a number, LO-HI for [Uniform], or lognormal:MEAN:CV, with :MOST for at most so many.
func Parse(text string) (Trace, error) {
	g, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("trace %q: %w", text, err)
	}
	return g, nil
}

func parse(text string) (Generator, error) {
	name, rest, _ := strings.Cut(text, ":")
	k, ok := kinds[name]
	if !ok {
		names := strings.Join(slices.Sorted(maps.Keys(kinds)), ", ")
		return Generator{}, fmt.Errorf("must begin with one of %s, got %q", names, name)
	}
	f, err := parseFields(k, rest)
	if err != nil {
		return Generator{}, err
	}
	g := Generator{Rate: k.rate(f), Prompt: f.lengths("prompt"), Output: f.lengths("output"), End: f.time("end")}
	if f.has("cv") {
		g.Arrivals = Gamma(f.number("cv"))
	}
	if f.err != nil {
		return Generator{}, f.err
	}
	return g, g.validate()
}
