// Package risk says how likely users are to wait too long: the expected fraction of the
// requests arriving within a coming horizon that miss the objective for the time to the
// first token, if a workload had a given number of replicas.
//
// A [Tracker] keeps what the estimate needs of the last quarter of an hour. An
// [Estimator] draws from it how the traffic may go on, puts the requests that are running
// and waiting into a [sim.Fleet], and lets it run for each number of replicas with the
// same arrivals. The horizon is by default as long as help takes: a cold start and one
// interval.
//
// What is not known is drawn too, so that it widens the estimate; what cannot be guessed
// makes it unknown, with a [Reason]. Everything random follows from the workload's name
// and the time of the observation: whoever saw the same observations says the same.
package risk
