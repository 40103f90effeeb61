// Package recommender decides how many replicas a workload needs.
//
// One pure function has every caller, from the daemon to the simulator:
//
//	Prometheus -> promapi -> Observation -> Decide -> Decision -> export -> /metrics
//	                             ^            |  ^
//	                  sim.Fleet -+            +--+ State
//
// [Decide] is total: missing knowledge is a reason to hold, never an error and
// never a zero. It is deterministic: the same [Policy], [State] and
// [Observation] give the same [Decision], byte for byte. State is only a cache
// of history, so folding Decide over the samples of the last [Policy.Replay]
// rebuilds it.
//
// The body of Decide is the list of rules in the order in which they act, one small
// function each, in the files propose, window, ratelimit, suspect, bounds and zero.
// The arithmetic of windows and rate limits is shared with
// the package hpa, which reproduces the Kubernetes controller exactly.
package recommender
