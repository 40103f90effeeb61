// Package dashboards holds the Grafana dashboards as data. The JSON files beside the code
// are their rendering: `make dashboards` writes them, a test compares them.
package dashboards

// Overview answers, from top to bottom: can the decisions be trusted, what is wanted and
// what runs, why, what do the signals say, will users wait, and is the daemon well.
func Overview() Dashboard {
	return Dashboard{
		UID:           "infscale-overview",
		Title:         "infscale / Overview",
		Description:   "Replicas wanted for each served model, why, and how likely users are to wait.",
		Tags:          []string{"infscale", "inference", "autoscaling"},
		GraphTooltip:  1, // one crosshair over all panels
		Refresh:       "30s",
		SchemaVersion: 39,
		Time:          Span{From: "now-3h", To: "now"},
		Templating:    Templating{List: variables()},
		Panels: arrange([]section{
			{"Are the decisions fresh?", fresh()},
			{"What is wanted, and what runs?", replicas()},
			{"Why?", reasons()},
			{"What do the signals say?", signals()},
			{"Will users wait?", objective()},
			{"Is the daemon well?", loop()},
		}),
	}
}

func variables() []Variable {
	const decided = `infscale_decision_valid{job=~"$job", instance=~"$instance"`
	return []Variable{
		{Name: "datasource", Label: "Data source", Type: "datasource", Query: "prometheus"},
		chooser("job", "Job", `label_values(infscale_build_info, job)`),
		chooser("instance", "Instance", `label_values(infscale_build_info{job=~"$job"}, instance)`),
		chooser("workload_namespace", "Workload namespace", `label_values(`+decided+`}, workload_namespace)`),
		chooser("workload", "Workload",
			`label_values(`+decided+`, workload_namespace=~"$workload_namespace"}, workload)`),
	}
}

func fresh() []Panel {
	const oldest = ` (max by (workload_namespace, workload) (`
	return []Panel{
		number("Valid decisions",
			"Share of the workloads whose last decision rests on complete, fresh evidence. The others are held, or raised on what is known.",
			"percentunit", "avg("+each("infscale_decision_valid")+")",
			lowest("red"), from(0.9, "orange"), from(1, "green")),
		number("Oldest decision",
			"Time since the decision of the workload that has waited longest for one.",
			"s", "time() - min"+oldest+"infscale_decision_timestamp_seconds{"+workloads+"}))",
			lowest("green"), from(60, "orange"), from(300, "red")),
		number("Oldest evidence",
			"Age of the oldest value that a last decision used. Past hold_limit the recommendation is withdrawn.",
			"s", "time() - min"+oldest+"infscale_evidence_timestamp_seconds{"+workloads+"}))",
			lowest("green"), from(120, "orange"), from(600, "red")),
		number("Configuration in force",
			"Whether every replica runs the configuration that it read last. No: the last reload was refused and the old one goes on.",
			"bool_yes_no", "min(infscale_config_last_reload_successful{"+own+"})",
			lowest("red"), from(1, "green")),
	}
}

func replicas() []Panel {
	return []Panel{
		graph("Replicas",
			"Desired is the recommendation; current is what the workload's spec says; ready and reporting are those that can serve and those that were heard. A gap in desired is a recommendation withdrawn.",
			"none",
			query(each("infscale_desired_replicas"), legend("desired")),
			query(each("infscale_current_replicas"), legend("current")),
			query(each("infscale_ready_replicas"), legend("ready")),
			query(each("infscale_reporting_replicas"), legend("reporting"))).sized(12, 10),
		graph("Bounds",
			"What would be desired with no maximum, between the bounds in force, schedules included. Above the maximum, users wait for want of capacity.",
			"none",
			query(each("infscale_unbounded_replicas"), legend("unbounded")),
			query(each("infscale_min_replicas"), legend("min")),
			query(each("infscale_max_replicas"), legend("max"))).
			dashed(".* (min|max)$").sized(12, 10),
	}
}

func reasons() []Panel {
	return []Panel{
		states("Reason",
			"The rule that decided last. Each workload has exactly one reason at a time.",
			query(each("infscale_decision_reason", "reason")+" == 1", legend("{{reason}}"))),
		graph("Raw replicas by signal",
			"What each signal asks for, before windows, limits and bounds. The largest leads.",
			"none",
			query(each("infscale_raw_replicas", "signal"), legend("{{signal}}"))),
		graph("Scale events",
			"Observed changes of the number of replicas, by direction. Up and down in turn is flapping.",
			"cps",
			query("sum by (workload_namespace, workload, direction) (rate(infscale_scale_events_total{"+workloads+"}[$__rate_interval]))",
				legend("{{direction}}"))),
	}
}

func signals() []Panel {
	return []Panel{
		graph("Requests",
			"Running in the batch, waiting in the engine, and held in front of the pods.",
			"short",
			query(each("infscale_requests_running"), legend("running")),
			query(each("infscale_requests_waiting"), legend("waiting")),
			query(each("infscale_requests_held"), legend("held"))),
		graph("Fill",
			"KV cache in use, as the mean over replicas, and the batch slots in use.",
			"percentunit",
			query(each("infscale_kv_cache_usage_ratio"), legend("KV cache")),
			query(each("infscale_batch_fill_ratio"), legend("batch"))).share(),
		graph("Tokens per second",
			"Tokens produced and prompt tokens taken in.",
			"short",
			query(each("infscale_output_tokens_per_second"), legend("output")),
			query(each("infscale_prompt_tokens_per_second"), legend("prompt"))),
		graph("Arrivals",
			"Requests that arrive, completions plus the change of those in flight.",
			"reqps",
			query(each("infscale_request_arrivals_per_second"), legend(""))),
	}
}

func objective() []Panel {
	return []Panel{
		graph("Time to first token",
			"As read from the engines, at each percentile in use. A value at the highest bucket means at least that.",
			"s",
			query(each("infscale_ttft_seconds", "percentile"), legend("{{percentile}}"))),
		graph("Misses of the objective",
			"Measured: share of recent requests whose first token came later than the objective.",
			"percentunit",
			query(each("infscale_slo_miss_ratio"), legend("missed"))).share(),
		graph("Risk of the objective",
			"Simulated: share of the requests arriving within the next cold start and interval that is expected to miss the objective, with the replicas recommended and with those there are. Unknown without an objective, or while too little is known.",
			"percentunit",
			query(each("infscale_slo_risk_ratio", "replicas"), legend("{{replicas}}"))).share(),
		graph("Cold start",
			"Time from a new replica to its first request, measured where that is possible.",
			"s",
			query(each("infscale_cold_start_seconds", "percentile"), legend("{{percentile}}"))),
	}
}

func loop() []Panel {
	const evaluation = "infscale_evaluation_duration_seconds_bucket"
	const asked = "infscale_prometheus_query_duration_seconds_bucket"
	return []Panel{
		graph("Evaluation and query time",
			"99th percentile of one evaluation of all workloads, and of one query.",
			"s",
			query("histogram_quantile(0.99, "+perSecond(evaluation, "le")+")", "evaluation"),
			query("histogram_quantile(0.99, "+perSecond(asked, "le")+")", "query")),
		graph("Missed evaluations",
			"Slots of the interval that passed without an evaluation.",
			"cps",
			query(perSecond("infscale_evaluations_missed_total", "instance"), "{{instance}}")),
		graph("Queries",
			"Requests sent to Prometheus.",
			"reqps",
			query(perSecond("infscale_prometheus_queries_total", "instance"), "{{instance}}")),
		graph("Failed queries",
			"Requests that Prometheus did not answer, by cause.",
			"reqps",
			query(perSecond("infscale_prometheus_query_failures_total", "cause"), "{{cause}}")),
	}
}
