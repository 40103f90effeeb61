package hpa

import (
	"slices"
	"testing"
	"time"
)

func TestRecordUsesTheLastSlotOlderThanTheWindow(t *testing.T) {
	recs := []Recommendation{{1, at(0)}, {2, at(10)}, {3, at(60)}}
	for name, c := range map[string]struct {
		now  float64
		want []int32
	}{
		"none is older":                     {now: 59, want: []int32{1, 2, 3, 9}},
		"age equal to the window stays":     {now: 60, want: []int32{1, 2, 3, 9}},
		"one is older":                      {now: 60.001, want: []int32{9, 2, 3}},
		"two are older, the last gives way": {now: 71, want: []int32{1, 9, 3}},
		"all are older":                     {now: 200, want: []int32{1, 2, 9}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []int32
			for _, r := range record(slices.Clone(recs), Recommendation{9, at(c.now)}, time.Minute) {
				got = append(got, r.Replicas)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestSlots(t *testing.T) {
	type event struct {
		at      float64
		change  int32
		longest time.Duration
	}
	for name, c := range map[string]struct {
		events []event
		want   []int32
	}{
		"young events are kept": {[]event{
			{0, 1, minute}, {30, 2, minute}, {60, 3, minute}, // age equal to the period is not stale
		}, []int32{1, 2, 3}},
		"a stale slot is used again": {[]event{
			{0, 1, minute}, {30, 2, minute}, {61, 3, minute},
		}, []int32{3, 2}},
		"of several stale slots the last": {[]event{
			{0, 1, minute}, {30, 2, minute}, {100, 3, minute},
		}, []int32{1, 3}},
		// At 100 both are stale; the first is still there at 110, and is what gives way,
		// although the period has become so long that neither would be stale now.
		"once stale, always stale": {[]event{
			{0, 1, minute}, {30, 2, minute}, {100, 3, minute}, {110, 4, time.Hour},
		}, []int32{4, 3}},
		"a slot used again is fresh": {[]event{
			{0, 1, minute}, {61, 2, minute}, {62, 3, minute},
		}, []int32{2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			var s slots
			for _, e := range c.events {
				s.store(Event{e.change, at(e.at)}, e.longest)
			}
			var got []int32
			for _, e := range s.events {
				got = append(got, e.Change)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
