// Package lint finds known mistakes in manifests that scale model servers.
//
// It reads KEDA ScaledObjects, HorizontalPodAutoscalers, the servers that they scale, KServe
// InferenceServices, rules of prometheus-adapter and of Prometheus, and the PromQL in all of
// them. A manifest is decoded into a typed view that knows the line of every field; a query is
// parsed as Prometheus parses it. Every rule is a function over those views and a row of one
// table, which also says why the mistake matters and what to do instead.
//
//	files -> documents -> views (scalers, servers, queries) -> rules -> findings
//
// The rules know no cluster: what is not in the given files is not held against them.
package lint
