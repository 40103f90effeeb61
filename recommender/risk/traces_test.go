package risk_test

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// A source is a trace to calibrate on. Constants were chosen on those with the purpose
// "fit"; the rest were only looked at.
type source struct {
	name, purpose string
	requests      trace.Slice
}

// Longer traces are cut into parts of so many seconds, spread over them.
const (
	partSeconds = 5400
	parts       = 3
)

// sources are generated traces, the default trace, and those in the folder named by
// INFSCALE_TRACES.
func sources(tb testing.TB) []source {
	tb.Helper()
	at := func(second, rate float64) trace.Point { return trace.Point{At: second, Rate: rate} }
	poisson := trace.Poisson()
	list := []source{
		{"generated: swings", "fit", scaled(tb, read(tb, generated(trace.Diurnal(30, 25, 1800, 0), poisson, 3600)))},
		{"generated: steps", "fit", scaled(tb, read(tb, generated(trace.Steps(
			at(0, 10), at(600, 40), at(1200, 15), at(1800, 60), at(2400, 5), at(3000, 30)), poisson, 3600)))},
		{"generated: bursts", "fit", scaled(tb, read(tb, generated(trace.Constant(30), trace.Gamma(4), 3600)))},
		{"generated: heavy bursts", "fit", scaled(tb, read(tb, generated(trace.Constant(30), trace.Gamma(30), 3600)))},
		{"generated: on and off", "fit", scaled(tb, read(tb, generated(trace.Wake(60, 90, 180), poisson, 3600)))},
		{"default", "fit", read(tb, trace.Default())},
	}
	folder := os.Getenv("INFSCALE_TRACES")
	if folder == "" {
		return list
	}
	names, err := filepath.Glob(filepath.Join(folder, "*.csv*"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, name := range names {
		list = append(list, file(tb, name)...)
	}
	return list
}

// file reads a trace, in parts if it is long. Files that are no traces are skipped.
func file(tb testing.TB, path string) []source {
	tb.Helper()
	name, _, _ := strings.Cut(filepath.Base(path), ".csv")
	s, err := trace.ReadAll(trace.File(path), 0)
	if err != nil || len(s) == 0 || strings.HasPrefix(name, "seed000") { // which is the default trace
		return nil
	}
	purpose := "judge"
	if strings.Contains(name, "azure") && strings.Contains(name, "conv") {
		purpose = "fit"
	}
	end := s[len(s)-1].At
	if end <= 1.5*partSeconds {
		return []source{{name, purpose, scaled(tb, s)}}
	}
	var list []source
	for i := range parts {
		from := math.Floor(end / parts * float64(i))
		part := read(tb, trace.Window(s, from, from+partSeconds))
		list = append(list, source{name + " at " + clock(from), purpose, scaled(tb, part)})
	}
	return list
}

func clock(second float64) string {
	hours := int(second / 3600)
	return string([]byte{byte('0' + hours/10), byte('0' + hours%10)}) + "h"
}

// generated is a trace of chats.
func generated(r trace.Rate, a trace.Arrivals, end float64) trace.Trace {
	return trace.Generator{
		Rate: r, Arrivals: a, End: end,
		Prompt: trace.LogNormal(1000, 1).AtMost(20000), Output: trace.LogNormal(200, 1).AtMost(4000),
	}
}

func read(tb testing.TB, t trace.Trace) trace.Slice {
	tb.Helper()
	s, err := trace.ReadAll(t, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// scaled multiplies the rate such that one window of two minutes in ten needs more than
// five and a half replicas, of the eight that policies may ask for.
func scaled(tb testing.TB, s trace.Slice) trace.Slice {
	tb.Helper()
	const (
		window = 120
		wanted = 5.5
		batch  = 48
	)
	r := sim.DefaultReplica()
	work := make([]float64, int(s[len(s)-1].At/window)+1)
	for _, q := range s {
		context := float64(q.Prompt) + float64(q.Output)/2
		work[int(q.At/window)] += float64(q.Prompt)/r.PrefillTokensPerSecond() +
			float64(q.Output)*r.DecodeStep(batch*context)/batch
	}
	slices.SortFunc(work, func(a, b float64) int { return cmp.Compare(a, b) })
	return read(tb, trace.Scale(s, wanted*window/work[len(work)*9/10]))
}
