// Package restart has no code of its own: its tests kill the daemon, start it again, and run
// two of them side by side. What one that was killed exports must be what its twin that never
// stopped does, and a consumer of two twins must get the right number although one is blind.
//
// The programs are the real ones, and so is the Prometheus they read, inside this process. Its
// history is invented beforehand, the minutes that are yet to come included: a query is for
// one instant and finds nothing that is younger.
package restart
