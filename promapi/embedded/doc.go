// Package embedded runs a real Prometheus inside the process: its storage, its PromQL
// engine, its scrape manager and its HTTP API handler, on a temporary directory.
//
// It is for tests and for the demo only. The production binary does not link it, because
// it adds some forty megabytes. Where a test needs answers that a healthy Prometheus never
// gives, package promapitest scripts them instead.
//
// Samples arrive in three ways, which can be mixed:
//
//   - scraped for real over HTTP, from Options.Jobs and SetTargets;
//   - as pages with an invented time (AppendPage, AppendFailure, AppendGone), parsed and
//     labelled as a scrape would;
//   - as plain numbers (Append, AppendSeries, Load).
//
// With samples in the present and samples an hour ahead, all is accepted: the head block
// spans weeks, so series need not be appended in the order of time. Within one series
// samples go forwards, unless Options.OutOfOrder is set.
package embedded
