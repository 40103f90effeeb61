package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/infscale/infscale/promapi/diagnose"
)

// checkWidth is where lines of findings are broken.
const checkWidth = 100

// printCheck writes a report for people: who was asked and what is about all, each
// workload with its signals and findings, and the result.
func printCheck(w io.Writer, file string, r *diagnose.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", place(file), server(&r.Prometheus))
	printFindings(&b, r.Of(""))
	for i := range r.Workloads {
		printWorkload(&b, &r.Workloads[i])
		printFindings(&b, r.Of(r.Workloads[i].ID()))
	}
	fmt.Fprintf(&b, "\n%s\n", verdict(r))
	_, err := io.WriteString(w, visible(b.String()))
	return err
}

// visible writes out what a terminal would obey or not show, as %q does: much of a report
// is the words of others. Line breaks stay.
func visible(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		if r == '\n' || strconv.IsPrint(r) && (r != utf8.RuneError || n > 1) {
			b.WriteString(text[:n])
		} else {
			quoted := strconv.Quote(text[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[n:]
	}
	return b.String()
}

// server says who answered.
func server(p *diagnose.Prometheus) string {
	text := p.URL
	switch {
	case p.Version != "":
		text += fmt.Sprintf(", %s %s", cmp.Or(p.Application, "version"), p.Version)
	case p.Application != "":
		text += ", " + p.Application
	}
	switch {
	case p.Skew == nil:
	case math.Abs(*p.Skew) < 1:
		text += ", clocks agree"
	default:
		text += fmt.Sprintf(", clocks differ by %.0fs", math.Abs(*p.Skew))
	}
	return text
}

func printWorkload(b *strings.Builder, w *diagnose.Workload) {
	fmt.Fprintf(b, "\n%s  %s, replicas %s, ready %s, heard %s", w.ID(), w.Kind, count(w.Current), count(w.Ready), count(w.Reporting))
	if len(w.Engines) > 0 {
		fmt.Fprintf(b, "; %s by %s", strings.Join(w.Engines, " and "), w.Membership)
	}
	b.WriteByte('\n')
	for i := range w.Signals {
		s := &w.Signals[i]
		line := fmt.Sprintf("  %-8s %-16s %10s  %s", s.State, s.Signal, amount(s.Value), when(s))
		fmt.Fprintln(b, strings.TrimRight(line, " "))
	}
}

func count(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}

func amount(v *float64) string {
	if v == nil {
		return "-"
	}
	return strconv.FormatFloat(*v, 'g', 5, 64)
}

// when says how old the evidence of a signal is, and whether it may be missing.
func when(s *diagnose.Signal) string {
	var parts []string
	switch {
	case s.Age != nil:
		parts = append(parts, ago(*s.Age))
	case s.LastSeen != nil:
		parts = append(parts, "last seen "+s.LastSeen.UTC().Format(time.DateTime)+"Z")
	}
	if s.Optional {
		parts = append(parts, "optional")
	}
	return strings.Join(parts, ", ")
}

func ago(seconds float64) string {
	return (time.Duration(seconds) * time.Second).String() + " ago"
}

func printFindings(b *strings.Builder, list []diagnose.Finding) {
	for _, f := range list {
		head := strings.ToUpper(string(f.Severity)) + "  " + string(f.Code)
		if f.Signal != "" {
			head += "  " + f.Signal
		}
		if f.Place != "" {
			head += "  (" + f.Place + ")"
		}
		fmt.Fprintf(b, "\n  %s\n", head)
		for _, line := range []struct{ word, text string }{{"found", f.Found}, {"so", f.Why}, {"do", f.Fix}} {
			if line.text != "" {
				b.WriteString(wrapped(fmt.Sprintf("    %-6s ", line.word), line.text))
			}
		}
	}
}

// wrapped breaks text into lines, each further one indented as the first.
func wrapped(lead, text string) string {
	var b strings.Builder
	b.WriteString(lead)
	at := len(lead)
	for i, word := range strings.Fields(text) {
		word = visible(word) // as wide as it will be
		switch {
		case i == 0:
		case at+1+len(word) > checkWidth:
			b.WriteString("\n" + strings.Repeat(" ", len(lead)))
			at = len(lead)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	b.WriteByte('\n')
	return b.String()
}

// verdict is the last line.
func verdict(r *diagnose.Report) string {
	warnings := ""
	if n := r.Count(diagnose.Warning); n > 0 {
		warnings = ", " + plural(n, "warning")
	}
	if r.OK {
		return "ok: nothing would stay silent" + warnings
	}
	return plural(r.Count(diagnose.Error), "error") + warnings
}
