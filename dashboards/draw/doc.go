// Package draw proves the dashboards and draws pictures of them, without Grafana.
//
// A [Day] is what infscale exports while simulated workloads are scaled by its real rules:
// at each scrape the real collector writes a page, which an embedded Prometheus takes
// in as a scrape. [Ask] then asks Prometheus what Grafana would for a dashboard, and
// [Picture] draws the answers, near enough to how Grafana does that a person can judge them.
//
//	go test ./dashboards/draw -draw DIR
//
// writes the pictures; that of the overview is committed beside the dashboards, for the
// documentation.
//
// It links the embedded Prometheus, so nothing that is shipped imports it.
package draw
