package dashboards

// Workload answers for one workload, from top to bottom: is its decision fresh, what is
// wanted and what runs, why, what do the signals say, will users wait, how long do new
// replicas take, and what does it cost.
func Workload() Dashboard {
	variables := ofWorkloads()
	for i := range variables {
		if v := &variables[i]; v.Name == "workload_namespace" || v.Name == "workload" {
			*v = v.one()
		}
	}
	return newDashboard("workload", "infscale / Workload",
		"Why one served model has the replicas it has, and whether its users wait.",
		variables,
		section{"Is the decision fresh?", decided()},
		section{"What is wanted, and what runs?", wanted()},
		section{"Why?", why()},
		section{"What do the signals say?", signals()},
		section{"Will users wait?", objective()},
		section{"How long do new replicas take?", coldStarts()},
		section{"What does it cost?", economy()})
}

func decided() []Panel {
	since := func(metric string) string { return "time() - min(" + each(metric) + ")" }
	return []Panel{
		number("Valid",
			"Whether the last decision rests on complete, fresh evidence. No: the number is held, or raised on what is known.",
			"bool_yes_no", "min("+each("infscale_decision_valid")+")", lowest("red"), from(1, "green")),
		age("Decided", "Time since the last decision. From eight intervals on an alert is raised.",
			since("infscale_decision_timestamp_seconds")),
		number("Evidence", "Age of the oldest value that the last decision used. Past hold_limit the recommendation is withdrawn.",
			"s", since("infscale_evidence_timestamp_seconds"), lowest("green"), from(120, "orange"), from(600, "red")),
		number("Not heard", "Replicas that are ready and did not report. While there is one, nothing falls.",
			"none", "sum("+each("infscale_ready_replicas")+" - "+each("infscale_reporting_replicas")+")",
			lowest("green"), from(1, "red")),
	}
}

func wanted() []Panel {
	return []Panel{
		graph("Replicas",
			"Desired is the recommendation; current is what the workload's spec says; ready and reporting are those that can serve and those that were heard. A gap in desired is a recommendation withdrawn.",
			"none",
			// What is drawn later hides what is the same.
			query(each("infscale_reporting_replicas"), "{{workload}} reporting"),
			query(each("infscale_ready_replicas"), "{{workload}} ready"),
			query(each("infscale_current_replicas"), "{{workload}} current"),
			query(each("infscale_desired_replicas"), "{{workload}} desired")).
			coloured(".* desired$", "blue").coloured(".* current$", "purple").
			coloured(".* ready$", "green").coloured(".* reporting$", "orange"),
		graph("Bounds",
			"What would be desired with no maximum, between the bounds in force, schedules included. Above the maximum, users wait for want of capacity.",
			"none",
			query(each("infscale_unbounded_replicas"), "{{workload}} unbounded"),
			query(each("infscale_min_replicas"), "{{workload}} min"),
			query(each("infscale_max_replicas"), "{{workload}} max")).
			coloured(".* unbounded$", "blue").coloured(".* (min|max)$", "text").dashed(".* (min|max)$"),
	}
}

func why() []Panel {
	return []Panel{
		reasonTimeline(),
		graph("Signals against their targets",
			"The replicas at which each signal would meet its target, before windows, limits and bounds. The largest leads. Above current, the signal is over its target.",
			"none",
			query(each("infscale_raw_replicas", "signal"), "{{workload}} {{signal}}"),
			query(each("infscale_current_replicas"), "{{workload}} current")).
			coloured(".* current$", "purple").dashed(".* current$"),
		graph("Scale events",
			"Changes of the recommendation, by direction. Up and down in turn is flapping.",
			"cps",
			query("sum by (workload_namespace, workload, direction) (rate(infscale_scale_events_total{"+workloads+"}[$__rate_interval]))",
				"{{workload}} {{direction}}")),
	}
}

func signals() []Panel {
	return []Panel{
		graph("Requests",
			"Running in the batch, waiting in the engine, and held in front of the pods.",
			"short",
			query(each("infscale_requests_running"), "{{workload}} running"),
			query(each("infscale_requests_waiting"), "{{workload}} waiting"),
			query(each("infscale_requests_held"), "{{workload}} held")).
			coloured(".* running$", "green").coloured(".* waiting$", "orange").coloured(".* held$", "red"),
		graph("Fill",
			"KV cache in use, as the mean over replicas, and the batch slots in use, where max_num_seqs is configured. Above 85 % of the cache, engines begin to preempt.",
			"percentunit",
			query(each("infscale_kv_cache_usage_ratio"), "{{workload}} KV cache"),
			query(each("infscale_batch_fill_ratio"), "{{workload}} batch")).
			share().lined(lowest("transparent"), from(0.85, "red")),
		graph("Tokens per second",
			"Tokens produced and prompt tokens taken in.",
			"short",
			query(each("infscale_output_tokens_per_second"), "{{workload}} output"),
			query(each("infscale_prompt_tokens_per_second"), "{{workload}} prompt")),
		graph("Arrivals",
			"Requests that arrive: completions plus the change of those in flight.",
			"reqps",
			query(each("infscale_request_arrivals_per_second"), "{{workload}}")),
	}
}

func objective() []Panel {
	const perRequest = "namespace_workload:inference_slo_misses_per_request:ratio_rate"
	budget := recorded("namespace_workload:inference_slo_budget:ratio")
	return []Panel{
		graph("Time to first token",
			"As read from the engines, at each percentile that a ttft signal uses (empty without one), and the seconds of the objective. A value at the highest bucket means at least that.",
			"s",
			query(each("infscale_ttft_seconds", "percentile"), "{{workload}} {{percentile}}"),
			query(each("infscale_slo_ttft_seconds"), "{{workload}} objective")).
			logarithmic().coloured(".* objective$", "red").dashed(".* objective$"),
		graph("Risk of the objective",
			"Simulated: share of the requests arriving within the next cold start and interval that is expected to miss the objective, with the replicas recommended, one fewer, one more, and with those there are; and the share that may. Unknown without an objective, or while too little is known.",
			"percentunit",
			query(each("infscale_slo_risk_ratio", "replicas"), "{{workload}} {{replicas}}"),
			query(mayMiss(), "{{workload}} may miss")).
			share().coloured(".* desired$", "blue").coloured(".* current$", "purple").
			coloured(".* may miss$", "red").dashed(".* may miss$"),
		graph("Misses of the objective",
			"Measured: share of recent requests whose first token came later than the objective, and the share that may.",
			"percentunit",
			query(each("infscale_slo_miss_ratio"), "{{workload}} missed"),
			query(mayMiss(), "{{workload}} may miss")).
			share().coloured(".* may miss$", "red").dashed(".* may miss$"),
		graph("Misses against the budget",
			"Misses weighed by traffic over an hour and over six, and the fraction of requests that may miss. Several times the budget is what the burn alerts look for. Needs infscale's recording rules.",
			"percentunit",
			query(recorded(perRequest+"1h"), "{{workload}} 1 h"),
			query(recorded(perRequest+"6h"), "{{workload}} 6 h"),
			query(budget, "{{workload}} budget")).
			coloured(".* budget$", "red").dashed(".* budget$"),
	}
}

func coldStarts() []Panel {
	return []Panel{
		graph("Cold start",
			"Time from a created to a ready replica, and the configured one with which is planned. Where nothing was measured, that one stands for all percentiles.",
			"s",
			query(each("infscale_cold_start_seconds", "percentile"), "{{workload}} {{percentile}}"),
			query(each("infscale_cold_start_configured_seconds"), "{{workload}} configured")).
			coloured(".* configured$", "red").dashed(".* configured$"),
		graph("Replicas on their way",
			"Current replicas that are not ready: they pull, load and warm up. What stays for longer than a cold start does not come.",
			"none",
			query("clamp_min("+each("infscale_current_replicas")+" - "+each("infscale_ready_replicas")+", 0)", "{{workload}}")),
	}
}

func economy() []Panel {
	current, maximum := each("infscale_current_replicas"), each("infscale_max_replicas")
	per := func(metric string) string { return each(metric) + " / (" + each("infscale_ready_replicas") + " > 0)" }
	return []Panel{
		number("Replica-hours",
			"Current replicas, summed over the time on the screen. Times where nothing is known of them are left out.",
			"short", "sum("+inRange(current)+")", lowest("text")).sized(6, 8),
		number("Share of the maximum",
			"Replica-hours as a share of those that the maximum would have taken.",
			"percentunit", "sum("+inRange(current)+") / sum("+inRange(maximum+" and "+current)+")", lowest("text")).sized(6, 8),
		graph("Output per replica",
			"Tokens per second that each ready replica produces. Far below what one can produce, replicas idle.",
			"short", query(per("infscale_output_tokens_per_second"), "{{workload}}")),
	}
}
