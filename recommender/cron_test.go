package recommender

import (
	"testing"
	"time"
	_ "time/tzdata" // the tests must not depend on the machine's zones
)

func cron(t testing.TB, text string) Cron {
	t.Helper()
	c, err := ParseCron(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestParseCronSpellings(t *testing.T) {
	tests := map[string][2]string{
		"names are numbers":           {"30 8 * jan,MAR mon-fri", "30 8 * 1,3 1-5"},
		"7 is Sunday":                 {"0 0 * * 7", "0 0 * * 0"},
		"a week may end on Sunday":    {"0 0 * * fri-sun", "0 0 * * 0,5,6"},
		"a range may end on 7":        {"0 0 * * 5-7", "0 0 * * 0,5,6"},
		"Sunday may begin a range":    {"0 0 * * sun-tue", "0 0 * * 0-2"},
		"a step over a range":         {"10-30/10 * * * *", "10,20,30 * * * *"},
		"a step from a value":         {"50/4 * * * *", "50,54,58 * * * *"},
		"white space is free":         {"  0\t0 *  * * ", "0 0 * * *"},
		"leading zeros are decimal":   {"08 09 * * *", "8 9 * * *"},
		"a range of one":              {"5-5 * * * *", "5 * * * *"},
		"order and repeats are free":  {"5,1,5 * * * *", "1,5 * * * *"},
		"a step of one is every":      {"*/1 * * * *", "* * * * *"},
		"a step starts at the lowest": {"0 0 1 */5 *", "0 0 1 1,6,11 *"},
	}
	for name, pair := range tests {
		t.Run(name, func(t *testing.T) {
			got, want := cron(t, pair[0]), cron(t, pair[1])
			if !got.same(&want) {
				t.Errorf("got %q as %+v, want that of %q: %+v", pair[0], got, pair[1], want)
			}
		})
	}
}

func TestParseCronErrors(t *testing.T) {
	const fields = " fields (minute, hour, day of month, month, day of week), got "
	tests := map[string]string{
		"":                  "must have 5" + fields + "0",
		"0 8 * *":           "must have 5" + fields + "4",
		"0 0 8 * * 1":       "must have 5" + fields + "6",
		"@daily":            "must have 5" + fields + "1",
		"60 8 * * *":        `minute: position 1: must be 0 to 59, got "60"`,
		"0  24 * * *":       `hour: position 4: must be 0 to 23, got "24"`,
		"0 0 0 * *":         `day of month: position 5: must be 1 to 31, got "0"`,
		"0 0 * 13 *":        `month: position 7: must be 1 to 12 or a name such as jan, got "13"`,
		"0 0 * * mon,tuex":  `day of week: position 13: must be 0 to 7 or a name such as sun, got "tuex"`,
		"0 0 * * anf":       `day of week: position 9: must be 0 to 7 or a name such as sun, got "anf"`,
		"0 0 * anf *":       `month: position 7: must be 1 to 12 or a name such as jan, got "anf"`,
		"0 0 L * *":         `day of month: position 5: must be 1 to 31, got "L"`,
		"0,, 0 * * *":       `minute: position 3: must be 0 to 59, got ""`,
		"-1 0 * * *":        `minute: position 1: must be 0 to 59, got ""`,
		"+1 0 * * *":        `minute: position 1: must be 0 to 59, got "+1"`,
		"0 1-2-3 * * *":     `hour: position 3: must be 0 to 23, got "2-3"`,
		"0 18-8 * * *":      `hour: position 3: range must not run backwards, got "18-8"`,
		"*/0 * * * *":       `minute: position 1: step must be 1 to 59, got "0"`,
		"*/90 * * * *":      `minute: position 1: step must be 1 to 59, got "90"`,
		"*/x * * * *":       `minute: position 1: step must be 1 to 59, got "x"`,
		"*/2/3 * * * *":     `minute: position 1: step must be 1 to 59, got "2/3"`,
		"0 8 30 2 *":        "never fires: no such date",
		"0 8 31 4,6,9,11 *": "never fires: no such date",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			_, err := ParseCron(text)
			if err == nil {
				t.Fatalf("got no error, want %s", want)
			}
			if got, want := err.Error(), "cron "+quote(text)+": "+want; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func quote(s string) string { return `"` + s + `"` }

func TestCronNext(t *testing.T) {
	const layout = "2006-01-02 15:04:05 -0700"
	tests := map[string]struct{ zone, cron, after, want string }{
		"the next minute, not this one":    {"UTC", "* * * * *", "2026-03-02 10:00:00 +0000", "2026-03-02 10:01:00 +0000"},
		"seconds do not round up":          {"UTC", "1 * * * *", "2026-03-02 10:00:59 +0000", "2026-03-02 10:01:00 +0000"},
		"over a weekend":                   {"UTC", "30 8 * * 1-5", "2026-03-06 08:30:00 +0000", "2026-03-09 08:30:00 +0000"},
		"the end of a month":               {"UTC", "0 0 31 * *", "2026-01-31 00:00:00 +0000", "2026-03-31 00:00:00 +0000"},
		"over a year":                      {"UTC", "0 0 1 1 *", "2026-01-01 00:00:00 +0000", "2027-01-01 00:00:00 +0000"},
		"29 February":                      {"UTC", "0 0 29 2 *", "2026-01-01 00:00:00 +0000", "2028-02-29 00:00:00 +0000"},
		"29 February over a century":       {"UTC", "0 0 29 2 *", "2096-03-01 00:00:00 +0000", "2104-02-29 00:00:00 +0000"},
		"either day field, if both given":  {"UTC", "0 0 13 * 5", "2026-03-01 00:00:00 +0000", "2026-03-06 00:00:00 +0000"},
		"a starred step is not a day":      {"UTC", "0 0 */15 * 1", "2026-05-01 00:00:00 +0000", "2026-06-01 00:00:00 +0000"},
		"a skipped time is after the gap":  {"Europe/Madrid", "30 2 * * *", "2026-03-29 01:00:00 +0100", "2026-03-29 03:00:00 +0200"},
		"skipped times are one instant":    {"Europe/Madrid", "*/20 2 * * *", "2026-03-29 03:00:00 +0200", "2026-03-30 02:00:00 +0200"},
		"a repeated time is the first one": {"Europe/Madrid", "30 2 * * *", "2026-10-25 01:00:00 +0200", "2026-10-25 02:30:00 +0200"},
		"a repeated time is only once":     {"Europe/Madrid", "30 2 * * *", "2026-10-25 02:30:00 +0200", "2026-10-26 02:30:00 +0100"},
		"a repeated hour is quiet":         {"Europe/Madrid", "* * * * *", "2026-10-25 02:59:00 +0200", "2026-10-25 03:00:00 +0100"},
		"half an hour is skipped":          {"Australia/Lord_Howe", "15 2 * * *", "2026-10-04 01:00:00 +1030", "2026-10-04 02:30:00 +1100"},
		"half an hour is repeated":         {"Australia/Lord_Howe", "45 1 * * *", "2026-04-05 01:50:00 +1100", "2026-04-06 01:45:00 +1030"},
		"a whole day is skipped":           {"Pacific/Apia", "0 9 30 12 *", "2011-12-29 12:00:00 -1000", "2011-12-31 00:00:00 +1400"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			after, err := time.Parse(layout, tc.after)
			if err != nil {
				t.Fatal(err)
			}
			c := cron(t, tc.cron)
			if got := c.Next(after, zone(t, tc.zone)).Format(layout); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestZeroCronNeverFires(t *testing.T) {
	var c Cron
	if got := c.Next(time.Unix(0, 0), time.UTC); !got.IsZero() {
		t.Errorf("got %v, want no time", got)
	}
	if (&Schedule{End: cron(t, "0 0 * * *")}).Active(time.Unix(0, 0)) {
		t.Error("got an active schedule that never starts, want none")
	}
	if (&Schedule{Start: cron(t, "0 0 29 2 *")}).Active(time.Time{}) {
		t.Error("got a start before the first year, want none")
	}
	if !(&Schedule{Start: cron(t, "0 0 * * *")}).Active(time.Unix(0, 0)) {
		t.Error("got an inactive schedule that never ends, want an active one")
	}
}

func TestCalendar(t *testing.T) {
	for day := time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC); day.Year() < 2401; day = day.AddDate(0, 1, 0) {
		year, month := day.Year(), int(day.Month())
		if got, want := weekday(year, month), int(day.Weekday()); got != want {
			t.Fatalf("%d-%02d: got weekday %d, want %d", year, month, got, want)
		}
		if got, want := daysIn(year, month), day.AddDate(0, 1, -1).Day(); got != want {
			t.Fatalf("%d-%02d: got %d days, want %d", year, month, got, want)
		}
	}
}

// FuzzParseCron checks that an accepted expression fires where it says, that
// last and next are each other's inverse, and that its text means the same again.
func FuzzParseCron(f *testing.F) {
	for _, text := range []string{
		"30 8 * * 1-5", "0 19 * * mon-fri", "*/5 0-23/2 1,15,31 */3 7", "0 0 29 2 */7", "59 23 31 12 *",
		"0 0 30 2 *", "* * * * fri-sun", "1-0 * * * *", "99999999999999999999 * * * *", "*/ * * * *", "\x00 * * * *",
	} {
		f.Add(text, int64(1792890000))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		c, err := ParseCron(text)
		if err != nil {
			return
		}
		again, err := ParseCron(c.String())
		if err != nil || again != c {
			t.Fatalf("%q: got %+v (%v) from its own text, want %+v", text, again, err, c)
		}
		const century = 100 * 365 * 24 * 3600
		from := clock(time.Unix(unix%century, 0).UTC())
		next, ok := c.next(from)
		if !ok || !from.before(next) {
			t.Fatalf("%q: got next %v (%v), want a time after %v", text, next, ok, from)
		}
		if last, ok := c.last(next); !ok || last != next {
			t.Fatalf("%q: got last %v (%v), want %v itself", text, last, ok, next)
		}
		if last, ok := c.last(from); ok && from.before(last) {
			t.Fatalf("%q: got last %v after %v", text, last, from)
		} else if after, _ := c.next(last); ok && after != next {
			t.Fatalf("%q: got %v after %v, want %v", text, after, last, next)
		}
	})
}
