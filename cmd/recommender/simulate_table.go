package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/infscale/infscale/recommender/score"
	"github.com/infscale/infscale/recommender/sim"
)

// A column is one figure of every outcome.
type column struct {
	title string
	// floor says that it is about the floors.
	floor bool
	of    func(s *simulation, o *score.Outcome) string
}

// columns are those of the table, in order.
var columns = []column{
	{"policy", false, (*simulation).name},
	{"requests", false, func(_ *simulation, o *score.Outcome) string { return strconv.Itoa(o.Requests) }},
	{"SLO miss", false, func(_ *simulation, o *score.Outcome) string { return strconv.Itoa(o.Misses) }},
	{"miss %", false, func(_ *simulation, o *score.Outcome) string { return percent(o.MissRatio()) }},
	{"unavoidable", true, func(_ *simulation, o *score.Outcome) string { return strconv.Itoa(o.Unavoidable) }},
	{"rejected", false, func(_ *simulation, o *score.Outcome) string { return strconv.Itoa(o.Rejected) }},
	{"TTFT p50", false, func(_ *simulation, o *score.Outcome) string { return fixed(o.TTFT.P50, 2, "s") }},
	{"TTFT p95", false, func(_ *simulation, o *score.Outcome) string { return fixed(o.TTFT.P95, 2, "s") }},
	{"TTFT p99", false, func(_ *simulation, o *score.Outcome) string { return fixed(o.TTFT.P99, 2, "s") }},
	{"ITL p95", false, func(_ *simulation, o *score.Outcome) string { return fixed(o.ITLp95*1000, 1, "ms") }},
	{"replica-min", false, func(_ *simulation, o *score.Outcome) string { return fixed(o.ReplicaMinutes(), 1, "") }},
	{"x floor", true, (*simulation).floorText},
	{"peak", false, func(_ *simulation, o *score.Outcome) string { return strconv.Itoa(o.Peak) }},
	{"scale events", false, func(_ *simulation, o *score.Outcome) string { return strconv.Itoa(o.Events) }},
	{"flaps", false, func(_ *simulation, o *score.Outcome) string { return strconv.Itoa(o.Flaps) }},
	{"GPU-hours", false, func(s *simulation, o *score.Outcome) string { return fixed(s.gpuHours(o), 2, "") }},
	{"cost", false, func(s *simulation, o *score.Outcome) string { return fixed(s.cost(o), 2, "") }},
}

// floorText is the cost over that of the floor, with a star if more was missed for it.
func (s *simulation) floorText(o *score.Outcome) string {
	ratio := fixed(s.overFloor(o), 2, "")
	if f := s.floor(o.Seed); ratio != "-" && o.Misses > f.Clairvoyant.Allowed {
		return ratio + "*"
	}
	return ratio
}

// table prints the policies of one seed, or all of them over several seeds.
func (s *simulation) table(w io.Writer) error {
	rows := s.rows()
	if len(s.plan.Seeds) > 1 {
		rows = s.summaryRows()
	}
	if err := printTable(w, rows); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(s.notes(), "\n"))
	return err
}

// rows are the policies of the first seed under their titles. Without floors nothing is
// said of them.
func (s *simulation) rows() [][]string {
	rows := make([][]string, 1+len(s.plan.Candidates))
	for _, c := range columns {
		if c.floor && s.floor(0) == nil {
			continue
		}
		rows[0] = append(rows[0], c.title)
		for i := range s.plan.Candidates {
			rows[i+1] = append(rows[i+1], c.of(s, &s.report.Outcomes[i]))
		}
	}
	return rows
}

// printTable aligns the first column to the left and all others to the right.
func printTable(w io.Writer, rows [][]string) error {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(&b, "  %*s", widths[i+1], cell)
		}
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// fixed prints a number, or - where there is none.
func fixed(v float64, decimals int, unit string) string {
	if math.IsNaN(v) {
		return "-"
	}
	return strconv.FormatFloat(v, 'f', decimals, 64) + unit
}

func percent(ratio float64) string { return fixed(100*ratio, 1, "%") }

// summaryRows are the policies over all seeds: means with their intervals, medians with
// their ranges, and the differences to the first policy.
func (s *simulation) summaryRows() [][]string {
	rows := [][]string{{
		"policy", "miss % mean", "median [range]", "TTFT p95 median [range]", "replica-min mean", "median [range]",
		"peak", "scale events", "miss % against the first", "replica-min against the first",
	}}
	for i := range s.plan.Candidates {
		stats := func(of func(*score.Outcome) float64) score.Summary { return score.Summarise(s.over(i, of)) }
		miss, cost := stats(missRatio).Times(100), stats(replicaMinutes)
		row := []string{
			s.plan.Candidates[i].Name, interval(miss, 2), spread(miss, 2), spread(stats(ttftP95), 2),
			interval(cost, 1), spread(cost, 1), spread(stats(peakReplicas), 0), spread(stats(scaleEvents), 0), "", "",
		}
		if i > 0 {
			row[8] = interval(score.Paired(s.over(0, missRatio), s.over(i, missRatio)).Times(100), 2)
			row[9] = interval(score.Paired(s.over(0, replicaMinutes), s.over(i, replicaMinutes)), 1)
		}
		rows = append(rows, row)
	}
	return rows
}

// interval prints a mean with half the width of its 95 % interval.
func interval(s score.Summary, decimals int) string {
	return fixed(s.Mean, decimals, "") + " ±" + fixed(s.Half, decimals, "")
}

// spread prints a median and the range.
func spread(s score.Summary, decimals int) string {
	return fmt.Sprintf("%s [%s..%s]", fixed(s.Median, decimals, ""), fixed(s.Min, decimals, ""), fixed(s.Max, decimals, ""))
}

// notes say below the table what was replayed and what a schedule could do.
func (s *simulation) notes() []string {
	mode := "from event to event"
	if s.plan.Run.Step > 0 {
		mode = fmt.Sprintf("in steps of %gs", s.plan.Run.Step.Seconds())
		if !s.plan.Run.Carry {
			mode += ", in which a prompt read beyond the end of its step is read for free"
		}
	}
	notes := []string{fmt.Sprintf("trace %s, objective %gs to the first token, cold start %s, %s",
		s.cmd.Trace, s.plan.Run.TTFT.Seconds(), s.coldStart(), mode)}
	if n := len(s.plan.Seeds); n > 1 {
		notes = append(notes, fmt.Sprintf("%d seeds; ± is the 95%% interval of the mean, [..] the range; policies met the same requests, differences are paired", n))
	}
	if f := s.floor(0); f != nil {
		notes = append(notes, s.floorNote(f))
	}
	return notes
}

// floorNote says what no policy can beat.
func (s *simulation) floorNote(f *score.Floor) string {
	of, least := "", ""
	if len(s.plan.Seeds) > 1 {
		of = " of the first seed"
	}
	if bound := f.Clairvoyant.LowerBound; !math.IsNaN(bound) {
		least = fmt.Sprintf(" (no schedule less than %.1f)", bound)
	}
	return fmt.Sprintf("floor%s: knowing the future takes %.1f replica-min%s to miss %s; the largest fleet, from the first decision on, misses %d (%s)",
		of, f.Clairvoyant.ReplicaMinutes, least, percent(f.Clairvoyant.MissRatio), f.Causal.Misses, percent(f.Causal.MissRatio))
}

// coldStart says how long a new replica takes.
func (s *simulation) coldStart() string {
	if p := s.cmd.Phases; p != nil {
		return fmt.Sprintf("%gs to %gs", p.Low().Seconds(), p.High().Seconds())
	}
	return fmt.Sprintf("%gs", s.plan.Run.Replica.ColdStart().Round(time.Second/10).Seconds())
}

// timeline prints every decision of the first seed.
func (s *simulation) timeline(w io.Writer) error {
	for i := range s.plan.Candidates {
		if _, err := fmt.Fprintf(w, "# %s\n", s.plan.Candidates[i].Name); err != nil {
			return err
		}
		rows := [][]string{{"time", "running", "waiting", "held", "ready", "current", "desired", "direction", "reason"}}
		for j := range s.watch.ticks[i] {
			rows = append(rows, timelineRow(&s.watch.ticks[i][j]))
		}
		if err := printTable(w, rows); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}

func timelineRow(t *sim.Tick) []string {
	count := func(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }
	return []string{
		strconv.FormatFloat(t.At, 'f', -1, 64), count(t.Running), count(t.Waiting), count(t.Held), strconv.Itoa(t.Ready),
		strconv.Itoa(t.Current), strconv.Itoa(t.Desired), direction(t.Current, t.Desired), string(t.Decision.Reason),
	}
}

func direction(from, to int) string {
	switch {
	case to > from:
		return "up"
	case to < from:
		return "down"
	default:
		return "hold"
	}
}
