package trace_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

func TestParse(t *testing.T) {
	usual := func(rate trace.Rate, end float64) trace.Generator {
		return trace.Generator{Rate: rate, Prompt: trace.Uniform(700, 1300), Output: trace.Uniform(100, 300), End: end}
	}
	gamma := func(g trace.Generator, cv float64) trace.Generator {
		g.Arrivals = trace.Gamma(cv)
		return g
	}
	long := usual(trace.Constant(2), 600)
	long.Prompt, long.Output = trace.LogNormal(1000, 1.5).AtMost(8192), trace.Fixed(64)
	points := []trace.Point{{At: 0, Rate: 3}, {At: 180, Rate: 10}, {At: 360, Rate: 0}}
	tests := map[string]trace.Generator{
		"poisson:rate=10,end=600":                                         usual(trace.Constant(10), 600),
		"poisson:end=10m,rate=1e1":                                        usual(trace.Constant(10), 600),
		"gamma:rate=10,cv=3,end=600s":                                     gamma(usual(trace.Constant(10), 600), 3),
		"steps:0=3,180=10,360=0,end=1500":                                 usual(trace.Steps(points...), 1500),
		"steps:0=3,3m=10,6m=0,end=0.5h,cv=2":                              gamma(usual(trace.Steps(points...), 1800), 2),
		"ramp:0=3,180=10,360=0,end=1500":                                  usual(trace.Ramps(points...), 1500),
		"diurnal:mean=1,amplitude=0.8,end=2d":                             usual(trace.Diurnal(1, 0.8, 86400, 0), 172800),
		"diurnal:mean=9,amplitude=9,period=1h,phase=15m,end=2h":           usual(trace.Diurnal(9, 9, 3600, 900), 7200),
		"schedule:idle=0.1,8h-18h=1,end=1d":                               usual(trace.Schedule(0.1, 86400, trace.Span{From: 28800, To: 64800, Rate: 1}), 86400),
		"schedule:idle=1,end=1h,period=60,20-30=9":                        usual(trace.Schedule(1, 60, trace.Span{From: 20, To: 30, Rate: 9}), 3600),
		"wake:rate=5,on=60,off=600,end=3600":                              usual(trace.Wake(5, 60, 600), 3600),
		"poisson:rate=2,end=600,prompt=lognormal:1000:1.5:8192,output=64": long,
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			got, err := trace.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := all(t, got, 4), all(t, want, 4); len(a) < 50 || !slices.Equal(a, b) {
				t.Errorf("got %d requests, want the same %d as from Go", len(a), len(b))
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	const (
		kinds  = "must begin with one of diurnal, gamma, poisson, ramp, schedule, steps, wake, got "
		number = `must be a number of 0 or more, got `
		time   = `must be seconds, or a number with s, m, h or d, up to ten years, got `
		tokens = `must be TOKENS, LO-HI or lognormal:MEAN:CV[:MOST], got `
	)
	tests := map[string]string{
		"":                               kinds + `""`,
		"rate=10":                        kinds + `"rate=10"`,
		"Poisson:rate=10,end=600":        kinds + `"Poisson"`,
		"poisson":                        `must be KEY=VALUE, got ""`,
		"poisson:":                       `must be KEY=VALUE, got ""`,
		"poisson:10":                     `must be KEY=VALUE, got "10"`,
		"poisson:rate=,end=600":          `must be KEY=VALUE, got "rate="`,
		"poisson:=10,end=600":            `must be KEY=VALUE, got "=10"`,
		"poisson:rate=10,end=600,":       `must be KEY=VALUE, got ""`,
		"poisson:rat=10,end=600":         `unknown key "rat", must be one of rate, end, prompt, output`,
		"poisson:rate=10,cv=2,end=600":   `unknown key "cv", must be one of rate, end, prompt, output`,
		"poisson:rate=10,0=5,end=600":    `unknown key "0", must be one of rate, end, prompt, output`,
		"poisson:rate=10, end=600":       `unknown key " end", must be one of rate, end, prompt, output`,
		"poisson:rate=1,rate=2,end=600":  `rate must be there once, got 1 and 2`,
		"poisson:end=600":                "rate is missing",
		"poisson:rate=10":                "end is missing",
		"gamma:rate=10,end=600":          "cv is missing",
		"poisson:rate=ten,end=600":       "rate: " + number + `"ten"`,
		"poisson:rate=-1,end=600":        "rate: " + number + `"-1"`,
		"poisson:rate=NaN,end=600":       "rate: " + number + `"NaN"`,
		"poisson:rate=Inf,end=600":       "rate: " + number + `"Inf"`,
		"poisson:rate=1e400,end=600":     "rate: " + number + `"1e400"`,
		"poisson:rate=1e7,end=600":       "rate must be from 0 to 1000000, got 10000000",
		"poisson:rate=0,end=600":         "requests expected until the end must be from 1e-06 to 1000000000, got 0",
		"steps:0=0,500=0,end=600":        "requests expected until the end must be from 1e-06 to 1000000000, got 0",
		"poisson:rate=10,end=0":          "end must be from 1 to 315360000, got 0",
		"poisson:rate=10,end=-5":         "end: " + time + `"-5"`,
		"poisson:rate=10,end=soon":       "end: " + time + `"soon"`,
		"poisson:rate=10,end=1w":         "end: " + time + `"1w"`,
		"poisson:rate=10,end=1h30m":      "end: " + time + `"1h30m"`,
		"poisson:rate=10,end=s":          "end: " + time + `"s"`,
		"poisson:rate=10,end=NaN":        "end: " + time + `"NaN"`,
		"poisson:rate=1,end=3651d":       "end: " + time + `"3651d"`,
		"poisson:rate=10,end=3650d":      "requests expected until the end must be from 1e-06 to 1000000000, got 3153600000",
		"gamma:rate=10,cv=0.001,end=600": "cv must be 0 or from 0.01 to 100, got 0.001",
		"gamma:rate=10,cv=101,end=600":   "cv must be 0 or from 0.01 to 100, got 101",
		"gamma:rate=10,cv=x,end=600":     "cv: " + number + `"x"`,

		"ramp:0=0,1=1e-300,end=600":                 "requests expected until the end must be from 1e-06 to 1000000000, got 5.995000000000001e-298",
		"steps:end=600":                             "must have a rate at second 0, got none",
		"steps:10=5,end=600":                        "must have a rate at second 0, got the first at 10",
		"steps:0=5,20=1,10=2,end=600":               "second must be from 20 to 315360000, got 10",
		"steps:0=5,10=1,10=2,end=600":               "must have one rate at second 10, got 1 and 2",
		"steps:0=5,700=1,end=600":                   "must have no rate behind the end at second 600, got one at 700",
		"steps:0=5,-7=1,end=600":                    "-7: " + time + `"-7"`,
		"steps:0=5,10=x,end=600":                    "10: " + number + `"x"`,
		"steps:0=5,10=1e7,end=600":                  "rate at second 10 must be from 0 to 1000000, got 10000000",
		"ramp:0=5,20=1,10=2,end=600":                "second must be from 20 to 315360000, got 10",
		"ramp:0=5,700=1,end=600":                    "must have no rate behind the end at second 600, got one at 700",
		"diurnal:mean=1,end=1d":                     "amplitude is missing",
		"diurnal:mean=1,amplitude=2,end=9":          "amplitude must be from 0 to the mean 1, got 2",
		"diurnal:mean=0,amplitude=0,end=9":          "requests expected until the end must be from 1e-06 to 1000000000, got 0",
		"diurnal:mean=2,amplitude=1,period=0,end=9": "period must be from 1 to 315360000, got 0",
		"schedule:idle=1,8h=2,end=1d":               `8h: must be FROM-TO, got "8h"`,
		"schedule:idle=1,9h-8h=2,end=1d":            "span 32400-28800 must begin at 0 or later and end after that, by the period of 86400",
		"schedule:idle=1,1h-3h=2,2h-4h=1,end=1d":    "span 7200-14400 must begin at 10800 or later and end after that, by the period of 86400",
		"schedule:idle=1,50-70=2,period=1m,end=1d":  "span 50-70 must begin at 0 or later and end after that, by the period of 60",
		"schedule:idle=1,1h-x=2,end=1d":             "1h-x: " + time + `"x"`,
		"schedule:idle=1,1h-2h=y,end=1d":            "1h-2h: " + number + `"y"`,
		"schedule:idle=1,1-2=1e7,end=1d":            "rate of span 1-2 must be from 0 to 1000000, got 10000000",
		"wake:rate=5,on=0,off=9,end=99":             "on must be from 1 to 315360000, got 0",
		"wake:rate=5,on=9,off=0,end=99":             "off must be from 1 to 315360000, got 0",
		"wake:rate=5,on=9,off=99,end=99":            "requests expected until the end must be from 1e-06 to 1000000000, got 0",

		"poisson:rate=1,end=9,prompt=0":                "prompt: must be 1 to 10000000 tokens, got 0",
		"poisson:rate=1,end=9,output=0-5":              "output: must be 1 to 10000000 tokens, got 0",
		"poisson:rate=1,end=9,prompt=1-10000001":       "prompt: must be 1 to 10000000 tokens, got 10000001",
		"poisson:rate=1,end=9,prompt=9-5":              "prompt: must not run backwards, got 9-5",
		"poisson:rate=1,end=9,prompt=-5":               "prompt: " + tokens + `"-5"`,
		"poisson:rate=1,end=9,prompt=1.5":              "prompt: " + tokens + `"1.5"`,
		"poisson:rate=1,end=9,prompt=normal:5:1":       "prompt: " + tokens + `"normal:5:1"`,
		"poisson:rate=1,end=9,prompt=lognormal:5":      `prompt: must be lognormal:MEAN:CV[:MOST], got "lognormal:5"`,
		"poisson:rate=1,end=9,prompt=lognormal:x:1":    `prompt: mean: ` + number + `"x"`,
		"poisson:rate=1,end=9,prompt=lognormal:5:x":    `prompt: cv: ` + number + `"x"`,
		"poisson:rate=1,end=9,prompt=lognormal:0.5:1":  "prompt: mean of tokens must be from 1 to 10000000, got 0.5",
		"poisson:rate=1,end=9,prompt=lognormal:5:101":  "prompt: cv of tokens must be from 0 to 100, got 101",
		"poisson:rate=1,end=9,prompt=lognormal:5:1:x":  `prompt: most: must be a whole number, got "x"`,
		"poisson:rate=1,end=9,prompt=lognormal:5:1:0":  "prompt: must be 1 to 10000000 tokens, got 0",
		"poisson:rate=1,end=9,output=lognormal:5:1:-1": "output: must be 1 to 10000000 tokens, got -1",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			want := `trace "` + text + `": ` + want
			if _, err := trace.Parse(text); err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

// What Parse cannot express is refused too when the generator is built in Go.
func TestGeneratorErrors(t *testing.T) {
	nan := math.NaN()
	with := func(change func(*trace.Generator)) trace.Generator {
		g := generator(trace.Constant(1), 10)
		change(&g)
		return g
	}
	tests := map[string]trace.Generator{
		"rate must be set":                        with(func(g *trace.Generator) { g.Rate = nil }),
		"rate must be from 0 to 1000000, got NaN": with(func(g *trace.Generator) { g.Rate = trace.Constant(nan) }),
		"second must be from 0 to 315360000, got NaN": with(func(g *trace.Generator) {
			g.Rate = trace.Ramps(trace.Point{Rate: 1}, trace.Point{At: nan, Rate: 1})
		}),
		"span NaN-5 must begin at 0 or later and end after that, by the period of 60": with(func(g *trace.Generator) {
			g.Rate = trace.Schedule(1, 60, trace.Span{From: nan, To: 5, Rate: 1})
		}),
		"amplitude must be from 0 to the mean 5, got NaN":            with(func(g *trace.Generator) { g.Rate = trace.Diurnal(5, nan, 60, 0) }),
		"phase must be from -315360000 to 315360000, got NaN":        with(func(g *trace.Generator) { g.Rate = trace.Diurnal(5, 1, 60, nan) }),
		"end must be from 1 to 315360000, got NaN":                   with(func(g *trace.Generator) { g.End = nan }),
		"end must be from 1 to 315360000, got +Inf":                  with(func(g *trace.Generator) { g.End = math.Inf(1) }),
		"cv must be 0 or from 0.01 to 100, got NaN":                  with(func(g *trace.Generator) { g.Arrivals = trace.Gamma(nan) }),
		"cv must be 0 or from 0.01 to 100, got -1":                   with(func(g *trace.Generator) { g.Arrivals = trace.Gamma(-1) }),
		"prompt: must be set":                                        with(func(g *trace.Generator) { g.Prompt = trace.Lengths{} }),
		"output: must be set":                                        with(func(g *trace.Generator) { g.Output = trace.Lengths{}.AtMost(5) }),
		"output: must be 1 to 10000000 tokens, got 0":                with(func(g *trace.Generator) { g.Output = trace.Fixed(0) }),
		"prompt: mean of tokens must be from 1 to 10000000, got NaN": with(func(g *trace.Generator) { g.Prompt = trace.LogNormal(nan, 1) }),
	}
	for want, g := range tests {
		if _, err := g.Open(0); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"poisson:rate=10,end=10m", "gamma:rate=10,cv=3,end=600,prompt=lognormal:1000:1.5,output=50-150",
		"steps:0=3,180=10,360=0,end=500,cv=0.01", "ramp:0=3,180=0,180=30,360=5e-324,end=500", "schedule:idle=1,8h-18h=20,20h-21h=0,end=1d",
		"diurnal:mean=10,amplitude=10,period=1,phase=6h,end=1h", "wake:rate=1e6,on=1,off=10,end=99,cv=100",
	} {
		f.Add(text, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		tr, err := trace.Parse(text)
		if err != nil {
			if tr != nil || !strings.HasPrefix(err.Error(), "trace ") {
				t.Errorf("got %v and %v, want an error that names the trace", tr, err)
			}
			return
		}
		checkStart(t, tr, seed)
	})
}

// checkStart reads the start of a trace and checks that the requests are valid and in order.
func checkStart(t *testing.T, tr trace.Trace, seed uint64) {
	t.Helper()
	r, err := tr.Open(seed)
	if err != nil {
		t.Fatal(err)
	}
	last := 0.0
	for range 1000 {
		q, err := r.Next()
		if err != nil {
			return
		}
		if !(q.At >= last) || !valid(q) {
			t.Fatalf("got %+v after %v, want a valid request not before it", q, last)
		}
		last = q.At
	}
}
