package daemon

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/infscale/infscale/promapi"
)

// An outage is the queries of one tick that got no answer. It has no secret: those of
// promapi's errors are taken out.
type outage struct {
	// first is the error of a query that may be answered when it is asked again, else of
	// the first that failed, with the name of its family in place of its text.
	first error
	// failed are the families of those that failed, asked is how many there were.
	failed []promapi.Family
	asked  int
}

// newOutage returns what a tick left without an answer; nil if that is nothing.
func newOutage(report *promapi.Report) *outage {
	o := &outage{asked: len(report.Families)}
	transient := false
	for i := range report.Families {
		f := &report.Families[i]
		if f.Err == nil {
			continue
		}
		if o.first == nil || (!transient && !refused(f.Err)) {
			o.first, transient = named(f), !refused(f.Err)
		}
		o.failed = append(o.failed, f.Family)
	}
	if o.first == nil {
		return nil
	}
	return o
}

// named is the error of a query with the name of its family in place of its long text.
func named(f *promapi.FamilyReport) error {
	e, ok := errors.AsType[*promapi.QueryError](f.Err)
	if !ok {
		return fmt.Errorf("query %q: %w", f.Family, f.Err)
	}
	short := *e
	short.Query = string(f.Family)
	return &short
}

// Error says who did not answer, why, and what was asked: one line.
func (o *outage) Error() string {
	return fmt.Sprintf("%s (%d of %d queries failed: %s)", o.cause(), len(o.failed), o.asked, strings.Join(o.families(), ", "))
}

// Unwrap returns the error of one query.
func (o *outage) Unwrap() error { return o.first }

// families are the names of the families, each once: custom queries are of one.
func (o *outage) families() []string {
	var names []string
	for _, f := range o.failed {
		if !slices.Contains(names, string(f)) {
			names = append(names, string(f))
		}
	}
	return names
}

// mostCause is how many bytes of a cause are shown: a proxy may answer with a whole page.
const mostCause = 300

// cause says who did not answer and why, without what the name of the server says already.
func (o *outage) cause() string {
	e, ok := errors.AsType[*promapi.QueryError](o.first)
	if !ok {
		return cut(o.first.Error())
	}
	text := e.Err.Error()
	if errno, ok := errors.AsType[syscall.Errno](e.Err); ok {
		text = errno.Error()
	} else if dns, ok := errors.AsType[*net.DNSError](e.Err); ok {
		text = dns.Err
	}
	if e.Status != 0 {
		text = "status " + strconv.Itoa(e.Status) + ": " + text
	}
	return e.URL + ": " + cut(text)
}

// cut shortens a text, at the start of a rune, and marks the cut.
func cut(text string) string {
	if len(text) <= mostCause {
		return text
	}
	return strings.ToValidUTF8(text[:mostCause], "") + "..."
}

// unanswered says what the latest slot left without an answer; nil if that is nothing.
func (l *loop) unanswered() *string {
	if o := l.outage.Load(); o != nil {
		return new(o.Error())
	}
	return nil
}
