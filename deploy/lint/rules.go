package lint

import "slices"

// The table of rules.
var rules = slices.Concat(queryRules, kedaRules, behaviorRules, serverRules)

// Rules on PromQL.
var queryRules = []rule{
	{
		id: "query-syntax", severity: Error, check: querySyntax,
		says: "PromQL that Prometheus cannot parse",
		why:  "Prometheus answers 400 to every evaluation, and the scaler has no metric.",
		fix:  "Correct the query; `promtool promql format` says the same about it.",
	},
	{
		id: "query-type", severity: Error, check: queryType,
		says: "a query that gives a scalar, a string or a range",
		why:  "KEDA's Prometheus trigger cannot read any answer but an instant vector.",
		fix:  "Aggregate to one element: sum(...) or max(...); vector(...) makes one of a scalar.",
	},
	{
		id: "raw-vector", severity: Error, check: rawVector,
		says: "a query that gives an element for every replica",
		why:  "It works with one replica. With the second one KEDA fails with \"returned multiple elements\", just when it is needed.",
		fix:  "Aggregate: sum(...) of what adds up; for a histogram sum by (le) (...).",
	},
	{
		id: "double-average", severity: Error, check: doubleAverage,
		says: "a mean under AverageValue, the default type, which divides by the replicas again",
		why:  "The HPA computes ceil(value / target): 10 replicas with a mean of 20 and a target of 5 ask for 4 replicas, not for 40.",
		fix:  "Write sum(...) under AverageValue, or keep the mean and write metricType: Value beside the trigger's type.",
	},
	{
		id: "latency-average", severity: Error, check: latencyAverage,
		says: "a latency under AverageValue, which divides it by the replicas",
		why:  "A latency says that replicas are missing and not how many: at 6 s with a target of 1.5 s the HPA asks for 4 replicas, whether 3 run or 30.",
		fix:  "Write metricType: Value, so that the ratio to the target multiplies the replicas; keep it as a guard beside a signal of load.",
	},
	{
		id: "value-of-total", severity: Error, check: valueOfTotal,
		says: "a total under Value, which multiplies by the replicas",
		why:  "The same load asks for more replicas the more there are: 20 waiting, target 5, 4 replicas ask for 16.",
		fix:  "Write AverageValue for a total; Value is for means and latencies.",
	},
	{
		id: "empty-is-zero", severity: Error, check: emptyIsZero,
		says: "no data read as no load: ignoreNullValues by default, or vector(0)",
		why:  "A renamed metric, a lost scrape or an empty Prometheus then scales the fleet to its minimum at the peak.",
		fix:  "Write ignoreNullValues: \"false\" in the metadata of the trigger and no `or vector(0)`: an error makes the HPA hold what it has.",
	},
	{
		id: "no-selector", severity: Warning, check: noSelector,
		says: "engine metrics of every model in every namespace",
		why:  "Another model's load scales this one.",
		fix:  "Match the namespace and the model: {namespace=\"...\", model_name=\"...\"}.",
	},
	{
		id: "wrong-label", severity: Error, check: wrongLabel,
		says: "a matcher by a label that the series does not have, or that means something else",
		why:  "A matcher that nothing fits gives an empty answer, which KEDA reads as zero by default.",
		fix:  "Ask Prometheus for the labels of the series.",
	},
	{
		id: "renamed-metric", severity: Error, check: renamedMetric,
		says: "a metric that its engine renamed, removed or never had",
		why:  "The query gives nothing, which KEDA reads as zero by default.",
		fix:  "Drop it: there is no successor.",
	},
	{
		id: "rate-of-gauge", severity: Error, check: rateOfGauge,
		says: "rate() or increase() of a gauge",
		why:  "rate() takes every fall for the restart of a counter and adds it up again.",
		fix:  "Use the value itself, or avg_over_time(...[1m]) to smooth it; deriv() is its slope.",
	},
	{
		id: "counter-level", severity: Error, check: counterLevel,
		says: "a counter whose level is taken for a load",
		why:  "It only grows, until a restart: the fleet goes to its maximum and stays there.",
		fix:  "Write rate(...[2m]), over at least four scrapes.",
	},
	{
		id: "gpu-utilisation", severity: Warning, check: gpuUtilisation,
		says: "how busy a GPU is, taken for how full a model server is",
		why:  "An engine keeps its GPU busy with one request; what is full is its batch and its KV cache.",
		fix:  "Scale on requests: sum(vllm:num_requests_running{...}) + sum(vllm:num_requests_waiting{...}), per replica.",
	},
	{
		id: "waiting-only", severity: Warning, check: waitingOnly,
		says: "nothing but waiting requests, without the running ones",
		why:  "A fleet that has just worked its queue off is full and has no queue: it is scaled to the minimum, and the queue is back.",
		fix:  "Add what runs, and a target for both: sum(running) + sum(waiting).",
	},
	{
		id: "unreachable-target", severity: Error, check: unreachable,
		says: "a target that the value cannot exceed",
		why:  "It never asks for another replica.",
		fix:  "A fraction has a target such as 0.85; for the requests of a replica take less than its slots, and count what waits too.",
	},
	{
		id: "twins-summed", severity: Error, check: twinsSummed,
		says: "the sum over several replicas of infscale",
		why:  "Every replica of infscale recommends for the whole workload.",
		fix:  "Write max(...), of those with infscale_decision_valid == 1 first; `recommender generate keda` prints it.",
	},
	{
		id: "foreign-pods", severity: Error, check: foreignPods,
		says: "a metric of infscale taken for one of the scaled pods",
		why:  "A Pods metric is looked for on the pods of the target, and the series are those of infscale's own pod: the HPA has no metric.",
		fix:  "Write type: External, with a selector of workload_namespace and workload; `recommender generate hpa` prints it.",
	},
	{
		id: "replica-target", severity: Error, check: replicaThreshold,
		says: "a number of replicas with a target other than 1",
		why:  "The HPA divides the recommendation by the target.",
		fix:  "Write threshold: \"1\", or averageValue: \"1\".",
	},
}

// Rules on ScaledObjects, and bounds.
var kedaRules = []rule{
	{
		id: "unknown-field", severity: Error, check: misfit,
		says: "a field that does not exist, a misspelt one, or a value of another type",
		why:  "The API server refuses it, or it is dropped in silence and the default holds.",
		fix:  "Correct the name and the place: `kubectl explain` lists the fields.",
	},
	{
		id: "removed-field", severity: Error, check: removedField,
		says: "fields and versions that KEDA and Kubernetes removed",
		why:  "It is ignored or refused, depending on the version.",
		fix:  "Delete it, or write its successor.",
	},
	{
		id: "metadata-type", severity: Error, check: metadataType,
		says: "a number or a boolean in the metadata of a trigger without quotes",
		why:  "The metadata of a trigger is text, and the API server refuses anything else.",
		fix:  "Put it in quotes.",
	},
	{
		id: "misplaced-metric-type", severity: Error, check: metricTypePlace,
		says: "metricType in the metadata of a trigger",
		why:  "KEDA reads it beside the type of the trigger only, and AverageValue holds.",
		fix:  "Move it out of the metadata, beside type.",
	},
	{
		id: "trigger-incomplete", severity: Error, check: triggerIncomplete,
		says: "a trigger without its threshold, query, server or times, or no trigger at all",
		why:  "KEDA does not start a trigger without it, and nothing scales.",
		fix:  "Add it.",
	},
	{
		id: "auth-incomplete", severity: Error, check: authIncomplete,
		says: "credentials that a trigger does not send, or modes of authentication without theirs",
		why:  "KEDA refuses the trigger, or Prometheus answers 401 to every query: nothing scales, or only the fallback does.",
		fix:  "Name the mode in authModes, the TriggerAuthentication in authenticationRef, and in that every parameter of the mode.",
	},
	{
		id: "replica-bounds", severity: Error, check: replicaBounds,
		says: "a minimum above the maximum, and bounds like it",
		why:  "The API server or KEDA refuses it, or the maximum cuts it.",
		fix:  "Order them: idle < min <= max.",
	},
	{
		id: "max-missing", severity: Warning, check: maxMissing,
		says: "no maximum, which is 100",
		why:  "A mistake in a query can then ask for 100 replicas with their GPUs.",
		fix:  "Write maxReplicaCount: what the node pool and the budget hold.",
	},
	{
		id: "zero-cannot-wake", severity: Error, check: zeroCannotWake,
		says: "scale to zero on metrics that end with the pods",
		why:  "Without a pod there is no series, the answer is empty, and the first request waits for ever.",
		fix:  "Keep one replica, or scale on something in front of the pods: held requests of the KEDA HTTP add-on or a gateway, or infscale with `held`.",
	},
	{
		id: "hpa-to-zero", severity: Warning, check: hpaToZero,
		says: "minReplicas 0 of a plain HPA",
		why:  "And from 1.37 on the HPA wakes only what it put to sleep itself.",
		fix:  "Let KEDA take the step to zero, or keep one replica.",
	},
	{
		id: "cooldown-without-zero", severity: Warning, check: cooldownWithoutZero,
		says: "a cooldownPeriod that nothing uses",
		why:  "Between min and max only the HPA's window delays a fall: behavior.scaleDown.stabilizationWindowSeconds, 300 s by default.",
		fix:  "Remove it, and set the window instead.",
	},
	{
		id: "cooldown-doubled", severity: Warning, check: cooldownDoubled,
		says: "KEDA's cooldown after infscale's",
		why:  "The last replica costs that much longer for nothing.",
		fix:  "Write cooldownPeriod: 0; infscale's cooldown is the one that counts.",
	},
	{
		id: "slow-polling", severity: Warning, check: slowPolling,
		says: "a pollingInterval that delays what it decides",
		why:  "It decides how soon KEDA leaves zero, and with cached metrics how old the HPA's are.",
		fix:  "Write pollingInterval: 15.",
	},
	{
		id: "fallback-shrinks", severity: Warning, check: fallbackShrinks,
		says: "a fallback that scales a larger fleet down",
		why:  "An outage of Prometheus at the peak is then an outage of the service.",
		fix:  "Write behavior: currentReplicasIfHigher (KEDA 2.17), or leave the fallback out: the HPA holds on errors.",
	},
	{
		id: "fallback-type", severity: Warning, check: fallbackType,
		says: "a fallback for a trigger that has none",
		why:  "The fallback does not come when it is needed.",
		fix:  "Add a trigger on Prometheus, with AverageValue before KEDA 2.18.",
	},
	{
		id: "fallback-at-zero", severity: Warning, check: fallbackAtZero,
		says: "a fallback that goes to zero, or wakes with many replicas",
		why:  "An error is no load: it should neither take the last replica away nor start many.",
		fix:  "Write replicas: 1 with behavior: currentReplicasIfHigher, or leave the fallback out: errors then change nothing.",
	},
	{
		id: "bad-schedule", severity: Error, check: badSchedule,
		says: "a cron trigger that KEDA refuses",
		why:  "KEDA does not start the trigger.",
		fix:  "Write five fields and a zone of the tz database: \"30 8 * * 1-5\", Europe/Madrid.",
	},
	{
		id: "late-schedule", severity: Warning, check: lateSchedule,
		says: "a schedule that starts less than a cold start before the hour",
		why:  "The replicas are there a cold start after the people.",
		fix:  "Start earlier by at least the cold start, and say with --cold-start how long that is.",
	},
}

// Rules on how an HPA moves.
var behaviorRules = []rule{
	{
		id: "swallowed-count", severity: Error, check: swallowedCount,
		says: "a number of replicas under the HPA's tolerance of 10 %",
		why:  "A count is exact, and from ten replicas on a difference of one is within the tolerance.",
		fix:  "Write tolerance: 0 under scaleUp and scaleDown of behavior (Kubernetes 1.35, before that a feature gate).",
	},
	{
		id: "window-doubled", severity: Warning, check: windowDoubled,
		says: "a window in the HPA after the one in infscale",
		why:  "Every fall comes later than infscale says, and its explanation is no longer the truth.",
		fix:  "Write stabilizationWindowSeconds: 0 under scaleUp and scaleDown of behavior.",
	},
	{
		id: "short-window", severity: Warning, check: shortWindow,
		says: "a scale-down window shorter than a cold start",
		why:  "The fleet swings, and every swing pays a cold start.",
		fix:  "Write a window of some minutes; the default is 300 s.",
	},
	{
		id: "policy-overflow", severity: Error, check: policyOverflow,
		says: "a Pods policy so large that the HPA's sum overflows",
		why:  "The limit becomes negative and blocks what it was to free.",
		fix:  "Write the maximum of replicas.",
	},
}

// Rules on the servers that are scaled, and on who scales them.
var serverRules = []rule{
	{
		id: "two-scalers", severity: Error, check: twoScalers,
		says: "two scalers of one target",
		why:  "They write the same field in turn, and KEDA refuses the second one.",
		fix:  "Keep one; several triggers of one ScaledObject take the largest.",
	},
	{
		id: "fixed-replicas", severity: Warning, check: fixedReplicas,
		says: "replicas in the manifest of something that is scaled",
		why:  "A deployment at the peak throws the fleet back to that number.",
		fix:  "Remove replicas; for the first apply it is 1.",
	},
	{
		id: "cpu-of-model-server", severity: Warning, check: cpuOfServer,
		says: "CPU or memory as the load of a model server",
		why:  "A target above the idle loop's one core never fires, one below it fires for ever.",
		fix:  "Scale on requests running and waiting.",
	},
	{
		id: "short-grace", severity: Error, check: shortGrace,
		says: "a grace period shorter than a generation",
		why:  "Every scale-down cuts streams in the middle, and no latency histogram shows it.",
		fix:  "Write terminationGracePeriodSeconds: the longest generation and a margin, above preStop and --shutdown-timeout together.",
	},
	{
		id: "no-such-drain", severity: Error, check: noSuchDrain,
		says: "a way to drain that the engine does not have",
		why:  "What looks like a drain is none.",
		fix:  "Write --shutdown-timeout with the longest generation, a preStop sleep of some seconds, and a grace period above both.",
	},
	{
		id: "no-drain", severity: Warning, check: noDrain,
		says: "a vLLM that aborts what it runs when it stops",
		why:  "Every scale-down ends the streams of its clients.",
		fix:  "Write --shutdown-timeout with the longest generation, or a preStop sleep as long.",
	},
}
