// Package load has no code of its own: its test runs the daemon for an hour of ticks, in
// a fifth of the time, over a fleet of 1,000 workloads and 10,000 pods, and looks for
// what grows.
//
// What is measured is the daemon: its sockets, its client, its decisions and its pages are
// the real ones. The answers it reads come from another process. They were made by a real
// Prometheus, once for each query, over a fleet of the same size; from then on the
// process gives the same rows again, with the time, the load and the names of the pods
// moved on, since the engine itself would need longer for a tick than a tick lasts here.
//
// Time is compressed by a clock that leaps: of every interval of 15 s only the end passes, at
// the pace of the wall clock. So windows, ages and the past are those of an hour, and what takes
// time takes as long as it does. A tick is missed if it takes an interval; those that are missed
// only because it took longer than what is left of one are counted apart.
package load
