// Package config reads the configuration file.
//
//	bytes -> decode -> Config -> compile -> promapi.Workload, recommender.Policy
//	             \                    /
//	              +---> mistakes <---+
//
// It starts from the defaults, knows every key, and goes on after a mistake, so
// that one look reports all of them, each with its line and its path:
//
//	infscale.yaml:9: workloads[0] "chat": replicas.max: must be at least replicas.min 3, got 1
//
// What makes a policy sound is spelled once, in recommender.Policy.Validate; what
// makes a file readable is spelled here: keys, units, time zones and PromQL.
package config
