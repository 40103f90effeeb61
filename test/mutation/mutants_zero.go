package main

// zero is leaving zero and going there, and what is known beforehand: schedules and
// mistakes in a policy.
var zero = []file{
	{name: "recommender/zero.go", mutants: []mutant{
		{"activity-forgotten", "traffic starts the idle clock again", "\t\tr.s.Active = r.now\n", ""},
		{"unsure-is-idle", "time that was not known to be idle is busy", "\t\tr.s.Unsure = r.now\n", ""},
		{"zero-for-all", "a minimum above zero never goes to zero", "if r.p.Min > 0 {", "if r.p.Min > 1 {"},
		{"cooldown-late", "a workload is idle at the end of the cooldown", "idle >= r.p.Cooldown", "idle > r.p.Cooldown"},
		{"active-without-cooldown", "traffic keeps a replica even without a cooldown", "!active && idle >= r.p.Cooldown", "idle >= r.p.Cooldown"},
		{"asleep-wakes", "zero that was asked for stays", "(cooled || r.asked == 0)", "cooled"},
		{"sleeps-for-ever", "held requests wake a workload", "case r.current == 0 && r.holds():", "case r.current == 0 && r.holds() && cooled:"},
		{"wakes-one", "a backlog wakes as many replicas as it needs", "max(r.n, r.d.Raw, 1)", "max(r.n, 1)"},
		{"wakes-none", "the first held request wakes a replica", "max(r.n, r.d.Raw, 1)", "max(r.n, r.d.Raw)"},
		{"woken-forgotten", "a woken workload has its cold start before it is idle", "r.s.Woken, r.n = r.now, 0", "r.n = 0"},
		{"cooldown-unnamed", "the cooldown is named as what keeps the last replica", "if quiet && r.n == 1 {", "if quiet && r.n < 0 {"},
		{"linger-none", "one replica stays until the cooldown is over", "max(r.n, 1), ReasonZeroCooldown", "r.n, ReasonZeroCooldown"},
		{"shrinks-though-disabled", "what may never shrink does not go to zero", "if r.p.ScaleDown.Select == hpa.Disabled {", "if r.p.ScaleDown.Select == hpa.Disabled && r.p.Min > 0 {"},
		{
			"silence-is-busy", "pods that have nothing to say are idle",
			"if r.o.silent(&r.p) {\n\t\trunning, waiting = held, held", "if r.o.silent(&r.p) {\n\t\trunning, waiting = running, held",
		},
		{"held-is-idle", "held requests are traffic", " || held.Value > 0\n", "\n"},
		{"waiting-is-idle", "waiting requests are traffic", "running.Value > 0 || waiting.Value > 0 ||", "running.Value > 0 ||"},
		{"running-is-idle", "running requests are traffic", "active = running.Value > 0 || ", "active = "},
		{"idle-running-unknown", "idle needs to know what runs, in full", "!active && running.Complete() && ", "!active && "},
		{"idle-waiting-unknown", "idle needs to know what waits, in full", " && waiting.Complete()", ""},
		{"idle-held-unknown", "idle needs to know what is held, in full", " && held.Complete() && (r.o", " && (r.o"},
		{"idle-unheard", "a replica that is not heard is not idle", "held.Complete() && (r.o.covered() || r.o.silent(&r.p))", "held.Complete()"},
		{"held-infinite", "a number that is none wakes nobody", "r.p.Held && r.o.Held.checked().Known() &&", "r.p.Held && r.o.Held.Known() &&"},
		{"held-without-source", "without a source nothing is held", "return r.p.Held && r.o.Held", "return r.o.Held"},
		{"idle-in-cold-start", "a cold start is not idle", "r.s.Woken.Add(r.p.coldStart(&r.o))", "r.s.Woken"},
		{"ignorance-wakes", "at zero, ignorance does not count as traffic", "if r.current > 0 {\n\t\tbusy", "if r.current >= 0 {\n\t\tbusy"},
		{"ignorance-is-idle", "with replicas, ignorance counts as traffic", "if r.current > 0 {\n\t\tbusy", "if r.current < 0 {\n\t\tbusy"},
		{"earlier", "later is the later of two times", "if b.After(a) {", "if b.Before(a) {"},
	}},
	{name: "recommender/schedule.go", mutants: []mutant{
		{"end-wins", "in the same minute the start counts", "!start.before(end)", "end.before(start)"},
		{"zone-ignored", "a schedule has its own zone", "cmp.Or(s.Location, time.UTC)", "cmp.Or(time.UTC, s.Location)"},
		{"never-ended", "a schedule that has not ended yet is active", "return !ok ||", "return ok &&"},
	}},
	{name: "recommender/cron.go", mutants: []mutant{
		{"minute-excluded", "an event happens in its minute", "if m := highest(c.minutes, w.minute+1); m >= 0 {", "if m := highest(c.minutes, w.minute); m >= 0 {"},
		{"days-both", "of two restricted day fields one is enough", "days |= weekdays", "days &= weekdays"},
		{"days-any", "a day field that is a star restricts nothing", "days &= weekdays", "days |= weekdays"},
		{"sunday-twice", "7 is Sunday", "uint8(sets[4]&0x7f | sets[4]>>7)", "uint8(sets[4] & 0x7f)"},
		{"never-fires", "a date that does not exist is a mistake", "; !fires {", "; fires && c.minutes == 0 {"},
	}},
	{name: "recommender/wall.go", mutants: []mutant{
		{"hour-repeats", "an hour that repeats happens once", "t.Sub(start) < back {", "t.Sub(start) < min(back, 0) {"},
		{"hour-skipped", "an hour that is skipped fires after the gap", "\t\t\treturn start\n", "\t\t\treturn t\n"},
		{"no-century", "every hundredth year has no leap day", "(year%100 != 0 || year%400 == 0)", "true"},
	}},
	{name: "recommender/validate.go", mutants: []mutant{
		{"zero-unwatched", "zero needs a source of held requests", "if p.Min == 0 && !p.Held {", "if p.Min < 0 && !p.Held {"},
		{"maximum-below-minimum", "the maximum is not below the minimum", "case p.Max < p.Min:", "case p.Max < 0:"},
		{"target-zero", "a target is positive", "case !finite(s.Target) || s.Target <= 0:", "case !finite(s.Target) || s.Target < 0:"},
		{"target-infinite", "a target is a number", "case !finite(s.Target) || s.Target <= 0:", "case s.Target <= 0:"},
		{"signal-twice", "two signals have two names", "twice && id != \"\"", "twice && id == \"\""},
		{"limit-wraps", "a rate limit cannot wrap", "p.Value < 1 || p.Value > maxChange", "p.Value < 1"},
	}},
}
