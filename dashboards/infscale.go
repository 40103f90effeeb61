package dashboards

// Infscale answers for the daemon itself: does it run, does it decide in time, does
// Prometheus answer it, what is configured, and what does it take.
func Infscale() Dashboard {
	return newDashboard("infscale", "infscale / infscale",
		"Whether infscale itself is well: its loop, its queries, its configuration and what it takes.",
		ofDaemon(),
		section{"Does it run?", running()},
		section{"Does it decide in time?", loop()},
		section{"Does Prometheus answer?", reading()},
		section{"Is the configuration in force?", loaded()},
		section{"What does it take?", resources()})
}

// quantiles are the median and the 99th percentile of a histogram.
func quantiles(histogram, what string) []Target {
	rate := perSecond(histogram+"_bucket", "le")
	return []Target{
		query("histogram_quantile(0.99, "+rate+")", what+" p99"),
		query("histogram_quantile(0.5, "+rate+")", what+" p50"),
	}
}

func running() []Panel {
	return []Panel{
		number("Replicas up", "Replicas of infscale that the last scrape reached.",
			"none", "sum(up{"+own+"} and on (job) last_over_time(infscale_build_info{"+own+"}[1h]))", lowest("red"), from(1, "orange"), from(2, "green")),
		number("Youngest replica", "Time since the replica that was started last was started.",
			"s", "time() - max("+ofProcess("process_start_time_seconds{"+own+"}")+")", lowest("text")),
		number("Workloads", "Workloads that it decides on.",
			"none", "count(max by (workload_namespace, workload) (infscale_decision_valid{"+own+"}))", lowest("text")),
		number("Twins apart",
			"Workloads for which the replicas of infscale recommend different numbers. They decide alike from the same samples; for one interval around a change they may differ.",
			"none", "count("+apart()+" > 0) or vector(0)", lowest("green"), from(1, "red")),
	}
}

// apart is how far the recommendations of twins differ.
func apart() string {
	const desired = " by (workload_namespace, workload) (infscale_desired_replicas{" + own + "})"
	return "(max" + desired + " - min" + desired + ")"
}

func loop() []Panel {
	return []Panel{
		graph("Evaluation time",
			"Time to read and decide one slot for all workloads. It must stay well below the interval.",
			"s", quantiles("infscale_evaluation_duration_seconds", "evaluation")...),
		graph("Evaluations",
			"Slots evaluated by each replica. One over the interval, if none is missed.",
			"cps",
			query(perSecond("infscale_evaluation_duration_seconds_count", "instance"), "{{instance}}")),
		graph("Missed evaluations",
			"Slots of the interval that passed without an evaluation.",
			"cps",
			query(perSecond("infscale_evaluations_missed_total", "instance"), "{{instance}}")),
		graph("Decisions by reason",
			"Decisions on all workloads, of all replicas together.",
			"cps",
			query(perSecond("infscale_decisions_total", "reason"), "{{reason}}")).stacked(),
	}
}

func reading() []Panel {
	return []Panel{
		graph("Query time",
			"Time from sending a query to its decoded answer, or its failure.",
			"s", quantiles("infscale_prometheus_query_duration_seconds", "query")...),
		graph("Queries",
			"Queries asked of Prometheus.",
			"reqps",
			query(perSecond("infscale_prometheus_queries_total", "instance"), "{{instance}}")),
		graph("Failed queries",
			"Queries that got no usable answer, by cause.",
			"reqps",
			query(perSecond("infscale_prometheus_query_failures_total", "cause"), "{{cause}}")),
		graph("Share of queries that fail",
			"Failed queries of all queries.",
			"percentunit",
			query("sum(rate(infscale_prometheus_query_failures_total{"+own+"}[$__rate_interval])) / sum(rate(infscale_prometheus_queries_total{"+own+"}[$__rate_interval]))", "failed")).share(),
	}
}

func loaded() []Panel {
	return []Panel{
		configuration().sized(12, 6),
		number("Loaded", "Time since the configuration in force was loaded, of the replica that did so first.",
			"s", "time() - min(infscale_config_last_reload_success_timestamp_seconds{"+own+"})", lowest("text")).sized(12, 6),
		table("Builds", "What each replica runs. They should be the same, but during an update.",
			[][2]string{{"instance", "Instance"}, {"version", "Version"}, {"revision", "Revision"}, {"goversion", "Go"}},
			column{"", "none", "max by (instance, version, revision, goversion) (infscale_build_info{" + own + "})", nil}).
			sized(24, 5),
	}
}

func resources() []Panel {
	largest := func(metric string) string { return "max by (instance) (" + ofProcess(metric+"{"+own+"}") + ")" }
	return []Panel{
		graph("Memory",
			"Memory of the process, and of it what the Go heap holds.",
			"bytes",
			query(largest("process_resident_memory_bytes"), "{{instance}} resident"),
			query(largest("go_memstats_heap_inuse_bytes"), "{{instance}} heap")),
		graph("CPU",
			"Cores in use.",
			"short",
			query("sum by (instance) ("+ofProcess("rate(process_cpu_seconds_total{"+own+"}[$__rate_interval])")+")", "{{instance}}")),
		graph("Goroutines",
			"A number that only grows is a leak.",
			"short",
			query(largest("go_goroutines"), "{{instance}}")),
		graph("Open files",
			"Open file descriptors, connections included.",
			"short",
			query(largest("process_open_fds"), "{{instance}}")),
	}
}
