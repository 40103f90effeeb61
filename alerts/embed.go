// Package alerts holds the alerts on infscale, on what it recommends and on the model servers,
// each with a runbook beside it. Some read what the recording rules of package rules make.
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
