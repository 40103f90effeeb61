// Package daemon is the program that runs: it reads Prometheus on every interval,
// decides, and serves the recommendations as metrics, pages and JSON.
//
//	slots -> source -> fold (Decide) -> Snapshot -> export, pages, JSON
//	            ^                ^
//	            +---- world <----+---- reload
//
// One loop owns everything that changes: what was decided before and the world
// built from the configuration. What it publishes is immutable, so that a scrape
// takes no lock. Slots are multiples of the interval since the epoch, and a slot is
// decided on as of its time less the query offset, however late it is: two daemons
// with one configuration see the same instants and come to the same decisions.
//
// Nothing that may not answer is waited for on the loop: Prometheus and the files of a
// reload are read beside it. Should it stand still in spite of that, what is published
// grows old: the collector withdraws it, and the daemon is neither ready nor healthy.
//
// A daemon that starts folds the recent past before its first decision, and goes on
// as if it had never stopped.
package daemon
