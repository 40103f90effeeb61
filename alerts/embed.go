// Package alerts holds the alerts on infscale itself, each with a runbook beside it.
package alerts

import "embed"

// Files are the alert files, named SUBJECT.rules.yaml, as Prometheus loads them.
//
//go:embed *.rules.yaml
var Files embed.FS

// Runbooks are the pages that the alerts' runbook_url point to, runbooks/ALERT.md.
//
//go:embed runbooks/*.md
var Runbooks embed.FS
