package sim

import (
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/trace"
)

// BenchmarkSimulate replays the five policies of the default trace, and one over a day,
// by each of the three simulators. Compare their requests per CPU second in one run: what
// one is alone depends on the machine.
func BenchmarkSimulate(b *testing.B) {
	five := []string{seed000[0].policy, seed000[1].policy, seed000[2].policy, seed000[3].policy, seed000[4].policy}
	b.Run("seed000", func(b *testing.B) { benchmark(b, defaultTrace(b), five, 1500) })
	b.Run("day", func(b *testing.B) { benchmark(b, day(b), five[2:3], 86400) })
}

// day is a ServeGen day if there is one, and 170,000 requests that are like it if not.
func day(b *testing.B) trace.Slice {
	b.Helper()
	if s, err := findTrace("servegen-deepseek-r1-24h-1in8"); err == nil {
		return s
	}
	s, err := trace.ReadAll(trace.Generator{
		Rate:   trace.Diurnal(170000.0/86400, 0.5, 86400, 0),
		Prompt: trace.LogNormal(900, 1.5).AtMost(30000), Output: trace.LogNormal(1100, 1).AtMost(15000),
		End: 86400,
	}, 1)
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func benchmark(b *testing.B, requests trace.Slice, policies []string, seconds int) {
	b.Helper()
	measure := func(name string, simulate func(policy string)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			before := cpuSeconds()
			for b.Loop() {
				for _, p := range policies {
					simulate(p)
				}
			}
			n := float64(b.N * len(policies) * len(requests))
			b.ReportMetric(n/(cpuSeconds()-before), "requests/cpu-s")
		})
	}
	run := func(step time.Duration) func(string) {
		return func(policy string) {
			r, scale := follow(b, policy, seconds, step)
			t, _ := requests.Open(0) // a slice has no errors
			if _, err := r.Do(b.Context(), t, scale, nil); err != nil {
				b.Fatal(err)
			}
		}
	}
	measure("event", run(0))
	measure("fixed", run(seed000Step))
	measure("plain", func(text string) {
		r, scale := follow(b, text, seconds, seed000Step)
		plain(requests, scale, r.Start, r.Initial, float64(seconds))
	})
}
