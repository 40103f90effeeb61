package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/prometheus/common/model"
)

// outputFlag is embedded by every command with a result.
type outputFlag struct {
	Output string `default:"text" enum:"text,json" help:"Format of the result: ${enum}."`
}

func (f *outputFlag) json() bool { return f.Output == "json" }

// printJSON writes v as one indented document.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// decimal reads a count, as the configuration does: without it 010 would be 8.
func decimal(ctx *kong.DecodeContext, into reflect.Value) error {
	var word string
	if err := ctx.Scan.PopValueInto("count", &word); err != nil {
		return err
	}
	n, err := strconv.ParseInt(word, 10, into.Type().Bits())
	switch {
	case errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%s is out of range: at most %d", word, math.MaxInt32)
	case err != nil || strconv.FormatInt(n, 10) != strings.TrimPrefix(word, "+"):
		return fmt.Errorf("%q is not a whole number", word)
	}
	into.SetInt(n)
	return nil
}

// A span is a duration on the command line: seconds, or a number with units such as
// 5m, 1h30m or 250ms.
type span time.Duration

// UnmarshalText reads a span.
func (s *span) UnmarshalText(text []byte) error {
	word := string(text)
	if v, err := strconv.ParseFloat(word, 64); err == nil {
		const most = 100 * 365 * 24 * 3600
		if !(v >= 0 && v <= most) { // NaN too
			return fmt.Errorf("%q is not a duration: want seconds, or units as in 5m", word)
		}
		*s = span(math.Round(v * float64(time.Second)))
		return nil
	}
	d, err := model.ParseDuration(word)
	if err != nil {
		return fmt.Errorf("%q is not a duration: want seconds, or units as in 5m", word)
	}
	*s = span(d)
	return nil
}

// An instant is a time on the command line: RFC 3339, or Unix seconds.
type instant struct{ time.Time }

// UnmarshalText reads an instant.
func (i *instant) UnmarshalText(text []byte) error {
	word := string(text)
	if t, err := time.Parse(time.RFC3339, word); err == nil {
		i.Time = t
		return nil
	}
	const most = 1 << 33 // seconds: the year 2242
	v, err := strconv.ParseFloat(word, 64)
	if err != nil || !(v >= 0 && v <= most) {
		return fmt.Errorf("%q is not a time: want 2026-01-31T09:00:00Z or Unix seconds", word)
	}
	i.Time = time.UnixMilli(int64(math.Round(v * 1000)))
	return nil
}

// listed makes one error of several: the only one as it is, more of them under a
// heading, one a line.
func listed(heading string, errs []error) error {
	if len(errs) < 2 {
		return errors.Join(errs...)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s:", len(errs), heading)
	for _, err := range errs {
		fmt.Fprintf(&b, "\n  %v", err)
	}
	return errors.New(b.String())
}

// parts returns the errors that err joins.
func parts(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
