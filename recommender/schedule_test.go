package recommender

import (
	"testing"
	"time"
)

const stamp = "2006-01-02 15:04:05 -0700"

func schedule(t testing.TB, zoneName, start, end string) *Schedule {
	t.Helper()
	return &Schedule{Start: cron(t, start), End: cron(t, end), Location: zone(t, zoneName), Min: 4}
}

func TestScheduleActive(t *testing.T) {
	type moment struct {
		at   string
		want bool
	}
	tests := map[string]struct {
		zone, start, end string
		moments          []moment
	}{
		"office hours over the weekend of a spring change": {"Europe/Madrid", "30 8 * * 1-5", "0 19 * * 1-5", []moment{
			{"2026-03-27 08:29:59 +0100", false},
			{"2026-03-27 08:30:00 +0100", true}, // the start is inside
			{"2026-03-27 18:59:59 +0100", true},
			{"2026-03-27 19:00:00 +0100", false}, // the end is outside
			{"2026-03-28 12:00:00 +0100", false},
			{"2026-03-29 12:00:00 +0200", false},
			{"2026-03-30 08:29:59 +0200", false},
			{"2026-03-30 08:30:00 +0200", true},
			{"2026-03-30 19:00:00 +0200", false},
		}},
		"office hours over the weekend of an autumn change": {"Europe/Madrid", "30 8 * * 1-5", "0 19 * * 1-5", []moment{
			{"2026-10-23 18:59:59 +0200", true},
			{"2026-10-23 19:00:00 +0200", false},
			{"2026-10-25 10:00:00 +0100", false},
			{"2026-10-26 08:29:59 +0100", false},
			{"2026-10-26 08:30:00 +0100", true},
			{"2026-10-26 19:00:00 +0100", false},
		}},
		"over midnight": {"UTC", "0 22 * * *", "0 6 * * *", []moment{
			{"2026-12-31 21:59:59 +0000", false},
			{"2026-12-31 22:00:00 +0000", true},
			{"2027-01-01 00:00:00 +0000", true},
			{"2027-01-01 05:59:59 +0000", true},
			{"2027-01-01 06:00:00 +0000", false},
		}},
		"the night of a skipped hour is shorter": {"Europe/Madrid", "0 1 * * *", "30 2 * * *", []moment{
			{"2026-03-29 01:59:59 +0100", true},
			{"2026-03-29 03:00:00 +0200", false}, // 02:30 was skipped
		}},
		"both edges in a skipped hour keep their order": {"Europe/Madrid", "45 2 * * *", "15 2 * * *", []moment{
			{"2026-03-29 01:59:59 +0100", true},
			{"2026-03-29 03:00:00 +0200", true}, // ended at 02:15, started at 02:45
		}},
		"a repeated hour starts once": {"Europe/Madrid", "30 2 * * *", "45 2 * * *", []moment{
			{"2026-10-25 02:30:00 +0200", true},
			{"2026-10-25 02:45:00 +0200", false},
			{"2026-10-25 02:30:00 +0100", false}, // the second 02:30
			{"2026-10-25 02:44:00 +0100", false},
			{"2026-10-25 03:00:00 +0100", false},
			{"2026-10-26 02:30:00 +0100", true},
		}},
		"a start in a repeated hour stays": {"Europe/Madrid", "30 2 * * *", "0 5 * * *", []moment{
			{"2026-10-25 02:30:00 +0200", true},
			{"2026-10-25 02:00:00 +0100", true},
			{"2026-10-25 02:29:00 +0100", true},
			{"2026-10-25 05:00:00 +0100", false},
		}},
		"the last days of a month into the next": {"UTC", "0 0 28 * *", "0 0 3 * *", []moment{
			{"2026-02-27 23:59:59 +0000", false},
			{"2026-02-28 00:00:00 +0000", true},
			{"2026-03-02 23:59:59 +0000", true},
			{"2026-03-03 00:00:00 +0000", false},
		}},
		"a day that most months lack": {"UTC", "0 8 31 * *", "0 20 31 * *", []moment{
			{"2026-03-31 08:00:00 +0000", true},
			{"2026-03-31 20:00:00 +0000", false},
			{"2026-04-30 12:00:00 +0000", false},
			{"2026-05-31 12:00:00 +0000", true},
		}},
		"several starts before an end": {"UTC", "0 8,12 * * *", "0 18 * * *", []moment{
			{"2026-03-02 07:59:59 +0000", false},
			{"2026-03-02 10:00:00 +0000", true},
			{"2026-03-02 13:00:00 +0000", true},
			{"2026-03-02 18:00:00 +0000", false},
		}},
		"a start in the minute of an end begins anew": {"UTC", "0 * * * *", "0 0,6 * * *", []moment{
			{"2026-03-02 00:00:00 +0000", true},
			{"2026-03-02 06:30:00 +0000", true},
		}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			s := schedule(t, tc.zone, tc.start, tc.end)
			for _, m := range tc.moments {
				at, err := time.Parse(stamp, m.at)
				if err != nil {
					t.Fatal(err)
				}
				if got := s.Active(at); got != m.want {
					t.Errorf("at %s: got active %v, want %v", m.at, got, m.want)
				}
			}
		})
	}
}

func TestScheduleWithoutLocationIsUTC(t *testing.T) {
	s := Schedule{Start: cron(t, "0 8 * * *"), End: cron(t, "0 9 * * *")}
	at := time.Date(2026, 3, 2, 9, 30, 0, 0, time.FixedZone("", 3600))
	if !s.Active(at) {
		t.Errorf("got inactive at %v, want active", at)
	}
}

// TestScheduleAgainstEveryMinute follows the clock on the wall minute by minute,
// with conditions written by hand in place of expressions.
func TestScheduleAgainstEveryMinute(t *testing.T) {
	hm := func(t time.Time) int { return t.Hour()*100 + t.Minute() }
	weekday := func(t time.Time) bool { return t.Weekday() != time.Saturday && t.Weekday() != time.Sunday }
	type rule struct {
		text string
		when func(time.Time) bool
	}
	pairs := [][2]rule{
		{
			{"30 8 * * 1-5", func(t time.Time) bool { return hm(t) == 830 && weekday(t) }},
			{"0 19 * * 1-5", func(t time.Time) bool { return hm(t) == 1900 && weekday(t) }},
		},
		{
			{"30 1,2 * * *", func(t time.Time) bool { return hm(t) == 130 || hm(t) == 230 }},
			{"15,45 2 * * *", func(t time.Time) bool { return hm(t) == 215 || hm(t) == 245 }},
		},
		{
			{"0 22 13,31 * fri", func(t time.Time) bool {
				return hm(t) == 2200 && (t.Day() == 13 || t.Day() == 31 || t.Weekday() == time.Friday)
			}},
			{"*/40 */5 */10 * *", func(t time.Time) bool {
				return t.Minute()%40 == 0 && t.Hour()%5 == 0 && t.Day()%10 == 1
			}},
		},
	}
	spans := map[string][2]string{
		"Europe/Madrid":       {"2024-01-01", "2026-01-01"},
		"America/New_York":    {"2026-01-01", "2027-01-01"},
		"Australia/Lord_Howe": {"2026-01-01", "2027-01-01"},
		"Africa/Casablanca":   {"2026-01-01", "2027-01-01"},
		"Pacific/Apia":        {"2011-12-01", "2012-02-01"}, // skips 30 December
		"Pacific/Kwajalein":   {"1969-09-01", "1969-11-01"}, // repeats 30 September
		"Asia/Kathmandu":      {"1985-12-01", "1986-02-01"}, // skips a quarter of an hour
	}
	for name, span := range spans {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			loc := zone(t, name)
			from, _ := time.ParseInLocation(time.DateOnly, span[0], loc)
			to, _ := time.ParseInLocation(time.DateOnly, span[1], loc)
			if first := from.AddDate(0, 0, 100); testing.Short() && first.Before(to) {
				to = first // by then every clock has changed
			}
			for _, pair := range pairs {
				s := schedule(t, name, pair[0].text, pair[1].text)
				follow(t, s, pair[0].when, pair[1].when, from, to)
			}
		})
	}
}

// follow compares s with what its edges mean, from a time to another.
func follow(t *testing.T, s *Schedule, start, end func(time.Time) bool, from, to time.Time) {
	t.Helper()
	shown := func(at time.Time) time.Time {
		_, offset := at.Zone()
		return at.UTC().Add(time.Duration(offset) * time.Second)
	}
	active, changes := s.Active(from), 0
	latest := shown(from)
	for at := from.Add(time.Minute); at.Before(to); at = at.Add(time.Minute) {
		was := active
		for now := shown(at); latest.Before(now); {
			latest = latest.Add(time.Minute)
			switch {
			case start(latest):
				active = true
			case end(latest):
				active = false
			}
		}
		if got := s.Active(at.Add(-time.Nanosecond)); got != was {
			t.Fatalf("just before %v: got active %v, want %v", at, got, was)
		}
		if got := s.Active(at); got != active {
			t.Fatalf("at %v: got active %v, want %v", at, got, active)
		}
		if was != active {
			changes++
			edge := &s.Start
			if was {
				edge = &s.End
			}
			if got := edge.Next(at.Add(-time.Nanosecond), s.Location); !got.Equal(at) {
				t.Fatalf("at %v: got %q next at %v, want now", at, edge, got)
			}
		}
	}
	if changes < 4 {
		t.Errorf("got %d changes of %q, want a schedule that changes", changes, s.Start.String())
	}
}

func TestScheduleActiveDoesNotAllocate(t *testing.T) {
	s := schedule(t, "Europe/Madrid", "30 8 * * 1-5", "0 19 * * 1-5")
	at := time.Unix(1792890000, 0)
	if got := testing.AllocsPerRun(100, func() { s.Active(at) }); got != 0 {
		t.Errorf("got %v allocations, want 0", got)
	}
}

func BenchmarkScheduleActive(b *testing.B) {
	s := schedule(b, "Europe/Madrid", "30 8 * * 1-5", "0 19 * * 1-5")
	at := time.Unix(1792890000, 0)
	b.ReportAllocs()
	for b.Loop() {
		s.Active(at)
	}
}
