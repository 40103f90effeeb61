// Package rules holds the recording rules that give every engine's metrics one name.
//
// The engines name the same quantities differently, expose them once per rank or process,
// and are often scraped twice. The rules settle all of that in one place, so that a plain
// HPA, a KEDA trigger or a dashboard can read one series. infscale itself does not need
// them: it reads the engines' own series and knows their age.
package rules

import "embed"

// Files are the rule files, named SUBJECT.rules.yaml, as Prometheus loads them.
//
//go:embed *.rules.yaml
var Files embed.FS
