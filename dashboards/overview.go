// Package dashboards holds the Grafana dashboards as data. The JSON files beside the code
// are their rendering: `make dashboards` writes them, a test compares them. Package draw
// below proves them on simulated days.
package dashboards

// Overview answers for all workloads, from top to bottom: can the decisions be trusted,
// which workload needs a look, what is wanted and what runs, why, will users wait, and what
// does it cost.
func Overview() Dashboard {
	return newDashboard("overview", "infscale / Overview",
		"Replicas wanted for each served model, why, and how likely users are to wait.",
		ofWorkloads(),
		section{"Are the decisions fresh?", fresh()},
		section{"Which workload needs a look?", []Panel{attention()}},
		section{"What is wanted, and what runs?", []Panel{
			graph("Desired replicas",
				"The recommendation for each workload. A gap is a recommendation withdrawn, because nothing usable was known for too long.",
				"none", query(each("infscale_desired_replicas"), named)),
			graph("Ready replicas",
				"Those that can serve. They follow the recommendation after a cold start, or something does not act on it.",
				"none", query(each("infscale_ready_replicas"), named)),
		}},
		section{"Why?", []Panel{
			confidence(),
			graph("Wanted beyond the maximum",
				"Replicas that the signals ask for and the configuration does not allow. Above zero, users wait for want of capacity.",
				"none",
				query("clamp_min("+each("infscale_unbounded_replicas")+" - "+each("infscale_max_replicas")+", 0)", named)),
			graph("Scale events",
				"Changes of the recommendation. Many in a row, up and down in turn, are flapping.",
				"cps",
				query("sum by (workload_namespace, workload) (rate(infscale_scale_events_total{"+workloads+"}[$__rate_interval]))", named)),
		}},
		section{"Will users wait?", []Panel{
			graph("Risk of the objective",
				"Simulated: share of the requests arriving within the next cold start and interval that is expected to miss the objective with the recommended replicas. Unknown without an objective, or while too little is known.",
				"percentunit",
				query(eachWith("infscale_slo_risk_ratio", `replicas="desired"`), named)).share(),
			graph("Misses of the objective",
				"Measured: share of recent requests whose first token came later than the objective.",
				"percentunit",
				query(each("infscale_slo_miss_ratio"), named)).share(),
			graph("Time to first token",
				"The highest percentile that a ttft signal uses, as read from the engines; empty without such a signal. A value at the highest bucket means at least that.",
				"s", query(each("infscale_ttft_seconds"), named)).logarithmic(),
			graph("Requests that wait",
				"Queued in the engines, and held in front of the pods.",
				"short",
				query(each("infscale_requests_waiting"), named+" in the engine"),
				query(each("infscale_requests_held"), named+" held")),
		}},
		section{"What does it cost?", cost()})
}

// fresh are numbers on the decisions and what they rest on.
func fresh() []Panel {
	const oldest = ` (max by (workload_namespace, workload) (`
	return []Panel{
		number("Valid decisions",
			"Share of the workloads whose last decision rests on complete, fresh evidence. The others are held, or raised on what is known.",
			"percentunit", "avg("+each("infscale_decision_valid")+")",
			lowest("red"), from(0.9, "orange"), from(1, "green")),
		age("Oldest decision",
			"Time since the decision of the workload that has waited longest for one. From eight intervals on an alert is raised.",
			"time() - min"+oldest+"infscale_decision_timestamp_seconds{"+workloads+"}))"),
		number("Oldest evidence",
			"Age of the oldest value that a last decision used. Past hold_limit the recommendation is withdrawn.",
			"s", "time() - min"+oldest+"infscale_evidence_timestamp_seconds{"+workloads+"}))",
			lowest("green"), from(120, "orange"), from(600, "red")),
		configuration(),
	}
}

// configuration says whether the file on disk is what runs.
func configuration() Panel {
	return number("Configuration in force",
		"Whether every replica runs the configuration that it read last. No: the last reload was refused and the old one goes on.",
		"bool_yes_no", "min(infscale_config_last_reload_successful{"+own+"})",
		lowest("red"), from(1, "green"))
}

// attention is a row of the latest facts for each workload.
func attention() Panel {
	return table("Workloads",
		"The latest of each workload. Risk and misses are shares of what the objective allows: above 100 % it is not kept. An empty cell is unknown, and not zero. The name leads to the workload.",
		[][2]string{{"workload_namespace", "Namespace"}, {"workload", "Workload"}, {"reason", "Reason"}},
		column{"Desired", "none", each("infscale_desired_replicas"), nil},
		column{"Current", "none", each("infscale_current_replicas"), nil},
		column{"Ready", "none", each("infscale_ready_replicas"), nil},
		column{"Maximum", "none", each("infscale_max_replicas"), nil},
		column{"", "none", each("infscale_decision_reason", "reason") + " == 1", nil},
		column{"Valid", "bool_yes_no", each("infscale_decision_valid"), []Step{lowest("red"), from(1, "green")}},
		column{
			"Risk/budget", "percentunit", ofBudget(eachWith("infscale_slo_risk_ratio", `replicas="desired"`)),
			[]Step{lowest("green"), from(1, "orange"), from(4, "red")},
		},
		column{
			"Missed/budget", "percentunit", ofBudget(each("infscale_slo_miss_ratio")),
			[]Step{lowest("green"), from(1, "orange"), from(4, "red")},
		},
		column{"Replica-hours", "short", inRange(each("infscale_current_replicas")), nil},
	).leading("Workload", "Open the workload",
		"/d/infscale-workload?var-datasource=${datasource}&var-workload_namespace=${__data.fields.Namespace}&var-workload=${__data.fields.Workload}&${__url_time_range}")
}

// ofBudget is a share of the requests as one of those that may miss.
func ofBudget(share string) string { return share + " / (" + mayMiss() + ")" }

// cost is what runs, against what would run without scaling.
func cost() []Panel {
	current, maximum := each("infscale_current_replicas"), each("infscale_max_replicas")
	return []Panel{
		graph("Replicas in all",
			"Current replicas of the workloads on top of each other, below the sum of the maxima. Replicas are of different size where models are.",
			"none",
			query(current, named),
			query("sum("+maximum+")", "all at the maximum")).
			stacked().dashed("all at the maximum").coloured("all at the maximum", "text"),
		number("Replica-hours",
			"Current replicas, summed over the time on the screen. Times where nothing is known of them are left out.",
			"short", "sum("+inRange(current)+")", lowest("text")).sized(6, 8),
		number("Share of the maxima",
			"Replica-hours as a share of those that all workloads at their maximum would have taken.",
			"percentunit", "sum("+inRange(current)+") / sum("+inRange(maximum+" and "+current)+")", lowest("text")).sized(6, 8),
	}
}
