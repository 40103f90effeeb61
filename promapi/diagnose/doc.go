// Package diagnose says what the daemon would be silent about, and why, before it is.
//
//	Plan -> Observe, recorded -> rows --+
//	                                    +--> findings
//	a few questions about the silent ---+
//
// It asks what a tick asks, through the same reader, and keeps the answers. Where a
// workload or a signal has no number, the selectors of that plan are looked at: whether
// they matched anything in the last days, which matcher takes the rows away, and which
// values are nearly right. What costs a look at the past is asked once for all workloads,
// by group of pods, and only if something is silent.
//
// One cause is one finding: what follows from it is shown as the state of signals, and
// is no finding of its own.
package diagnose
