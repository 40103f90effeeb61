// Package sim replays traffic through simulated replicas of a model server.
//
// A [Replica] is a model server derived from first principles: how large its model
// is, how much memory, bandwidth and arithmetic its GPU has. What matters for scaling
// follows from those few numbers: how many tokens fit, how fast prompts are read and
// tokens written, how long a new replica takes, and how little its CPU says.
package sim
