package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Severity says how sure the harm of a finding is.
type Severity string

// The severities.
const (
	// Error is what scales wrongly, or is refused or ignored by the cluster.
	Error Severity = "error"
	// Warning is what scales worse than it could, or depends on what the files do not say.
	Warning Severity = "warning"
)

// A Finding is one mistake at one place.
type Finding struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Severity Severity `json:"severity"`
	// Rule is the stable name of the mistake.
	Rule string `json:"rule"`
	// What is wrong here, Why that matters, and the Fix.
	What string `json:"what"`
	Why  string `json:"why"`
	Fix  string `json:"fix"`
}

// String returns the finding in three lines, the first of them as compilers write it.
func (f *Finding) String() string {
	return fmt.Sprintf("%s:%d:%d: %s: %s [%s]\n    why: %s\n    fix: %s",
		f.File, f.Line, f.Column, f.Severity, f.What, f.Rule, f.Why, f.Fix)
}

// sortFindings orders by place and drops repetitions: an anchor is read where it is used.
func sortFindings(list []Finding) []Finding {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column,
			strings.Compare(a.Rule, b.Rule), strings.Compare(a.What, b.What))
	})
	return slices.Compact(list)
}
