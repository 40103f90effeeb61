// Package sim replays traffic through simulated replicas of a model server.
//
// A [Replica] is a model server derived from first principles: how large its model
// is, how much memory, bandwidth and arithmetic its GPU has. What matters for scaling
// follows from those few numbers: how many tokens fit, how fast prompts are read and
// tokens written, how long a new replica takes, and how little its CPU says.
//
// A [Run] sends a trace through a [Fleet] of them while a [Scaler] decides how many there
// are, which is [recommender.Decide] in most cases:
//
//	trace.Reader -> Fleet -> reads -> Observation -> Scaler -> Decision -> Fleet
//	                  |
//	                  +-> Result: misses, latency, cost
//
// Replicas move from event to event. All sequences of a batch get a token in each decode
// step, so that one counter orders them for good and a heap knows which is done next; the
// steps grow by equal amounts, so that how many fit into a time has a closed form. A
// request costs a few events, each in the logarithm of the batch, however long it is.
//
// With [Run.Step] they move in fixed steps instead, as coarse simulators do. That mode is
// there to meet published tables, and shows what such steps leave out.
package sim
