package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// A timeline prints what happens, and when.
type timeline struct {
	mu    sync.Mutex
	out   io.Writer
	begun time.Time
}

// say prints one line with the seconds since the beginning.
func (t *timeline) say(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.out, "%7.1f s  %s\n", time.Since(t.begun).Seconds(), fmt.Sprintf(format, args...))
}

// chapter prints a heading.
func (t *timeline) chapter(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.out, "\n%7.1f s  == %s ==\n", time.Since(t.begun).Seconds(), fmt.Sprintf(format, args...))
}

// summary prints what each program took.
func (t *timeline) summary(usages []usage) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var peak int64
	var cpu time.Duration
	fmt.Fprintf(t.out, "\n%-26s %10s %10s\n", "program", "peak MB", "CPU s")
	for _, u := range usages {
		fmt.Fprintf(t.out, "%-26s %10d %10.1f\n", u.name, u.peak>>20, u.cpu.Seconds())
		peak += u.peak
		cpu += u.cpu
	}
	fmt.Fprintf(t.out, "%-26s %10d %10.1f\n", "together", peak>>20, cpu.Seconds())
}
