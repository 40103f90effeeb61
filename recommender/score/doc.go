// Package score compares policies on traffic.
//
//	trace.Trace -> sim.Run x (policies x seeds) -> Report
//	           \-> Clairvoyant, Causal: what no policy can beat
//
// Policies meet the same requests and the same cold starts: they are paired by seed, so
// that the difference between two of them is known better than either.
package score
