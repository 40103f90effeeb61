package recommender

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// A Cron is a set of wall-clock minutes, written as a crontab expression of five
// fields. Start from [ParseCron]; the zero Cron never fires.
type Cron struct {
	// Bit n of a field is value n.
	minutes     uint64
	hours, days uint32
	months      uint16
	weekdays    uint8 // bit 0 is Sunday
	anyDay      bool  // the day of the month is written with a star
	anyWeekday  bool
	text        string
}

// Full day fields.
const (
	everyDay     = 1<<32 - 2
	everyWeekday = 1<<7 - 1
)

// A cronField is one of the five fields of an expression.
type cronField struct {
	name     string
	min, max int
	names    string // three letters each, from min on
}

var cronFields = [...]cronField{
	{name: "minute", max: 59},
	{name: "hour", max: 23},
	{name: "day of month", min: 1, max: 31},
	{name: "month", min: 1, max: 12, names: "janfebmaraprmayjunjulaugsepoctnovdec"},
	{name: "day of week", max: 7, names: "sunmontuewedthufrisat"}, // 7 is Sunday too
}

// ParseCron reads a crontab expression: minute, hour, day of month, month and day
// of week, each a list of values, ranges and steps such as 1-5, */15 or mon,wed.
// As in Vixie cron, a day matches either day field if both are restricted.
func ParseCron(text string) (Cron, error) {
	c, err := parseCron(text)
	if err != nil {
		return Cron{}, fmt.Errorf("cron %q: %w", text, err)
	}
	return c, nil
}

func parseCron(text string) (Cron, error) {
	words := strings.Fields(text)
	if len(words) != len(cronFields) {
		return Cron{}, fmt.Errorf("must have 5 fields (minute, hour, day of month, month, day of week), got %d", len(words))
	}
	var sets [len(cronFields)]uint64
	from := 0
	for i, word := range words {
		at := from + strings.Index(text[from:], word)
		from = at + len(word)
		set, err := cronFields[i].parse(word, at+1)
		if err != nil {
			return Cron{}, fmt.Errorf("%s: %w", cronFields[i].name, err)
		}
		sets[i] = set
	}
	c := Cron{
		minutes: sets[0], hours: uint32(sets[1]), days: uint32(sets[2]), months: uint16(sets[3]),
		weekdays: uint8(sets[4]&0x7f | sets[4]>>7),
		anyDay:   words[2][0] == '*', anyWeekday: words[4][0] == '*',
		text: strings.Join(words, " "),
	}
	if _, fires := c.next(wall{year: 2000, month: 1}); !fires {
		return Cron{}, errors.New("never fires: no such date")
	}
	return c, nil
}

// parse reads a comma-separated list whose first character is at that position.
func (f *cronField) parse(list string, position int) (uint64, error) {
	var set uint64
	for item := range strings.SplitSeq(list, ",") {
		bitset, err := f.parseItem(item)
		if err != nil {
			return 0, fmt.Errorf("position %d: %w", position, err)
		}
		set |= bitset
		position += len(item) + len(",")
	}
	return set, nil
}

// parseItem reads a value, a range or a star, with or without a step.
func (f *cronField) parseItem(item string) (uint64, error) {
	span, stepText, stepped := strings.Cut(item, "/")
	lo, hi, err := f.parseSpan(span, stepped)
	if err != nil {
		return 0, err
	}
	step := 1
	if stepped {
		if step, err = strconv.Atoi(stepText); err != nil || step < 1 || step > f.max {
			return 0, fmt.Errorf("step must be 1 to %d, got %q", f.max, stepText)
		}
	}
	var set uint64
	for v := lo; v <= hi; v += step {
		set |= 1 << v
	}
	return set, nil
}

// parseSpan reads the first and last value of an item. A single value with a step
// runs to the end of the field.
func (f *cronField) parseSpan(span string, stepped bool) (lo, hi int, err error) {
	if span == "*" {
		return f.min, f.max, nil
	}
	first, last, isRange := strings.Cut(span, "-")
	if lo, err = f.parseValue(first); err != nil {
		return 0, 0, err
	}
	switch {
	case !isRange && stepped:
		return lo, f.max, nil
	case !isRange:
		return lo, lo, nil
	}
	if hi, err = f.parseValue(last); err != nil {
		return 0, 0, err
	}
	if hi == 0 && f.max == 7 {
		hi = 7 // fri-sun: a week may end on Sunday
	}
	if lo > hi {
		return 0, 0, fmt.Errorf("range must not run backwards, got %q", span)
	}
	return lo, hi, nil
}

// parseValue reads a number or a name.
func (f *cronField) parseValue(text string) (int, error) {
	const letters = 3
	if len(text) == letters {
		if i := strings.Index(f.names, strings.ToLower(text)); i >= 0 && i%letters == 0 {
			return f.min + i/letters, nil
		}
	}
	v, err := strconv.ParseUint(text, 10, 8)
	if err != nil || int(v) < f.min || int(v) > f.max {
		hint := ""
		if f.names != "" {
			hint = " or a name such as " + f.names[:letters]
		}
		return 0, fmt.Errorf("must be %d to %d%s, got %q", f.min, f.max, hint, text)
	}
	return int(v), nil
}

// same reports whether c and d fire at the same times.
func (c *Cron) same(d *Cron) bool { return c.bare() == d.bare() }

// zero reports whether c was never parsed.
func (c *Cron) zero() bool { return *c == Cron{} }

// covers reports whether c surely fires whenever d does.
func (c *Cron) covers(d *Cron) bool {
	a, b := c.bare(), d.bare()
	if b.minutes&^a.minutes != 0 || b.hours&^a.hours != 0 || b.months&^a.months != 0 {
		return false
	}
	daily := a.days == everyDay && a.weekdays == everyWeekday
	return daily || a.days == b.days && a.weekdays == b.weekdays && a.anyDay == b.anyDay && a.anyWeekday == b.anyWeekday
}

// bare returns c without what does not change when it fires.
func (c *Cron) bare() Cron {
	b := *c
	b.text = ""
	if b.anyDay && b.days == everyDay || b.anyWeekday && b.weekdays == everyWeekday {
		// One full field leaves the other alone to decide, star or not.
		b.anyDay, b.anyWeekday = true, true
	}
	return b
}

// String returns the expression with single spaces.
func (c *Cron) String() string { return c.text }

// Next returns the first instant after the given one at which c fires on the
// clocks of loc, in loc. A wall time that a clock change skips fires at the first
// instant after the gap, one that is repeated fires only the first time. It
// returns the zero time if c never fires.
func (c *Cron) Next(after time.Time, loc *time.Location) time.Time {
	w, ok := c.next(clock(after.In(loc)))
	if !ok {
		return time.Time{}
	}
	return w.first(loc)
}

// last returns the latest minute up to and including w that is in c.
func (c *Cron) last(w wall) (wall, bool) {
	if c.minutes == 0 || c.hours == 0 {
		return wall{}, false
	}
	days := c.daysOf(w.year, w.month)
	if days>>w.day&1 != 0 {
		if c.hours>>w.hour&1 != 0 {
			if m := highest(c.minutes, w.minute+1); m >= 0 {
				return wall{w.year, w.month, w.day, w.hour, m}, true
			}
		}
		if h := highest(uint64(c.hours), w.hour); h >= 0 {
			return wall{w.year, w.month, w.day, h, highest(c.minutes, 60)}, true
		}
	}
	day := highest(days, w.day)
	for range cycle {
		if day >= 0 {
			return wall{w.year, w.month, day, highest(uint64(c.hours), 24), highest(c.minutes, 60)}, true
		}
		if w.month--; w.month == 0 {
			w.year, w.month = w.year-1, 12
		}
		if w.year < 1 {
			break
		}
		day = highest(c.daysOf(w.year, w.month), 32)
	}
	return wall{}, false
}

// next returns the earliest minute after w that is in c.
func (c *Cron) next(w wall) (wall, bool) {
	if c.minutes == 0 || c.hours == 0 {
		return wall{}, false
	}
	days := c.daysOf(w.year, w.month)
	if days>>w.day&1 != 0 {
		if c.hours>>w.hour&1 != 0 {
			if m := lowest(c.minutes, w.minute+1); m >= 0 {
				return wall{w.year, w.month, w.day, w.hour, m}, true
			}
		}
		if h := lowest(uint64(c.hours), w.hour+1); h >= 0 {
			return wall{w.year, w.month, w.day, h, lowest(c.minutes, 0)}, true
		}
	}
	day := lowest(days, w.day+1)
	for range cycle {
		if day >= 0 {
			return wall{w.year, w.month, day, lowest(uint64(c.hours), 0), lowest(c.minutes, 0)}, true
		}
		if w.month++; w.month == 13 {
			w.year, w.month = w.year+1, 1
		}
		day = lowest(c.daysOf(w.year, w.month), 0)
	}
	return wall{}, false
}

// cycle is the months after which the calendar repeats: what does not fire within
// them never does.
const cycle = 400 * 12

// daysOf returns the days of a month that are in c, as a bit set.
func (c *Cron) daysOf(year, month int) uint64 {
	if c.months>>month&1 == 0 {
		return 0
	}
	const weeks = 1 | 1<<7 | 1<<14 | 1<<21 | 1<<28
	first := weekday(year, month)
	turned := uint64(c.weekdays)>>first | uint64(c.weekdays)<<(7-first)&0x7f
	weekdays := turned * weeks << 1
	days := uint64(c.days)
	if c.anyDay || c.anyWeekday {
		days &= weekdays
	} else {
		days |= weekdays
	}
	return days & (1<<(daysIn(year, month)+1) - 1)
}

// highest returns the largest member of set below limit, or -1.
func highest(set uint64, limit int) int { return bits.Len64(set&(1<<limit-1)) - 1 }

// lowest returns the smallest member of set from the given value on, or -1.
func lowest(set uint64, from int) int {
	if set = set >> from << from; set == 0 {
		return -1
	}
	return bits.TrailingZeros64(set)
}
