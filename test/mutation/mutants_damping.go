package main

// damping is what keeps a number from moving too soon, too far, or at all.
var damping = []file{
	{name: "recommender/window.go", mutants: []mutant{
		{"configured-cold-start", "the lookahead is the cold start in force", "ahead = r.p.coldStart(&r.o)", "ahead = r.p.ColdStart"},
		{"ratios-project", "only what adds up is projected", "!p.Signal.Additive() || !p.Quantity.Complete()", "!p.Quantity.Complete()"},
		{
			"lower-bounds-project", "a lower bound has no slope",
			"!p.Signal.Additive() || !p.Quantity.Complete()", "!p.Signal.Additive() || !p.Quantity.Known()",
		},
		{
			"backlog-projects", "what piles up while nothing is ready is no growth",
			"if p.Signal.FromPods() && !(r.o.Ready.Value > 0) {", "if p.Ahead > 0 {",
		},
		{
			"slope-over-loading", "demand is remembered while nothing is ready",
			"\t\tslope := r.s.slope(i, p.Quantity.Value, r.now)\n\t\tif p.Signal.FromPods() && !(r.o.Ready.Value > 0) {\n\t\t\tcontinue\n\t\t}\n",
			"\t\tif p.Signal.FromPods() && !(r.o.Ready.Value > 0) {\n\t\t\tcontinue\n\t\t}\n\t\tslope := r.s.slope(i, p.Quantity.Value, r.now)\n",
		},
		{"lookahead-lowers", "the lookahead never lowers", "out = max(out, p.AheadReplicas)", "out = p.AheadReplicas"},
		{"lookahead-not-raw", "what is projected is part of the raw number", "\tr.d.Raw = out\n", ""},
		{
			"partial-fall-trusted", "a fall on partial evidence does not enter the windows",
			"r.trusted = r.d.RawKnown && (r.complete || r.d.Raw >= r.current)", "r.trusted = r.d.RawKnown",
		},
		{
			"partial-rise-ignored", "a rise on partial evidence counts",
			"r.trusted = r.d.RawKnown && (r.complete || r.d.Raw >= r.current)", "r.trusted = r.d.RawKnown && r.complete",
		},
		{
			"nothing-measured-forgets", "where there was nothing to measure, what was asked for stays",
			"if r.complete {\n\t\t\tr.n = r.asked\n", "if r.complete {\n\t\t\tr.n = r.current\n",
		},
		{
			"up-window-of-down", "the up window holds back a rise",
			"low := r.s.lowest(r.d.Raw, r.now, r.p.ScaleUp.Window)", "low := r.s.lowest(r.d.Raw, r.now, r.p.ScaleDown.Window)",
		},
		{
			"down-window-of-up", "the down window holds back a fall",
			"high := r.s.highest(r.d.Raw, r.now, r.p.ScaleDown.Window)", "high := r.s.highest(r.d.Raw, r.now, r.p.ScaleUp.Window)",
		},
		{
			"lag-swings", "what is on its way counts like the current count",
			"max(hpa.Stabilise(r.current, low, high), min(r.asked, high))", "hpa.Stabilise(r.current, low, high)",
		},
		{
			"asked-for-ever", "what is on its way does not hold up a fall",
			"min(r.asked, high))", "r.asked)",
		},
		{
			"window-forgets", "proposals are remembered for the longer window",
			"max(r.p.ScaleUp.Window, r.p.ScaleDown.Window))", "r.p.ScaleUp.Window)",
		},
		{
			"window-forgets-rises", "proposals are remembered for the up window too",
			"max(r.p.ScaleUp.Window, r.p.ScaleDown.Window))", "r.p.ScaleDown.Window)",
		},
	}},
	{name: "recommender/ratelimit.go", mutants: []mutant{
		{
			"limit-takes-back", "what was allowed stays allowed",
			"r.p.ScaleUp, r.s.Ups, r.s.Downs, r.now), r.current, r.asked)", "r.p.ScaleUp, r.s.Ups, r.s.Downs, r.now), r.current)",
		},
		{
			"limit-below-current", "a limit of rises lowers nothing",
			"r.p.ScaleUp, r.s.Ups, r.s.Downs, r.now), r.current, r.asked)", "r.p.ScaleUp, r.s.Ups, r.s.Downs, r.now), r.asked)",
		},
		{
			"limit-takes-back-a-fall", "a fall that was allowed stays allowed",
			"r.p.ScaleDown, r.s.Ups, r.s.Downs, r.now), r.current, r.asked)", "r.p.ScaleDown, r.s.Ups, r.s.Downs, r.now), r.current)",
		},
		{
			"limit-above-current", "a limit of falls raises nothing",
			"r.p.ScaleDown, r.s.Ups, r.s.Downs, r.now), r.current, r.asked)", "r.p.ScaleDown, r.s.Ups, r.s.Downs, r.now), r.asked)",
		},
		{"fall-like-a-rise", "falls have limits of their own", "hpa.DownLimit(r.current, r.p.ScaleDown,", "hpa.DownLimit(r.current, r.p.ScaleUp,"},
		{"limit-raises", "a limit never raises", "min(r.n, limit)", "limit"},
		{"limit-lowers", "a limit never lowers", "max(r.n, limit)", "limit"},
	}},
	{name: "recommender/suspect.go", mutants: []mutant{
		{"stuck-early", "engines may finish nothing for ten minutes", "stuckAfter = 10 * time.Minute", "stuckAfter = 9 * time.Minute"},
		{"stuck-late", "engines are stuck at ten minutes", "lasted >= stuckAfter", "lasted > stuckAfter"},
		{"stuck-idle", "an engine that nobody waits for is not stuck", "if !waits || finishes ||", "if finishes && waits || finishes ||"},
		{"stuck-finishing", "an engine that finishes requests is not stuck", "!waits || finishes || ", "!waits || finishes && !waits || "},
		{"stuck-talking", "an engine that generates tokens is not stuck", "!still(r.o.OutputTokens) || ", ""},
		{"stuck-uncounted", "an engine that does not count what it finishes is judged by its tokens", " && !r.o.Completions.absent()", ""},
		{"stuck-in-part", "a rate that is a lower bound is not zero", "rate.Complete() && rate.Value == 0", "rate.Known() && rate.Value == 0"},
		{"stuck-takes-back", "what was asked for of a stuck engine stays", "max(r.current, r.asked)), ReasonSuspectSignal", "r.current), ReasonSuspectSignal"},
		{"progress-forgotten", "progress starts the clock again", "\t\tr.s.Progress = r.now\n", ""},
	}},
	{name: "recommender/bounds.go", mutants: []mutant{
		{"gate-silent", "pods with nothing to say do not close the gate", "if !below && !r.o.silent(&r.p) {", "if !below {"},
		{"gate-in-part", "a fill that is a lower bound does not open the gate", "fill.Complete() && fill.Value", "fill.Known() && fill.Value"},
		{"gate-edge", "a fill at the gate is not below it", "fill.Value < gate.BatchFill", "fill.Value <= gate.BatchFill"},
		{"gate-unheard", "a replica that is not heard closes the gate", " && r.o.covered()\n\tif !below", "\n\tif !below"},
		{"gate-at-once", "a gate without a time closes while batches are full", "lasted <= 0 || lasted < gate.For", "lasted < gate.For"},
		{"gate-late", "the gate opens at the end of its time", "lasted <= 0 || lasted < gate.For", "lasted <= 0 || lasted <= gate.For"},
		{"schedule-last", "the largest of the active schedules counts", "s.Min > floor && ", ""},
		{"schedule-minimum", "the minimum in force includes schedules", "min(max(r.d.Min, floor), max(r.p.Max, r.p.Min))", "r.d.Min"},
		{"schedule-above-maximum", "the minimum in force is not above the maximum", "min(max(r.d.Min, floor), max(r.p.Max, r.p.Min))", "max(r.d.Min, floor)"},
		{"schedule-lowers", "a schedule never lowers", "max(r.n, floor)", "floor"},
		{"unbounded-bounded", "what is wanted without a maximum is told", "r.d.Unbounded = r.n", "r.d.Unbounded = min(r.n, r.p.Max)"},
	}},
	{name: "recommender/state.go", mutants: []mutant{
		{
			"start-without-window", "a new daemon waits out its window",
			"gap := s.Time.IsZero() || s.Proposed.Before(s.Time)", "gap := !s.Time.IsZero() && s.Proposed.Before(s.Time)",
		},
		{
			"gap-without-window", "a fall after a gap waits out the window",
			"gap := s.Time.IsZero() || s.Proposed.Before(s.Time)", "gap := s.Time.IsZero()",
		},
		{
			"gap-closed-early", "a gap that the window spans is none",
			"if gap && !s.Proposed.After(now.Add(-window)) {", "if gap {",
		},
		{
			"steady-is-gap", "ticks further apart than the window are no gap",
			"if gap && !s.Proposed.After(now.Add(-window)) {", "if (gap || true) && !s.Proposed.After(now.Add(-window)) {",
		},
		{
			"gap-lets-fall", "what was asked for in a gap holds for a window",
			"if s.Bridged.Time.After(now.Add(-window)) {", "if false {",
		},
		{
			"start-idle", "a new daemon takes the workload for busy",
			"s.Unsure, s.Filled, s.Progress = now, now, now", "s.Filled, s.Progress = now, now",
		},
		{
			"start-empty", "a new daemon takes the batches for full",
			"s.Unsure, s.Filled, s.Progress = now, now, now", "s.Unsure, s.Progress = now, now",
		},
		{"start-unasked", "the current count was asked for until now", "s.Good, s.Asked = seed, current", "s.Good = seed"},
		{
			"rise-is-now", "a rise happened after the previous observation",
			"hpa.Event{Change: change, Time: s.Current.Time}", "hpa.Event{Change: change, Time: now}",
		},
		{
			"fall-is-now", "a fall happened after the previous observation",
			"hpa.Event{Change: -change, Time: s.Current.Time}", "hpa.Event{Change: -change, Time: now}",
		},
		{"rises-shared", "an older state does not see new rises", "append(slices.Clip(s.Ups),", "append(s.Ups,"},
		{"proposals-shared", "an older state does not see new proposals", "append(slices.Clip(s.Proposals),", "append(s.Proposals,"},
		{
			"proposals-lost", "a proposal that changes is kept",
			"s.Proposals = append(slices.Clip(s.Proposals), s.Latest)", "s.Proposals = nil",
		},
		{"latest-not-lowest", "the latest proposal is part of the up window", "low = min(low, s.Latest.Replicas)", "low = min(low, want)"},
		{"latest-not-highest", "the latest proposal is part of the down window", "high = max(high, s.Latest.Replicas)", "high = max(high, want)"},
		{
			"window-edge", "a proposal as old as the window no longer holds back a fall",
			"if s.Latest.Time.After(now.Add(-window)) {\n\t\thigh", "if !s.Latest.Time.Before(now.Add(-window)) {\n\t\thigh",
		},
		{
			"up-window-edge", "a proposal as old as the window no longer holds back a rise",
			"if s.Latest.Time.After(now.Add(-window)) {\n\t\tlow", "if !s.Latest.Time.Before(now.Add(-window)) {\n\t\tlow",
		},
		{"slope-of-an-instant", "two values of one instant have no slope", " || dt <= 0 || dt > stuckAfter {", " || dt > stuckAfter {"},
		{"slope-of-long-ago", "a value of long ago has no slope", " || dt > stuckAfter {", " {"},
		{"slope-forgotten", "demand is remembered", "\ts.Demand[i] = Demand{Value: value, Time: now}\n", ""},
		{"quiet-is-busy", "a past that is known to be quiet holds nothing back", "return State{Time: now, Proposed: now}", "return State{Time: now, Proposed: now, Active: now}"},
	}},
	{name: "recommender/policy.go", mutants: []mutant{
		{"replay-window", "a replay spans the down window", "max(p.ScaleUp.Window, p.ScaleDown.Window, p.ColdStart", "max(p.ScaleUp.Window, p.ColdStart"},
		{"replay-cooldown", "a replay spans the cooldown after a cold start", "p.ColdStart+p.Cooldown, ", ""},
		{"replay-gate", "a replay spans the gate", "p.Gate.For, ", ""},
		{"replay-hold", "a replay spans the hold limit", "p.HoldLimit+time.Minute, ", ""},
		{"replay-stuck", "a replay spans the time after which engines are stuck", ", stuckAfter)", ")"},
		{"replay-period", "a replay spans the periods of the rate limits", "return max(longest, p.longestPeriod())", "return longest"},
		{"replay-cold-start", "a replay spans a measured cold start", "min(p.coldStart(o), longestStart)+p.Cooldown", "p.Cooldown"},
		{"period-of-rises", "the periods of both directions count", "{&p.ScaleUp, &p.ScaleDown}", "{&p.ScaleUp}"},
		{
			"cold-start-median", "the highest percentile measured is the cold start",
			"for _, percentile := range slices.Backward(o.ColdStart) {", "for _, percentile := range slices.All(o.ColdStart) {",
		},
		{"cold-start-configured", "a measured cold start wins over the configured one", "if q := percentile.checked(); q.Known() {", "if q := percentile.checked(); !q.Known() {"},
	}},
}
