package load

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A sample is what the process holds after a garbage collection.
type sample struct {
	tick        int
	heap, rss   int64 // bytes
	goroutines  int
	files       int // open, sockets included
	connections int // to Prometheus
}

func (s sample) String() string {
	const mega = 1 << 20
	return fmt.Sprintf("tick %3d: heap %6.1f MiB, resident %6.1f MiB, %3d goroutines, %2d files, %d connections to Prometheus",
		s.tick, float64(s.heap)/mega, float64(s.rss)/mega, s.goroutines, s.files, s.connections)
}

// take samples this process.
func take(tick, connections int) sample {
	runtime.GC()
	runtime.GC() // what finalizers and pools held until the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return sample{
		tick: tick, heap: int64(m.HeapAlloc), rss: resident(),
		goroutines: runtime.NumGoroutine(), files: openFiles(), connections: connections,
	}
}

// resident returns the resident memory of this process, 0 where that is not known.
func resident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kilobytes, _ := strconv.ParseInt(fields[0], 10, 64)
	return kilobytes << 10
}

// openFiles returns how many files this process has open, 0 where that is not known.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}

// growth compares the second half of samples with the first. It returns what grew.
func growth(samples []sample) []string {
	if len(samples) < 4 {
		return []string{"too few samples to say"}
	}
	early, late := samples[:len(samples)/2], samples[len(samples)/2:]
	var grew []string
	check := func(what string, room int64, of func(sample) int64) {
		before, after := least(early, of), least(late, of)
		if after > before+before/20+room {
			grew = append(grew, fmt.Sprintf("%s from %d to %d", what, before, after))
		}
	}
	check("heap", 1<<20, func(s sample) int64 { return s.heap })
	check("resident", 24<<20, func(s sample) int64 { return s.rss }) // what the runtime gives back late
	check("goroutines", 2, func(s sample) int64 { return int64(s.goroutines) })
	check("files", 2, func(s sample) int64 { return int64(s.files) })
	check("connections", 2, func(s sample) int64 { return int64(s.connections) })
	return grew
}

// least returns the smallest: what is held while nothing is being read.
func least(samples []sample, of func(sample) int64) int64 {
	return of(slices.MinFunc(samples, func(a, b sample) int { return cmp.Compare(of(a), of(b)) }))
}

// quantile returns the smallest duration that a fraction of them is not above.
func quantile(list []time.Duration, p float64) time.Duration {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))].Round(time.Millisecond)
}

// The load test looks for growth with this: what it finds and what it lets pass.
func TestGrowthIsFound(t *testing.T) {
	flat := sample{heap: 100 << 20, rss: 200 << 20, goroutines: 20, files: 15, connections: 4}
	of := func(change func(s *sample, i int)) []sample {
		list := make([]sample, 8)
		for i := range list {
			list[i] = flat
			change(&list[i], i)
		}
		return list
	}
	for name, test := range map[string]struct {
		samples []sample
		want    string
	}{
		"nothing":                   {of(func(*sample, int) {}), ""},
		"noise":                     {of(func(s *sample, i int) { s.heap += int64(i%2) << 20 }), ""},
		"two megabytes a sample":    {of(func(s *sample, i int) { s.heap += int64(i) << 21 }), "heap from 104857600 to 113246208"},
		"a goroutine each":          {of(func(s *sample, i int) { s.goroutines += i }), "goroutines from 20 to 24"},
		"a file each":               {of(func(s *sample, i int) { s.files += i }), "files from 15 to 19"},
		"a connection now and then": {of(func(s *sample, i int) { s.connections += i }), "connections from 4 to 8"},
		"three samples":             {of(func(*sample, int) {})[:3], "too few samples to say"},
	} {
		if got := strings.Join(growth(test.samples), ", "); got != test.want {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
}
