package main

// decide is the frame of a decision: the order of the rules, evidence, holding and reasons.
var decide = []file{
	{name: "recommender/decide.go", mutants: []mutant{
		{
			"current-unknown", "without a current count the last recommendation stands",
			"\t\tr.blind()\n\t\treturn r.d, r.s\n", "\t\tr.blind()\n",
		},
		{"blind-sleeps", "held requests wake a workload of which nobody says the count", "\tr.rouse()\n", ""},
		{"rouse-anyone", "without a current count nothing but zero rises", "!r.holds() || r.s.Good.Replicas > 0 ||", "!r.holds() ||"},
		{"rouse-falls-back", "what was woken stays while nobody says the count", "r.s.Active, r.s.Good.Replicas, r.s.Asked = r.now, 1, max(r.s.Asked, 1)", "r.s.Active = r.now"},
		{"no-lookahead", "growing demand is projected", "\tr.lookahead()\n", ""},
		{"no-windows", "windows hold back", "\tr.stabilise()\n", ""},
		{"no-rate-limit", "rate limits apply", "\tr.rateLimit()\n", ""},
		{"no-suspect", "stuck engines stop growth", "\tr.suspect()\n", ""},
		{"no-gate", "the gate holds back a fall", "\tr.gate()\n", ""},
		{"no-minimum", "the minimum is kept", "\tr.min()\n", ""},
		{"no-zero", "zero has rules of its own", "\tr.zero()\n", ""},
		{"no-memory-of-asked", "what was asked for is remembered", "\tr.ask()\n", ""},
		{"no-schedule", "schedules raise the minimum", "\tr.schedule()\n", ""},
		{"no-maximum", "the maximum is kept", "\tr.max()\n", ""},
		{"no-hold", "nothing falls on incomplete evidence", "\tr.hold()\n", ""},
		{
			"schedule-is-asked", "the floor of a schedule is forgotten when it ends",
			"\tr.ask()\n\tr.schedule()\n", "\tr.schedule()\n\tr.ask()\n",
		},
		{
			"blind-is-idle", "time without a current count is not idle",
			"r.s.Unsure, r.s.Filled, r.s.Progress = r.now, r.now, r.now",
			"r.s.Filled, r.s.Progress = r.now, r.now",
		},
		{
			"blind-is-empty", "time without a current count does not open the gate",
			"r.s.Unsure, r.s.Filled, r.s.Progress = r.now, r.now, r.now",
			"r.s.Unsure, r.s.Progress = r.now, r.now",
		},
		{
			"blind-is-stuck", "time without a current count is not time stuck",
			"r.s.Unsure, r.s.Filled, r.s.Progress = r.now, r.now, r.now",
			"r.s.Unsure, r.s.Filled = r.now, r.now",
		},
		{
			"blind-for-ever", "a recommendation without a current count is withdrawn after the hold limit",
			"if r.s.Good.Time.IsZero() || !r.fresh() {", "if r.s.Good.Time.IsZero() {",
		},
		{
			"blind-above-maximum", "the maximum also bounds what is held without a current count",
			"true, n, min(n, r.p.Max)", "true, n, n",
		},
		{
			"loading-is-not-woken", "a daemon that finds replicas loading owes them a cold start",
			"r.current > 0 && !(r.o.Ready.Value > 0)", "false",
		},
		{
			"changes-forgotten", "changes of the count are remembered as long as any rate limit looks back",
			"r.s.observe(r.current, r.now, r.p.longestPeriod())", "r.s.observe(r.current, r.now, 0)",
		},
		{"asked-forgotten", "what was asked for counts like the current count", "r.asked = r.s.Asked", "r.asked = r.current"},
		{
			"hold-limit-excluded", "a recommendation stands up to the hold limit, included",
			"r.now.Sub(r.s.Good.Time) <= r.p.HoldLimit", "r.now.Sub(r.s.Good.Time) < r.p.HoldLimit",
		},
		{"asked-above-maximum", "what is above the maximum is not on its way", "r.s.Asked = min(r.n, r.p.Max)", "r.s.Asked = r.n"},
		{
			"misspelt-is-held", "a workload that nothing ever matched has no recommendation",
			"\tif r.unheard() {\n", "\tif r.n < 0 {\n",
		},
		{
			"forgotten-is-misspelt", "what was heard once is not misspelt",
			"r.complete || r.usable || !r.s.Evidence.IsZero()", "r.complete || r.usable",
		},
		{"ask-on-nothing", "what is asked for rests on evidence", "if r.complete || r.trusted {", "if true {"},
		{"ask-complete-only", "a rise on partial evidence was asked for", "if r.complete || r.trusted {", "if r.complete {"},
		{"hold-below-current", "after the hold limit the current count is held", "held := r.current", "held := int32(0)"},
		{
			"hold-below-good", "while evidence is missing the last recommendation is held",
			"held = max(held, r.s.Good.Replicas)", "held = max(held, 0)",
		},
		{
			"hold-lowers", "the current count is held where it is higher than the last recommendation",
			"held = max(held, r.s.Good.Replicas)", "held = r.s.Good.Replicas",
		},
		{
			"hold-bounded", "what would be held without a maximum is told",
			"\tr.d.Unbounded = max(r.d.Unbounded, held)\n", "",
		},
		{"hold-above-maximum", "the maximum bounds what is held", "max(r.n, min(held, r.p.Max))", "max(r.n, held)"},
		{"stuck-is-valid", "a decision on a suspect signal is not valid", "r.complete && !r.stuck", "r.complete"},
		{"partial-is-valid", "a decision on partial evidence is not valid", "r.complete && !r.stuck", "r.usable && !r.stuck"},
		{"good-forgotten", "the last recommendation is remembered", "\tr.s.Good.Replicas = r.n\n", ""},
		{"partial-runs-out", "partial evidence keeps a recommendation alive", "if r.usable {", "if r.complete {"},
		{"nothing-keeps-alive", "a recommendation on nothing runs out", "if r.usable {", "if true {"},
		{
			"evidence-of-nothing", "a held recommendation keeps the time of its evidence",
			"\tr.d.Evidence = r.s.Evidence\n\tr.d.Known", "\tr.d.Known",
		},
		{
			"never-withdrawn", "a recommendation is withdrawn after the hold limit",
			"r.d.Known = r.fresh()", "r.d.Known = true",
		},
		{"reason-not-evidence", "missing evidence is the reason", "return reasonOf(r.missing)", "return ReasonNoData"},
		{"reason-not-partial", "partial evidence is the reason", "case !r.complete && r.usable:", "case !r.complete && r.stuck:"},
		{
			"reason-of-the-first", "the last rule that changed the number is the reason",
			"for i := RuleHold - 1; i > RuleSignals; i-- {", "for i := RuleLookahead; i < RuleHold; i++ {",
		},
		{
			"reason-not-tolerance", "a signal within its tolerance is the reason",
			"if r.d.RawKnown && r.d.proposals[r.winner].Tolerated {", "if r.d.RawKnown && r.winner < 0 {",
		},
		{
			"reason-of-a-loser", "the tolerance of the winning signal is the reason",
			"r.d.proposals[r.winner].Tolerated", "r.d.proposals[0].Tolerated",
		},
	}},
	{name: "recommender/decision.go", mutants: []mutant{
		{
			"unchanged-is-a-reason", "a rule that changed nothing is no reason",
			"return s.Ran && s.In != s.Out", "return s.Ran",
		},
	}},
	{name: "recommender/reason.go", mutants: []mutant{
		{"stale-is-absent", "stale and absent are two things", "return ReasonStaleData", "return ReasonNoData"},
		{"invalid-is-absent", "not a number and absent are two things", "return ReasonInvalidData", "return ReasonNoData"},
		{"failed-is-absent", "failed and absent are two things", "return ReasonQueryError", "return ReasonNoData"},
		{"never-is-absent", "never matched and absent are two things", "return ReasonNeverMatched", "return ReasonNoData"},
	}},
}
