package hpa

import (
	"math"
	"testing"
	"time"
)

const minute = time.Minute

func TestChange(t *testing.T) {
	events := []Event{{5, at(0)}, {3, at(30)}}
	for name, c := range map[string]struct {
		now    float64
		period time.Duration
		want   int32
	}{
		"both are young enough":          {now: 59.999, period: minute, want: 8},
		"age equal to the period is out": {now: 60, period: minute, want: 3},
		"age zero counts":                {now: 30, period: 1, want: 3},
		"both are too old":               {now: 90, period: minute, want: 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Change(events, at(c.now), c.period); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	both := []Policy{{Pods, 4, minute}, {Percent, 100, minute}}
	for name, c := range map[string]struct {
		current    int32
		policies   []Policy
		choose     Select
		ups, downs []Event
		up, down   int32
	}{
		"pods add and take away": {current: 10, policies: []Policy{{Pods, 3, minute}}, up: 13, down: 7},
		// 100 * (1 + 10.0/100) is 110.00000000000001.
		"ten percent up from 100 is 111": {current: 100, policies: []Policy{{Percent, 10, minute}}, up: 111, down: 90},
		// 10 * (1 - 90.0/100) is 0.9999999999999998.
		"ninety percent down from 10 is 0": {current: 10, policies: []Policy{{Percent, 90, minute}}, up: 19, down: 0},
		"percent of nothing is nothing":    {current: 0, policies: []Policy{{Percent, 100, minute}}, up: 0, down: 0},
		"the empty select is max":          {current: 10, policies: both, up: 20, down: 0},
		"max takes the largest change":     {current: 10, policies: both, choose: Max, up: 20, down: 0},
		"min takes the smallest change":    {current: 10, policies: both, choose: Min, up: 14, down: 6},
		"disabled allows no change":        {current: 10, policies: both, choose: Disabled, up: 10, down: 10},
		"no policy allows no change":       {current: 10, up: 10, down: 10},
		"max looks past the first policy":  {current: 2, policies: []Policy{{Percent, 10, minute}, {Pods, 4, minute}}, up: 6, down: -2},
		// 10 + 2147483647 wraps below zero and forbids what it seems to allow.
		"an unlimited value wraps": {current: 10, policies: []Policy{{Pods, math.MaxInt32, minute}}, up: math.MinInt32 + 9, down: 10 - math.MaxInt32},
		// 3e9 does not fit an int32; amd64 makes the lowest int32 of it, and so do we everywhere.
		"a percentage out of range is the lowest int32": {current: 1 << 30, policies: []Policy{{Percent, 200, minute}}, up: math.MinInt32, down: -1 << 30},
		"ups are taken from the start": {
			current: 10, policies: []Policy{{Pods, 3, minute}},
			ups: []Event{{2, at(31)}}, up: 11, down: 5,
		},
		"downs are given back": {
			current: 10, policies: []Policy{{Pods, 3, minute}},
			downs: []Event{{2, at(31)}}, up: 15, down: 9,
		},
		"ups and downs cancel": {
			current: 10, policies: []Policy{{Pods, 3, minute}},
			ups: []Event{{6, at(31)}}, downs: []Event{{6, at(40)}}, up: 13, down: 7,
		},
		"an event as old as the period is forgotten": { // now is 90
			current: 10, policies: []Policy{{Pods, 3, minute}},
			ups: []Event{{2, at(30)}}, up: 13, down: 7,
		},
		"every policy has its own period": {
			current: 10, policies: []Policy{{Pods, 3, minute}, {Pods, 4, 2 * minute}},
			ups: []Event{{4, at(0)}}, up: 13, down: 2,
		},
		"used up, the limits pass current": {
			current: 10, policies: []Policy{{Pods, 3, minute}},
			ups: []Event{{8, at(60)}}, up: 5, down: -1,
		},
		"the start may be below zero": { // someone else scaled 20 down to 1 meanwhile
			current: 1, policies: []Policy{{Percent, 100, minute}},
			ups: []Event{{19, at(60)}}, up: -36, down: 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := Rules{Policies: c.policies, Select: c.choose}
			if got := UpLimit(c.current, r, c.ups, c.downs, at(90)); got != c.up {
				t.Errorf("UpLimit: got %d, want %d", got, c.up)
			}
			if got := DownLimit(c.current, r, c.ups, c.downs, at(90)); got != c.down {
				t.Errorf("DownLimit: got %d, want %d", got, c.down)
			}
		})
	}
}

func TestLimitsDoNotAllocate(t *testing.T) {
	r := Rules{Policies: []Policy{{Pods, 4, minute}, {Percent, 100, minute}}}
	events := []Event{{2, at(31)}}
	if n := testing.AllocsPerRun(100, func() {
		UpLimit(10, r, events, events, at(90))
		DownLimit(10, r, events, events, at(90))
	}); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}

func TestWithin(t *testing.T) {
	for name, c := range map[string]struct {
		ratio, down, up float64
		want            bool
	}{
		"the upper border belongs to it": {1.1, 0.1, 0.1, true},
		"the lower border belongs to it": {0.9, 0.1, 0.1, true},
		"above it":                       {1.1000000000000003, 0.1, 0.1, false},
		"below it":                       {0.8999999999999999, 0.1, 0.1, false},
		"each direction has its own":     {1.2, 0, 0.2, true},
		"no tolerance leaves 1":          {1, 0, 0, true},
		// 1 - 0.58 is 0.42000000000000004.
		"a border of float64 can miss its decimal": {0.42, 0.58, 0.58, false},
		"NaN is outside":      {math.NaN(), 1, 1, false},
		"infinity is outside": {math.Inf(1), 1, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Within(c.ratio, c.down, c.up); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestToInt32(t *testing.T) {
	for name, c := range map[string]struct {
		f    float64
		want int32
	}{
		"towards zero from above":      {0.9999999999999998, 0},
		"towards zero from below":      {-1.5, -1},
		"the highest int32":            {math.MaxInt32, math.MaxInt32},
		"still cut off to the highest": {math.MaxInt32 + 0.5, math.MaxInt32},
		"one more":                     {math.MaxInt32 + 1, math.MinInt32},
		"the lowest int32":             {math.MinInt32, math.MinInt32},
		"still cut off to the lowest":  {math.MinInt32 - 0.5, math.MinInt32},
		"one less":                     {math.MinInt32 - 1, math.MinInt32},
		"infinity":                     {math.Inf(1), math.MinInt32},
		"not a number":                 {math.NaN(), math.MinInt32},
	} {
		t.Run(name, func(t *testing.T) {
			if got := toInt32(c.f); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
