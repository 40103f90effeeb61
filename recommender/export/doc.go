// Package export turns decisions into Prometheus metrics.
//
// A [Snapshot] is what is known of every workload after one evaluation, and a
// [Collector] exports the latest one. The metrics of a scrape are built from
// one snapshot: a scrape never sees half an evaluation, and a workload that left
// the configuration leaves no series behind. What is unknown has no series; no
// number stands for it. No sample carries a timestamp, so that a series which is
// withdrawn goes stale at once.
package export
