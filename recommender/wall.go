package recommender

import "time"

// A wall is a minute as a clock on the wall shows it, in no particular zone.
type wall struct{ year, month, day, hour, minute int }

// clock returns the latest minute that the clock of t's zone has shown up to t.
// It never runs backwards: while an hour repeats it stands at the hour's end, and
// when an hour is skipped it jumps over it. So an event at a wall time has
// happened exactly if that time is not after clock(now), whatever the clocks did.
func clock(t time.Time) wall {
	// No zone ever went back by more than a day and a bit.
	const most = 26 * time.Hour
	if start, _ := t.ZoneBounds(); !start.IsZero() && t.Sub(start) < most {
		before := start.Add(-1)
		_, was := before.Zone()
		_, is := t.Zone()
		if back := time.Duration(was-is) * time.Second; t.Sub(start) < back {
			t = before
		}
	}
	year, month, day := t.Date()
	hour, minute, _ := t.Clock()
	return wall{year, int(month), day, hour, minute}
}

// first returns the first instant at which the clock of loc shows w or later.
func (w wall) first(loc *time.Location) time.Time {
	const most = 26 * time.Hour
	naive := time.Date(w.year, time.Month(w.month), w.day, w.hour, w.minute, 0, 0, time.UTC)
	at := naive.Add(-most).In(loc)
	for {
		start, end := at.ZoneBounds()
		_, offset := at.Zone()
		t := naive.Add(-time.Duration(offset) * time.Second).In(loc)
		if t.Before(start) {
			return start
		}
		if end.IsZero() || t.Before(end) {
			return t
		}
		at = end
	}
}

// before reports whether w comes before v.
func (w wall) before(v wall) bool { return w.order() < v.order() }

// order numbers the minutes, with gaps.
func (w wall) order() int {
	return (((w.year*13+w.month)*32+w.day)*24+w.hour)*60 + w.minute
}

// weekday returns the day of the week of the first of a month; Sunday is 0.
func weekday(year, month int) int {
	// Sakamoto's method: a year begins in March, so that leap days come last.
	shift := [...]int{0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4}
	if month < 3 {
		year--
	}
	return (year + year/4 - year/100 + year/400 + shift[month-1] + 1) % 7
}

// daysIn returns the number of days of a month.
func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	default:
		return 31
	}
}
