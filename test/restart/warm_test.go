package restart

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
)

// warmConfig is a daemon at its defaults, for many workloads.
func warmConfig(url string, workloads int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `
prometheus: {url: %q, timeout: 14s}
defaults:
  replicas: {min: 1, max: 100}
  signals:
    - {metric: queue, target: 24}
    - {metric: ttft, target: 2, percentile: 0.95}
  slo: {ttft: 2s, objective: 0.95}
workloads:
`, url)
	for w := range workloads {
		fmt.Fprintf(&b, "  - {namespace: %s, name: %s}\n", namespace, name(w))
	}
	return b.String()
}

// peakMemory returns the most memory that the program ever had resident, in MB. What the
// system says of a process that has ended would not do: it begins with what the parent had.
func (p *program) peakMemory() (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		var kib float64
		if n, _ := fmt.Sscanf(line, "VmHWM: %f kB", &kib); n == 1 {
			return kib * 1024 / 1e6, nil
		}
	}
	return 0, errors.New("no VmHWM in the status of the process")
}

// BenchmarkWarmStart starts the real program on 1,000 workloads with 10,000 pods and waits
// until it is ready: until it has replayed its past. The memory is the most that the process
// ever had, and without a limit.
func BenchmarkWarmStart(b *testing.B) {
	const workloads, pods, scrapes = 1000, 10, 15 * time.Second
	prometheus := startPrometheus(b)
	f := &fleet{
		workloads: workloads, pods: pods,
		load:    func(int, time.Time) float64 { return 4 },
		current: func(int, time.Time) int { return pods },
	}
	list := f.meters()
	series := make([]labels.Labels, len(list))
	for i := range list {
		series[i] = list[i].labels
	}
	var times []time.Time
	for at := time.Now().Add(-22 * time.Minute); at.Before(time.Now().Add(5 * time.Minute)); at = at.Add(scrapes) {
		times = append(times, at)
	}
	if err := prometheus.AppendSeries(series, times, func(i, j int) float64 { return list[i].value(times[j]) }); err != nil {
		b.Fatal(err)
	}
	file := write(b, warmConfig(prometheus.URL(), workloads))
	for b.Loop() {
		p := startProgram(b, file)
		for b.Context().Err() == nil { // A busy machine may take longer than any patience.
			err := until(b.Context(), func() bool {
				status, _ := p.get(b.Context(), "/-/ready")
				return status == http.StatusOK
			})
			if err == nil {
				break
			}
		}
		if peak, err := p.peakMemory(); err != nil {
			b.Log(err)
		} else {
			b.ReportMetric(peak, "max-MB")
		}
		p.kill()
		b.ReportMetric((p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()).Seconds(), "cpu-s")
	}
	b.ReportMetric(float64(len(series)), "series")
}
