package main

// around is what surrounds the decision: what is read, remembered and exported.
var around = []file{
	{name: "recommender/export/metrics.go", mutants: []mutant{
		{
			"desired-from-the-start", "without a recommendation there is no series",
			"if w.Decision.Known {\n\t\t\t\temit(float64(w.Decision.Desired))", "if w.Policy != nil {\n\t\t\t\temit(float64(w.Decision.Desired))",
		},
		{
			"unbounded-from-the-start", "without a recommendation there is no unbounded one",
			"if w.Decision.Known {\n\t\t\t\temit(float64(w.Decision.Unbounded))", "if w.Policy != nil {\n\t\t\t\temit(float64(w.Decision.Unbounded))",
		},
	}},
	{name: "recommender/export/collector.go", mutants: []mutant{
		{"unknown-exported", "what is unknown is not exported", "if q.Known() && recommender.Exactly(q.Value, q.At, q.Replicas).Known() {", "if recommender.Exactly(q.Value, q.At, q.Replicas).Known() {"},
		{"nonsense-exported", "what is not a number is not exported", "if q.Known() && recommender.Exactly(q.Value, q.At, q.Replicas).Known() {", "if q.Known() {"},
		{"two-reasons", "exactly one reason is 1", "r == w.Decision.Reason", "r >= w.Decision.Reason"},
		{"year-one", "no time is not exported", "if !t.IsZero() {", "if t.IsZero() || true {"},
		{"raw-unknown", "a signal that is unknown has no proposal", "if p.Quantity.Known() {\n\t\t\tasks", "if p.Signal.Target > 0 {\n\t\t\tasks"},
	}},
	{name: "recommender/daemon/memory.go", mutants: []mutant{
		{"replay-unsettled", "a replay settles the state", "m.state, m.tracker, m.settled = past.state, past.tracker, true", "m.state, m.tracker = past.state, past.tracker"},
		{"replay-without-state", "a replay rebuilds the state", "m.state, m.tracker, m.settled = past.state, past.tracker, true", "m.tracker, m.settled = past.tracker, true"},
		{"settled-at-once", "live evidence settles the state after the span of a replay", "o.Time.Sub(m.since) >= m.policy.Replay()", "o.Time.Sub(m.since) >= 0"},
		{"reload-is-idle", "a changed policy takes the workload for busy", "Unsure: now, Filled: now, Progress: now,", "Filled: now, Progress: now,"},
		{"reload-forgets-asked", "a changed policy keeps what was asked for", "Good: s.Good, Asked: s.Asked,", "Good: s.Good,"},
		{"reload-without-window", "a changed policy waits out its window", "\tnext.Latest.Replicas, next.Latest.Time, next.Proposed = s.Asked, now, now\n", ""},
		{"reload-keeps-all", "a workload that stays as it is keeps its memory", "reflect.DeepEqual(m.origin, t.origin) {", "!reflect.DeepEqual(m.origin, t.origin) {"},
		{"unanswered-is-live", "a tick without answers is no live evidence", "if answered && m.since.IsZero() {", "if m.since.IsZero() {"},
	}},
	{name: "recommender/daemon/loop.go", mutants: []mutant{
		{"slot-twice", "a slot is decided once", "if under == nil && slot.After(l.previous) {", "if under == nil && !slot.Before(l.previous) {"},
		{"ready-unsettled", "ready needs the past", "if answered && !l.unsettled() &&", "if answered &&"},
		{"reload-waits", "a slot is decided while a past is read", "!l.anySettled() && l.lacksPast(slot))", "l.lacksPast(slot))"},
		{"missed-uncounted", "missed slots are counted", "l.metrics.missed.Add(float64(slotsBetween(l.previous, r.slot, l.world.interval)))", "l.metrics.missed.Add(0)"},
	}},
	{name: "recommender/daemon/catchup.go", mutants: []mutant{
		{"history-hammered", "history that fails is asked for more rarely", "l.past = r.slot.Add(4 * r.caughtUp)", "l.past = r.slot"},
		{"join-early", "no slot is decided on twice", "if r == nil || under.covers(r.slot) {", "if r == nil {"},
		{"beside-idle", "what is new gets its past beside the slots", "!l.anySettled() || !l.lacksPast(slot)", "true"},
		{"join-short", "the past ends with the slot that was read last", "if r.past != nil {", "if false {"},
	}},
	{name: "recommender/daemon/past.go", mutants: []mutant{
		{"twin-unheard", "what a twin asks for counts", "q.Value > float64(r.last.Desired)", "false"},
	}},
	{name: "recommender/daemon/slots.go", mutants: []mutant{
		{"slots-unaligned", "slots are multiples of the interval", "n-n%int64(interval)", "n"},
	}},
	{name: "promapi/tick.go", mutants: []mutant{
		{"negative-counted", "a negative gauge is not a number", "if v < 0 || math.IsInf(v, 0) {", "if math.IsInf(v, 0) {"},
		{"nonsense-is-zero", "one replica's nonsense is not made up for by the others", "return math.NaN()", "return 0"},
		{"ranks-add-up", "of several names of a gauge one counts", "case is.rank > *rank:", "case is.rank > 1000:"},
		{"caches-add-up", "the fullest cache of a replica counts", "case measured[is.measure].max:", "case !measured[is.measure].max && v < 0:"},
	}},
	{name: "promapi/observe.go", mutants: []mutant{
		{"warnings-dropped", "a warning makes every value a lower bound", "result.Series, result.Warnings, len(result.Series)", "result.Series, nil, len(result.Series)"},
	}},
	{name: "promapi/queries.go", mutants: []mutant{
		{"twins-add-up", "a replica that is scraped twice counts once", "return fmt.Sprintf(\"max without (%s) (%s)\"", "return fmt.Sprintf(\"sum without (%s) (%s)\""},
	}},
	{name: "promapi/summary.go", mutants: []mutant{
		{"unready-carries", "a replica that is not ready is none to spread load over", "if r.exists && !r.ready {", "if !r.exists && !r.ready && s.fixed > 1000 {"},
		{"stale-is-silent", "stale and absent are two things", "case newest > 0:", "case newest < 0:"},
		{"percent-believed", "a cache that counts to 100 is not believed", "if s.fullest > 1+rounding {", "if s.fullest > 1000 {"},
		{"half-a-queue", "a replica that says half of its queue was not heard in full", "if r.sound(e) {", "if true {"},
		{"half-the-caches", "a mean over some replicas is a lower bound", "(q.LowerBound || n < s.reporting)", "q.LowerBound"},
		{"from-the-future", "no sample is newer than the question", "if t > 0 && t <= seconds(m.when)+1 {", "if t > 0 {"},
		{"age-unknown-is-now", "a sample of unknown age is as old as it can be", "return seconds(m.when.Add(-m.options.StaleAfter))", "return seconds(m.when)"},
		{"warned-in-full", "an answer with a warning is a lower bound", "q.LowerBound = q.Known() && (o.partial() || s.moment.outcomes[FamilyPods].partial())", "q.LowerBound = false"},
	}},
	{name: "promapi/kube.go", mutants: []mutant{
		{"list-is-all", "pods that only the status knows were not heard", "case listed && !(s.ready.sum > v):", "case listed:"},
		{"half-the-cpus", "the CPU of some replicas is a lower bound", "(q.LowerBound || !all)", "(q.LowerBound && !all)"},
		{"failed-count", "a query that failed is not a missing object", "\tcase o.failed():\n\t\treturn recommender.Missing(recommender.Failed)\n\tcase s.spec.rows > 0:", "\tcase s.spec.rows > 0:"},
	}},
	{name: "promapi/held.go", mutants: []mutant{
		{"held-in-part", "requests held by two sources, one missing, are a lower bound", "\t\ta.LowerBound = true\n", ""},
		{"proxied-twice", "requests on their way through a gateway are counted in the pods", "if preset.proxied && serving && total.sum >= 0 {", "if preset.proxied && serving && total.sum < 0 {"},
	}},
	{name: "promapi/held_seen.go", mutants: []mutant{
		{"match-unproven", "a match that never found anything does not say that nothing is held", "return ok && 0 <= age && age <= heldSpan", "return ok || age >= 0"},
	}},
}
