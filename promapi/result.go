package promapi

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A Result is the answer to one query. An instant answer is a range of one
// step: every series has exactly one point.
type Result struct {
	// Series are in the order of the answer. A scalar is one series with no
	// labels.
	Series []Series
	// Warnings are reasons why the answer may be incomplete. When there is one,
	// every value is a lower bound and an absent series may exist.
	Warnings []string
	// Infos are the server's remarks on the query, which leave the answer whole.
	Infos []string
}

// A Series is one row of a result.
type Series struct {
	Labels Labels
	// Points are in ascending order of time, and never empty.
	Points []Point
}

// A Point is one value at one time.
type Point struct {
	// T is the time in milliseconds since the Unix epoch. In an instant answer it
	// is the evaluation time, not the time of the scrape.
	T int64
	// V may be NaN or an infinity: what that means is for the reader to say.
	V float64
}

// Time returns the time of the point in UTC.
func (p Point) Time() time.Time { return time.UnixMilli(p.T).UTC() }

// A Label is one name and value of a series.
type Label struct{ Name, Value string }

// Labels are sorted by name, and no name occurs twice. Names and values are
// shared between rows and must not be changed.
type Labels []Label

// Get returns the value of a label, and "" when the series has none of that
// name: to Prometheus an empty and an absent label are the same.
func (ls Labels) Get(name string) string {
	// Rows have about ten labels: a scan beats a search.
	for i := range ls {
		if ls[i].Name == name {
			return ls[i].Value
		}
	}
	return ""
}

// String writes the labels as PromQL does: {a="1", b="2"}.
func (ls Labels) String() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, l := range ls {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(l.Name)
		b.WriteByte('=')
		b.WriteString(strconv.Quote(l.Value))
	}
	b.WriteByte('}')
	return b.String()
}

// MakeLabels returns the labels of name and value pairs, sorted. It is for
// tests and for rows made in Go. It panics on an odd number of arguments.
func MakeLabels(pairs ...string) Labels {
	ls := make(Labels, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		ls = append(ls, Label{Name: pairs[i], Value: pairs[i+1]})
	}
	ls.sort()
	return ls
}

func (ls Labels) sort() {
	slices.SortFunc(ls, func(a, b Label) int { return cmp.Compare(a.Name, b.Name) })
}
