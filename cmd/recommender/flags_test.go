package main

import (
	"errors"
	"testing"
	"time"
)

func TestSpan(t *testing.T) {
	tests := map[string]time.Duration{
		"0":     0,
		"90":    90 * time.Second,
		"0.25":  250 * time.Millisecond,
		"1e3":   1000 * time.Second,
		"90s":   90 * time.Second,
		"5m":    5 * time.Minute,
		"1h30m": 90 * time.Minute,
		"1d":    24 * time.Hour,
		"250ms": 250 * time.Millisecond,
	}
	for word, want := range tests {
		var got span
		if err := got.UnmarshalText([]byte(word)); err != nil || time.Duration(got) != want {
			t.Errorf("%q: got %v and %v, want %v", word, time.Duration(got), err, want)
		}
	}
	for _, word := range []string{"", "-1", "NaN", "Inf", "1e300", "five", "5 m", "1m5h"} {
		var got span
		if err := got.UnmarshalText([]byte(word)); err == nil {
			t.Errorf("%q: got %v, want an error", word, time.Duration(got))
		}
	}
}

func TestInstant(t *testing.T) {
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	tests := map[string]time.Time{
		"2026-01-05T09:00:00Z":      at,
		"2026-01-05T10:00:00+01:00": at,
		"1767603600":                at,
		"1767603600.25":             at.Add(250 * time.Millisecond),
		"0":                         time.Unix(0, 0),
	}
	for word, want := range tests {
		var got instant
		if err := got.UnmarshalText([]byte(word)); err != nil || !got.Equal(want) {
			t.Errorf("%q: got %v and %v, want %v", word, got, err, want)
		}
	}
	for _, word := range []string{"", "-1", "NaN", "1e300", "yesterday", "2026-01-05"} {
		var got instant
		if err := got.UnmarshalText([]byte(word)); err == nil {
			t.Errorf("%q: got %v, want an error", word, got)
		}
	}
}

func TestListedKeepsOneErrorAsItIs(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	if err := listed("mistakes", nil); err != nil {
		t.Errorf("none: got %v, want nil", err)
	}
	if got, want := listed("mistakes", []error{one}).Error(), "one"; got != want {
		t.Errorf("one: got %q, want %q", got, want)
	}
	if got, want := listed("mistakes", []error{one, two}).Error(), "2 mistakes:\n  one\n  two"; got != want {
		t.Errorf("two: got %q, want %q", got, want)
	}
}
