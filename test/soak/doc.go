// Package soak proves that faults never take replicas away: the daemon, with its own HTTP
// client over TLS, reads a real Prometheus that holds a simulated fleet, while faults hit the
// wire, the data and the process, and a checker that knows what was done judges every tick.
//
//	schedule --+--> fleet --> embedded Prometheus --+--> proxy --> daemon --> /metrics --> checker
//	  (seed)   |      ^                             |                                       ^
//	           |      +------ desired replicas <----|---------------------------------------+
//	           |                                    +--> twin: no fault on its wire --------+
//	           +--> truth: what was stored, and which answers were spoiled -----------------+
//
// Time is invented: a tick is 15 seconds for the daemon and some milliseconds here, so that
// outages longer than any window cost nothing. Only a client that waits in vain waits for real.
//
// The checker shares no code with the decision. It has a model of its own of which samples a
// reading finds, and says of each tick whether the evidence of a workload was whole.
//
// The short form is part of the tests. The long form goes on with one seed after another:
//
//	go test ./test/soak -run TestSoak -timeout 0 -soak 10m
//
// A failure names its seed, which -soak.seed repeats.
package soak
