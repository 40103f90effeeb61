package main

// signals is how evidence becomes numbers, and numbers proposals.
var signals = []file{
	{name: "recommender/propose.go", mutants: []mutant{
		{
			"current-in-part", "a current count that is a lower bound is not complete",
			"r.complete = r.d.Current.Complete()", "r.complete = true",
		},
		{"smallest-wins", "the largest proposal wins", "p.Replicas > r.d.Raw {", "p.Replicas < r.d.Raw {"},
		{
			"unknown-is-zero", "a signal that is unknown asks for nothing",
			"\t\tif !p.Quantity.Known() {\n", "\t\tif p.Quantity.Evidence == Unobserved {\n",
		},
		{
			"all-optional-missing", "without any signal nothing is known, optional or not",
			"if !r.usable && r.complete {", "if !r.usable && !r.complete {",
		},
		{
			"unobserved-is-missing", "nothing to measure is no fault",
			"if q.Known() || q.Evidence == Unobserved {", "if q.Known() {",
		},
		{
			"missing-is-usable", "missing evidence is not usable",
			"if q.Known() || q.Evidence == Unobserved {", "if true {",
		},
		{
			"newest-evidence", "the oldest evidence dates a decision",
			"r.d.Evidence = older(r.d.Evidence, q.At)", "r.d.Evidence = q.At",
		},
		{
			"lower-bound-is-complete", "a lower bound is not complete",
			"if q.Complete() || r.idle(p) ||", "if q.Known() || r.idle(p) ||",
		},
		{
			"no-rate-yet", "a counter without a rate yet is not complete",
			"Evidence == Unobserved && !p.Signal.isRate()", "Evidence == Unobserved",
		},
		{"unheard-is-nothing", "nothing was measured only if every ready replica was heard", " && (!p.Signal.FromPods() || r.o.covered() || r.o.silent(&r.p))\n", "\n"},
		{
			"optional-lower-bound", "a lower bound of an optional signal is not complete",
			"(p.Signal.Optional && !q.Known())", "p.Signal.Optional",
		},
		{
			"optional-is-required", "optional signals may be missing",
			"(p.Signal.Optional && !q.Known())", "(p.Signal.Optional && q.Known())",
		},
		{
			"last-missing", "the first signal that is missing is the reason",
			"if r.complete {\n\t\tr.missing = q.Evidence\n\t}", "r.missing = q.Evidence",
		},
		{"target-of-zero", "no target divides by zero", "max(milli(p.Signal.Target), 1)", "milli(p.Signal.Target)"},
		{
			"tolerance-turned", "each direction has its own tolerance",
			"r.p.Tolerance.Down, r.p.Tolerance.Up)", "r.p.Tolerance.Up, r.p.Tolerance.Down)",
		},
		{"no-tolerance", "nothing moves within the tolerance", "r.p.Tolerance.Down, r.p.Tolerance.Up)", "0, 0)"},
		{
			"tolerance-around-asked", "the tolerance is around what the current replicas carry",
			"share *= float64(r.current)", "share *= float64(max(r.asked, 1))",
		},
		{
			"ratio-of-current", "a ratio stands for the replicas that reported",
			"replicas = int64(r.contributors(&p.Quantity))", "replicas = int64(r.current)",
		},
		{
			"ratio-of-reporting", "a ratio stands for the replicas that contributed to it",
			"case q.Replicas > 0:\n", "case q.Replicas < 0:\n",
		},
		{
			"ratio-of-everyone", "a ratio whose contributors are unknown stands for those that reported",
			"return count(r.o.Reporting)", "return r.current",
		},
		{"overflow-wraps", "absurd demand asks for the maximum", "value > math.MaxInt64/replicas", "value < 0"},
		{"overflow-is-zero", "demand that overflows asks for the most", "return math.MaxInt32", "return 0"},
	}},
	{name: "recommender/quantity.go", mutants: []mutant{
		{"nan-is-a-number", "NaN is invalid", "math.IsNaN(q.Value) || ", ""},
		{"infinity-is-a-number", "an infinity is invalid", "math.IsInf(q.Value, 0) || ", ""},
		{"negative-is-a-number", "a negative number is invalid", " || q.Value < 0) {", ") {"},
		{"absurd-count", "an absurd number of replicas is invalid", "q.Known() && q.Value > most {", "q.Known() && q.Value < 0 {"},
		{"complete-in-part", "a lower bound is not complete", "q.Evidence == Known && !q.LowerBound", "q.Evidence == Known"},
		{"never-is-not-absent", "what never matched has no series", " || q.Evidence == NeverMatched }", " }"},
		{
			"sum-of-bounds", "a sum with a lower bound is one",
			"q.LowerBound || r.LowerBound", "q.LowerBound && r.LowerBound",
		},
		{
			"sum-of-one", "a sum of which the second part is missing is a lower bound",
			"\t\tq.LowerBound = true\n", "",
		},
		{
			"sum-of-the-other", "a sum of which the first part is missing is a lower bound",
			"\t\tr.LowerBound = true\n", "",
		},
		{"newest-part", "a sum is as old as its oldest part", "At: older(q.At, r.At),", "At: q.At,"},
		{"newer", "older is the earlier of two times", "b.Before(a)", "b.After(a)"},
		{"no-time-is-oldest", "no time is not the oldest", "(!b.IsZero() && b.Before(a))", "b.Before(a)"},
		{"thousandths-cut", "values are rounded to thousandths", "math.Round(v * 1000)", "math.Trunc(v * 1000)"},
		{"thousandths-wrap", "a large value is the largest", "case m >= limit:", "case m < 0:"},
		{"part-of-a-replica", "a part of a replica is a replica", "\t\tn++\n", ""},
		{"replicas-wrap", "a large count is the largest", "int32(min(n, math.MaxInt32))", "int32(n)"},
	}},
	{name: "recommender/observation.go", mutants: []mutant{
		{
			"held-ignored", "requests held in front of the pods are demand",
			"if s.countsHeld() && p.Held {", "if s.countsHeld() && p.Held && q.Value < 0 {",
		},
		{
			"held-unasked", "held requests count only where there is a source for them",
			"if s.countsHeld() && p.Held {", "if s.countsHeld() {",
		},
		{
			"partly-heard", "what not all ready replicas report is a lower bound",
			"if s.FromPods() && !o.covered() {", "if s.FromPods() && !o.Reporting.Known() {",
		},
		{
			"silence-is-missing", "without pods there is nothing to say",
			"if s.FromPods() && o.silent(p) {", "if s.FromPods() && o.Current.Value < 0 {",
		},
		{"silence-in-part", "one queue that speaks is not silence", " || !o.Waiting.absent()", ""},
		{"silence-of-running", "the other queue that speaks is not silence", "!o.Running.absent() || ", ""},
		{
			"silence-of-ready", "ready pods that are not heard are not silent",
			" || (o.Ready.Known() && o.Ready.Value > 0)", "",
		},
		{
			"silence-without-held", "pods that load without a counter in front are not idle",
			"(o.Ready.Complete() && p.Held && o.Held.checked().Complete())", "o.Ready.Complete()",
		},
		{
			"silence-held-unknown", "pods that load are idle only if what is held is known in full",
			"p.Held && o.Held.checked().Complete())", "p.Held)",
		},
		{
			"silence-ready-unknown", "pods that may be ready are not silent",
			"(o.Ready.Complete() && p.Held && ", "(p.Held && ",
		},
		{
			"ratio-of-nothing", "a ratio of no replicas is not zero",
			"\t\treturn Exactly(0, o.Current.At, 0)\n\t}\n\treturn Missing(Unobserved)",
			"\t\treturn Exactly(0, o.Current.At, 0)\n\t}\n\treturn Exactly(0, o.Current.At, 0)",
		},
		{"one-is-enough", "every ready replica must be heard", "o.Reporting.Value >= o.Ready.Value", "o.Reporting.Value > 0"},
		{
			"ready-in-part", "how many are ready must be known in full",
			"return o.Ready.Complete() && o.Reporting.Known()", "return o.Ready.Known() && o.Reporting.Known()",
		},
		{"queue-is-running", "the queue is running and waiting", "return o.Running.checked().plus(o.Waiting.checked())", "return o.Running"},
		{
			"fill-of-one", "the batch fill is a mean over replicas",
			"q.Value /= float64(maxNumSeqs) * float64(q.Replicas)", "q.Value /= float64(maxNumSeqs)",
		},
		{"fill-of-nobody", "the batch fill of nobody is nothing", "if q.Replicas <= 0 {", "if q.Replicas < -1 {"},
		{"wrong-percentile", "a signal reads its own percentile", "if list[i].P == p {", "if list[i].P <= 1 {"},
		{"wrong-query", "a signal reads its own query", "if o.Queries[i].Name == name {", "if o.Queries[i].Name != \"\" {"},
	}},
	{name: "recommender/signal.go", mutants: []mutant{
		{"ratio-adds-up", "a query of type ratio does not add up", "return s.Type != Ratio", "return true"},
		{"query-from-pods", "a query is not read from the pods", "return s.Metric != Query", "return true"},
		{
			"waiting-without-held", "held requests wait",
			"s.Metric == Queue || s.Metric == Waiting", "s.Metric == Queue",
		},
	}},
}
